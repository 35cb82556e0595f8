"""Whether what a source tells fits together: the cheap way to find a wrong sign or unit.

Straight lines through pairs that physics ties together: forward force on the change of speed,
lateral force on speed times yaw rate, rates on the turning of the attitude. The slope must be
about 1; a negative one is a wrong sign, one far from 1 a wrong unit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter1d
from scipy.spatial.transform import Rotation as Turn

from platform6dof.cueing.record import ToldMotion, rates_of
from platform6dof.cueing.vehicle import GRAVITY_M_S2

Array = NDArray[np.float64]
SMOOTH_S: Final = 0.5
"""Both sides are averaged over so long [s]: speed is told coarsely."""
LEAST_CORRELATION: Final = 0.4
"""Below it a line says nothing."""
LEAST_MOTION: Final = {"f_x": 0.1, "f_y": 0.1, "p": 0.01, "q": 0.01, "r": 0.01}
"""Standard deviation that one of the two sides must have [m/s², rad/s]."""
SLOPES: Final = (0.3, 3.0)
"""Slopes between these are no other unit."""
IN_G_SHARE: Final = 0.1
"""A force of 1 at rest, to this, is one in g."""


class Judgement(Enum):
    """What a line through a pair says."""

    AGREES = "agrees"
    WRONG_SIGN = "wrong sign"
    WRONG_SCALE = "wrong scale"
    SILENT = "not told"
    """Too little motion, or no relation, to say anything."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """A line through one quantity and what it should be."""

    axis: str
    """f_x, f_y, f_z, p, q, r."""
    against: str
    """What it was held against."""
    slope: float
    """Of the line; for f_z its median over what it is at rest. NaN where too little moves."""
    correlation: float
    """Of the two; NaN where too little moves, 1 for f_z."""
    judgement: Judgement
    """What that means."""

    @property
    def text(self) -> str:
        """A line for people."""
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


def agreements(motion: ToldMotion) -> tuple[Agreement, ...]:
    """Hold what is told against each other; pairs of which one is not told are left out.

    Args:
        motion: as it is told, not completed.
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
    if has_speed and _told(f[:, 0]):
        change = np.gradient(v[:, 0], motion.step_s) - gravity[:, 0]
        found.append(_line("f_x", words[0], change, f[:, 0], width))
    if has_speed and _told(f[:, 1]) and _told(omega[:, 2]):
        bend = v[:, 0] * omega[:, 2] - gravity[:, 1]
        found.append(_line("f_y", words[1], bend, f[:, 1], width))
    if _told(f[:, 2]):
        found.append(_at_rest(f[:, 2]))
    if np.isfinite(motion.attitude).all():
        turned = rates_of(Turn.from_quat(np.roll(motion.attitude, -1, axis=1)), motion.step_s)
        for k, axis in enumerate("pqr"):
            if _told(omega[:, k]):
                found.append(_line(axis, "attitude", turned[:, k], omega[:, k], width))
    return tuple(found)


def _told(column: Array) -> bool:
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
        judgement = Judgement.AGREES if SLOPES[0] <= slope <= SLOPES[1] else Judgement.WRONG_SCALE
    return Agreement(axis, against, slope, correlation, judgement)


def _at_rest(f_z: Array) -> Agreement:
    """Downward force must be about -9.81 m/s² most of the time; a long fall says nothing."""
    share = float(np.median(f_z)) / -GRAVITY_M_S2 + 0.0  # never -0
    in_g = abs(abs(share) * GRAVITY_M_S2 - 1.0) < IN_G_SHARE
    judgement = Judgement.SILENT
    if share < -SLOPES[0] or (in_g and share < 0.0):
        judgement = Judgement.WRONG_SIGN
    elif SLOPES[0] <= share <= SLOPES[1]:
        judgement = Judgement.AGREES
    elif share > SLOPES[1] or in_g:
        judgement = Judgement.WRONG_SCALE
    return Agreement("f_z", "gravity", share, 1.0, judgement)
