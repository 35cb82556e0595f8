"""The session: signs of life only as long as the display answers."""

import os
import shutil
import signal
import subprocess
import sys

import pytest

from hil.desk.client import DeskClient
from hil.desk.order import DEAD_MAN_S
from hil.desk.process import DeskProcess
from hil.panel.session import LiveSession
from hil.realtime import RealClock
from hil.recording.header import RunHeader
from safety.modes import Mode
from safety.verdict import Action

pytestmark = [
    pytest.mark.real_time,
    pytest.mark.skipif(sys.platform != "linux", reason="desks are Linux's"),
]
NOW_S = RealClock().now_s

PANEL = """
import sys
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication
from hil.desk.client import DeskClient
from hil.panel.session import LiveSession
from hil.realtime import RealClock

app = QGuiApplication([])
client = DeskClient.connect(sys.argv[1], "panel")
session = LiveSession(client, RealClock().now_s, QGuiApplication.queryKeyboardModifiers)
session.send(session.bench.take_or_release())

def turn():
    session.turn()
    if session.owns:
        session.bench.hold(pressed=True)

timer = QTimer()
timer.setTimerType(Qt.TimerType.PreciseTimer)
timer.timeout.connect(turn)
timer.start(33)
app.exec()
"""


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    modes, actions = [one.name for one in Mode], [one.name for one in Action]
    header = RunHeader(tuple(modes), tuple(actions), {"scenario": "test"}, {"station": "arm"})
    place = tmp_path_factory.mktemp("desk") / "hil-bench"
    with DeskProcess(header, 0.35, station="arm", place=place) as process:
        yield process


class Control:
    """Reads the slot as control does."""

    def __init__(self, desk):
        self._slot, self._order = desk.slot, desk.slot.read()

    @property
    def order(self):
        """The newest order that could be read."""
        self._order = self._slot.read() or self._order
        return self._order


def until(condition, waiter, time_s=20.0):
    """Poll a condition, at most so long."""
    end_s = NOW_S() + time_s
    while not condition():
        assert NOW_S() < end_s
        waiter(0.005)


def test_whoever_owns_the_motion_asks_the_display_before_each_sign_of_life(desk):
    asked, sent = [], []

    class Client(DeskClient):
        def send(self, message):
            sent.append((message.type, len(asked)))
            return super().send(message)

    client = Client.connect(desk.path, "panel")
    session = LiveSession(client, NOW_S, lambda: asked.append(len(sent)))
    session.turn()
    assert asked == []  # who only watches has nothing to let go of
    session.send(session.bench.take_or_release())

    def turned(timeout_s):
        client.wait(timeout_s)
        session.turn()

    until(lambda: session.owns, turned)
    asked.clear()
    sent.clear()
    session.turn()
    session.turn()
    assert asked == [0, 1]
    assert sent == [("alive", 1), ("alive", 2)]
    session.close()


@pytest.mark.skipif(shutil.which("Xvfb") is None, reason="needs a display of its own")
@pytest.mark.xdist_group("real time")
def test_a_display_that_freezes_lets_go_although_nothing_is_drawn(desk):
    control, read, write = Control(desk), *os.pipe()
    display = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "640x480x24", "-nolisten", "tcp"],
        pass_fds=(write,), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(write)
    with open(read) as said:
        number = said.readline().strip()
    panel = subprocess.Popen(
        [sys.executable, "-c", PANEL, str(desk.path)],
        env=os.environ | {"DISPLAY": f":{number}", "QT_QPA_PLATFORM": "xcb"},
    )
    waiter = _waiter(panel)
    try:
        until(lambda: control.order.held, waiter)
        waiter(0.3)
        assert control.order.held  # it goes on living as long as the display does
        os.kill(display.pid, signal.SIGSTOP)
        frozen_s = NOW_S()
        until(lambda: NOW_S() - control.order.stamp_s > DEAD_MAN_S, waiter, 2.0)
        assert NOW_S() - frozen_s < 0.3
        until(lambda: not control.order.held, waiter, 2.0)
        os.kill(display.pid, signal.SIGCONT)
        until(lambda: NOW_S() - control.order.stamp_s < DEAD_MAN_S, waiter, 2.0)
        waiter(0.2)
        assert not control.order.held  # the key must be let go and pressed anew
    finally:
        os.kill(display.pid, signal.SIGCONT)
        for process in (panel, display):
            process.kill()
            process.wait()


def _waiter(process):
    """Let time pass while a process lives, which it must."""

    def wait(timeout_s):
        try:
            raise AssertionError(f"the panel has ended: {process.wait(timeout_s)}")
        except subprocess.TimeoutExpired:
            return

    return wait
