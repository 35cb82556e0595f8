"""A long recording of a world is looked at in pieces, and gives what one look at the whole does."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from edited_robots import without_last
from edited_runs import timed

from hil.config.file_search import configs_dir
from hil.recording import row_arrays
from hil.recording.columns import Columns
from hil.recording.mcap_scan import Caps
from hil.recording.reader import Recording
from hil.report.page import write_report
from hil.stations.world.plan.scenario_reader import load_world_plan
from hil.stations.world.run import rerun
from hil.stations.world.run.session import run_world
from hil.stations.world.view import run_film
from hil.stations.world.view.recorded_world import RecordedWorld

SCENARIOS = configs_dir() / "scenarios"
IN_PIECES = Caps(kept=0, piece=60_000)
"""Some hundred rows each."""


@pytest.fixture
def files_only(monkeypatch):
    """Arrays of a value for each row are in files, too."""
    monkeypatch.setattr(row_arrays, "MOST_BYTES", 1000)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    def run(name: str, *changes: str) -> Path:
        folder = tmp_path_factory.mktemp("runs")
        plan = load_world_plan(SCENARIOS / f"{name}.toml", list(changes))
        return run_world(plan, folder).recorder.path

    return {
        "peg": run("peg"),
        "lone": run("straight_line", "settle_s=0.1"),
        "loops": run("joint_move", 'robot="four_bar"', "motion.goal=[{joint=1, by_deg=20.0}]"),
    }


def written(recording: Recording, folder: Path) -> dict[str, bytes]:
    write_report(recording, folder)
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


@pytest.fixture
def strict(monkeypatch):
    """No column of a recording that is looked at in pieces is read as a whole."""
    look = Columns.__getitem__

    def guarded(self, name):
        assert self.in_memory, f"{name} is read as a whole"
        return look(self, name)

    monkeypatch.setattr(Columns, "__getitem__", guarded)


@pytest.fixture
def small(coarse, monkeypatch):
    """Pictures of few dots: what the engine draws, too."""
    monkeypatch.setattr(run_film, "STILL", (160, 120))


@pytest.mark.parametrize("name", ["peg", "lone", "loops"])
@pytest.mark.usefixtures("files_only", "strict", "small")
def test_the_page_is_that_of_the_whole_bit_by_bit(made, name, tmp_path):
    whole, pieces = Recording.open(made[name]), Recording.open(made[name], IN_PIECES)
    assert sum(1 for _ in pieces.pieces()) > 5
    first, second = written(whole, tmp_path / "a"), written(pieces, tmp_path / "b")
    assert first.keys() == second.keys()
    assert [file for file in first if first[file] != second[file]] == []


@pytest.mark.usefixtures("strict")
def test_two_runs_are_compared_in_pieces(made):
    first, second = (Recording.open(made["peg"], IN_PIECES) for _ in range(2))
    with pytest.raises(AssertionError, match="as a whole"):
        first.column("t_s")
    assert list(rerun._differences(first, second)) == []


def test_coordinates_that_have_gone_stay_where_they_were_over_the_pieces(files_only, tmp_path):
    plan = load_world_plan(SCENARIOS / "joint_move.toml", ["settle_s=0.02"])
    plan = replace(plan, edits=timed((300, without_last(plan.robot))))
    path = run_world(plan, tmp_path).recorder.path
    whole = RecordedWorld.of(Recording.open(path))
    pieces = RecordedWorld.of(Recording.open(path, IN_PIECES))
    assert len(whole.times_s) > 600
    np.testing.assert_array_equal(pieces.positions, whole.positions)
    assert np.isfinite(whole.positions).all()
    np.testing.assert_array_equal(pieces.rows(25.0), whole.rows(25.0))


def test_a_second_run_that_differs_is_found_in_its_piece(made, tmp_path):
    """Of two runs that part company late, each signal is named with its first row that differs."""
    folders = [tmp_path / name for name in "ab"]
    plan = load_world_plan(SCENARIOS / "joint_move.toml", ["settle_s=0.02"])
    other = replace(plan, edits=timed((300, without_last(plan.robot))))
    paths = [
        run_world(one, at).recorder.path for one, at in zip((plan, other), folders, strict=True)
    ]
    whole = [Recording.open(path) for path in paths]
    found = {one.name: one.row for one in rerun._differences(*whole)}
    assert "t_s" not in found
    assert found["world_coordinates"] >= 300
    for caps in ((IN_PIECES, Caps()), (Caps(), IN_PIECES), (IN_PIECES, IN_PIECES)):
        pair = [Recording.open(path, one) for path, one in zip(paths, caps, strict=True)]
        assert {one.name: one.row for one in rerun._differences(*pair)} == found
    for name, row in found.items():
        first, second = (one.column(name)[: min(r.cycles for r in whole)] for one in whole)
        unlike = [a.tobytes() != b.tobytes() for a, b in zip(first, second, strict=True)]
        assert row == unlike.index(True)
