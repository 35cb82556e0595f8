"""The session: signs of life only as long as the display answers."""

import os
import select
import shutil
import signal
import subprocess
import sys
from contextlib import ExitStack, closing

import pytest
from row_samples import ARM_WITH_MODES

from hil.desk import messages as m
from hil.desk.client import DeskClient
from hil.desk.operation import OPERATION_KIND, Operation
from hil.desk.order import DEAD_MAN_S, Button
from hil.desk.process import DeskProcess
from hil.panel.live.models.bench_link import Link
from hil.panel.live.models.bench_stop import SILENT_S
from hil.panel.live.session import LiveSession
from hil.recording.header import RunHeader
from hil.timing.realtime import RealClock

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
from hil.panel.live.session import LiveSession
from hil.timing.realtime import RealClock

app = QGuiApplication([])
client = DeskClient.connect(sys.argv[1], "panel")
session = LiveSession(client, RealClock().now_s, QGuiApplication.queryKeyboardModifiers)
session.send(session.bench.toggle_ownership())

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
    header = RunHeader(ARM_WITH_MODES, {"scenario": "test"}, {"station": "arm"})
    place = tmp_path_factory.mktemp("desk") / "hil-bench"
    with DeskProcess(header, 0.35, station="arm", place=place) as process:
        yield process


@pytest.fixture
def own_desk(tmp_path):
    """A desk that may be killed."""
    facts = {"scenario": "killed", "robot": "SIMULATED", "simulated": "robot"}
    header = RunHeader(ARM_WITH_MODES, facts, {"station": "arm"})
    with DeskProcess(header, 0.35, station="arm", place=tmp_path / "hil-bench") as process:
        yield process


@pytest.fixture
def opened():
    """Opens sessions, which are closed with the test."""
    with ExitStack() as stack:
        yield lambda *of_session: stack.enter_context(closing(LiveSession(*of_session)))


def pause(seconds):
    """Let real time pass, for what is about real time: a poll of nothing."""
    select.poll().poll(1000.0 * seconds)


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


def test_whoever_owns_the_motion_asks_the_display_before_each_sign_of_life(desk, opened):
    asked, sent = [], []

    class Client(DeskClient):
        def send(self, message):
            sent.append((message.type, len(asked)))
            return super().send(message)

    client = Client.connect(desk.path, "panel")
    session = opened(client, NOW_S, lambda: asked.append(len(sent)))
    session.turn()
    assert asked == []  # who only watches has nothing to let go of
    session.send(session.bench.toggle_ownership())

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


@pytest.mark.skipif(shutil.which("Xvfb") is None, reason="needs a display of its own")
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


# --- a desk that dies --------------------------------------------------------------------------


def test_a_killed_desk_is_followed_by_the_next_one_which_nobody_owns_or_holds(own_desk, opened):
    client = DeskClient.connect(own_desk.path, "panel")
    session, turns = opened(client, NOW_S), []

    def turned(timeout_s):
        end_s = NOW_S() + timeout_s
        turns.append(session.turn())
        assert NOW_S() - end_s < 1.0, "no turn waits for a desk"
        pause(timeout_s)

    session.send(session.bench.toggle_ownership())
    until(lambda: session.owns, turned)
    session.bench.hold(pressed=True)
    control = Control(own_desk)
    until(lambda: control.order.held, turned)
    own_desk.telemetry.push(OPERATION_KIND, Operation(motion_serial=1).to_bytes())
    until(lambda: session.bench.operation.motion_serial == 1, turned)
    number = session.next_id()

    os.kill(own_desk.pid, signal.SIGSTOP)  # it hears no more, and its last question no answer
    session.send(m.Press(button="play", id=number))
    os.kill(own_desk.pid, signal.SIGKILL)
    until(lambda: session.bench.link(NOW_S()) is Link.LOST, turned)
    lost_s = NOW_S()
    assert not session.stop_text
    assert (session.ended, session.owns, session.bench.held) == (False, False, False)
    assert turns[-1].news == (
        "The desk is gone without a word. Nothing can be asked of the bench, and its "
        "hold-to-run is released. This panel looks for the next desk of the run."
    )
    assert turns[-1].batch.events[-1].message == (
        "The desk is gone without a word. Nothing can be asked of the bench, and its "
        "hold-to-run is released. This panel looks for the next desk of the run."
    )
    own_desk.telemetry.push(OPERATION_KIND, Operation(motion_serial=2).to_bytes())
    answers = [one for turn in turns for one in turn.messages if isinstance(one, m.Answer)]
    assert answers[-1] == m.Answer(
        id=number,
        ok=False,
        error="the desk died before it answered; what became of it is not known",
    )
    assert not session.send(m.Press(button="home", id=session.next_id()))
    session.stop()
    assert session.stop_text == (
        "No desk hears the stop: use the emergency stop / Ctrl-C at the terminal. The "
        "run's next desk is asked at once."
    )

    until(lambda: session.bench.link(NOW_S()) is not Link.LOST, turned)
    assert NOW_S() - lost_s < 15.0
    assert [turn.news for turn in turns if turn.news] == [
        "The desk is gone without a word. Nothing can be asked of the bench, and its "
        "hold-to-run is released. This panel looks for the next desk of the run.",
        "Connected to the run's next desk. Nobody owns the motion: take it anew (F9).",
    ]
    assert sum(turn.batch.missed for turn in turns) == 0
    serials = [t.batch.operation.motion_serial for t in turns if t.batch.operation is not None]
    assert serials == [1, 2], "nothing is told twice, and nothing is left out"
    for _ in range(20):
        turned(0.005)
    told = [one.error for turn in turns for one in turn.messages if isinstance(one, m.Answer)]
    assert told[-3:] == [
        "looking for the run's next desk",
        "there is no desk to hear it; the next one is asked at once",
        "",
    ]
    assert control.order.pressed(Button.HOLD) == 1, "the next desk got it"
    assert (session.owns, session.bench.owner, control.order.owner) == (False, "", "")
    assert not control.order.held

    assert session.next_id() > number + 1, "no number for the second time"
    session.send(session.bench.toggle_ownership())
    until(lambda: session.owns, turned)
    for _ in range(20):
        turned(0.005)
    assert not control.order.held, "it must be pressed anew"
    session.bench.hold(pressed=True)
    until(lambda: control.order.held, turned)


def test_a_stop_that_dies_with_a_hanging_desk_is_told_and_asked_of_the_next_one(own_desk, opened):
    session, told = opened(DeskClient.connect(own_desk.path, "panel"), NOW_S), []

    def turned(timeout_s):
        told.extend(one for one in session.turn().messages if isinstance(one, m.Answer))
        pause(timeout_s)

    control = Control(own_desk)
    session.stop()
    until(lambda: control.order.pressed(Button.HOLD) == 1, turned)
    until(lambda: told, turned)
    assert ([one.ok for one in told], session.stop_text) == ([True], "")

    os.kill(own_desk.pid, signal.SIGSTOP)  # it takes packets into its buffer, and nothing more
    session.stop()
    asked_s = NOW_S()
    until(lambda: session.stop_text, turned)
    assert SILENT_S <= NOW_S() - asked_s < SILENT_S + 0.2
    assert session.stop_text.startswith("No answer to the stop for 0.3 s: use the emergency stop")
    os.kill(own_desk.pid, signal.SIGKILL)
    until(lambda: session.bench.link(NOW_S()) is Link.LOST, turned)
    assert session.stop_text == (
        "No desk hears the stop: use the emergency stop / Ctrl-C at the terminal. The "
        "run's next desk is asked at once."
    )
    until(lambda: told[-1].ok and len(told) == 3, turned)
    assert (told[1].ok, told[1].error) == (
        False,
        "the desk died before it answered; the next one is asked at once",
    )
    until(lambda: control.order.pressed(Button.HOLD) > 0, turned)
    assert (session.stop_text, session.bench.refused) == ("", "")


def test_a_run_that_is_over_is_not_looked_for(own_desk, opened):
    session = opened(DeskClient.connect(own_desk.path, "panel"), NOW_S)
    session.turn()
    own_desk.close()
    news = []
    until(lambda: session.ended, lambda _: news.append(session.turn().news))
    news += [session.turn().news for _ in range(50)]
    assert not any(news)
    assert session.bench.link_text(NOW_S()) == "ENDED: the run is over"


def test_a_bench_that_is_gone_with_its_desk_ends_the_session(own_desk, monkeypatch, opened):
    session = opened(DeskClient.connect(own_desk.path, "panel"), NOW_S)
    session.turn()
    monkeypatch.setattr("hil.panel.live.models.session_search._life_of", lambda _: lambda: False)
    respawner = own_desk._respawner.pid
    os.kill(respawner, signal.SIGSTOP)  # else either sees the other's end, and says so in time
    os.kill(own_desk.pid, signal.SIGKILL)
    os.kill(respawner, signal.SIGKILL)
    until(lambda: session.ended, lambda s: (session.turn(), pause(s)))
    assert session.bench.link_text(NOW_S()).endswith(
        "its desk is gone without a word, and so is the bench"
    )
    assert not session.send(m.Press(button="home", id=session.next_id()))
    session.turn()
