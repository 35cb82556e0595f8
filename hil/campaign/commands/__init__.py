"""Verbs of campaigns."""
