"""Runs and proofs of tasks."""
