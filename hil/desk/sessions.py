"""Those who are connected to a desk: what is known of each, and who is let in."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from hil.desk import messages as m
from hil.desk.dead_man import ClientDeadMan

HELLO_TIMEOUT_S: Final = 1.0
"""Time that a connection has for its first word [s]."""
CLIENTS_MAX: Final = 16
OWNER_SILENT_MAX_S: Final = 2.0
"""An owner without a sign of life for longer than this [s] owns the motion no more."""


@dataclass(slots=True)
class ClientSession:
    """One connection."""

    nonce: str
    """Nonce of its proof."""
    since_s: float
    """Time at which it connected [s]."""
    name: str = ""
    """Name as it is shown to others; empty until it is let in."""
    dead_man: ClientDeadMan = field(default_factory=ClientDeadMan)
    """Its hold-to-run."""
    took_s: float = -math.inf
    """Time at which it last took the motion [s]; -inf if it never did."""

    @property
    def known(self) -> bool:
        """Whether it was let in."""
        return bool(self.name)

    def late(self, now_s: float) -> bool:
        """Whether it should have said hello by now [s]."""
        return not self.known and now_s - self.since_s > HELLO_TIMEOUT_S

    def lost(self, now_s: float) -> bool:
        """Whether it has been silent for so long [s] that it cannot keep the motion."""
        received_s = max(self.dead_man.stamp_s, self.took_s)
        return now_s - received_s > OWNER_SILENT_MAX_S


def why_refused(message: m.ClientMessage, secret: str, nonce: str) -> str:
    """Return why the first message of a client does not let it in; empty if it does."""
    if not isinstance(message, m.Hello):
        return f"{message.type} before hello"
    if message.protocol != m.PROTOCOL:
        return f"protocol {message.protocol}; this bench speaks {m.PROTOCOL}"
    if not m.proves(secret, nonce, message.proof):
        return "the proof does not match this bench's token"
    return ""


def free_name(wanted: str, taken: Iterable[str]) -> str:
    """The name, with a number behind it if another client has it."""
    others, name, number = set(taken), wanted, 1
    while name in others:
        number += 1
        name = f"{wanted} {number}"
    return name
