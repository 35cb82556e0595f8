"""Compile every kernel before a run, so that nothing compiles inside a cycle.

Numba keeps the result beside the code (or in the user's cache folder), so this takes long only
once after an installation.
"""

from drives.sim import cylinder
from hil.stations.platform.motion import kernels, moves
from hil.terminal.console import waiting
from platform6dof import warm as mathematics


def warm() -> None:
    """Compile, or load from the cache, all kernels that a run of a platform calls."""
    mathematics.warm()
    cylinder.warm()
    kernels.warm()
    moves.warm()


def warm_and_say(*, quiet: bool) -> None:
    """Compile the platform's kernels with a notice to the user: the first time takes a while."""
    words = "preparing kernels (the first run compiles them, about half a minute)"
    with waiting(words, quiet=quiet):
        warm()
