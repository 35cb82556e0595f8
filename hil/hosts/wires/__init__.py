"""Wires of simulators, a codec each."""
