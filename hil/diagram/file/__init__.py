"""A diagram as drawn, and its file: read and written."""
