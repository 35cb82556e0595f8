"""Watchdogs of a live host: plausibility, continuity and timing of its packets."""
