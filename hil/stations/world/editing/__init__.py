"""Editing of runs while they go; nothing is imported here."""
