"""Wake-up lateness of the real clock at 1 kHz beside cyclictest's, and drift of its deadlines.

cyclictest (Debian: rt-tests) is the yardstick of what this kernel and machine can do: a C program
that does nothing but sleep until absolute deadlines. Both take turns in slices of a few seconds
with the same policy, priority and interval, so that the machine's noise hits both alike.

    python -m benchmarks.bench_realtime [--seconds 60]
"""

from __future__ import annotations

import argparse
import json
import platform
import shutil
import subprocess
import tempfile
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from hil.timing.realtime import MonotonicSleeper, RealClock
from hil.timing.realtime_setup import RealtimeReport, RealtimeSetup

INTERVAL_US = 1000
PRIORITY = 80
SLICES = 6
HISTOGRAM_US = 100_000
TARGET_RATIO = 3.0


class RecordingSleeper(MonotonicSleeper):
    """The system's clock, with the deadlines it was given kept for the measurement of drift."""

    __slots__ = ("deadlines_ns",)

    def __init__(self) -> None:
        super().__init__()
        self.deadlines_ns: list[int] = []

    def sleep_until_ns(self, deadline_ns: int) -> None:
        self.deadlines_ns.append(deadline_ns)
        super().sleep_until_ns(deadline_ns)


def real_clock_slice(duration_s: float) -> tuple[NDArray[np.float64], int, int]:
    """Return lateness of each tick [us], overruns, and drift of the last deadline [ns].

    Drift is the last deadline minus the first, less the periods between them: 0 if no lateness ever
    moved a deadline.
    """
    cycles = round(duration_s * 1e6 / INTERVAL_US)
    sleeper = RecordingSleeper()
    clock = RealClock(sleeper)
    late_us = np.zeros(cycles)
    for tick in islice(clock.ticks(INTERVAL_US * 1e-6), cycles):
        late_us[tick.index] = tick.late_s * 1e6
    first_ns, last_ns = sleeper.deadlines_ns[0], sleeper.deadlines_ns[-1]
    drift_ns = last_ns - first_ns - (cycles - 1 + clock.overruns) * INTERVAL_US * 1000
    return late_us, clock.overruns, drift_ns


def cyclictest_slice(duration_s: float, fifo: bool) -> NDArray[np.float64]:
    """Return the lateness of each of cyclictest's wake-ups [us, whole numbers]."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.json"
        command = ["cyclictest", "--quiet", "--mlockall", "--threads=1"]
        command += [f"--interval={INTERVAL_US}", f"--duration={max(1, round(duration_s))}"]
        command += [f"--histogram={HISTOGRAM_US}", f"--json={result}"]
        command += [f"--priority={PRIORITY}"] if fifo else ["--policy=other"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        thread = json.loads(result.read_text())["thread"]["0"]
    pairs = sorted((int(late), count) for late, count in thread["histogram"].items())
    late_us = np.repeat([p[0] for p in pairs], [p[1] for p in pairs]).astype(np.float64)
    # Wake-ups beyond the histogram are known by their number and their maximum only.
    beyond = thread["cycles"] - len(late_us)
    return np.concatenate((late_us, np.full(max(0, beyond), float(thread["max"]))))


def figures(late_us: NDArray[np.float64]) -> dict[str, float]:
    p50_us, p99_us = np.percentile(late_us, (50.0, 99.0))
    return {
        "cycles": len(late_us),
        "p50_us": float(p50_us),
        "p99_us": float(p99_us),
        "max_us": float(late_us.max()),
    }


def run(duration_s: float = 60.0, console: Console | None = None) -> dict[str, Any]:
    """Measure both in turns and print the table.

    Args:
        duration_s: time for each of the two [s].
        console: where the table goes; None = standard output.

    Returns:
        Figures of both, the ratio of their p99 (None without cyclictest), drift, permissions.
    """
    beside = shutil.which("cyclictest") is not None
    ours: list[NDArray[np.float64]] = []
    theirs: list[NDArray[np.float64]] = []
    overruns, drift_ns = 0, 0
    with RealtimeSetup() as report:
        fifo = _granted(report, "priority")
        for _ in range(SLICES):
            late_us, slice_overruns, slice_drift_ns = real_clock_slice(duration_s / SLICES)
            ours.append(late_us)
            overruns += slice_overruns
            drift_ns = max(drift_ns, abs(slice_drift_ns))
            if beside:
                theirs.append(cyclictest_slice(duration_s / SLICES, fifo))
    result: dict[str, Any] = {
        "machine": f"{platform.system()} {platform.release()} {platform.machine()}",
        "interval_us": INTERVAL_US,
        "policy": f"SCHED_FIFO {PRIORITY}" if fifo else "SCHED_OTHER",
        "refused": [item.item for item in report.items if not item.ok],
        "real_clock": figures(np.concatenate(ours)) | {"overruns": overruns},
        "cyclictest": figures(np.concatenate(theirs)) if theirs else None,
        "drift_ns": drift_ns,
        "target_p99_ratio": TARGET_RATIO,
        "p99_ratio": None,
    }
    if theirs:
        result["p99_ratio"] = result["real_clock"]["p99_us"] / result["cyclictest"]["p99_us"]
    result["ok"] = drift_ns == 0 and (not theirs or result["p99_ratio"] <= TARGET_RATIO)
    show(result, console or Console())
    return result


def _granted(report: RealtimeReport, item: str) -> bool:
    return any(each.ok for each in report.items if each.item == item)


def show(result: dict[str, Any], console: Console) -> None:
    """Print the figures as a table."""
    table = Table(title=f"Wake-up lateness at {1e6 / INTERVAL_US:g} Hz, {result['policy']}")
    for column in ("", "cycles", "p50 [us]", "p99 [us]", "max [us]"):
        table.add_column(column, justify="right")
    for name in ("real_clock", "cyclictest"):
        row = result[name]
        if row is None:
            table.add_row(name, "not installed (apt install rt-tests)", "", "", "")
            continue
        values = (f"{row[key]:.0f}" for key in ("cycles", "p50_us", "p99_us", "max_us"))
        table.add_row(name, *values)
    console.print(table)
    ratio = "" if result["p99_ratio"] is None else f"p99 ratio {result['p99_ratio']:.2f}, "
    console.print(
        f"{ratio}target at most {TARGET_RATIO:g}; drift of the deadlines {result['drift_ns']} ns; "
        f"overruns {result['real_clock']['overruns']}; {result['machine']}"
    )
    if result["refused"]:
        console.print(f"refused by the system: {', '.join(result['refused'])} (see hil doctor)")


def main() -> None:
    """Run from the command line: table on standard error, JSON on standard output."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="time for each of the two")
    result = run(parser.parse_args().seconds, Console(stderr=True))
    print(json.dumps(result))


if __name__ == "__main__":
    main()
