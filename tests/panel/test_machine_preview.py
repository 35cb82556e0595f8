"""A machine is shown in space while its file is edited, whenever nothing is wrong with it."""

import copy
import tomllib

import numpy as np
import pytest

pytest.importorskip("PySide6")
pytest.importorskip("mujoco")

from hil.config.file_search import configs_dir
from hil.panel.scenarios.models.catalogue import entry_of
from hil.panel.scenarios.models.scenario_work import ScenarioWork
from hil.panel.scenarios.scenarios_view import ScenariosView
from hil.run.preview import Preview

ROBOT_A = configs_dir() / "world" / "robots" / "robot_a.toml"
STARTS = [0.0, 0.3490658504, -0.3490658504, 0.5235987756, 1.0471975512, 0.0]
"""Of its six joints [rad], as its document has them."""


def coordinates(preview):
    (row,) = preview.rows
    return row[preview.header.signals.places["world_coordinates"]]


def shown(view):
    """What the child has made of the machine, once it has ended."""
    told = []
    view.previewed.connect(told.append)
    view.work.preview._child._process.wait(60)
    view.refresh()
    view.previewed.disconnect(told.append)
    (one,) = told
    return one


def judge(view, pump):
    """Let the form be checked as when typing rests."""
    view.form.checker.idle.timeout.emit()
    view.form.checker.pool.waitForDone()
    pump(lambda: view.form.model.judged == view.form.model.revision)


@pytest.fixture
def view(app, tmp_path):
    made = ScenariosView(lambda: 0.0, tmp_path / "runs", ())
    made.want_previews(True)
    yield made
    made.close_all()
    made.deleteLater()


def test_a_machine_is_shown_where_its_document_starts(tmp_path):
    work = ScenarioWork(lambda: 0.0, tmp_path)
    table = tomllib.loads(ROBOT_A.read_text())
    work.begin_preview(entry_of(ROBOT_A), table)
    work.preview._child._process.wait(60)
    (news,) = work.poll()
    assert coordinates(news.preview) == pytest.approx(STARTS, abs=1e-15)
    assert news.preview.words == "robot_a, 7 links, where it starts"
    assert tomllib.loads(news.preview.header.scenario["robot"])["link"][3]["name"] == "elbow"

    wrong = copy.deepcopy(table)
    wrong["link"][2]["size_m"] = [-0.06]
    work.begin_preview(entry_of(ROBOT_A), wrong)
    work.preview._child._process.wait(60)
    (news,) = work.poll()
    assert news.preview.startswith("No picture of robot_a: ")
    assert "link 2 size_m" in news.preview
    work.close()


def test_it_follows_what_is_typed_and_stays_while_something_is_wrong(view, pump):
    view.open_scenario(ROBOT_A)
    judge(view, pump)
    first = shown(view)
    assert isinstance(first, Preview)
    model = view.form.model
    view.form.type_in(("joint", 2, "start_rad"), "much")
    judge(view, pump)
    assert model.problems
    assert view.work.preview is None, "a machine with faults is not drawn"
    view.form.type_in(("joint", 2, "start_rad"), "1.25")
    judge(view, pump)
    found = coordinates(shown(view))
    assert found == pytest.approx([0.0, 1.25, *STARTS[2:]])
    assert not np.allclose(found, coordinates(first))
    view.form.changed.emit()
    assert view.work.preview is None, "what is shown is not made again"


def test_a_machine_without_a_picture_begins_no_work(view, pump):
    view.open_scenario(configs_dir() / "rigs" / "paper.toml")
    view.work.preview.end()
    view.work.preview = None
    judge(view, pump)
    view.form.changed.emit()
    assert view.work.preview is None
