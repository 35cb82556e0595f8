"""Two integrators for a reference, independent or one coarser than the other by a known factor.

The distance of their two paths says how far the reference can be trusted.
"""

from dataclasses import replace
from typing import Final

from sim.world.space_arm.arm import Arm
from sim.world.space_arm.drive import DriveEffects
from sim.world.space_arm.integrators import Accuracy, Integrator, Sdirk2, Sdirk4
from sim.world.space_arm.simulator import levers_m

BLOWS_STEP_S: Final = 2.5e-5
"""Fixed step of SDIRK2 for references with rigid gaps [s]."""
REFERENCE_TOLERANCE_M: Final = 1e-12
"""Tolerance of SDIRK4 for references with elastic gears [m]: an error grows from bounce to bounce,
so it has to be far smaller at first than what is judged at last."""
RIGID_TOLERANCE_M: Final = 1e-10
"""Tolerance of SDIRK4 for references with rigid gears without play [m]."""


def reference_pair(arm: Arm, effects: DriveEffects) -> tuple[Integrator, Integrator]:
    """Make the integrators of a reference, and of what it is compared with.

    Rigid gears: SDIRK4 and the usual SDIRK2, which share the stages alone. Elastic gears: SDIRK4 at
    two tolerances. Rigid gears with play: SDIRK2, which ends steps at each blow, by two steps.
    """
    levers, fine = levers_m(arm), Accuracy.fine()
    if effects.elasticity:
        best = replace(fine, tolerance_m=REFERENCE_TOLERANCE_M)
        other = replace(fine, tolerance_m=10.0 * REFERENCE_TOLERANCE_M)
        return Sdirk4(levers, best), Sdirk4(levers, other)
    if effects.backlash:
        steps = Accuracy.fixed(BLOWS_STEP_S), Accuracy.fixed(2.0 * BLOWS_STEP_S)
        return Sdirk2(levers, steps[0]), Sdirk2(levers, steps[1])
    rigid = replace(fine, tolerance_m=RIGID_TOLERANCE_M)
    return Sdirk4(levers, rigid), Sdirk2(levers)
