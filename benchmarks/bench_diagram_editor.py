"""The editor of diagrams: to open, to pan, to write live values; and what watching costs the loop.

A loop computes a diagram of 200 blocks at 1 kHz and tells its values. Beside it there is in turn
the editor, which shows 200 values at 20 Hz, and a process that takes as much processor time for
nothing; the turns alternate, and the lateness of all comes from one loop. Needs a display; drawing
is done by the processor.

    xvfb-run -a -s "-screen 0 1920x1200x24" python -m benchmarks.bench_diagram_editor
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Final

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.bench_diagram import channels
from benchmarks.busy import BesideBusy, beside, cpu_s, in_rhythm
from benchmarks.frame import main
from hil.diagram.file.model import DiagramFile
from hil.diagram.file.write import save

SIZE: Final = 1000
LOOP_BLOCKS: Final = 200
BEGIN_S: Final = 2.0
"""Of a turn, before it is taken into account [s]."""
LOOP: Final = """
import sys
from pathlib import Path
import numpy as np
from hil.diagram.run.engine import Engine
from hil.diagram.check.diagram import check
from hil.diagram.file.read import read_text
from hil.diagram.run.taps import OpenTaps
from hil.timing.realtime import RealClock
from hil.timing.realtime_setup import RealtimeSetup
path, seconds, out = Path(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
text = path.read_text()
engine = Engine(check(read_text(text, path)))
engine.step()
count = int(1000 * seconds)
late = np.zeros((count, 2))
clock = RealClock()
with OpenTaps("loop", path, text, {}) as opened, RealtimeSetup():
    print("begun", flush=True)
    for number, tick in enumerate(clock.ticks(0.001)):
        if number == count:
            break
        engine.step()
        opened.taps.push(engine)
        late[number] = clock.now_s(), tick.late_s
np.save(out, late)
"""
EDITOR: Final = """
import os, sys
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from hil.panel.diagram.models.document import Document
from hil.panel.diagram.window import DiagramWindow
app = QApplication([])
window = DiagramWindow(Document(Path(sys.argv[1])))
window.resize(1920, 1160)
window.show()
window.view.fit()
while window.view.transform().m11() < 0.4:
    window.view.zoom(1.05)
window.live.watch()
def tell():
    shown = sum(bool(item.words) for item in window.scene.values.values())
    print(shown, window.live.status_label.text(), window.statusBar().currentMessage(), flush=True)
QTimer.singleShot(1500, tell)
app.exec()
"""


def run(pairs: int = 7, seconds: float = 8.0, console: Console | None = None
        ) -> dict[str, float | int | str]:  # fmt: skip
    """Measure; the results are printed and returned.

    Args:
        pairs: turns with the editor and without.
        seconds: of each.
        console: where the table goes.
    """
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return {"skipped": "no display"}
    with tempfile.TemporaryDirectory() as folder:
        found = _drawn(Path(folder)) | _watched(Path(folder), pairs, seconds)
    table = Table("figure", "measured", "goal", title="editor of diagrams")
    table.add_row(f"open {SIZE} blocks (s)", f"{found['open_s']:.2f}", "0.5")
    table.add_row("pan (pictures a second)", f"{found['pan_hz']:.0f}", "30")
    table.add_row("200 values written and drawn (ms)", f"{found['values_ms']:.1f}", "50")
    table.add_row("values of the loop shown", f"{found['shown']:.0f}", "64 outputs")
    table.add_row("share of a core of the editor", f"{found['cpu_share']:.2f}", "")
    ours, busy, most = (1e6 * found[f"late_p99_{one}_s"] for one in ("editor", "busy", "bound"))
    table.add_row("p99 lateness beside the editor (us)", f"{ours:.0f}", f"{most:.0f}")
    table.add_row("p99 lateness beside as much work (us)", f"{busy:.0f}", "")
    (console or Console()).print(table)
    return {**found}


def placed(blocks: int) -> DiagramFile:
    """So many blocks, each with a place."""
    file = channels(blocks)
    names = sorted(file.top.blocks)
    places = {name: (number % 40 * 180, number // 40 * 120) for number, name in enumerate(names)}
    return replace(file, top=replace(file.top, places=places))


def _drawn(folder: Path) -> dict[str, float]:
    from PySide6.QtWidgets import QApplication

    from hil.panel.diagram.models.document import Document
    from hil.panel.diagram.window import DiagramWindow

    app = QApplication.instance() or QApplication([])
    path = folder / "large.toml"
    save(placed(SIZE), path)
    opened: list[float] = []
    for _ in range(5):
        begun = time.perf_counter()
        window = DiagramWindow(Document(path))
        window.show()
        window.view.fit()
        app.processEvents()
        opened.append(time.perf_counter() - begun)
        window.close()
    window = DiagramWindow(Document(path))
    window.show()
    window.view.fit()
    while window.view.transform().m11() < 0.5:
        window.view.zoom(1.2)
    app.processEvents()
    bar = window.view.horizontalScrollBar()
    begun, steps = time.perf_counter(), 60
    for step in range(steps):
        bar.setValue(bar.minimum() + (bar.maximum() - bar.minimum()) * step // steps)
        app.processEvents()
    pan_s = time.perf_counter() - begun
    window.live.run()
    written: list[float] = []
    for _ in range(20):
        if window.live.source is not None:
            window.live.source.advance(0.05)
        begun = time.perf_counter()
        window.live.refresh()
        app.processEvents()
        written.append(time.perf_counter() - begun)
    window.close()
    return {"open_s": median(opened), "pan_hz": steps / pan_s, "values_ms": 1e3 * median(written)}


def _watched(folder: Path, pairs: int, seconds: float) -> dict[str, float]:
    path, out = folder / "loop.toml", folder / "late.npy"
    save(placed(LOOP_BLOCKS), path)
    place = {"XDG_RUNTIME_DIR": str(folder)}
    os.environ.update(place)
    turn_s = BEGIN_S + seconds
    spans: dict[str, list[tuple[float, float]]] = {"editor": [], "busy": []}
    share = shown = 0.0
    total_s = 2 * pairs * (turn_s + 2.0) + 10.0
    loop = subprocess.Popen(
        [sys.executable, "-c", LOOP, str(path), str(total_s), str(out)], stdout=subprocess.PIPE
    )
    _line(loop)
    for _ in range(pairs):
        with beside("-c", EDITOR, str(path)) as editor:
            words = _line(editor).split()
            shown = float(words[0])
            time.sleep(BEGIN_S)
            begun, used = time.monotonic(), cpu_s(editor.pid)
            time.sleep(seconds)
            spans["editor"].append((begun, time.monotonic()))
            share = (cpu_s(editor.pid) - used) / (time.monotonic() - begun)
        with beside(*in_rhythm(0.05, 0.05 * share)):
            time.sleep(BEGIN_S)
            begun = time.monotonic()
            time.sleep(seconds)
            spans["busy"].append((begun, time.monotonic()))
    loop.wait()
    at_s, late_s = np.load(out).T
    p99 = {
        kind: [float(np.percentile(late_s[(at_s >= a) & (at_s < b)], 99)) for a, b in found]
        for kind, found in spans.items()
    }
    judged = BesideBusy.of_pairs(list(zip(p99["editor"], p99["busy"], strict=True)))
    return {
        "shown": shown, "cpu_share": share, "late_p99_editor_s": judged.ours_s,
        "late_p99_busy_s": judged.busy_s, "late_p99_bound_s": judged.bound_s,
    }  # fmt: skip


def _line(process: subprocess.Popen[bytes]) -> str:
    """The next line that a process says."""
    return "" if process.stdout is None else process.stdout.readline().decode()


if __name__ == "__main__":
    main(run, __doc__)
