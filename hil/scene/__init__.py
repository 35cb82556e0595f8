"""Bodies to draw, their poses and colours, as values."""
