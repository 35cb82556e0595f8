"""Whether a specific force can be a vehicle's: in the mean it is about g, and points up.

The one rule of every intake of `VehicleState`, of recorded rides and of live hosts. What an
accelerometer reads at rest is (0, 0, -9.81) m/s² forward, right, down; a mean that is another says
which axis or sign would make it so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import Final

from platform6dof.cueing.vehicle import GRAVITY_M_S2, Vector3

SHARES: Final = (0.5, 2.0)
"""The mean upward force of a vehicle is between these multiples of g."""
UPRIGHT_SHARE: Final = 0.85
"""With so much of g upward, what points elsewhere is acceleration and no tilt."""
ASKEW_TAN: Final = 0.7
"""Tangent of the largest tilt of a mean force: 35°."""
NONE_SHARE: Final = 0.3
"""A mean force below this multiple of g has no gravity in it."""
ALONG_COS: Final = 0.85
"""A mean force is along an axis within 32°."""
UNITS: Final = {"g": GRAVITY_M_S2, "ft_s2": 0.3048, "gal": 0.01, "mm_s2": 0.001}
"""What forces are told in where it is not m/s²: each in m/s²."""
UNIT_SHARE: Final = 0.15
"""A size is that of a unit within this share."""
EMPTY_S: Final = 1.0
"""No sensor reads exactly 0 on all three axes for so long [s]."""

Axes = tuple[str, str, str]


class ForceFault(Enum):
    """Why a mean force is no vehicle's."""

    NO_GRAVITY = "no gravity"
    EMPTY = "empty"
    """Exactly 0 on all axes for a while."""
    WRONG_SIGN = "wrong sign"
    WRONG_AXIS = "wrong axis"
    WRONG_SCALE = "wrong scale"
    ASKEW = "askew"
    ATTITUDE = "attitude"
    """In the vehicle's axes it is right; turned by the attitude that is told, it is not."""
    GRAVITY_TWICE = "gravity twice"
    """An acceleration without gravity has gravity in it."""


AXES_UP: Final[dict[tuple[int, bool], Axes]] = {
    (0, True): ("z", "y", "-x"), (0, False): ("-z", "y", "x"),
    (1, True): ("x", "z", "-y"), (1, False): ("x", "-z", "y"),
    (2, True): ("x", "-y", "-z"), (2, False): ("x", "y", "z"),
}  # fmt: skip
"""Axes that point forward, right, down, right-handed, by which axis is told along the force and
whether it is told as positive; forward and right are one choice of four."""


@dataclass(frozen=True, slots=True)
class ForceFinding:
    """A mean force that is no vehicle's, and what would make it one."""

    fault: ForceFault
    mean_m_s2: Vector3
    """Forward, right, down, as it is taken now [m/s²]."""
    axes: Axes = ("x", "y", "z")
    """Which of the axes as they are taken now should point forward, right, down."""
    unit: str = ""
    """What it seems to be told in; empty if that is right or not known."""
    t_s: float = math.nan
    """When it begins; NaN for the whole [s]."""

    @property
    def text(self) -> str:
        """What was seen, and what would be right."""
        x, y, z = (f"{one + 0.0:.3g}" for one in self.mean_m_s2)
        since = "" if math.isnan(self.t_s) else f" from {self.t_s:.2f} s on"
        seen = f"the mean force{since} is ({x}, {y}, {z}) m/s2 forward, right, down"
        return f"{seen}: a vehicle's is about (0, 0, {-GRAVITY_M_S2:.2f}); {_WHY[self.fault]}"


_WHY: Final = {
    ForceFault.NO_GRAVITY: "no gravity is in it: that of linear acceleration, or not this wire's",
    ForceFault.EMPTY: "exactly 0 is what a source sends that has nothing to tell",
    ForceFault.WRONG_SIGN: "its down axis points up",
    ForceFault.WRONG_AXIS: "gravity is on another axis",
    ForceFault.WRONG_SCALE: "its unit is another",
    ForceFault.ASKEW: "its axes stand askew in the vehicle",
    ForceFault.ATTITUDE: "turned by the attitude that is told it is not: roll or pitch is wrong",
    ForceFault.GRAVITY_TWICE: "the acceleration has gravity in it: it is a specific force",
}


def judge_force(mean: Vector3, levelled: Vector3 | None = None) -> ForceFinding | None:
    """What is wrong with a mean specific force; None if it can be a vehicle's.

    Args:
        mean: over a window, forward, right, down [m/s²]; an axis that is not told is NaN.
        levelled: the same, each moment turned level by the attitude that is told; None where no
            attitude is told [m/s²].
    """
    if math.isnan(mean[2]):
        return _of_two(mean)
    if not all(map(math.isfinite, mean)):
        mean = tuple(0.0 if math.isnan(one) else one for one in mean)  # pyright: ignore[reportAssignmentType]
    upright = levelled is None or _plausible(levelled)
    if upright and (_plausible(mean) or levelled is not None):
        return None
    if _plausible(mean):
        return ForceFinding(ForceFault.ATTITUDE, mean)
    return _named(mean)


def _plausible(mean: Vector3) -> bool:
    share = -mean[2] / GRAVITY_M_S2
    if not SHARES[0] <= share <= SHARES[1]:
        return False
    sideways = math.hypot(mean[0], mean[1]) / GRAVITY_M_S2
    return share >= UPRIGHT_SHARE or sideways <= ASKEW_TAN * share


def _of_two(mean: Vector3) -> ForceFinding | None:
    """Of a force that tells nothing along down: gravity must not be on what it tells."""
    flat: Vector3 = (*(0.0 if math.isnan(one) else one for one in mean[:2]), 0.0)  # pyright: ignore[reportAssignmentType]
    size = math.hypot(*flat) / GRAVITY_M_S2
    return None if size < UPRIGHT_SHARE else ForceFinding(ForceFault.WRONG_AXIS, flat, _axes(flat))


def _axes(mean: Vector3) -> Axes:
    at = max(range(3), key=lambda k: abs(mean[k]))
    return AXES_UP[at, mean[at] > 0.0]


def _named(mean: Vector3) -> ForceFinding:
    size = math.hypot(*mean)
    unit = next(
        (name for name, one in UNITS.items() if abs(size * one / GRAVITY_M_S2 - 1.0) < UNIT_SHARE),
        "",
    )
    if not unit and not size >= NONE_SHARE * GRAVITY_M_S2:
        return ForceFinding(ForceFault.NO_GRAVITY, mean)
    at = max(range(3), key=lambda k: abs(mean[k]))
    axes = _axes(mean)
    if abs(mean[at]) < ALONG_COS * size:
        return ForceFinding(ForceFault.ASKEW, mean, unit=unit)
    if at == 2:
        wrong = ForceFault.WRONG_SIGN if mean[2] > 0.0 else ForceFault.WRONG_SCALE
        if wrong is ForceFault.WRONG_SCALE and SHARES[0] <= size / GRAVITY_M_S2 <= SHARES[1]:
            wrong = ForceFault.ASKEW
        return ForceFinding(wrong, mean, axes, unit)
    return ForceFinding(ForceFault.WRONG_AXIS, mean, axes, unit)


def empty(mean: Vector3, t_s: float = math.nan) -> ForceFinding:
    """The finding of a force that is exactly 0 for a while, from a time on [s]."""
    return ForceFinding(ForceFault.EMPTY, mean, t_s=t_s)


def gravity_twice(mean_acceleration: Vector3) -> ForceFinding | None:
    """What is wrong with the mean of an acceleration that shall have no gravity in it [m/s²]."""
    size = math.hypot(*(0.0 if math.isnan(one) else one for one in mean_acceleration))
    if size < UPRIGHT_SHARE * GRAVITY_M_S2:
        return None
    return ForceFinding(ForceFault.GRAVITY_TWICE, mean_acceleration)
