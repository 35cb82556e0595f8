"""Chain from a vehicle's motion to the platform's setpoint: filter, head, governor.

No clock and no I/O in here: a cycle is a call. The gate, which comes behind, knows nothing of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from hil.stations.simulator.chain.head import Floats, platform_rows
from hil.stations.simulator.chain.release import SlowRelease
from platform6dof.cueing.cue import CueingFilter, Rows
from platform6dof.cueing.head_motion import felt
from platform6dof.cueing.vehicle import REST, Quaternion, VehicleFlags, VehicleState

if TYPE_CHECKING:
    from platform6dof.cueing.governor import Governed

_REST_FORCE: Final = REST.f_m_s2


class Limiter(Protocol):
    """Keeps a motion within the limits of a rig, whatever is asked."""

    def reset(self, q: Floats) -> None:
        """Start at coordinates, shape (6,)."""
        ...

    def step(self, rows: Rows) -> Governed:
        """Return the nearest admissible motion for a cycle in which `rows` is wanted."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class ChainOutput:
    """One cycle of the chain."""

    rows: Rows
    """Setpoint of the platform, absolute coordinates [m, rad], shape (3, 6)."""
    wanted: tuple[float, ...]
    """Specific force [m/s²] and rates [rad/s] that are wanted at the head, FRD, six values."""
    felt: tuple[float, ...]
    """Force [m/s²] and rates [rad/s] that `rows` give the head, likewise."""
    active: bool = False
    """Whether the governor changed what the filter asked."""
    binding: int = 0
    """Number of its binding quantity in `platform6dof.cueing.margins.QUANTITIES`, from 1; 0 for
    none."""
    margin: float = float("nan")
    """Smallest share left of a limit; NaN without a governor."""
    failed: bool = False
    """Whether its fallback was used."""


class Chain:
    """The chain of one ride.

    Args:
        cue: the algorithm, with its presets.
        limiter: the governor; None to ask for whatever the algorithm wants.
        neutral: coordinates of the platform at rest [m, rad], level, shape (6,).
        head_m: the rider's head in the platform's frame [m], shape (3,).
        period_s: of a cycle [s].
    """

    def __init__(
        self,
        cue: CueingFilter,
        limiter: Limiter | None,
        neutral: Floats,
        head_m: Floats,
        period_s: float,
    ) -> None:
        self._cue, self._limiter = cue, limiter
        self.neutral: Floats = neutral.copy()
        """Coordinates of the platform at rest, shape (6,)."""
        self._head = head_m.copy()
        self._rows = np.empty((3, 6))
        self._release = SlowRelease(period_s)
        self.reset()

    def reset(self) -> None:
        """Start at neutral, as if the vehicle had always been level."""
        self._cue.reset()
        self._release.reset()
        if self._limiter is not None:
            self._limiter.reset(self.neutral)
        rows = np.zeros((3, 6))
        rows[0] = self.neutral
        rest = (*_REST_FORCE, 0.0, 0.0, 0.0)
        self.last: ChainOutput = ChainOutput(rows, rest, rest)
        """The newest cycle."""

    def follow(
        self, state: VehicleState, weight: float, gain: float, own: float = 1.0
    ) -> ChainOutput:
        """Return a cycle that follows the vehicle.

        Args:
            state: complete and finite.
            weight: share that is wanted of its source, which may be lost at any time, 0 to 1.
            gain: factor on force, rates and pose.
            own: share of all that is wanted because the ride begins, ends or is muted, 0 to 1.
        """
        scaled = scale_state(state, gain)
        deviation = self._cue.step(self._release.step(scaled, weight), own)
        platform_rows(deviation, self._head, self.neutral, self._rows)
        return self._limited(self._rows, _wanted(scaled, weight * own))

    def lead(self, rows: Rows) -> ChainOutput:
        """Make a cycle on a given path, absolute coordinates, shape (3, 6)."""
        return self._limited(rows, (*_REST_FORCE, 0.0, 0.0, 0.0))

    def _limited(self, rows: Rows, wanted: tuple[float, ...]) -> ChainOutput:
        if self._limiter is None:
            asked = rows.copy()
            self.last = ChainOutput(asked, wanted, self._felt(asked))
            return self.last
        done = self._limiter.step(rows)
        binding = 0 if done.binding is None else 1 + done.binding.code
        self.last = ChainOutput(
            done.rows, wanted, self._felt(done.rows), done.active, binding, done.margin, done.failed
        )
        return self.last

    def _felt(self, rows: Rows) -> tuple[float, ...]:
        return tuple(felt(rows[np.newaxis], self._head)[0].tolist())


def _wanted(state: VehicleState, weight: float) -> tuple[float, ...]:
    (x, y, z), (a, b, c), (p, q, r) = state.f_m_s2, _REST_FORCE, state.omega_rad_s
    force = (a + weight * (x - a), b + weight * (y - b), c + weight * (z - c))
    return (*force, weight * p, weight * q, weight * r)


def scale_state(state: VehicleState, gain: float) -> VehicleState:
    """Return the state of a vehicle that does a share of what another one does.

    Its specific force differs from that at rest by that share, its rates are that share; where a
    pose comes in, that as well, by a share of the distance and of the rotation.
    """
    if gain == 1.0:
        return state
    x, y, z = state.f_m_s2
    a, b, c = _REST_FORCE
    p, q, r = state.omega_rad_s
    dp, dq, dr = state.domega_rad_s2
    scaled = replace(
        state,
        f_m_s2=(a + gain * (x - a), b + gain * (y - b), c + gain * (z - c)),
        omega_rad_s=(gain * p, gain * q, gain * r),
        domega_rad_s2=(gain * dp, gain * dq, gain * dr),
    )
    if VehicleFlags.POSE not in state.flags:
        return scaled
    north, east, down = state.position_m
    turned = _share_of_turn(state.attitude, gain)
    return replace(scaled, position_m=(gain * north, gain * east, gain * down), attitude=turned)


def _share_of_turn(turn: Quaternion, share: float) -> Quaternion:
    """Return the turn about the same axis by a share of the angle."""
    w, *axis = turn
    if w < 0.0:
        w, axis = -w, [-one for one in axis]
    sine = float(np.sqrt(sum(one * one for one in axis)))
    if sine < 1e-12:
        return (1.0, 0.0, 0.0, 0.0)
    half = share * float(np.arctan2(sine, w))
    factor = float(np.sin(half)) / sine
    return (float(np.cos(half)), factor * axis[0], factor * axis[1], factor * axis[2])
