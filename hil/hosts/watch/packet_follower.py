"""Extrapolation of a host's packets to now: a parabola through the last four.

Packets come at the host's rate, late by what the network takes, some never; the loop asks at its
own rate. Every vector is read at now from the parabola that fits its last four values best; an
attitude likewise, in rotation vectors from the newest one, so that no angle ever flips. What a new
packet corrects is not taken at once: force and rates, or a pose, stay continuous.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from itertools import repeat
from operator import add, mul
from typing import Final

from hil.hosts.watch.clocks import ArrivalLoop, StampAlignment
from platform6dof.cueing.attitude import product, rotated_by, vector_between
from platform6dof.cueing.completion import Completion
from platform6dof.cueing.vehicle import Vector3, VehicleFlags, VehicleState

POINTS: Final = 4
"""Packets that a parabola goes through."""
HORIZON_S: Final = 0.06
"""Extrapolation beyond the newest packet after which the time read comes to a stop [s]."""
PERIODS: Final = 2.5
"""The same extrapolation in mean distances of the last packets [1]."""
STOPPING_S: Final = 0.2
"""Time constant with which a pose stops from its speed when no more packets come [s]."""
CORRECTED_S: Final = 0.02
"""Time constant with which a difference between two readings at a packet is given up [s]."""
_LEAST_GAP_S: Final = 1e-4
_NONE: Final[Vector3] = (0.0, 0.0, 0.0)
Points = Sequence[tuple[float, VehicleState]]
"""Packets: time at which each was sent, on our clock [s], and its state."""


class Follower:
    """Estimates the state of a vehicle now, from the packets that were accepted so far.

    Args:
        stamped: whether the host's own time is in its packets; without it their times of arrival
            are smoothed, which costs the mean of the jitter in delay.
        completion: makes each packet's state complete; None to take it as it is.
    """

    def __init__(self, stamped: bool, completion: Completion | None = None) -> None:
        self._stamped, self._completion = stamped, completion
        self.anchor()

    def anchor(self) -> None:
        """Forget everything: what follows does not continue what was."""
        self._alignment = StampAlignment()
        self._loop = ArrivalLoop()
        self._points: deque[tuple[float, VehicleState]] = deque(maxlen=POINTS)
        self._before: Points = ()  # packets of the last reading, until newer ones are processed
        self._off: tuple[Vector3, Vector3] = (_NONE, _NONE)
        self._off_s = 0.0
        if self._completion is not None:
            self._completion.reset()

    def take(self, state: VehicleState, kernel_s: float) -> None:
        """Take in one more accepted packet, newer than all before.

        Args:
            state: of the packet.
            kernel_s: when the kernel took it, on the run's clock [s].

        Raises:
            CueingError: if no force follows from it.
        """
        if self._stamped and math.isfinite(state.t_s):
            at_s = self._alignment.at(state.t_s, kernel_s)
        else:
            at_s = self._loop.at(kernel_s)
        if self._points and at_s <= self._points[-1][0] + _LEAST_GAP_S:
            at_s = self._points[-1][0] + _LEAST_GAP_S
        if self._completion is not None:
            apart_s = at_s - self._points[-1][0] if self._points else None
            state = self._completion.complete(state, apart_s)
        self._before = self._before or tuple(self._points)
        self._points.append((at_s, state))

    def state(self, now_s: float) -> VehicleState | None:
        """Return the state of the vehicle now; None while nothing was taken in.

        Args:
            now_s: on the run's clock [s].
        """
        if not self._points:
            return None
        read = self._read(self._points, now_s)
        fade = math.exp(-max(now_s - self._off_s, 0.0) / CORRECTED_S)
        (x, y, z), (a, b, c) = self._off
        first, second = (fade * x, fade * y, fade * z), (fade * a, fade * b, fade * c)
        if len(self._before) > 1:
            was = _vectors(self._read(self._before, now_s), read)
            now = _vectors(read, read)
            first = _difference(first, was[0], now[0])
            second = _difference(second, was[1], now[1])
        self._before, self._off, self._off_s = (), (first, second), now_s
        return _moved(read, first, second)

    def _read(self, points: Points, now_s: float) -> VehicleState:
        """Estimate the state now from some packets."""
        times_s, states = zip(*points, strict=True)
        newest = states[-1]
        if len(states) == 1:
            return newest
        mean_s = (times_s[-1] - times_s[0]) / (len(times_s) - 1)
        far_s = min(HORIZON_S, PERIODS * mean_s)
        ahead_s = _bounded(now_s - times_s[-1], far_s, mean_s)
        weights = parabola_weights(times_s, times_s[-1] + ahead_s)
        if ahead_s > far_s and VehicleFlags.POSE in newest.flags:
            weights = _stopping_weights(times_s, far_s, now_s)
        now = combine_states(weights, states)
        return replace(now, t_s=newest.t_s + ahead_s) if self._stamped else now


def _stopping_weights(times_s: Sequence[float], far_s: float, now_s: float) -> list[float]:
    """Return the weights of values that continued by their parabola, and now stop from their speed.

    Args:
        times_s: of the values, increasing [s].
        far_s: how far beyond the last of them the parabola is read [s].
        now_s: later than that [s].
    """
    until_s = times_s[-1] + far_s
    there = parabola_weights(times_s, until_s)
    before = parabola_weights(times_s, until_s - _LEAST_GAP_S)
    span_s = STOPPING_S * -math.expm1(-(now_s - until_s) / STOPPING_S)
    return [a + span_s * (a - b) / _LEAST_GAP_S for a, b in zip(there, before, strict=True)]


def _vectors(state: VehicleState, at: VehicleState) -> tuple[Vector3, Vector3]:
    """Select what a filter follows: force and rates, or place and turn by another pose."""
    if VehicleFlags.POSE in state.flags:
        return state.position_m, vector_between(at.attitude, state.attitude)
    return state.f_m_s2, state.omega_rad_s


def _moved(state: VehicleState, first: Vector3, second: Vector3) -> VehicleState:
    """Return a state whose force and rates, or place and turn, are off by something."""
    if first == second == _NONE:
        return state
    (x, y, z), posed = first, VehicleFlags.POSE in state.flags
    u, v, w = state.position_m if posed else state.f_m_s2
    moved = (0.0 + u + x, 0.0 + v + y, 0.0 + w + z)  # 0.0: no zero is negative
    if posed:
        return replace(
            state, position_m=moved, attitude=product(state.attitude, rotated_by(second))
        )
    (a, b, c), (p, q, r) = second, state.omega_rad_s
    return replace(state, f_m_s2=moved, omega_rad_s=(0.0 + p + a, 0.0 + q + b, 0.0 + r + c))


def _difference(kept: Vector3, was: Vector3, now: Vector3) -> Vector3:
    """Add to what is kept of a difference by how much two readings are apart."""
    (x, y, z), (a, b, c), (u, v, w) = kept, was, now
    return x + a - u, y + b - v, z + c - w


def _bounded(ahead_s: float, far_s: float, slow_s: float) -> float:
    """Return a time ahead that comes to a stop beyond a bound, without a sudden one [s]."""
    beyond_s = ahead_s - far_s
    if beyond_s <= 0.0:
        return ahead_s
    return far_s + slow_s * (1.0 - math.exp(-beyond_s / slow_s))


def parabola_weights(times_s: Sequence[float], at_s: float) -> list[float]:
    """Return the weights of values whose sum is the best parabola through them, read somewhere.

    By polynomials that are orthogonal on the given times (Forsythe, 1957); a straight line for two
    values.

    Args:
        times_s: of the values, increasing [s].
        at_s: where the parabola is read [s].

    Returns:
        One weight for each value; their sum is 1.
    """
    count = len(times_s)
    middle_s = sum(times_s) / count
    t = [one - middle_s for one in times_s]
    x = at_s - middle_s
    squares = sum(map(mul, t, t))
    weights = [1.0 / count + x * one / squares for one in t]
    if count < 3:
        return weights
    # The second polynomial is t² - slope t - mean, at a right angle to 1 and t on these times.
    slope = sum(map(pow, t, repeat(3))) / squares
    mean = squares / count
    second = [one * one - slope * one - mean for one in t]
    there = x * x - slope * x - mean
    length = sum(map(mul, second, second))
    return [weight + there * one / length for weight, one in zip(weights, second, strict=True)]


def combine_states(weights: Sequence[float], states: Sequence[VehicleState]) -> VehicleState:
    """Combine states' motion with these weights, whose sum is 1; the rest is the last one's.

    Args:
        weights: one of each state.
        states: at least one, the newest last.
    """
    newest = states[-1]
    sums: Sequence[float] = (0.0,) * 18
    for weight, one in zip(weights, states, strict=True):
        values = (
            *one.f_m_s2,
            *one.omega_rad_s,
            *one.domega_rad_s2,
            *one.v_m_s,
            *one.position_m,
            *vector_between(newest.attitude, one.attitude),
        )
        sums = tuple(map(add, sums, map(mul, repeat(weight), values)))
    fx, fy, fz, p, q, r, dp, dq, dr, u, v, w, north, east, down, a, b, c = sums
    return replace(
        newest,
        f_m_s2=(fx, fy, fz),
        omega_rad_s=(p, q, r),
        domega_rad_s2=(dp, dq, dr),
        attitude=product(newest.attitude, rotated_by((a, b, c))),
        v_m_s=(u, v, w),
        position_m=(north, east, down),
    )
