"""From the packets of a host to a state in every cycle: a parabola through the last four, at now.

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
from typing import Final

from hil.hosts.watch.clocks import ArrivalLoop, StampAlignment
from platform6dof.cueing.attitude import product, rotated_by, vector_between
from platform6dof.cueing.completion import Completion
from platform6dof.cueing.vehicle import Vector3, VehicleFlags, VehicleState

POINTS: Final = 4
"""Packets that a parabola goes through."""
HORIZON_S: Final = 0.06
"""Beyond the newest packet by more than this, the time read comes to a stop [s]."""
PERIODS: Final = 2.5
"""And beyond so many of the last packets' mean distances."""
STOPPING_S: Final = 0.2
"""A pose that is not heard of any more stops from its speed with this time constant [s]."""
CORRECTED_S: Final = 0.02
"""What was read differently before a packet came is given up with this time constant [s]."""
_LEAST_GAP_S: Final = 1e-4
_NONE: Final[Vector3] = (0.0, 0.0, 0.0)
Points = Sequence[tuple[float, VehicleState]]
"""Packets: when each was sent, on our clock [s], and what it tells."""


class Follower:
    """Says what a vehicle does now, from the packets that were accepted so far.

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
        self._before: Points = ()  # what was read from, until it is looked at what came since
        self._off: tuple[Vector3, Vector3] = (_NONE, _NONE)
        self._off_s = 0.0
        if self._completion is not None:
            self._completion.reset()

    def take(self, state: VehicleState, kernel_s: float) -> None:
        """Take in one more accepted packet, newer than all before.

        Args:
            state: what it tells.
            kernel_s: when the kernel took it, on the run's clock [s].

        Raises:
            CueingError: if no force follows from what it tells.
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
        """What the vehicle does now; None while nothing was taken in.

        Args:
            now_s: on the run's clock [s].
        """
        if not self._points:
            return None
        read = self._read(self._points, now_s)
        fade = math.exp(-max(now_s - self._off_s, 0.0) / CORRECTED_S)
        off = tuple(_weighted((fade,), (one,)) for one in self._off)
        if len(self._before) > 1:
            was = self._read(self._before, now_s)
            new = (
                _weighted((1.0, 1.0, -1.0), (kept, a, b))
                for kept, a, b in zip(off, _vectors(was, read), _vectors(read, read), strict=True)
            )
            off = (next(new), next(new))
        self._before, self._off, self._off_s = (), (off[0], off[1]), now_s
        return _moved(read, *self._off)

    def _read(self, points: Points, now_s: float) -> VehicleState:
        """What some packets say of now."""
        times_s = [at_s for at_s, _ in points]
        states = [state for _, state in points]
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
    """Weights of values that went on by their parabola for a while, and now stop from their speed.

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
    """What of a state a filter follows: force and rates, or place and turn from another pose."""
    if VehicleFlags.POSE in state.flags:
        return state.position_m, vector_between(at.attitude, state.attitude)
    return state.f_m_s2, state.omega_rad_s


def _moved(state: VehicleState, first: Vector3, second: Vector3) -> VehicleState:
    """A state whose force and rates, or place and turn, are off by something."""
    if first == second == _NONE:
        return state
    ones = (1.0, 1.0)
    if VehicleFlags.POSE in state.flags:
        place = _weighted(ones, (state.position_m, first))
        return replace(
            state, position_m=place, attitude=product(state.attitude, rotated_by(second))
        )
    return replace(
        state,
        f_m_s2=_weighted(ones, (state.f_m_s2, first)),
        omega_rad_s=_weighted(ones, (state.omega_rad_s, second)),
    )


def _bounded(ahead_s: float, far_s: float, slow_s: float) -> float:
    """A time ahead that comes to a stop beyond a bound, without a sudden one [s]."""
    beyond_s = ahead_s - far_s
    if beyond_s <= 0.0:
        return ahead_s
    return far_s + slow_s * (1.0 - math.exp(-beyond_s / slow_s))


def parabola_weights(times_s: Sequence[float], at_s: float) -> list[float]:
    """Weights of values whose sum is the best parabola through them, read somewhere.

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
    squares = sum(one * one for one in t)
    weights = [1.0 / count + x * one / squares for one in t]
    if count < 3:
        return weights
    # The second polynomial is t² - slope t - mean, at a right angle to 1 and t on these times.
    slope = sum(one**3 for one in t) / squares
    mean = squares / count
    second = [one * one - slope * one - mean for one in t]
    there = x * x - slope * x - mean
    length = sum(one * one for one in second)
    return [weight + there * one / length for weight, one in zip(weights, second, strict=True)]


def combine_states(weights: Sequence[float], states: Sequence[VehicleState]) -> VehicleState:
    """The motion of states with these weights, whose sum is 1; the rest is that of the last one.

    Args:
        weights: one of each state.
        states: at least one, the newest last.
    """
    newest = states[-1]
    turns = [vector_between(newest.attitude, state.attitude) for state in states]
    return replace(
        newest,
        f_m_s2=_weighted(weights, [state.f_m_s2 for state in states]),
        omega_rad_s=_weighted(weights, [state.omega_rad_s for state in states]),
        domega_rad_s2=_weighted(weights, [state.domega_rad_s2 for state in states]),
        attitude=product(newest.attitude, rotated_by(_weighted(weights, turns))),
        v_m_s=_weighted(weights, [state.v_m_s for state in states]),
        position_m=_weighted(weights, [state.position_m for state in states]),
    )


def _weighted(weights: Sequence[float], vectors: Sequence[Vector3]) -> Vector3:
    x = y = z = 0.0
    for weight, vector in zip(weights, vectors, strict=True):
        x += weight * vector[0]
        y += weight * vector[1]
        z += weight * vector[2]
    return x, y, z
