"""Scenes as documents: what a world holds besides robots, and where robots stand in it.

No engine is needed here.
"""
