"""Proof of a motion before anything moves, and of an operator's requests."""
