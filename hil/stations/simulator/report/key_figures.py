"""The figures of a ride: first what was followed and limited, then those of the platform."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from hil.report.pieces import peaks
from hil.report.recorded_run import KeyFigure
from hil.stations.platform.report.key_figures import key_figures as of_platform
from hil.stations.simulator.figures.felt_ride import RideFigures, figures_of
from hil.stations.simulator.figures.latency import SHARES, WORDS, latency_trail
from hil.stations.simulator.plan.scenario import RidePlan
from hil.stations.simulator.report.view import RideView, governor_active, share_engaged


def key_figures(view: RideView) -> list[KeyFigure]:
    """Return the rows of the table, in order."""
    figures = None
    if isinstance(view.plan, RidePlan) and view.was_engaged:
        figures = figures_of(view.recording, view.plan)
    asked = () if figures is None else _asked(figures)
    return [
        *_followed(view), *asked, *_governed(view, figures), *_late(view), *of_platform(view),
    ]  # fmt: skip


def _followed(view: RideView) -> Iterator[KeyFigure]:
    if not view.was_engaged:
        return
    share = share_engaged(view, lambda part: part.recording.column("weight") > 0.999)
    yield KeyFigure("source followed in full", f"{share} of the time in ENGAGED")
    last = view.part(len(view.times) - 1, len(view.times)).recording
    packets, dropped, missing = (
        int(last.column(name)[0]) for name in ("packets", "dropped", "missing")
    )
    text = f"{packets} used, {dropped} dropped, {missing} never came"
    yield KeyFigure("packets", text)


def _asked(figures: RideFigures) -> Iterator[KeyFigure]:
    yield KeyFigure("stops by the gate", str(figures.gate_stops), bad=figures.gate_stops > 0)


def _governed(view: RideView, figures: RideFigures | None) -> Iterator[KeyFigure]:
    def used(part: RideView) -> NDArray[np.float64]:
        return np.where(part.engaged, -part.recording.column("governor_margin"), np.nan)

    name = "smallest share left of a limit"
    (peak,) = peaks(view, used)
    if peak is not None:
        yield KeyFigure("governor active", f"{share_engaged(view, governor_active)} of the ride")
        when, least = f"{view.times[peak.row]:.3f} s", -peak.value
        yield KeyFigure(name, f"{least:.4f}", when, bad=least < 0.0)
    elif figures is not None:
        least = figures.margin_min
        yield KeyFigure(name, f"{least:.4f}", "no governor: of the legs", bad=least < 0.0)


def _late(view: RideView) -> Iterator[KeyFigure]:
    trail = latency_trail(view.recording)
    for name in SHARES:
        spread = trail.spread_s(name)
        if spread.count:
            p50, p99 = (1e3 * one for one in spread.percentiles)
            yield KeyFigure(WORDS[name], f"p50 {p50:.2f}, p99 {p99:.2f} ms")
