"""Wanted and felt motion of a rider in a recorded ride, and its score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import RefusedError
from hil.machines.cueing.preset import CueingPreset
from hil.recording.reader import Recording
from hil.recording.row_arrays import gathered, let_go
from hil.stations.simulator.plan.scenario import RidePlan
from platform6dof.cueing.score import Score, Sensed, score_pieces, sensed_pieces
from platform6dof.cueing.vehicle import REST
from platform6dof.cueing.vestibular import AXES, REID_NAHON, VestibularModel

Array = NDArray[np.float64]

STOPS: Final = ("CSTOP", "QSTOP")
"""Modes in which a gate ends a motion."""
REST_SIGNALS: Final = np.array((*REST.f_m_s2, 0.0, 0.0, 0.0))
PIECE: Final = 1 << 16
"""Number of cycles of a ride that are processed at once."""
COORDINATES: Final = ("x_m", "y_m", "z_m", "alpha_deg", "beta_deg", "gamma_deg")


@dataclass(frozen=True, slots=True)
class WorstCue:
    """Largest difference between felt and wanted on an axis; forces are less those at rest."""

    axis: str
    wanted: float
    """Wanted force or rate on the head [m/s², rad/s]."""
    felt: float
    """Felt force or rate on the head [m/s², rad/s]."""
    t_s: float
    """Time of the run [s]."""
    governed: bool
    """Whether the governor changed then what the algorithm asked."""


@dataclass(frozen=True, slots=True, eq=False)
class FeltRide:
    """A ride from its first to its last cycle of following; N of them."""

    t_s: Array
    """Time of the run [s], shape (N,)."""
    period_s: float
    """Cycle time [s]."""
    wanted: Array
    """Force [m/s²] and rates [rad/s] that the preset wants of the vehicle's, FRD, shape (N, 6)."""
    felt: Array
    """Force [m/s²] and rates [rad/s] at the head, FRD, shape (N, 6)."""
    governed: NDArray[np.bool_]
    """Cycles in which the governor changed what the algorithm asked, shape (N,)."""

    def score(self, model: VestibularModel = REID_NAHON) -> Score:
        """Return the score of the ride.

        Raises:
            ValueError: fewer than two cycles.
        """
        return score_pieces(self.pieces, self.period_s, model)

    def pieces(self) -> Iterator[tuple[Array, Array]]:
        """Yield wanted and felt, some cycles at once."""
        for first in range(0, len(self.t_s), PIECE):
            rows = slice(first, first + PIECE)
            yield np.array(self.wanted[rows]), np.array(self.felt[rows])
            let_go(self.wanted)
            let_go(self.felt)

    def signals(self) -> Iterator[Sensed]:
        """Yield the signals of the inner ear for these; raises as `score`."""
        return sensed_pieces(self.pieces, self.period_s)

    def worst_cues(self, *, governed: bool = False) -> tuple[WorstCue, ...]:
        """Find the largest difference of felt and wanted, by axis; none without such a cycle.

        Args:
            governed: use only the cycles in which the governor acted.
        """
        worst, places = np.full(6, -np.inf), np.zeros(6, np.intp)
        for first, (wanted, felt) in zip(
            range(0, len(self.t_s), PIECE), self.pieces(), strict=True
        ):
            apart = np.abs(felt - wanted)
            if governed:
                apart[~self.governed[first : first + PIECE]] = -np.inf
            at = apart.argmax(axis=0)
            found = apart[at, range(6)]
            worst, places = np.maximum(worst, found), np.where(found > worst, first + at, places)
        if not np.isfinite(worst).all():
            return ()
        return tuple(self._cue(axis, place) for axis, place in enumerate(places.tolist()))

    def _cue(self, axis: int, place: int) -> WorstCue:
        wanted, felt = (float(one[place, axis]) for one in (self.wanted, self.felt))
        rest = float(REST_SIGNALS[axis])
        at_s, governed = float(self.t_s[place]), bool(self.governed[place])
        return WorstCue(AXES[axis], wanted - rest, felt - rest, at_s, governed)


@dataclass(frozen=True, slots=True)
class RideFigures:
    """Further figures of a recorded ride."""

    peak: Mapping[str, float]
    """Largest distance from neutral that was asked, by `COORDINATES` [m, deg]."""
    margin_min: float
    """Smallest share left of a limit [1]; without a governor, of the legs' travel and speed."""
    governed_share: float
    """Share of the ride in which the governor changed what the algorithm asked [1]."""
    gate_stops: int
    """Number of times that the gate ended the motion."""


def shares_of(preset: CueingPreset, algorithm: str | None = None) -> Array:
    """Return the shares of the vehicle's force and rates that a preset wants, by axis, shape (6,).

    An algorithm that takes a pose as it comes wants all of it.
    """
    if (algorithm or preset.algorithm) == "direct":
        return np.ones(6)
    return np.array([*preset.force.gain, *preset.rates.gain])


def gain_of(plan: RidePlan) -> float:
    """Return the share of the vehicle's forward force that is wanted."""
    shares = shares_of(plan.presets[0], plan.scenario.cueing.algorithm)
    return plan.scenario.cueing.gain * float(shares[0])


def describe_demand(plan: RidePlan) -> str:
    """Describe how much of the vehicle's motion a scenario wants, and whose factors make that."""
    gain, preset = plan.scenario.cueing.gain, plan.presets[0]
    shares = shares_of(preset, plan.scenario.cueing.algorithm)
    (force, rates), own = (
        [_shared(factor * part) for part in (shares[:3], shares[3:])] for factor in (gain, 1.0)
    )
    return (
        f"wanted is {force} of the vehicle's force and {rates} of its rates: cueing.gain {gain:g} "
        f"times the {own[0]} and {own[1]} of preset {preset.name}"
    )


def _shared(shares: Array) -> str:
    """Return the shares of three axes: one number if they are alike."""
    each = [f"{one:.3g}" for one in shares.tolist()]
    return each[0] if len(set(each)) == 1 else "/".join(each)


def felt_ride(recording: Recording, plan: RidePlan) -> FeltRide:
    """Return the signals of a recorded ride.

    Raises:
        RefusedError: if it was never followed for two cycles.
    """
    count, first, end = 0, 0, 0
    for piece in recording.pieces():
        following = engaged(piece.rows) & (piece.rows.column("weight") > 0.0)
        if len(places := np.flatnonzero(following)):
            first = first if count else piece.start + int(places[0])
            count, end = count + len(places), piece.start + int(places[-1]) + 1
    if count < 2:
        text = f"{recording.path}: the platform followed the ride for {count} cycles"
        raise RefusedError(f"{text}: there is nothing to judge; the report says what came before")
    shares = shares_of(plan.presets[0], plan.scenario.cueing.algorithm)

    def rows() -> Iterator[Array]:
        for piece in recording.pieces():
            span = slice(max(first - piece.start, 0), max(end - piece.start, 0))
            wanted, felt = (_both(piece.rows, which)[span] for which in ("wanted", "felt"))
            good = np.isfinite(wanted).all(axis=1) & np.isfinite(felt).all(axis=1)
            wanted = REST_SIGNALS + shares * (wanted - REST_SIGNALS)
            governed = piece.rows.column("governor_active")[span] != 0
            yield np.column_stack((piece.rows.t_s[span], wanted, felt, governed))[good]

    table = gathered(rows(), recording.path.parent)
    times, wanted, felt = table[:, 0], table[:, 1:7], table[:, 7:13]
    return FeltRide(times, plan.scenario.period_s, wanted, felt, table[:, 13] != 0.0)


def figures_of(recording: Recording, plan: RidePlan) -> RideFigures:
    """Return the peaks, margins and stops of a recorded ride."""
    neutral = np.array(plan.rig.neutral.coordinates())
    stops = [_code(recording, name) for name in STOPS]
    peaks, margin, spare = np.full(6, np.nan), np.nan, np.nan
    rides = active = begun = 0
    stopped = True
    for piece in recording.pieces():
        rows, riding = piece.rows, engaged(piece.rows)
        away = np.abs(rows.column("wanted_pose")[riding] - neutral)
        peaks = np.fmax(peaks, np.fmax.reduce(away, axis=0, initial=np.nan))
        margins = rows.column("governor_margin")[riding]
        margin = np.fmin(margin, np.fmin.reduce(margins[np.isfinite(margins)], initial=np.nan))
        spare = np.fmin(spare, _spare(rows, plan, riding))
        rides += int(riding.sum())
        active += int((rows.column("governor_active")[riding] != 0).sum())
        halted = np.isin(rows.column("mode"), stops)
        begun += int((halted & ~np.concatenate(([stopped], halted[:-1]))).sum())
        stopped = bool(halted[-1]) if len(halted) else stopped
    peaks[3:] = np.degrees(peaks[3:])
    return RideFigures(
        peak=dict(zip(COORDINATES, peaks.tolist(), strict=True)),
        margin_min=float(spare if np.isnan(margin) else margin),
        governed_share=active / rides if rides else 0.0,
        gate_stops=begun,
    )


def engaged(recording: Recording) -> NDArray[np.bool_]:
    """Return the cycles of the ride itself, shape (N,)."""
    return np.asarray(recording.column("mode") == _code(recording, "ENGAGED"))


def _code(recording: Recording, mode: str) -> int:
    return recording.header.modes.index(mode)


def _both(recording: Recording, which: str) -> Array:
    force, rates = recording.column(f"{which}_force_m_s2"), recording.column(f"{which}_rate_rad_s")
    return np.hstack([force, rates])


def _spare(rows: Recording, plan: RidePlan, riding: NDArray[Any]) -> float:
    """Return the smallest share left of the legs' travel and speed; NaN if it is not known."""
    from hil.machines.rig.machine import soft_range_m

    soft = np.array([soft_range_m(plan.rig, leg) for leg in range(6)])
    lengths = rows.column("allowed_length_m")[riding]
    speeds = rows.column("allowed_speed_m_s")[riding]
    half = 0.5 * (soft[:, 1] - soft[:, 0])
    travel = np.minimum(lengths - soft[:, 0], soft[:, 1] - lengths) / half
    pace = 1.0 - np.abs(speeds) / np.array(plan.rig.limits.speed_max_m_s)
    both = np.concatenate([travel.ravel(), pace.ravel()])
    return float(np.fmin.reduce(both, initial=np.nan))
