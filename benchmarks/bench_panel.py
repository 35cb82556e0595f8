"""What the panel costs: start to first picture, processor time at 30 Hz, and the loop's lateness.

A bench plays a motion at 1 kHz on simulated drives; then a panel is opened beside it, with the
picture in space and eight traces of 60 s. The lateness of the loop with and without it comes from
one and the same recording. Needs a display with OpenGL; drawing is done by the processor if there
is no graphics hardware.

    xvfb-run -a -s "-screen 0 1366x768x24" python -m benchmarks.bench_panel [--seconds 30]
"""

from __future__ import annotations

import argparse
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

from hil.desk import messages as m
from hil.desk.client import DeskClient
from hil.desk.places import benches
from hil.panel.models.feed import LiveFeed, column
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
PANEL = """
import resource, sys, time
from pathlib import Path
begun = float(sys.argv[4])
from PySide6.QtCore import QSettings, QSize, QTimer
from PySide6.QtWidgets import QApplication
from hil.panel.window import MainWindow
from hil.realtime import RealClock
app = QApplication([])
settings = QSettings(sys.argv[2], QSettings.Format.IniFormat)
window = MainWindow(settings, RealClock().now_s, "bench")
window.resize(QSize(1366, 768))
window.show()
assert window.connect_to(Path(sys.argv[1]))
while window.session.bench.mode is None:
    app.processEvents()
    app.thread().msleep(1)
window.grab()
print(time.monotonic() - begun, flush=True)
model = window.views["scope"].model
for name in ("asked_length_leg1_m", "asked_length_leg2_m"):
    model.show(name)
window.views["scope"].view.set_model(model)
model.set_span(60.0)
seconds = float(sys.argv[3])
used = lambda: sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
state = {}
def begin():
    state.update(cpu=used(), at=time.monotonic())
def end():
    share = (used() - state["cpu"]) / (time.monotonic() - state["at"])
    print(share, len(model.traces), flush=True)
    window.shut()
    app.quit()
QTimer.singleShot(3000, begin)
QTimer.singleShot(3000 + int(1000 * seconds), end)
app.exec()
"""


def run(seconds: float = 30.0, console: Console | None = None) -> dict[str, float | int | str]:
    """Measure; the results are printed and returned.

    Args:
        seconds: with the panel, and about as long without.
        console: where the table goes.
    """
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return {"skipped": "no display"}
    with tempfile.TemporaryDirectory() as folder:
        found = _measured(Path(folder), seconds)
    table = Table("figure", "measured", "goal", title="panel")
    table.add_row("start to first picture [s]", f"{found['first_picture_s']:.2f}", "3")
    table.add_row("share of one core at 30 Hz", f"{found['cpu_share']:.2f}", "0.60")
    table.add_row("p99 lateness without [us]", f"{found['late_p99_without_us']:.0f}", "")
    table.add_row("p99 lateness with [us]", f"{found['late_p99_with_us']:.0f}", "")
    table.add_row("ratio", f"{found['late_ratio']:.2f}", "1.3")
    (console or Console()).print(table)
    return {**found}


def _measured(folder: Path, seconds: float) -> dict[str, float]:
    scenario = folder / "panel.toml"
    scenario.write_text(SCENARIO)
    bench = subprocess.Popen(
        [sys.executable, "-m", "hil.cli", "run", str(scenario), "--operator",
         "--out", str(folder / "runs")],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        leader = Leader(_place(bench))
        leader.turn_until(lambda: leader.plays)
        without_s = leader.turn_for(seconds)
        panel = subprocess.Popen(
            [sys.executable, "-c", PANEL, str(leader.path), str(folder / "panel.ini"),
             str(seconds), str(time.monotonic())],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        leader.turn_until(lambda: panel.poll() is not None)
        with_s = (leader.t_s - seconds, leader.t_s)
        told, _ = panel.communicate()
    finally:
        bench.terminate()
        bench.wait(60.0)
    first, last = told.splitlines()
    recording = Recording.open(next((folder / "runs").glob("*/*.mcap")))
    late_us = 1e6 * np.abs(recording.column("late_s"))
    p99 = [
        float(np.percentile(late_us[(recording.t_s > start) & (recording.t_s < end)], 99))
        for start, end in (without_s, with_s)
    ]
    return {
        "first_picture_s": float(first),
        "cpu_share": float(last.split()[0]),
        "late_p99_without_us": p99[0],
        "late_p99_with_us": p99[1],
        "late_ratio": p99[1] / p99[0],
        "cycles": recording.cycles,
    }


def _place(bench: subprocess.Popen[bytes]) -> Path:
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
            column(self._feed.facts.layout, name).start for name in ("mode", "t_s")
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
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=30.0)
    print(run(parser.parse_args().seconds))
