"""Scenes as documents: the contents of a world besides robots, and the robots' places in it.

No engine is needed here.
"""
