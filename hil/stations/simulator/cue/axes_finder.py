"""Columns of an unknown sensor's record: axes, signs and units, found by physics.

Gravity shows which axis is down, the change of speed which one is forward; force to the side is
proportional to speed times yaw rate. Physics cannot distinguish left from right, so a person does:
a sensor of gravity minus acceleration gives the same in the mirror.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import numpy as np
from scipy.ndimage import uniform_filter1d

from hil.config.errors import MotionError
from hil.config.tables import NumberTable, read_header, read_table
from hil.config.times import TIME_UNITS
from hil.config.toml_text import toml_value
from hil.config.unit_names import unit_key
from hil.machines.cueing.ride_map import FORCES, RATES, SPEEDS
from hil.stations.platform.motion.columns import TimeMap
from hil.stations.platform.motion.resample import times
from hil.stations.platform.motion.source import Floats
from platform6dof.cueing.vehicle import GRAVITY_M_S2

Bend = Literal["left", "right"]
GAP_MAX_S: Final = 1.0
SMOOTH_S: Final = 0.5
"""Window over which both sides of a line are averaged: speed is recorded coarsely [s]."""
NEAR_SHARE: Final = 0.15
"""Gravity in a unit is that, within this share."""
SURE: Final = 0.5
"""Correlation below which a line decides nothing."""
ALONG: Final = 0.8
"""Cosine of how far from a column's axis a direction of the vehicle may be: 37°."""
SLOPE_MOST: Final = 1.5
"""Slopes between this and its inverse are of the right unit."""
_TRIPLES: Final = (("x", "y", "z"), ("roll", "pitch", "yaw"), ("p", "q", "r"))
_RATES: Final = re.compile(r"rate|gyr|omega|rot|ang|deg_s|rad_s|deg/s|rad/s|dps", re.IGNORECASE)
_SPEED: Final = re.compile(r"speed|vel|sog|v_x", re.IGNORECASE)
_TIME: Final = re.compile(r"time|stamp|^t$|^t_|^seconds", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FoundAxes:
    """A map that makes a record a vehicle's."""

    toml: str
    """Text of the map, in the form of ``configs/rides``."""
    findings: tuple[str, ...]
    """Explanation of how each column was found, line by line."""
    time: tuple[str, str]
    """Column of the time, and its unit."""
    columns: dict[str, tuple[str, str, int]]
    """Column, unit and sign of f_x, f_y, f_z, p, q, r, v_x."""


def find_axes(path: Path, bend: Bend, speed_unit: str | None = None) -> FoundAxes:
    """Find axes, signs and units of a record.

    Args:
        bend: direction of its first bend, as the driver knows it.
        speed_unit: of its speed; None where the column's name or the slope gives it.

    Raises:
        MotionError: naming what is not there, or is ambiguous.
    """
    header = read_header(path).header
    time_name = _first(header, _TIME, path, "time")
    speed_name = _first(header, _SPEED, path, "speed: forward is found by its change")
    groups = _groups(header)
    if not groups:
        raise MotionError(f"{path}: no three columns whose names differ by x, y, z alone: no force")
    every = (one for group in groups for one in group)
    names = list(dict.fromkeys((time_name, speed_name, *every)))
    table = read_table(path, names, time=time_name)
    unit = "iso" if table.clock == "stamps" else _time_unit(table, time_name)
    t_s = times(table, TimeMap(time_name, unit), GAP_MAX_S)
    step_s = float(np.median(np.diff(t_s)))
    grid_s = np.arange(0.0, t_s[-1], step_s)
    width = max(1, round(SMOOTH_S / step_s))

    def column(name: str) -> Floats:
        return uniform_filter1d(np.interp(grid_s, t_s, table.columns[name]), width)

    force, force_unit = _force(path, table, [one for one in groups if not _is_rates(one)])
    f = np.stack([column(name) for name in force]) * FORCES[force_unit]
    speed = column(speed_name)
    findings = [f"time: {time_name} in {unit}; force: {', '.join(force)} in {force_unit}"]
    down, sign_down = _down(path, force, f, findings)
    flat = [k for k in range(3) if k != down]
    known = speed_unit or _speed_unit(table, speed_name)
    change = np.gradient(speed, step_s)
    forward, sign_forward, speed_unit = _forward(path, force, f, flat, change, known, findings)
    right = next(k for k in flat if k != forward)
    rates = next((one for one in groups if _is_rates(one)), None)
    lines = {"f_x": (force[forward], force_unit, sign_forward)}
    if rates is None:
        raise MotionError(f"{path}: no three columns of rates (gyro_x …): right is found by them")
    v = speed * SPEEDS[speed_unit]
    turn = _turning(path, rates[down], column(rates[down]))
    sign_turn = _first_bend(turn) * (1 if bend == "right" else -1)
    rate_unit, sign_right = _right(path, force[right], f[right], v * turn * sign_turn, findings)
    lines["f_y"] = (force[right], force_unit, sign_right)
    lines["f_z"] = (force[down], force_unit, sign_down)
    # A gyro is right-handed; where its down is not that of the force, that has the other sign.
    same = 1 if sign_turn == sign_down else -1
    lines["p"] = (rates[forward], rate_unit, same * sign_forward)
    lines["q"] = (rates[right], rate_unit, same * sign_right)
    lines["r"] = (rates[down], rate_unit, sign_turn)
    lines["v_x"] = (speed_name, speed_unit, 1)
    findings.append(f"r: {rates[down]}, sign {sign_turn:+d}, as the first bend goes to the {bend}")
    if sign_turn * sign_down < 0:
        findings.append("the sensor tells gravity minus acceleration, as its turning and force say")
    text = _map_text(path, time_name, unit, lines, findings)
    return FoundAxes(text, tuple(findings), (time_name, unit), lines)


def _first(header: tuple[str, ...], pattern: re.Pattern[str], path: Path, what: str) -> str:
    for name in header:
        if pattern.search(name) and not _RATES.search(name):
            return name
    raise MotionError(f"{path}: no column of {what}; there are {', '.join(header)}")


def _groups(header: tuple[str, ...]) -> list[tuple[str, str, str]]:
    """Return the columns whose names differ by their axis alone."""
    found: list[tuple[str, str, str]] = []
    for first, second, third in _TRIPLES:
        pattern = re.compile(rf"(?<![A-Za-z]){first}(?![A-Za-z])|^{first}(?=rate)", re.IGNORECASE)
        for name in header:
            part = pattern.search(name)
            if part is None:
                continue
            upper = part.group().isupper()
            one, two, three = (
                name[: part.start()] + (axis.upper() if upper else axis) + name[part.end() :]
                for axis in (first, second, third)
            )
            if {one, two, three} <= set(header) and one == name:
                found.append((one, two, three))
    return found


def _is_rates(group: tuple[str, str, str]) -> bool:
    return _RATES.search(group[0]) is not None


def _time_unit(table: NumberTable, name: str) -> str:
    """Find the unit of the time in the file's row of units or the name; else by the step.

    A record has 1 to 2000 rows a second.
    """
    for said in (table.units.get(name, ""), re.split(r"[_\s]+(?=\S+$)", name)[-1]):
        unit = unit_key(said)
        if unit is not None and unit in TIME_UNITS and unit != "iso":
            return unit
    step = float(np.median(np.diff(table.columns[name])))
    if step < 1.0:
        return "s"
    return "ms" if step < 1e3 else "us" if step < 1e6 else "ns"


def _speed_unit(table: NumberTable, name: str) -> str | None:
    """Find the unit of the speed in the file's units or the name; None if neither has it."""
    said = unit_key(table.units.get(name, ""))
    if said in SPEEDS:
        return said
    return next((one for one in SPEEDS if name.lower().endswith(one)), None)


def _turning(path: Path, name: str, rate: Floats) -> Floats:
    """Return yaw rate without its mean."""
    turn = rate - rate.mean()
    if turn.std() == 0.0:
        text = f"{path}: {name} never changes"
        raise MotionError(f"{text}: a drive with bends is needed, to tell right from left")
    return turn


def _force(
    path: Path, table: NumberTable, groups: list[tuple[str, str, str]]
) -> tuple[tuple[str, str, str], str]:
    """Return the three columns whose mean is gravity in some unit."""
    seen: list[str] = []
    for group in groups:
        size = math.hypot(*(float(table.columns[name].mean()) for name in group))
        for unit, factor in FORCES.items():
            if abs(size * factor / GRAVITY_M_S2 - 1.0) < NEAR_SHARE:
                return group, unit
        seen.append(f"{', '.join(group)}: {size:.3g}")
    text = "; ".join(seen) or "no such three columns"
    raise MotionError(f"{path}: no three columns whose mean is g in a unit of force ({text})")


def _down(
    path: Path, force: tuple[str, str, str], f: Floats, findings: list[str]
) -> tuple[int, int]:
    mean = f.mean(axis=1)
    at = int(np.argmax(np.abs(mean)))
    size = float(np.linalg.norm(mean))
    if abs(mean[at]) < ALONG * size:
        angle = math.degrees(math.acos(abs(mean[at]) / size))
        text = f"{path}: gravity is {angle:.0f}° from the axis of {force[at]}: the sensor is askew"
        raise MotionError(f"{text}; turn it, or write a map with level_s")
    sign = -1 if mean[at] > 0.0 else 1
    findings.append(f"f_z: {force[at]}, sign {sign:+d}, by its mean of {mean[at]:.2f} m/s2")
    return at, sign


def _forward(
    path: Path, force: tuple[str, str, str], f: Floats, flat: list[int], change: Floats,
    known: str | None, findings: list[str],
) -> tuple[int, int, str]:  # fmt: skip
    """Find which of two axes follows the change of speed, with which sign, and the speed's unit."""
    lines = {k: _line(change, f[k]) for k in flat}
    at = max(flat, key=lambda k: abs(lines[k][1]))
    slope, correlation = lines[at]
    if abs(correlation) < SURE:
        text = f"{path}: no force follows the change of speed (correlation {correlation:.2f}, at"
        raise MotionError(
            f"{text} least {SURE:g}): forward cannot be told; a drive that brakes can"
        )
    unit, *others = sorted(SPEEDS, key=lambda one: abs(math.log(abs(slope) / SPEEDS[one])))
    share = abs(slope) / SPEEDS[others[0]]
    if known is None and 1.0 / SLOPE_MOST <= share <= SLOPE_MOST:
        text = f"{path}: the speed may be in {unit} or in {others[0]}, by its change"
        raise MotionError(f"{text}: say which, such as --speed-unit {unit}")
    unit = known or unit
    share = abs(slope) / SPEEDS[unit]
    if not 0.5 / SLOPE_MOST <= share <= 2.0 * SLOPE_MOST:
        text = f"{path}: slope {share:.2f} of {force[at]} on the change of speed in {unit}"
        raise MotionError(f"{text}: about 1 is right; --speed-unit says another")
    findings.append(
        f"f_x: {force[at]}, sign {1 if slope > 0 else -1:+d}, slope {share:.2f} on the change of "
        f"speed in {unit} (correlation {correlation:.2f})"
    )
    return at, 1 if slope > 0.0 else -1, unit


def _right(
    path: Path, name: str, force: Floats, bend: Floats, findings: list[str]
) -> tuple[str, int]:
    """Return the unit of the rates, and the sign of the force to the right."""
    slope, correlation = _line(bend, force)
    if abs(correlation) < SURE:
        text = f"{path}: {name} does not go with speed times yaw rate (correlation"
        text += f" {correlation:.2f}, at least {SURE:g})"
        raise MotionError(f"{text}: a drive with bends tells it")
    unit = min(RATES, key=lambda one: abs(math.log(abs(slope) / RATES[one])))
    share = abs(slope) / RATES[unit]
    if not 1.0 / SLOPE_MOST <= share <= SLOPE_MOST:
        text = f"{path}: slope {share:.2f} of {name} on speed times yaw rate in {unit}"
        raise MotionError(f"{text}: about 1 is right; the unit of speed or rates is another")
    sign = 1 if slope > 0.0 else -1
    findings.append(f"f_y: {name}, sign {sign:+d}, slope {share:.2f} on v·r in {unit}")
    return unit, sign


def _line(x: Floats, y: Floats) -> tuple[float, float]:
    """Return the slope and correlation; 0 where one does not move."""
    x, y = x - x.mean(), y - y.mean()
    if x.std() == 0.0 or y.std() == 0.0:
        return 0.0, 0.0
    return float((x * y).mean() / (x * x).mean()), float((x * y).mean() / (x.std() * y.std()))


def _first_bend(turn: Floats) -> int:
    """Return the sign of the first turn that is worth the name: half as fast as the fastest."""
    at = int(np.flatnonzero(np.abs(turn) > 0.5 * np.abs(turn).max())[0])
    return 1 if turn[at] > 0.0 else -1


def _map_text(
    path: Path,
    time_name: str,
    unit: str,
    lines: dict[str, tuple[str, str, int]],
    findings: list[str],
) -> str:
    """Return the map, in the project's own form."""
    rows = [f"# {one}" for one in findings]
    rows += [f"name = {toml_value(path.stem[:60] or 'ride')}", ""]
    rows += ["[time]", f"column = {toml_value(time_name)}", f"unit = {toml_value(unit)}", ""]
    rows.append("[columns]")
    for name, (column, key, sign) in lines.items():
        more = ", sign = -1" if sign < 0 else ""
        more += ', bias = "mean"' if name != "v_x" else ""
        rows.append(f"{name} = {{ column = {toml_value(column)}, unit = {toml_value(key)}{more} }}")
    return "\n".join(rows) + "\n"
