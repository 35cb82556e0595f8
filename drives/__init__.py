"""Six-axis drive banks: one interface, and behind it the simulated cylinders and the real buses."""
