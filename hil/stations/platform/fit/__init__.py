"""Changes that make a motion fit a rig that refuses it: found by search, decided by the proof."""
