"""Stability of a robot's drives in the engine's steps: gains that an integrator cannot follow.

A drive of gain k on an inertia I has the rate k / I. RK4 follows it while ``h k / I < 2.785``. The
implicit step follows any, but a drive whose effort is limited has no gain at its limit: from there
a step changes the speed by ``h F / I``, and beyond ``2 F / k`` it lands at the other limit, and
chatters for ever.
"""

from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from sim.world.engine.world import World, WorldRobot

RK4_RATE_MAX: Final = 2.785
"""End of the stability interval of the classical Runge-Kutta method on the negative real axis."""
CHATTER_RATE_MAX: Final = 2.0
"""Greatest ``k / I`` times the step for a drive with limited effort in the implicit step."""


@dataclass(frozen=True, slots=True)
class UnstableDrive:
    """Drive that the engine's step cannot follow."""

    joint: int
    """Joint of the drive."""
    gain: float
    """Effort per speed [N m s/rad] or [N s/m]."""
    inertia: float
    """Least inertia that it moves where the robot starts [kg m2] or [kg]."""
    step_s: float
    """Step of the engine."""
    step_max_s: float
    """Greatest step that works."""

    def __str__(self) -> str:
        """Format as one line."""
        return (
            f"drive of joint {self.joint}: gain {self.gain:g} on an inertia of "
            f"{self.inertia:.4g} is unstable at a step of {1e3 * self.step_s:g} ms; a step of at "
            f"most {1e3 * self.step_max_s:.3g} ms, a smaller gain or a larger armature works"
        )


def unstable_drives(
    world: World, robot: WorldRobot, integrator: Literal["implicitfast", "RK4"]
) -> list[UnstableDrive]:
    """List speed and voltage drives that this step cannot follow, by their inertia at the start."""
    inertias = _least_inertias(world, robot)
    found: list[UnstableDrive] = []
    for drive, inertia in zip(robot.drives, inertias.tolist(), strict=True):
        if drive.control == "torque":
            continue
        gain, most = drive.speed_gain or 0.0, CHATTER_RATE_MAX
        if drive.control == "voltage":
            gain, most = drive.effort_max / (drive.speed_max or np.inf), np.inf
        if integrator == "RK4":
            most = RK4_RATE_MAX
        step_max_s = most * inertia / gain if gain > 0.0 else np.inf
        if world.step_s > step_max_s:
            found.append(UnstableDrive(drive.joint, gain, inertia, world.step_s, step_max_s))
    return found


def _least_inertias(world: World, robot: WorldRobot) -> NDArray[np.float64]:
    """Inertia ``1 / (M⁻¹)_ii`` that a drive moves while all others yield, shape (drives,)."""
    driven: Any = robot._freedoms  # noqa: SLF001  # two parts of one thing
    return np.asarray(1.0 / np.diag(np.linalg.inv(world.mass_matrix()))[driven], np.float64)
