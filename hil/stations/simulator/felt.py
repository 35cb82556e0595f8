"""What a rider wanted and felt in a recorded ride, and its score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import RefusedError
from hil.machines.cueing_preset import CueingPreset
from hil.recording.reader import Recording
from hil.stations.simulator.scenario import RidePlan
from platform6dof.cueing.score import Score, score
from platform6dof.cueing.vehicle import REST
from platform6dof.cueing.vestibular import REID_NAHON, VestibularModel

Array = NDArray[np.float64]

STOPS: Final = ("CSTOP", "QSTOP")
"""Modes in which a gate ends a motion."""
REST_SIGNALS: Final = np.array((*REST.f_m_s2, 0.0, 0.0, 0.0))
COORDINATES: Final = ("x_m", "y_m", "z_m", "alpha_deg", "beta_deg", "gamma_deg")


@dataclass(frozen=True, slots=True, eq=False)
class FeltRide:
    """A ride from its first to its last cycle of following; N of them."""

    t_s: Array
    """Time of the run [s], shape (N,)."""
    period_s: float
    """Of a cycle [s]."""
    wanted: Array
    """Force [m/s²] and rates [rad/s] that the preset wants of the vehicle's, FRD, shape (N, 6)."""
    felt: Array
    """Those at the head, shape (N, 6)."""

    def score(self, model: VestibularModel = REID_NAHON) -> Score:
        """Its figures.

        Raises:
            ValueError: fewer than two cycles.
        """
        return score(self.wanted, self.felt, self.period_s, model)


@dataclass(frozen=True, slots=True)
class RideFigures:
    """What else a recorded ride tells."""

    peak: Mapping[str, float]
    """Largest distance from neutral that was asked, by `COORDINATES` [m, deg]."""
    margin_min: float
    """Smallest share left of a limit [1]; without a governor, of the legs' travel and speed."""
    governed_share: float
    """Share of the ride in which the governor changed what the algorithm asked [1]."""
    gate_stops: int
    """How often the gate ended the motion."""


def shares_of(preset: CueingPreset, algorithm: str | None = None) -> Array:
    """What a preset wants of the vehicle's force and rates, by axis, shape (6,).

    An algorithm that takes a pose as it comes wants all of it.
    """
    if (algorithm or preset.algorithm) == "direct":
        return np.ones(6)
    return np.array([*preset.force.gain, *preset.rates.gain])


def gain_of(plan: RidePlan) -> float:
    """Share of the vehicle's forward force that is wanted."""
    shares = shares_of(plan.presets[0], plan.scenario.cueing.algorithm)
    return plan.scenario.cueing.gain * float(shares[0])


def felt_ride(recording: Recording, plan: RidePlan) -> FeltRide:
    """The signals of a recorded ride.

    Raises:
        RefusedError: if it was never followed for two cycles.
    """
    following = engaged(recording) & (recording.column("weight") > 0.0)
    rows = np.flatnonzero(following)
    if len(rows) < 2:
        text = f"{recording.path}: the platform followed the ride for {len(rows)} cycles"
        raise RefusedError(f"{text}: there is nothing to judge; the report says what came before")
    span = slice(int(rows[0]), int(rows[-1]) + 1)
    shares = shares_of(plan.presets[0], plan.scenario.cueing.algorithm)
    wanted = _both(recording, "wanted")[span]
    felt = _both(recording, "felt")[span]
    good = np.isfinite(wanted).all(axis=1) & np.isfinite(felt).all(axis=1)
    wanted = REST_SIGNALS + shares * (wanted - REST_SIGNALS)
    times: Array = np.asarray(recording.column("t_s")[span], dtype=np.float64)
    return FeltRide(times[good], plan.scenario.period_s, wanted[good], felt[good])


def figures_of(recording: Recording, plan: RidePlan) -> RideFigures:
    """Peaks, margins and stops of a recorded ride."""
    riding = engaged(recording)
    away = recording.column("wanted_pose")[riding] - np.array(plan.rig.neutral.coordinates())
    peaks = np.nanmax(np.abs(away), axis=0) if len(away) else np.full(6, np.nan)
    peaks[3:] = np.degrees(peaks[3:])
    active = recording.column("governor_active")[riding] != 0
    modes = recording.column("mode")
    codes = [_code(recording, name) for name in STOPS]
    begun = (modes[1:] != modes[:-1]) & np.isin(modes[1:], codes) & ~np.isin(modes[:-1], codes)
    return RideFigures(
        peak=dict(zip(COORDINATES, peaks.tolist(), strict=True)),
        margin_min=_margin(recording, plan, riding),
        governed_share=float(active.mean()) if len(active) else 0.0,
        gate_stops=int(begun.sum()),
    )


def engaged(recording: Recording) -> NDArray[np.bool_]:
    """Cycles of the ride itself, shape (N,)."""
    return np.asarray(recording.column("mode") == _code(recording, "ENGAGED"))


def _code(recording: Recording, mode: str) -> int:
    return recording.header.modes.index(mode)


def _both(recording: Recording, which: str) -> Array:
    force, rates = recording.column(f"{which}_force_m_s2"), recording.column(f"{which}_rate_rad_s")
    return np.hstack([force, rates])


def _margin(recording: Recording, plan: RidePlan, riding: NDArray[Any]) -> float:
    margins = recording.column("governor_margin")[riding]
    if np.isfinite(margins).any():
        return float(np.nanmin(margins))
    from hil.machines.machine import soft_range_m

    soft = np.array([soft_range_m(plan.rig, leg) for leg in range(6)])
    lengths = recording.column("allowed_length_m")[riding]
    speeds = recording.column("allowed_speed_m_s")[riding]
    half = 0.5 * (soft[:, 1] - soft[:, 0])
    travel = np.minimum(lengths - soft[:, 0], soft[:, 1] - lengths) / half
    pace = 1.0 - np.abs(speeds) / np.array(plan.rig.limits.speed_max_m_s)
    both = np.concatenate([travel.ravel(), pace.ravel()])
    return float(np.nanmin(both)) if np.isfinite(both).any() else float("nan")
