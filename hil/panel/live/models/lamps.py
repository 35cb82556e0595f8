"""A lamp for each mode: its colour and its shape say the same, so neither is needed alone."""

from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal

from hil.panel.live.models.feed import Station

Role = Literal["dim", "ok", "warn", "fault", "accent"]


class Shape(Enum):
    """What a lamp looks like."""

    REST = "rest"
    """A circle: stands still."""
    MOVES = "moves"
    """A triangle that points forward: moves on the operator's behalf."""
    STOPS = "stops"
    """A square: is stopping, or was stopped."""
    FAULT = "fault"
    """An octagon with a cross: a fault."""


@dataclass(frozen=True, slots=True)
class Lamp:
    """A lamp.

    Args:
        name: of the mode, as in the run's header.
        role: colour of the theme that it is lit in.
        shape: what it looks like.
        lit: whether the bench is in that mode.
    """

    name: str
    role: Role
    shape: Shape
    lit: bool


_PLATFORM: Final[dict[str, tuple[Role, Shape]]] = {
    "OFF": ("dim", Shape.REST),
    "IDLE": ("accent", Shape.REST),
    "HOMING": ("warn", Shape.MOVES),
    "STANDBY": ("ok", Shape.REST),
    "ENGAGING": ("warn", Shape.MOVES),
    "ENGAGED": ("ok", Shape.MOVES),
    "CSTOP": ("warn", Shape.STOPS),
    "HOLD": ("warn", Shape.STOPS),
    "PARKING": ("warn", Shape.MOVES),
    "QSTOP": ("fault", Shape.FAULT),
    "FAULT": ("fault", Shape.FAULT),
    "LOCKOUT": ("fault", Shape.FAULT),
}
_ARM: Final[dict[str, tuple[Role, Shape]]] = {
    "offline": ("dim", Shape.REST),
    "synchronising": ("warn", Shape.REST),
    "streaming": ("ok", Shape.MOVES),
    "ending": ("warn", Shape.MOVES),
    "ready": ("accent", Shape.REST),
    "held": ("warn", Shape.STOPS),
    "fault": ("fault", Shape.FAULT),
}
LAMPS: Final = {"platform": _PLATFORM, "arm": _ARM}
"""Of each station: mode → colour and shape."""


def lamp_of(station: Station, name: str, *, lit: bool) -> Lamp:
    """The lamp of a mode; one that is not known here, of a newer recording, is a dim circle."""
    role, shape = LAMPS[station].get(name, ("dim", Shape.REST))
    return Lamp(name, role, shape, lit)
