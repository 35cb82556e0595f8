"""Simulated space manipulators."""
