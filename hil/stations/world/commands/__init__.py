"""Verbs of the virtual environment."""
