"""Compile every kernel before a run, so that nothing compiles inside a cycle.

Numba keeps the result beside the code (or in the user's cache folder), so this takes long only
once after an installation.
"""

import platform6dof.warm

import drives.cylinder
import hil.motion.warm
import platform6dof.warm


def warm() -> None:
    """Compile, or load from the cache, all kernels that a run calls."""
    platform6dof.warm.warm()
    drives.cylinder.warm()
    hil.motion.warm.warm()
