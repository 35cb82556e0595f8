"""Drive buses of the bench: what control knows of each, and what makes its bank for the gate."""
