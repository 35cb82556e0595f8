"""Common parts of several simulators' codecs: units, checks of numbers, places on the earth."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

from hil.hosts.kind import Refused
from platform6dof.cueing.attitude import to_body
from platform6dof.cueing.vehicle import GRAVITY_M_S2, Quaternion, Vector3

FOOT_M: Final = 0.3048
"""International foot."""
MOST: Final = 1e9
"""Largest value of any quantity of a vehicle, in SI units."""
MOST_LINE_BYTES: Final = 4096
"""A line of text is no longer."""
_EQUATOR_M: Final = 6_378_137.0
_FLATTENING: Final = 1.0 / 298.257223563
_SQUARED: Final = _FLATTENING * (2.0 - _FLATTENING)


def fault_of_numbers(values: Iterable[float]) -> Refused | None:
    """NOT_FINITE or RANGE for numbers of which one cannot be; None for good ones."""
    for value in values:
        if not math.isfinite(value):
            return Refused.NOT_FINITE
        if abs(value) > MOST:
            return Refused.RANGE
    return None


def numbers_of_line(text: bytes, between: str, count: int) -> tuple[float, ...] | Refused:
    """Return the numbers of a line of text, or why it is none: LENGTH, TEXT.

    Args:
        text: ASCII, without what ends the line.
        between: what separates two numbers.
        count: how many there must be.
    """
    if len(text) > MOST_LINE_BYTES:
        return Refused.LENGTH
    try:
        line = text.decode("ascii")
        parts = line.split(between) if between else [line]
        if len(parts) != count or "_" in line:  # 1_5 is a number for Python, and for nobody else
            return Refused.TEXT
        return tuple(map(float, parts))
    except ValueError:
        return Refused.TEXT


def with_gravity(acceleration_m_s2: Vector3, attitude: Quaternion) -> Vector3:
    """Add gravity to an acceleration without it: f = a - g, specific, in body axes [m/s²]."""
    x, y, z = to_body(attitude, (0.0, 0.0, GRAVITY_M_S2))
    return acceleration_m_s2[0] - x, acceleration_m_s2[1] - y, acceleration_m_s2[2] - z


class LocalFrame:
    """Brings latitude, longitude and height to north, east, down of where they were first.

    Radii of curvature of WGS 84, at the first place (Torge, Geodesy, 3rd ed., 4.1.1).
    """

    def __init__(self) -> None:
        self._first: Vector3 | None = None
        self._north_m = self._east_m = 0.0

    def position(self, latitude_rad: float, longitude_rad: float, height_m: float) -> Vector3:
        """Return north, east, down of the first place [m]."""
        if self._first is None:
            self._first = latitude_rad, longitude_rad, height_m
            sine = math.sin(latitude_rad)
            w = 1.0 - _SQUARED * sine * sine
            self._north_m = _EQUATOR_M * (1.0 - _SQUARED) / (w * math.sqrt(w))
            self._east_m = _EQUATOR_M / math.sqrt(w) * math.cos(latitude_rad)
        latitude, longitude, height = self._first
        east_rad = math.remainder(longitude_rad - longitude, 2.0 * math.pi)
        north_m = (latitude_rad - latitude) * self._north_m
        return north_m, east_rad * self._east_m, height - height_m


class Asking:
    """Repeats a request to a host until it answers, and when it no longer answers."""

    EVERY_S: Final = 1.0
    """Time for which an answer is awaited [s]."""

    def __init__(self) -> None:
        self._asked_s = -math.inf
        self._received = False

    def received(self) -> None:
        """The host answered."""
        self._received = True

    def due(self, now_s: float) -> bool:
        """Return whether it must be asked now [s]."""
        if now_s - self._asked_s < self.EVERY_S:
            return False
        due = not self._received
        self._asked_s, self._received = now_s, False
        return due
