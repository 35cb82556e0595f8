"""The cycle of gate and drives on a wire: round trip, missed cycles and processor time.

The emulated rack runs in a process of its own behind a real adapter protocol; this process does
what the gate's process does: gate, bank and real clock, under SCHED_FIFO if it may. "Missed" counts
cycles in which the frame of any leg did not come in time, "overruns" deadlines that were given up.
An unpaced rack shows what the software costs; a paced one takes the time that 1 Mbit/s takes, and
the last column is what is left of its round trip when the frames' own time is taken off.

A machine that stands still for longer than the gate bridges ends a run, as it should; the run is
then begun anew until the time is full, and "ended" counts how often. What the machine itself did in
the same minutes is told by cyclictest, at a higher priority than all of ours.

    python -m benchmarks.bench_rack [--seconds 60]
"""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.frame import case_in_words, main
from drives.bank import DriveError
from drives.bus_budget import frame_bits
from hil.config.file_search import configs_dir
from hil.machines.rig.machine import gate_limits, load_rig
from hil.stations.platform.cycle.gated_bank import GatedBank
from hil.stations.platform.drives.rack import emulated_rack
from hil.stations.platform.drives.setup import bank_spec
from hil.stations.platform.gate.spec import build_bank
from hil.stations.platform.plan.scenario import plan_from_table
from hil.timing.realtime import RealClock
from hil.timing.realtime_setup import RealtimePolicy, RealtimeSetup
from safety.gate import Gate
from safety.modes import Mode, Request
from safety.verdict import Setpoint

RIG_FILE = configs_dir() / "rigs" / "paper.toml"
PRIORITY = 90
AMPLITUDE_M = 0.01
FREQUENCY_HZ = 0.5
P99_US = 700.0
CPU_SHARE = 0.10
BEGUN_AGAIN_MAX = 30
CASES = (
    # protocol, wire, buses, rate [Hz], paced, SDO a second
    ("canopen", "tcp", 1, 250.0, False, 0.0),
    ("canopen", "pty", 1, 250.0, False, 0.0),
    ("canopen", "tcp", 2, 500.0, False, 0.0),
    ("canopen", "tcp", 2, 500.0, False, 50.0),
    ("canopen", "tcp", 1, 250.0, True, 0.0),
    ("canopen", "tcp", 2, 500.0, True, 0.0),
    ("modbus-tcp", "tcp", 1, 250.0, False, 0.0),
)
ASK = {Mode.OFF: Request.CONFIGURED, Mode.IDLE: Request.HOME, Mode.STANDBY: Request.ENGAGE}


class Drive:
    """A gated bank on a rack, led through its modes into a gentle motion of all legs."""

    def __init__(self, url: str, rate_hz: float) -> None:
        table = {
            "name": "bench",
            "rig": str(RIG_FILE),
            "clock": "real",
            "rate_hz": rate_hz,
            "devices": {"drives": url},
            "motion": {"kind": "hold", "duration_s": 1.0},
        }
        plan = plan_from_table(table, Path("bench"))
        self.clock = RealClock()
        self.bank = build_bank(bank_spec(plan), self.clock.now_s)
        self.gate = Gate(gate_limits(plan.rig, plan.scenario.period_s))
        self.gated = GatedBank(self.gate, self.bank)
        self.period_s = plan.scenario.period_s
        self.start_m: tuple[float, ...] = ()
        self.first = 0

    def asked(self, index: int) -> Setpoint | None:
        if self.gated.mode not in (Mode.ENGAGING, Mode.ENGAGED) or self.gate.commanded is None:
            return None
        if not self.start_m:
            self.start_m, self.first = self.gate.commanded.length_m, index
        omega = 2.0 * math.pi * FREQUENCY_HZ
        phase = omega * (index - self.first) * self.period_s
        way, speed = 1.0 - math.cos(phase), omega * math.sin(phase)
        lengths = tuple(start + AMPLITUDE_M * way for start in self.start_m)
        return Setpoint(index, lengths, (AMPLITUDE_M * speed,) * 6)  # pyright: ignore[reportArgumentType]

    def cycle(self, tick: Any) -> Any:
        request = ASK.get(self.gated.mode)
        return self.gated.cycle(tick, self.asked(tick.index), (request,) if request else ())


def read_beside(bank: Any, rate_hz: float, stop: threading.Event, done: list[float]) -> None:
    """Read objects of the drives from another thread; keep how long each took [s]."""
    while not stop.wait(1.0 / rate_hz):
        started_s = time.monotonic()
        with suppress(DriveError):  # the bus no longer answers once the gate has ended the run
            bank.read_object(1 + len(done) % 6, 0x6077)
        done.append(time.monotonic() - started_s)


def measure(url: str, rate_hz: float, seconds: float, sdo_hz: float) -> dict[str, Any]:
    """Run one case and return its figures."""
    drive = Drive(url, rate_hz)
    sdo_s: list[float] = []
    with ExitStack() as stack:
        stack.callback(drive.gated.close)
        # First: locking memory takes longer than the drives' watchdogs wait for the first cycle.
        stack.enter_context(RealtimeSetup(RealtimePolicy(priority=PRIORITY)))
        drive.gated.open()
        if sdo_hz:
            stop = threading.Event()
            arguments = (drive.bank, sdo_hz, stop, sdo_s)
            thread = threading.Thread(target=read_beside, args=arguments)
            thread.start()
            stack.callback(thread.join)
            stack.callback(stop.set)
        ticks = drive.clock.ticks(1.0 / rate_hz)
        for tick in ticks:
            verdict = drive.cycle(tick).verdict
            if verdict.faults:
                return {"trips": np.zeros(0), "ended": f"on the way: {verdict.faults[0]}"}
            if drive.asked(tick.index + 1) is not None:
                break
        cycles = round(seconds * rate_hz)
        trips = np.zeros(cycles)
        missed, overruns = 0, drive.clock.overruns
        wall_s, cpu_s = time.monotonic(), time.process_time()
        ended = ""
        for k, tick in enumerate(islice(ticks, cycles)):
            exchange = drive.cycle(tick)
            trips[k] = drive.bank.link_report().round_trip_s  # pyright: ignore[reportAttributeAccessIssue]
            missed += not all(exchange.feedback.fresh)
            if exchange.verdict.faults:
                ended = str(exchange.verdict.faults[0])
                break
        wall_s, cpu_s = time.monotonic() - wall_s, time.process_time() - cpu_s
        return {
            "trips": trips[: k + 1],  # pyright: ignore[reportPossiblyUnboundVariable]
            "missed": missed,
            "overruns": drive.clock.overruns - overruns,
            "wall_s": wall_s,
            "cpu_s": cpu_s,
            "sdo_s": sdo_s,
            "ended": ended,
        }


def measure_whole(case: dict[str, Any], duration_s: float) -> dict[str, Any]:
    """Run one case until it has lasted long enough, beginning anew whenever the gate ended it."""
    parts: list[dict[str, Any]] = []
    wanted, done = round(duration_s * case["rate_hz"]), 0
    while done < wanted and len(parts) < BEGUN_AGAIN_MAX:
        with emulated_rack(
            case["protocol"], str(RIG_FILE), paced=case["paced"], pty=case["wire"] == "pty",
            buses=case["buses"],
        ) as url:  # fmt: skip
            left_s = (wanted - done) / case["rate_hz"]
            parts.append(measure(url, case["rate_hz"], left_s, case["sdo_hz"]))
        done += len(parts[-1]["trips"])
    reasons = [part["ended"] for part in parts if part["ended"]]
    moved = [part for part in parts if len(part["trips"])]
    if not moved:
        return {"ended": len(reasons), "reason": reasons[-1]}
    trips = np.concatenate([part["trips"] for part in moved])
    sdo_s = [time_s for part in moved for time_s in part["sdo_s"]]
    p50, p99 = np.percentile(trips, (50.0, 99.0)) * 1e6
    return {
        "cycles": len(trips),
        "missed": sum(part["missed"] for part in moved),
        "overruns": sum(part["overruns"] for part in moved),
        "p50_us": float(p50),
        "p99_us": float(p99),
        "max_us": float(trips.max() * 1e6),
        "cpu_share": sum(part["cpu_s"] for part in moved) / sum(part["wall_s"] for part in moved),
        "sdo": len(sdo_s),
        "sdo_p50_us": float(np.median(sdo_s) * 1e6) if sdo_s else None,
        "ended": len(reasons),
        "reason": reasons[-1] if reasons else "",
    }


@contextmanager
def machine_watched(told: dict[str, Any]) -> Iterator[None]:
    """Let cyclictest tell the longest lateness of the machine itself [us] while this lasts."""
    if shutil.which("cyclictest") is None:
        yield
        return
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        command = ["cyclictest", "--quiet", "--mlockall", "--affinity", "--threads"]
        command += ["--priority=95", "--interval=1000", f"--json={file.name}"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            yield
        finally:
            process.terminate()
            process.wait()
        threads = json.loads(Path(file.name).read_text())["thread"]
        told["machine_max_us"] = max(thread["max"] for thread in threads.values())


def bus_time_us(buses: int) -> float:
    """Time of SYNC, RPDOs and TPDOs of 7 bytes at 1 Mbit/s, stuffing at its worst [us]."""
    return frame_bits(0) + 12.0 / buses * frame_bits(7)


def run(seconds: float = 60.0, console: Console | None = None) -> dict[str, Any]:
    """Measure all cases and print the table."""
    console = console or Console(width=120)
    load_rig(RIG_FILE)
    results: list[dict[str, Any]] = []
    for protocol, wire, buses, rate_hz, paced, sdo_hz in CASES:
        case: dict[str, Any] = {"protocol": protocol, "wire": wire, "buses": buses}
        case |= {"rate_hz": rate_hz, "paced": paced, "sdo_hz": sdo_hz}
        words = case_in_words(rate_hz, buses, "1 Mbit/s" if paced else "")
        case["case"] = f"{protocol} {wire}, {words}" + f", {sdo_hz:g} objects/s" * bool(sdo_hz)
        with machine_watched(case):
            try:
                figures = measure_whole(case, seconds)
            except DriveError as error:
                figures = {"reason": str(error)}
        results.append(case | figures)
    show(results, console)
    return {"cases": results, "p99_us": P99_US, "cpu_share": CPU_SHARE}


def show(results: list[dict[str, Any]], console: Console) -> None:
    columns = ("wire", "Hz", "paced", "SDO/s", "cycles", "missed", "overruns", "ended")
    figures = ("p50 us", "p99 us", "max us", "CPU %", "p99 less bus", "machine max us")
    table = Table(*columns, *figures, title="gate and drives", box=None)
    for case in results:
        if "cycles" not in case:
            table.add_row(case["protocol"], f"{case['rate_hz']:g}")
            console.print(f"{case['protocol']}: {case['reason']}", markup=False, soft_wrap=True)
            continue
        left = case["p99_us"] - bus_time_us(case["buses"]) if case["paced"] else None
        table.add_row(
            f"{case['protocol']} {case['wire']}{' 2 buses' if case['buses'] == 2 else ''}",
            f"{case['rate_hz']:g}",
            "yes" if case["paced"] else "no",
            f"{case['sdo_hz']:g}",
            str(case["cycles"]),
            str(case["missed"]),
            str(case["overruns"]),
            str(case["ended"]),
            *(f"{case[key]:.0f}" for key in ("p50_us", "p99_us", "max_us")),
            f"{100.0 * case['cpu_share']:.1f}",
            "" if left is None else f"{left:.0f}",
            str(case.get("machine_max_us", "")),
        )
        if case["reason"]:
            console.print(f"last end: {case['reason']}", markup=False, soft_wrap=True)
    console.print(table)


if __name__ == "__main__":
    main(run, __doc__)
