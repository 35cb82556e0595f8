"""Draws of a scenario: numbers of it, and of the documents that it names, drawn by a seed."""
