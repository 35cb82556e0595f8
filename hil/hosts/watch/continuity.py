"""Whether a packet's motion continues that of the packets before: nothing jumps, nothing freezes.

A wire tells some of this and lacks the rest; what is NaN is not judged.
"""

from __future__ import annotations

import math
from collections import deque
from typing import Final

from hil.hosts.kind import Received
from hil.hosts.vehicle_limits import Means
from hil.hosts.watch.states import Cause
from platform6dof.cueing.attitude import angle_between
from platform6dof.cueing.vehicle import Vector3, VehicleFlags, VehicleState

FROZEN_S: Final = 0.25
"""A vehicle that moves and whose values do not change for so long is a picture of one [s]."""
FROZEN_SPEED_M_S: Final = 1.0
"""Faster than this it moves [m/s]."""
LONGEST_S: Final = 0.5
"""Bounds do not grow beyond what they are after so long [s]."""
ARRIVAL_S: Final = 0.05
"""Without stamps two packets may be so much further apart than their arrivals [s]."""
PACE_S: Final = 1.0
"""Over so long it is seen how fast a host's time runs [s]."""
PACE_AGAIN_S: Final = 0.3
"""It is trusted again after it ran like ours for so long [s]."""
PACE_STAMP_OFF: Final = 0.15
"""Its stamps may run by so much faster or slower than our clock [1]."""
PACE_PATH_OFF: Final = 0.3
"""Its position may change by so much more or less than its speed says [1]."""
PACE_SPEED_M_S: Final = 3.0
"""Slower than this a path says nothing of the host's time [m/s]."""
FACTOR_OFF: Final = 0.01
"""A host that tells its speed factor tells 1 within this [1]."""


def cause_in_state(state: VehicleState) -> Cause:
    """Why a host's motion is not wanted, by what it says itself; NONE if it says nothing."""
    if state.flags & VehicleFlags.END:
        return Cause.END
    if state.flags & VehicleFlags.RESET:
        return Cause.RESET
    if state.flags & VehicleFlags.PAUSED:
        return Cause.PAUSED
    if state.flags & VehicleFlags.REPLAY:
        return Cause.REPLAY
    if abs(state.speed_factor - 1.0) > FACTOR_OFF:
        return Cause.PAUSED if state.speed_factor == 0.0 else Cause.SPEED_FACTOR
    return Cause.NONE


class Continuity:
    """Compares each packet with the last that was in order.

    Args:
        means: what the vehicle can do at most.
    """

    def __init__(self, means: Means) -> None:
        self._means = means
        self._last: Received | None = None

    def forget(self) -> None:
        """The next packet continues nothing."""
        self._last = None

    def keep(self, received: Received) -> None:
        """What comes next is compared with this packet."""
        self._last = received

    def jump(self, received: Received) -> Cause:
        """POSITION_JUMP or ATTITUDE_JUMP if the vehicle cannot have moved there, else NONE."""
        if self._last is None:
            return Cause.NONE
        old, new = self._last.packet.state, received.packet.state
        dt_s = _apart_s(self._last, received)
        went_m = math.dist(old.position_m, new.position_m)
        speed_m_s = _larger(_length(old.v_m_s), _length(new.v_m_s))
        if new.flags & VehicleFlags.POSE:
            speed_m_s = 0.0
        if went_m > speed_m_s * dt_s + self._means.position_margin_m:  # never with NaN
            return Cause.POSITION_JUMP
        rate_rad_s = _larger(_length(old.omega_rad_s), _length(new.omega_rad_s))
        rate_rad_s = 0.0 if math.isnan(rate_rad_s) else rate_rad_s
        turned_rad = angle_between(old.attitude, new.attitude)
        if turned_rad > rate_rad_s * dt_s + self._means.attitude_margin_rad:
            return Cause.ATTITUDE_JUMP
        return Cause.NONE

    def beyond(self, received: Received) -> bool:
        """Whether force or rates step, or are, beyond what the vehicle can do on some axis."""
        means, new = self._means, received.packet.state
        if _any_above(new.f_m_s2, means.f_most_m_s2):
            return True
        if _any_above(new.omega_rad_s, means.rate_most_rad_s):
            return True
        if self._last is None:
            return False
        old, dt_s = self._last.packet.state, _apart_s(self._last, received)
        return _steps(old.f_m_s2, new.f_m_s2, means.f_step_m_s2, means.f_rate_m_s3, dt_s) or _steps(
            old.omega_rad_s, new.omega_rad_s, means.rate_step_rad_s, means.rate_rate_rad_s2, dt_s
        )


class Frozen:
    """Sees values that are equal bit for bit for too long while the vehicle moves."""

    def __init__(self) -> None:
        self._values = ""
        self._since_s = math.nan

    def judge(self, received: Received) -> bool:
        """Whether this packet's values have been the same for too long."""
        state = received.packet.state
        values = (state.f_m_s2, state.omega_rad_s, state.attitude, state.v_m_s, state.position_m)
        text = repr(values)
        if text != self._values:
            self._values, self._since_s = text, received.kernel_s
            return False
        moves = _length(state.v_m_s) > FROZEN_SPEED_M_S
        return moves and received.kernel_s - self._since_s >= FROZEN_S


class HostPace:
    """Sees that a host's time runs slower or faster than ours where it does not say so.

    By its stamps; by its path against its speed where it has none.
    """

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Begin to watch anew."""
        self._doubted = False
        self._last: Received | None = None
        self._gone = self._due = 0.0
        self._seen: deque[tuple[float, float, float]] = deque()

    def off(self, received: Received) -> bool:
        """Whether the host's time did not run like ours over the last second.

        Once it did not, it is off until it has run like ours for `PACE_AGAIN_S`.
        """
        last, self._last = self._last, received
        if last is None:
            return False
        now_s, state, before = received.kernel_s, received.packet.state, last.packet.state
        stamped = math.isfinite(state.t_s)
        if stamped:
            gone, due = state.t_s - before.t_s, now_s - last.kernel_s
        else:
            gone = math.dist(state.position_m, before.position_m)
            due = _length(state.v_m_s) * (now_s - last.kernel_s)
        if math.isnan(gone + due):
            return False
        self._gone, self._due = self._gone + gone, self._due + due
        self._seen.append((now_s, self._gone, self._due))
        span_s = PACE_AGAIN_S if self._doubted else PACE_S
        while len(self._seen) > 2 and now_s - self._seen[1][0] >= span_s:
            self._seen.popleft()
        since_s, gone, due = self._seen[0]
        for_s, gone, due = now_s - since_s, self._gone - gone, self._due - due
        if for_s < span_s:
            return self._doubted
        if not stamped and due < PACE_SPEED_M_S * for_s:
            return self._doubted
        off = abs(gone / due - 1.0) > (PACE_STAMP_OFF if stamped else PACE_PATH_OFF)
        if off and not self._doubted:
            self._seen.clear()
        self._doubted = off
        return off


def _apart_s(old: Received, new: Received) -> float:
    dt_s = new.packet.state.t_s - old.packet.state.t_s
    if not dt_s >= 0.0:
        dt_s = max(new.kernel_s - old.kernel_s, 0.0) + ARRIVAL_S
    return min(dt_s, LONGEST_S)


def _length(vector: Vector3) -> float:
    return math.hypot(*vector)


def _larger(a: float, b: float) -> float:
    """The larger one; the one that is a number if the other is none."""
    return b if a != a or b > a else a


def _any_above(vector: Vector3, most: Vector3) -> bool:
    return any(abs(one) > bound for one, bound in zip(vector, most, strict=True))


def _steps(old: Vector3, new: Vector3, step: Vector3, rate: Vector3, dt_s: float) -> bool:
    for a, b, most, more in zip(old, new, step, rate, strict=True):
        if abs(b - a) > most + more * dt_s:  # never with NaN
            return True
    return False
