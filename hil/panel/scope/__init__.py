"""The scope."""
