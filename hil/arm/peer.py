"""RK4 at its largest stable step: what an explicit method costs on the same motion."""

from typing import NamedTuple

from hil.arm.compare import Case, Clock, Reference, Run, deviation, follow, least_times
from sim.world.space_arm.classic import Rk4
from sim.world.space_arm.simulator import TICK_S

STABLE_MM = 10.0
"""A run that stays this near its reference is stable; one that is not leaves it by metres."""
STEPS_LEAST, STEPS_MOST = 8, 1 << 13
"""Of a tick: steps of 44 ms to 43 us are tried."""
CLOSE = 1.05
"""The step is found to within this factor."""
REPEATS = 3


class Peer(NamedTuple):
    """RK4 at its largest stable step.

    Args:
        step_s: that step [s].
        rtf: simulated time over the time that integration took.
        error_max_mm: how far it is from the reference at most.
    """

    step_s: float
    rtf: float
    error_max_mm: float


def rk4_peer(case: Case, wanted: Reference, clock: Clock) -> Peer | None:
    """Find RK4's largest stable step on a motion, and time it.

    Args:
        case: what is simulated.
        wanted: its reference.
        clock: for the times [s].

    Returns:
        None if RK4 is stable at no step that is tried, or takes no time by this clock.
    """
    steps = _fewest_steps(case, wanted)
    if steps is None:
        return None
    run = least_times(case, Rk4(TICK_S / steps), clock, REPEATS)
    took_s = float(run.integration_s.sum())
    if took_s <= 0.0:
        return None
    return Peer(TICK_S / steps, case.motion.duration_s / took_s, _error_mm(run, wanted))


def _fewest_steps(case: Case, wanted: Reference) -> int | None:
    """Steps of a tick at which RK4 is just stable: doubled until it is, then narrowed down."""

    def stable(steps: int) -> bool:
        run = follow(case, Rk4(TICK_S / steps))
        return not run.failed and _error_mm(run, wanted) <= STABLE_MM

    enough = STEPS_LEAST
    while not stable(enough):
        enough *= 2
        if enough > STEPS_MOST:
            return None
    few = enough // 2
    while enough > STEPS_LEAST and enough > CLOSE * few + 1:
        middle = (few + enough) // 2
        if stable(middle):
            enough = middle
        else:
            few = middle
    return enough


def _error_mm(run: Run, wanted: Reference) -> float:
    return float(deviation(run.path, wanted.path).position_mm.max())
