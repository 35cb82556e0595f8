"""Robot of a world behind its gate: the only path to its drives."""

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
from sim.world.control.laws import (
    CommandedEfforts,
    Gains,
    JointLaw,
    JointMotion,
    Law,
)
from sim.world.robots.model import JointType

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from safety.robot_gate import RobotGateState
    from sim.world.control.laws import DriveLaw
    from sim.world.engine.dynamics import RobotDynamics
    from sim.world.engine.world import WorldRobot
    from sim.world.robots.model import Robot

Array = NDArray[np.float64]

STOP_RAD_S2: Final = 10.0
"""Deceleration of a controlled stop of a hinge without a bound of its own [rad/s²]."""
STOP_M_S2: Final = 2.0
"""Deceleration of a controlled stop of a slide without a bound of its own [m/s²]."""


STOP_BANDWIDTH_RAD_S: Final = 30.0
"""Bandwidth of the gate's own law [rad/s], for all robots alike."""


class GatedRobot:
    """Gate, laws and drives in one: it takes setpoints, and follows what the gate allows.

    The user's law follows what has passed, and nothing else. From the cycle in which a stop begins
    a law of the gate's own leads: damped, with gains of the document alone, its efforts within the
    machine's bounds; no parameter that can be changed while the robot runs is in it.

    Args:
        robot: robot whose drives it claims; nobody else can command them any more.
        law: user's law, which computes the commands.
        tool: measures the place of the tool in the base [m], for a box to keep.
        touching: names the pairs of its own bodies that touch, for a robot whose may not.
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
        self._robot, self._dynamics = robot, dynamics
        self.law: Final = law
        """User's law, which computes the commands."""
        self._tool, self._touching = tool, touching
        self._command = robot.claim()
        self._gate = RobotGate(limits)
        bounds = [axis.effort for axis in limits.axes]
        self._bounded = any(bound is not None for bound in bounds)
        control = robot.drives[0].control
        self._commanded_efforts = CommandedEfforts(robot.drives, control)
        self._own_law = JointLaw(
            robot.drives, control, "computed",
            Gains.damped(dynamics.inertias(), STOP_BANDWIDTH_RAD_S), limits.period_s,
            np.array([math.inf if bound is None else bound for bound in bounds]),
        )  # fmt: skip
        self.commanded: Array = np.zeros(len(limits.axes))
        """Last commands of the drives, shape (drives,)."""

    @property
    def action(self) -> RobotAction:
        """Last action of the gate."""
        return self._gate.action

    @property
    def limits(self) -> RobotLimits:
        """Limits of the gate."""
        return self._gate.limits

    def found(self) -> RobotFound:
        """Measured state of the robot."""
        positions, speeds, efforts = self._robot.measured()
        return RobotFound(
            tuple(positions.tolist()),
            tuple(speeds.tolist()),
            tuple(efforts.tolist()),
            self._tool(),
            self._touching(),
        )

    def reset(self) -> tuple[RobotViolation, ...]:
        """Begin from the measured state; returns why not, if the gate stays shut."""
        self.law.restart()
        return self._gate.reset(self.found())

    def step(self, asked: RobotSetpoint | None, found: RobotFound, stop: str = "") -> RobotVerdict:
        """Judge a setpoint, and command what is allowed; zeros if nothing is.

        Args:
            found: last measured state.
            stop: reason of a requested stop; empty without request.
        """
        verdict = self._gate.step(asked, found, stop=stop)
        if verdict.action is RobotAction.PASSED and verdict.allowed is not None:
            self.commanded = self._followed(verdict.allowed, self.law)
            verdict = self._judge_efforts(found) or verdict
        if verdict.allowed is None:
            self.commanded = np.zeros(len(self.commanded))
        elif verdict.action is not RobotAction.PASSED:
            self.commanded = self._followed(verdict.allowed, self._own_law)
        self._command(self.commanded)
        return verdict

    def _followed(self, allowed: RobotSetpoint, law: DriveLaw) -> Array:
        """Commands of a law for the drives."""
        rows = np.array(allowed)
        wanted = JointMotion(rows[0], rows[1], rows[2])
        positions, speeds, _ = self._robot.measured()
        measured = JointMotion(positions, speeds, wanted.accelerations)
        needs, moves = law.law, any(allowed.accelerations)
        commands = law.command(wanted, measured, self._model_efforts(needs, wanted, moves=moves))
        if law.law != needs:  # the law has given up in this tick, and another one takes over
            efforts = self._model_efforts(law.law, wanted, moves=moves)
            commands = law.command(wanted, measured, efforts)
        return commands

    def _model_efforts(self, needs: Law, wanted: JointMotion, *, moves: bool) -> Array:
        """Efforts of the robot's model as far as a law needs them, shape (drives,).

        Args:
            moves: whether an acceleration is wanted of some joint.
        """
        match needs:
            case "computed" if moves:
                return self._dynamics.moving(wanted.accelerations)
            case "computed" | "gravity":
                return self._dynamics.holding()
            case _:
                return np.zeros(len(wanted.positions))

    def _judge_efforts(self, found: RobotFound) -> RobotVerdict | None:
        """Judgement of the efforts that the user's law asks for, before a drive applies them."""
        if not self._bounded:
            return None
        efforts = self._commanded_efforts.of(self.commanded, self._robot.speeds())
        return self._gate.judge_efforts(efforts.tolist(), found)

    def state(self) -> RobotGateState:
        """State of the gate."""
        return self._gate.state()

    def resume(self, state: RobotGateState, integrals: Array, commanded: Array) -> None:
        """Continue from the state of another gate of as many drives.

        Raises:
            ValueError: if it does not fit.
        """
        self._gate.resume(state)
        self.law.carry(integrals)
        self.commanded = commanded.copy()

    def carry_over(self, old: GatedRobot, columns: Sequence[int]) -> None:
        """Continue from before an edit of the robot, whose state has been carried over already.

        Args:
            columns: place of each drive among those of the old one; -1 for a new one, which begins
                    where it is, at rest and without an integral.
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
            lags=picked(before.lags, still),
        )
        integrals = np.array(picked(old.law.integrals.tolist(), still))
        self.resume(state, integrals, np.array(picked(old.commanded.tolist(), still)))


def robot_limits(
    robot: Robot, period_s: float, following_rad: float, following_m: float,
    free: Collection[int] = (),
) -> RobotLimits:  # fmt: skip
    """Limits of a robot's gate: joint limits of its document, and the bounds of its machine.

    Args:
        free: numbers of the joints whose places nobody asks for.
    """
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
                None if bound is None else bound.effort, joint.number in free,
            )
        )  # fmt: skip
    machine = robot.machine
    box_m, own_bodies = (None, False) if machine is None else (machine.box_m, machine.own_bodies)
    return RobotLimits(robot.name or "robot", tuple(axes), period_s, box_m, own_bodies)
