"""Verbs of the station."""
