"""Runs that an operator leads."""
