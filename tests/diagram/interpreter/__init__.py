"""Diagrams in plain Python, from the equations of the blocks: the judge of the compiled kernel."""
