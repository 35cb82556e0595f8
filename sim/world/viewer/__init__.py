"""A live window of a world, in a process of its own: who simulates never loads what draws.

It runs as ``python -m sim.world.viewer`` and is spoken to as `sim.world.viewer.wire` says.
"""
