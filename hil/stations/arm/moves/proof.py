"""Proof before the first byte: a path with its law, whenever its operator lets go of it.

It is played out once as it will be run, held from beginning to end. Then all else that can happen
is judged: a move passes its path in units of a third of a period, at four paces, so there are few
states that it can be in, and few paths from each to the next.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arm_driver.errors import ArmError
from arm_driver.kinematics.branch_tracker import BranchTracker
from arm_driver.kinematics.path_report import PathFinding
from arm_driver.kinematics.workspace import check_path
from hil.config.errors import RefusedError
from hil.machines.robot.settings import RobotSettings
from hil.stations.arm.cycle.control import play_out
from hil.stations.arm.cycle.judge import RobotJudge
from hil.stations.arm.cycle.step import RobotStep, robot_sample, violations_of
from hil.stations.arm.cycle.waypoint_gate import WaypointGate
from hil.stations.arm.moves.laws import (
    LEVELS,
    PART,
    UNIT_S,
    AsRecorded,
    Law,
    PathMover,
    RestToRest,
    fastest_share_per_s,
)
from hil.stations.arm.moves.move_operators import AlwaysHeld, Hand
from hil.stations.arm.moves.paths import PathDemand, ToolPath
from hil.stations.arm.moves.station import RobotStation
from hil.stations.arm.proof.start import hold_to_pace
from hil_common.arrays.pose import PoseError
from safety.arm_gate import ArmGate
from safety.arm_limits import ArmCheck, ArmSample, ArmViolation
from safety.arm_rules import cut_corner, differences, too_fast_gripper, too_fast_joints
from sim.world.space_arm.simulator import TICK_S

Array = NDArray[np.float64]

STEPS_MAX: Final = 5000
"""Longer moves are refused: half an hour, after which they would be ended anyway."""
SLOWER: Final = 0.9
"""Part of the speed that is tried next where a slower move may keep what was broken."""
TRIES: Final = 20
SPEEDS: Final = frozenset(
    {
        ArmCheck.RATE, ArmCheck.ACCELERATION, ArmCheck.GRIPPER_SPEED, ArmCheck.GRIPPER_TURN,
        ArmCheck.CORNER,
    }
)  # fmt: skip
"""Checks that a slower move may keep."""


@dataclass(frozen=True, slots=True, eq=False)
class ProvedMove:
    """A move that may begin."""

    robot: RobotSettings
    start_rad: Array
    """Joint angles at the beginning [rad], shape (6,)."""
    path: ToolPath
    law: Law
    """Share of the path over time, while the move is held."""
    steps: tuple[RobotStep, ...]
    """All steps of the move, held from beginning to end."""

    @property
    def duration_s(self) -> float:
        """Duration when held from beginning to end [s]."""
        return len(self.steps) * TICK_S

    def station(self, hand: Hand, gate: WaypointGate | None = None) -> RobotStation:
        """Make control of the robot along the path; with a gate of its own, or a given one."""
        judge = RobotJudge.at(self.robot, self.start_rad, gate)
        return RobotStation(self.robot, judge, PathMover(self.path, self.law), hand)

    def findings(self) -> tuple[PathFinding, ...]:
        """Return the demands on the robot, the worst of each kind."""
        robot = self.robot
        poses = [self.path(0.0)]
        poses += [step.X_RT for step in self.steps if step.X_RT is not None]
        report = check_path(
            robot.geometry(), poses, TICK_S, self.start_rad, robot.path_limits(), arm=robot.name
        )
        return report.findings


def prove_move(
    robot: RobotSettings, start_rad: Array, path: ToolPath, part: float, name: str
) -> ProvedMove:
    """Return a move from rest to rest along a path, as fast as it may be.

    Args:
        start_rad: its joints at the beginning of the path [rad], shape (6,).
        part: of its limits of speed, turn and joint rates that may be used, up to 1.

    Raises:
        RefusedError: with joint, value, limit and waypoint; nothing has been sent.
    """
    shape = _shape(robot, start_rad, path)
    fastest = fastest_share_per_s(shape, robot.gate_limits(), min(part, PART), ramps=2)
    prove = partial(_proved, robot, start_rad, path, name)
    return _slower(prove, lambda share: RestToRest.at(share * fastest))


def prove_recorded_move(
    robot: RobotSettings,
    start_rad: Array,
    path: ToolPath,
    duration_s: float,
    name: str,
    *,
    slower: bool,
) -> ProvedMove:
    """Return a recorded motion in its own time, or in as much more as the robot's limits ask for.

    Args:
        start_rad: its joints at the beginning [rad], shape (6,).

    Raises:
        RefusedError: with joint, value, limit and waypoint; nothing has been sent.
    """
    shape = _shape(robot, start_rad, path)
    prove = partial(_proved, robot, start_rad, path, name)
    if slower:
        fastest = fastest_share_per_s(shape, robot.gate_limits(), 1.0, ramps=1)
        least_s = max(duration_s, 1.0 / fastest)
        return _slower(prove, lambda share: AsRecorded.lasting(least_s / share))
    try:
        return prove(AsRecorded.lasting(duration_s))
    except _TooFastError as error:
        raise RefusedError(
            f"{error}\nin its own time, {duration_s:.2f} s; --slower takes more until it fits"
        ) from None


class _TooFastError(RefusedError):
    """Limits are broken that a slower move may keep."""


def _slower(prove: Callable[[Law], ProvedMove], law: Callable[[float], Law]) -> ProvedMove:
    """Find the first move that is proved by ever slower laws: shares of the speed, 1 at first.

    Raises:
        RefusedError: if none is, as for the slowest.
    """
    for tried in range(TRIES - 1):
        with suppress(_TooFastError):
            return prove(law(SLOWER**tried))
    return prove(law(SLOWER ** (TRIES - 1)))


def _shape(robot: RobotSettings, start_rad: Array, path: ToolPath) -> PathDemand:
    RobotJudge.at(robot, start_rad)  # says why, if it may not be there
    return PathDemand.of(path, BranchTracker(robot.geometry(), start_rad, robot.least()))


def _proved(
    robot: RobotSettings, start_rad: Array, path: ToolPath, name: str, law: Law
) -> ProvedMove:
    move = ProvedMove(robot, start_rad, path, law, ())
    try:
        steps = tuple(play_out(move.station(AlwaysHeld()), STEPS_MAX))
    except ValueError:
        raise RefusedError(
            f"{name} would take longer than {STEPS_MAX * TICK_S:.0f} s, nothing has been sent"
        ) from None
    last = steps[-1]
    if last.violations:
        raise _refusal(name, last.index, last.violations, "")
    try:
        hold_to_pace(robot, path(0.0), steps)
    except RefusedError as refusal:
        raise _TooFastError(f"{name}: {refusal}") from None
    for unit, violations in _let_go(robot, start_rad, path, law):
        where = ", when it is let go or held again there"
        raise _refusal(name, math.ceil(unit / LEVELS), violations, where)
    return replace(move, steps=steps)


def _refusal(
    name: str, waypoint: int, violations: tuple[ArmViolation, ...], where: str
) -> RefusedError:
    lines = "\n".join(map(str, violations))
    text = (
        f"{name} was refused at waypoint {waypoint} ({waypoint * TICK_S:.2f} s){where}, nothing "
        f"has been sent:\n{lines}"
    )
    return _TooFastError(text) if violations[0].check in SPEEDS else RefusedError(text)


def _let_go(
    robot: RobotSettings, start_rad: Array, path: ToolPath, law: Law
) -> Iterator[tuple[int, tuple[ArmViolation, ...]]]:
    """Find what breaks a limit of the robot, whatever its operator does: unit and why."""
    limits, samples = robot.gate_limits(), list[ArmSample]()
    tracker, geometry = BranchTracker(robot.geometry(), start_rad, robot.least()), robot.geometry()
    still = ArmGate((limits,), TICK_S)
    for unit in range(law.units + 1):
        try:
            joints = tracker.follow(path(law.share(unit * UNIT_S)))
        except (ArmError, PoseError) as error:
            yield unit, violations_of(limits, error)
            return
        samples.append(robot_sample(geometry, np.array(joints.q_rad)))
        if refused := still.reset((samples[-1],)):
            yield unit, refused
            return
    for before, unit, after in neighbours(law.units):
        first, now, then = samples[before], samples[unit], samples[after]
        moved, moves = differences(now.q_rad, first.q_rad), differences(then.q_rad, now.q_rad)
        step = differences(now.gripper_position_m, first.gripper_position_m)
        ahead = differences(then.gripper_position_m, now.gripper_position_m)
        found = (
            *too_fast_joints(limits, moves, moved, TICK_S),
            *too_fast_gripper(limits, now, then, TICK_S),
            *cut_corner(limits, step, ahead, TICK_S),
        )
        if found:
            yield after, found
            return


def neighbours(units: int) -> Iterator[tuple[int, int, int]]:
    """Yield all three waypoints in a row that a mover can make of a law, each as its unit."""
    left: list[tuple[int, int, int]] = [(0, 0, 0)]  # unit before, unit, pace
    seen = set(left)
    while left:
        before, unit, pace = left.pop()
        for level in {min(pace + 1, LEVELS), max(pace - 1, 0)}:
            after = min(unit + level, units)
            yield before, unit, after
            state = (unit, after, level)
            if state not in seen and after < units:
                seen.add(state)
                left.append(state)
