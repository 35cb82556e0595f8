"""Compiling the kernels of all motions before a run."""

from hil.stations.platform.motion import kernels, moves


def warm() -> None:
    """Compile them, or load them from the cache."""
    kernels.warm()
    moves.warm()
