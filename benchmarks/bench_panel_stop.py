"""How soon a platform stands after its panel was let go, frozen, slowed down, closed or killed.

A panel in a process of its own, window and all, leads a bench at 100 Hz on simulated drives until
it plays; then it is treated so, or another panel beside it stops. A watcher, which is neither,
reads what control tells: when the stop began (mode CSTOP), and when the platform stood (HOLD).

    xvfb-run -a -s "-screen 0 1366x768x24" python -m benchmarks.bench_panel_stop [--rounds 5]
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.bench_panel import SCENARIO, place_of_bench
from benchmarks.frame import main
from hil.desk import messages as m
from hil.desk.client import DeskClient
from hil.panel.live.models.feed import LiveFeed, column

PANEL: Final = """
import sys, time
from pathlib import Path
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
from hil.desk.order import Button
from hil.panel.shell.window import MainWindow
NEXT = {"IDLE": Button.HOME, "STANDBY": Button.ENGAGE, "HOLD": Button.PARK, "FAULT": Button.RESET,
        "ENGAGED": Button.PLAY}
app = QApplication([])
window = MainWindow(QSettings(sys.argv[2], QSettings.Format.IniFormat), time.monotonic, "leads")
window.show()
act = sys.argv[3]
def work(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        app.processEvents()
        app.thread().msleep(1)
while not window.views.complete:
    work(0.01)
for name, dock in window.docks.of.items():  # what is not drawn makes nobody late
    dock.setVisible(name == "margins")
assert window.connect_to(Path(sys.argv[1]), take=True)
while not (window.session.bench.operation.playing == "play"
           and window.session.bench.operation.motion_t_s > 4.2):  # near its greatest speed
    bench, state = window.session.bench, window.strip.state
    if bench.you_own and not bench.operation.held:
        state.hold_key(pressed=False)
        work(0.1)
        state.hold_key(pressed=True)
        work(0.2)
    if bench.operation.held and bench.mode in NEXT and bench.operation.playing != "play":
        state.press(NEXT[bench.mode])
    work(0.02 if bench.operation.playing == "play" else 0.5)
print("plays", flush=True)
if act == "let go":
    work(0.2)
    window.strip.state.hold_key(pressed=False)
    print(time.monotonic(), flush=True)
elif act == "closed":
    work(0.2)
    print(time.monotonic(), flush=True)
    window.shut()
elif act == "slow":
    work(0.2)
    print(time.monotonic(), flush=True)
    while True:
        time.sleep(0.4)
        app.processEvents()
while True:
    work(1.0)
"""
ACTS: Final = ("let go", "frozen", "slow", "closed", "killed", "another panel stops")
TRIES: Final = 5
OFFSETS: Final = 100
"""Rows by which the run's time is known."""
QUICK: Final = [
    f"--set=rig_settings.slow_moves.{key}"
    for key in ("speed_m_s=0.3", "acceleration_m_s2=1.0", "jerk_m_s3=8.0")
]
"""Rises in two seconds instead of five: there is nobody on the platform."""
SIGNALS: Final = {"frozen": signal.SIGSTOP, "killed": signal.SIGKILL}


@dataclass(frozen=True)
class Stopped:
    """Times of one stop [s]."""

    begun_s: float
    """From the act to the beginning of the stop."""
    stands_s: float
    """From the beginning of the stop until the platform stands."""


class Watcher:
    """Reads what control tells, all the time; monotonic times of the changes of mode.

    Args:
        path: the desk's socket.
    """

    def __init__(self, path: Path) -> None:
        self.client = DeskClient.connect(path, "watcher")
        self._feed = LiveFeed(self.client)
        self._modes = self._feed.facts.header.modes
        self._mode_at, self._time_at = (
            column(self._feed.facts.signals, name).start for name in ("mode", "t_s")
        )
        self._offsets_s: deque[float] = deque(maxlen=OFFSETS)
        self.changes: list[tuple[float, str]] = []
        """Time of the run [s] and name of each mode."""

    def look(self) -> None:
        """Take what came, and how much the run's time and this one differ at most."""
        self.client.send(m.Alive(held=False, stamp_s=time.monotonic()))
        self.client.poll()
        rows = self._feed.poll().rows
        if len(rows):
            self._offsets_s.append(time.monotonic() - float(rows[-1, self._time_at]))
        for t_s, code in rows[:, [self._time_at, self._mode_at]].tolist():
            mode = self._modes[int(code)]
            if not self.changes or self.changes[-1][1] != mode:
                self.changes.append((t_s, mode))

    def until(self, done: Callable[[], bool], most_s: float = 60.0) -> None:
        """Look 300 times a second until something is so."""
        end = time.monotonic() + most_s
        while not done():
            if time.monotonic() > end:
                raise TimeoutError(f"the bench does not do what is asked: {self.changes[-5:]}")
            self.look()
            time.sleep(0.003)

    def stop_after(self, act_s: float) -> Stopped:
        """What follows an act at a monotonic time [s]."""
        # Of the last rows only: a run whose deadlines were given up lags from then on.
        offset_s = min(self._offsets_s)
        since_s = act_s - offset_s - 0.01

        def when(mode: str) -> float | None:
            return next((t_s for t_s, name in self.changes if t_s > since_s and name == mode), None)

        self.until(lambda: when("HOLD") is not None, 3.0)
        begun_s, stands_s = when("CSTOP"), when("HOLD")
        if begun_s is None or stands_s is None:
            raise ValueError(f"no stop: {self.changes[-5:]}")
        return Stopped(begun_s + offset_s - act_s, stands_s - begun_s)


def run(rounds: int = 5, console: Console | None = None) -> dict[str, float | str]:
    """Measure; the results are printed and returned."""
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return {"skipped": "no display"}
    with tempfile.TemporaryDirectory() as folder:
        found = _measured(Path(folder), rounds)
    table = Table("panel", "stop begins after [ms]", "stands after that [ms]", title="panel, stop")
    told: dict[str, float | str] = {}
    for act, stops in found.items():
        begun = [1e3 * one.begun_s for one in stops]
        stands = [1e3 * one.stands_s for one in stops]
        table.add_row(act, _span(begun), _span(stands))
        key = act.replace(" ", "_")
        told[f"{key}_begun_ms"] = float(np.median(begun))
        told[f"{key}_stands_ms"] = float(np.median(stands))
    (console or Console()).print(table)
    return told


def _span(values: list[float]) -> str:
    return f"{np.median(values):.0f} ({min(values):.0f} to {max(values):.0f})"


def _measured(folder: Path, rounds: int) -> dict[str, list[Stopped]]:
    scenario = folder / "panel.toml"
    scenario.write_text(
        SCENARIO.replace("rate_hz = 1000.0", "rate_hz = 100.0").replace('"presence"', '"hold"')
    )
    bench = subprocess.Popen(
        [sys.executable, "-m", "hil.cli", "run", str(scenario), "--operator",
         "--out", str(folder / "runs"), *QUICK],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    found: dict[str, list[Stopped]] = {act: [] for act in ACTS}
    try:
        watcher = Watcher(place_of_bench(bench))
        for _ in range(rounds):
            for act in ACTS:
                found[act].append(_tried(watcher, act, folder))
    finally:
        bench.terminate()
        bench.wait(60.0)
    return found


def _tried(watcher: Watcher, act: str, folder: Path) -> Stopped:
    """One stop; a machine so busy that the panel had let go before is tried again."""
    for _ in range(TRIES):
        with suppress(TimeoutError, ValueError):
            return _one(watcher, act, folder)
    raise TimeoutError(f"{act}: in none of {TRIES} tries the motion went on until the act")


def _one(watcher: Watcher, act: str, folder: Path) -> Stopped:
    """One panel leads until it plays, and is treated so."""
    said = folder / "said"
    with said.open("w") as stream:
        panel = subprocess.Popen(
            [sys.executable, "-c", PANEL, str(watcher.client.path), str(folder / "panel.ini"), act],
            stdout=stream,
        )

    def told(lines: int) -> bool:
        return len(said.read_text().split()) >= lines

    try:
        watcher.until(lambda: told(1))
        if act in SIGNALS:
            act_s = time.monotonic()
            panel.send_signal(SIGNALS[act])
        elif act == "another panel stops":
            act_s = time.monotonic()
            watcher.client.send(m.Stop(id=watcher.client.next_id()))
        else:
            watcher.until(lambda: told(2))
            act_s = float(said.read_text().split()[1])
        stopped = watcher.stop_after(act_s)
    finally:
        panel.kill()
        panel.wait()
    free_s = time.monotonic() + 2.5  # the motion is free after 2 s of silence
    watcher.until(lambda: time.monotonic() > free_s)
    return stopped


if __name__ == "__main__":
    main(run, __doc__)
