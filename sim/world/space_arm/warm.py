"""Compile the kernels of the space arm before a run; machine code is kept on disk for the next."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sim.world.space_arm.arm import Arm
from sim.world.space_arm.drive import DriveModel
from sim.world.space_arm.integrators import Integrator, Sdirk4
from sim.world.space_arm.integrators_1993 import Euler1993, Rk4
from sim.world.space_arm.kernels.dynamics import gravity_torque, inverse_torque, make_scratch
from sim.world.space_arm.programmed_rates import ProgrammedRates, TwistFrame
from sim.world.space_arm.simulator import SpaceArm, levers_m

SHORT_S = 1e-3


def warm(
    arm: Arm,
    q_rad: Sequence[float] | NDArray[np.float64],
    *,
    classic: bool = False,
    fine: bool = False,
) -> None:
    """Run once, with the array types of a run, every kernel that a run calls.

    Args:
        arm: the arm; what is compiled serves all of six revolute joints, or all others.
        q_rad: angles within its limits [rad], shape (n,).
        classic: the integrators for comparison and the inverse dynamics, too.
        fine: the one for ``accuracy = "fine"``, too.
    """
    at_rest = np.zeros(arm.joints)
    integrators: list[Integrator | None] = [None]
    if classic:
        integrators += [Rk4(SHORT_S), Euler1993(SHORT_S)]
        q, scratch, out = np.array(q_rad, dtype=np.float64), make_scratch(), at_rest.copy()
        gravity_torque(arm.arrays(), q, scratch, out)
        inverse_torque(arm.arrays(), q, at_rest, at_rest, scratch, out)
    if fine:
        integrators.append(Sdirk4(levers_m(arm)))
    for integrator in integrators:
        SpaceArm(arm, DriveModel.D, q_rad, integrator=integrator).advance(at_rest, SHORT_S)
    rates = ProgrammedRates(arm)
    rates.rates(np.array(q_rad), np.zeros(6), TwistFrame.BASE)
    rates.stop(np.array(q_rad))
