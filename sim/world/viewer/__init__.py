"""A live window of a world, in a process of its own: simulating processes load no drawing.

It runs as ``python -m sim.world.viewer``, with the protocol of `sim.world.viewer.wire`.
"""
