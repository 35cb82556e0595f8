"""Live hosts: packets of simulators, decoded, watched and brought to the loop's rate."""
