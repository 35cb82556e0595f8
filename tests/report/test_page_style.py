"""What pictures of a page have in common: places of panels, time axes, lines at limits."""

from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from picture_layout import watch_figures

from hil.recording.events import EventKind, EventRecord, Level
from hil.report import style
from hil.report.page import _event
from hil.report.phases import Phase
from hil.report.pieces import values_at
from hil.report.recorded_run import RunPiece, common_figures
from hil.report.style import draw_png, limit_line, place
from hil.report.time_axes import span_s, time_axes, timeline

TIMES = np.array([2.0, 2.5, 7.0, 12.0])
PHASES = (
    Phase("OFF", 0, 1, 2.0, 2.5), Phase("HOMING", 1, 2, 2.5, 4.0), Phase("ENGAGED", 2, 4, 4.0, 12.0)
)  # fmt: skip


def view(times=TIMES, phases=PHASES):
    return SimpleNamespace(times=times, phases=phases, recording=SimpleNamespace(events=()))


@pytest.fixture
def axes():
    figure = Figure(figsize=(8.0, 3.0))
    FigureCanvasAgg(figure)
    return figure.subplots()


def test_panels_have_the_margins_and_gaps_that_were_asked_for():
    figure = Figure(figsize=(9.0, 6.0))
    panels = figure.subplots(2, 3)
    place(figure, left_in=0.7, right_in=0.2, top_in=0.3, bottom_in=0.5, between_in=(0.6, 0.4),
          grid=(3, 2))  # fmt: skip
    size = np.array([9.0, 6.0])
    first, beside, below = (panels[at].get_position() for at in ((0, 0), (0, 1), (1, 0)))
    last = panels[1, 2].get_position()
    np.testing.assert_allclose(np.array([first.x0, last.y0]) * size, [0.7, 0.5])
    np.testing.assert_allclose(size - np.array([last.x1, first.y1]) * size, [0.2, 0.3])
    assert (beside.x0 - first.x1) * 9.0 == pytest.approx(0.6)
    assert (first.y0 - below.y1) * 6.0 == pytest.approx(0.4)


def test_the_time_axis_is_from_the_first_row_to_the_last():
    assert span_s(view()) == (2.0, 12.0)
    assert span_s(view(TIMES[:1])) == (1.5, 2.5)
    assert span_s(view(TIMES[:0])) == (0.0, 1.0)


def test_phases_lie_under_the_axis_and_in_a_strip_above_it_unless_that_is_left_out(axes):
    time_axes(axes, view())
    assert axes.get_xlim() == (2.0, 12.0)
    under, above = axes.collections
    ends = [(path.vertices.min(axis=0), path.vertices.max(axis=0)) for path in under.get_paths()]
    assert [(low[0], high[0]) for low, high in ends] == [(2.0, 2.5), (2.5, 4.0), (4.0, 12.0)]
    assert all(low[1] == 0.0 and high[1] == 1.0 for low, high in ends)
    assert all(path.vertices[:, 1].min() > 1.0 for path in above.get_paths())
    assert [text.get_text() for text in axes.texts] == ["HOMING", "ENGAGED"]


def test_without_a_strip_nothing_is_above_the_axis(axes):
    time_axes(axes, view(), strip=False)
    assert len(axes.collections) == 1
    assert not axes.texts


@pytest.mark.parametrize("last_s", [4.2, 6.0, 12.0])
def test_how_long_a_phase_was_is_written_inside_the_picture(monkeypatch, last_s):
    """Beside its bar if there is room, else before it or in it."""
    figures = watch_figures(monkeypatch)
    phases = (*PHASES[:2], Phase("ENGAGED", 2, 4, 4.0, last_s))
    assert timeline(view(np.array([2.0, last_s]), phases)) is not None
    ((figure, faults),) = figures
    assert not faults
    (axes,) = figure.axes
    labels = [text for text in axes.texts if text.get_text().endswith(" s")]
    assert [text.get_text() for text in labels] == ["0.50 s", "1.50 s", f"{last_s - 4.0:.2f} s"]
    for text in labels:
        box = text.get_window_extent()
        assert axes.bbox.x0 - 1.0 <= box.x0 < box.x1 <= axes.bbox.x1 + 1.0, text.get_text()


def test_a_soft_limit_is_a_thin_dashed_line_and_a_hard_one_a_thicker_whole_one(axes):
    limit_line(axes, 1.0, soft=True)
    limit_line(axes, 2.0, soft=False, label="end")
    soft, hard = axes.lines
    assert (soft.is_dashed(), hard.is_dashed()) == (True, False)
    assert 0.5 < soft.get_linewidth() < hard.get_linewidth() < 2.0
    assert hard.get_label() == "end"


def test_a_grid_lies_behind_what_is_drawn_and_memory_is_given_back(monkeypatch):
    figures, given = watch_figures(monkeypatch), []
    monkeypatch.setattr(style.ctypes, "CDLL", lambda _: SimpleNamespace(malloc_trim=given.append))
    monkeypatch.setattr(style.sys, "platform", "linux")
    assert draw_png(2.0, lambda figure: figure.subplots().plot([0.0, 1.0]))
    assert figures[0][0].axes[0].get_axisbelow() is True
    assert given == [0]


def test_a_run_without_rows_lasted_for_nothing():
    recording = SimpleNamespace(cycles=0, dropped=0)
    rows, _ = common_figures(SimpleNamespace(recording=recording, times=np.zeros(0)))
    assert rows.value == "0 over 0.00 s"


@pytest.mark.parametrize("level", list(Level))
def test_an_error_and_what_is_worse_is_grave(level):
    event = EventRecord(1.0, 500, EventKind.NOTE, level, "loop", "oh")
    assert _event(event, 1.0)["grave"] is (level.name in ("ERROR", "FATAL"))


def test_values_at_places_are_those_of_the_pieces_that_have_them():
    """Pieces begin with rows of the one before; each place is taken from its own."""
    whole = 10.0 * np.arange(9)
    bounds = ((0, 0, 4), (4, 1, 7), (7, 2, 9))  # first own row, rows before it, end
    parts = [
        RunPiece(SimpleNamespace(times=whole[first - before : end]), first, before)
        for first, before, end in bounds
    ]
    run = SimpleNamespace(pieces=lambda: iter(parts))
    places = np.array([1, 3, 4, 6, 7, 8])
    found = values_at(run, lambda part: part.times, places)
    np.testing.assert_array_equal(found.ravel(), whole[places])
