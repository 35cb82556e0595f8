"""Processes of the bench: how they are started, and memory that they share."""
