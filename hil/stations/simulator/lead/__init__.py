"""Rides that an operator leads."""
