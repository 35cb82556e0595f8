"""Stations: one machine with its mathematics, its gate and its drives."""
