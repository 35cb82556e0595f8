"""Scenarios picked, edited, checked and started."""
