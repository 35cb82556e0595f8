"""One cycle of the platform: control, gate, drives, journal."""
