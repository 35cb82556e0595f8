"""What the panel costs: start to first picture, processor time at 30 Hz, and the loop's lateness.

A bench plays a motion at 1 kHz on simulated drives. Beside it there is in turn nothing, a panel
with the picture in space and eight traces of 60 s, and a process that does nothing but count, at
the lowest priority: what the machine's second user costs the loop whoever it is. The turns are
interleaved, the lateness of all of them comes from one and the same recording, and the median of
each kind is told. Needs a display with OpenGL; drawing is done by the processor if there is no
graphics hardware.

    xvfb-run -a -s "-screen 0 1366x768x24" python -m benchmarks.bench_panel [--seconds 20]
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.frame import main
from hil.desk import messages as m
from hil.desk.client import DeskClient
from hil.desk.endpoints import benches
from hil.panel.live.models.feed import LiveFeed, column
from hil.recording.reader import Recording

SCENARIO = """\
name = "panel"
rig = "paper"
clock = "real"
rate_hz = 1000.0
check_first = false
[operator]
dead_man = "presence"
[motion]
kind = "multi_sine"
duration_s = 600.0
fade_s = 1.0
terms = [{ axis = "z", amplitude_m = 0.02, frequency_hz = 0.3 }]
"""
NEXT: Final[dict[str, m.ButtonName]] = {
    "IDLE": "home", "STANDBY": "engage", "HOLD": "park", "FAULT": "reset", "ENGAGED": "play",
}  # fmt: skip
PANEL: Final = """
import resource, sys, time
from pathlib import Path
begun = float(sys.argv[4])
import numpy as np
from PySide6.QtCore import QSettings, QSize, QTimer
from PySide6.QtWidgets import QApplication, QWidget
from hil.panel.shell.window import MainWindow
from hil.panel.shell.window_turns import Turns
from hil.timing.realtime import RealClock
used = lambda: sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
drawn_at = []
old_turn = Turns.turn
def turn(turns):  # what was painted since the last one
    scene = turns.views.made.get("scene")
    canvases = scene.widget.findChildren(QWidget) if scene is not None else []
    if not drawn_at and any(getattr(canvas, "_image", None) is not None for canvas in canvases):
        drawn_at.append((time.monotonic(), used()))
    old_turn(turns)
Turns.turn = turn
app = QApplication([])
settings = QSettings(sys.argv[2], QSettings.Format.IniFormat)
window = MainWindow(settings, RealClock().now_s, "bench")
window.resize(QSize(1366, 768))
window.show()
QTimer.singleShot(0, lambda: window.connect_to(Path(sys.argv[1])))
def work_until(done):
    end = time.monotonic() + 60.0
    while not done() and time.monotonic() < end:
        app.processEvents()
        app.thread().msleep(1)
work_until(lambda: drawn_at)
print(drawn_at[0][0] - begun, drawn_at[0][1], flush=True)
work_until(lambda: window.views.complete)
from hil.panel.live.models.feed import Batch, column
from hil.panel.scope.models.scope import ScopeModel
dock, facts = window.views["scope"], window.session.facts
ring = ScopeModel(facts)
for name in (*(f"measured_length_leg{leg}_m" for leg in range(1, 7)),
             "asked_length_leg1_m", "asked_length_leg2_m"):
    ring.show(name)
newest = []
old_take = dock.take
dock.take = lambda turn: (newest.append(turn.batch.rows), old_take(turn))
work_until(lambda: any(len(rows) for rows in newest))
last = next(rows for rows in newest if len(rows))[0]
count = 60_000
rows = np.tile(last, (count, 1))
rows[:, column(facts.signals, "t_s")] -= 0.001 * np.arange(count, 0, -1)[:, None]
noise = np.random.default_rng(1).normal(0.0, 2e-5, (count, 6))
wave = 0.01 * np.sin(2.0 * np.pi * 0.3 * 0.001 * np.arange(count))[:, None]
for name in ("measured_length_m", "asked_length_m"):
    rows[:, column(facts.signals, name)] += wave + noise
ring.take(Batch(rows))
dock.take = old_take
dock.model = ring
dock.view.set_model(ring)
ring.set_span(60.0)
seconds = float(sys.argv[3])
state = {}
def begin():
    state.update(cpu=used(), at=time.monotonic())
def end():
    share = (used() - state["cpu"]) / (time.monotonic() - state["at"])
    print(share, len(ring.traces), flush=True)
    window.shut()
    app.quit()
QTimer.singleShot(1000, begin)
QTimer.singleShot(1000 + int(1000 * seconds), end)
app.exec()
"""
EMPTY: Final = """
import resource, sys, time
from PySide6.QtCore import QEvent, QObject, QSettings, QTimer
from PySide6.QtWidgets import QApplication
from hil.panel.shell.app import FIRST_PAINT_MS
from hil.panel.shell.models.start_view import start_view_of
from hil.panel.shell.window import MainWindow
from hil.timing.realtime import RealClock
class Painted(QObject):
    at = None
    def eventFilter(self, widget, event):
        if event.type() == QEvent.Type.Paint and self.at is None and widget is words:
            self.at = time.monotonic()
        return False
app = QApplication([])
window = MainWindow(
    QSettings(sys.argv[2], QSettings.Format.IniFormat), RealClock().now_s, "bench"
)
seen, words = Painted(), window.strip.waiting_words
words.installEventFilter(seen)
window.show()
QTimer.singleShot(FIRST_PAINT_MS, lambda: window.open(start_view_of(None)))
while seen.at is None:
    app.processEvents()
print(seen.at - float(sys.argv[1]))
scene = window.views["scene"].widget
while not scene.panes:
    app.processEvents()
    app.thread().msleep(5)
print(time.monotonic() - float(sys.argv[1]))
window.shut()
"""
ROUNDS: Final = 7
"""Turns of each kind; the median of the rounds is told."""
KINDS: Final = ("alone", "panel", "counting")
BEGIN_S: Final = 1.0
"""Of a turn with nothing or with a process that counts, before it is taken into account [s]."""
COUNTING: Final = "import os\nos.nice(19)\nwhile True: pass"


def run(seconds: float = 20.0, console: Console | None = None) -> dict[str, float | int | str]:
    """Measure; the results are printed and returned.

    Args:
        seconds: of each turn; there are three of each of three kinds.
        console: where the table goes.
    """
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return {"skipped": "no display"}
    with tempfile.TemporaryDirectory() as folder:
        found = _empty(Path(folder)) | _measured(Path(folder), seconds)
    table = Table("figure", "measured", "goal", title="panel")
    table.add_row("start to first picture [s]", f"{found['first_picture_s']:.2f}", "3")
    table.add_row("processor time of it [s]", f"{found['first_picture_cpu_s']:.2f}", "")
    table.add_row("start to an empty panel [s]", f"{found['empty_s']:.2f}", "")
    table.add_row("start to the demo's picture [s]", f"{found['demo_picture_s']:.2f}", "")
    table.add_row("share of one core at 30 Hz", f"{found['cpu_share']:.2f}", "0.60")
    for kind in KINDS:
        low, middle, high = (found[f"late_p99_{kind}_{which}_us"] for which in _WHICH)
        told = f"{middle:.0f} ({low:.0f} to {high:.0f})"
        table.add_row(f"p99 lateness, {kind} [us]", told, "")
    table.add_row("panel / alone", f"{found['late_ratio']:.2f}", "1.3")
    table.add_row("counting / alone", f"{found['late_ratio_counting']:.2f}", "")
    (console or Console()).print(table)
    return {**found}


_WHICH: Final = ("least", "median", "most")


def _empty(folder: Path) -> dict[str, float]:
    """From the start of a panel without a bench until it says so, and until the demo is drawn."""
    told: list[list[float]] = []
    for _ in range(ROUNDS):
        said = subprocess.run(
            [sys.executable, "-c", EMPTY, str(time.monotonic()), str(folder / "empty.ini")],
            stdout=subprocess.PIPE, text=True, check=True,
        ).stdout  # fmt: skip
        told.append([float(word) for word in said.split()])
    empty_s, demo_s = np.median(told, axis=0).tolist()
    return {"empty_s": empty_s, "demo_picture_s": demo_s}


def _measured(folder: Path, seconds: float) -> dict[str, float]:
    scenario = folder / "panel.toml"
    scenario.write_text(SCENARIO)
    bench = subprocess.Popen(
        [sys.executable, "-m", "hil.cli", "run", str(scenario), "--operator",
         "--out", str(folder / "runs")],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    spans: dict[str, list[tuple[float, float]]] = {kind: [] for kind in KINDS}
    told: list[tuple[float, float, float]] = []
    try:
        leader = Leader(place_of_bench(bench))
        leader.turn_until(lambda: leader.plays)
        leader.turn_for(5.0)  # fade in, and whatever else begins
        for _ in range(ROUNDS):
            leader.turn_for(BEGIN_S)
            spans["alone"].append(leader.turn_for(seconds))
            first_s, cpu_s, share, span = _with_panel(leader, folder, seconds)
            told.append((first_s, cpu_s, share))
            spans["panel"].append(span)
            spans["counting"].append(_with_counting(leader, seconds))
    finally:
        bench.terminate()
        bench.wait(60.0)
    recording = Recording.open(next((folder / "runs").glob("*/*.mcap")))
    late_us = 1e6 * np.abs(recording.column("late_s"))
    found = {
        "first_picture_s": float(np.median([first_s for first_s, _, _ in told])),
        "first_picture_cpu_s": float(np.median([cpu_s for _, cpu_s, _ in told])),
        "cpu_share": float(np.median([share for _, _, share in told])),
        "cycles": recording.cycles,
    }
    for kind in KINDS:
        p99_us = [
            np.percentile(late_us[(recording.t_s > start) & (recording.t_s < end)], 99)
            for start, end in spans[kind]
        ]
        for which, value in zip(_WHICH, np.percentile(p99_us, (0, 50, 100)), strict=True):
            found[f"late_p99_{kind}_{which}_us"] = float(value)
    alone_us = found["late_p99_alone_median_us"]
    found["late_ratio"] = found["late_p99_panel_median_us"] / alone_us
    found["late_ratio_counting"] = found["late_p99_counting_median_us"] / alone_us
    return found


def _with_panel(
    leader: Leader, folder: Path, seconds: float
) -> tuple[float, float, float, tuple[float, float]]:
    """First picture after [s], processor time for it [s], share of a core, span of the run [s]."""
    panel = subprocess.Popen(
        [sys.executable, "-c", PANEL, str(leader.path), str(folder / "panel.ini"),
         str(seconds), str(time.monotonic())],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    leader.turn_until(lambda: panel.poll() is not None)
    span = (leader.t_s - seconds, leader.t_s)
    words = panel.communicate()[0].split()
    return float(words[0]), float(words[1]), float(words[2]), span


def _with_counting(leader: Leader, seconds: float) -> tuple[float, float]:
    """The same with a process in the place of the panel that only keeps a core busy."""
    process = subprocess.Popen([sys.executable, "-c", COUNTING])
    try:
        leader.turn_for(BEGIN_S)
        return leader.turn_for(seconds)
    finally:
        process.kill()
        process.wait()


def place_of_bench(bench: subprocess.Popen[bytes]) -> Path:
    """The socket of a bench's desk, once it is there."""
    end = time.monotonic() + 60.0
    while not (places := [one for one in benches() if one.pid == bench.pid]):
        if time.monotonic() > end or bench.poll() is not None:
            raise TimeoutError("the bench did not start")
        time.sleep(0.1)
    return places[0].path


class Leader:
    """An operator without a window, who is there all the time, so that the motion never stops.

    Args:
        path: the desk's socket.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._client = DeskClient.connect(path, "leader")
        self._client.send(m.Take())
        self._feed = LiveFeed(self._client)
        self._modes = self._feed.facts.header.modes
        self._mode_at, self._time_at = (
            column(self._feed.facts.signals, name).start for name in ("mode", "t_s")
        )
        self._pressed_s = 0.0
        self.t_s = 0.0
        self.plays = False

    def turn(self) -> None:
        """A sign of life, and a press when there is one to make."""
        now_s = time.monotonic()
        self._client.send(m.Alive(held=True, stamp_s=now_s))
        self._client.poll()
        batch = self._feed.poll()
        if batch.operation is not None:
            self.plays = batch.operation.playing == "play"
        if len(batch.rows):
            self.t_s = float(batch.rows[-1, self._time_at])
            button = NEXT.get(self._modes[int(batch.rows[-1, self._mode_at])])
            if button is not None and not self.plays and now_s - self._pressed_s > 0.7:
                self._pressed_s = now_s
                self._client.send(m.Press(button=button))
        time.sleep(0.03)

    def turn_until(self, done: Callable[[], bool]) -> None:
        """Go on until something is so, for two minutes at most."""
        end = time.monotonic() + 120.0
        while not done():
            if time.monotonic() > end:
                raise TimeoutError("the bench does not do what is asked")
            self.turn()

    def turn_for(self, seconds: float) -> tuple[float, float]:
        """Go on for a while; from when to when in the run's time [s]."""
        begun_s, end = self.t_s, time.monotonic() + seconds
        self.turn_until(lambda: time.monotonic() > end)
        return begun_s, self.t_s


if __name__ == "__main__":
    main(run, __doc__)
