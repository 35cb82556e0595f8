"""Checks and runs of the arm station: assembly, session, summary."""
