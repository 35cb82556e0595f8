"""Units in which a drive counts positions, speeds and accelerations.

A unit is given by a word of the drive (60A8h, 60A9h, 60AAh; the codes are those of CiA 303-2, those
of turns and increments of CiA 402-2), or by a text in its drive file, such as "0.001 rpm".
"""

import math
from dataclasses import dataclass
from enum import Enum

from drives.bank import DriveModelError

UNIT_OBJECTS = (0x60A8, 0x60A9, 0x60AA)
"""SI unit of position, of velocity, of acceleration (CiA 402-2): the order of their time in it."""
MINUTE_S = 60.0


class Base(Enum):
    """Base of which a unit is a multiple."""

    COUNT = "counts"
    """Whatever 6064h counts."""
    INCREMENT = "increments"
    """The finest step of the encoder."""
    TURN = "turns"
    """One turn of the shaft."""
    METRE = "m"
    """Way of the rod."""


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """A unit of position, of speed or of acceleration."""

    factor: float
    """Number of base units in one unit; per second, or per second squared."""
    base: Base
    """Base that it is a multiple of."""
    order: int
    """0 of a position, 1 of a speed, 2 of an acceleration."""

    def __post_init__(self) -> None:
        """Refuse what is no unit."""
        if not (math.isfinite(self.factor) and self.factor > 0.0):
            raise DriveModelError(f"a unit of {self.factor} {self.base.value} is none")

    def __eq__(self, other: object) -> bool:
        """Compare as units: 1/60 turn a second is one turn a minute, counts are increments."""
        if not isinstance(other, Unit):
            return NotImplemented
        bases = {Base.INCREMENT if each is Base.COUNT else each for each in (self.base, other.base)}
        same = math.isclose(self.factor, other.factor, rel_tol=1e-9)
        return same and len(bases) == 1 and self.order == other.order

    def __hash__(self) -> int:
        """Return a number that equal units share."""
        return hash(self.order)

    def __str__(self) -> str:
        """The unit as its drive file would have it."""
        factor, name = self.factor, self.base.value + ("", "/s", "/s2")[self.order]
        if self.base is Base.TURN:
            factor *= MINUTE_S if self.order else 360.0
            name = ("deg", "rpm", "rpm/s")[self.order]
        return name if math.isclose(factor, 1.0) else f"{factor:.12g} {name}"


COUNTS = tuple(Unit(1.0, Base.COUNT, order) for order in range(3))
"""Counts, counts/s and counts/s²: the units of a drive that reports none."""

_NUMERATORS: dict[int, tuple[float, Base, int]] = {
    0x01: (1.0, Base.METRE, 0),
    0x10: (0.5 / math.pi, Base.TURN, 0),  # radian
    0x41: (1.0 / 360.0, Base.TURN, 0),  # degree
    0xB4: (1.0, Base.TURN, 0),
    0xB5: (1.0, Base.INCREMENT, 0),
    0xC0: (1.0 / MINUTE_S, Base.TURN, 1),  # turns per minute, of an acceleration
}
_DENOMINATORS: dict[int, tuple[float, int]] = {
    0x00: (1.0, 0),
    0x03: (1.0, 1),  # second
    0x47: (MINUTE_S, 1),  # minute
    0x57: (1.0, 2),  # second squared
}


def unit_of_word(word: int, order: int) -> Unit:
    """Return the unit that a drive reports in 60A8h, 60A9h or 60AAh.

    The word is prefix (a signed power of ten), numerator, denominator and a reserved byte, from the
    most significant byte down.

    Args:
        word: What the object holds, 32 bits.
        order: 0 of 60A8h, 1 of 60A9h, 2 of 60AAh.

    Raises:
        DriveModelError: If the word says nothing that could be counted in.
    """
    prefix, numerator, denominator = word >> 24 & 0xFF, word >> 16 & 0xFF, word >> 8 & 0xFF
    above, below = _NUMERATORS.get(numerator), _DENOMINATORS.get(denominator)
    if above is None or below is None or above[2] + below[1] != order:
        names = ("a position", "a speed", "an acceleration")
        text = f"unit word {word & 0xFFFFFFFF:08X}h is none of {names[order]}"
        raise DriveModelError(f"{text} that is known here")
    exponent = prefix - 0x100 if prefix & 0x80 else prefix
    return Unit(10.0**exponent * above[0] / below[0], above[1], order)


_NEAR = 1e-9
_EXPONENTS = range(-12, 13)


def word_of_unit(unit: Unit) -> int | None:
    """Return the word that 60A8h, 60A9h or 60AAh has for a unit; None if it has none.

    Counts are written as increments: a drive whose words they are has no finer ones.
    """
    base = Base.INCREMENT if unit.base is Base.COUNT else unit.base
    for numerator, (above, its_base, its_order) in _NUMERATORS.items():
        for denominator, (below, per) in _DENOMINATORS.items():
            if its_base is not base or its_order + per != unit.order:
                continue
            for exponent in _EXPONENTS:
                if math.isclose(10.0**exponent * above / below, unit.factor, rel_tol=_NEAR):
                    return (exponent & 0xFF) << 24 | numerator << 16 | denominator << 8
    return None


_NAMES: dict[str, tuple[float, Base, int]] = {
    "counts": (1.0, Base.COUNT, 0),
    "increments": (1.0, Base.INCREMENT, 0),
    "turns": (1.0, Base.TURN, 0),
    "deg": (1.0 / 360.0, Base.TURN, 0),
    "rad": (0.5 / math.pi, Base.TURN, 0),
    "rpm": (1.0 / MINUTE_S, Base.TURN, 1),
    "m": (1.0, Base.METRE, 0),
    "mm": (1e-3, Base.METRE, 0),
    "um": (1e-6, Base.METRE, 0),
}
_TIMES = {"": 0, "s": 1, "s2": 2}


def unit_of_text(text: str, order: int) -> Unit:
    """Return the unit that a text names: "counts/s", "0.001 rpm", "rpm/s", "0.1 deg".

    Args:
        text: A number if it is not 1, a space, and the name.
        order: 0 of a position, 1 of a speed, 2 of an acceleration.

    Raises:
        DriveModelError: If it names none of that order; says which names there are.
    """
    number, _, name = text.rpartition(" ")
    base, _, time = name.partition("/")
    known, times = _NAMES.get(base), _TIMES.get(time)
    try:
        factor = float(number or "1")
    except ValueError:
        factor = math.nan
    if known is None or times is None or known[2] + times != order or not 0.0 < factor < math.inf:
        per = ("", "/s", "/s2")[order]
        right = [f"{each}{per}" for each, row in _NAMES.items() if not row[2]]
        if order:
            right.append("rpm" if order == 1 else "rpm/s")
        words = f"write one of {', '.join(right)}, or a number, a space and one of them"
        raise DriveModelError(f"{text!r} is no unit here: {words}")
    return Unit(factor * known[0], known[1], order)


@dataclass(frozen=True, slots=True)
class ShaftScale:
    """One turn and one metre in the counts of a leg's drive."""

    counts_per_m: float
    """Position counts per metre of rod [1/m]."""
    counts_per_turn: float | None = None
    """Position counts per turn of the shaft of the drive's turns; None if nobody knows."""
    counts_per_increment: float = 1.0
    """Position counts per increment of the encoder."""

    def counts(self, unit: Unit) -> float | None:
        """Return how many counts (per second) one unit is; None if that needs an unknown turn."""
        if unit.base is Base.COUNT:
            return unit.factor
        if unit.base is Base.INCREMENT:
            return unit.factor * self.counts_per_increment
        if unit.base is Base.METRE:
            return unit.factor * self.counts_per_m
        return None if self.counts_per_turn is None else unit.factor * self.counts_per_turn
