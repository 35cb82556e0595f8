"""Drives of a rig: made ready, proved, moved one by one, emulated."""
