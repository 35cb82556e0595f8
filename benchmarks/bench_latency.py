"""From a simulator to the drives in real time: python -m benchmarks.bench_latency [--seconds S].

An emulated FlightGear sends to a ride at 500 Hz, whose gate drives six emulated CANopen drives on
two buses of 1 Mbit/s. Rule: from the kernel's stamp of a packet to its setpoint on the wire half of
them take at most 2 cycles and 99 of 100 at most 3.5. A machine that stands still for longer than
the gate bridges ends a ride, as it should; the next one begins, and "ended" counts how often. What
the machine itself did meanwhile is told by cyclictest, at a higher priority than all of ours.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, Final

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.bench_rack import machine_watched
from benchmarks.frame import main
from hil.config.errors import RefusedError
from hil.recording.reader import Recording
from hil.stations.simulator.latency import SHARES, WORDS, latency_trail
from hil.stations.simulator.latency_run import require_seconds, ridden
from hil.stations.simulator.warm import warm_ride

RIDE_S: Final = 30.0
RIDES_MAX: Final = 40
P50_PERIODS, P99_PERIODS = 2.0, 3.5


def measured(seconds: float) -> dict[str, Any]:
    """Figures of rides that were followed for so long in all."""
    told: dict[str, Any] = {"rides": 0, "ended": []}
    trails: list[Any] = []
    period_s, followed_s = 0.002, 0.0
    warm_ride(quiet=True)
    with machine_watched(told), tempfile.TemporaryDirectory() as folder:
        while followed_s < seconds and told["rides"] < RIDES_MAX:
            told["rides"] += 1
            try:
                plan, result = ridden(
                    "flight_live", seconds=RIDE_S, drives="", folder=Path(folder), quiet=True
                )
            except RefusedError as error:
                told["ended"].append(str(error))
                continue
            period_s = plan.scenario.period_s
            trail = latency_trail(Recording.open(result.recorder.path))
            if len(trail.t_s):
                trails.append(trail)
                followed_s += float(trail.t_s[-1] - trail.t_s[0])
            if not result.ok:
                told["ended"].append(result.reason)
    told["followed_s"] = followed_s
    if not trails:
        return told
    shares = np.concatenate([trail.shares_s for trail in trails])
    way = np.concatenate([trail.kernel_to_wire_s for trail in trails])
    way = way[np.isfinite(way)] / period_s
    told["packets"] = len(way)
    told["shares_ms"] = {
        name: np.nanpercentile(shares[:, at], [50.0, 99.0, 100.0]).tolist()
        for at, name in enumerate(SHARES)
    }
    p50, p99, most = np.percentile(way, [50.0, 99.0, 100.0]).tolist()
    told["kernel_to_wire_periods"] = {"p50": p50, "p99": p99, "max": most}
    told["holds"] = p50 <= P50_PERIODS and p99 <= P99_PERIODS
    return told


def run(seconds: float = 60.0, console: Console | None = None) -> dict[str, Any]:
    """Measure, print the table, return the figures."""
    require_seconds(seconds)
    console = console or Console()
    told = measured(seconds)
    machine = told.get("machine_max_us", "not there")
    console.print(f"{told['rides']} rides, {told['followed_s']:.0f} s followed; ended early:")
    for reason in told["ended"]:
        console.print(f"  {reason}", markup=False, soft_wrap=True)
    console.print(f"cyclictest meanwhile: latest {machine} us")
    if "holds" not in told:
        return told
    table = Table("share", "p50 ms", "p99 ms", "max ms", title=f"{told['packets']} packets")
    for name, figures in told["shares_ms"].items():
        table.add_row(WORDS[name], *(f"{one:.2f}" for one in figures))
    way = told["kernel_to_wire_periods"]
    table.add_section()
    table.add_row("kernel's stamp to the wire, cycles", *(f"{one:.2f}" for one in way.values()))
    console.print(table)
    console.print(f"p50 <= {P50_PERIODS:g}, p99 <= {P99_PERIODS:g} cycles: {told['holds']}")
    return told


if __name__ == "__main__":
    main(run, __doc__)
