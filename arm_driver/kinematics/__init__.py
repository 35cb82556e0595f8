"""Kinematics of a robot of the PUMA 560's class, and what its paths must keep."""
