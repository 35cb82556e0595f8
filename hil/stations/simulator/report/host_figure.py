"""Picture of the source's states over time, and of the wanted share of its motion."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from hil.hosts.watch.states import Cause, HostState
from hil.report.pieces import lines
from hil.report.style import DPI, INK, LEGEND_IN, REACHED, Picture, draw_png, place
from hil.report.time_axes import TIME_LABEL, time_axes
from hil.stations.simulator.report.view import RideView
from hil.stations.simulator.words import CAUSES

COLOURS: Final = {
    HostState.WAITING: "#D9D9D9",
    HostState.LIVE: "#97D08F",
    HostState.FADING_OUT: "#F5A94E",
    HostState.AWAY: "#FBE7A1",
    HostState.FADING_IN: "#BFE3E0",
    HostState.LOST: "#E36A6A",
}
"""Colour of each state of a source."""
MOST_LABELS: Final = 12
"""More causes than this are not written out."""
CHARACTER_IN: Final = 0.065
"""Width of a character of a cause, as much as it can be on average [inch]."""


def hosts(view: RideView) -> Picture | None:
    """Draw a band of the source's states, and the share of its motion that was wanted."""
    if not len(view.times):
        return None
    state, cause = _begun(view)
    starts = list(state)
    ends = [*starts[1:], len(view.times) - 1]
    ((weight,),) = lines(view, lambda part: part.recording.column("weight"))

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        place(figure, right_in=LEGEND_IN, top_in=0.55)
        time_axes(axes, view)
        for start, end in zip(starts, ends, strict=True):
            from_s, until_s = float(view.times[start]), float(view.times[end])
            colour = COLOURS[HostState(state[start])]
            axes.axvspan(from_s, until_s, 0.0, 0.16, color=colour, linewidth=0)
        _name(axes, view, state, cause, starts)
        axes.plot(view.times[weight.places], weight.values, color=REACHED)
        axes.set_ylim(-0.25, 1.08)
        axes.set_yticks([0.0, 0.5, 1.0])
        axes.set_ylabel("share wanted")
        axes.set_xlabel(TIME_LABEL)
        names = [
            Patch(color=COLOURS[one], label=one.name.lower().replace("_", " ")) for one in COLOURS
        ]
        figure.legend(
            handles=names, loc="upper left",
            bbox_to_anchor=(1.0 - (LEGEND_IN - 0.05) / figure.get_figwidth(), 0.97),
        )  # fmt: skip

    return Picture(
        "hosts",
        "The source, and how much of it was wanted",
        "Band: what the source was doing in each cycle. Line: share of its force and rates that "
        "was wanted, with all fades.",
        draw_png(2.6, draw),
    )


def _begun(view: RideView) -> tuple[dict[int, int], dict[int, int]]:
    """Return the rows from which a state of the source lasts: its code, and that of its cause."""
    state: dict[int, int] = {}
    cause: dict[int, int] = {}
    last: int | None = None
    for part in view.pieces():
        codes, causes = (
            part.run.recording.column(name).astype(int)[part.before :] for name in ("host", "cause")
        )
        before = codes[:1] if last is None else [last]
        changed = np.flatnonzero(np.diff(codes, prepend=before)).tolist()
        for at in changed if last is not None else [0, *changed]:
            state[part.first + at], cause[part.first + at] = int(codes[at]), int(causes[at])
        last = int(codes[-1])
    return state, cause


def _name(
    axes: Axes, view: RideView, state: Mapping[int, int], cause: Mapping[int, int],
    starts: Iterable[int],
) -> None:  # fmt: skip
    """Write why beside each time at which the source was left.

    It is behind that time, or before it where it would leave the frame.
    """
    left = [at for at in starts if state[at] == HostState.FADING_OUT]
    _, end_s = axes.get_xlim()
    seconds_an_inch = float(np.ptp(axes.get_xlim())) * DPI / axes.get_window_extent().width
    for at in left[:MOST_LABELS]:
        words, at_s = CAUSES[Cause(cause[at])], float(view.times[at])
        fits = at_s + CHARACTER_IN * (len(words) + 1) * seconds_an_inch <= end_s
        axes.annotate(
            words, (at_s, -0.16), (3 if fits else -3, 0), fontsize=7.5, color=INK,
            textcoords="offset points", va="center", ha="left" if fits else "right",
        )  # fmt: skip
