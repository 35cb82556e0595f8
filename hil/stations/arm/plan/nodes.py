"""Waypoints for a motion of the simulated gripper, and the sharpness of their corners.

All is reckoned in the axes of the space arm's world and in its own lengths. A scaled motion is
fitted in the robot's lengths, in which its controller has its tolerance, and scaled back. How far
the controller rounds a corner follows from the turn there and the speeds before and after it, the
same wherever on the bench the motion takes place: so no choice of the place helps.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from arm_driver.fit.blended_path import BlendModel
from arm_driver.fit.node_fit import LiveNodes, fit_nodes
from arm_driver.kinematics.path_report import PathFinding
from hil.config.errors import RefusedError
from hil_common.arrays.pose import Pose
from safety.arm_limits import ArmLimits
from safety.arm_rules import cut_corner

Array = NDArray[np.float64]

SPARE_M = 2e-5
"""Left of the longest step: the wire has hundredths of a millimetre [m]."""


Nodes = Callable[[int, Array, Array], Array]
"""Place of the simulated gripper for a waypoint [m], shape (3,): from its number, from 1, and the
gripper's place [m] and velocity [m/s] at its time, shape (3,) each."""


def planned_nodes(offset_m: Array) -> Nodes:
    """Fit waypoints to a motion that was played out beforehand; its end stays where it is.

    Args:
        offset_m: of each waypoint from the motion, the start among them [m], shape (N, 3).
    """
    return lambda index, place_m, _: place_m + offset_m[index] if index < len(offset_m) else place_m


def live_nodes(start_m: Array, period_s: float, speed_max_m_s: float, scale: float) -> Nodes:
    """Place waypoints for a motion from rest of unknown future; scale is of the distances."""
    nodes = LiveNodes(start_m, period_s, (speed_max_m_s * period_s - SPARE_M) / scale)
    return lambda _, place_m, velocity_m_s: nodes.node_m(place_m, velocity_m_s)


def planned_offsets_m(
    path_m: Array, samples: int, model: BlendModel, speed_max_m_s: float, scale: float
) -> Array:
    """Return the offset of each waypoint from a planned motion, shape (N, 3) [m].

    Args:
        path_m: places of the simulated gripper from the start on [m], shape
            (samples (N - 1) + 1, 3).
    """
    step_max_m = speed_max_m_s * model.period_s - SPARE_M
    nodes = fit_nodes(scale * path_m, samples, model, step_max_m) / scale
    return nodes - path_m[::samples]


KIND = "path deviation at a corner"


def worst_corner(
    limits: ArmLimits, path: Sequence[Pose], period_s: float, scale: float = 1.0
) -> PathFinding | None:
    """Find the corner that the robot would round most; None without three waypoints or limit.

    Args:
        path: poses of either gripper at each waypoint, the start among them.
        scale: of the distances, from the path to the robot.

    Raises:
        RefusedError: if one is rounded too much, with speeds at which it would fit.
    """
    corners = limits.corners
    if corners is None or len(path) < 3:
        return None
    places = scale * np.array([pose.position_m for pose in path])
    steps_m = [tuple(step_m) for step_m in np.diff(places, axis=0).tolist()]
    for number, (before, after) in enumerate(pairwise(steps_m), 2):
        for violation in cut_corner(limits, before, after, period_s):
            raise RefusedError(
                f"the motion was refused at waypoint {number} ({number * period_s:.2f} s), nothing "
                f"has been sent:\n{violation}\nit is the same at every place on the bench: what "
                "has to change is the speed there"
            )
    speeds = [tuple(x / period_s for x in step_m) for step_m in steps_m]
    off_m = [corners.deviation_m(before, after) for before, after in pairwise(speeds)]
    worst = int(np.argmax(off_m))
    value, limit = off_m[worst], corners.deviation_max_m
    return PathFinding(
        limits.name, KIND, "gripper", worst + 1, value, limit, "m", within=True,
        margin=1.0 - value / limit, t_s=(worst + 1) * period_s,
    )  # fmt: skip
