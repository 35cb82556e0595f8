"""Differences between types of drives: objects that one lacks, fixes, limits or counts otherwise.

A type changes the table of the emulated drive (`sim.devices.can.object_table`); the motor, the
state machine and the modes stay the same. Units are those of 60A8h, 60A9h and 60AAh (CiA 402-2,
clause "Factor group"): the word encodes a power of ten, a numerator and a denominator. A type that
does not have these objects still has units; it keeps them to itself.

An emulated drive never passes for a real one: whatever its type, its vendor is unassigned (1018h:1
is 0), and its name (1008h) says what it is.

Not modelled: what the firmware of a type does beyond its dictionary.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

Key = tuple[int, int]
"""Index and sub-index of an object."""

SCREW_LEAD_M: Final = 0.01
"""Travel of a rod for one turn of its motor [m]."""

INCREMENTS: Final = 0x00B5_0000
TENTHS_OF_A_DEGREE: Final = 0xFF41_0000
INCREMENTS_PER_S: Final = 0x00B5_0300
REVOLUTIONS_PER_MINUTE: Final = 0x00B4_4700
INCREMENTS_PER_S2: Final = 0x00B5_5700
RPM_PER_S: Final = 0x00C0_0300

_REVOLUTIONS, _DEGREES, _RPM, _COUNTS = 0xB4, 0x41, 0xC0, 0xB5
_SECOND, _MINUTE, _SECOND_SQUARED = 0x03, 0x47, 0x57
_PER_SECOND: Final = {_SECOND: 1.0, _MINUTE: 60.0, _SECOND_SQUARED: 1.0, 0x00: 1.0}


@dataclass(frozen=True, slots=True)
class DriveType:
    """One type of drive."""

    name: str
    """Name on the command line."""
    lacking: frozenset[int | Key] = frozenset()
    """Indices, or index and sub-index, of objects of the emulated drive that this type lacks."""
    defaults: Mapping[Key, int] = field(default_factory=dict[Key, int])
    """Values after power-up that differ."""
    fixed: Mapping[Key, int] = field(default_factory=dict[Key, int])
    """Values that cannot be written."""
    ranges: Mapping[Key, tuple[int, int]] = field(default_factory=dict[Key, tuple[int, int]])
    """Least and largest value that a master may write."""
    steps: Mapping[Key, int] = field(default_factory=dict[Key, int])
    """Steps of values, which are rounded down to a multiple of them."""
    modes: tuple[int, ...] = (1, 3, 6, 7, 8)
    """Modes of operation (6060h)."""
    modes_word: int | None = None
    """Value of 6502h; made of the modes if left out."""
    methods: tuple[int, ...] | None = None
    """Homing methods (6098h); those of the emulated drive if left out."""
    heartbeats: int = 2
    """Entries of 1016h."""
    errors: int = 8
    """Entries of 1003h."""
    position_unit: int = INCREMENTS
    """Unit word of positions, as in 60A8h."""
    speed_unit: int = INCREMENTS_PER_S
    """Unit word of speeds, as in 60A9h."""
    acceleration_unit: int = INCREMENTS_PER_S2
    """Unit word of accelerations, as in 60AAh."""
    speed_counts_s: float | None = None
    """Unit of speeds where no unit word can express it [counts/s]."""
    acceleration_counts_s2: float | None = None
    """Unit of accelerations where no unit word can express it [counts/s^2]."""
    writable_units: tuple[int, ...] = ()
    """Unit words, of 60A8h, 60A9h, 60AAh, that a master may write."""

    def has(self, index: int, subindex: int) -> bool:
        """Whether the type has an object of the emulated drive."""
        return index not in self.lacking and (index, subindex) not in self.lacking


class UnitError(ValueError):
    """Unit word that the emulated drive cannot work in."""


@dataclass(frozen=True, slots=True)
class Units:
    """Units of a drive per metre, per metre a second, per metre a second squared."""

    position_per_m: float
    speed_per_m_s: float
    acceleration_per_m_s2: float

    @classmethod
    def of(cls, position: int, speed: int, acceleration: int, counts_per_m: float) -> Units:
        """Return the units of three unit words.

        Args:
            position: As 60A8h holds it.
            speed: As 60A9h holds it.
            acceleration: As 60AAh holds it.
            counts_per_m: Increments of the encoder for each metre of rod.

        Raises:
            UnitError: If a word means nothing here.
        """
        return cls(
            _per_metre(position, counts_per_m),
            _per_metre(speed, counts_per_m),
            _per_metre(acceleration, counts_per_m),
        )


def _per_metre(word: int, counts_per_m: float) -> float:
    """Return how many units make one metre, or one metre a second for each time in the unit."""
    exponent = word >> 24 & 0xFF
    exponent = exponent - 0x100 if exponent & 0x80 else exponent
    numerator, denominator = word >> 16 & 0xFF, word >> 8 & 0xFF
    bases = {
        _COUNTS: counts_per_m,
        _REVOLUTIONS: 1.0 / SCREW_LEAD_M,
        _DEGREES: 360.0 / SCREW_LEAD_M,
        _RPM: 60.0 / SCREW_LEAD_M,
    }
    if numerator not in bases or denominator not in _PER_SECOND or word & 0xFF:
        raise UnitError(f"unit word {word:08X}h: no unit of this drive")
    return bases[numerator] * _PER_SECOND[denominator] / math.pow(10.0, exponent)
