"""Map and proof by a process of its own: the values of `make_map`, and what is damaged is said."""

import json
import subprocess
import sys
import tomllib

import numpy as np
import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from workspace_samples import HOLDS, PAPER, paper, small_map

from hil.config.toml_text import toml_of
from hil.machines.rig.machine import load_rig
from hil.panel.scenarios.models import workspace_run
from hil.panel.scenarios.models.workspace_run import (
    LINE_MAX,
    REPORTS_AT_ONCE,
    WorkspaceParts,
    WorkspaceRun,
)
from hil.run.workspace import MOST_CELLS, WorkspaceMap, WorkspaceProof
from hil.stations.platform.proof.workspace_request import (
    PLACES,
    MapRequest,
    ProofRequest,
    make_map,
    make_proof,
    quantity_names,
)
from hil.stations.platform.proof.workspace_words import map_lines, proof_lines
from platform6dof.workspace.box_search import Budget

STILL = np.zeros(6)
BOTH = WorkspaceParts("", map=True, proof=True)
CELLS = 9


def results(run):
    """What a run reports until it has ended."""
    run._child._process.wait(120)
    found = {}
    while not run.done:
        news = run.poll()
        for name in ("quantities", "map", "proof"):
            if getattr(news, name) is not None:
                found[name] = getattr(news, name)
    run.end()
    return found


@pytest.fixture
def few_cells(monkeypatch):
    monkeypatch.setattr(workspace_run, "POINTS", CELLS)


def lower_table():
    """A rig as somebody has edited it: lower, with a smaller box, so that it holds."""
    table = paper()
    table["pose_box"] |= {
        "x_m": [-0.05, 0.05], "y_m": [-0.05, 0.02], "z_m": [0.9, 0.96],
        "alpha_deg": [-3.0, 3.0], "beta_deg": [-2.0, 3.0], "gamma_deg": [-3.0, 1.0],
    }  # fmt: skip
    table["neutral"]["z_m"] = 0.91
    return table


def test_a_map_is_that_of_the_file_as_it_would_be_saved(few_cells, tmp_path):
    table = lower_table()
    run = WorkspaceRun(tmp_path / "edited.toml", table, BOTH)
    found = results(run)
    saved = tmp_path / "saved.toml"
    saved.write_text(toml_of(table))
    rig = load_rig(saved)
    neutral, box = rig.neutral.coordinates(), rig.pose_box.box()
    wanted = make_map(MapRequest(rig, PLACES, neutral, "travel", CELLS, STILL))
    proof = make_proof(ProofRequest(rig, box, 1.0, STILL, Budget(), largest=True))

    shown = found["map"]
    assert shown.lines == tuple(map_lines(wanted))
    assert (shown.least, shown.greatest) == (wanted.figures.least, wanted.figures.greatest)
    grid, cells = wanted.cells.grid, wanted.cells
    middle = np.floor((neutral[:3] - grid.lower) / grid.steps).astype(int)
    for one, (right, up, across) in zip(
        shown.slices, ((0, 2, 1), (1, 2, 0), (0, 1, 2)), strict=True
    ):
        assert one.ends == (grid.lower[right], grid.upper[right], grid.lower[up], grid.upper[up])
        assert one.box == (box.lower[right], box.upper[right], box.lower[up], box.upper[up])
        for i in range(CELLS):
            for k in range(CELLS):
                cell = [0, 0, 0]
                cell[right], cell[up], cell[across] = i, k, middle[across]
                at = tuple(cell)
                assert one.inside[k, i] == cells.inside[at]
                assert one.limits[k, i] == cells.limit[at]
                np.testing.assert_equal(one.values[k, i], cells.values[at])
        for mark in one.marks:
            column = int((mark.right - one.ends[0]) / (one.ends[1] - one.ends[0]) * CELLS)
            row = int((mark.up - one.ends[2]) / (one.ends[3] - one.ends[2]) * CELLS)
            assert one.limits[row, column] == mark.limit
    assert found["proof"].verdict == "holds"
    assert found["proof"].scale == proof.largest.scale
    assert found["proof"].lines == tuple(proof_lines(proof))
    assert found["quantities"] == tuple(name for name in quantity_names() if name != "speed")


def test_of_a_quantity_only_its_map_is_computed(few_cells):
    run = WorkspaceRun(PAPER, paper(), WorkspaceParts("sigma", map=True, proof=False))
    found = results(run)
    assert "proof" not in found
    assert found["map"].quantity == "sigma"
    assert found["map"].unit == ""
    rig = load_rig(PAPER)
    wanted = make_map(MapRequest(rig, PLACES, rig.neutral.coordinates(), "sigma", CELLS, STILL))
    assert found["map"].least == wanted.figures.least


def test_what_is_refused_says_why_and_the_rest_is_computed(few_cells):
    table = paper()
    table["neutral"]["alpha_deg"] = 170.0
    found = results(WorkspaceRun(PAPER, table, BOTH))
    assert "no place of the map is inside all limits" in found["map"]
    assert found["proof"].verdict == "violated"
    unknown = WorkspaceParts("beauty", map=True, proof=False)
    assert "'beauty' is unknown" in results(WorkspaceRun(PAPER, paper(), unknown))["map"]


def test_a_table_that_is_no_rig_has_no_workspace(tmp_path):
    table = tomllib.loads("[motion]\nkind = 'hold'\n")
    found = results(WorkspaceRun(tmp_path / "x.toml", table, BOTH))
    assert found == {"map": "no station has maps of it", "proof": found["proof"]}
    assert found["proof"]


def test_a_computation_that_is_ended_leaves_no_process():
    run = WorkspaceRun(PAPER, paper(), BOTH)
    process = run._child._process
    assert process.poll() is None
    run.end()
    assert process.poll() is not None


class Reports:
    """A process that has said what the test says."""

    def __init__(self, output, status=None):
        self.output, self.status, self.asked = output, status, []

    def read_output(self, start=0):
        self.asked.append(start)
        return self.output[start:]

    def why(self):
        return "signal 9 (SIGKILL)"

    def end(self):
        pass


def run_of(monkeypatch, output, status=None, parts=BOTH):
    child = Reports(output, status)
    monkeypatch.setattr(workspace_run, "Child", lambda *_, **__: child)
    return WorkspaceRun(PAPER, {}, parts), child


def line(**what):
    return orjson.dumps(what) + b"\n"


def test_one_poll_reads_a_bounded_part(monkeypatch):
    shares = b"".join(line(share=k / 1000) for k in range(1000))
    run, _ = run_of(monkeypatch, shares)
    for turn in range(1, 4):
        run.poll()
        assert run.share == (turn * REPORTS_AT_ONCE - 1) / 1000


def test_half_a_report_waits_for_its_other_half(monkeypatch):
    whole = line(map=json.loads(small_map().to_json()))
    run, child = run_of(monkeypatch, whole[:100])
    assert run.poll().map is None
    child.output = whole
    assert run.poll().map.lines == small_map().lines
    assert not run.done
    child.output += line(begun="proof")
    run.poll()
    assert run.proving
    child.output += line(proof=json.loads(HOLDS.to_json()))
    assert run.poll().proof == HOLDS
    assert run.done


def test_a_process_that_dies_says_so_of_what_is_missing(monkeypatch):
    run, _ = run_of(monkeypatch, line(map=json.loads(small_map().to_json())), status=-9)
    assert run.poll().map.lines == small_map().lines
    news = run.poll()
    assert (news.map, news.proof) == (None, "signal 9 (SIGKILL)")
    assert run.done


def test_a_report_without_an_end_is_given_up(monkeypatch):
    run, _ = run_of(monkeypatch, b"x" * (LINE_MAX + 1))
    assert run.poll().proof == "a report of it is too long"
    assert run.done


def damaged(**changed):
    raw = json.loads(small_map().to_json())
    raw["slices"][1] |= changed
    return raw


@pytest.mark.parametrize(
    "raw",
    [
        None, [], {}, damaged(values=[[1.0, 2.0, 3.0]]), damaged(values=[[1.0], [2.0, 3.0]]),
        damaged(values="x"), damaged(limits=[[0, 1, 2], [0, 0, 0]]), damaged(ends=[0, 1, 2]),
        damaged(limits=[[0, 1, -1], [0, 0, 0]]), damaged(ends=[1.0, 0.0, 0.0, 1.0]),
        damaged(ends=[0.0, 1.0, 0.0, None]), damaged(title=7), damaged(marks=[[0.0, 0.0, 2]]),
        damaged(values=[[0.0] * (MOST_CELLS + 1)]), damaged(box=[0.0, 1.0, True, 2.0]),
        damaged(limits=[[300, 1, 1], [0, 0, 0]]), damaged(values=[[{}, 1, 1], [0, 0, 0]]),
        json.loads(small_map().to_json()) | {"worst": "middle"},
        json.loads(small_map().to_json()) | {"lines": ["x"] * 65},
        json.loads(small_map().to_json()) | {"limits": [["a", "red"], ["b", "#00GG00"]]},
        json.loads(small_map().to_json()) | {"slices": [damaged()["slices"][0]] * 65},
    ],
)  # fmt: skip
def test_a_damaged_map_is_refused_and_said(monkeypatch, raw):
    run, _ = run_of(monkeypatch, line(map=raw))
    assert run.poll().map.startswith("a report of it cannot be read: ")
    assert run.done


@given(
    output=st.one_of(st.binary(max_size=60), st.from_regex(rb'\{"(map|proof|share)":.{0,9}\}\n'))
)
@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_output_raises(output, monkeypatch):
    run, _ = run_of(monkeypatch, output, status=1)
    for _ in range(20):
        run.poll()
    assert run.done
    assert 0.0 <= run.share <= 1.0


def test_what_is_written_is_read_back():
    for proof in (HOLDS, WorkspaceProof("undecided", None, ())):
        assert WorkspaceProof.from_mapping(json.loads(proof.to_json())) == proof
    found = WorkspaceMap.from_mapping(json.loads(small_map(least=np.nan).to_json()))
    assert np.isnan(found.least)
    assert found.slices[0].values.shape == (2, 3)
    assert np.isnan(found.slices[0].values[0, 0])
    assert found.slices[0].marks == small_map().slices[0].marks


def test_who_reads_the_reports_computes_nothing():
    """The window's process polls and draws; it has neither the kernels nor who calls them."""
    code = (
        "import sys\n"
        "from hil.panel.scenarios.models import workspace_picture, workspace_work\n"
        "from hil.run.registry import workspace_maker\n"
        "from hil.machines.kinds import RIG\n"
        "assert workspace_maker(RIG) is not None\n"
        "computing = ('numba', 'scipy', 'matplotlib', 'platform6dof.kernels', 'PySide6',\n"
        "             'platform6dof.workspace.pose_map', 'hil.stations.platform.proof',\n"
        "             'pyqtgraph')\n"
        "print([name for name in computing if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "[]\n"
