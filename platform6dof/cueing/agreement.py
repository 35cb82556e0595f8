"""Consistency of what a source reports, by which a wrong sign or unit is found.

Straight lines through pairs that physics relates: forward force on the change of speed,
lateral force on speed times yaw rate, rates on the turning of the attitude. The slope must be
about 1; a negative one is a wrong sign, one far from 1 a wrong unit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter1d
from scipy.spatial.transform import Rotation as Turn

from platform6dof.cueing.plausible import (
    EMPTY_S,
    ForceFault,
    ForceFinding,
    empty,
    gravity_twice,
    judge_force,
)
from platform6dof.cueing.record import ReportedMotion, rates_of
from platform6dof.cueing.vehicle import GRAVITY_M_S2, Vector3

Array = NDArray[np.float64]
SMOOTH_S: Final = 0.5
"""Time over which both sides are averaged [s]: speed is reported coarsely."""
LEAST_CORRELATION: Final = 0.4
"""Correlation below which a line says nothing."""
LEAST_MOTION: Final = {"f_x": 0.1, "f_y": 0.1, "p": 0.01, "q": 0.01, "r": 0.01}
"""Standard deviation that one of the two sides must have [m/s², rad/s]."""
SLOPES: Final = (0.3, 3.0)
"""Slopes between these are no other unit where the points scatter, which makes a slope smaller."""
SURE_CORRELATION: Final = 0.85
"""Correlation from which points hardly scatter, and a slope says what the unit is."""
SURE_SLOPES: Final = (1.0 / 1.8, 1.8)
"""Slopes between these are then no other unit: knots for m/s are 1.94, ft/s for m/s 3.28."""
EMPTY_M_S2: Final = 1e-3
"""A force smaller than this on all axes is 0, as a resampled one may be [m/s²]."""


class Judgement(Enum):
    """Judgement by a line through a pair."""

    AGREES = "agrees"
    WRONG_SIGN = "wrong sign"
    WRONG_SCALE = "wrong scale"
    WRONG_AXIS = "wrong axis"
    """Gravity is on another axis, or its axes are askew in the vehicle."""
    NO_GRAVITY = "no gravity"
    """A force without gravity, or none at all."""
    SILENT = "not told"
    """Too little motion, or no relation, to say anything."""

    @property
    def wrong(self) -> bool:
        """Whether it says that something is wrong."""
        return self not in (Judgement.AGREES, Judgement.SILENT)


_OF_FAULT: Final = {
    ForceFault.NO_GRAVITY: Judgement.NO_GRAVITY,
    ForceFault.EMPTY: Judgement.NO_GRAVITY,
    ForceFault.WRONG_SIGN: Judgement.WRONG_SIGN,
    ForceFault.WRONG_SCALE: Judgement.WRONG_SCALE,
    ForceFault.WRONG_AXIS: Judgement.WRONG_AXIS,
    ForceFault.ASKEW: Judgement.WRONG_AXIS,
    ForceFault.ATTITUDE: Judgement.WRONG_AXIS,
    ForceFault.GRAVITY_TWICE: Judgement.WRONG_SCALE,
}


@dataclass(frozen=True, slots=True)
class Agreement:
    """A line through one quantity and what it should be."""

    axis: str
    """f_x, f_y, f_z, p, q, r."""
    against: str
    """Quantity that it was compared with."""
    slope: float
    """Slope of the line; for f_z its mean over what it is at rest. NaN where too little moves."""
    correlation: float
    """Correlation of the two; NaN where too little moves, 1 for f_z."""
    judgement: Judgement
    """Judgement by these."""
    finding: ForceFinding | None = None
    """Fault of the mean force; None if there is none, and for all but gravity."""
    remedy: str = ""
    """Entry to write where, by the reader of the map; empty if nobody said."""

    @property
    def text(self) -> str:
        """A line for people."""
        if self.finding is not None:
            said = f"{self.axis}: slope {self.slope:.3g} on {self.against}: {self.finding.text}"
            return f"{said}; {self.remedy}" if self.remedy else said
        if math.isnan(self.slope):
            return f"{self.axis}: too little motion to hold it against {self.against}"
        said = f"{self.axis}: slope {self.slope:.3g} on {self.against}"
        said += f" (correlation {self.correlation:.2f})"
        if self.judgement is Judgement.SILENT:
            return f"{said}: no relation, so nothing can be said"
        if self.judgement is Judgement.WRONG_SIGN:
            return f"{said}: wrong sign, about 1 is right: turn the sign of {self.axis}"
        if self.judgement is Judgement.WRONG_SCALE:
            return f"{said}: about 1 is right: is its unit right?"
        return said


def agreements(
    motion: ReportedMotion,
    level_s: float | None = None,
    remedy: Callable[[ForceFinding], str] = lambda finding: "",
) -> tuple[Agreement, ...]:
    """Compare what is reported with each other; pairs of which one is missing are left out.

    Args:
        motion: as it is given, not completed.
        level_s: it is level for so long at the beginning, where gravity is judged; None for
            the mean of the whole [s].
        remedy: what to write where to end a finding about the mean force.
    """
    found: list[Agreement] = []
    width = max(1, round(SMOOTH_S / motion.step_s))
    f, omega, v = motion.force, motion.omega, motion.velocity
    has_speed = bool(np.isfinite(v[:, 0]).all())
    gravity, words = np.zeros_like(f), ("dv/dt", "v·r")
    if np.isfinite(motion.attitude).all():
        turned = Turn.from_quat(np.roll(motion.attitude, -1, axis=1))
        gravity = turned.inv().apply((0.0, 0.0, GRAVITY_M_S2))
        words = ("dv/dt - gravity", "v·r - gravity")
    if has_speed and _has_values(f[:, 0]):
        change = np.gradient(v[:, 0], motion.step_s) - gravity[:, 0]
        found.append(_line("f_x", words[0], change, f[:, 0], width))
    if has_speed and _has_values(f[:, 1]) and _has_values(omega[:, 2]):
        bend = v[:, 0] * omega[:, 2] - gravity[:, 1]
        found.append(_line("f_y", words[1], bend, f[:, 1], width))
    found += _gravity(motion, level_s, remedy)
    if np.isfinite(motion.attitude).all():
        turned = rates_of(Turn.from_quat(np.roll(motion.attitude, -1, axis=1)), motion.step_s)
        for k, axis in enumerate("pqr"):
            if _has_values(omega[:, k]):
                found.append(_line(axis, "attitude", turned[:, k], omega[:, k], width))
    return tuple(found)


def _has_values(column: Array) -> bool:
    return bool(np.isfinite(column).all())


def _line(axis: str, against: str, x: Array, y: Array, width: int) -> Agreement:
    x, y = (uniform_filter1d(one - one.mean(), width) for one in (x, y))
    spread_x, spread_y = float(x.std()), float(y.std())
    if min(spread_x, spread_y) == 0.0 or max(spread_x, spread_y) < LEAST_MOTION[axis]:
        return Agreement(axis, against, float("nan"), float("nan"), Judgement.SILENT)
    correlation = float(np.mean(x * y) / (spread_x * spread_y))
    slope = correlation * spread_y / spread_x
    if abs(correlation) < LEAST_CORRELATION:
        judgement = Judgement.SILENT
    elif slope < 0.0:
        judgement = Judgement.WRONG_SIGN
    else:
        low, high = SURE_SLOPES if correlation >= SURE_CORRELATION else SLOPES
        judgement = Judgement.AGREES if low <= slope <= high else Judgement.WRONG_SCALE
    return Agreement(axis, against, slope, correlation, judgement)


def force_finding(motion: ReportedMotion, level_s: float | None = None) -> ForceFinding | None:
    """Judge the mean specific force of a whole record; None if nothing is wrong.

    Args:
        motion: as it is given, not completed.
        level_s: it is level for so long at the beginning, where it is judged; None for the
            mean of the whole [s].
    """
    f = motion.force
    is_known = np.isfinite(f).all(axis=0)
    if motion.acceleration is not None and not is_known.all():
        twice = gravity_twice(_mean(np.where(is_known, np.nan, motion.acceleration)))
        if twice is not None:
            return twice
    if not is_known.any():
        return None
    count = len(f) if level_s is None else max(1, min(len(f), round(level_s / motion.step_s)))
    levelled = None
    if is_known.all() and np.isfinite(motion.attitude).all():
        levelled = _levelled(f[:count], motion.attitude[:count])
    found = judge_force(_mean(f[:count]), levelled)
    return found if found is not None or not is_known.all() else _empty(motion)


def _levelled(force: Array, attitude: Array) -> Vector3:
    """The mean force along the nose's heading, right of it, and down [m/s²]."""
    turned = Turn.from_quat(np.roll(attitude, -1, axis=1))
    north, east, down = turned.apply(force).T
    nose = turned.apply((1.0, 0.0, 0.0))
    heading = np.arctan2(nose[:, 1], nose[:, 0])
    c, s = np.cos(heading), np.sin(heading)
    return _mean(np.stack([c * north + s * east, c * east - s * north, down], axis=1))


def _empty(motion: ReportedMotion) -> ForceFinding | None:
    """Find a stretch in which the force is 0 on all axes."""
    nothing = np.abs(motion.force).max(axis=1) < EMPTY_M_S2
    edges = np.flatnonzero(np.diff(np.r_[False, nothing, False].astype(np.int8)))
    for begin, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        if (end - begin) * motion.step_s >= EMPTY_S:
            return empty((0.0, 0.0, 0.0), begin * motion.step_s)
    return None


def _mean(values: Array) -> Vector3:
    x, y, z = values.mean(axis=0).tolist()
    return x, y, z


def _gravity(
    motion: ReportedMotion, level_s: float | None, remedy: Callable[[ForceFinding], str]
) -> list[Agreement]:
    """Judge the mean force, if any force or an acceleration with gravity in it is given."""
    finding = force_finding(motion, level_s)
    if finding is None and not _has_values(motion.force[:, 2]):
        return []
    down = float(motion.force[:, 2].mean()) if finding is None else finding.mean_m_s2[2]
    if finding is None and level_s is not None:
        down = float(motion.force[: max(1, round(level_s / motion.step_s)), 2].mean())
    share = down / -GRAVITY_M_S2 + 0.0  # never -0
    judgement = Judgement.AGREES if finding is None else _OF_FAULT[finding.fault]
    said = "" if finding is None else remedy(finding)
    return [Agreement("f_z", "gravity", share, 1.0, judgement, finding, said)]
