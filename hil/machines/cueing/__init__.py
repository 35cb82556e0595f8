"""Cueing presets and maps of recorded rides."""
