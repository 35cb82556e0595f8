"""Live sources: hosts, recordings, models."""
