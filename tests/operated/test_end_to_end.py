"""A whole operated run in real time: bench, desk and a client, each in a process of its own."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from bench_plans import HEAVE, PAPER
from desk_processes import desk_path
from operated_bench import QUICK
from row_samples import unpacked

from hil.desk import messages as m
from hil.desk.client import DeskClient
from hil.desk.operation import OPERATION_KIND, Operation
from hil.recording.events import EVENTS, ROWS, EventKind
from hil.recording.reader import Recording
from hil.stations.platform.signals import SIGNALS
from hil.timing.realtime import RealClock
from safety.modes import Mode

pytestmark = [
    pytest.mark.real_time,
    pytest.mark.skipif(sys.platform != "linux", reason="the real clock is for Linux"),
]
MODES = tuple(mode.name for mode in Mode)
NOW_S = RealClock().now_s


class Panel:
    """A panel without a window."""

    def __init__(self, path, signals=SIGNALS):
        self.signals = signals
        self.client = DeskClient.connect(path, "test")
        self.held = self.alive = True
        self.modes = []  # (monotonic time it was seen [s], name)
        self.operation = Operation()
        self.frames, self.events = [], []

    def turn(self):
        if self.alive:
            self.client.send(m.Alive(held=self.held, stamp_s=NOW_S()))
        self.client.wait(0.02)
        self.client.poll()
        for kind, payload in self.client.telemetry.read():
            if kind == ROWS:
                self.frames.append(payload)
                name = MODES[unpacked(self.signals, payload)["mode"]]
                if not self.modes or self.modes[-1][1] != name:
                    self.modes.append((NOW_S(), name))
            elif kind == OPERATION_KIND:
                self.operation = Operation.from_bytes(payload)
            elif kind == EVENTS:
                self.events.append(payload)

    def until(self, condition, time_s=20.0):
        end_s = NOW_S() + time_s
        while not condition():
            assert NOW_S() < end_s, f"{self.modes} {self.operation} {self.events[-3:]}"
            self.turn()

    def until_mode(self, name):
        self.until(lambda: self.modes and self.modes[-1][1] == name)

    def stands(self):
        return self.modes[-1][1] in ("IDLE", "STANDBY", "HOLD")

    def settled(self):
        """Nothing goes on by itself any more, and the drives had their time to be enabled."""
        quiet = NOW_S() - self.modes[-1][0] > 0.6
        return quiet and (self.stands() or self.modes[-1][1] == "ENGAGED")

    def grip(self):
        """Take hold-to-run anew, as after a silence it must be."""
        self.alive = self.held = True
        while not self.operation.held:
            self.client.send(m.Alive(held=False, stamp_s=NOW_S()))
            self.client.send(m.Alive(held=True, stamp_s=NOW_S()))
            end_s = NOW_S() + 0.3
            self.until(lambda: self.operation.held or NOW_S() > end_s)  # noqa: B023

    def press(self, button):
        self.client.send(m.Press(button=button))


@pytest.fixture
def bench(tmp_path):
    """`hil run --operator` on simulated drives, and a panel that owns its motion."""
    place = tmp_path / "runtime"
    place.mkdir(mode=0o700)
    terms = ", ".join(
        "{" + ", ".join(f"{key} = {value!r}" for key, value in term.items()) + "}"
        for term in HEAVE["terms"]
    )
    scenario = tmp_path / "led.toml"
    scenario.write_text(
        f'name = "led"\nrig = "{PAPER}"\nclock = "real"\nrate_hz = 100.0\ncheck_first = false\n'
        f'[motion]\nkind = "multi_sine"\nduration_s = 60.0\nfade_s = 0.5\nterms = [{terms}]\n'
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "hil.cli", "run", str(scenario), "--operator", "--json",
         "--out", str(tmp_path / "runs"), *(f"--set={change}" for change in QUICK)],
        env=os.environ | {"XDG_RUNTIME_DIR": str(place)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )  # fmt: skip
    panel = None
    try:
        panel = Panel(desk_path(process, place / "hil-bench"))
        panel.client.send(m.Take())
        yield process, panel, tmp_path
    finally:
        if panel is not None:
            panel.client.close()
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=30)


def engage_and_play(panel):
    """Engaged and playing; a machine under load may let go of the dead-man for a moment."""
    for _ in range(12):
        panel.grip()
        match panel.modes[-1][1]:
            case "IDLE":
                panel.press("home")
            case "STANDBY":
                panel.press("engage")
            case "HOLD":
                panel.press("park")
            case "ENGAGED":
                panel.press("play")
                panel.until(lambda: panel.operation.motion_t_s > 0.3 or panel.stands())
        if panel.operation.playing == "play":
            return
        pressed_s = NOW_S()
        panel.until(lambda: NOW_S() - pressed_s > 0.3 and panel.settled())  # noqa: B023
    raise AssertionError(f"{panel.modes} {panel.operation}")


def freeze(panel):
    """Send no sign of life; how long it takes until the platform is being stopped [s]."""
    panel.alive, frozen_s = False, NOW_S()
    panel.until(lambda: panel.modes[-1][1] in ("CSTOP", "HOLD"))
    reaction_s = panel.modes[-1][0] - frozen_s
    panel.until_mode("HOLD")
    return reaction_s


def test_homed_engaged_frozen_and_ended_by_its_operator(bench):
    process, panel, folder = bench
    panel.until_mode("IDLE")
    reactions_s = []
    while not reactions_s or (min(reactions_s) > 0.2 and len(reactions_s) < 3):
        engage_and_play(panel)
        reactions_s.append(freeze(panel))
    assert min(reactions_s) <= 0.2, "0.15 s of silence, one cycle, and a look of this test"
    panel.grip()
    assert panel.modes[-1][1] == "HOLD", "a panel that comes back moves nothing"
    panel.press("shut_down")
    while panel.modes[-1][1] != "OFF":
        begun = len(panel.modes)
        panel.until(lambda: len(panel.modes) > begun)  # noqa: B023
        if panel.modes[-1][1] == "HOLD":
            panel.grip()
            panel.press("park")
    out, errors = process.communicate(timeout=30)
    assert process.returncode == 0, errors
    assert b'"outcome":"completed"' in out.replace(b" ", b"")
    compare(panel, Recording.open(next(folder.glob("runs/*/*.mcap"))))


def compare(panel, recording):
    """Presses are in the record, and panels were told the very bytes that were recorded."""
    told = [event.message for event in recording.events if event.name == "operator"]
    by = {event.data["by"] for event in recording.events if event.data and "by" in event.data}
    assert by == {"test"}
    for text in (
        "test owns the motion",
        "HOME pressed",
        "ENGAGE pressed",
        "PLAY pressed",
        "SHUT_DOWN pressed",
    ):
        assert text in told
    assert "hold-to-run released in ENGAGED: stop" in told
    assert not [event for event in recording.events if event.kind is EventKind.VIOLATION]
    assert {event.to_bytes() for event in recording.events} >= set(panel.events)
    assert len(panel.frames) > 400
    recorded = recording.column("allowed_length_m")
    first = recording.column("index")[0]
    for frame in panel.frames[:: len(panel.frames) // 50]:
        values = unpacked(SIGNALS, frame)
        shown = values["allowed_length_m"]
        np.testing.assert_array_equal(shown, recorded[values["index"] - first])
