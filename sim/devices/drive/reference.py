"""Reference of a drive's position servo: a position and a speed that never jump by themselves.

The generator holds, follows setpoints, goes to a target with a trapezoidal profile, runs at a
speed, or brakes along a ramp. Everything is in metres of rod extension of the drive's own zero.

Setpoints of the cyclic modes are interpolated over the interpolation time period: linearly, so
that the drive derives its speed feed-forward from successive targets; or, when the master gives
the speed too (velocity offset 60B1h), with the cubic that has both end speeds. While a setpoint is
late the position waits at the last one, and the speed continues for at most half a period, so that
jitter does not make the servo stutter; then the reference holds still.

Not modelled: jerk limits (60A4h), synchronisation of the drive's own cycle to SYNC by a PLL.
"""

from __future__ import annotations

import math
from enum import Enum
from typing import Final


class Motion(Enum):
    """Present action of the reference."""

    HOLD = "hold"
    SEGMENT = "segment"
    PROFILE = "profile"
    SPEED = "speed"


# A look-up of a member in its class costs more than a substep's arithmetic.
_HOLD: Final = Motion.HOLD
_SEGMENT: Final = Motion.SEGMENT
_PROFILE: Final = Motion.PROFILE
_SPEED: Final = Motion.SPEED


class Reference:
    """Position and speed that the servo follows.

    Attributes:
        x_m: Position [m].
        v_m_s: Speed [m/s].
        a_m_s2: Acceleration, which the servo feeds forward [m/s^2].
        motion: What it does at the moment.
    """

    __slots__ = (
        "_acceleration",
        "_coefficients",
        "_deceleration",
        "_elapsed_s",
        "_period_s",
        "_speed",
        "_start_m",
        "_target_m",
        "a_m_s2",
        "motion",
        "v_m_s",
        "x_m",
    )

    def __init__(self) -> None:
        self.x_m: float = 0.0
        self.v_m_s: float = 0.0
        self.a_m_s2 = 0.0
        self.motion: Motion = _HOLD
        self._target_m = 0.0
        self._period_s = 0.0
        self._elapsed_s = 0.0
        self._coefficients = (0.0, 0.0, 0.0)
        self._start_m = 0.0
        self._speed = 0.0
        self._acceleration = 1.0
        self._deceleration = 1.0

    def hold(self, x_m: float) -> None:
        """Hold a position [m] from now on."""
        self.x_m, self.v_m_s, self.a_m_s2 = x_m, 0.0, 0.0
        self.motion = _HOLD

    def shift(self, dx_m: float) -> None:
        """Move the origin of the positions by -dx_m [m]; the rod does not notice."""
        self.x_m += dx_m
        self._target_m += dx_m
        self._start_m += dx_m

    def segment(self, target_m: float, period_s: float, end_speed_m_s: float | None) -> None:
        """Move to a setpoint within one interpolation period.

        Args:
            target_m: Setpoint [m].
            period_s: Interpolation time period [s]; 0 jumps to the setpoint.
            end_speed_m_s: Speed at the setpoint [m/s]; None derives it from the distance.
        """
        if period_s <= 0.0:
            self.hold(target_m)
            return
        distance = target_m - self.x_m
        mean = distance / period_s
        if end_speed_m_s is None:
            self._coefficients = (mean, 0.0, 0.0)
        else:
            v0, v1 = self.v_m_s, end_speed_m_s
            self._coefficients = (
                v0,
                (3.0 * mean - 2.0 * v0 - v1) / period_s,
                (v0 + v1 - 2.0 * mean) / (period_s * period_s),
            )
        self._target_m, self._period_s, self._elapsed_s = target_m, period_s, 0.0
        self._start_m = self.x_m
        self.v_m_s = self._coefficients[0]
        self.a_m_s2 = 0.0  # of setpoints in whole counts it would be mostly rounding
        self.motion = _SEGMENT

    def profile(
        self, target_m: float, speed_m_s: float, acceleration: float, deceleration: float
    ) -> None:
        """Move to a target with a trapezoidal profile [m, m/s, m/s^2, m/s^2]."""
        self._target_m, self._speed = target_m, speed_m_s
        self._acceleration, self._deceleration = acceleration, deceleration
        self.motion = _PROFILE

    def speed(self, speed_m_s: float, acceleration: float) -> None:
        """Reach and keep a speed [m/s] with an acceleration [m/s^2]; 0 is a ramp to a stop."""
        self._speed, self._acceleration = speed_m_s, acceleration
        self.motion = _SPEED

    @property
    def at_rest(self) -> bool:
        """Whether the reference rests and nothing will move it."""
        if self.motion is _SPEED:
            return self._speed == 0.0 and self.v_m_s == 0.0
        return self.motion is _HOLD

    def advance(self, dt_s: float) -> None:
        """Advance by one substep [s]."""
        motion = self.motion
        if motion is _SEGMENT:
            self._along_segment(dt_s)
        elif motion is _HOLD:
            return
        elif motion is _PROFILE:
            self._along_profile(dt_s)
        else:
            change = self._acceleration * dt_s
            error = self._speed - self.v_m_s
            v_old = self.v_m_s
            self.v_m_s = (
                self._speed if abs(error) <= change else v_old + math.copysign(change, error)
            )
            self.a_m_s2 = (self.v_m_s - v_old) / dt_s
            self.x_m += 0.5 * (v_old + self.v_m_s) * dt_s

    def _along_segment(self, dt_s: float) -> None:
        t = self._elapsed_s = self._elapsed_s + dt_s
        period = self._period_s
        c1, c2, c3 = self._coefficients
        if t <= period + 1e-9:
            self.x_m = self._start_m + t * (c1 + t * (c2 + t * c3))
            self.v_m_s = c1 + t * (2.0 * c2 + t * 3.0 * c3)
            return
        if t - period > 0.5 * period:
            self.hold(self._target_m)
        else:
            self.x_m = self._target_m
            self.v_m_s = c1 + period * (2.0 * c2 + period * 3.0 * c3)

    def _along_profile(self, dt_s: float) -> None:
        distance = self._target_m - self.x_m
        v_wanted = math.copysign(
            min(self._speed, math.sqrt(2.0 * self._deceleration * abs(distance))), distance
        )
        slowing = abs(v_wanted) < abs(self.v_m_s)
        change = (self._deceleration if slowing else self._acceleration) * dt_s
        error = v_wanted - self.v_m_s
        step = error if abs(error) <= change else math.copysign(change, error)
        self.v_m_s += step
        self.a_m_s2: float = step / dt_s
        move = self.v_m_s * dt_s
        if abs(move) >= abs(distance) and abs(self.v_m_s) <= 2.0 * self._deceleration * dt_s:
            self.hold(self._target_m)
        else:
            self.x_m += move
