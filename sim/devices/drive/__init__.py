"""Emulated CiA 402 drives with their rods, on no bus yet."""
