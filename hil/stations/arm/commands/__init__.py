"""Verbs of the robot."""
