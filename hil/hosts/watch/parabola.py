"""The parabola that fits a vehicle's last states best, read at any time.

Its times and states are those of packets, which come less often than the loop asks: all that does
not depend on the time read is computed once.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from operator import add, mul

from platform6dof.cueing.attitude import product, rotated_by, vector_between
from platform6dof.cueing.vehicle import VehicleFlags, VehicleState


class Parabola:
    """Weights of values whose sum is the best parabola through them, read somewhere.

    By polynomials that are orthogonal on the given times (Forsythe, 1957); a straight line for two
    values.

    Args:
        times_s: of the values, increasing [s].
    """

    def __init__(self, times_s: Sequence[float]) -> None:
        count = len(times_s)
        self._middle_s = sum(times_s) / count
        t = [one - self._middle_s for one in times_s]
        self._t, self._squares = t, sum(map(mul, t, t))
        self._even, self._curved = 1.0 / count, count > 2
        if self._curved:
            # The second polynomial is t² - slope t - mean, at a right angle to 1 and t on them.
            self._slope = sum(map(pow, t, repeat(3))) / self._squares
            self._mean = self._squares / count
            self._second = [one * one - self._slope * one - self._mean for one in t]
            self._length = sum(map(mul, self._second, self._second))

    def weights(self, at_s: float) -> list[float]:
        """Return one weight for each value; their sum is 1.

        Args:
            at_s: where the parabola is read [s].
        """
        x, even, squares = at_s - self._middle_s, self._even, self._squares
        if not self._curved:
            return [even + x * one / squares for one in self._t]
        there, length = x * x - self._slope * x - self._mean, self._length
        return [
            even + x * one / squares + there * other / length
            for one, other in zip(self._t, self._second, strict=True)
        ]


class StateFit:
    """States of a vehicle whose motion is combined; the rest is the newest one's.

    Args:
        states: at least one, the newest last.
    """

    def __init__(self, states: Sequence[VehicleState]) -> None:
        self.newest: VehicleState = states[-1]
        """The last of the states."""
        self.posed: bool = VehicleFlags.POSE in self.newest.flags
        """Whether it is a pose that the platform shall take."""
        self._rows = [
            (
                *one.f_m_s2,
                *one.omega_rad_s,
                *one.domega_rad_s2,
                *one.v_m_s,
                *one.position_m,
                *vector_between(self.newest.attitude, one.attitude),
            )
            for one in states
        ]
        self._columns = list(zip(*self._rows, strict=True))

    def combine(self, weights: Sequence[float], t_s: float) -> VehicleState:
        """Combine the motions with these weights, whose sum is 1.

        Args:
            weights: one of each state.
            t_s: time of the combined state on the source's clock [s].
        """
        if len(self._rows) == 4:
            a, b, c, d = weights
            sums = [0.0 + a * p + b * q + c * r + d * s for p, q, r, s in self._columns]
        else:
            sums = [0.0] * len(self._columns)
            for weight, row in zip(weights, self._rows, strict=True):
                sums = list(map(add, sums, map(mul, repeat(weight), row)))
        fx, fy, fz, p, q, r, dp, dq, dr, u, v, w, north, east, down, x, y, z = sums
        newest = self.newest
        return VehicleState(
            t_s,
            (fx, fy, fz),
            (p, q, r),
            (dp, dq, dr),
            product(newest.attitude, rotated_by((x, y, z))),
            (u, v, w),
            (north, east, down),
            newest.flags,
            newest.speed_factor,
        )
