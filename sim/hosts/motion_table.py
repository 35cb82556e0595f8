"""A vehicle's motion as a table: a recorded ride, or what a flight model gave.

Between two rows vectors are interpolated along a line and attitudes along the shortest turn.
Not modelled: rows that do not fit each other; they are sent as they are.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from sim.hosts.vehicle_motion import AT_REST, Quaternion, Vector, VehicleMotion, multiplied

COLUMNS: Final = {
    "f": ("f_x_m_s2", "f_y_m_s2", "f_z_m_s2"),
    "omega": ("p_rad_s", "q_rad_s", "r_rad_s"),
    "attitude": ("qw", "qx", "qy", "qz"),
    "v": ("v_x_m_s", "v_y_m_s", "v_z_m_s"),
    "position": ("north_m", "east_m", "down_m"),
}
"""Columns of a recorded ride, beside ``t_s``; f and omega are needed."""


class Sampled:
    """A motion of rows.

    Args:
        times_s: rising, at least two, from 0 on [s].
        rows: a motion for each.
        ends: whether the simulator leaves at the last row; else the vehicle stays as it then is.

    Raises:
        ValueError: if there are fewer than two rows, or times do not rise.
    """

    def __init__(
        self, times_s: list[float], rows: list[VehicleMotion], *, ends: bool = True
    ) -> None:
        if len(times_s) < 2:
            raise ValueError(f"{len(times_s)} rows: at least 2 are needed")
        for before_s, after_s in pairwise(times_s):
            if not after_s > before_s:
                raise ValueError(f"t_s = {after_s} s after {before_s} s: times must rise")
        self._times_s, self._rows = times_s, rows
        self.ends: bool = ends
        """Whether the simulator leaves at the last row."""

    @property
    def lasts_s(self) -> float:
        """From the first row to the last [s]."""
        return self._times_s[-1] - self._times_s[0]

    def at(self, t_s: float) -> VehicleMotion:
        """What the vehicle does at a time from the first row [s]."""
        t_s += self._times_s[0]
        index = bisect_right(self._times_s, t_s)
        if index == 0:
            return self._rows[0]
        if index == len(self._times_s):
            return self._rows[-1]
        begin_s, end_s = self._times_s[index - 1], self._times_s[index]
        share = (t_s - begin_s) / (end_s - begin_s)
        a, b = self._rows[index - 1], self._rows[index]
        if share < 1e-9:
            return a
        return VehicleMotion(
            _between(a.f_m_s2, b.f_m_s2, share),
            _between(a.omega_rad_s, b.omega_rad_s, share),
            _between(a.domega_rad_s2, b.domega_rad_s2, share),
            _turned(a.attitude, b.attitude, share),
            _between(a.v_m_s, b.v_m_s, share),
            _between(a.position_m, b.position_m, share),
            a.ground,
        )


def _between(a: Vector, b: Vector, share: float) -> Vector:
    return (
        a[0] + share * (b[0] - a[0]),
        a[1] + share * (b[1] - a[1]),
        a[2] + share * (b[2] - a[2]),
    )


def _turned(a: Quaternion, b: Quaternion, share: float) -> Quaternion:
    w, x, y, z = multiplied((a[0], -a[1], -a[2], -a[3]), b)
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    sine = math.sqrt(x * x + y * y + z * z)
    if sine < 1e-12:
        return a
    half = share * math.atan2(sine, w)
    scale = math.sin(half) / sine
    return multiplied(a, (math.cos(half), scale * x, scale * y, scale * z))


def columns_in(header: Sequence[str]) -> list[str]:
    """Names of the columns of a recorded ride that a table has.

    Raises:
        ValueError: if one that is needed is not there, or a part of a vector is missing.
    """
    needed = ("t_s", *COLUMNS["f"], *COLUMNS["omega"])
    for name in needed:
        if name not in header:
            raise ValueError(f"no column {name}; it needs {', '.join(needed)}")
    for names in COLUMNS.values():
        there = [name for name in names if name in header]
        if there and len(there) < len(names):
            raise ValueError(f"column {there[0]} without {', '.join(names)}")
    wanted = ("t_s", *(name for names in COLUMNS.values() for name in names))
    return [name for name in wanted if name in header]


def recorded(columns: Mapping[str, Sequence[float]]) -> Sampled:
    """A recorded ride: columns ``t_s`` and `COLUMNS`, as ``hil host record`` writes them.

    Without ``qw`` … the attitude is the integral of the rates, from level; without ``v_x_m_s`` …
    or ``north_m`` … the vehicle stands where it is.

    Args:
        columns: those that `columns_in` names, in equal length.

    Raises:
        ValueError: if there are fewer than two rows, or times do not rise.
    """
    times_s: list[float] = []
    rows: list[VehicleMotion] = []
    nothing = (0.0,) * len(columns["t_s"])
    names = ("t_s", *(name for group in COLUMNS.values() for name in group))
    for line in zip(*(columns.get(name, nothing) for name in names), strict=True):
        values = [float(value) for value in line]
        attitude = None if "qw" in columns else _turning(times_s, rows, values)
        rows.append(_row(values, attitude))
        times_s.append(values[0])
    return Sampled(times_s, rows)


def _turning(times_s: list[float], rows: list[VehicleMotion], values: list[float]) -> Quaternion:
    """Attitude after the row before, by that row's rates."""
    if not rows:
        return AT_REST.attitude
    p, q, r = rows[-1].omega_rad_s
    dt_s = values[0] - times_s[-1]
    turn = math.sqrt(p * p + q * q + r * r) * dt_s
    half = math.sin(0.5 * turn) / turn * dt_s if abs(turn) > 1e-12 else 0.5 * dt_s
    return multiplied(rows[-1].attitude, (math.cos(0.5 * turn), half * p, half * q, half * r))


def _row(v: list[float], attitude: Quaternion | None) -> VehicleMotion:
    if attitude is None:
        length = math.sqrt(sum(part * part for part in v[7:11])) or 1.0
        attitude = (v[7] / length, v[8] / length, v[9] / length, v[10] / length)
    return VehicleMotion(
        (v[1], v[2], v[3]),
        (v[4], v[5], v[6]),
        (0.0, 0.0, 0.0),
        attitude,
        (v[11], v[12], v[13]),
        (v[14], v[15], v[16]),
    )
