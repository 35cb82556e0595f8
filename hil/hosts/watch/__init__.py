"""Watchdogs of a live host: whether its packets are plausible, continuous and in time."""
