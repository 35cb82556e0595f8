"""Scenario of the arm station and its plan."""
