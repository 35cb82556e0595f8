"""Scenario of the virtual environment and its plan."""
