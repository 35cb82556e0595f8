"""The path that a robot drives over the waypoints it was sent, by its controller's model."""

from typing import Final

import numpy as np

from arm_driver.blended_path import BlendModel
from arm_driver.pose import Pose
from arm_driver.rotation import quaternion_of
from hil.stations.arm.report.tracking import TrackedPath

FINE: Final = 10
"""Places in a period."""
GAP_PERIODS: Final = 1.5
"""Waypoints further apart in time are not neighbours: one between them is not known."""


def driven_path(asked: TrackedPath, model: BlendModel | None, start: Pose | None) -> TrackedPath:
    """The controller's path, each waypoint at the time at which it was fetched.

    Args:
        asked: waypoints.
        model: of the controller; without it, or with a waypoint missing, chords are all there is.
        start: where the robot stood a period before the first of them; None if that is not known.
    """
    if model is None or len(asked) < 2 or np.diff(asked.t_s).max() > GAP_PERIODS * model.period_s:
        return asked
    if start is not None:
        first = np.concatenate([start.position_m, quaternion_of(start.rotation)])
        poses = np.vstack([first, np.hstack([asked.position_m, asked.quaternion])])
        asked = TrackedPath.of(np.append(asked.t_s[0] - model.period_s, asked.t_s), poses)
    count = len(asked)
    part = np.arange(FINE * (count - 1) + 1) / FINE
    t_s = np.interp(part, np.arange(count), asked.t_s)
    position = model.path_m(asked.position_m, part * model.period_s)
    turns = asked.at(t_s)[1].as_quat(scalar_first=True)
    return TrackedPath.of(t_s, np.hstack([position, turns]))
