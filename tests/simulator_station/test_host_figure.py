"""The picture of a source's states: what it says stays inside its frame."""

from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from hil.hosts.watch.states import Cause, HostState
from hil.report.style import DPI, LEGEND_IN, WIDTH_IN, place
from hil.stations.simulator.report.host_figure import _name


@pytest.mark.parametrize("cause", list(Cause))
@pytest.mark.parametrize("at", [0, 55, 85, 99])
def test_a_cause_stands_inside_the_frame_wherever_it_happened(cause, at):
    figure = Figure(figsize=(WIDTH_IN, 2.6), dpi=DPI)
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    place(figure, right_in=LEGEND_IN, top_in=0.55)
    times = 0.2 * np.arange(101)
    axes.set_xlim(0.0, 20.0)
    axes.set_ylim(-0.25, 1.08)
    state = np.full(101, HostState.LIVE)
    state[at:] = HostState.FADING_OUT
    view = SimpleNamespace(times=times)
    _name(axes, view, state, np.full(101, cause), np.array([0, at] if at else [0]))
    (text,) = axes.texts
    frame, seen = axes.get_window_extent(), text.get_window_extent(figure.canvas.get_renderer())
    assert frame.x0 <= seen.x0
    assert seen.x1 <= frame.x1
