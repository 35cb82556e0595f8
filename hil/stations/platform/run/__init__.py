"""Checks and runs of the platform: proof, play, summary."""
