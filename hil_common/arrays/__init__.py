"""The half of the common ground that needs numpy: rotations and poses."""
