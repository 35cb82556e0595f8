"""Moves of single legs, from rest to rest: for commissioning and jogging.

The legs are led, and the platform follows: every sample solves the forward kinematics. So a leg
move is checked, gated, recorded and reported like any other motion.
"""

import bisect
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hil.config.errors import MotionError, require_number
from hil.run.rest_to_rest import Cubic, unit_path
from hil.stations.platform.motion.moves import NO_MOVE
from hil.stations.platform.motion.source import Floats, clamp_time
from hil_common.arrays.pose import Pose
from platform6dof.forward import forward
from platform6dof.geometry import HexapodGeometry
from platform6dof.inverse import leg_lengths, leg_setpoint
from platform6dof.jacobian import leg_jacobian
from platform6dof.pose import PlatformSetpoint

PROBES = 16
"""Number of points of each move that are solved when it is made, to find unsolvable ones."""


@dataclass(frozen=True, slots=True)
class LegMoveLimits:
    """Bounds of the fastest leg of a move, each positive and finite."""

    speed_m_s: float
    """Highest speed [m/s]."""
    acceleration_m_s2: float
    """Highest acceleration [m/s2]."""
    jerk_m_s3: float
    """Highest jerk [m/s3]."""

    def __post_init__(self) -> None:
        """Refuse a bound that bounds nothing."""
        for name in ("speed_m_s", "acceleration_m_s2", "jerk_m_s3"):
            require_number(name, getattr(self, name), "", above=0.0)


@dataclass(frozen=True, slots=True, eq=False)
class _Stretch:
    """Stretch of constant jerk from some lengths to others."""

    begin_s: float
    from_m: Floats  # (6,)
    travel_m: Floats  # (6,)
    X_from: Pose
    cubic: Cubic


class LegMoves:
    """Leg lengths reached one after another, with a rest at each.

    Args:
        X_start: X_BP where the platform is at first.
        offsets: (offsets of the six legs from their lengths at the start [m], dwell_s [s]), in
            order. All legs of a move start and arrive together.

    Raises:
        MotionError: If a number is not finite, or no pose has the lengths on the path.
    """

    def __init__(
        self,
        geometry: HexapodGeometry,
        X_start: Pose,
        offsets: Sequence[tuple[ArrayLike, float]],
        limits: LegMoveLimits,
    ) -> None:
        self._geometry = geometry
        self._stretches: list[_Stretch] = []
        self._duration_s = 0.0
        self._first = self._last = PlatformSetpoint.at_rest(X_start)
        start_m = leg_lengths(geometry, X_start)
        here_m, X_here = start_m, X_start
        for number, (offset, dwell_s) in enumerate(offsets, start=1):
            dwell_s = require_number(f"leg move {number}: dwell_s", dwell_s, "s", least=0.0)
            goal_m = start_m + _six(offset, number)
            X_here = self._append_move(here_m, goal_m, X_here, limits, number)
            here_m = goal_m
            self._append_rest(here_m, X_here, dwell_s)
        self._begins_s = [stretch.begin_s for stretch in self._stretches]
        self._last = PlatformSetpoint.at_rest(X_here)

    @property
    def duration_s(self) -> float:
        """Duration from rest to rest, dwells included [s]."""
        return self._duration_s

    def sample(self, t_s: float) -> PlatformSetpoint:
        """Return the pose, twist and acceleration at a time since the start [s]."""
        t_s = clamp_time(t_s, self._duration_s)
        if t_s <= 0.0 or not self._stretches:
            return self._first
        if t_s >= self._duration_s:
            return self._last
        stretch = self._stretches[bisect.bisect_right(self._begins_s, t_s) - 1]
        return self._at(stretch, t_s - stretch.begin_s)

    def _append_move(
        self, from_m: Floats, goal_m: Floats, X_from: Pose, limits: LegMoveLimits, number: int
    ) -> Pose:
        travel_m = goal_m - from_m
        longest_m = float(np.abs(travel_m).max())
        if longest_m <= NO_MOVE:
            return X_from
        X_goal = X_from
        for share in np.linspace(0.0, 1.0, PROBES):
            X_goal = self._solve(from_m + share * travel_m, X_from, number)
        ceilings = (
            limits.speed_m_s / longest_m,
            limits.acceleration_m_s2 / longest_m,
            limits.jerk_m_s3 / longest_m,
        )
        for lasting_s, cubic in unit_path(ceilings):
            self._stretches.append(_Stretch(self._duration_s, from_m, travel_m, X_from, cubic))
            self._duration_s += lasting_s
        return X_goal

    def _append_rest(self, here_m: Floats, X_here: Pose, dwell_s: float) -> None:
        if dwell_s > 0.0:
            still = (0.0, 0.0, 0.0, 0.0)
            stretch = _Stretch(self._duration_s, here_m, np.zeros(6), X_here, still)
            self._stretches.append(stretch)
            self._duration_s += dwell_s

    def _solve(self, lengths_m: Floats, guess: Pose, number: int) -> Pose:
        found = forward(self._geometry, lengths_m, guess)
        if not found.converged:
            where = lengths_m.round(4).tolist()
            raise MotionError(f"leg move {number}: no pose has the lengths {where} m on its way")
        return found.X_BP

    def _at(self, stretch: _Stretch, t_s: float) -> PlatformSetpoint:
        """Lengths and their rates by the path; pose, twist and acceleration by the Jacobian.

        l'' = J A + l''(V, A = 0): the remainder after the curvature of the motion is J A.
        """
        s0, v0, a0, jerk = stretch.cubic
        s = s0 + t_s * (v0 + t_s * (a0 / 2.0 + t_s * jerk / 6.0))
        rate = v0 + t_s * (a0 + t_s * jerk / 2.0)
        second = a0 + t_s * jerk
        # The guess is the same for every sample of a stretch, so that samples repeat bit for bit.
        X_BP = self._solve(stretch.from_m + s * stretch.travel_m, stretch.X_from, 0)
        J = leg_jacobian(self._geometry, X_BP)  # (6, 6)
        V_BP = _solved(J, rate * stretch.travel_m)
        curved = PlatformSetpoint(X_BP, V_BP, np.zeros(6))
        rest = second * stretch.travel_m - leg_setpoint(self._geometry, curved).acceleration_m_s2
        return PlatformSetpoint(X_BP, V_BP, _solved(J, rest))


def _solved(J: Floats, leg_rates: Floats) -> Floats:
    return np.asarray(np.linalg.solve(J, leg_rates), dtype=np.float64)


def _six(offset: ArrayLike, number: int) -> Floats:
    values = np.asarray(offset, dtype=np.float64)
    if values.shape != (6,) or not np.isfinite(values).all():
        raise MotionError(f"leg move {number}: offsets {offset!r}: six finite numbers [m] needed")
    return values
