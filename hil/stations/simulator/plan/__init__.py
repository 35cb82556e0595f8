"""Scenario of a ride: its source, its record and its settings."""
