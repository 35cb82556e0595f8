"""A whole path judged before its first byte: reach, joints, speeds, singularities, bodies."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arm_driver.errors import ArmError, arm_array
from arm_driver.kinematics.bodies import PAIRS, clearances_m
from arm_driver.kinematics.geometry import PumaGeometry
from arm_driver.kinematics.kernels import posture
from arm_driver.kinematics.kernels import puma as kernel
from arm_driver.kinematics.path_report import (
    STANDARD_LIMITS,
    PathFinding,
    PathLimits,
    PathRefusedError,
    PathReport,
)
from arm_driver.kinematics.puma import branch_of
from hil_common.arrays.pose import Pose, angle_between_rad, packed_poses

__all__ = ["PathFinding", "PathLimits", "PathRefusedError", "PathReport", "check_path"]

Array = NDArray[np.float64]

ROUNDING = 1e-9
"""A value this far beyond its limit is at the limit but for rounding."""


def check_path(
    geometry: PumaGeometry,
    poses: Sequence[Pose],
    period_s: float,
    q_start: ArrayLike,
    limits: PathLimits = STANDARD_LIMITS,
    *,
    from_rest: bool = True,
    to_rest: bool = True,
    arm: str = "industrial arm",
) -> PathReport:
    """Judge a path of waypoints, all in the branch of ``q_start``.

    Speeds and accelerations of the joints are differences of the waypoints' joint angles over
    the period, which is what a controller that interpolates between them makes of it; with a
    rest at an end, the first or last difference counts as a change from or to speed zero. For a
    live stream, give the last three accepted poses and the next, with both rests off.

    Args:
        poses: X_BG of the gripper at each waypoint, at least one.
        q_start: joint angles at or near the first waypoint [rad], shape (6,).
        limits: see ``PathLimits``.
        from_rest: the arm rests at the first waypoint.
        to_rest: the arm rests at the last waypoint.
        arm: its name in the findings.

    Raises:
        ArmError: no pose, or a period that is not above 0.
        NumbersError: ``q_start`` is not six finite numbers.
    """
    if len(poses) < 1:
        raise ArmError("poses: none, a path has at least one")
    if not (np.isfinite(period_s) and period_s > 0.0):
        raise ArmError(f"period_s: {period_s} s, must be finite and above 0 s")
    branch = branch_of(geometry, q_start)
    start = np.array(arm_array(q_start, (6,), "q_start"))
    q, excess = np.empty((len(poses), 6)), np.empty(len(poses))
    reached = kernel.follow(
        geometry.table, packed_poses(list(poses)), branch.index, start, q, excess
    )
    if reached < len(poses):
        worst = int(np.argmax(excess))
        value = float(excess[worst])
        finding = PathFinding(arm, "reach", "wrist centre", worst, value, 0.0, "m", False, -value)
        timed = replace(finding, t_s=worst * period_s)
        return PathReport((timed,), branch, arm_array(np.empty((0, 6)), (0, 6), "q_rad"))
    findings = [PathFinding(arm, "reach", "wrist centre", 0, 0.0, 0.0, "m", True, 0.0)]
    findings.append(_position(geometry, q, arm))
    findings += _joint_motion(geometry, q, period_s, from_rest, to_rest, arm)
    findings += _gripper_motion(poses, period_s, limits, arm)
    findings += _distances(geometry, q, limits, arm)
    timed = tuple(replace(one, t_s=one.index * period_s) for one in findings)
    return PathReport(timed, branch, arm_array(q, q.shape, "q_rad"))


def _position(geometry: PumaGeometry, q: Array, arm: str) -> PathFinding:
    low, high = geometry.position_min_rad, geometry.position_max_rad
    inside = np.minimum(q - low, high - q)  # (N, 6)
    share = inside / (0.5 * (high - low))
    n, j = (int(k) for k in np.unravel_index(np.argmin(share), share.shape))
    limit = high[j] if high[j] - q[n, j] < q[n, j] - low[j] else low[j]
    return PathFinding(
        arm,
        "joint position",
        f"joint {j + 1}",
        n,
        float(q[n, j]),
        float(limit),
        "rad",
        bool(inside[n, j] >= -ROUNDING),
        float(share[n, j]),
    )


def _joint_motion(
    geometry: PumaGeometry, q: Array, period_s: float, from_rest: bool, to_rest: bool, arm: str
) -> list[PathFinding]:
    rates = np.diff(q, axis=0) / period_s  # (N - 1, 6), the step to pose n + 1
    rest = np.zeros((1, 6))
    steps = [rest] if from_rest else []
    steps += [rates, rest] if to_rest else [rates]
    accelerations = np.diff(np.concatenate(steps), axis=0) / period_s
    # The change of speed at the first pose has index 0 if the arm rests there, else at pose 1.
    first = 0 if from_rest else 1
    return [
        _most(arm, "joint speed", rates, geometry.rate_max_rad_s, "rad/s", 1),
        _most(
            arm,
            "joint acceleration",
            accelerations,
            geometry.acceleration_max_rad_s2,
            "rad/s²",
            first,
        ),
    ]


def _most(arm: str, kind: str, values: Array, limits: Array, unit: str, first: int) -> PathFinding:
    """The largest share of its limit among values, shape (M, 6); row 0 belongs to ``first``."""
    if not len(values):
        return PathFinding(arm, kind, "joint 1", 0, 0.0, float(limits[0]), unit, True, 1.0)
    share = np.abs(values) / limits
    n, j = (int(k) for k in np.unravel_index(np.argmax(share), share.shape))
    worst = float(share[n, j])
    return PathFinding(
        arm,
        kind,
        f"joint {j + 1}",
        n + first,
        float(values[n, j]),
        float(limits[j]),
        unit,
        worst <= 1.0 + ROUNDING,
        1.0 - worst,
    )


def _gripper_motion(
    poses: Sequence[Pose], period_s: float, limits: PathLimits, arm: str
) -> list[PathFinding]:
    positions = np.array([pose.position_m for pose in poses])
    speeds = np.linalg.norm(np.diff(positions, axis=0), axis=1) / period_s
    turns = [angle_between_rad(a, b) for a, b in pairwise(poses)]
    findings = []
    for kind, values, limit, unit in (
        ("gripper speed", speeds, limits.speed_max_m_s, "m/s"),
        ("gripper turn rate", np.array(turns) / period_s, limits.turn_rate_max_rad_s, "rad/s"),
    ):
        n = int(np.argmax(values)) if len(values) else -1
        value = float(values[n]) if n >= 0 else 0.0
        share = value / limit
        findings.append(
            PathFinding(
                arm, kind, "gripper", n + 1, value, limit, unit, share <= 1 + ROUNDING, 1 - share
            )
        )
    return findings


def _distances(geometry: PumaGeometry, q: Array, limits: PathLimits, arm: str) -> list[PathFinding]:
    found = np.empty((len(q), 3))
    posture.singular_distances(geometry.table, q, found)
    least = (limits.least.wrist, limits.least.elbow_m, limits.least.shoulder_m)
    places = ("joint 5", "wrist centre", "wrist centre")
    kinds = [f"{name} singularity" for name in ("wrist", "elbow", "shoulder")]
    free = clearances_m(geometry, q, limits.bodies)  # (N, 6)
    pair = int(np.argmin(free.min(axis=0)))
    columns = [*found.T, free[:, pair]]
    rows = zip(
        [*kinds, "clearance"],
        [*places, " and ".join(PAIRS[pair])],
        columns,
        [*least, limits.clearance_min_m],
        ["1", "m", "m", "m"],
        strict=True,
    )
    findings = []
    for kind, place, values, limit, unit in rows:
        n = int(np.argmin(values))
        value = float(values[n])
        within = value >= limit - ROUNDING
        findings.append(PathFinding(arm, kind, place, n, value, limit, unit, within, value - limit))
    return findings
