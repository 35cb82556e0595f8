"""A run of both arms made by hand: known delay, known error, the same motion at two places."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from row_samples import ARM, ArmFrame, with_codes
from scipy.spatial.transform import Rotation

from arm_driver.fit.blended_path import BlendModel
from arm_driver.kinematics.geometry import PumaGeometry
from arm_driver.kinematics.puma import forward, nearest, singular_distances
from hil.config.file_search import configs_dir
from hil.machines.space_arm.settings import ArmSettings
from hil.recording.events import EVENTS, ROWS, EventRecord
from hil.recording.header import RunHeader
from hil.recording.recorder import Recorder, RecorderRing
from hil.stations.arm.report.recording import ArmRecording, stream_result
from hil.stations.arm.report.tracking import TrackedPath as PosePath
from hil.stations.arm.report.tracking import path_of_controller
from hil.stations.arm.scene.machines import MACHINES_KEY, ArmMachines
from hil.stations.arm.signals import WAY_PLACES
from hil_common.arrays.pose import Pose
from sim.world.space_arm.kernels.dynamics import gripper_jacobian, gripper_pose, make_scratch

PERIOD_S = 0.35
DELAY_S = 0.62
OFFSET_M = (0.0, 0.0, 0.3e-3)
ANGLE_ERROR_RAD = 0.004
ASKED_FIRST_S = 4.3
"""Time of the loop at which the robot asked for waypoint 0, whose motion time is 0."""
START_RAD = np.radians([20.0, 65.0, -175.0, 10.0, 50.0, 0.0])
"""Of the industrial arm, elbow bent and wrist well away from singular."""
STATES = ("OFFLINE", "SYNCHRONISING", "STREAMING", "ENDING", "READY")
BLEND = {"shortest_s": 0.028, "longest_s": 0.2, "step_s": 0.028, "lag_s": 0.0167}
TOLERANCE_M = 0.25e-3
FACTS = {
    "scenario": "bkm_on_rm01",
    "arm": "SIMULATED RM-01 (emulated controller)",
    "simulated": "arm",
    "clock": "virtual",
}
COMPLETED = (stream_result(84.0, 240, "completed", "at rest at the declared end"),)

Change = Callable[[int, ArmFrame], ArmFrame]


@functools.cache
def machines() -> ArmMachines:
    space = ArmSettings.load(configs_dir() / "arms" / "bkm.toml")
    alignment = Rotation.from_euler("z", 90.0, degrees=True).as_matrix()
    geometry = PumaGeometry(tool_m=0.12)
    rotation, position = np.empty((3, 3)), np.empty(3)
    gripper_pose(space.arm().arrays(), space.home_rad(), make_scratch(), rotation, position)
    return ArmMachines(
        space, geometry, alignment=alignment, X_WG0=Pose(position, rotation),
        X_RT0=forward(geometry, START_RAD),
        blend=BlendModel(PERIOD_S, tolerance_m=TOLERANCE_M, **BLEND),
    )  # fmt: skip


def seven(pose: Pose) -> tuple[float, ...]:
    turn = Rotation.from_matrix(pose.rotation).as_quat(scalar_first=True)
    return (*pose.position_m.tolist(), *turn.tolist())


def robot_motion(t_s: float, end_s: float) -> Pose:
    """Motion of the industrial gripper since its start: at rest at both ends, never periodic."""
    share = min(max(t_s / end_s, 0.0), 1.0)
    even = share**3 * (10.0 - 15.0 * share + 6.0 * share**2)
    angle = 2.0 * math.pi * even
    way = [0.14 * math.sin(angle), 0.1 * (1.0 - math.cos(angle)), 0.06 * math.sin(2.0 * angle)]
    turn = Rotation.from_rotvec([0.3 * math.sin(angle), 0.0, 0.25 * (1.0 - math.cos(angle))])
    return Pose(np.array(way), turn.as_matrix())


def space_joints(poses: Sequence[Pose]) -> np.ndarray:
    """Joint angles of the simulated arm at its gripper's poses, from its home on (Newton)."""
    arm, q = machines().space.arm().arrays(), machines().space.home_rad().copy()
    rotation, position, jacobian = np.empty((3, 3)), np.empty(3), np.empty((6, 6))
    rows = []
    for pose in poses:
        for _ in range(4):
            gripper_pose(arm, q, make_scratch(), rotation, position)
            gripper_jacobian(arm, q, make_scratch(), jacobian)
            turn = Rotation.from_matrix(pose.rotation @ rotation.T).as_rotvec()
            q = q + np.linalg.solve(jacobian, np.concatenate([pose.position_m - position, turn]))
        rows.append(q)
    return np.array(rows)


@functools.cache
def frames(count: int = 240) -> tuple[ArmFrame, ...]:
    """A completed run; what the robot tells is `DELAY_S` late, off by `OFFSET_M` and a turn."""
    geometry = machines().robot
    t_s = PERIOD_S * np.arange(1, count + 1)
    moves = [robot_motion(float(t), float(t_s[-1]) - 4.0) for t in t_s]
    start, home = machines().X_RT0, machines().X_WG0
    targets = [start @ move for move in moves]
    turn = Pose(np.zeros(3), machines().alignment)
    space = [home @ turn @ move @ turn.inverse() for move in moves]
    looks = PERIOD_S / WAY_PLACES * np.arange(1, count * WAY_PLACES + 1)
    between = [robot_motion(float(t), float(t_s[-1]) - 4.0) for t in looks]
    ways = np.array([(home @ turn @ move @ turn.inverse()).position_m for move in between])
    ways = ways.reshape(count, -1)
    space_q = space_joints(space)
    robot_q, now = [], START_RAD
    for pose in targets:
        now = nearest(geometry, pose, now).q_rad
        robot_q.append(now)
    robot_q = np.array(robot_q)
    asked = PosePath.of(ASKED_FIRST_S + t_s, np.array([seven(pose) for pose in targets]))
    sum_at = ASKED_FIRST_S + t_s - PERIOD_S  # a waypoint is ready a period before it is fetched
    told, told_turn = path_of_controller(asked, machines().blend, start).at(sum_at - DELAY_S)
    told_turn = told_turn * Rotation.from_rotvec([0.0, 0.0, ANGLE_ERROR_RAD])
    told = np.hstack([told + OFFSET_M, told_turn.as_quat(scalar_first=True)])
    places = np.array([pose.position_m for pose in targets])
    speed = np.linalg.norm(np.diff(places, axis=0, prepend=places[:1]), axis=1) / PERIOD_S
    rng = np.random.default_rng(5)
    latency = 4e-4 * rng.lognormal(0.0, 0.4, count)
    rates = [np.diff(q, axis=0, prepend=q[:1]) / PERIOD_S for q in (space_q, robot_q)]
    return tuple(
        ArmFrame(
            index=k + 1,
            t_s=float(t_s[k]),
            late_s=0.0,
            state=2,
            action=1,
            space_q=tuple(space_q[k].tolist()),
            space_v=tuple(rates[0][k].tolist()),
            space_pose=seven(space[k]),
            space_way=tuple(ways[k].tolist()),
            target_pose=seven(targets[k]),
            robot_q=tuple(robot_q[k].tolist()),
            robot_q_rate=tuple(rates[1][k].tolist()),
            sent_location=(1.0, 2.0, 3.0, 4.0, 5.0, 6.0),
            sent_seq=float(k),
            measured_pose=tuple(told[k].tolist()),
            measured_at_s=float(sum_at[k]),
            margins=tuple(dataclasses.astuple(singular_distances(geometry, robot_q[k]))),
            gripper_speed_m_s=float(speed[k]),
            answer_latency_s=float(latency[k]),
            requests=k + 1,
        )
        for k in range(count)
    )


def write_run(
    path: Path,
    *,
    change: Change | None = None,
    count: int = 240,
    events: Sequence[EventRecord] = COMPLETED,
    described: bool = True,
    supervision: dict[str, object] | None = None,
) -> ArmRecording:
    """Record the frames, each changed by `change`, and read them back."""
    robot = {"blend": BLEND | {"tolerance_mm": 1e3 * TOLERANCE_M, "servo_s": 0.065}}
    robot |= {} if supervision is None else {"supervision": supervision}
    scenario = {MACHINES_KEY: machines().to_json(), "robot": robot} if described else {}
    signals = with_codes(ARM, STATES, ("NONE", "PASSED"))
    header = RunHeader(signals, FACTS | {"station": "arm"}, scenario)
    recorder = Recorder(RecorderRing.local(), path, header)
    for frame in frames()[:count]:
        shown = frame if change is None else change(frame.index, frame)
        recorder.ring.push(ROWS, shown.to_bytes())
    for event in events:
        recorder.ring.push(EVENTS, event.to_bytes())
    recorder.finish()
    return ArmRecording.open(path)
