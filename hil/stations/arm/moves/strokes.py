"""Strokes for the identification of a controller, proved before the first of them.

The robot moves to and fro about its place, along each axis of its base and about its gripper's own,
at up to its limits of speed and turn. Let go, it rests at its next waypoint.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.spatial.transform import Rotation

from arm_driver.contour.stream import UNMEASURED
from arm_driver.fit.strokes import AXES, plan_strokes
from arm_driver.kinematics.puma import Joints, forward
from hil.config.errors import RefusedError
from hil.machines.robot.settings import RobotSettings
from hil.stations.arm.cycle.judge import RobotJudge
from hil.stations.arm.cycle.step import MotionPhase, RobotStep
from hil.stations.arm.cycle.waypoint_gate import WaypointGate
from hil.stations.arm.moves.move_operators import AlwaysHeld, Hand
from hil.stations.arm.moves.station import RobotStation
from hil_common.arrays.pose import Pose
from sim.world.space_arm.simulator import TICK_S

SHARE: Final = 0.9
"""Part of the robot's limits of speed and turn rate that the fastest strokes use: they begin with
it, when the robot's period is known from two of them."""
STAYS: Final = UNMEASURED + 1
"""Waypoints at the beginning of a stroke at which the robot stays, and its period is measured."""
TURN_MOST_RAD: Final = np.radians(10.0)
"""Largest turn between two waypoints."""
ANY_DELAY_S: Final = (0.05, 2.0)
"""Delays of the controllers that can be met [s]."""


@dataclass(frozen=True, slots=True, eq=False)
class ProvedStroke:
    """One stroke that passed the gate."""

    axis: str
    """One of `arm_driver.fit.strokes.AXES`."""
    start: Joints
    """The robot's joints at its beginning."""
    poses: tuple[Pose, ...]
    """X_RT at its beginning and at each waypoint."""

    def station(
        self, robot: RobotSettings, hand: Hand, gate: WaypointGate | None = None
    ) -> RobotStation:
        """Make control of the robot along it; with a gate of its own, or a given one."""
        judge = RobotJudge.at(robot, np.array(self.start.q_rad), gate)
        return RobotStation(robot, judge, StrokeMover(self.poses), hand)


class StrokeMover:
    """Mover that rests a while, then goes from waypoint to waypoint while it is held."""

    note = ""

    def __init__(self, poses: tuple[Pose, ...]) -> None:
        self._poses, self._at, self._moving = poses, 0, False
        self._stays = STAYS

    @property
    def share(self) -> float:
        """Pace, 0 (at rest) or 1."""
        return 1.0 if self._moving else 0.0

    @property
    def at_rest(self) -> bool:
        """Whether the next waypoint repeats the last, unless it is held."""
        return not self._moving

    @property
    def done(self) -> bool:
        """Whether it has arrived."""
        return self._at == len(self._poses) - 1

    def next(self, *, held: bool) -> Pose:
        """Return X_RT a period later."""
        self._moving = held and not self.done and not self._stays
        self._stays = max(self._stays - held, 0)
        self._at += self._moving
        return self._poses[self._at]


def with_any_delay(robot: RobotSettings) -> RobotSettings:
    """Return the robot with a window of the delay that excludes no delay to be identified.

    Where each stroke ends is held as narrowly as ever.
    """
    watched = robot.supervision.model_copy(update={"delay_s": ANY_DELAY_S})
    return robot.model_copy(update={"supervision": watched})


def prove_strokes(robot: RobotSettings, start: Joints) -> tuple[ProvedStroke, ...]:
    """Prove all strokes, from where the robot is and back there, through the gate.

    Let go at any waypoint and held again is proved as well.

    Raises:
        RefusedError: with axis, joint, value and limit; nothing has been sent.
    """
    step_m = SHARE * robot.gripper_speed_max_m_s * TICK_S
    turn_rad = min(SHARE * np.radians(robot.gripper_turn_max_deg_s) * TICK_S, TURN_MOST_RAD)
    found: list[ProvedStroke] = []
    now = start
    for axis in AXES:
        begin = forward(robot.geometry(), now.q_rad)
        offset = 0.0
        for steps, travel in plan_strokes(turn_rad if axis == "turn" else step_m):
            places = offset + travel * np.arange(steps + 1) / steps
            offset += travel
            stroke = ProvedStroke(axis, now, tuple(_moved(begin, axis, s) for s in places))
            reached = now
            for let_go_at in range(steps):
                at = let_go_at and STAYS + let_go_at
                reached = _judged(robot, stroke, at, offset)
            found.append(stroke)
            now = reached
    return tuple(found)


def _judged(robot: RobotSettings, stroke: ProvedStroke, let_go_at: int, offset: float) -> Joints:
    """Play a stroke out, let go for a waypoint (0: never), and return the joints at its end."""
    hand = _LetsGo(let_go_at)
    station = stroke.station(robot, hand)
    step: RobotStep | None = None
    while station.course is MotionPhase.FOLLOWING:
        step = station.step()
        hand.steps += 1
        if step.violations:
            problem = "\n".join(map(str, step.violations))
            away = f"{np.degrees(offset):.0f} deg" if stroke.axis == "turn" else (
                f"{1e3 * offset:.0f} mm"
            )  # fmt: skip
            raise RefusedError(
                f"the stroke along {stroke.axis} to {away} from where the robot stands was "
                f"refused, nothing has been sent:\n{problem}\nit needs more room: hil arm goto"
            )
    if step is None or step.joints is None:
        raise AssertionError("a stroke has waypoints")
    return step.joints


class _LetsGo(AlwaysHeld):
    def __init__(self, at: int) -> None:
        self.at, self.steps = at, 0

    @property
    def held(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Whether it holds now."""
        return self.steps != self.at or self.at == 0


def _moved(pose: Pose, axis: str, travel: float) -> Pose:
    if axis == "turn":
        return Pose(pose.position_m, pose.rotation @ Rotation.from_euler("z", travel).as_matrix())
    shift = travel * np.eye(3)[AXES.index(axis)]
    return Pose(pose.position_m + shift, pose.rotation)
