"""Rigs: hexapods with their drives, limits and payload."""
