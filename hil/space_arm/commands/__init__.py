"""Verbs of the space arm."""
