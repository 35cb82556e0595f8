"""The figures of a ride: first what was followed and limited, then those of the platform."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from hil.report.pieces import peaks
from hil.report.recorded import KeyFigure
from hil.stations.platform.report.key_figures import key_figures as of_platform
from hil.stations.simulator.latency import SHARES, WORDS, latency_trail
from hil.stations.simulator.report.view import RideView, governor_active, share_engaged


def key_figures(view: RideView) -> list[KeyFigure]:
    """The rows of the table, in order."""
    return [*_followed(view), *_governed(view), *_late(view), *of_platform(view)]


def _followed(view: RideView) -> Iterator[KeyFigure]:
    if not view.was_engaged:
        return
    share = share_engaged(view, lambda part: part.recording.column("weight") > 0.999)
    yield KeyFigure("source followed in full", f"{share} of the time in ENGAGED")
    last = view.part(len(view.times) - 1, len(view.times)).recording
    packets, dropped, missing = (
        int(last.column(name)[0]) for name in ("packets", "dropped", "missing")
    )
    told = f"{packets} used, {dropped} dropped, {missing} never came"
    yield KeyFigure("packets", told)


def _governed(view: RideView) -> Iterator[KeyFigure]:
    def used(part: RideView) -> NDArray[np.float64]:
        return np.where(part.engaged, -part.recording.column("governor_margin"), np.nan)

    (peak,) = peaks(view, used)
    if peak is None:
        return
    yield KeyFigure("governor active", f"{share_engaged(view, governor_active)} of the ride")
    when, least = f"{view.times[peak.row]:.3f} s", -peak.value
    yield KeyFigure("smallest share left of a limit", f"{least:.4f}", when, bad=least < 0.0)


def _late(view: RideView) -> Iterator[KeyFigure]:
    trail = latency_trail(view.recording)
    for name in SHARES:
        spread = trail.spread_s(name)
        if spread.count:
            p50, p99 = (1e3 * one for one in spread.percentiles)
            yield KeyFigure(WORDS[name], f"p50 {p50:.2f}, p99 {p99:.2f} ms")
