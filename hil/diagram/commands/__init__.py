"""Verbs of diagrams."""
