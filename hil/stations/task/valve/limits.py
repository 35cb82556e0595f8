"""Limits of what may be asked of a claw: reach, span and moment, and the valve's travel."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import ConfigError, Wrong, about

if TYPE_CHECKING:
    from hil.stations.task.valve.settings import ValveSettings
    from sim.world.robots.model import Robot

Array = NDArray[np.float64]

SHOULDER_M: Final = (0.0, 0.22, 1.2)
"""Shoulder of the arm in the axes of the robot's base [m]."""
REACH_M: Final = (0.16, 0.69)
"""Least and greatest distance of the wrist from the shoulder [m]."""
WRIST_M: Final = 0.16
"""Distance of the wrist before the wheel [m]."""
BEFORE_M: Final = 0.12
"""Distance before the wheel at which the hand begins and ends [m]."""
SPAN_M: Final = (0.055, 0.095)
"""Least and greatest radius of a rim that the fingers close on [m]."""
FINGER: Final = "finger"
"""Word in the names of links that hold."""
TURN_NM: Final = 14.0
"""Greatest moment about the axis that a law may want [N m]."""
JAM_NM: Final = 11.0
"""Greatest friction that the law's moment overcomes [N m]."""


def require_feasible(
    settings: ValveSettings, robot: Robot, angle_rad: float, at_m: Array, axis: Array
) -> None:
    """Refuse settings that no run can meet.

    Args:
        at_m: reported middle of the wheel in the base's axes [m].
        axis: reported direction of its axis.

    Raises:
        ConfigError: with value, limit and remedy of each fault.
    """
    wrong = [*_hand_faults(settings, robot), *_travel_faults(settings, angle_rad)]
    if wrong := [*wrong, *_reach_faults(at_m, axis)]:
        raise ConfigError("task", wrong)


def _hand_faults(settings: ValveSettings, robot: Robot) -> Iterator[Wrong]:
    if not any(FINGER in one.name for one in robot.links):
        text = f"robot {robot.name}: no link has {FINGER!r} in its name; nothing grasps a rim"
        yield about("robot", text)
    for radius in settings.rim_radius_m:
        if not SPAN_M[0] <= radius <= SPAN_M[1]:
            yield about(
                "task.rim_radius_m",
                f"task.rim_radius_m: {radius:g} m, and the hand closes on rims of {SPAN_M[0]:g} m "
                f"to {SPAN_M[1]:g} m: another wheel, or another hand",
            )
    if (friction := settings.friction_nm[1]) > JAM_NM:
        yield about(
            "task.friction_nm",
            f"task.friction_nm: {friction:g} N m, and the law turns by at most {TURN_NM:g} N m, "
            f"of which {JAM_NM:g} N m are left for dry friction: a lighter valve is needed",
        )


def _travel_faults(settings: ValveSettings, angle_rad: float) -> Iterator[Wrong]:
    angle_deg, travel = math.degrees(angle_rad), settings.travel_deg
    if travel is not None and settings.angle_deg is not None and abs(angle_deg) > travel:
        yield about(
            "task.angle_deg",
            f"task.angle_deg: {angle_deg:g} deg, and the valve's travel is {travel:g} deg to "
            "either side: a smaller angle, or a larger travel_deg",
        )


def _reach_faults(at_m: Array, axis: Array) -> Iterator[Wrong]:
    """Check the wrist's places before the wheel and where the hand begins."""
    for before_m in (WRIST_M, WRIST_M + BEFORE_M):
        far = math.dist(at_m - before_m * axis, SHOULDER_M)
        if not REACH_M[0] <= far <= REACH_M[1]:
            where = ", ".join(f"{value:.2f}" for value in at_m)
            yield about(
                "task.wheel_at_m",
                f"task.wheel_at_m: the wheel reported at {where} m in the base's axes puts the "
                f"wrist {far:.2f} m from the shoulder, and the arm reaches from {REACH_M[0]:g} m "
                f"to {REACH_M[1]:g} m: a nearer wheel is needed",
            )
            return
