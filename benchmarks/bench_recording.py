"""What recording costs: bytes of a run, time of a row written, time to read all columns.

Rows are those of the shipped scenario `demo`, run on the virtual clock; for reading they are
repeated to ten minutes at 500 Hz. The judge of reading is the loop over messages of the `mcap`
library, whose messages NumPy then reads at once.

    python -m benchmarks.bench_recording [--minutes 10]
"""

from __future__ import annotations

import argparse
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

from hil.recording.events import ROWS
from hil.recording.header import RECORDING_NAME
from hil.recording.reader import Recording
from hil.recording.recorder import Recorder
from hil.recording.ring import RecorderRing
from hil.stations.platform.signals import SIGNALS, packed

TIMES: Final = 5
RATE_HZ: Final = 500.0


def run(minutes: float = 10.0, console: Console | None = None) -> dict[str, float]:
    """Measure, print a table, return the figures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        demo = _demo(folder)
        rows = _rows(demo)
        long = folder / "long.mcap"
        results = {
            "recording of demo [MB]": demo.stat().st_size / 1e6,
            "a row packed [us]": _median(lambda: _pack(demo)) * 1e6,
            "a row from the ring to the file [us]": _median(
                lambda: _written(long, Recording.open(demo), rows, len(rows))
            )
            * 1e6
            / len(rows),
        }
        count = round(60.0 * minutes * RATE_HZ)
        _written(long, Recording.open(demo), rows, count)
        ours = _median(lambda: Recording.open(long))
        theirs = _median(lambda: _by_messages(long))
        results[f"all columns of {minutes:g} min read [s]"] = ours
        results["the same by the loop of mcap [s]"] = theirs
        results["times as quick"] = theirs / ours
    table = Table("what", "figure", title=f"recording: medians of {TIMES}")
    for what, value in results.items():
        table.add_row(what, f"{value:.2f}")
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


def _median(call: Callable[[], object]) -> float:
    """Seconds of a call; what it returns is subtracted if it is a number of seconds."""
    took: list[float] = []
    for _ in range(TIMES):
        begun = time.perf_counter()
        told = call()
        took.append(told if isinstance(told, float) else time.perf_counter() - begun)
    return statistics.median(took)


def _pack(path: Path) -> float:
    """Seconds that the quick packing of a cycle's row takes."""
    recording = Recording.open(path)
    values = [recording.column(signal.name)[5000].tolist() for signal in SIGNALS.shown]
    named = dict(zip([signal.name for signal in SIGNALS.shown], values, strict=True))
    if np.isnan(named["measured_inputs_bits"]).any():
        named["measured_inputs_bits"] = None
    arguments = list(named.values())
    begun = time.perf_counter()
    for _ in range(10_000):
        packed(*arguments)
    return (time.perf_counter() - begun) / 10_000


def _written(path: Path, like: Recording, rows: list[bytes], count: int) -> float:
    """Seconds that so many rows take from the ring to the file, at half a chunk of motion each."""
    path.unlink(missing_ok=True)
    recorder = Recorder(RecorderRing.local(4096), path, like.header)
    size = SIGNALS.offsets[1]
    took = 0.0
    for index in range(count):
        row = bytearray(rows[index % len(rows)])
        row[size : size + 8] = np.float64(index / RATE_HZ).tobytes()
        begun = time.perf_counter()
        recorder.ring.push(ROWS, bytes(row))
        if index % 16 == 0:
            recorder.service()
        took += time.perf_counter() - begun
    begun = time.perf_counter()
    recorder.finish()
    return took + time.perf_counter() - begun


def _by_messages(path: Path) -> dict[str, np.ndarray]:
    """All columns by the library's own loop."""
    with path.open("rb") as file:
        messages = make_reader(file).iter_messages(SIGNALS.topics[0])
        data = b"".join([message.data for _, _, message in messages])
    rows = np.frombuffer(data, SIGNALS.dtype())
    return {name: np.ascontiguousarray(rows[name]) for name in rows.dtype.names or ()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--minutes", type=float, default=10.0)
    run(parser.parse_args().minutes)


if __name__ == "__main__":
    main()
