"""Short motions from rest to rest, of which each shows how a controller follows.

A stroke goes along one axis at one speed: waypoint k of N is due (k + 1) / N of the way. It is a
stream of its own, so its last request is the robot's first word at rest.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.spatial.transform import Rotation

from arm_driver.contour.host_values import ReceivedRequest
from arm_driver.contour.location import Location
from arm_driver.contour.val import OatConvention, from_oat

AXES: Final = ("x", "y", "z", "turn")
"""Axes of a stroke: those of the robot's base, and the turn about the gripper's own axis."""


@dataclass(frozen=True, slots=True)
class Stroke:
    """One stroke by the robot's requests."""

    axis: str
    """One of `AXES`."""
    travel: float
    """Length of the stroke [m or rad], with its sense."""
    steps: int
    """Waypoints, evenly spaced."""
    places: tuple[tuple[int, float], ...]
    """Requests of the moving robot, by their number after the first one, and how far along it
    was then [m or rad]."""
    at_s: float
    """Time of its first word at rest, by the clock of all strokes [s]."""
    rest_s: float
    """Time from the request for the last waypoint to its first word at rest [s]."""
    rest: float
    """Distance along the stroke then [m or rad]."""


class StrokeUnknownError(Exception):
    """The robot's requests do not have what is asked of them; the text says what is missing."""


class PlaceUnknownError(StrokeUnknownError):
    """They do not say where the robot is while it moves."""


def read_stroke(
    axis: str,
    ends: Sequence[Location],
    steps: int,
    requests: Sequence[ReceivedRequest],
    *,
    baud: int,
    convention: OatConvention,
) -> Stroke:
    """Read one stroke from its requests.

    Args:
        axis: One of `AXES`.
        ends: Where it begins and where it ends, as sent.
        steps: Waypoints.
        requests: From the first that was answered on, one for each number: N for waypoints,
            one that was answered with the end, and the first word at rest.
        convention: Of the controller's angles.

    Raises:
        StrokeUnknownError: A request or its place is missing.
    """
    if len(requests) != steps + 2:
        raise StrokeUnknownError(
            f"a stroke of {steps} waypoints has {steps + 2} requests, {len(requests)} were heard"
        )
    along = []
    for one in requests[1:]:
        if one.request.location is None:
            raise PlaceUnknownError(
                f"the request for waypoint {one.request.seq} does not tell where the robot is: "
                "switch on its option 'feedback' (feedb = 1 in the controller's program)"
            )
        along.append(_along(axis, ends, one.request.location, convention))
    asked_s = [one.asked_s(baud) for one in requests]
    travel = _along(axis, ends, ends[1], convention)
    rest_s = asked_s[-1] - asked_s[-3]
    return Stroke(
        axis, travel, steps, tuple(enumerate(along[:-1], 1)), asked_s[-1], rest_s, along[-1]
    )


def _along(
    axis: str, ends: Sequence[Location], place: Location, convention: OatConvention
) -> float:
    """Distance of a place along a stroke [m or rad], positive in the sense of the axis."""
    start, end = ends
    if axis in AXES[:3]:
        number = AXES.index(axis)
        return place.position_m[number] - start.position_m[number]
    first, last, here = (from_oat(one.oat_rad, convention) for one in (start, end, place))
    whole = Rotation.from_matrix(first.T @ last).as_rotvec()
    turn = Rotation.from_matrix(first.T @ here).as_rotvec()
    sense = math.copysign(1.0, whole[2])
    return sense * float(turn @ whole) / float(np.linalg.norm(whole))


_SHARES: Final = (
    (2, (1.0, -0.97, 0.94, -0.91)),  # fast: what is left over at rest is large
    (3, (0.5, -0.48, 0.46, -0.44)),  # long enough for an even part after a long delay
    (3, (0.2, -0.19, 0.18, -0.17)),  # slow: friction shows
)


def plan_strokes(step: float) -> tuple[tuple[int, float], ...]:
    """Plan strokes along one axis about the arm's place; the last one ends there.

    No two have the same way, so that last decimals and phases average out.

    Args:
        step: Longest way between two waypoints [m or rad]; so far it goes to either side.

    Returns:
        Of each stroke how many waypoints it has, and its way [m or rad].
    """
    travels = [(1, -step)]
    travels += [(steps, steps * share * step) for steps, shares in _SHARES for share in shares]
    back = -sum(travel for _, travel in travels)
    return (*travels, (2, back))
