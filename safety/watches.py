"""The table of what is watched in which mode, by which the gate judges.

The gate looks every watch up here, so what is left out of a row is not judged in that mode. What
each one judges, and the reaction, are where it is defined.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from safety.modes import FOLLOWING_MODES, HOMED_MODES, Mode


class Watched(NamedTuple):
    """Watches that judge in one mode."""

    control: bool
    """Control leads."""
    cycle: bool
    """Every cycle comes once, and in time."""
    feedback: bool
    """The link that reads the drives works; frames come, their numbers are finite."""
    drive: bool
    """No drive reports a fault, and the bench finds none."""
    homed: bool
    """Each drive knows where its leg is."""
    enabled: bool
    """Each drive follows setpoints, while there is a commanded state."""
    following: bool
    """The measured lengths are near the commanded ones, while there are any."""
    age: bool
    """No frame is too old by the drive's time stamp."""
    path: bool
    """No measured length is stuck, or jumps."""
    lag: bool
    """The measured path is not too late."""
    force: bool
    """No force lasts above the limit, or above what the payload can need."""
    first_motion: bool
    """A first motion that is due is made as it was sent."""
    warning: bool
    """No drive warns, no reading is high."""
    estop: bool
    """The emergency stop, when fitted, is read, closed, and its channels agree."""
    quick_stop: bool
    """The drives' own quick stop slows the legs down, and ends."""
    setpoint: bool
    """What is asked; where it is not judged nothing of it passes."""


_ALWAYS: Final = frozenset(Mode)
_ON_THE_BUS: Final = _ALWAYS - {Mode.OFF, Mode.LOCKOUT}
_WITH_POWER: Final = _ALWAYS - {Mode.OFF, Mode.IDLE}
_COMMANDED: Final = HOMED_MODES | {Mode.FAULT}
"""Modes in which a state may be commanded: FAULT holds it until the legs are at rest."""

WATCHES: Final[Mapping[str, frozenset[Mode]]] = MappingProxyType({
    "control": _ALWAYS,
    "cycle": _ALWAYS,
    "feedback": _ON_THE_BUS,
    "drive": _ON_THE_BUS,
    "homed": HOMED_MODES,
    "enabled": _COMMANDED,
    "following": _COMMANDED,
    "age": _ON_THE_BUS,
    "path": HOMED_MODES,
    "lag": HOMED_MODES,
    "force": _WITH_POWER,
    "first_motion": frozenset({Mode.ENGAGING}),
    "warning": _ON_THE_BUS,
    "estop": _ON_THE_BUS,
    "quick_stop": frozenset({Mode.QSTOP, Mode.LOCKOUT}),
    "setpoint": FOLLOWING_MODES,
})  # fmt: skip
"""Modes in which each watch judges, by its name in `Watched`."""

WATCHED: Final[Mapping[Mode, Watched]] = MappingProxyType(
    {mode: Watched(**{name: mode in modes for name, modes in WATCHES.items()}) for mode in Mode}
)
"""The same by mode, as the gate looks it up."""
