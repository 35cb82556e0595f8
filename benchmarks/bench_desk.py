"""What the desk costs the loop, and how soon a request of the operator reaches control.

The loop pays for one push of telemetry and one look at the slot per cycle; both are measured with
no reader, and with a reader in another process that reads as fast as it can. An order's way goes
from a panel's socket through the desk's process into the slot.

    python -m benchmarks.bench_desk [--cycles 50000] [--orders 500]
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.frame import main
from hil.desk import messages as m
from hil.desk.client import DeskClient
from hil.desk.operation import Operation
from hil.desk.order import LatestOrder, OperatorOrder
from hil.desk.process import DeskProcess
from hil.ipc.broadcast import Broadcast
from hil.recording.events import ROWS
from hil.recording.header import RunHeader
from hil.stations.arm.signals import SIGNALS as ARM_SIGNALS
from hil.stations.platform.signals import SIGNALS

READER = """
import os, sys
from hil.ipc.broadcast import BroadcastReader
reader = BroadcastReader(int(sys.argv[1]))
print(flush=True)
while os.getppid() == int(sys.argv[2]):
    reader.read()
"""


def percentiles(values_us: list[float]) -> dict[str, float]:
    """Median, 99th percentile and largest [us]."""
    return {
        "p50_us": statistics.median(values_us),
        "p99_us": statistics.quantiles(values_us, n=100)[98],
        "max_us": max(values_us),
    }


def timed(call: Callable[[], object], count: int) -> dict[str, float]:
    """Percentiles of a call's time, the clock's own cost included [us]."""
    for _ in range(count // 10):
        call()
    values_us = []
    for _ in range(count):
        begun_ns = time.perf_counter_ns()
        call()
        values_us.append((time.perf_counter_ns() - begun_ns) * 1e-3)
    return percentiles(values_us)


def pushes(count: int, *, watched: bool) -> dict[str, float]:
    """Pushing a cycle's row into shared telemetry."""
    ring, row = Broadcast.shared(), bytes(SIGNALS.size)
    reader = None
    if watched:
        arguments = [sys.executable, "-c", READER, str(ring.fileno()), str(os.getpid())]
        reader = subprocess.Popen(arguments, stdout=subprocess.PIPE, pass_fds=(ring.fileno(),))
        if reader.stdout is not None:
            reader.stdout.readline()
    try:
        return timed(lambda: ring.push(ROWS, row), count)
    finally:
        if reader is not None:
            reader.kill()
            reader.communicate()
        ring.release()


def looks(count: int, *, news: bool) -> dict[str, float]:
    """Looking at the operator's slot, with or without something new in it."""
    slot = LatestOrder.local()
    order = OperatorOrder(1.0, motion_serial=1, motion_json=bytes(16_000))
    slot.write(order)
    slot.read()
    if not news:
        return timed(slot.read, count)
    values_us = []
    for number in range(count):
        slot.write(replace(order, stamp_s=float(number)))
        begun_ns = time.perf_counter_ns()
        slot.read()
        values_us.append((time.perf_counter_ns() - begun_ns) * 1e-3)
    return percentiles(values_us)


def ways(count: int) -> dict[str, float]:
    """From a panel's sign of life to the order that control reads [us]."""
    header = RunHeader(ARM_SIGNALS, {"scenario": "bench"})
    values_us = []
    with (
        tempfile.TemporaryDirectory() as folder,
        DeskProcess(header, 0.002, station="arm", place=Path(folder) / "hil-bench") as process,
    ):
        client = DeskClient.connect(process.path, "bench")
        client.send(m.Take())
        for _ in range(count):
            stamp_s = time.monotonic()
            client.send(m.Alive(held=True, stamp_s=stamp_s))
            while (order := process.slot.read()) is None or order.stamp_s != stamp_s:
                os.sched_yield()
            values_us.append((time.monotonic() - stamp_s) * 1e6)
        client.close()
    return percentiles(values_us)


def run(
    cycles: int = 50_000, orders: int = 500, console: Console | None = None
) -> dict[str, dict[str, float]]:
    """Measure, print a table, return the figures."""
    operation = Operation(0.5, True, "play", 3, 12.345, seen=(1,) * 8)
    results = {
        f"push of a row ({SIGNALS.size} bytes)": pushes(cycles, watched=False),
        "the same, with a greedy reader": pushes(cycles, watched=True),
        "look at the slot, nothing new": looks(cycles, news=False),
        "look at the slot, a new order": looks(cycles // 10, news=True),
        "an operation as JSON": timed(operation.to_bytes, cycles // 10),
        "from the panel to control": ways(orders),
    }
    table = Table("what", "p50 us", "p99 us", "max us", title=f"the desk, {cycles} cycles")
    for name, figures in results.items():
        table.add_row(name, *(f"{value:.2f}" for value in figures.values()))
    (console or Console(width=100)).print(table)
    return results


if __name__ == "__main__":
    main(run, __doc__)
