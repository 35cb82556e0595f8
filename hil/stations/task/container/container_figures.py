"""Figures of the task `container`: course of the robot, and slip of what it carries."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final, TypedDict


class CourseFigures(TypedDict):
    """Figures of the task `container`; they have keys in the summary of every task."""

    slip_mm: float
    """Greatest slip of the container in the jaws [mm]."""
    path_m: float
    """Length of the robot's path [m]."""
    turns: float
    """Sum of the robot's turns to either side, in whole turns."""
    least_distance_m: float | None
    """Least distance of the chassis from an obstacle or wall [m]; None without any."""
    jerk_m_s3: float
    """Root mean square of the chassis's jerk while it moves [m/s³]."""


class ContainerFigures:
    """Figures of a run, by the protocol of all tasks."""

    def values(self, measures: Mapping[str, float]) -> CourseFigures:
        """Values by their keys in the output."""
        least_m = measures["least_distance_m"]
        return CourseFigures(
            slip_mm=measures["slip_mm"], path_m=measures["path_m"], turns=measures["turns"],
            least_distance_m=least_m if math.isfinite(least_m) else None,
            jerk_m_s3=measures["jerk_m_s3"],
        )  # fmt: skip

    def line(self, values: Mapping[str, Any]) -> str:
        """Line about them for people."""
        least_m = values["least_distance_m"]
        nearest = "" if least_m is None else f", nearest obstacle {least_m:.2f} m"
        return (
            f"path {values['path_m']:.1f} m, {values['turns']:.1f} turns{nearest}, "
            f"jerk {values['jerk_m_s3']:.1f} m/s³, {values['contacts']} contacts, "
            f"slip {values['slip_mm']:.2f} mm"
        )


FIGURES: Final = ContainerFigures()
"""Figures of the task `container`."""
