"""Accuracy of a machine: from errors of its parts to errors of the pose, and back to tolerances."""
