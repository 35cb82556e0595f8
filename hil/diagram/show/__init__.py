"""A diagram as a picture, and as JSON."""
