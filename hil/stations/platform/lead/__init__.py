"""Runs led by an operator: nothing happens without a press, and only while the dead-man is held."""
