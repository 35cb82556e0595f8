"""The operator's order, in memory that the desk shares with control.

The newest wins (`hil.ipc.latest`). Control keeps what it had while an order is torn or damaged, and
its stamp goes stale, which is as good as a released dead-man. Presses are counters, so a press can
neither be lost between two readings nor be obeyed twice. A motion's table is attached, and copied
only when its number has changed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from hil.ipc.latest import Latest

Six = tuple[float, float, float, float, float, float]


class Button(Enum):
    """Button of an operator; the order of the members is that of the counters."""

    HOME = "home"
    ENGAGE = "engage"
    HOLD = "hold"
    PARK = "park"
    RESET = "reset"
    SHUT_DOWN = "shut_down"
    """End of the run: park if need be, then power off."""
    PLAY = "play"
    POSE = "pose"


BUTTONS: Final = tuple(Button)
NO_PRESSES: Final = (0,) * len(BUTTONS)
NO_STAMPS: Final = (-math.inf,) * len(BUTTONS)
DEAD_MAN_S: Final = 0.15
"""A sign of life older than this [s] is none."""
MOTION_MAX_BYTES: Final = 16 * 1024

_HELD, _TARGET = 1, 2
NAME_MAX_BYTES: Final = 60
"""Longest name in an order, in UTF-8."""
_FIELDS: Final = (
    f"dQ{len(BUTTONS)}Q{len(BUTTONS)}d{len(BUTTONS)}QQd6d{NAME_MAX_BYTES}s{NAME_MAX_BYTES}s"
)
"""Stamp, flags, presses, their stamps and ownings, the present owning, override, target, owner,
presser."""
_NO_TARGET: Final = (math.nan,) * 6


@dataclass(frozen=True, slots=True)
class OperatorOrder:
    """The operator's order: what shall be now."""

    stamp_s: float = -math.inf
    """Monotonic time of the owner's last sign of life [s]; -inf if there is none."""
    held: bool = False
    """Whether hold-to-run was pressed at that time."""
    presses: tuple[int, ...] = NO_PRESSES
    """How often each `Button` was pressed, in the enum's order; a rise is a press."""
    override: float = 1.0
    """Tempo wanted, 0 to 1."""
    target: Six | None = None
    """Pose wanted, (x, y, z [m], alpha, beta, gamma [rad]); None if there is none."""
    motion_serial: int = 0
    """Number of the newest motion, 0 for the scenario's own."""
    motion_json: bytes = b""
    """Its ``[motion]`` table as JSON, proved; empty for number 0."""
    owner: str = ""
    """Name of the owner of the motion; empty if nobody owns it."""
    presser: str = ""
    """Name of whoever pressed last: the owner, or whoever asked for a stop."""
    pressed_s: tuple[float, ...] = NO_STAMPS
    """Monotonic time of each button's last press [s]; -inf if there was none."""
    press_ownings: tuple[int, ...] = NO_PRESSES
    """The owning in which each button was pressed last."""
    owning: int = 0
    """Number of the present owning; another one whenever the owner changes."""

    def __post_init__(self) -> None:
        for place in ("presses", "pressed_s", "press_ownings"):
            if (count := len(getattr(self, place))) != len(BUTTONS):
                raise ValueError(f"{place}: {count} numbers; {len(BUTTONS)} are needed")
        if not 0.0 <= self.override <= 1.0:
            raise ValueError(f"override = {self.override}: 0 to 1 is needed")
        if self.target is not None and not (
            len(self.target) == 6 and all(map(math.isfinite, self.target))
        ):
            raise ValueError(f"target = {self.target}: six finite numbers are needed")
        if self.motion_json and self.motion_serial < 1:
            raise ValueError(f"motion_serial = {self.motion_serial}: a new motion has 1 or more")
        if len(self.motion_json) > MOTION_MAX_BYTES:
            raise ValueError(
                f"motion_json of {len(self.motion_json)} bytes; at most {MOTION_MAX_BYTES} bytes"
            )
        for place, name in (("owner", self.owner), ("presser", self.presser)):
            if (size := len(name.encode("utf-8"))) > NAME_MAX_BYTES:
                raise ValueError(f"{place} of {size} bytes; at most {NAME_MAX_BYTES} bytes")

    def pressed(self, button: Button) -> int:
        """Number of presses of a button."""
        return self.presses[BUTTONS.index(button)]


def name_of(text: str) -> str:
    """A name as an order can carry it: shortened to whole characters that fit."""
    return text.encode("utf-8", "replace")[:NAME_MAX_BYTES].decode("utf-8", "ignore")


class LatestOrder(Latest, fields=_FIELDS, attachment_max_bytes=MOTION_MAX_BYTES):
    """One order in shared memory: the desk calls `write`, control `read`; neither ever waits."""

    __slots__ = ()

    def write(self, order: OperatorOrder) -> None:
        """Replace the slot's order."""
        flags = _HELD * order.held
        target = _NO_TARGET
        if order.target is not None:
            flags, target = flags | _TARGET, order.target
        self.put(
            order.stamp_s,
            flags,
            *order.presses,
            *order.pressed_s,
            *order.press_ownings,
            order.owning,
            order.override,
            *target,
            order.owner.encode("utf-8"),
            order.presser.encode("utf-8"),
            attachment=order.motion_json,
            serial=order.motion_serial,
        )

    def read(self) -> OperatorOrder | None:
        """Return the newest order; None if there is nothing new that can be trusted.

        The reader keeps the last one then, whose stamp gets older.
        """
        fields = self.get()
        if fields is None:
            return None
        order = _decode(fields, self.attachment)
        if order is None:
            self.corrupt += 1
        return order


def _decode(fields: tuple[Any, ...], motion: bytes) -> OperatorOrder | None:
    """Return the order of fields whose checksum holds; None if no desk writes such ones."""
    flags = int(fields[1])
    if flags & ~(_HELD | _TARGET):
        return None
    presses, pressed_s, press_ownings = (
        fields[2 + nth * len(BUTTONS) : 2 + (nth + 1) * len(BUTTONS)] for nth in range(3)
    )
    owning, override, x, y, z, alpha, beta, gamma, *names = fields[2 + 3 * len(BUTTONS) : -3]
    target: Six | None = (x, y, z, alpha, beta, gamma) if flags & _TARGET else None
    try:
        owner, presser = (name.rstrip(b"\0").decode("utf-8") for name in names)
        return OperatorOrder(
            fields[0], bool(flags & _HELD), presses, override, target, int(fields[-3]), motion,
            owner, presser, pressed_s, press_ownings, owning,
        )  # fmt: skip
    except ValueError:
        return None
