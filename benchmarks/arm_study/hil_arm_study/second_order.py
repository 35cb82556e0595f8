"""How far drives of second order are from those with inductance, by the time constant L / R.

The thesis takes a drive of second order, without the motor's inductance, for enough. Here model b
is compared with model f over slow motions, for windings from quick to slow.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hil.stations.arm.commands.space_arms import Load
from hil_arm_study.compare import SimulatedCase, deviation, follow
from hil_arm_study.motions import StudyMotion
from sim.world.space_arm.arm import Arm
from sim.world.space_arm.drive import DriveModel
from sim.world.space_arm.integrators import Accuracy, Sdirk2
from sim.world.space_arm.simulator import levers_m

TIME_CONSTANTS_S = (5e-4, 1e-3, 2e-3, 4e-3, 8e-3, 1.6e-2)
TOLERANCE_M = 1e-8
"""Error of a step of both models, far below what they differ by."""


@dataclass(frozen=True, slots=True)
class SecondOrderError:
    """What leaving the inductance out costs, over all motions."""

    load: Load
    """The payload."""
    time_constant_s: float
    """Electrical time constant of all motors [s]."""
    largest_mm: float
    """Largest distance of the grippers of models b and f at a tick."""
    median_mm: float
    """Median of the same."""


def with_time_constant(arm: Arm, time_constant_s: float) -> Arm:
    """Give all windings of an arm one time constant L / R [s]."""
    drives = (replace(d, inductance_h=time_constant_s * d.resistance_ohm) for d in arm.drives)
    return replace(arm, drives=tuple(drives))


def own_time_constants_s(arm: Arm) -> tuple[float, ...]:
    """Time constants of the arm's own windings, from the base [s]; none if one is not given."""
    known = [d.inductance_h / d.resistance_ohm for d in arm.drives if d.inductance_h is not None]
    return tuple(known) if len(known) == len(arm.drives) else ()


def second_order_errors(
    arm: Arm,
    loads: Sequence[Load],
    motions: Sequence[StudyMotion],
    time_constants_s: Sequence[float] = TIME_CONSTANTS_S,
    tell: Callable[[], object] = lambda: None,
) -> list[SecondOrderError]:
    """Compare models b and f, load by load and time constant by time constant.

    Args:
        arm: the arm, without payload; its own inductance is of no meaning.
        tell: called after each of them.
    """
    found = []
    accuracy = Accuracy(tolerance_m=TOLERANCE_M)
    for load in loads:
        integrator = Sdirk2(levers_m(arm), accuracy)
        plain = [
            follow(SimulatedCase(arm, load.body, DriveModel.B, one), integrator) for one in motions
        ]
        for time_constant_s in time_constants_s:
            wound = with_time_constant(arm, time_constant_s)
            off = [
                deviation(
                    without.path,
                    follow(SimulatedCase(wound, load.body, DriveModel.F, one), integrator).path,
                ).position_mm
                for one, without in zip(motions, plain, strict=True)
            ]
            whole = np.concatenate(off)
            found.append(
                SecondOrderError(load, time_constant_s, float(whole.max()), float(np.median(whole)))
            )
            tell()
    return found
