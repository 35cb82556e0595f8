"""Compile every kernel before a run, so that nothing compiles inside a cycle.

Numba keeps the result beside the code (or in the user's cache folder), so this takes long only
once after an installation.
"""

import platform6dof.warm

import drives.simulated_bank
import hil.motion.law
import hil.motion.piecewise


def warm() -> None:
    """Compile, or load from the cache, all kernels that a run calls."""
    platform6dof.warm.warm()
    drives.simulated_bank.warm()
    hil.motion.piecewise.warm()
    hil.motion.law.warm()
