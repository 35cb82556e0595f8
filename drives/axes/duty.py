"""Duties that one drive of the six can be given, and the times and distances of doing them."""

from dataclasses import dataclass
from enum import Enum


class Duty(Enum):
    """Duty of a drive."""

    REST = "be disabled"
    HOME = "find its reference"
    RISE = "be enabled with the others"
    WORK = "follow commands"
    STOP = "stop on its own ramp and hold"


@dataclass(frozen=True, slots=True)
class AxisLimits:
    """Times and distances of the sequence, in cycles and counts."""

    work_mode: int
    """Mode of operation in which the drive follows commands: 8, or 7."""
    still_counts: int
    """Distance within which a drive counts as at rest [counts]."""
    still_cycles: int
    """Cycles for which it has to."""
    rise_cycles: int
    """Cycles that enabling may take."""
    homing_cycles: int
    """Cycles that homing may take."""
    settle_cycles: int
    """Cycles after which the bits of an earlier homing must be gone."""
    reset_cycles: int
    """Half the period of the pulses that acknowledge a fault."""
    homing_step_counts: int = 0
    """A drive that goes further than this in a cycle of homing runs away; 0 does not watch."""
    remote_bit: bool = True
    """Only a drive whose statusword has bit 9, remote, may begin something."""
    follows_bit: bool = True
    """A drive that follows has bit 12 in its statusword."""
