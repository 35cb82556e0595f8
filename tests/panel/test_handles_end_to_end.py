"""A person at a real window moves an emulated robot by the handles' keys, and lets go of it."""

import os
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("PySide6.QtWidgets")

from PySide6.QtTest import QTest
from window_bench import NOW_S, Key, Operator

from hil.desk.endpoints import benches
from hil.desk.velocity.remote_writer import ScreenPlace
from hil.panel.live.models.feed import column
from hil.run.lead import Steered
from hil.stations.arm.lead.handles import handles as handles_of_arms
from hil.stations.arm.report.recording import ArmRecording

pytestmark = [
    pytest.mark.real_time,
    pytest.mark.skipif(sys.platform != "linux", reason="desks are Linux's"),
]
SCENARIO = """
station = "arm"
name = "led"
clock = "real"
longest_s = 60.0
[space_arm]
model = "b"
[mapping]
start = { position_m = [0.45, 0.15, 0.75], oat_deg = [90.0, 0.0, 0.0] }
start_joints_deg = [46.4, 78.1, -218.3, 53.8, 63.8, -31.1]
[source]
kind = "keyboard"
frame = "base"
"""


class Arm:
    """`hil run --operator` of an arm whose robot is emulated, and whose handles are a panel's."""

    def __init__(self, folder):
        self.folder, self.handles = folder, ScreenPlace({"frame": "base"})
        place = folder / "runtime"
        place.mkdir(mode=0o700)
        scenario = folder / "led.toml"
        scenario.write_text(SCENARIO)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "hil.cli", "run", str(scenario), "--operator", "--json",
             "--out", str(folder / "runs"), "--set", self.handles.override],
            env=os.environ | {"XDG_RUNTIME_DIR": str(place)},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self.place = place / "hil-bench"

    def socket(self):
        """Its desk's, once there is one."""
        assert self.process.poll() is None, self.process.communicate()
        found = benches(self.place)
        return found[0].path if found else None

    def writer(self):
        """The end that the panel has of its source."""
        return self.handles.writer(NOW_S)

    def close(self):
        """End it if it still runs."""
        if self.process.poll() is None:
            self.process.terminate()
        self.process.communicate(timeout=30)
        self.handles.remove()


@pytest.fixture
def arm(tmp_path):
    made = Arm(tmp_path)
    yield made
    made.close()


class Rows:
    """What the window was told of the waypoints, and what of them moves."""

    def __init__(self, operator):
        self._operator, self.rows = operator, []
        window = operator.window
        inner = window.turns.take_turn

        def heard(turn):
            self.rows.extend(turn.batch.rows)
            inner(turn)

        window.turns.take_turn = heard

    def ways_m(self):
        """Way of the robot's gripper between two waypoints [m], newest last."""
        signals = self._operator.window.session.facts.signals
        place = column(signals, "target_pose")
        poses = np.array(self.rows)[:, place][:, :3]
        return np.linalg.norm(np.diff(poses, axis=0), axis=1)

    @property
    def newest_m(self):
        """The newest of them [m]."""
        return self.ways_m()[-1] if len(self.rows) > 1 else 0.0


def test_keys_of_the_handles_move_a_robot_and_release_brings_it_to_rest(app, arm, tmp_path):
    operator = Operator(app, tmp_path, "arm", seen=("handles",))
    try:
        window = operator.window
        while (path := arm.socket()) is None:
            app.processEvents()
            app.thread().msleep(5)
        operator.watch(path, take=True)
        window.steer(Steered(handles_of_arms(), arm.writer()))
        handles, rows = window.views["handles"].widget, Rows(operator)
        operator.until(lambda: operator.model.you_own and operator.model.mode == "streaming")
        lead(operator, handles, rows)
        handles.writer.end()
        operator.until(lambda: window.session.ended)
    finally:
        operator.close()
    out, errors = arm.process.communicate(timeout=30)
    assert arm.process.returncode == 0, (out, errors)
    judge(ArmRecording.open(next(arm.folder.glob("runs/*/*.mcap"))))


def lead(operator, handles, rows):
    """Press a key with and without hold-to-run, and let go of the one and of the other."""
    handles.setFocus()
    QTest.keyPress(handles, Key.Key_W)
    before = len(rows.rows)
    operator.until(lambda: len(rows.rows) >= before + 2)
    assert rows.newest_m == 0.0, "nobody holds to run"

    move(operator, handles, rows)
    QTest.keyRelease(handles, Key.Key_W)
    operator.until(lambda: rows.newest_m < 1e-6)
    assert operator.model.held, "the handle alone was let go"

    QTest.keyPress(handles, Key.Key_W)
    move(operator, handles, rows)
    QTest.keyRelease(handles, Key.Key_Space)
    operator.until(lambda: rows.newest_m < 1e-6)
    assert not operator.model.operation.held


def move(operator, handles, rows):
    """Hold to run until the robot moves; a stall of the machine may let go of it in between."""
    end_s = NOW_S() + 15.0
    while rows.newest_m < 1e-3:
        assert NOW_S() < end_s, (rows.newest_m, operator.model.operation)
        handles.setFocus()
        if not operator.model.operation.held:
            operator.grip()
        if not handles._model.deflections[0]:  # the focus was elsewhere for a moment
            QTest.keyPress(handles, Key.Key_W)
        operator.turn()
        operator.app.thread().msleep(1)


def judge(recording):
    """Wanted was what the key says, along x and nothing else; the robot went, and rests."""
    wanted = recording.column("wanted_twist")
    places = recording.column("target_pose")[:, :3]
    assert wanted[:, 0].max() > 0.01
    assert np.abs(wanted[:, 1:]).max() < 1e-9
    np.testing.assert_array_equal(wanted[-1], np.zeros(6))
    assert np.linalg.norm(places[-1] - places[0]) > 2e-3
    np.testing.assert_allclose(places[-1], places[-2], atol=1e-9)
    told = [event.message for event in recording.recording.events]
    assert any(message.startswith("hold-to-run released: zero velocity") for message in told)
