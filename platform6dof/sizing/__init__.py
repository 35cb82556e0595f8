"""Sizing of cylinders: what a motion asks of them, and what screws and motors can do."""
