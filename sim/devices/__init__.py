"""Emulated devices: six drives with their rods behind a real wire, independent of the drivers."""
