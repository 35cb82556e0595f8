"""What the panel costs: start to first picture, processor time at 30 Hz, and the loop's lateness.

A bench runs at 1 kHz on simulated drives; after a while a panel is opened beside it, with the
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
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from hil.desk.places import benches
from hil.recording.reader import Recording

SCENARIO = """\
name = "panel"
rig = "paper"
clock = "real"
rate_hz = 1000.0
[motion]
kind = "multi_sine"
duration_s = 600.0
fade_s = 1.0
terms = [{ axis = "z", amplitude_m = 0.02, frequency_hz = 0.3 }]
"""
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
        end = time.monotonic() + 60.0
        while not (places := [one for one in benches() if one.pid == bench.pid]):
            if time.monotonic() > end or bench.poll() is not None:
                raise TimeoutError("the bench did not start")
            time.sleep(0.1)
        time.sleep(seconds)
        panel = subprocess.run(
            [sys.executable, "-c", PANEL, str(places[0].path), str(folder / "panel.ini"),
             str(seconds), str(time.monotonic())],
            stdout=subprocess.PIPE, check=True, text=True,
        )  # fmt: skip
    finally:
        bench.terminate()
        bench.wait(60.0)
    first, last = panel.stdout.splitlines()
    share, _ = last.split()
    recording = Recording.open(next((folder / "runs").glob("*/*.mcap")))
    late_us = 1e6 * np.abs(recording.column("late_s"))
    times = recording.t_s
    # The recording ends with the panel; its last part is with it, its first part without.
    ends_s = float(times[-1])
    p99_with = float(np.percentile(late_us[times > ends_s - seconds], 99))
    early = (times > 1.0) & (times < seconds - 1.0)
    p99_without = float(np.percentile(late_us[early], 99))
    return {
        "first_picture_s": float(first),
        "cpu_share": float(share),
        "late_p99_without_us": p99_without,
        "late_p99_with_us": p99_with,
        "late_ratio": p99_with / p99_without,
        "cycles": recording.cycles,
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=30.0)
    print(run(parser.parse_args().seconds))
