"""Figures of a recorded ride: wanted and felt motion, and delays."""
