"""Live hosts: what simulators send, decoded, watched and brought to the loop's rate."""
