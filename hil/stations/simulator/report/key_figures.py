"""The figures of a ride: first what was followed and limited, then those of the platform."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hil.report.recorded import KeyFigure
from hil.stations.platform.report.key_figures import key_figures as of_platform
from hil.stations.simulator.latency import SHARES, WORDS, latency_trail
from hil.stations.simulator.report.view import RideView


def key_figures(view: RideView) -> list[KeyFigure]:
    """The rows of the table, in order."""
    return [*_followed(view), *_governed(view), *_late(view), *of_platform(view)]


def _followed(view: RideView) -> Iterator[KeyFigure]:
    recording, engaged = view.recording, view.engaged
    if not engaged.any():
        return
    weight = recording.column("weight")[engaged]
    share = f"{100.0 * float((weight > 0.999).mean()):.1f} % of the time in ENGAGED"
    yield KeyFigure("source followed in full", share)
    packets, dropped, missing = (
        int(recording.column(name)[-1]) for name in ("packets", "dropped", "missing")
    )
    told = f"{packets} used, {dropped} dropped, {missing} never came"
    yield KeyFigure("packets", told)


def _governed(view: RideView) -> Iterator[KeyFigure]:
    recording, engaged = view.recording, view.engaged
    margin = recording.column("governor_margin")[engaged]
    if not np.isfinite(margin).any():
        return
    active = recording.column("governor_active")[engaged] != 0
    yield KeyFigure("governor active", f"{100.0 * float(active.mean()):.1f} % of the ride")
    at = int(np.nanargmin(margin))
    when = f"{view.times[engaged][at]:.3f} s"
    least = float(margin[at])
    yield KeyFigure("smallest share left of a limit", f"{least:.4f}", when, bad=least < 0.0)


def _late(view: RideView) -> Iterator[KeyFigure]:
    trail = latency_trail(view.recording)
    if not len(trail.t_s):
        return
    for at, name in enumerate(SHARES):
        share_s = trail.shares_s[:, at]
        share_s = share_s[np.isfinite(share_s)]
        if len(share_s):
            p50, p99 = np.percentile(share_s, [50.0, 99.0]) * 1e3
            yield KeyFigure(WORDS[name], f"p50 {p50:.2f}, p99 {p99:.2f} ms")
