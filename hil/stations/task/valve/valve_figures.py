"""Figures of the task `valve`: errors of angle, force and moment, saturation, slip, grasps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NotRequired, TypedDict


class ValveFigures(TypedDict):
    """Figures of the task `valve`."""

    angle_error_deg: NotRequired[float]
    """Angle of the wheel less the wanted one [deg]."""
    force_error_n: NotRequired[float]
    """Greatest error of the force, from 0.5 s after each grasp [N]."""
    moment_error_nm: NotRequired[float]
    """Greatest error of the moment, likewise [N m]."""
    saturated_s: NotRequired[float]
    """Longest time for which a drive of the arm was saturated at a stretch [s]."""
    slip_deg: NotRequired[float]
    """Greatest slip of the hand on the rim in a grasp [deg]."""
    grasps: NotRequired[int]
    """Number of grasps."""


class TurnFigures:
    """Figures of a run, by the protocol of all tasks."""

    def values(self, measures: Mapping[str, float]) -> ValveFigures:
        """Values by their keys in the output."""
        return ValveFigures(
            angle_error_deg=measures["angle_error_deg"], force_error_n=measures["force_error_n"],
            moment_error_nm=measures["moment_error_nm"], saturated_s=measures["saturated_s"],
            slip_deg=measures["slip_deg"], grasps=round(measures["grasps"]),
        )  # fmt: skip

    def line(self, values: Mapping[str, Any]) -> str:
        """Line about them for people."""
        return (
            f"angle {values['angle_error_deg']:+.2f} deg, force {values['force_error_n']:.1f} N, "
            f"moment {values['moment_error_nm']:.2f} N m, slip {values['slip_deg']:.2f} deg, "
            f"saturated {values['saturated_s']:.3f} s, {values['grasps']} grasps, "
            f"{values['contacts']} contacts"
        )


FIGURES: Final = TurnFigures()
"""Figures of the task `valve`."""
