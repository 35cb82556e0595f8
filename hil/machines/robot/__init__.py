"""The industrial arm of the bench."""
