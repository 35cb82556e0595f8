"""From a simulator to the drives in real time: python -m benchmarks.bench_latency [--seconds S].

An emulated FlightGear sends to a ride whose gate drives six emulated CANopen drives on two buses:
at 500 Hz with frames that take no time, as the software's own share, and with those of 1 Mbit/s,
which leave control half a millisecond of a cycle; and at 250 Hz. Rule, at 500 Hz: from the kernel's
stamp of a packet to its setpoint on the wire half of them take at most 2 cycles and 99 of 100 at
most 3.5. A machine that stands still for longer than the gate bridges ends a ride, as it should;
the next one begins, and "ended" counts how often. What the machine itself did meanwhile is told by
cyclictest, at a higher priority than all of ours.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.bench_rack import machine_watched
from benchmarks.frame import main
from hil.config.errors import RefusedError
from hil.recording.reader import Recording
from hil.stations.simulator.cue.latency_run import require_seconds, ridden
from hil.stations.simulator.figures.latency import SHARES, WORDS, LatencyTrail, latency_trail
from hil.stations.simulator.run.warm import warm_ride

RIDE_S: Final = 30.0
RIDES_MAX: Final = 20
P50_PERIODS, P99_PERIODS = 2.0, 3.5


class Case(NamedTuple):
    """What is ridden."""

    rate_hz: float
    paced: bool

    def __str__(self) -> str:
        return f"{self.rate_hz:g} Hz, frames {'of 1 Mbit/s' if self.paced else 'in no time'}"


CASES: Final = (Case(500.0, False), Case(500.0, True), Case(250.0, True))


def measured(case: Case, seconds: float) -> dict[str, Any]:
    """Figures of rides that were followed for so long in all."""
    told: dict[str, Any] = {"case": str(case), "rides": 0, "ended": []}
    trails: list[LatencyTrail] = []
    followed_s = 0.0
    with machine_watched(told), tempfile.TemporaryDirectory() as folder:
        while followed_s < seconds and told["rides"] < RIDES_MAX:
            told["rides"] += 1
            try:
                _, result = ridden(
                    "flight_live", seconds=RIDE_S, drives="", folder=Path(folder), quiet=True,
                    changes=(f"rate_hz={case.rate_hz:g}",), paced=case.paced,
                )  # fmt: skip
            except RefusedError as error:
                told["ended"].append(str(error))
                continue
            trail = latency_trail(Recording.open(result.recorder.path))
            if len(trail.t_s):
                trails.append(trail)
                followed_s += float(trail.t_s[-1] - trail.t_s[0])
            if not result.ok:
                told["ended"].append(result.reason)
    told |= {"followed_s": followed_s, "ended_early": len(told["ended"])}
    return told | (figures(trails, case) if trails else {})


def figures(trails: list[LatencyTrail], case: Case) -> dict[str, Any]:
    """Shares [ms] and the way to the wire [cycles]: p50, p99, max."""
    shares = np.concatenate([trail.shares_s for trail in trails])
    way = np.concatenate([trail.kernel_to_wire_s for trail in trails]) * case.rate_hz
    way = way[np.isfinite(way)]
    known = [at for at in range(len(SHARES)) if np.isfinite(shares[:, at]).any()]
    p50, p99, most = np.percentile(way, [50.0, 99.0, 100.0]).tolist()
    return {
        "packets": len(way),
        "shares_ms": {
            SHARES[at]: (1e3 * np.nanpercentile(shares[:, at], [50.0, 99.0, 100.0])).tolist()
            for at in known
        },
        "kernel_to_wire_periods": {"p50": p50, "p99": p99, "max": most},
        "holds": p50 <= P50_PERIODS and p99 <= P99_PERIODS,
    }


def show(told: dict[str, Any], console: Console) -> None:
    """Print one case."""
    machine = told.get("machine_max_us", "not there:")
    console.print(f"{told['case']}: {told['rides']} rides, {told['followed_s']:.0f} s followed")
    console.print(f"cyclictest meanwhile: latest {machine} us; ended early: {len(told['ended'])}")
    for reason in sorted(set(told["ended"])):
        console.print(f"  {told['ended'].count(reason)} x {reason}", markup=False, soft_wrap=True)
    if "holds" not in told:
        return
    table = Table("share", "p50 ms", "p99 ms", "max ms", title=f"{told['packets']} packets")
    for name, each in told["shares_ms"].items():
        table.add_row(WORDS[name], *(f"{one:.2f}" for one in each))
    table.add_section()
    way = told["kernel_to_wire_periods"].values()
    table.add_row("kernel's stamp to the wire, cycles", *(f"{one:.2f}" for one in way))
    console.print(table)
    console.print(f"p50 <= {P50_PERIODS:g}, p99 <= {P99_PERIODS:g} cycles: {told['holds']}")


def run(seconds: float = 60.0, console: Console | None = None) -> dict[str, Any]:
    """Measure all cases, print their tables, return the figures."""
    require_seconds(seconds)
    console = console or Console()
    warm_ride(quiet=True)
    cases = [measured(case, seconds) for case in CASES]
    for told in cases:
        show(told, console)
    return {"cases": cases}


if __name__ == "__main__":
    main(run, __doc__)
