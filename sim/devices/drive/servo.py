"""The servo of a drive that knows its own rod only: position loop, PI speed loop, force limit.

    force = k_v (v* - v) + integral of k_v / T_i (v* - v) + m_own a_ref

v* is the reference's speed and k_p times its distance, formed by `sim.devices.drive.axis`. The
integral is held while the force is at its limit. What load hangs on the rod shows in its motion.

Not modelled: the current loop, which is some ten times as fast as the speed loop; notch filters;
an integral that is set beforehand for a known weight when the brake opens.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from sim.devices.drive.rods import PlantError


@dataclass(frozen=True, slots=True)
class ServoGains:
    """Gains of one drive.

    Raises:
        PlantError: If a value is not finite, or not above 0.
    """

    position_gain_1_s: float = 20.0
    """k_p [1/s]."""
    speed_gain_n_s_m: float = 60e3
    """k_v [N s/m]."""
    integral_time_s: float = 0.06
    """T_i of the speed loop [s]."""
    own_mass_kg: float = 28.0
    """Rod, rotor and screw, whose acceleration is fed forward [kg]."""
    feed_filter_s: float = 0.004
    """Time constant with which the reference's acceleration is smoothed [s]."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not (math.isfinite(value) and value > 0.0):
                raise PlantError(f"{field.name} = {value!r}: a finite number > 0 is needed")


class LoadServo:
    """Speed loop of one drive.

    Args:
        force_max_n: Largest force of the motor, either way [N].
    """

    __slots__ = (
        "_feed",
        "_feed_filter_s",
        "_force_max_n",
        "_integral_n",
        "_integral_n_m",
        "_own_mass_kg",
        "_speed_gain_n_s_m",
        "_v_ref",
        "limited",
        "position_gain_1_s",
    )

    def __init__(self, gains: ServoGains, force_max_n: float) -> None:
        self.position_gain_1_s: float = gains.position_gain_1_s
        """k_p [1/s]."""
        self._speed_gain_n_s_m = gains.speed_gain_n_s_m
        self._integral_n_m = gains.speed_gain_n_s_m / gains.integral_time_s
        self._own_mass_kg = gains.own_mass_kg
        self._feed_filter_s = gains.feed_filter_s
        self._force_max_n = force_max_n
        self.reset(0.0)

    def reset(self, v_ref_m_s: float) -> None:
        """Begin anew, with nothing in the integral, from a speed of the reference [m/s]."""
        self._integral_n = self._feed = 0.0
        self._v_ref: float = v_ref_m_s
        self.limited: bool = False
        """Whether the last force was at its limit."""

    def force_n(self, v_wanted_m_s: float, v_m_s: float, v_ref_m_s: float, dt_s: float) -> float:
        """Return the force of the next step [N].

        Args:
            v_wanted_m_s: Speed that the position loop wants [m/s].
            v_m_s: Speed that the encoder shows [m/s].
            v_ref_m_s: Speed of the reference, whose change is fed forward [m/s].
            dt_s: Step [s].
        """
        a_ref = (v_ref_m_s - self._v_ref) / dt_s
        self._v_ref = v_ref_m_s
        feed = self._feed
        self._feed = feed = feed + (a_ref - feed) * dt_s / (dt_s + self._feed_filter_s)
        error = v_wanted_m_s - v_m_s
        integral = self._integral_n + self._integral_n_m * error * dt_s
        force = self._speed_gain_n_s_m * error + integral + self._own_mass_kg * feed
        limit = self._force_max_n
        if -limit <= force <= limit:
            self._integral_n, self.limited = integral, False
            return force
        self.limited = True
        return math.copysign(limit, force)
