"""Jogging: the robot moves along one axis while its key is held, or by one step at a press.

Before a waypoint is offered it is proved that the robot can stop after it: the waypoint and all of
the ramp-down from there go through the gate of the session, on trial. If they do not, the ramp-down
begins now: it was proved with the waypoint before. So towards a limit the robot comes to rest
before it, by less than a period's distance at the pace of its key, and can be jogged away.
"""

from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arm_driver.kinematics.geometry import PumaGeometry
from arm_driver.kinematics.puma import Joints, forward, jacobian
from hil.stations.arm.cycle.judge import RobotJudge
from hil.stations.arm.cycle.stream import Streamed
from hil.stations.arm.moves.laws import LEVELS, PART, RAMP_S, PathMover, RestToRest
from hil.stations.arm.moves.move_operators import KeyJogOperator
from hil.stations.arm.moves.paths import Axes, Ray
from hil.stations.arm.moves.session import RobotSession
from hil.stations.arm.moves.station import RobotStation
from hil_common.arrays.pose import Pose
from safety.arm_limits import ArmLimits, ArmViolation
from sim.world.space_arm.simulator import TICK_S

Array = NDArray[np.float64]


STEP_MOST: Final = 20.0
"""A step is made without being held, so it is a short one [mm, deg]."""


class JogMover:
    """Moves along the axis of a key; it ends when its operator says so.

    Args:
        judge: of the session; it is asked on trial.
        part: of the robot's limits of speed, turn and joint rates that may be used, up to 1.
        step: distance [m] and turn [rad] of one press; None to move while a key is held.
    """

    done = False

    def __init__(
        self,
        geometry: PumaGeometry,
        limits: ArmLimits,
        judge: RobotJudge,
        stop_request: KeyJogOperator,
        axes: Axes,
        part: float,
        step: tuple[float, float] | None = None,
    ) -> None:
        self._geometry, self._limits, self._judge = geometry, limits, judge
        self._operator, self._axes, self._part, self._step = stop_request, axes, part, step
        self._pose = forward(geometry, judge.joints.q_rad)
        self._ray: Ray | None = None
        self._rate = self._traveled = 0.0
        self._level = 0
        self._blocked: tuple[int, float] | None = None
        self._one: PathMover | None = None
        self.note = ""

    @property
    def share(self) -> float:
        """Pace of the robot, 0 (at rest) to 1."""
        return self._level / LEVELS if self._one is None else self._one.share

    @property
    def at_rest(self) -> bool:
        """Whether the next waypoint repeats the last, unless something is wanted."""
        return self._level == 0 and (self._one is None or self._one.at_rest)

    def next(self, *, held: bool) -> Pose:
        """Return X_RT a period later."""
        self.note = ""
        self._pose = self._by_steps(held) if self._step is not None else self._by_holding(held)
        return self._pose

    def _by_holding(self, held: bool) -> Pose:
        wanted = self._operator.direction if held else None
        if wanted != self._blocked:
            self._blocked = None
        moving = None if self._ray is None else (self._ray.axis, self._ray.sign)
        if self._level == 0 and wanted is not None and self._blocked is None:
            self._begin(*wanted)
            moving = wanted
        if wanted is None or wanted != moving or self._blocked is not None:
            self._pace(max(self._level - 1, 0))
        else:
            self._go_on(wanted)
        return self._pose if self._ray is None else self._ray.pose(self._traveled)

    def _begin(self, axis: int, sign: float) -> None:
        if (
            self._ray is None
            or self._traveled > 0.0
            or (self._ray.axis, self._ray.sign) != (axis, sign)
        ):
            q_rad = np.array(self._judge.joints.q_rad)
            self._ray = Ray(self._geometry, self._axes, q_rad, axis, sign)
            self._rate, self._traveled = full_rate(self._ray, self._limits, self._part), 0.0

    def _go_on(self, wanted: tuple[int, float]) -> None:
        """Increase the pace, keep it, or slow down, whichever leaves space for a stop."""
        found: ArmViolation | None = None
        for level in dict.fromkeys((min(self._level + 1, LEVELS), max(self._level, 1))):
            refused = self._refusal(level)
            if refused is None:
                self._pace(level)
                return
            found = refused
        self._blocked = wanted
        name = "" if self._ray is None else self._ray.name
        self.note = f"{name}: no further, the robot rests before its limit: {found}"
        self._pace(max(self._level - 1, 0))

    def _refusal(self, level: int) -> ArmViolation | None:
        """Find why a waypoint at a pace, or the ramp-down after it, would not pass; or None."""
        if self._ray is None:
            return None
        trial, traveled = self._judge.trial(), self._traveled
        for pace in range(level, -1, -1):
            traveled += self._rate * TICK_S * pace / LEVELS
            judged = trial.judge(self._ray.pose(traveled))
            if judged.violations:
                return judged.violations[0]
        return None

    def _pace(self, level: int) -> None:
        self._level = level
        self._traveled += self._rate * TICK_S * level / LEVELS

    def _by_steps(self, held: bool) -> Pose:
        pressed = self._operator.take_press()
        if self._one is None and held and pressed is not None:
            self._begin_step(*pressed)
        if self._one is None:
            self._operator.busy(False)
            return self._pose
        pose = self._one.next(held=held and not self._operator.stopped)
        if self._one.done or (self._operator.stopped and self._one.at_rest):
            self._one = None
        self._operator.busy(self._one is not None)
        return pose

    def _begin_step(self, axis: int, sign: float) -> None:
        """Prove a step and begin it; one that does not pass is not begun."""
        ray = Ray(self._geometry, self._axes, np.array(self._judge.joints.q_rad), axis, sign)
        straight, turn = self._step or (0.0, 0.0)
        turns = self._axes is Axes.JOINT or axis >= 3
        length = turn if turns else straight
        law = RestToRest.at(0.5 * full_rate(ray, self._limits, self._part) / length)

        def step(s: float) -> Pose:
            return ray.pose(s * length)

        trial, mover = self._judge.trial(), PathMover(step, law)
        while not mover.done:
            judged = trial.judge(mover.next(held=True))
            if judged.violations:
                self.note = f"{ray.name}: the step is not made: {judged.violations[0]}"
                return
        self._one = PathMover(step, law)


def full_rate(ray: Ray, limits: ArmLimits, part: float) -> float:
    """Return the speed at which the robot is jogged along a ray [m/s, rad/s].

    Args:
        part: of its limits of speed, turn and joint rates that may be used, up to 1.
    """
    if ray.axes is not Axes.JOINT:
        speeds = limits.gripper_speed_max_m_s, limits.gripper_turn_max_rad_s
        return min(part, PART) * speeds[ray.axis // 3]
    column = jacobian(ray.geometry, ray.q_rad)[:, ray.axis]
    rate = min(
        part * PART * limits.rate_max_rad_s[ray.axis],
        PART * limits.acceleration_max_rad_s2[ray.axis] * RAMP_S,
        min(part, PART) * limits.gripper_turn_max_rad_s,
    )
    reach_m = float(np.linalg.norm(column[:3]))  # the gripper goes round the joint's axis
    fastest_m_s = min(part, PART) * limits.gripper_speed_max_m_s
    return min(rate, fastest_m_s / reach_m) if reach_m > 0.0 else rate


def run_jog(
    session: RobotSession,
    start: Joints,
    hand: KeyJogOperator,
    axes: Axes,
    part: float,
    out: Path,
    *,
    step: tuple[float, float] | None = None,
    shown_at: int | None = None,
) -> Streamed:
    """Jog the robot until its operator ends it, recorded.

    Args:
        step: distance [m] and turn [rad] of one press; None to move while a key is held.

    Raises:
        RefusedError: if the robot may not be moved from where it is.
    """
    robot = session.choice.robot
    arm = session.guard(np.array(start.q_rad))
    judge = RobotJudge.at(robot, np.array(start.q_rad), arm)
    mover = JogMover(robot.geometry(), robot.gate_limits(), judge, hand, axes, part, step)
    station = RobotStation(robot, judge, mover, hand)
    return session.run(
        arm, station, start, None, "jog", out,
        facts={"moves": f"the robot alone, jogged in {axes.value} axes"},
        shown_at=shown_at,
    )  # fmt: skip
