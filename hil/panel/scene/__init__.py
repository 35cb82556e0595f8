"""The picture in space."""
