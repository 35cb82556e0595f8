"""Figures of a run of the virtual environment."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from safety.robot_limits import RobotViolation


@dataclass(slots=True)
class WorldFigures:
    """Figures of a run, kept up to date while it lasts."""

    error_max_rad: float = 0.0
    """Largest error of a hinge while the motion runs [rad]."""
    error_final_rad: float = 0.0
    """Largest error of a hinge at the end [rad]."""
    error_max_m: float = 0.0
    """Largest error of a slide while the motion runs [m]."""
    error_final_m: float = 0.0
    line_max_m: float = math.nan
    """Largest distance of the tool from its line [m]; NaN without one."""
    gap_max_m: float = 0.0
    """Largest gap of a closed loop [m]."""
    steps: int = 0
    """Number of the engine's steps."""
    ended: str = "completed"
    """Outcome: completed, stopped by a person, refused by the gate, failed (its law or the
    operator's desk did), diverged."""
    reason: str = ""
    """Reason, if it was not completed."""
    ended_by: RobotViolation | None = None
    """Objection of the gate that decided the outcome; None if none did."""
    violations: list[str] = field(default_factory=list[str])
    """Objections of the gate, and contacts that began, with times."""
    contacts: int = 0
    """Number of contacts that began."""

    @property
    def ok(self) -> bool:
        """Whether the motion reached its end."""
        return self.ended == "completed"

    @property
    def well(self) -> bool:
        """Whether it reached its end, or was stopped by a person."""
        return self.ended in ("completed", "stopped")
