"""Before the first byte: a path with its law, and the whole of it through the robot's gate.

Played out once as it will be run, and once more at whole pace from places between: let go and held
again, the move comes by other places of the same path than it would have.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arm_driver.keeper import BranchKeeper
from arm_driver.path_report import PathFinding
from arm_driver.pose import Pose
from arm_driver.workspace import check_path
from hil.arm_moves.hands import AlwaysHeld, Hand
from hil.arm_moves.judge import RobotJudge
from hil.arm_moves.laws import (
    LEVELS,
    AsRecorded,
    Law,
    PathMover,
    RestToRest,
    fastest_share_per_s,
)
from hil.arm_moves.paths import Path, Shape
from hil.arm_moves.station import RobotStation
from hil.console import RefusedError
from hil.robot_settings import RobotSettings
from hil.stations.arm import play_out
from hil.stations.arm_step import RobotStep
from safety.arm_limits import ArmCheck
from sim.world.space_arm.simulator import TICK_S

Array = NDArray[np.float64]

STEPS_MAX: Final = 20_000
"""Longer moves are refused: two hours."""
SLOWER: Final = 0.8
"""Part of the speed that is tried next where the controller would round a corner too much."""
TRIES: Final = 12
AS_LONG: Final = 0.01
"""A recorded motion may last longer by this share, which whole periods ask for."""
STRETCH: Final = "--slower stretches its time until it fits"


@dataclass(frozen=True, slots=True, eq=False)
class ProvedMove:
    """A move that may begin.

    Args:
        robot: which.
        start_rad: its joints at the beginning [rad], shape (6,).
        path: where to.
        law: when, while it is held.
        steps: the whole of it, held from beginning to end.
    """

    robot: RobotSettings
    start_rad: Array
    path: Path
    law: Law
    steps: tuple[RobotStep, ...]

    @property
    def duration_s(self) -> float:
        """Held from beginning to end [s]."""
        return len(self.steps) * TICK_S

    def station(self, hand: Hand) -> RobotStation:
        """Control of the robot along the path, at its beginning, with a gate of its own."""
        return _station(self.robot, self.start_rad, PathMover(self.path, self.law), hand)

    def findings(self) -> tuple[PathFinding, ...]:
        """What it asks of the robot, the worst of each kind."""
        robot = self.robot
        poses = [self.path.pose(0.0), *(_place_of(step) for step in self.steps)]
        report = check_path(
            robot.geometry(), poses, TICK_S, self.start_rad, robot.path_limits(), arm=robot.name
        )
        return report.findings


def proved_move(
    robot: RobotSettings, start_rad: Array, path: Path, part: float, why: str = "the move"
) -> ProvedMove:
    """A move from rest to rest along a path, as fast as it may be.

    Args:
        robot: which.
        start_rad: its joints at the beginning of the path [rad], shape (6,).
        path: where to.
        part: of its limits of speed, turn and joint rates that may be used, up to 1.
        why: what is refused, for the text.

    Raises:
        RefusedError: with joint, value, limit and waypoint; nothing has been sent.
    """
    shape = _shape(robot, start_rad, path)
    fastest = fastest_share_per_s(shape, robot.gate_limits(), part, ramps=2)
    for slower in range(TRIES):
        law = RestToRest.at(SLOWER**slower * fastest)
        steps, refused = _played(robot, start_rad, path, law)
        if refused is None:
            return ProvedMove(robot, start_rad, path, law, steps)
        last = slower == TRIES - 1
        if last or refused.violations[0].check is not ArmCheck.CORNER:
            raise _refusal(why, refused)
    raise AssertionError("unreachable")


def proved_as_recorded(
    robot: RobotSettings, start_rad: Array, path: Path, duration_s: float, *, slower: bool
) -> ProvedMove:
    """A recorded motion in its own time, or in as much more as the robot's limits ask for.

    Args:
        robot: which.
        start_rad: its joints at the beginning [rad], shape (6,).
        path: the recorded motion over its time.
        duration_s: of the recording [s].
        slower: whether it may take longer than that.

    Raises:
        RefusedError: with joint, value, limit and waypoint; nothing has been sent.
    """
    shape = _shape(robot, start_rad, path)
    fastest = fastest_share_per_s(shape, robot.gate_limits(), 1.0, ramps=1)
    least_s = max(duration_s, 1.0 / fastest)
    if not slower and least_s > duration_s * (1.0 + AS_LONG):
        _play_recorded(robot, start_rad, path, AsRecorded.lasting(duration_s))
        raise RefusedError(
            f"the recorded motion was refused, nothing has been sent: it lasts {duration_s:.2f} s, "
            "and let go at its fastest and held again it would keep the robot's limits only from "
            f"{least_s:.2f} s on; {STRETCH}"
        )
    for stretched in range(TRIES if slower else 1):
        law = AsRecorded.lasting(least_s / SLOWER**stretched)
        try:
            steps = _play_recorded(robot, start_rad, path, law)
        except _TooFastError:
            if not slower or stretched == TRIES - 1:
                raise
            continue
        return ProvedMove(robot, start_rad, path, law, steps)
    raise AssertionError("unreachable")


class _TooFastError(RefusedError):
    """What a slower motion would keep."""


def _play_recorded(
    robot: RobotSettings, start_rad: Array, path: Path, law: Law
) -> tuple[RobotStep, ...]:
    steps, refused = _played(robot, start_rad, path, law)
    if refused is None:
        return steps
    if refused.violations[0].check in _SPEEDS:
        raise _TooFastError(str(_refusal("the recorded motion", refused, f"\n{STRETCH}")))
    raise _refusal("the recorded motion", refused)


_SPEEDS: Final = frozenset(
    {
        ArmCheck.RATE, ArmCheck.ACCELERATION, ArmCheck.GRIPPER_SPEED, ArmCheck.GRIPPER_TURN,
        ArmCheck.CORNER,
    }
)  # fmt: skip
"""What a slower motion keeps."""


def _played(
    robot: RobotSettings, start_rad: Array, path: Path, law: Law
) -> tuple[tuple[RobotStep, ...], RobotStep | None]:
    """All steps as they will be run, and the first that is refused, there or between."""
    steps = _steps(robot, start_rad, PathMover(path, law))
    if steps[-1].violations:
        return steps, steps[-1]
    for behind in range(LEVELS):
        between = PathMover(path, law, begun=-(behind + 0.5))
        last = _steps(robot, start_rad, between)[-1]
        if last.violations:
            return steps, last
    return steps, None


def _shape(robot: RobotSettings, start_rad: Array, path: Path) -> Shape:
    RobotJudge.at(robot, start_rad)  # says why if it may not stand there
    return Shape.of(path, BranchKeeper(robot.geometry(), start_rad, robot.least()))


def _steps(robot: RobotSettings, start_rad: Array, mover: PathMover) -> tuple[RobotStep, ...]:
    station = _station(robot, start_rad, mover, AlwaysHeld())
    try:
        return tuple(play_out(station, STEPS_MAX))
    except ValueError:
        raise RefusedError(
            f"the move would take longer than {STEPS_MAX * TICK_S:.0f} s, nothing has been sent; "
            "a higher speed is needed"
        ) from None


def _station(robot: RobotSettings, start_rad: Array, mover: PathMover, hand: Hand) -> RobotStation:
    judge = RobotJudge.at(robot, start_rad)
    return RobotStation(robot.geometry(), robot.oat_convention(), judge, mover, hand)


def _refusal(why: str, step: RobotStep, remedy: str = "") -> RefusedError:
    lines = "\n".join(step.refusals)
    return RefusedError(
        f"{why} was refused at waypoint {step.index} ({step.t_s:.2f} s), nothing has been "
        f"sent:\n{lines}{remedy}"
    )


def _place_of(step: RobotStep) -> Pose:
    if step.X_RT is None:
        raise ValueError(f"waypoint {step.index} has no place")
    return step.X_RT
