"""The workspace page as a person uses it: open, edit, choose a quantity; the window never waits."""

import os
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("PySide6")

from PySide6.QtCore import QPointF
from workspace_samples import HOLDS, PAPER, SlowRun, small_map, small_slice

from hil.config.file_search import configs_dir
from hil.machines.rig.machine import load_rig
from hil.panel.scenarios.models import workspace_run
from hil.panel.scenarios.models.workspace_run import WorkspaceNews
from hil.panel.scenarios.scenarios_view import ScenariosView
from hil.panel.scenarios.workspace_plots import WorkspacePlots, scale_colours, scale_picture
from hil.panel.widgets.theme import DARK, LIGHT
from hil.run.workspace import WorkspaceProof
from hil.stations.platform.proof.workspace_request import PLACES, MapRequest, make_map
from hil.stations.platform.proof.workspace_words import map_lines

CELLS = 8
CHILD_S = 120.0


@pytest.fixture
def view(app, tmp_path, monkeypatch):
    monkeypatch.setattr(workspace_run, "POINTS", CELLS)
    made = ScenariosView(lambda: made.passed_s, tmp_path / "runs", (tmp_path,))
    made.passed_s = 0.0
    made.want_previews(True)
    made.resize(460, 800)
    made.show()
    yield made
    made.close_all()
    made.deleteLater()


@pytest.fixture
def slow(view):
    """Computations of the page that report what the test says."""
    begun = []

    def begin(path, table, parts):
        begun.append(SlowRun(path, table, parts))
        return begun[-1]

    view.workspace.work._begin = begin
    return begun


def judge(view, pump):
    """Let the form be checked as when typing rests."""
    view.form.checker.idle.timeout.emit()
    view.form.checker.pool.waitForDone()
    pump(lambda: view.form.model.judged == view.form.model.revision)


def open_page(view, pump, file=PAPER):
    view.open_scenario(file)
    judge(view, pump)
    view.form.pages.setCurrentWidget(view.workspace)


def computed(view):
    """Let the page's process end, then let the page look at it turn by turn."""
    view.workspace.work._run._child._process.wait(CHILD_S)
    while view.workspace.work.busy:
        view.refresh()


def test_the_map_of_an_edited_rig_is_that_of_the_file_as_saved(view, pump, tmp_path):
    open_page(view, pump)
    page = view.workspace
    assert page.work.busy
    computed(view)
    assert "The pose box is violated" in page.verdict.text()
    assert "0.8600" in page.verdict.text()
    assert view.form.pages.tabText(view.form.pages.indexOf(page)) == "workspace ✖"
    before = page.map_words.text()
    view.form._edit(("neutral", "alpha_deg"), "5", None)
    assert page.old.isVisible()
    assert page.plots.plots[0]._image.opacity() < 0.5
    judge(view, pump)
    computed(view)
    assert not page.old.isVisible()
    assert page.plots.plots[0]._image.opacity() == 1.0
    assert view.save(tmp_path / "turned.toml")
    rig = load_rig(tmp_path / "turned.toml")
    neutral = rig.neutral.coordinates()
    wanted = make_map(MapRequest(rig, PLACES, neutral, "travel", CELLS, np.zeros(6)))
    judge(view, pump)
    computed(view)
    assert page.map_words.text() == "\n".join(map_lines(wanted)) != before


def test_a_scenario_and_a_drive_have_no_such_page_and_a_rig_has(view, pump):
    tabs = view.form.pages
    for folder, name, there in (
        ("scenarios", "demo", False), ("rigs", "paper", True), ("drives", "ec60_40", False),
        ("rigs", "training_simulator", True), ("world/robots", "robot_a", False),
    ):  # fmt: skip
        file = configs_dir() / folder / f"{name}.toml"
        if not file.exists():
            file = sorted((configs_dir() / folder).glob("*.toml"))[0]
        view.open_scenario(file)
        assert (tabs.indexOf(view.workspace) >= 0) == there, file
        assert tabs.tabBar().isVisible() == (tabs.count() > 1)


def test_faults_of_the_form_are_shown_and_the_picture_is_marked(view, pump, slow):
    open_page(view, pump)
    page = view.workspace
    slow[-1].news.append(WorkspaceNews(("travel", "sigma"), small_map(), HOLDS))
    view.refresh()
    assert page.verdict.text()
    assert not page.state.isVisible()
    view.form._edit(("neutral", "z_m"), "high", None)
    judge(view, pump)
    assert len(slow) == 1
    assert "put right what is marked" in page.state.text()
    assert "neutral.z_m" in page.state.text()
    assert page.old.isVisible()
    assert not page.map_words.isEnabled()
    assert not page.proof_words.isEnabled()


def test_while_it_computes_it_says_what_is_waited_for(view, pump, slow):
    open_page(view, pump)
    page = view.workspace
    assert page.progress.isVisible()
    assert not page.state.isVisible()
    view.passed_s, slow[-1].share = 2.5, 0.25
    view.refresh()
    assert "Waiting for the map" in page.state.text()
    assert page.progress.value() == 250
    slow[-1].news.append(WorkspaceNews(("travel", "sigma"), small_map()))
    slow[-1].proving = True
    view.refresh()
    assert "Waiting for the proof" in page.state.text()
    assert page.progress.maximum() == 0, "nobody knows how far a proof is"
    assert page.plots.isVisible()
    slow[-1].news.append(WorkspaceNews(proof=WorkspaceProof("undecided", None, ("u",))))
    view.refresh()
    assert not page.progress.isVisible()
    assert not page.state.isVisible()
    assert "undecided" in page.verdict.text()


def test_a_refused_map_says_why_and_draws_none(view, pump, slow):
    open_page(view, pump)
    page = view.workspace
    slow[-1].news.append(WorkspaceNews(("travel",), "nothing is inside", "the box is <far>"))
    view.refresh()
    assert page.title.text() == "No map: nothing is inside"
    assert page.proof_words.text() == "No proof: the box is <far>"
    assert not page.plots.isVisible()


def test_the_quantities_are_those_that_the_computation_has(view, pump, slow):
    open_page(view, pump)
    page = view.workspace
    assert not page.chooser.isEnabled()
    slow[-1].news.append(WorkspaceNews(("travel", "sigma", "force"), small_map(), HOLDS))
    view.refresh()
    assert [page.chooser.itemText(k) for k in range(3)] == ["travel", "sigma", "force"]
    page.chooser.activated.emit(2)
    assert (slow[-1].parts.quantity, slow[-1].parts.proof) == ("force", False)
    assert page.chooser.currentText() == "force"


def test_a_run_ends_the_computation(view, pump, slow):
    open_page(view, pump)
    view.want_previews(False)
    assert slow[-1].ended == 1
    assert "beside a run" in view.workspace.state.text()
    view.want_previews(True)
    assert len(slow) == 2


def test_another_page_goes_on_and_has_its_buttons(view, pump, slow):
    open_page(view, pump)
    form = view.form
    assert not form._about.isVisible()
    assert not any(form.buttons[name].isEnabled() for name in ("add", "remove", "up", "down"))
    form.pages.setCurrentWidget(form.tree)
    assert form._about.isVisible()
    form._edit(("neutral", "z_m"), "0.9", None)
    judge(view, pump)
    assert slow[-1].table["neutral"]["z_m"] == 0.9, "it follows while another page is shown"
    view.open_scenario(configs_dir() / "rigs" / "training_simulator.toml")
    judge(view, pump)
    assert slow[-1].ended == 1
    assert not view.workspace.work.busy, "of another file only once its page is opened"


def test_pictures_go_where_there_is_space(app):
    plots = WorkspacePlots(LIGHT, lambda words: None)
    plots.show_map(small_map(), old=False)
    em = plots.fontMetrics().height()
    for width, columns in ((60 * em, 3), (26 * em, 2), (14 * em, 1), (60 * em, 3)):
        plots.resize(width, 900)
        plots._arrange()
        assert plots.columns == columns
        cells = {plots._grid.getItemPosition(plots._grid.indexOf(one))[:2] for one in plots.plots}
        assert len(cells) == 6
    plots.deleteLater()


def test_each_cell_has_the_colour_of_its_value_or_of_its_limit(app):
    plots = WorkspacePlots(LIGHT, lambda words: None)
    found = small_map()
    plots.show_map(found, old=False)
    scale = scale_colours("least")
    values = plots.plots[0]._image.image
    assert values.shape == (2, 3, 4)
    assert values[0, 1].tolist() == scale[0].tolist()
    assert values[1, 1].tolist() == scale[255].tolist()
    assert values[0, 0].tolist() == [0xC3, 0xCA, 0xD3, 255], "no value"
    limits = plots.plots[3]._image.image
    assert limits[0, 0].tolist() == [0xD5, 0x5E, 0x00, 255], "outside in full"
    assert (limits[1, 1] > limits[0, 0]).tolist()[1:3] == [True, True], "inside pale"
    assert [one.toPlainText() for one in plots.plots[3]._marks] == ["2"]
    assert not plots.plots[0]._marks
    plots.set_theme(DARK)
    assert plots.plots[0]._image.image[0, 0].tolist() == [0x3A, 0x43, 0x4F, 255]
    assert (scale_colours("greatest") == scale[::-1]).all()
    assert scale_picture("least").pixelColor(0, 0).getRgb() == tuple(scale[0])
    plots.deleteLater()


def test_the_box_is_outlined_where_it_is(app):
    plots = WorkspacePlots(LIGHT, lambda words: None)
    plots.show_map(small_map(), old=False)
    x, y = plots.plots[0]._box.getData()
    assert (min(x), max(x), min(y), max(y)) == (-0.1, 0.1, 0.9, 1.1)
    none = small_map(slices=(small_slice(box=None),) * 3)
    plots.show_map(none, old=False)
    assert plots.plots[0]._box.getData()[0] is None or len(plots.plots[0]._box.getData()[0]) == 0
    plots.deleteLater()


def test_the_mouse_reads_a_cell(app):
    said = []
    plots = WorkspacePlots(LIGHT, said.append)
    plots.resize(800, 700)
    plots.show_map(small_map(), old=False)
    plots.show()
    app.processEvents()
    one = plots.plots[0]
    at = one._item.getViewBox().mapViewToScene(QPointF(0.0, 1.1))
    one._moved(at)
    assert said[-1].endswith("400 mm; binds next: leg too long")
    plots.deleteLater()


def test_the_window_is_never_held_up_and_computes_nothing(tmp_path):
    """A whole computation beside turns of the window: each is short, and no kernel is loaded."""
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from PySide6.QtWidgets import QApplication\n"
        "from hil.panel.scenarios.models import workspace_run\n"
        "from workspace_samples import paper_model, PAPER\n"
        "from hil.panel.scenarios.workspace_view import WorkspacePage\n"
        "from hil.panel.widgets.theme import LIGHT\n"
        "from hil.timing.realtime import RealClock\n"
        "workspace_run.POINTS = 8\n"
        "app, now_s = QApplication([]), RealClock().now_s\n"
        "page = WorkspacePage(now_s, LIGHT)\n"
        "page.set_model(paper_model(), PAPER)\n"
        "page.show()\n"
        "assert page.work.busy\n"
        "turns, end_s = 0, now_s() + 120.0\n"
        "while page.work.busy and now_s() < end_s:\n"
        "    page.refresh()\n"
        "    app.processEvents()\n"
        "    app.thread().msleep(2)\n"
        "    turns += 1\n"
        "assert page.map_words.text() and page.verdict.text()\n"
        "computing = ('hil.stations.platform.proof.workspace_request', 'matplotlib',\n"
        "             'platform6dof.kernels.pose_map', 'platform6dof.kernels.pose_proof')\n"
        "print(turns > 20, [name for name in computing if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=200,
        env={**os.environ, "PYTHONPATH": os.path.dirname(__file__),
             "QT_QPA_PLATFORM": "offscreen"},
    )  # fmt: skip
    assert done.stdout == "True []\n", done.stderr
