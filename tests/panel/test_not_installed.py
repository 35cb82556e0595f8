"""A recording of a station that is not installed here: its header tells all that is shown."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("PySide6.QtWidgets")

from row_samples import add_row
from typer.testing import CliRunner

from hil.cli.main import app as program
from hil.panel.scene.models.build import SceneError, scenes_of
from hil.panel.scope.models.channels import channel_named
from hil.panel.scope.models.scope import ScopeModel
from hil.panel.study.models.compare import comparable
from hil.panel.study.models.compare_align import Align
from hil.panel.study.models.compare_work import compare, read_run
from hil.panel.study.models.compared_run import ComparedRun
from hil.panel.study.models.replay import FileFeed
from hil.panel.study.session import ReplaySession
from hil.panel.widgets.background import Watch
from hil.recording.events import EventKind, EventRecord, Level
from hil.recording.header import RECORDING_NAME, RunHeader
from hil.recording.signals import CODE, Signal, Signals
from hil.recording.writer import RecordingWriter

SIGNALS = Signals(
    "submarine",
    (
        Signal("index", "u8"), Signal("t_s", "f8", unit="s"),
        Signal("mode", "u1", unit=CODE, codes=("docked", "diving")),
        Signal("depth_m", "f8", unit="m"),
    ),
)  # fmt: skip
ROWS = 500


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    path = tmp_path_factory.mktemp("dive") / RECORDING_NAME
    writer = RecordingWriter(path, RunHeader(SIGNALS, {"scenario": "dive"}), min_free_bytes=0)
    for row in range(ROWS):
        depth_m = float(np.sin(0.02 * row))
        values = {"index": row, "t_s": row * 0.01, "mode": row > 100, "depth_m": depth_m}
        add_row(writer, SIGNALS.row(**values), row)
    told = {"mode": "diving"}
    event = EventRecord(1.0, 101, EventKind.MODE, Level.INFO, "gate", "docked → diving", told)
    writer.add_event(event.to_bytes(), ROWS)
    fault = {"check": "leak", "value": 2.0, "limit": 1.0, "unit": "l"}
    event = EventRecord(2.0, 200, EventKind.VIOLATION, Level.ERROR, "gate", "a leak", fault)
    writer.add_event(event.to_bytes(), ROWS + 1)
    writer.finish({"dropped": "0", "lost": "0"})
    return path


def said(*arguments):
    result = CliRunner().invoke(program, [str(one) for one in arguments])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_it_is_exported(recording, tmp_path):
    told = said("export", recording, "--out", tmp_path, "--json")
    rows = list(csv.DictReader(Path(told["csv"]).read_text("utf-8").splitlines()))
    assert len(rows) == ROWS
    assert float(rows[7]["depth_m"]) == np.sin(0.02 * 7)


def test_its_scene_names_what_is_missing(recording):
    header = FileFeed.open(recording, lambda: 0.0).facts.header
    with pytest.raises(SceneError, match="'submarine' is not installed here; install"):
        scenes_of(header)


def test_its_signals_are_there_for_the_scope(recording):
    model = ScopeModel(FileFeed.open(recording, lambda: 0.0).facts)
    model.show("depth_m")
    assert [trace.name for trace in model.traces] == ["depth_m"]


def test_it_is_compared(recording):
    watch = Watch()
    run = read_run(recording, watch)
    shifted = ComparedRun(run.facts, run.rows.copy())
    shifted.rows[:, 3] += 0.25
    channels = comparable(run.facts, shifted.facts)
    shown = channel_named(channels, "depth_m")
    found = compare((run, shifted), channels, shown, Align.NONE, watch)
    depth = next(one for one in found.rows if one.channel == shown)
    assert depth.mean == pytest.approx(0.25)


def test_every_dock_of_a_window_shows_it_or_says_what_is_missing(still_window, recording):
    window = still_window
    window._take_on(ReplaySession(FileFeed.open(recording, lambda: window.passed_s), window.now_s))
    for name in window.views:
        window.docks.show(name)
        assert window.views[name] is not None
    window.seek(4.9)
    for _ in range(10):
        window.passed_s += 0.05
        window.turns.turn()
    assert window.session.bench.mode == "diving"
    assert [lamp.name for lamp in window.session.bench.lamps] == ["docked", "diving"]
    margins, lateness = window.views["margins"].model, window.views["lateness"].model
    assert "'submarine' is not installed" in margins.problem
    assert "'submarine' is not installed" in lateness.problem
    (fault,) = window.views["faults"].model.entries
    assert (fault.cause, fault.value, fault.limit) == ("a leak", "2 l", "1 l")
