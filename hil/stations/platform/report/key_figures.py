"""The figures of a run against their limits: what a person looks at first."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hil.machines.machine import lag_max_s
from hil.report.recorded import KeyFigure
from hil.run.evidence import Evidence, evidence_of, tracking_error_m
from hil.stations.platform.report.leg_figures import step_rate, window_share
from hil.stations.platform.report.pose_figure import (
    figure_or_below,
    in_mm_and_deg,
    largest_deviation,
)
from hil.stations.platform.report.view import LegLimits, RunView
from hil.stations.platform.signals import CycleFlag
from hil.stations.platform.warned import warnings_of

Array = NDArray[np.float64]


def key_figures(view: RunView) -> list[KeyFigure]:
    """The rows of the table, in order; a recording without motion gives the last ones only."""
    closed = np.zeros(6) if view.limits is None else view.limits.closed_m
    evidence = evidence_of(view.recording, closed)
    rows: list[KeyFigure] = []
    if evidence.length_min_m is not None:
        rows += _lengths(view, evidence)
        rows += _movement(view)
    rows += _following(view)
    rows += _lag(view)
    rows += _deviations(view)
    rows += _time(view, evidence)
    rows += _counts(view)
    return rows


def _lengths(view: RunView, evidence: Evidence) -> Iterator[KeyFigure]:
    lengths = view.recording.column("measured_length_m")
    ends = (("shortest leg", evidence.length_min_m, -1), ("longest leg", evidence.length_max_m, 1))
    for name, value, sign in ends:
        cycle, leg = _peak(view, sign * lengths)
        if view.limits is None:
            yield KeyFigure(name, f"{fixed(value, 4)} m", _where(view, cycle, leg))
            continue
        soft = view.limits.soft_max_m[leg] if sign > 0 else view.limits.soft_min_m[leg]
        left_m = sign * (soft - lengths[cycle, leg])
        yield KeyFigure(
            name,
            f"{fixed(value, 4)} m",
            _where(view, cycle, leg),
            f"{soft:.4f} m (soft)",
            f"{fixed(left_m * 1e3, 1)} mm",
            bad=left_m < 0.0,
        )
    if view.limits is not None:
        low, high = fixed(evidence.stroke_min_m, 4), fixed(evidence.stroke_max_m, 4)
        travel = view.limits.open_m - view.limits.closed_m
        yield KeyFigure("rod strokes", f"{low} to {high} m", "", _range(travel))


def _movement(view: RunView) -> Iterator[KeyFigure]:
    limits = view.limits
    measured = view.recording.column("measured_speed_m_s")
    yield from _against(view, "leg speed, measured", measured, _speed_of(limits), "m/s")
    if limits is None:
        return
    speed = step_rate(view, view.recording.column("allowed_length_m"))
    acceleration = step_rate(view, speed)
    most = limits.acceleration_m_s2
    yield from _against(view, "leg acceleration, commanded", acceleration, most, "m/s²")
    if view.plan is not None:
        force = view.recording.column("measured_force_n")
        able = np.array(view.plan.rig.cylinders.force_max_n)
        yield from _against(view, "leg force, measured", force, able, "N")


def _lag(view: RunView) -> Iterator[KeyFigure]:
    """The age of the feedback, as the gate identified it from the path."""
    lag_s = view.recording.column("measured_lag_s")
    if not np.isfinite(lag_s).any():
        return
    most_ms = float(np.nanmax(lag_s)) * 1e3
    figure = KeyFigure("lag of the measured path, greatest", f"{fixed(most_ms, 1)} ms")
    if view.plan is not None:
        limit_ms = lag_max_s(view.plan.rig, view.plan.scenario.period_s) * 1e3
        margin = f"{fixed(limit_ms - most_ms, 1)} ms"
        figure = replace(
            figure, limit=f"{fixed(limit_ms, 1)} ms", margin=margin, bad=most_ms > limit_ms
        )
    yield figure


def _following(view: RunView) -> Iterator[KeyFigure]:
    error = np.abs(tracking_error_m(view.recording))
    if not np.isfinite(error[view.moving]).any():
        return
    cycle, leg = _peak(view, error)
    value = f"{fixed(error[cycle, leg] * 1e3, 3)} mm"
    share = window_share(view)
    if share is None:
        yield KeyFigure("tracking error", value, _where(view, cycle, leg))
        return
    window_mm = error[cycle, leg] / share[cycle, leg] * 1e3 if share[cycle, leg] > 0.0 else np.nan
    limit = f"{window_mm:.2f} mm at this speed" if np.isfinite(window_mm) else ""
    yield KeyFigure("tracking error", value, _where(view, cycle, leg), limit)
    cycle, leg = _peak(view, share)
    most = float(share[cycle, leg])
    yield KeyFigure(
        "following window used",
        f"{fixed(most * 100.0, 0)} %",
        _where(view, cycle, leg),
        "100 %",
        f"{fixed((1.0 - most) * 100.0, 0)} %",
        bad=most > 1.0,
    )


def _deviations(view: RunView) -> Iterator[KeyFigure]:
    wanted = in_mm_and_deg(view.recording.column("wanted_pose"))
    reached = in_mm_and_deg(view.reached)
    for name, unit, axes in (("position", "mm", range(3)), ("orientation", "°", range(3, 6))):
        found = [largest_deviation(view, wanted, reached, axis) for axis in axes]
        there = [value for value in found if value is not None]
        if there:
            words = f"{name} off the pose wanted, one axis"
            yield KeyFigure(words, f"{figure_or_below(max(there))} {unit}")


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
    """How many deadlines a real-time loop passed without a cycle; None if that is not known.

    A cycle's deadline is its wake-up less its lateness; between two cycles that follow each other
    lies one period, or one more for each deadline given up.
    """
    if view.virtual or view.period_s is None:
        return None
    recording = view.recording
    apart_s = recording.column("dt_s")[1:] - np.diff(recording.column("late_s"))
    apart_s = apart_s[(np.diff(recording.column("index")) == 1) & np.isfinite(apart_s)]
    return int(np.maximum(np.rint(apart_s / view.period_s) - 1.0, 0.0).sum())


def _counts(view: RunView) -> Iterator[KeyFigure]:
    recording = view.recording
    length_s = float(view.times[-1] - view.times[0]) if len(view.times) else 0.0
    yield KeyFigure("cycles recorded", f"{recording.cycles} over {length_s:.2f} s")
    flags = recording.column("flags")
    given_up = deadlines_given_up(view)
    if given_up is not None:
        yield KeyFigure("deadlines given up", str(given_up), bad=given_up > 0)
    stale = int(np.count_nonzero(flags & CycleFlag.FEEDBACK_STALE))
    yield KeyFigure("cycles with feedback missing", str(stale), bad=stale > 0)
    failed = int(np.count_nonzero((flags & CycleFlag.FORWARD_FAILED > 0) & view.moving))
    yield KeyFigure("cycles in motion without a pose found", str(failed), bad=failed > 0)
    yield KeyFigure("entries dropped", str(recording.dropped), bad=recording.dropped > 0)
    for one in warnings_of(recording.events):
        yield KeyFigure("warned", one["message"], f"from {one['t_s']:.2f} s on", bad=True)


def fixed(value: float | None, digits: int) -> str:
    """A number with so many decimals, or with an exponent where it is absurdly large."""
    if value is None:
        return "unknown"
    return f"{value:.{digits}f}" if abs(value) < 1e6 else f"{value:.3g}"


def _against(
    view: RunView, name: str, values: Array, limit: Array | None, unit: str
) -> Iterator[KeyFigure]:
    """The greatest magnitude during the motion against the limit of its leg."""
    if not np.isfinite(values[view.moving]).any():
        return
    cycle, leg = _peak(view, np.abs(values))
    most = float(np.abs(values[cycle, leg]))
    digits = 0 if unit == "N" else 3
    where = _where(view, cycle, leg)
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


def _peak(view: RunView, values: Array) -> tuple[int, int]:
    """Cycle and leg of the greatest value during the motion; there must be one."""
    masked = np.where(view.moving[:, None] & np.isfinite(values), values, -np.inf)
    cycle, leg = divmod(int(np.argmax(masked)), 6)
    return cycle, leg


def _where(view: RunView, cycle: int, leg: int) -> str:
    return f"leg {leg + 1} at {view.times[cycle]:.2f} s"


def _speed_of(limits: LegLimits | None) -> Array | None:
    return None if limits is None else limits.speed_m_s


def _range(travel_m: Array) -> str:
    """Travel of the legs as text: one number if they share it."""
    if np.ptp(travel_m) < 1e-9:
        return f"0 to {travel_m[0]:.4f} m (mechanical)"
    return f"0 to {travel_m.min():.4f}…{travel_m.max():.4f} m by leg (mechanical)"
