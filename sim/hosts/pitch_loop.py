"""A loop through 90 degrees of pitch, put upon the motion of any vehicle."""

from __future__ import annotations

import math
from dataclasses import replace

from sim.hosts.jet import Ramp, value
from sim.hosts.vehicle_motion import (
    GRAVITY_M_S2,
    VehicleMotion,
    acceleration,
    add,
    cross,
    moved,
    multiplied,
    scaled,
    to_body,
    to_earth,
)


class PitchLoop:
    """Another motion with a loop through 90 degrees of pitch put upon it.

    The vehicle flies along its nose all the same, so that its path becomes a loop where it moves.
    The place is summed from call to call: times must not go backward.

    Args:
        begin_s: when the loop begins [s].
        lasts_s: how long it takes [s].
    """

    def __init__(self, begin_s: float, lasts_s: float) -> None:
        self._ramps = (Ramp(begin_s, lasts_s, 2.0 * math.pi),)
        self._before: tuple[float, tuple[float, float, float]] | None = None
        self._off = (0.0, 0.0, 0.0)

    def of(self, motion: VehicleMotion, t_s: float) -> VehicleMotion:
        """The motion at a time [s], looped."""
        angle = value(self._ramps, t_s)
        turn = (math.cos(angle.x / 2.0), 0.0, math.sin(angle.x / 2.0), 0.0)
        attitude = multiplied(motion.attitude, turn)
        own = to_body(turn, motion.omega_rad_s)
        omega = (own[0], own[1] + angle.d, own[2])
        slope = cross((0.0, -angle.d, 0.0), own)
        still = to_body(turn, motion.domega_rad_s2)
        domega = add(add(still, slope), (0.0, angle.dd, 0.0))
        v = motion.v_m_s
        dv = add(acceleration(motion), scaled(cross(motion.omega_rad_s, v), -1.0))
        gravity = to_body(attitude, (0.0, 0.0, GRAVITY_M_S2))
        force = add(add(dv, cross(omega, v)), scaled(gravity, -1.0))
        self._sum(t_s, add(to_earth(attitude, v), scaled(to_earth(motion.attitude, v), -1.0)))
        return replace(
            moved(motion, self._off),
            f_m_s2=force, omega_rad_s=omega, domega_rad_s2=domega, attitude=attitude,
        )  # fmt: skip

    def _sum(self, t_s: float, velocity: tuple[float, float, float]) -> None:
        if self._before is not None:
            then_s, was = self._before
            self._off = add(self._off, scaled(add(was, velocity), 0.5 * (t_s - then_s)))
        self._before = (t_s, velocity)
