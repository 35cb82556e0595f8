"""Picture of the delays between a simulator and the legs: a histogram for each."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from hil.report.style import INK, LEG_COLOURS, LIMIT, Picture, draw_png, place
from hil.stations.simulator.figures.latency import SHARES, WORDS, LatencyTrail, latency_trail
from hil.stations.simulator.report.view import RideView


def latency(view: RideView) -> Picture | None:
    """Draw histograms of the delays from host to legs; None for a ride without packets."""
    trail = latency_trail(view.recording)
    there = [(name, spread) for name in SHARES if (spread := trail.spread_s(name)).count]
    if not there:
        return None
    period_ms = None if view.period_s is None else view.period_s * 1e3
    top_ms = 1e3 * max(spread.greatest for _, spread in there)
    edges_ms = np.linspace(0.0, max(top_ms, 1e-3) * 1.02, 81)
    counts = [_counted(trail, name, edges_ms) for name, _ in there]

    def draw(figure: Figure) -> None:
        panels = np.atleast_1d(figure.subplots(len(there), 1, sharex=True))
        place(figure, grid=(1, len(there)), between_in=(0.5, 0.34))
        for axes, (name, spread), count, colour in zip(
            panels, there, counts, LEG_COLOURS, strict=False
        ):
            axes.hist(edges_ms[:-1], bins=edges_ms.tolist(), weights=count, color=colour)
            axes.set_yscale("log")
            axes.set_ylim(bottom=0.7)
            p50, p99 = (1e3 * one for one in spread.percentiles)
            words = f"p50 {p50:.2f}, p99 {p99:.2f}, max {1e3 * spread.greatest:.2f} ms"
            axes.set_title(f"{WORDS[name]}: {words}")
            axes.axvline(p50, color=INK, linewidth=0.9, linestyle=":")
            if period_ms is not None:
                axes.axvline(period_ms, color=LIMIT, linewidth=0.9, linestyle=(0, (6, 3)))
        panels[-1].set_xlabel("time [ms]; red: cycle time")

    return Picture(
        "latency",
        "From the simulator to the legs",
        f"Of {len(trail.t_s)} packets that were used while the ride was followed: each share of "
        "the way, counted on a logarithmic scale. What the host takes is told beyond its quickest "
        "packet, for its clock is not ours.",
        draw_png(0.6 + 1.05 * len(there), draw),
    )


def _counted(trail: LatencyTrail, name: str, edges_ms: NDArray[np.float64]) -> NDArray[np.float64]:
    """Count the packets with a delay between two edges."""
    counts = np.zeros(len(edges_ms) - 1)
    for share_s in trail.known_s(name):
        counts += np.histogram(np.maximum(1e3 * share_s, 0.0), edges_ms)[0]
    return counts
