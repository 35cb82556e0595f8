"""A module of somebody else's that does not load."""

raise RuntimeError("no licence found")
