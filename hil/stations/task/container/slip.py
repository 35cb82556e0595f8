"""Slip of the container in the jaws: its motion relative to the hand while the jaws alone hold it.

It is measured at the middle of the grip bar, from where the bar was when both jaws had touched it
for a while; turning about that middle is no slip.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

GRIPPED_S: Final = 0.3
"""Time for which both jaws touch until the grip counts [s]."""
APART_S: Final = 0.1
"""Time without one of the jaws after which the grip is over [s]."""


class GripSlip:
    """Slip of what both jaws hold."""

    def __init__(self) -> None:
        self._since_s: float | None = None
        self._last_s = -np.inf
        self._began: Array | None = None
        self.now_m: float = 0.0
        """Slip of the present grip [m]."""
        self.greatest_m: float = 0.0
        """Greatest slip of all grips [m]."""
        self.lifted: bool = False
        """Whether the jaws alone have held it, at least once."""

    @property
    def holds(self) -> bool:
        """Whether there is a grip."""
        return self._began is not None

    def hold(self, t_s: float, hand: Array, bar_m: Array, *, borne: bool) -> None:
        """Take the state of a step in which both jaws touch it.

        Args:
            hand: pose of the hand in the world, shape (4, 4).
            bar_m: middle of the grip bar in the world [m], shape (3,).
            borne: whether anything but the jaws bears it.
        """
        self._last_s = t_s
        self._since_s = t_s if self._since_s is None else self._since_s
        self._measure(t_s, hand, bar_m, borne=borne)

    def part(self, t_s: float, *, borne: bool) -> bool:
        """Take a step in which a jaw does not touch it; returns whether the jaws lost it now.

        Args:
            borne: whether anything but the jaws bears it.
        """
        if self._since_s is None or t_s - self._last_s <= APART_S:
            return False
        ended = self._began is not None and not borne
        self._since_s, self._began, self.now_m = None, None, 0.0
        return ended

    def _measure(self, t_s: float, hand: Array, bar_m: Array, *, borne: bool) -> None:
        at = hand[:3, :3].T @ (bar_m - hand[:3, 3])
        if self._began is None:
            if self._since_s is not None and t_s - self._since_s >= GRIPPED_S:
                self._began = at
            return
        if not borne:
            self.lifted = True
            self.now_m = float(np.linalg.norm(at - self._began))
            self.greatest_m = max(self.greatest_m, self.now_m)
