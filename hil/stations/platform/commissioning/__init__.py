"""Verbs of commissioning: scans, slow moves, references, trials."""
