"""Input of a filter while a source fades: a fade is no manoeuvre of the vehicle.

Force and rates are wanted by a weight that falls to 0 in 0.3 s. A filter with just that input feels
a car that is lost in a bend straighten at once: it kicks across, its tilt turns home, and its yaw,
washed out long ago, turns back. So of what is faded out, the sustained part is released slowly,
along (1 + t/τ) exp(-t/τ), and taken up likewise after a fade in; the quick part follows the weight.
A pose that comes in is released likewise, all of it: its speed ends with the weight, and the
platform comes home after that.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import repeat
from operator import add, mul
from typing import Final

from platform6dof.cueing.attitude import rotated_by, vector_between
from platform6dof.cueing.vehicle import REST, VehicleFlags, VehicleState

RELEASE_S: Final = 0.7
"""τ: a half is let go after 1.7 τ, nine tenths after 3.9 τ [s]."""
LASTED_S: Final = (0.2, 0.2, 0.2, 0.65, 0.65, 0.65)
"""Time constants of the means of sustained force and rates [s].

That of the rates is about the time in which a filter washes them out, so that with the weight ends
what the platform turns."""
NOTHING: Final = 1e-12
"""Less than this is not held any more [m/s², rad/s, m, rad]."""
Six = tuple[float, float, float, float, float, float]
_LEVEL: Final = (1.0, 0.0, 0.0, 0.0)


class SlowRelease:
    """Fades a vehicle's motion in and out, cycle by cycle.

    Args:
        period_s: of a cycle [s].
    """

    def __init__(self, period_s: float) -> None:
        self._step = period_s / RELEASE_S
        self._keep = math.exp(-self._step)
        self._follow = [-math.expm1(-period_s / one) for one in LASTED_S]
        self.reset()

    def reset(self) -> None:
        """Forget the past: the first state fades neither in nor out."""
        self._weight = math.nan
        self._lasting = [0.0] * 6
        self._held, self._later = [0.0] * 6, [0.0] * 6  # their sum is what is not yet let go
        self._free = True  # both are 0

    def step(self, state: VehicleState, weight: float) -> VehicleState:
        """Return the filter's input in this cycle, at full weight.

        Args:
            state: complete and finite.
            weight: share of it that is wanted, 0 to 1.
        """
        posed = VehicleFlags.POSE in state.flags
        whole = _pose(state) if posed else _motion(state)
        lasting = whole if posed else self._means(whole)
        lost = 0.0 if math.isnan(self._weight) else self._weight - weight
        if lost or not self._free:
            self._let_go(lasting, lost)
        self._weight = weight
        if weight == 1.0 and (self._free or not any(self._held)):
            return state
        kept = map(add, map(mul, repeat(weight), whole), self._held)
        x, y, z, a, b, c = map(add, kept, self._later)
        if posed:
            return replace(state, position_m=(x, y, z), attitude=rotated_by((a, b, c)))
        rest = REST.f_m_s2
        return replace(state, f_m_s2=(rest[0] + x, rest[1] + y, rest[2] + z), omega_rad_s=(a, b, c))

    def _means(self, motion: Six) -> Six:
        """Return the sustained part of force and rates."""
        self._lasting = x, y, z, p, q, r = [
            old + follow * (one - old)
            for old, one, follow in zip(self._lasting, motion, self._follow, strict=True)
        ]
        return x, y, z, p, q, r

    def _let_go(self, lasting: Six, lost: float) -> None:
        """Advance by a cycle in which a share is lost; negative if it comes."""
        held, later, keep, step = self._held, self._later, self._keep, self._step
        for at, one in enumerate(lasting):
            later[at] = keep * (later[at] + step * held[at])
            held[at] = keep * held[at] + lost * one
        self._free = max(map(abs, held)) + max(map(abs, later)) < NOTHING
        if self._free:
            held[:] = later[:] = [0.0] * 6


def _motion(state: VehicleState) -> Six:
    """Return specific force less that at rest [m/s²], and rates [rad/s]."""
    (x, y, z), rest = state.f_m_s2, REST.f_m_s2
    return (x - rest[0], y - rest[1], z - rest[2], *state.omega_rad_s)


def _pose(state: VehicleState) -> Six:
    """Return the place [m] and turn, axis times angle [rad]."""
    return (*state.position_m, *vector_between(_LEVEL, state.attitude))
