"""A robot of a world behind its gate: the only way to its drives."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from safety.robot_gate import RobotGate
from safety.robot_limits import (
    RobotAction,
    RobotAxis,
    RobotFound,
    RobotLimits,
    RobotSetpoint,
    RobotVerdict,
    RobotViolation,
)
from sim.world.control.laws import JointMotion
from sim.world.robots.model import JointType

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from safety.robot_gate import RobotGateState
    from sim.world.control.laws import DriveLaw
    from sim.world.engine.dynamics import RobotDynamics
    from sim.world.engine.world import WorldRobot
    from sim.world.robots.model import Robot

Array = NDArray[np.float64]

STOP_RAD_S2: Final = 10.0
"""Deceleration of a controlled stop of a hinge without a bound of its own."""
STOP_M_S2: Final = 2.0
"""Likewise of a slide."""


class GatedRobot:
    """Gate, law and drives in one: a setpoint goes in, and what the gate allows is followed.

    Args:
        robot: its drives are claimed; nobody else can command them any more.
        law: makes their commands of what is allowed.
        tool: measures the place of the tool in the base [m]; for a box to keep.
        touching: tells which pairs of its own bodies touch; for a robot whose may not.
    """

    def __init__(
        self,
        robot: WorldRobot,
        dynamics: RobotDynamics,
        law: DriveLaw,
        limits: RobotLimits,
        tool: Callable[[], tuple[float, ...]] = tuple,
        touching: Callable[[], tuple[str, ...]] = tuple,
    ) -> None:
        self._robot, self._dynamics, self._law = robot, dynamics, law
        self._tool, self._touching = tool, touching
        self._command = robot.claim()
        self._gate = RobotGate(limits)
        self.commanded: Array = np.zeros(len(limits.axes))
        """What the drives were told last, shape (drives,)."""

    @property
    def action(self) -> RobotAction:
        """What its gate did last."""
        return self._gate.action

    def found(self) -> RobotFound:
        """What is measured of it."""
        robot = self._robot
        return RobotFound(
            tuple(robot.positions().tolist()),
            tuple(robot.speeds().tolist()),
            tuple(robot.efforts().tolist()),
            self._tool(),
            self._touching(),
        )

    def reset(self) -> tuple[RobotViolation, ...]:
        """Agree upon where it stands as a start; why not, if the gate stays shut."""
        self._law.restart()
        return self._gate.reset(self.found())

    def step(self, asked: RobotSetpoint | None, found: RobotFound, stop: str = "") -> RobotVerdict:
        """Judge a setpoint, and command what is allowed; zeros if nothing is.

        Args:
            found: what was measured last.
            stop: why a stop is asked for; empty if it is not.
        """
        verdict = self._gate.step(asked, found, stop=stop)
        allowed = verdict.allowed
        if allowed is None:
            self.commanded = np.zeros(len(self.commanded))
        else:
            wanted = JointMotion(*(np.array(values) for values in allowed))
            positions, speeds = self._robot.positions(), self._robot.speeds()
            needed = self._needed(wanted.accelerations)
            measured = JointMotion(positions, speeds, wanted.accelerations)
            self.commanded = self._law.command(wanted, measured, needed)
        self._command(self.commanded)
        return verdict

    @property
    def law(self) -> DriveLaw:
        """That makes its commands."""
        return self._law

    def state(self) -> RobotGateState:
        """All that its gate remembers."""
        return self._gate.state()

    def resume(self, state: RobotGateState, integrals: Array, commanded: Array) -> None:
        """Go on with what another of as many drives remembers.

        Raises:
            ValueError: if it does not fit.
        """
        self._gate.resume(state)
        self._law.carry(integrals)
        self.commanded = commanded.copy()

    def carry_over(self, old: GatedRobot, columns: Sequence[int]) -> None:
        """Go on from before an edit of the robot, which is where it goes on already.

        Args:
            columns: place of each drive among those of the old one; -1 for one that begins, where
                it is, at rest and without an integral.
        """
        before, at = old.state(), self._robot.positions().tolist()
        still = [0.0] * len(columns)

        def picked(values: Sequence[float], fresh: list[float]) -> tuple[float, ...]:
            if not len(values):
                return ()
            return tuple(
                float(values[column]) if column >= 0 else one
                for column, one in zip(columns, fresh, strict=True)
            )

        state = replace(
            before,
            positions=picked(before.positions, at),
            speeds=picked(before.speeds, still),
            braking=picked(before.braking, still),
        )
        integrals = np.array(picked(old.law.integrals.tolist(), still))
        self.resume(state, integrals, np.array(picked(old.commanded.tolist(), still)))

    def _needed(self, accelerations: Array) -> Array:
        match self._law.law:
            case "computed":
                return self._dynamics.moving(accelerations)
            case "gravity":
                return self._dynamics.holding()
            case _:
                return np.zeros(len(accelerations))


def robot_limits(
    robot: Robot, period_s: float, following_rad: float, following_m: float
) -> RobotLimits:
    """What a robot's gate holds: joint limits of its document, and the bounds of its machine."""
    joints = {joint.number: joint for joint in robot.joints}
    bounds = {one.joint: one for one in robot.machine.joints} if robot.machine is not None else {}
    axes: list[RobotAxis] = []
    for drive in robot.drives:
        joint, bound = joints[drive.joint], bounds.get(drive.joint)
        slides = joint.type is JointType.SLIDE
        least, greatest = joint.limits[0] if joint.limits else (-math.inf, math.inf)
        acceleration = None if bound is None else bound.acceleration
        axes.append(
            RobotAxis(
                f"joint {joint.number}", "m" if slides else "rad", least, greatest,
                acceleration or (STOP_M_S2 if slides else STOP_RAD_S2),
                following_m if slides else following_rad,
                None if bound is None else bound.speed, acceleration,
                None if bound is None else bound.effort,
            )
        )  # fmt: skip
    box = None if robot.machine is None else robot.machine.box_m
    return RobotLimits(robot.name or "robot", tuple(axes), period_s, box)
