"""A recorded path to be driven again: a CSV file of places, or what a robot was sent in a run."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from arm_driver.contour.location import COUNTS_PER_DEG, COUNTS_PER_MM
from arm_driver.contour.place import displayed_place, location_of, read_place
from arm_driver.errors import ArmError
from arm_driver.kinematics.branch_tracker import BranchTracker
from arm_driver.kinematics.puma import Joints, nearest
from arm_driver.link_report import DisplayedPose
from hil.config.errors import ConfigError, MotionError, RefusedError
from hil.config.times import read_timed
from hil.machines.robot.settings import RobotSettings
from hil.recording.header import RecordingError
from hil.stations.arm.cycle.judge import RobotJudge
from hil.stations.arm.moves.goto import GotoTarget
from hil.stations.arm.moves.paths import joints_along, recorded_path
from hil.stations.arm.moves.proof import ProvedMove, prove_recorded_move
from hil.stations.arm.moves.session import RobotSession
from hil.stations.arm.report.clock import FetchTimes
from hil.stations.arm.report.recording import ArmRecording
from hil.stations.arm.scene.machines import ArmMachines
from hil_common.arrays.pose import Pose, PoseError, angle_between_rad
from sim.world.space_arm.simulator import TICK_S

Array = NDArray[np.float64]

COLUMNS: Final = ("x_mm", "y_mm", "z_mm", "o_deg", "a_deg", "t_deg")
"""Columns of a CSV file beside its times: the gripper's place as a controller shows it."""
GAP_MAX_S: Final = 0.5
"""Longest time between two rows [s]: what lies between them is not known."""
ROWS_MOST: Final = 200_000


@dataclass(frozen=True, slots=True, eq=False)
class PlayedPath:
    """A recorded path."""

    name: str
    t_s: Array
    """Rising times [s], shape (N,)."""
    poses: tuple[Pose, ...]
    """X_RT at these times, N of them."""
    joints_deg: Array | None
    """The robot's joints at the first [deg], shape (6,); None if not recorded."""

    @property
    def duration_s(self) -> float:
        """From the first place to the last [s]."""
        return float(self.t_s[-1] - self.t_s[0])

    @property
    def target(self) -> GotoTarget:
        """Target at the beginning of the path."""
        return GotoTarget(self.poses[0], self.joints_deg, f"the start of {self.name}")


def read_recorded(path: Path, robot: RobotSettings) -> PlayedPath:
    """Read a CSV file, or the recording of a run of the arm (its folder or file).

    Raises:
        ConfigError: with file, line and what would have been right.
    """
    if path.is_dir() or path.suffix == ".mcap":
        return _of_run(path)
    return _of_csv(path, robot)


def _of_run(path: Path) -> PlayedPath:
    try:
        run = ArmRecording.open(path)
        machines = ArmMachines.from_scenario(run.recording.scenario)
    except (RecordingError, ValueError) as error:
        raise ConfigError(str(path), [str(error)]) from None
    targets, joints = run.column("target_pose"), run.column("robot_q")
    sent = FetchTimes.of(run, machines.period_s).sent & np.isfinite(targets).all(axis=1)
    if machines.X_RT0 is None or sent.sum() < 2:
        raise ConfigError(
            str(path), ["this run sent the robot nothing, or does not tell its start"]
        )
    numbers = run.column("index")[sent]
    if len(numbers) != numbers[-1]:
        raise ConfigError(str(path), ["waypoints are missing in this recording"])
    turns = Rotation.from_quat(targets[sent, 3:], scalar_first=True).as_matrix()
    poses = [Pose(place, turn) for turn, place in zip(turns, targets[sent, :3], strict=True)]
    begin = _start_joints(machines, joints[sent][0])
    times = TICK_S * np.arange(len(poses) + 1, dtype=np.float64)
    return PlayedPath(path.name, times, (machines.X_RT0, *poses), begin)


def _start_joints(machines: ArmMachines, first_rad: Array) -> Array | None:
    """Return the robot's joints at the start, next to those of the first waypoint [deg]."""
    if machines.X_RT0 is None or not np.isfinite(first_rad).all():
        return None
    try:
        return np.degrees(nearest(machines.robot, machines.X_RT0, first_rad).q_rad)
    except (ArmError, PoseError):
        return None


def _of_csv(path: Path, robot: RobotSettings) -> PlayedPath:
    try:
        table, _, times = read_timed(path, COLUMNS)
    except MotionError as error:
        raise ConfigError(str(path), [str(error).removeprefix(str(path)).lstrip(",: ")]) from None
    _check_times(str(path), times)
    rows = np.column_stack([table.columns[name] for name in COLUMNS]).tolist()
    places = [
        _place(str(path), int(line), row, robot)
        for line, row in zip(table.lines, rows, strict=True)
    ]
    return PlayedPath(path.name, times, tuple(place.X_RT for place in places), None)


def _place(file: str, line: int, values: list[float], robot: RobotSettings) -> DisplayedPose:
    try:
        return read_place(values, robot.oat_convention())
    except ValueError as error:
        raise ConfigError(file, [f"line {line}: {error}"]) from None


def _check_times(file: str, times: Array) -> None:
    if not 2 <= len(times) <= ROWS_MOST:
        raise ConfigError(file, [f"{len(times)} places; 2 to {ROWS_MOST} are needed"])
    steps = np.diff(times)
    for wrong, limit in (
        (steps <= 0.0, "is not after the row before"),
        (steps > GAP_MAX_S, f"is more than {GAP_MAX_S:g} s after the row before"),
    ):
        if wrong.any():
            row = int(np.argmax(wrong)) + 1
            raise ConfigError(file, [f"place {row + 1}: t_s = {times[row]:g} s {limit}"])


def away_from_start(session: RobotSession, recorded: PlayedPath) -> str:
    """Return the reason why the robot is not where the path begins; empty if it is."""
    choice = session.choice
    settings = choice.robot.link_settings()
    begin = displayed_place(recorded.poses[0], choice.robot.oat_convention())
    distance_m = math.dist(begin.X_RT.position_m, session.place.X_RT.position_m)
    turn_rad = angle_between_rad(begin.X_RT, session.place.X_RT)
    if distance_m <= settings.start_tolerance_m and turn_rad <= settings.start_tolerance_rad:
        return ""
    return (
        f"nothing has moved: the robot is at {session.place}, {recorded.name} begins at {begin}: "
        f"{1e3 * distance_m:.2f} mm and {np.degrees(turn_rad):.3f} deg away, at most "
        f"{1e3 * settings.start_tolerance_m:g} mm and "
        f"{np.degrees(settings.start_tolerance_rad):g} deg are allowed"
    )


def goto_words(recorded: PlayedPath, robot: RobotSettings) -> list[str]:
    """Return the options of ``hil arm goto`` that lead to the beginning of a path."""
    if recorded.joints_deg is not None:
        return ["--joints", ",".join(f"{angle:.3f}" for angle in recorded.joints_deg)]
    x, y, z, o, a, t = location_of(recorded.poses[0], robot.oat_convention()).counts
    place = [*(f"{count / COUNTS_PER_MM:.2f}" for count in (x, y, z)),
             *(f"{count / COUNTS_PER_DEG:.3f}" for count in (o, a, t))]  # fmt: skip
    return ["--pose", ",".join(place)]


def plan_play(
    robot: RobotSettings, start: Joints, recorded: PlayedPath, *, slower: bool
) -> ProvedMove:
    """Return the recorded path as a proved move, in its own time or slower.

    Raises:
        RefusedError: with joint, value, limit and waypoint; nothing has been sent.
    """
    geometry = robot.geometry()
    RobotJudge.at(robot, np.array(start.q_rad))  # says why, if it may not be there
    try:
        tracker = BranchTracker(geometry, start.q_rad, robot.least())
        q_rad = joints_along(recorded.poses, tracker)
    except (ArmError, PoseError) as error:
        raise RefusedError(
            f"{recorded.name} was refused, nothing has been sent: {robot.name}: {error}"
        ) from None
    path = recorded_path(geometry, recorded.t_s, q_rad)
    return prove_recorded_move(
        robot, q_rad[0], path, recorded.duration_s, recorded.name, slower=slower
    )
