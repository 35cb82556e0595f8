"""Check whether a path stays within envelope and gate, from its beginning to its end.

It checks so many places that between two of them nothing can leave by more than `SAG`: the whole
envelope (stroke, joint cones, clearance of the legs, singularity), and the legs' lengths with the
room that the gate keeps for a stop. A few places are checked per cycle, so that the cycle which
needs it is not late for it.

A path may also lead in from a place outside, where a stop has ended: nothing may then be further
out than it was there.
"""

import math

import numpy as np

from hil.machines.rig.machine import envelope_of, gate_limits, geometry_of
from hil.machines.rig.settings import Rig
from hil.stations.platform.lead.paths import ScaledPath
from hil.stations.platform.motion.moves import MoveLimits
from hil.stations.platform.motion.source import Floats
from platform6dof.inverse import leg_setpoints_batch
from platform6dof.pose import PlatformSetpoint

SAG = 2e-4
"""Largest bulge of a coordinate beyond the line between two places [m, rad]."""
ENVELOPE_PLACES = 3
"""Places of the envelope checked per cycle."""
LEG_PLACES = 6
"""Places of the legs' room checked per cycle: they take about as much time."""


class PathCheck:
    """Check of paths against the room that a rig's platform has."""

    def __init__(self, rig: Rig, period_s: float) -> None:
        self._geometry = geometry_of(rig)
        self._envelope = envelope_of(rig, self._geometry)
        self._limits = gate_limits(rig, period_s)
        self.spacing_s = spacing_s(rig.slow_moves.limits())
        """Longest time between two places of a path [s]."""
        legs = self._limits.legs
        self._low_m = np.array([leg.soft_min_m for leg in legs])
        self._high_m = np.array([leg.soft_max_m for leg in legs])
        self._deceleration_m_s2 = np.array([leg.stop_deceleration_m_s2 for leg in legs])

    def outside(self, path: ScaledPath, times_s: Floats, *, leave: bool = False) -> str:
        """First place of a path that is outside the envelope, as a sentence; empty if none is.

        Args:
            path: path whose rows nothing overwrites.
            times_s: times of the places [s], shape (N,).
            leave: whether its beginning may be outside.
        """
        rows = np.array([path.rows(t_s) for t_s in times_s.tolist()])  # (N, 3, 6)
        inside = self._envelope.inside(rows[:, 0], rows[:, 1], rows[:, 2])
        if inside.all():
            return ""
        at_first = self._excess(path.rows(0.0)) if leave else {}
        for k in np.flatnonzero(~inside).tolist():
            found = self._envelope.check(PlatformSetpoint.from_rows(rows[k]))
            further = [
                one
                for one in found
                if abs(one.value - one.limit) > at_first.get((one.quantity, one.leg), 0.0)
            ]
            if further or not found:
                what = str(further[0]) if further else "outside the envelope"
                return f"{what}, {_place(path, times_s[k])}"
        return ""

    def _excess(self, rows: Floats) -> dict[tuple[str, int | None], float]:
        """Excess of a place over the envelope, by quantity and leg."""
        found = self._envelope.check(PlatformSetpoint.from_rows(rows))
        return {(one.quantity, one.leg): abs(one.value - one.limit) for one in found}

    def beyond(self, path: ScaledPath, times_s: Floats, *, leave: bool = False) -> str:
        """Worst place from which a stop would leave the soft limits; empty if none would.

        Args:
            path: path whose rows nothing overwrites.
            times_s: times of the places [s], shape (N,).
            leave: whether its beginning may be beyond; a leg that moves in needs no room then.
        """
        if leave:
            times_s = np.concatenate([[0.0], times_s])
        rows = np.array([path.rows(t_s)[:2] for t_s in times_s.tolist()])  # (N, 2, 6)
        lengths, speeds = leg_setpoints_batch(self._geometry, rows[:, 0], rows[:, 1])
        limits, speed = self._limits, np.abs(speeds)
        # A stop that begins here ends within the soft limits, with what the gate keeps free.
        margin = limits.following_base_m + speed * (
            limits.following_per_speed_s + limits.reaction_time_s
        )
        ahead = lengths + speeds * speed / (2.0 * self._deceleration_m_s2)
        over, under = ahead + margin - self._high_m, self._low_m + margin - ahead
        if leave:
            base_m = limits.following_base_m
            over = np.where(speeds > 0.0, over, lengths + base_m - self._high_m)
            under = np.where(speeds < 0.0, under, self._low_m + base_m - lengths)
            over -= np.maximum(over[0], 0.0)
            under -= np.maximum(under[0], 0.0)
        excess = np.maximum(over, under)
        if np.all(excess <= 0.0):
            return ""
        at, leg = np.unravel_index(int(np.nanargmax(excess)), excess.shape)
        low, high = self._low_m[leg] + margin[at, leg], self._high_m[leg] - margin[at, leg]
        return (
            f"leg {leg + 1}: length {lengths[at, leg]:.4f} m, limits {low:.4f} to {high:.4f} m "
            f"with room for a stop, {_place(path, times_s[at])}"
        )


class PathScan:
    """Proof of one path, a part of it per cycle.

    Args:
        leave: whether its beginning may be outside.
        apart_s: time between two places [s]; that of the slow moves if left out.
    """

    def __init__(
        self,
        reach: PathCheck,
        path: ScaledPath,
        *,
        leave: bool = False,
        apart_s: float | None = None,
    ) -> None:
        self._path, self._leave = path, leave
        count = place_count(path.duration_s, apart_s or reach.spacing_s)
        # The end first: a pose that cannot be is then refused at once.
        self._times_s = path.duration_s * np.roll(np.arange(1, count + 1), 1) / count
        self._checks = [(reach.outside, ENVELOPE_PLACES), (reach.beyond, LEG_PLACES)]
        self._next = 0

    def step(self) -> str | None:
        """Do one part of the proof.

        Returns:
            None while there is more to do; then the objection to the path, empty if there is none.
        """
        check, size = self._checks[0]
        objection = check(
            self._path, self._times_s[self._next : self._next + size], leave=self._leave
        )
        self._next += size
        if self._next >= len(self._times_s):
            self._next = 0
            del self._checks[0]
        return objection if objection or not self._checks else None


def place_count(duration_s: float, apart_s: float) -> int:
    """Number of places at which a path of a duration is checked, without its beginning."""
    return max(math.ceil(duration_s / apart_s), 1)


def cycle_count(duration_s: float, apart_s: float) -> int:
    """Number of cycles of a scan."""
    count = place_count(duration_s, apart_s)
    return math.ceil(count / ENVELOPE_PLACES) + math.ceil(count / LEG_PLACES)


def spacing_s(limits: MoveLimits) -> float:
    """Time between two places [s]: an acceleration a bulges by a t^2 / 8 at most in between."""
    return spacing_of(max(limits.acceleration_m_s2, limits.angular_acceleration_rad_s2))


def spacing_of(second: float) -> float:
    """Time between two places [s] for a bound of the second derivatives [m/s2, rad/s2].

    Infinite for a bound of 0: a straight line does not bulge.
    """
    return math.sqrt(8.0 * SAG / second) if second > 0.0 else math.inf


def _place(path: ScaledPath, t_s: float) -> str:
    return "at its end" if t_s >= path.duration_s else f"{t_s:.2f} s on the way"


def start_rows(coordinates: Floats) -> Floats:
    """Rows of rest at a pose, shape (3, 6).

    Args:
        coordinates: coordinates of the pose, shape (6,).
    """
    rows = np.zeros((3, 6))
    rows[0] = coordinates
    return rows
