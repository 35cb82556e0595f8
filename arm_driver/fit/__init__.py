"""Fits of a controller's path: what it does with waypoints, and where they must be put."""
