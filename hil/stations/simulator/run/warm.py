"""Compilation of every kernel of a ride before it begins, so that nothing compiles in a cycle."""

import numpy as np

from hil.stations.platform.cycle.kernel_warmup import warm_and_say
from hil.stations.simulator.chain import head
from platform6dof.cueing import adaptive_kernels, course, governor, kernels, slopes
from platform6dof.cueing import angle_signs as turns
from platform6dof.cueing.head_motion import felt
from platform6dof.pose import PlatformSetpoint


def warm_ride(*, quiet: bool) -> None:
    """Compile, or load from the cache, all that a cycle of a ride calls; a word to the user."""
    warm_and_say(quiet=quiet)
    for module in (kernels, adaptive_kernels, head, governor, slopes, course, turns):
        module.warm()
    for writeable in (True, False):  # what a filter gave, and what the governor did
        rows = np.zeros((1, 3, 6))
        rows.setflags(write=writeable)
        felt(rows)
        PlatformSetpoint.from_rows(rows[0])
