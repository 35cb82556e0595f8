"""The joints of both arms against their limits, as a table: one row a joint."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hil.report.recorded import Row, Table, Tables
from hil.stations.arm.report.view import ArmView

Array = NDArray[np.float64]


HEADS: Final = (
    "joint", "reached [deg]", "allowed [deg]", "least left [deg]", "at [s]", "rate [deg/s]",
    "limit [deg/s]", "acceleration [deg/s²]", "limit [deg/s²]",
)  # fmt: skip
"""Columns of a table; a cell is empty where nothing is known."""


@dataclass(frozen=True, slots=True, eq=False)
class _Limits:
    low_rad: Array
    high_rad: Array
    rate_rad_s: Array
    acceleration_rad_s2: Array | None


def joint_tables(view: ArmView) -> Tables | None:
    """A table of each arm; None if the recording does not describe the arms.

    Angles of the simulated arm are those it had, of the industrial one those it was asked for.
    """
    machines = view.machines
    if machines is None or not view.run.waypoints:
        return None
    robot, column = machines.robot, view.run.column
    industrial = _Limits(
        robot.position_min_rad,
        robot.position_max_rad,
        robot.rate_max_rad_s,
        robot.acceleration_max_rad_s2,
    )
    arms = [("industrial arm, as asked", "robot_q", "robot_q_rate", industrial)]
    if machines.space is not None:
        space = _Limits(*machines.space_range_rad(), machines.space_rate_max_rad_s(), None)
        name = f"simulated arm {machines.space.name}, as it moved"
        arms.insert(0, (name, "space_q", "space_v", space))
    tables = tuple(
        Table(HEADS, tuple(_row(view, column(q), column(v), limits, k) for k in range(6)), name)
        for name, q, v, limits in arms
        if np.isfinite(column(q)).any()
    )
    return Tables(tables) if tables else None


def acceleration_rad_s2(rate_rad_s: Array, period_s: float) -> Array:
    """Change of the rates between waypoints by their time [rad/s²], shape as the rates; NaN first.

    Args:
        rate_rad_s: joint rates [rad/s], shape (N, 6).
        period_s: between waypoints [s].
    """
    nothing = np.full((min(1, len(rate_rad_s)), rate_rad_s.shape[1]), np.nan)
    return np.vstack([nothing, np.diff(rate_rad_s, axis=0) / period_s])


def _row(view: ArmView, q_rad: Array, rate_rad_s: Array, limits: _Limits, joint: int) -> Row:
    low, high = (float(np.degrees(end[joint])) for end in (limits.low_rad, limits.high_rad))
    angle = np.degrees(q_rad[:, joint])
    left = np.minimum(angle - low, high - angle)
    place = int(np.nanargmin(left))
    rate, rate_limit = _peak_deg(rate_rad_s[:, joint]), float(np.degrees(limits.rate_rad_s[joint]))
    change, change_limit = np.nan, np.nan
    if limits.acceleration_rad_s2 is not None:
        change = _peak_deg(acceleration_rad_s2(rate_rad_s, view.period_s)[:, joint])
        change_limit = float(np.degrees(limits.acceleration_rad_s2[joint]))
    bad = left[place] < 0.0 or _over(rate, rate_limit) or _over(change, change_limit)
    cells = (
        str(joint + 1),
        f"{np.nanmin(angle):.2f} … {np.nanmax(angle):.2f}",
        f"{low:.1f} … {high:.1f}",
        f"{left[place]:.2f}",
        f"{view.fetches.fetched_s[place]:.2f}",
        _text(rate, 3),
        _text(rate_limit, 1),
        _text(change, 2),
        _text(change_limit, 0),
    )
    return Row(cells, bool(bad))


def _peak_deg(values_rad: Array) -> float:
    there = values_rad[np.isfinite(values_rad)]
    return float(np.degrees(np.abs(there).max())) if len(there) else np.nan


def _over(value: float, limit: float) -> bool:
    return bool(value > limit * (1.0 + 1e-9))  # False if one of them is not there


def _text(value: float, digits: int) -> str:
    return f"{value:.{digits}f}" if np.isfinite(value) else ""
