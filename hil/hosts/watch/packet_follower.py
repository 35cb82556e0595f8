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
from typing import Final

from hil.hosts.watch.clocks import ArrivalLoop, StampAlignment
from hil.hosts.watch.parabola import Parabola, StateFit
from platform6dof.cueing.attitude import product, rotated_by, vector_between
from platform6dof.cueing.completion import Completion
from platform6dof.cueing.vehicle import Vector3, VehicleState

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
        self._fit: _Fit | None = None  # of all points, once it was asked for
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
        self._fit = None

    def state(self, now_s: float) -> VehicleState | None:
        """Return the state of the vehicle now; None while nothing was taken in.

        Args:
            now_s: on the run's clock [s].
        """
        if not self._points:
            return None
        self._fit = fit = self._fit or _Fit(self._points)
        read = self._read(fit, now_s)
        fade = math.exp(-max(now_s - self._off_s, 0.0) / CORRECTED_S)
        (x, y, z), (a, b, c) = self._off
        first, second = (fade * x, fade * y, fade * z), (fade * a, fade * b, fade * c)
        if len(self._before) > 1:
            before = _Fit(self._before)
            was = _vectors(self._read(before, now_s), read, before.states.posed)
            now = _vectors(read, read, fit.states.posed)
            first = _difference(first, was[0], now[0])
            second = _difference(second, was[1], now[1])
        self._before, self._off, self._off_s = (), (first, second), now_s
        return _moved(read, first, second, fit.states.posed)

    def _read(self, fit: _Fit, now_s: float) -> VehicleState:
        """Estimate the state now from some packets."""
        newest, newest_s = fit.states.newest, fit.times_s[-1]
        if len(fit.times_s) == 1:
            return newest
        ahead_s = _bounded(now_s - newest_s, fit.far_s, fit.mean_s)
        weights = fit.parabola.weights(newest_s + ahead_s)
        if ahead_s > fit.far_s and fit.states.posed:
            weights = _stopping_weights(fit, now_s)
        return fit.states.combine(weights, newest.t_s + ahead_s if self._stamped else newest.t_s)


class _Fit:
    """What is read from some packets at any time."""

    def __init__(self, points: Points) -> None:
        self.times_s, states = zip(*points, strict=True)
        self.states = StateFit(states)
        if len(self.times_s) > 1:
            self.parabola = Parabola(self.times_s)
            self.mean_s = (self.times_s[-1] - self.times_s[0]) / (len(self.times_s) - 1)
            self.far_s = min(HORIZON_S, PERIODS * self.mean_s)


def _stopping_weights(fit: _Fit, now_s: float) -> list[float]:
    """Return the weights of values that continued by their parabola, and now stop from their speed.

    Args:
        now_s: later than the parabola is read [s].
    """
    until_s = fit.times_s[-1] + fit.far_s
    there = fit.parabola.weights(until_s)
    before = fit.parabola.weights(until_s - _LEAST_GAP_S)
    span_s = STOPPING_S * -math.expm1(-(now_s - until_s) / STOPPING_S)
    return [a + span_s * (a - b) / _LEAST_GAP_S for a, b in zip(there, before, strict=True)]


def _vectors(state: VehicleState, at: VehicleState, posed: bool) -> tuple[Vector3, Vector3]:
    """Select what a filter follows: force and rates, or place and turn by another pose."""
    if posed:
        return state.position_m, vector_between(at.attitude, state.attitude)
    return state.f_m_s2, state.omega_rad_s


def _moved(state: VehicleState, first: Vector3, second: Vector3, posed: bool) -> VehicleState:
    """Return a state whose force and rates, or place and turn, are off by something."""
    if first == second == _NONE:
        return state
    force, rates, place, attitude = (
        state.f_m_s2, state.omega_rad_s, state.position_m, state.attitude
    )  # fmt: skip
    (x, y, z), (a, b, c) = first, second
    if posed:
        u, v, w = place
        place = (0.0 + u + x, 0.0 + v + y, 0.0 + w + z)  # 0.0: no zero is negative
        attitude = product(attitude, rotated_by(second))
    else:
        (u, v, w), (p, q, r) = force, rates
        force, rates = (
            (0.0 + u + x, 0.0 + v + y, 0.0 + w + z),
            (0.0 + p + a, 0.0 + q + b, 0.0 + r + c),
        )
    return VehicleState(
        state.t_s, force, rates, state.domega_rad_s2, attitude, state.v_m_s, place, state.flags,
        state.speed_factor,
    )  # fmt: skip


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
