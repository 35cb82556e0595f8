"""What a picked scenario will look like, shown in space before anything runs."""

import math
import tomllib
from types import SimpleNamespace

import numpy as np
import orjson
import pytest
from alike import rounds_alike
from scipy.spatial.transform import Rotation

pytest.importorskip("PySide6.QtWidgets")

from hil.config.file_search import configs_dir
from hil.panel.scenarios.models.catalogue import entry_of
from hil.panel.scenarios.models.scenario_work import ScenarioWork
from hil.panel.scene.dock_scene import SceneDock
from hil.panel.shell.models.start_view import StartView
from hil.panel.widgets.theme import LIGHT
from hil.recording.header import RunHeader
from hil.run.preview import Preview
from hil.run.registry import stations
from hil.stations.platform.scene.preview import preview
from hil.stations.platform.scene.shape import RigShape
from hil.stations.platform.signals import SIGNALS

DEMO = configs_dir() / "scenarios" / "demo.toml"
ARM = configs_dir() / "scenarios" / "bkm_on_rm01.toml"
AT = SIGNALS.places
AXES = ("x", "y", "z", "alpha", "beta", "gamma")


@pytest.fixture(scope="module")
def demo():
    """Of the shipped demo."""
    return preview(DEMO)


def test_the_motion_is_that_of_the_file(demo):
    """Judge: the sum of sines written out from the file's own numbers."""
    motion = tomllib.loads(DEMO.read_text())["motion"]
    t_s = demo.rows[:, AT["t_s"]][:, 0] - motion["fade_s"]
    inside = (t_s > 0.0) & (t_s < motion["duration_s"])
    wanted = np.zeros((inside.sum(), 6))
    wanted[:, 2] = 0.935  # neutral, in the rig's file
    for term in motion["terms"]:
        size = term.get("amplitude_m", math.radians(term.get("amplitude_deg", 0.0)))
        phase = math.radians(term.get("phase_deg", 0.0))
        turn = 2.0 * math.pi * term["frequency_hz"] * t_s[inside] + phase
        wanted[:, AXES.index(term["axis"])] += size * np.sin(turn)
    shown = demo.rows[inside, AT["reached_pose"]]
    assert len(shown) > 800
    assert np.abs(shown - wanted).max() < 1e-12
    assert demo.words == "demo, 34.0 s on paper"


def test_its_legs_are_as_long_as_the_pose_wants_them(demo):
    """Judge: two points in space, turned by SciPy, and the distance between them."""
    shape = RigShape.from_table(demo.header.scenario["rig"])
    for row in demo.rows[::97]:
        pose = row[AT["reached_pose"]]
        turned = Rotation.from_euler("ZYX", pose[3:]).apply(shape.platform_joints_m)
        apart = np.linalg.norm(pose[:3] + turned - shape.base_joints_m, axis=1)
        assert row[AT["measured_length_m"]] == pytest.approx(apart, abs=1e-9)


def test_it_comes_through_the_wire_as_it_is(demo):
    again = Preview.from_mapping(orjson.loads(demo.to_json()))
    assert again.words == demo.words
    assert np.array_equal(again.rows, demo.rows, equal_nan=True)
    assert again.header.to_json() == demo.header.to_json()


def test_a_long_motion_is_shown_for_a_minute(tmp_path):
    file = tmp_path / "long.toml"
    file.write_text('name = "long"\nrig = "paper"\n[motion]\nkind = "hold"\nduration_s = 3600.0\n')
    told = preview(file)
    assert told.rows[-1, AT["t_s"]] == pytest.approx(60.0, abs=0.02)
    assert told.words == "first 60 s of long, 3600.0 s on paper"


# --- in the background ------------------------------------------------------------------------


@pytest.fixture
def work(tmp_path):
    made = ScenarioWork(lambda: 0.0, tmp_path)
    yield made
    made.close()


def news_of(work):
    """What the work tells when its child has ended."""
    work.preview._child._process.wait(60)
    (told,) = work.poll()
    return told


def test_what_has_no_picture_says_so(work, tmp_path):
    work.begin_preview(entry_of(ARM))
    assert news_of(work).preview == (
        "No picture of bkm_on_rm01: a arm scenario has no picture before it runs"
    )
    broken = tmp_path / "broken.toml"
    broken.write_text(DEMO.read_text().replace("../rigs/paper.toml", "paper").replace("0.23", "-1"))
    work.begin_preview(entry_of(broken))
    told = news_of(work).preview
    assert told.startswith("No picture of demo: ")
    assert "frequency_hz" in told
    assert "Traceback" not in told


@rounds_alike
def test_a_child_makes_it_and_only_the_last_one_picked_is_made(work, demo):
    work.begin_preview(entry_of(ARM))
    first = work.preview._child._process
    work.begin_preview(entry_of(DEMO))
    assert first.poll() is not None, "nobody waits for it"
    told = news_of(work).preview
    assert np.array_equal(told.rows, demo.rows, equal_nan=True)
    assert work.preview is None


# --- in space ---------------------------------------------------------------------------------


class Dock:
    """The picture of a window, with a clock that a test sets."""

    def __init__(self):
        self.now_s = 0.0
        self.dock = SceneDock(LIGHT, lambda: self.now_s)
        self.dock.widget._problem = "none in this test"
        self.dock.widget.resize(400, 300)
        self.dock.widget.show()

    def height_m(self, at_s):
        """Where the plate is drawn."""
        self.now_s = at_s
        self.dock.refresh()
        (pane,) = self.dock.widget.panes
        return pane.scene.figure(at_s).transforms[1][2, 3]


@pytest.fixture
def dock(app):
    made = Dock()
    yield made
    made.dock.widget.close()


def test_it_is_played_once_in_its_own_time_and_then_stands(dock, demo):
    dock.now_s = 100.0
    dock.dock.preview(demo)
    heights = demo.rows[:, AT["reached_pose"]][:, 2]
    for t_s in (0.02, 7.0, 21.5):
        assert dock.height_m(100.0 + t_s) == heights[int(t_s * 30.0)]
    assert dock.height_m(160.0) == dock.height_m(1000.0) == heights[-1]
    assert "Preview; nothing runs: demo" in dock.dock.widget.panes[0]._heading.text()


def test_a_run_takes_its_place_and_keeps_it(dock, demo):
    dock.dock.preview(demo)
    header = RunHeader(SIGNALS, scenario=demo.header.scenario)
    dock.dock.set_session(SimpleNamespace(facts=SimpleNamespace(header=header)))
    assert "Nothing runs" not in dock.dock.widget.panes[0]._heading.text()
    dock.dock.preview(demo)
    dock.dock.preview("No picture of x: y")
    assert "Nothing runs" not in dock.dock.widget.panes[0]._heading.text()
    assert dock.height_m(5.0) != demo.rows[150, AT["reached_pose"]][2], "no row of the preview"


def test_words_stand_in_its_place(dock, demo):
    dock.dock.say("The machine")
    dock.dock.preview(demo)
    dock.dock.preview("No picture of x: y")
    assert dock.dock.widget.panes == ()
    assert dock.dock.widget._empty.text() == "No picture of x: y"
    dock.dock.set_session(None)
    assert dock.dock.widget._empty.text() == "The machine"


def test_the_first_window_offers_the_demo_with_its_picture(still_window):
    """Neither a bench nor a recording was named, and none runs."""
    window = still_window
    window.open(StartView("scenarios", DEMO))
    scenarios = window.views["scenarios"].widget
    assert scenarios._entry.path == DEMO
    assert all(scenarios.buttons[name].isEnabled() for name in ("check", "dry", "run"))
    assert "Dry run computes it" in scenarios._status_label.text()
    scenarios.work.preview._child._process.wait(60)
    window.turns.turn()
    heading = window.views["scene"].widget.panes[0]._heading.text()
    assert "demo, 34.0 s on paper" in heading
    assert "Dry run computes it" in scenarios._status_label.text(), (
        "the picture says nothing of its own"
    )


def test_beside_a_run_nothing_is_prepared(still_window, monkeypatch):
    scenarios = still_window.views["scenarios"]
    begun = []
    monkeypatch.setattr(scenarios.widget.work, "begin_preview", begun.append)
    scenarios.set_session(SimpleNamespace())
    scenarios.open_scenario(DEMO)
    assert begun == []
    scenarios.set_session(None)
    assert [one.path for one in begun] == [DEMO]


def test_a_station_without_a_picture_is_well(demo):
    assert {one.name: one.preview is not None for one in stations()} == {
        "arm": False,
        "world": False,
        "simulator": False,
        "platform": True,
        "task": False,
    }
