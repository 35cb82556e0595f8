"""Corners of a planned motion, judged before a place is looked for.

How far the controller rounds a corner follows from the turn there and the speeds before and after
it, which are the same wherever on the bench the motion takes place and however it is turned. So no
choice of the place helps a corner that is too sharp: the motion has to be slower there.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from arm_driver.path_report import PathFinding
from arm_driver.pose import Pose
from hil.config.errors import RefusedError
from safety.arm_limits import ArmLimits
from safety.arm_rules import cut_corner

KIND = "path deviation at a corner"


def worst_corner(
    limits: ArmLimits, path: Sequence[Pose], period_s: float, scale: float = 1.0
) -> PathFinding | None:
    """The corner that the robot would round most; None without three waypoints or without a limit.

    Args:
        limits: of the robot.
        path: poses of either gripper at each waypoint, the start among them.
        period_s: from one waypoint to the next [s].
        scale: of the ways, from the path to the robot.

    Raises:
        RefusedError: if one is rounded too much, with speeds at which it would fit.
    """
    corners = limits.corners
    if corners is None or len(path) < 3:
        return None
    places = scale * np.array([pose.position_m for pose in path])
    ways = [tuple(way) for way in np.diff(places, axis=0).tolist()]
    for number, (before, after) in enumerate(pairwise(ways), 2):
        for violation in cut_corner(limits, before, after, period_s):
            raise RefusedError(
                f"the motion was refused at waypoint {number} ({number * period_s:.2f} s), nothing "
                f"has been sent:\n{violation}\nit is the same at every place on the bench: what "
                "has to change is the speed there"
            )
    speeds = [tuple(x / period_s for x in way) for way in ways]
    off_m = [corners.deviation_m(before, after) for before, after in pairwise(speeds)]
    worst = int(np.argmax(off_m))
    value, limit = off_m[worst], corners.deviation_max_m
    return PathFinding(
        limits.name, KIND, "gripper", worst + 1, value, limit, "m", within=True,
        margin=1.0 - value / limit, t_s=(worst + 1) * period_s,
    )  # fmt: skip
