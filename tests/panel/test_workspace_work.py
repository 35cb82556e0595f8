"""State of the workspace page: what is computed, what is old, and what an edit ends."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from workspace_samples import HOLDS, PAPER, SlowRun, judged, paper_model, small_map

from hil.panel.scenarios.models.form_check import Problem
from hil.panel.scenarios.models.workspace_run import PROOF_S, WorkspaceNews
from hil.panel.scenarios.models.workspace_work import SILENT_S, WorkspaceWork

NAMES = ("travel", "sigma")


class Bench:
    """A page's state with computations that only report what the test says."""

    def __init__(self):
        self.now_s, self.runs = 0.0, []
        self.work = WorkspaceWork(lambda: self.now_s, self._begin)
        self.model = paper_model()
        self.work.set_model(self.model, PAPER)

    def _begin(self, path, table, parts):
        self.runs.append(SlowRun(path, table, parts))
        return self.runs[-1]

    @property
    def run(self):
        return self.runs[-1]

    def finish(self, **news):
        given = {"quantities": NAMES, "map": small_map(self.run.parts.quantity or NAMES[0])}
        if self.run.parts.proof:
            given["proof"] = HOLDS
        if not self.run.parts.map:
            del given["map"]
        self.run.news.append(WorkspaceNews(**{**given, **news}))
        assert self.work.poll()

    def edit(self, height, problems=()):
        self.model.put(("neutral", "z_m"), height)
        self.work.follow()
        judged(self.model, problems)
        self.work.follow()


@pytest.fixture
def bench():
    return Bench()


def test_nothing_is_computed_before_somebody_opens_the_page(bench):
    bench.work.follow()
    assert not bench.runs
    bench.work.want()
    assert (bench.run.path, bench.run.table) == (PAPER, bench.model.table)
    assert bench.run.parts.map
    assert bench.run.parts.proof


def test_a_new_edit_drops_the_old_computation(bench):
    bench.work.want()
    first = bench.run
    bench.model.put(("neutral", "z_m"), 0.9)
    bench.work.follow()
    assert first.ended == 1
    assert not bench.work.busy, "nothing is begun before the edit is checked"
    judged(bench.model)
    bench.work.follow()
    assert bench.run is not first
    assert bench.run.table["neutral"]["z_m"] == 0.9


def test_what_is_shown_is_old_until_its_successor_arrives(bench):
    bench.work.want()
    bench.finish()
    assert not bench.work.table_is_old
    bench.edit(0.9)
    assert bench.work.table_is_old
    assert bench.work.map_is_old
    assert bench.work.proof_is_old
    bench.run.news.append(WorkspaceNews(map=small_map()))
    assert bench.work.poll()
    assert not bench.work.map_is_old
    assert bench.work.table_is_old, "the proof is still that of the file before"
    bench.run.news.append(WorkspaceNews(proof=HOLDS))
    assert bench.work.poll()
    assert not bench.work.table_is_old
    assert not bench.work.busy
    assert bench.run.ended == 1


def test_what_arrives_just_after_an_edit_is_of_the_file_before(bench):
    bench.work.want()
    bench.model.put(("neutral", "z_m"), 0.9)
    bench.finish()
    assert bench.work.table_is_old
    assert bench.work.map_is_old


def test_a_file_with_faults_is_not_computed_and_the_old_picture_is_marked(bench):
    bench.work.want()
    bench.finish()
    fault = Problem(("neutral", "z_m"), "must be below the legs' reach")
    bench.edit(99.0, (fault,))
    assert not bench.work.busy
    assert bench.work.faults == 1
    assert bench.work.problems == ("neutral.z_m: must be below the legs' reach",)
    assert bench.work.table_is_old
    runs = len(bench.runs)
    bench.model.undo()
    judged(bench.model)
    bench.work.follow()
    assert len(bench.runs) == runs, "the table of the picture is back: nothing to compute"
    assert not bench.work.table_is_old


def test_another_file_keeps_nothing_of_the_one_before(bench):
    bench.work.want()
    bench.finish()
    bench.edit(0.9)
    run = bench.run
    bench.work.set_model(paper_model(), Path("other.toml"))
    assert run.ended == 1
    assert (bench.work.map, bench.work.proof) == (None, None)
    assert not bench.work.busy
    bench.work.want()
    assert bench.run.path == Path("other.toml")


def test_another_quantity_needs_another_map_and_no_proof(bench):
    bench.work.want()
    bench.finish()
    assert bench.work.quantity == "travel"
    bench.work.choose("travel")
    assert not bench.work.busy
    bench.work.choose("sigma")
    assert (bench.run.parts.quantity, bench.run.parts.map) == ("sigma", True)
    assert not bench.run.parts.proof
    assert bench.work.map_is_old
    assert not bench.work.table_is_old
    bench.finish()
    assert bench.work.map.quantity == "sigma"
    assert not bench.work.map_is_old


def test_another_quantity_during_a_proof_begins_both_anew(bench):
    bench.work.want()
    bench.run.news.append(WorkspaceNews(quantities=NAMES, map=small_map()))
    bench.work.poll()
    first = bench.run
    bench.work.choose("sigma")
    assert first.ended == 1
    assert bench.run.parts.map
    assert bench.run.parts.proof


def test_nothing_is_computed_beside_a_run(bench):
    bench.work.want()
    bench.work.allow(False)
    assert bench.run.ended == 1
    bench.edit(0.9)
    assert not bench.work.busy
    bench.work.allow(True)
    assert bench.work.busy
    assert bench.run.table is bench.model.table


def test_after_a_while_it_says_what_is_waited_for(bench):
    bench.work.want()
    bench.now_s = SILENT_S
    assert bench.work.waits_for == ""
    bench.now_s, bench.run.share = SILENT_S + 0.1, 0.37
    assert "map of the workspace: 37 %" in bench.work.waits_for
    assert bench.work.share == 0.37
    bench.run.news.append(WorkspaceNews(quantities=NAMES, map=small_map()))
    bench.work.poll()
    bench.run.proving, bench.now_s = True, 12.4
    assert f"pose box: 12 s; it ends after {PROOF_S:.0f} s" in bench.work.waits_for
    assert bench.work.share is None
    bench.run.news.append(WorkspaceNews(proof=HOLDS))
    bench.work.poll()
    assert bench.work.waits_for == ""


def test_a_map_that_is_refused_says_why_and_the_proof_still_comes(bench):
    bench.work.want()
    bench.finish(map="no place of the map is inside all limits")
    assert bench.work.map == "no place of the map is inside all limits"
    assert bench.work.proof is HOLDS
    assert not bench.work.busy
    bench.work.follow()
    assert len(bench.runs) == 1, "the same refusal is not asked for again"


def test_the_end_of_the_window_ends_what_goes_on(bench):
    bench.work.want()
    bench.work.close()
    assert bench.run.ended == 1
    bench.work.follow()
    assert not bench.work.busy


ACTS = st.lists(
    st.one_of(
        st.tuples(st.just("edit"), st.floats(0.8, 1.0)),
        st.tuples(st.just("fault"), st.floats(2.0, 3.0)),
        st.tuples(st.just("judge"), st.none()),
        st.tuples(st.just("undo"), st.none()),
        st.tuples(st.just("choose"), st.sampled_from(NAMES)),
        st.tuples(st.just("map"), st.none()),
        st.tuples(st.just("proof"), st.none()),
        st.tuples(st.just("allow"), st.booleans()),
    ),
    max_size=40,
)


@given(ACTS)
@settings(max_examples=200, deadline=None)
def test_whatever_happens_only_the_table_of_now_is_computed_or_called_new(acts):
    bench = Bench()
    work, model = bench.work, bench.model
    tables = {}
    work.want()
    for act, value in acts:
        match act:
            case "edit" | "fault":
                model.put(("neutral", "z_m"), value)
            case "judge":
                height = model.table["neutral"]["z_m"]
                judged(model, (Problem((), "too high"),) if height >= 2.0 else ())
            case "undo":
                model.undo()
            case "choose":
                work.choose(value)
            case "allow":
                work.allow(value)
            case _ if work.busy and getattr(bench.run.parts, act):
                name = bench.run.parts.quantity or NAMES[0]
                made = small_map(name, lines=(str(len(tables)),)) if act == "map" else HOLDS
                if act == "map":
                    tables[made.lines[0]] = bench.run.table
                bench.run.news.append(WorkspaceNews(quantities=NAMES, **{act: made}))
                work.poll()
        work.follow()
        going = [run for run in bench.runs if not run.ended]
        assert len(going) == work.busy
        assert all(run.table is model.table for run in going)
        assert all(run.ended <= 1 for run in bench.runs)
        if not work.map_is_old:
            assert tables[work.map.lines[0]] is model.table
            assert work.map.quantity == work.quantity
