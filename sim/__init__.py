"""Simulated world and emulated devices."""
