"""Recorded rides and cueing tests through the whole chain: score, comparison, tuning."""
