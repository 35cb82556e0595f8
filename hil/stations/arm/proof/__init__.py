"""Proof of a motion before the first byte is sent."""
