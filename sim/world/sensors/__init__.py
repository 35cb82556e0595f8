"""Readings of sensors: the engine's measurements with defects, delay and sample rate."""
