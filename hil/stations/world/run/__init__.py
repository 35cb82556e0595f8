"""Checks, runs and reruns of the virtual environment."""
