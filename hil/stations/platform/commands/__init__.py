"""Verbs of the platform and its drives."""
