"""The hold-to-run of a client: only from a meant press, and only while its maker lives."""

from __future__ import annotations

import math
from dataclasses import dataclass

from hil.desk.order import DEAD_MAN_S


@dataclass(slots=True)
class ClientDeadMan:
    """The hold-to-run of a client, by its signs of life.

    A press counts if it was made while its maker owned the motion. After a silence it counts no
    more until it was let go and pressed anew: a panel that froze and comes back must not hold by
    itself.
    """

    stamp_s: float = -math.inf
    """Monotonic time of the newest sign of life [s]; -inf if there was none."""
    held: bool = False
    """Whether it said that it holds."""
    firm: bool = False
    """Whether the hold counts."""

    def take(self, held: bool, stamp_s: float, now_s: float, *, counts: bool) -> bool:
        """Take a sign of life.

        Args:
            stamp_s: when [s]; what waited in a buffer is as old as it is.
            counts: whether the client owns the motion.

        Returns:
            Whether the client owns the motion and this is its newest sign of life.
        """
        stamp_s = min(stamp_s, now_s)
        if stamp_s < self.stamp_s:
            return False
        pressed = held and not self.held
        unbroken = self.firm and stamp_s - self.stamp_s <= DEAD_MAN_S
        fresh = now_s - stamp_s <= DEAD_MAN_S
        self.firm = held and counts and fresh and (pressed or unbroken)
        self.stamp_s, self.held = stamp_s, held
        return counts

    def silent(self, now_s: float) -> bool:
        """Let go if there was no sign of life for too long; say whether that is so just now."""
        if not self.firm or now_s - self.stamp_s <= DEAD_MAN_S:
            return False
        self.firm = False
        return True

    def let_go(self) -> None:
        """Make the hold count no more, until it is pressed anew."""
        self.firm = False
