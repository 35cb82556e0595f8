"""Exercises in hangars: a robot is driven by a law with a fault in it."""
