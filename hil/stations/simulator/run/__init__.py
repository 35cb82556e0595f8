"""Checks and runs of a ride."""
