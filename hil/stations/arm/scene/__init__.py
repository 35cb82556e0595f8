"""Both arms in space, for pictures, and their margins."""
