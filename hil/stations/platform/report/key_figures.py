"""Figures of a run against their limits, which a person reads first."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hil.machines.rig.machine import lag_max_s
from hil.report.pieces import Peak, peaks
from hil.report.recorded_run import KeyFigure
from hil.run.evidence import Evidence, evidence_of, tracking_error_m
from hil.stations.platform.cycle.run_warnings import warnings_of
from hil.stations.platform.plan.scenario import Plan
from hil.stations.platform.report.leg_figures import step_rate, window_share
from hil.stations.platform.report.pose_figure import (
    figure_or_below,
    wanted_and_reached,
)
from hil.stations.platform.report.view import LegLimits, RunView
from hil.stations.platform.signals import CycleFlag

Array = NDArray[np.float64]


def key_figures(view: RunView) -> list[KeyFigure]:
    """Rows of the table, in order; a recording without motion has the last ones only."""
    closed = np.zeros(6) if view.limits is None else view.limits.closed_m
    evidence = evidence_of(view.recording, closed)
    found = dict(zip(_EXTREMES, peaks(view, *_EXTREMES.values()), strict=True))
    rows: list[KeyFigure] = []
    if evidence.length_min_m is not None:
        rows += _lengths(view, evidence, found)
        rows += _movement(view, found)
    rows += _following(view, found)
    rows += _lag(view, found)
    rows += _deviations(found)
    rows += _time(view, evidence)
    rows += _counts(view)
    return rows


Found = Mapping[str, Peak | None]


def _moving(values_of: Callable[[RunView], Array | None]) -> Callable[[RunView], Array]:
    """Values during the motion, of these."""

    def during(view: RunView) -> Array:
        values = values_of(view)
        if values is None:
            return np.full((len(view.times), 1), np.nan)
        return np.where(view.moving[:, None], values, np.nan)

    return during


def _column(name: str, sign: float = 0.0) -> Callable[[RunView], Array]:
    """Signal of the legs times a sign, or its magnitude without one."""

    def values(view: RunView) -> Array:
        found = view.recording.column(name)
        return sign * found if sign else np.abs(found)

    return values


def _commanded_m_s2(view: RunView) -> Array:
    speed = step_rate(view, view.recording.column("allowed_length_m"))
    return np.abs(step_rate(view, speed))


def _apart(view: RunView) -> Array:
    """Distance of wanted and reached pose, in each coordinate [mm, deg]."""
    both = wanted_and_reached(view)
    return np.abs(both[:, :6] - both[:, 6:])


_EXTREMES: Final[Mapping[str, Callable[[RunView], Array]]] = {
    "shortest": _moving(_column("measured_length_m", -1.0)),
    "longest": _moving(_column("measured_length_m", 1.0)),
    "speed": _moving(_column("measured_speed_m_s")),
    "acceleration": _moving(_commanded_m_s2),
    "force": _moving(_column("measured_force_n")),
    "error": _moving(lambda view: np.abs(tracking_error_m(view.recording))),
    "share": _moving(window_share),
    "position": _moving(lambda view: _apart(view)[:, :3]),
    "orientation": _moving(lambda view: _apart(view)[:, 3:]),
    "lag": lambda view: view.recording.column("measured_lag_s"),
}
"""Quantities whose greatest value is found in one pass over all rows."""


def _lengths(view: RunView, evidence: Evidence, found: Found) -> Iterator[KeyFigure]:
    ends = (("shortest leg", evidence.length_min_m, -1), ("longest leg", evidence.length_max_m, 1))
    for (name, value, sign), key in zip(ends, ("shortest", "longest"), strict=True):
        peak = found[key]
        if peak is None:
            continue
        where, leg = _where(view, peak), peak.column
        if view.limits is None:
            yield KeyFigure(name, f"{fixed(value, 4)} m", where)
            continue
        soft = view.limits.soft_max_m[leg] if sign > 0 else view.limits.soft_min_m[leg]
        left_m = sign * (soft - sign * peak.value)
        yield KeyFigure(
            name,
            f"{fixed(value, 4)} m",
            where,
            f"{soft:.4f} m (soft)",
            f"{fixed(left_m * 1e3, 1)} mm",
            bad=left_m < 0.0,
        )
    if view.limits is not None:
        low, high = fixed(evidence.stroke_min_m, 4), fixed(evidence.stroke_max_m, 4)
        travel = view.limits.open_m - view.limits.closed_m
        yield KeyFigure("rod strokes", f"{low} to {high} m", "", _range(travel))


def _movement(view: RunView, found: Found) -> Iterator[KeyFigure]:
    limits = view.limits
    yield from _against(view, "leg speed, measured", found["speed"], _speed_of(limits), "m/s")
    if limits is None:
        return
    most = limits.acceleration_m_s2
    yield from _against(view, "leg acceleration, commanded", found["acceleration"], most, "m/s²")
    if view.plan is not None:
        able = np.array(view.plan.rig.cylinders.force_max_n)
        yield from _against(view, _whose_force(view, view.plan), found["force"], able, "N")


def _whose_force(view: RunView, plan: Plan) -> str:
    """Names of the leg forces of a recording: their origin, and their load."""
    if not view.simulated:
        return "leg force, told by the drives"
    loads = "the world" if plan.scenario.world else "the rig's file"
    return f"leg force, simulated drive's, loaded by {loads}"


def _lag(view: RunView, found: Found) -> Iterator[KeyFigure]:
    """Age of the feedback, as the gate identified it from the path."""
    peak = found["lag"]
    if peak is None:
        return
    most_ms = peak.value * 1e3
    figure = KeyFigure("lag of the measured path, greatest", f"{fixed(most_ms, 1)} ms")
    if view.plan is not None:
        limit_ms = lag_max_s(view.plan.rig, view.plan.scenario.period_s) * 1e3
        margin = f"{fixed(limit_ms - most_ms, 1)} ms"
        figure = replace(
            figure, limit=f"{fixed(limit_ms, 1)} ms", margin=margin, bad=most_ms > limit_ms
        )
    yield figure


def _following(view: RunView, found: Found) -> Iterator[KeyFigure]:
    error, share = found["error"], found["share"]
    if error is None:
        return
    value = f"{fixed(error.value * 1e3, 3)} mm"
    if share is None:
        yield KeyFigure("tracking error", value, _where(view, error))
        return
    around = window_share(view.part(error.row - 1, error.row + 1))
    there = np.nan if around is None else float(around[-1, error.column])
    window_mm = error.value / there * 1e3 if there > 0.0 else np.nan
    limit = f"{window_mm:.2f} mm at this speed" if np.isfinite(window_mm) else ""
    yield KeyFigure("tracking error", value, _where(view, error), limit)
    yield KeyFigure(
        "following window used",
        f"{fixed(share.value * 100.0, 0)} %",
        _where(view, share),
        "100 %",
        f"{fixed((1.0 - share.value) * 100.0, 0)} %",
        bad=share.value > 1.0,
    )


def _deviations(found: Found) -> Iterator[KeyFigure]:
    for name, unit in (("position", "mm"), ("orientation", "°")):
        if (peak := found[name]) is not None:
            words = f"{name} off the pose wanted, one axis"
            yield KeyFigure(words, f"{figure_or_below(peak.value)} {unit}")


def _time(view: RunView, evidence: Evidence) -> Iterator[KeyFigure]:
    if view.virtual:
        yield KeyFigure("lateness", "virtual clock: no lateness")
        return
    late = evidence.lateness_us
    limit_us = None
    if view.plan is not None:
        limit_us = view.plan.rig.supervision.late_cycles_max * view.plan.scenario.period_s * 1e6
    yield KeyFigure("lateness, median", f"{late.p50:.0f} µs")
    yield KeyFigure("lateness, 99th percentile", f"{late.p99:.0f} µs")
    greatest = KeyFigure("lateness, greatest", f"{late.max:.0f} µs")
    if limit_us is not None:
        limit, margin = f"{limit_us:.0f} µs", f"{limit_us - late.max:.0f} µs"
        greatest = replace(greatest, limit=limit, margin=margin, bad=late.max > limit_us)
    yield greatest


def deadlines_given_up(view: RunView) -> int | None:
    """Number of deadlines that a real-time loop passed without a cycle; None if not known.

    A cycle's deadline is its wake-up less its lateness; between two cycles that follow each other
    lies one period, or one more for each deadline given up.
    """
    if view.virtual or view.period_s is None:
        return None
    given_up = 0
    for piece in view.recording.pieces(before=1):
        rows = piece.rows
        apart_s = rows.column("dt_s")[1:] - np.diff(rows.column("late_s"))
        apart_s = apart_s[(np.diff(rows.column("index")) == 1) & np.isfinite(apart_s)]
        given_up += int(np.maximum(np.rint(apart_s / view.period_s) - 1.0, 0.0).sum())
    return given_up


def _counts(view: RunView) -> Iterator[KeyFigure]:
    recording = view.recording
    length_s = float(view.times[-1] - view.times[0]) if len(view.times) else 0.0
    yield KeyFigure("cycles recorded", f"{recording.cycles} over {length_s:.2f} s")
    stale = failed = 0
    for part in view.pieces():
        flags = part.run.recording.column("flags")[part.before :]
        stale += int(np.count_nonzero(flags & CycleFlag.FEEDBACK_STALE))
        unknown = flags & CycleFlag.FORWARD_FAILED > 0
        failed += int(np.count_nonzero(unknown & part.run.moving[part.before :]))
    given_up = deadlines_given_up(view)
    if given_up is not None:
        yield KeyFigure("deadlines given up", str(given_up), bad=given_up > 0)
    yield KeyFigure("cycles with feedback missing", str(stale), bad=stale > 0)
    yield KeyFigure("cycles in motion without a pose found", str(failed), bad=failed > 0)
    yield KeyFigure("entries dropped", str(recording.dropped), bad=recording.dropped > 0)
    for one in warnings_of(recording.events):
        yield KeyFigure("warned", one.message, f"from {one.t_s:.2f} s on", bad=True)


def fixed(value: float | None, digits: int) -> str:
    """Number with so many decimals, or with an exponent where it is absurdly large."""
    if value is None:
        return "unknown"
    return f"{value:.{digits}f}" if abs(value) < 1e6 else f"{value:.3g}"


def _against(
    view: RunView, name: str, peak: Peak | None, limit: Array | None, unit: str
) -> Iterator[KeyFigure]:
    """Greatest magnitude during the motion against the limit of its leg."""
    if peak is None:
        return
    most, leg = peak.value, peak.column
    digits = 0 if unit == "N" else 3
    where = _where(view, peak)
    if limit is None:
        yield KeyFigure(name, f"{fixed(most, digits)} {unit}", where)
        return
    left = float(limit[leg]) - most
    # Differences of lengths around 1 m are rounded; a limit met exactly is not exceeded.
    bad = left < -1e-6 * float(limit[leg])
    yield KeyFigure(
        name,
        f"{fixed(most, digits)} {unit}",
        where,
        f"{limit[leg]:.{digits}f} {unit}",
        f"{fixed(left, digits)} {unit}",
        bad=bad,
    )


def _where(view: RunView, peak: Peak) -> str:
    return f"leg {peak.column + 1} at {view.times[peak.row]:.2f} s"


def _speed_of(limits: LegLimits | None) -> Array | None:
    return None if limits is None else limits.speed_m_s


def _range(travel_m: Array) -> str:
    """Travel of the legs as text: one number if they share it."""
    if np.ptp(travel_m) < 1e-9:
        return f"0 to {travel_m[0]:.4f} m (mechanical)"
    return f"0 to {travel_m.min():.4f}…{travel_m.max():.4f} m by leg (mechanical)"
