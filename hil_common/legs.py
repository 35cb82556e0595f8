"""Values of six legs, in the order of the geometry: index 0 is leg 1.

Lengths are those of the actuators, joint to joint [m]; speeds are their rates [m/s], positive when
the leg extends. One target passes through all layers: control asks for it, the gate judges and
allows it, a bank of drives gets it and returns the one it has sent.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

T = TypeVar("T")

LEG_COUNT = 6
LEGS = (1, 2, 3, 4, 5, 6)
"""Numbers of the legs as people count them."""

SixFloats = tuple[float, float, float, float, float, float]
SixBools = tuple[bool, bool, bool, bool, bool, bool]
SixInts = tuple[int, int, int, int, int, int]

ZERO_SIX: SixFloats = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class LegTarget:
    """Target of six legs at the end of a cycle: lengths, and the speeds then."""

    length_m: SixFloats
    """Leg lengths, joint to joint [m], 6."""
    speed_m_s: SixFloats
    """Leg speeds at the end of the cycle, a feed-forward for the drives [m/s], 6."""

    def fault(self) -> str:
        """Say why these are not twelve finite numbers; empty if they are."""
        lengths, speeds = self.length_m, self.speed_m_s
        if len(lengths) == LEG_COUNT == len(speeds) and math.isfinite(
            sum(lengths, 0.0) + sum(speeds, 0.0)
        ):
            return ""
        for name, unit, values in (("length_m", "m", lengths), ("speed_m_s", "m/s", speeds)):
            if len(values) != LEG_COUNT:
                return (
                    f"{name} holds {len(values)} values, a command holds one per leg: {LEG_COUNT}"
                )
            for leg, value in enumerate(values, start=1):
                if not math.isfinite(value):
                    return (
                        f"leg {leg}: {name} is {value} {unit}, a setpoint must be a finite number"
                    )
        return ""  # a sum that overflows, of finite numbers


class DriveReading(NamedTuple):
    """Excessive reading of a drive's temperature or load."""

    leg: int
    """Number of the leg, 1 to 6."""
    name: str
    """Name of the reading."""
    value: float
    """Value that was read, in `unit`."""
    limit: float
    """Lowest value that is a warning, in `unit`."""
    unit: str
    """Unit for people, such as "degC"."""


def as_six(values: Iterable[T]) -> tuple[T, T, T, T, T, T]:
    """Return six values as a tuple of that length; ValueError on any other number of them."""
    a, b, c, d, e, f = values
    return (a, b, c, d, e, f)


def store_six(owner: object, *names: str) -> None:
    """Keep six Python floats as they are; convert other real numbers; refuse bool and the rest.

    Args:
        owner: frozen dataclass whose fields hold the values.
        names: of the fields.

    Raises:
        TypeError: on anything but six numbers in a field; names the leg.
    """
    for name in names:
        values: Sequence[object] = getattr(owner, name)
        if len(values) != LEG_COUNT:
            raise TypeError(f"{name}: {len(values)} values, need {LEG_COUNT} (one float per leg)")
        a, b, c, d, e, f = values
        if type(a) is type(b) is type(c) is type(d) is type(e) is type(f) is float:
            continue
        converted: list[float] = []
        for leg, value in enumerate(values, 1):
            # A bool is an int in Python: True would be a leg of one metre.
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise TypeError(f"{name}, leg {leg}: {value!r} is not a number; need a float")
            converted.append(float(value))
        object.__setattr__(owner, name, tuple(converted))
