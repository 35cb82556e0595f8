"""Compiling the kernels of all motions before a run."""

from hil.motion import law, moves, piecewise


def warm() -> None:
    """Compile them, or load them from the cache."""
    for module in (law, piecewise, moves):
        module.warm()
