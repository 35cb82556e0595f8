"""A desk at the arm station: panels watch, anyone stops, a released dead-man is zero velocity."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from desk_processes import desk_number, desk_path

from hil.desk import messages as m
from hil.desk.client import DeskClient
from hil.desk.operation import OPERATION_KIND, Operation
from hil.desk.order import BUTTONS, DEAD_MAN_S, Button, LatestOrder, OperatorOrder
from hil.desk.run_end import EndCause, EndStep, RunEnd
from hil.desk.velocity.source import Twist
from hil.recording.events import EVENTS, ROWS
from hil.stations.arm.lead.operator import ArmOperator
from hil.stations.arm.report.recording import ArmRecording
from hil.stations.arm.sources.source import SourceLimits
from hil.timing.realtime import RealClock

pytestmark = pytest.mark.real_time

NOW_S = RealClock().now_s
LIMITS = SourceLimits(0.1, 1.0, 0.2, 1.0)
PERIOD_S = 0.35


class Pushed:
    """A live source that is always held and always wants the same."""

    duration_s = None
    end_reason = ""
    held = True
    listened = closed = 0

    def listen(self):
        self.listened += 1

    def sample(self, t_s):
        return Twist((0.05, 0.0, 0.0), (0.0, 0.0, 0.1), "gripper")

    def close(self):
        self.closed += 1


class Led:
    """An operator at a desk, in virtual time."""

    def __init__(self, *, live=True):
        self.t_s = 50.0
        self.slot, self.said, self.told = LatestOrder.local(), [], []
        self.news = []
        self.operator = ArmOperator(
            self.slot, self, lambda: self.t_s, live=live,
            desk_news=lambda: self.news.pop() if self.news else "",
        )  # fmt: skip
        self.operator.say = lambda text, data: self.said.append((text, data))
        self.inner = Pushed()
        self.source = self.operator.holds(self.inner, LIMITS)
        self.order = OperatorOrder()

    def publish(self, t_s, operation):
        self.told.append(operation)

    def write(self, **changes):
        self.order = replace(self.order, stamp_s=self.t_s, **changes)
        self.slot.write(self.order)

    def press(self, button, by="Anna"):
        presses = list(self.order.presses)
        presses[BUTTONS.index(button)] += 1
        self.write(presses=tuple(presses), presser=by)
        self.source.listen()

    def speed(self):
        """A period later, while the order stays alive."""
        self.t_s += PERIOD_S
        self.write()
        return float(np.linalg.norm(self.source.sample(self.t_s).linear_m_s))


def test_a_live_motion_stands_until_it_is_held_and_slows_down_when_it_is_let_go():
    led = Led()
    assert [led.speed() for _ in range(3)] == [0.0, 0.0, 0.0]
    assert not led.source.held
    led.write(held=True)
    assert [led.speed() for _ in range(2)] == pytest.approx([0.05, 0.05])
    assert led.source.held
    led.write(held=False)
    assert led.speed() == 0.0
    assert ("hold-to-run released: zero velocity", {"held": False}) in led.said
    led.write(held=True)
    assert led.speed() == pytest.approx(0.05)


def test_both_holds_are_needed():
    led = Led()
    led.write(held=True)
    led.source.listen()
    assert led.source.held
    led.inner.held = False
    assert not led.source.held


def test_the_velocity_changes_within_its_bounds_when_the_dead_man_does():
    led = Led()
    led.operator.live = True
    slow = led.operator.holds(led.inner, SourceLimits(0.1, 1.0, 0.05, 1.0))
    speeds = []
    for index in range(12):
        led.t_s += PERIOD_S
        led.write(held=index not in (4, 5))
        speeds.append(float(np.linalg.norm(slow.sample(led.t_s).linear_m_s)))
    assert max(speeds) == pytest.approx(0.05)
    assert min(speeds[4:7]) < 0.04
    assert np.abs(np.diff(speeds)).max() <= 0.05 * PERIOD_S + 1e-12


def test_a_sign_of_life_that_gets_old_lets_go():
    led = Led()
    led.write(held=True)
    led.source.listen()
    assert led.operator.held
    led.t_s += DEAD_MAN_S + 0.001
    led.source.listen()
    assert not led.source.held
    assert np.linalg.norm(led.source.sample(led.t_s).linear_m_s) == 0.0


def test_a_planned_motion_needs_nobody_to_hold_it():
    led = Led(live=False)
    assert led.speed() == pytest.approx(0.05)
    assert led.source.held


@pytest.mark.parametrize("button", [Button.HOLD, Button.SHUT_DOWN])
def test_a_stop_is_a_wish_to_end(button):
    class Terminal:
        asked = None

    led = Led()
    stop_request = led.operator.stops(Terminal())
    led.source.listen()
    assert stop_request.asked is None
    led.press(button, "Boris")
    assert stop_request.asked == f"{button.name} by Boris"
    assert led.told[-1].playing == ""
    data = {"button": button.value, "taken": True, "by": "Boris"}
    assert (f"{button.name} pressed", data) in led.said
    assert led.told[-1].end == RunEnd(EndCause.SHUT_DOWN, EndStep.STOPPING, "Boris")
    Terminal.asked = signal.SIGINT
    assert stop_request.asked is signal.SIGINT
    led.source.listen()
    led.operator.ending = lambda: "stopped by the operator"
    led.source.listen()
    assert led.told[-1].end.cause is EndCause.SHUT_DOWN, "the first cause counts"


def test_ctrl_c_at_the_terminal_is_told_as_an_end():
    class Terminal:
        asked = None

    led = Led()
    led.operator.stops(Terminal())
    led.source.listen()
    assert (led.told[-1].end, led.told[-1].playing) == (None, "play")
    Terminal.asked = signal.SIGINT
    led.source.listen()
    assert led.told[-1].end == RunEnd(EndCause.TERMINAL, EndStep.STOPPING)
    assert led.told[-1].playing == ""


def test_any_other_button_is_refused_with_a_reason_and_stops_nothing():
    led = Led()
    led.write(owner="Anna")
    for button in set(Button) - {Button.HOLD, Button.SHUT_DOWN}:
        led.press(button)
        assert not led.operator.stopped
        assert str(led.told[-1].refused).startswith(f"{button.name}: ")
    assert led.told[-1].seen == led.order.presses
    assert led.said[0] == ("Anna owns the motion", {"owner": "Anna"})


def test_a_source_that_was_ended_by_who_moves_it_is_told_as_an_end():
    led = Led()
    led.inner.end_reason = "ended by the writer"
    led.source.listen()
    led.source.listen()
    assert led.told[-1].end == RunEnd(EndCause.SOURCE, EndStep.STOPPING, "ended by the writer")


@pytest.mark.parametrize("live", [False, True])
def test_a_desk_that_dies_ends_the_stream_because_no_panel_can_stop_it(live):
    class Terminal:
        asked = None

    led = Led(live=live)
    stop_request = led.operator.stops(Terminal())
    led.speed()
    assert stop_request.asked is None
    led.news.append("the desk has died (exit status -9)")
    led.speed()
    assert stop_request.asked == "operator's desk: the desk has died (exit status -9)"
    assert led.told[-1].playing == ""
    why = "the desk has died (exit status -9)"
    assert led.told[-1].end == RunEnd(EndCause.DESK, EndStep.STOPPING, why)
    assert (stop_request.asked, {"stopped": True}) in led.said


@pytest.mark.parametrize("button", [Button.HOLD, Button.SHUT_DOWN])
def test_a_stop_counts_however_late_it_comes_and_whoever_owns_the_motion_by_then(button):
    led = Led()
    led.source.listen()
    presses = [0] * len(BUTTONS)
    presses[BUTTONS.index(button)] = 1
    led.write(presses=tuple(presses), pressed_s=(led.t_s - 60.0,) * len(BUTTONS), owning=9)
    led.source.listen()
    assert led.operator.stopped


# --- with processes ----------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform != "linux", reason="the real clock is for Linux")
@pytest.mark.parametrize("how", ["stop", "desk killed"])
def test_a_panel_watches_and_stops_a_run_and_so_does_the_end_of_its_desk(tmp_path, how):
    place = tmp_path / "runtime"
    place.mkdir(mode=0o700)
    (tmp_path / "led.toml").write_text(
        'station = "arm"\nname = "led"\nclock = "real"\n[space_arm]\nmodel = "b"\n'
        "[mapping]\nstart = { position_m = [0.45, 0.15, 0.75], oat_deg = [90.0, 0.0, 0.0] }\n"
        "start_joints_deg = [46.4, 78.1, -218.3, 53.8, 63.8, -31.1]\n"
        '[source]\nkind = "profile"\n[[source.segment]]\nduration_s = 20.0\n'
        "velocity_m_s = [0.002, 0.0, 0.0]\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "hil.cli", "run", str(tmp_path / "led.toml"), "--operator", "--json",
         "--out", str(tmp_path / "runs")],
        env=os.environ | {"XDG_RUNTIME_DIR": str(place)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        client = DeskClient.connect(desk_path(process, place / "hil-bench"), "onlooker")
        assert client.welcome.station == "arm"
        frames, events, operations = watched_and_stopped(client, process if how != "stop" else None)
        out, errors = process.communicate(timeout=30)
        client.close()
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=30)
    said = json.loads(out)
    assert (process.returncode, said["result"]) == (int(how != "stop"), "cancelled"), errors
    assert ("operator's desk: " in said["cause"]) == (how != "stop")
    recording = ArmRecording.open(next(tmp_path.glob("runs/*/*.mcap")))
    assert {event.to_bytes() for event in recording.recording.events} >= set(events)
    said = [event.message for event in recording.recording.events]
    assert (DIED if how != "stop" else "HOLD pressed") in said
    assert len(recording.recording.column("index")) >= len(frames) >= 3
    assert operations[0].playing == "play"


DIED = "operator's desk: the desk has died (exit status -9)"


def watched_and_stopped(client, process):
    """What a panel sees until the third waypoint, and a little after.

    Then it asks for a stop, or its desk is killed if a process is given.
    """
    last = b"HOLD pressed" if process is None else DIED.encode()
    got = {ROWS: [], EVENTS: [], OPERATION_KIND: []}
    end_s, stopped = NOW_S() + 20.0, False
    while not stopped or not any(last in event for event in got[EVENTS]):
        assert NOW_S() < end_s, got[EVENTS]
        client.wait(0.02)
        client.poll()
        for kind, payload in client.telemetry.read():
            got[kind].append(payload)
        if len(got[ROWS]) >= 3 and not stopped:
            stopped = True
            if process is None:
                client.send(m.Stop(id=1))
            else:
                os.kill(desk_number(process.pid), signal.SIGKILL)
    operations = [Operation.from_bytes(payload) for payload in got[OPERATION_KIND]]
    return got[ROWS], got[EVENTS], operations
