"""Mathematics of a six-legged motion platform: pure functions, no clock, no file, no I/O."""
