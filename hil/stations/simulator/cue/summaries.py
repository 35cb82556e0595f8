"""JSON objects of the verbs of `hil cue` with ``--json``: their keys and their meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from hil.stations.simulator.figures.felt_ride import WorstCue, gain_of
from platform6dof.cueing.agreement import Agreement

if TYPE_CHECKING:
    from pathlib import Path

    from hil.stations.simulator.cue.axes_finder import FoundAxes
    from hil.stations.simulator.cue.compare import CueComparison
    from hil.stations.simulator.cue.omct_run import OmctRun
    from hil.stations.simulator.cue.score import CueResult
    from platform6dof.cueing.objectives import Trial
    from platform6dof.cueing.tuning import Tuned


class WorstCueSummary(TypedDict):
    """Place where an axis was felt furthest from what was wanted."""

    felt: float
    """Force or rate that acted on the head; a force less that at rest [m/s², rad/s]."""
    wanted: float
    """Force or rate that should have acted on the head [m/s², rad/s]."""
    t_s: float
    """Time of the run [s]."""
    governed: bool
    """Whether the governor changed then what was asked."""


class RideScoreSummary(TypedDict):
    """Dry run of a recorded ride; axes are surge, sway, heave, roll, pitch, yaw."""

    ok: bool
    """The ride was completed and its recording is whole."""
    nrmse: dict[str, float]
    """RMS of the error of the inner ear's signal over that of the wanted one [1], by axis; null
    where nothing was wanted."""
    correlation: dict[str, float]
    """Correlation of felt and wanted signal, by axis; null where either does not move."""
    false_cue_share: dict[str, float]
    """Share of time in which the error exceeds the threshold with the wrong sign [1], by axis."""
    over_threshold: dict[str, float]
    """Largest error as a multiple of the threshold, by axis."""
    worst_cue: dict[str, WorstCueSummary]
    """Largest difference of felt and wanted at the head, by axis."""
    worst_governed: dict[str, WorstCueSummary]
    """Worst cue among the cycles in which the governor acted, by axis; empty if it never did."""
    peak: dict[str, float]
    """Largest distance from neutral: x_m, y_m, z_m, alpha_deg, beta_deg, gamma_deg."""
    margin_min: float
    """Smallest share left of a limit [1]; without a governor that of the legs' travel and speed."""
    governed_share: float
    """Share of the ride in which the governor changed what was asked [1]."""
    gate_stops: int
    """Number of times that the gate ended the motion."""
    gain: float
    """Share of the vehicle's forward force that was wanted [1]."""
    recording: str
    """File of the run."""


class AgreementSummary(TypedDict):
    """A line through two columns that belong together."""

    axis: str
    """f_x, f_y, f_z, p, q, r."""
    against: str
    """Quantity that the column was compared with."""
    slope: float
    """Slope of the line; about 1 is right; null where too little moves."""
    correlation: float
    """Correlation of the two columns; null where too little moves."""
    verdict: str
    """agrees, wrong sign, wrong scale, wrong axis, no gravity, not told."""


class CueCheckSummary(TypedDict):
    """Whether a recording's columns fit together."""

    ok: bool
    """True if no sign and no unit is wrong."""
    lines: list[AgreementSummary]
    """Comparisons of all pairs of which both columns are present."""


class FoundColumnSummary(TypedDict):
    """A column of a record, and what it is of the vehicle."""

    column: str
    """Name of the column in the record."""
    unit: str
    """Unit of the column's numbers, as a map writes it."""
    sign: int
    """1, or -1 where it points the other way."""


class CueAxesSummary(TypedDict):
    """Axes, signs and units of a sensor's record."""

    ok: bool
    """All were found; an ambiguous record is refused."""
    time: FoundColumnSummary
    """Column of the time."""
    columns: dict[str, FoundColumnSummary]
    """Columns found for f_x, f_y, f_z, p, q, r, v_x."""
    told: list[str]
    """Explanation of how each column was found, a line each."""
    map: str
    """Map that has these columns, as TOML."""
    file: str | None
    """File that was written; null if none was."""


class TrialSummary(TypedDict):
    """A set of parameters."""

    error: float
    """Mean NRMSE of surge and sway; of the cueing test 1 less the smallest modulus [1]."""
    parts: list[float]
    """NRMSE of surge and sway; of the cueing test the modulus at its frequencies [1]."""
    travel_m: float
    """Largest surge or sway [m]; of the cueing test for 1 m/s²."""
    wn_rad_s: float
    """Corner of the translation's high-pass [rad/s]."""
    damping: float
    """Damping of the set [1]."""
    wb_rad_s: float
    """Corner that brings the displacement back [rad/s]."""
    wl_rad_s: float
    """Corner of the tilt [rad/s]."""


class CueTuneSummary(TypedDict):
    """Result of a search for parameters."""

    ok: bool
    """A set that keeps the bounds was found."""
    start: TrialSummary
    """Set at which the search began."""
    best: TrialSummary
    """The best that keeps the bounds."""
    front: list[TrialSummary]
    """Sets than which none has less travel and less error."""
    trials: int
    """Sets tried."""
    preset: str | None
    """File that was written; null if none was."""


class ComparedSummary(TypedDict):
    """An algorithm on a ride."""

    algorithm: str
    """Name of the algorithm."""
    preset: str
    """Name or file of its numbers."""
    nrmse: dict[str, float]
    """Normalised RMS error, by axis [1]; null where nothing was wanted."""
    mean: float
    """Mean of the errors of surge and sway [1]."""
    travel_m: float
    """Largest surge or sway [m]."""
    governed_share: float
    """Share of the ride in which the governor acted [1]."""
    margin_min: float
    """Smallest share left of a limit [1]; null without a governor."""


class CueCompareSummary(TypedDict):
    """Comparison of algorithms on a ride."""

    ok: bool
    """All were ridden."""
    gain: float
    """Share of the vehicle's forward force that was wanted [1]."""
    best: str
    """Name or file of the numbers with the smallest mean; those of a simple algorithm that is as
    good go first."""
    best_algorithm: str
    """Algorithm that these numbers belong to."""
    rows: list[ComparedSummary]
    """Scores in the order in which the algorithms were requested."""


class OmctPointSummary(TypedDict):
    """One test at one frequency."""

    test: int
    """1 to 10."""
    name: str
    """Axis asked and axis felt."""
    rad_s: float
    """Angular frequency [rad/s]."""
    amplitude: float
    """Amplitude of the input: force [m/s²], or angle [rad]."""
    modulus: float
    """Response over input [1]."""
    phase_deg: float
    """Phase of the response [deg]; null if nothing answers."""
    coherence: float
    """Share of the response's power in its fundamental [1]; null if nothing answers."""
    limited_share: float
    """Share of the time in which a limiter or the governor acted [1]."""


class CueOmctSummary(TypedDict):
    """Cueing test of a chain; it does not judge."""

    ok: bool
    """True if the test ran to its end."""
    drives: str
    """Substitute for the drives; empty if there was none."""
    points: list[OmctPointSummary]
    """Measured points, sorted by test and frequency."""


def summarize_ride(result: CueResult) -> RideScoreSummary:
    """Summarise a ride that was run."""
    axes, figures = result.score.axes, result.figures
    return RideScoreSummary(
        ok=result.run.ok,
        nrmse={one.axis: one.nrmse for one in axes},
        correlation={one.axis: one.correlation for one in axes},
        false_cue_share={one.axis: one.false_cue_share for one in axes},
        over_threshold={one.axis: one.over_threshold for one in axes},
        worst_cue=_worst(result.ride.worst_cues()),
        worst_governed=_worst(result.ride.worst_cues(governed=True)),
        peak=dict(figures.peak),
        margin_min=figures.margin_min,
        governed_share=figures.governed_share,
        gate_stops=figures.gate_stops,
        gain=gain_of(result.plan),
        recording=str(result.run.recorder.path),
    )


def _worst(cues: tuple[WorstCue, ...]) -> dict[str, WorstCueSummary]:
    return {
        one.axis: WorstCueSummary(
            felt=one.felt, wanted=one.wanted, t_s=one.t_s, governed=one.governed
        )
        for one in cues
    }  # fmt: skip


def disagreeing(found: tuple[Agreement, ...]) -> list[Agreement]:
    """Return the lines whose sign or scale is wrong."""
    return [one for one in found if one.judgement.wrong]


def summarize_agreement(one: Agreement) -> AgreementSummary:
    """Summarise a line."""
    return AgreementSummary(
        axis=one.axis,
        against=one.against,
        slope=one.slope,
        correlation=one.correlation,
        verdict=one.judgement.value,
    )


def summarize_axes(found: FoundAxes, written: Path | None) -> CueAxesSummary:
    """Summarise the axes of a sensor's record."""

    def column(name: str, unit: str, sign: int) -> FoundColumnSummary:
        return FoundColumnSummary(column=name, unit=unit, sign=sign)

    return CueAxesSummary(
        ok=True,
        time=column(*found.time, 1),
        columns={key: column(*line) for key, line in found.columns.items()},
        told=list(found.findings),
        map=found.toml,
        file=None if written is None else str(written),
    )


def summarize_tune(found: Tuned, written: Path | None) -> CueTuneSummary:
    """Summarise a search."""
    return CueTuneSummary(
        ok=True,
        start=_trial(found.start),
        best=_trial(found.best),
        front=[_trial(one) for one in found.front],
        trials=len(found.trials),
        preset=None if written is None else str(written),
    )


def _trial(one: Trial) -> TrialSummary:
    knobs = one.knobs
    return TrialSummary(
        error=one.error,
        parts=list(one.parts),
        travel_m=one.travel_m,
        wn_rad_s=knobs.wn_rad_s,
        damping=knobs.damping,
        wb_rad_s=knobs.wb_rad_s,
        wl_rad_s=knobs.wl_rad_s,
    )


def summarize_comparison(found: CueComparison) -> CueCompareSummary:
    """Summarise a comparison of algorithms."""
    rows = [
        ComparedSummary(
            algorithm=one.algorithm,
            preset=one.preset,
            nrmse={axis.axis: axis.nrmse for axis in one.score.axes},
            mean=one.mean,
            travel_m=one.travel_m,
            governed_share=one.governed_share,
            margin_min=one.margin_min,
        )
        for one in found.rows
    ]
    return CueCompareSummary(
        ok=True, gain=found.gain, best=found.best.preset,
        best_algorithm=found.best.algorithm, rows=rows,
    )  # fmt: skip


def summarize_omct(found: OmctRun) -> CueOmctSummary:
    """Summarise the cueing test."""
    from platform6dof.cueing.omct import TESTS

    points = [
        OmctPointSummary(
            test=one.test,
            name=TESTS[one.test - 1].name,
            rad_s=one.rad_s,
            amplitude=one.amplitude,
            modulus=one.modulus,
            phase_deg=one.phase_deg,
            coherence=one.coherence,
            limited_share=one.limited_share,
        )
        for one in found.points
    ]
    return CueOmctSummary(ok=True, drives=found.drives, points=points)
