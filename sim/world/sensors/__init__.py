"""Sensors as they are read: what the engine measures, with defects, delay and sample rate."""
