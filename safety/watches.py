"""The table of the watches that are active in each mode of the gate.

The gate looks up every watch here, so a watch that is missing from a row does not judge in that
mode. The criterion and the reaction of each watch are where it is defined.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from safety.modes import FOLLOWING_MODES, HOMED_MODES, Mode


class Watched(NamedTuple):
    """Watches that judge in one mode."""

    control: bool
    """The control process is alive, and has sent something recently."""
    cycle: bool
    """Every cycle occurs once, and in time."""
    feedback: bool
    """The link that reads the drives works; frames arrive, and their numbers are finite."""
    drive: bool
    """No drive reports a fault, and the bench finds none."""
    homed: bool
    """Each drive has a valid reference for its position."""
    enabled: bool
    """Each drive follows setpoints, while there is a commanded state."""
    following: bool
    """The measured lengths are near the commanded ones, while there is a commanded state."""
    age: bool
    """No frame is too old according to the drive's time stamp."""
    path: bool
    """No measured length is stuck, or jumps."""
    lag: bool
    """The measured path does not lag too far behind the commanded one."""
    force: bool
    """No force stays above the limit, or above the force that the payload can require."""
    first_motion: bool
    """A first motion that is due follows its setpoints."""
    warning: bool
    """No drive reports a warning, and no reading is above its limit."""
    estop: bool
    """The emergency stop, when fitted, can be read and is closed, and its channels agree."""
    quick_stop: bool
    """The drives' own quick stop slows the legs down, and ends."""
    setpoint: bool
    """The requested setpoint; in a mode where it is not judged, no setpoint passes."""


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
"""Watches by mode, as the gate looks them up."""
