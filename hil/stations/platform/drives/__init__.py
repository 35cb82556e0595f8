"""Drives of a rig: setup, proofs, single moves, emulation."""
