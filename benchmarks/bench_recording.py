"""What recording costs: bytes of a run, time of a row written, time to read all columns.

Rows are those of the shipped scenario `demo`, run on the virtual clock; for reading they are
repeated to ten minutes at 500 Hz. The judge of reading is the loop over messages of the `mcap`
library, whose messages NumPy then reads at once.

    python -m benchmarks.bench_recording [--minutes 10]
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
from mcap.reader import make_reader
from rich.console import Console
from rich.table import Table

from benchmarks.frame import main
from hil.recording.events import ROWS
from hil.recording.header import RECORDING_NAME, RunHeader
from hil.recording.reader import Recording
from hil.recording.recorder import Recorder, RecorderRing
from hil.recording.rows import dtype_of
from hil.recording.writer import RecordingWriter
from hil.stations.platform.signals import SIGNALS, packed

TIMES: Final = 7
RATE_HZ: Final = 500.0
MB_MOST: Final = 6.8
READ_MOST_S: Final = 2.0
"""For all columns of ten minutes [s]."""
QUICKER_MIN: Final = 3.0
"""Than the loop of mcap."""


def run(minutes: float = 10.0, console: Console | None = None) -> dict[str, float]:
    """Measure, print a table, return the figures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        demo = _demo(folder)
        size_mb = demo.stat().st_size / 1e6
        header, rows = Recording.open(demo).header, _rows(demo)
        long = folder / "long.mcap"
        _repeated(long, header, rows, round(60.0 * minutes * RATE_HZ))
        packing = statistics.median(_pack(demo) for _ in range(TIMES))
        writing = statistics.median(_write(folder / "w.mcap", header, rows) for _ in range(TIMES))
        reading = (lambda: Recording.open(long), lambda: _columns(long), lambda: _by_messages(long))
        rounds = [[_seconds(call) for call in reading] for _ in range(TIMES)]
        opened, ours, theirs = map(statistics.median, zip(*rounds, strict=True))
    results = {
        "recording of demo [MB]": size_mb,
        "a row packed [us]": packing * 1e6,
        "a row from the ring to the file [us]": writing * 1e6,
        f"all columns of {minutes:g} min read [s]": ours,
        "of it opening [s]": opened,
        "the same by the loop of mcap [s]": theirs,
        "times as quick": theirs / ours,
    }
    table = Table("what", "figure", "asked", title=f"recording: medians of {TIMES}")
    asked = {
        "recording of demo [MB]": f"<= {MB_MOST:g}",
        "all columns of 10 min read [s]": f"<= {READ_MOST_S:g}",
        "times as quick": f">= {QUICKER_MIN:g}",
    }
    for what, value in results.items():
        table.add_row(what, f"{value:.2f}", asked.get(what, ""))
    (console or Console(width=100)).print(table)
    return results


def _demo(folder: Path) -> Path:
    command = [sys.executable, "-m", "hil.cli", "run", "demo", "--clock", "virtual"]
    subprocess.run(
        [*command, "--out", str(folder)], check=True, stdout=subprocess.DEVNULL, env=os.environ
    )
    (run_folder,) = folder.iterdir()
    return run_folder / RECORDING_NAME


def _rows(path: Path) -> list[bytes]:
    with path.open("rb") as file:
        messages = make_reader(file).iter_messages(SIGNALS.topics[0])
        return [message.data for _, _, message in messages]


def _seconds(call: Callable[[], object]) -> float:
    """Processor time of a call [s], which other work on the machine hardly lengthens."""
    begun = time.process_time()
    call()
    return time.process_time() - begun


def _pack(path: Path) -> float:
    """Seconds that the quick packing of a cycle's row takes."""
    recording = Recording.open(path)
    values = [recording.column(signal.name)[5000].tolist() for signal in SIGNALS.shown]
    named = dict(zip([signal.name for signal in SIGNALS.shown], values, strict=True))
    if np.isnan(named["measured_inputs_bits"]).any():
        named["measured_inputs_bits"] = None
    arguments = list(named.values())

    def pack() -> None:
        for _ in range(10_000):
            packed(*arguments)

    return _seconds(pack) / 10_000


def _write(path: Path, header: RunHeader, rows: list[bytes]) -> float:
    """Seconds that a row takes from the loop's push to the file, as in a dry run."""
    path.unlink(missing_ok=True)
    recorder = Recorder(RecorderRing.local(4096), path, header)

    def write() -> None:
        for index, row in enumerate(rows):
            recorder.ring.push(ROWS, row)
            if index % 16 == 0:
                recorder.service()
        recorder.finish()

    return _seconds(write) / len(rows)


def _repeated(path: Path, header: RunHeader, rows: list[bytes], count: int) -> None:
    """A recording of so many rows, one after the other in time."""
    writer = RecordingWriter(path, header, sync=False)
    block = np.frombuffer(b"".join(rows), np.uint8).reshape(len(rows), SIGNALS.size)
    time_at = SIGNALS.offsets[1]
    for first in range(0, count, len(rows)):
        part = block[: count - first].copy()
        t_s = (first + np.arange(len(part))) / RATE_HZ
        part[:, time_at : time_at + 8] = t_s.view(np.uint8).reshape(-1, 8)
        writer.add_rows(part, first)
    writer.finish({})


def _columns(path: Path) -> dict[str, np.ndarray]:
    """All columns, one after the other."""
    return dict(Recording.open(path).columns)


def _by_messages(path: Path) -> dict[str, np.ndarray]:
    """All columns by the library's own loop."""
    with path.open("rb") as file:
        messages = make_reader(file).iter_messages(SIGNALS.topics[0])
        data = b"".join([message.data for _, _, message in messages])
    rows = np.frombuffer(data, dtype_of(SIGNALS))
    return {name: np.ascontiguousarray(rows[name]) for name in rows.dtype.names or ()}


if __name__ == "__main__":
    main(run, __doc__)
