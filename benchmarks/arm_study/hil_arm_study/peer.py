"""RK4 at its largest stable step: what an explicit method costs on the same motion."""

from typing import NamedTuple

from hil_arm_study.compare import Clock, SimulatedCase, least_times
from sim.world.space_arm.integrators_1993 import Rk4, largest_stable_step
from sim.world.space_arm.simulator import TICK_S

REPEATS = 3


class Peer(NamedTuple):
    """RK4 at its largest stable step."""

    step_s: float
    """That step [s]."""
    rtf: float
    """Simulated time over the time that integration took."""


def rk4_peer(case: SimulatedCase, clock: Clock) -> Peer | None:
    """Find RK4's largest stable step on a motion, and time it.

    Returns:
        None if RK4 is stable at no step that is tried, or takes no time by this clock.
    """
    arm = case.arm if case.payload is None else case.arm.with_payload(case.payload)
    try:
        step_s = largest_stable_step(
            arm.arrays(),
            case.arm.drive_table(case.model.effects),
            case.motion.q_start_rad,
            case.motion.commands_rad_s,
            tick_s=TICK_S,
        )
    except ValueError:
        return None
    took_s = float(least_times(case, Rk4(step_s), clock, REPEATS).integration_s.sum())
    return Peer(step_s, case.motion.duration_s / took_s) if took_s > 0.0 else None
