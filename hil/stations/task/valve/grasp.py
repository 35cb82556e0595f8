"""Grasps of a rim, and what is measured in each; when one begins and ends, another says.

A grasp's slip is the turn of the hand about the wheel's axis relative to the wheel. Errors of force
and moment count from `SETTLING_S` after its beginning.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

SETTLING_S: Final = 0.5
"""Time after the beginning of a grasp from which errors count [s]."""
PRESSED_N: Final = 15.0
"""Force of each finger that makes a grasp [N]."""
SHARE: Final = 0.01
"""Share of a grasp's ticks in which an error may be beyond its first limit."""


@dataclass(slots=True)
class GraspErrors:
    """Errors of the grasps so far."""

    force_limit_n: float
    """First limit of the force [N]."""
    moment_limit_nm: float
    """First limit of the moment [N m]."""
    grasps: int = 0
    """Number of grasps."""
    held: bool = False
    """Whether there is one now."""
    force_n: float = 0.0
    """Greatest error of the force in all grasps [N]."""
    moment_nm: float = 0.0
    """Greatest error of the moment in all grasps [N m]."""
    slip_rad: float = 0.0
    """Greatest slip of all grasps [rad]."""
    worst_share: float = 0.0
    """Greatest share of a grasp's ticks with an error beyond its first limit."""
    _since_s: float = 0.0
    _ticks: int = 0
    _beyond: int = 0
    _began_rad: float = 0.0

    def hold(self, t_s: float, turn_rad: float) -> bool:
        """Take a step of a grasp, or begin one; returns whether errors count now.

        Args:
            turn_rad: turn of the hand relative to the wheel about its axis [rad].
        """
        if not self.held:
            self.held, self._since_s, self._began_rad = True, t_s, turn_rad
            self._ticks = self._beyond = 0
        return t_s - self._since_s >= SETTLING_S

    def add(self, force_n: float, moment_nm: float, turn_rad: float) -> None:
        """Add errors of a step that count."""
        if not self._ticks:
            self.grasps += 1
            self._began_rad = turn_rad
        self._ticks += 1
        self._beyond += force_n > self.force_limit_n or moment_nm > self.moment_limit_nm
        self.force_n = max(self.force_n, force_n)
        self.moment_nm = max(self.moment_nm, moment_nm)
        self.slip_rad = max(
            self.slip_rad, abs(math.remainder(turn_rad - self._began_rad, math.tau))
        )

    def end(self) -> None:
        """End the grasp, if there is one."""
        if self.held and self._ticks:
            self.worst_share = max(self.worst_share, self._beyond / self._ticks)
        self.held = False
