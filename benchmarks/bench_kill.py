"""What happens when a process of a running bench is killed or stopped in mid-motion.

Real processes over an emulated rack: the controller is killed (SIGKILL) or frozen (SIGSTOP), and
the gate's own record tells after how many of its cycles it sent the first corrective setpoint; then
the gate itself is killed, and the rack's console tells when the drives have noticed by themselves.

    python -m benchmarks.bench_kill [--times 5]
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.frame import main

CYCLES_MAX = 3
STOP_S = 0.050
TOLD_EVERY_S = 0.002
SCENARIO = "heave"
MOVING_WITHIN_S = 60.0


class Bench:
    """A rack and a controller that runs a scenario on it, as a user would start them."""

    def __init__(self, folder: Path) -> None:
        hil = [sys.executable, "-m", "hil.cli"]
        self.folder = folder
        self.rack = subprocess.Popen(
            [*hil, "drives", "rack", "--protocol", "canopen", "--unpaced"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
        )
        self.url = self.rack.stdout.readline().decode().strip()  # pyright: ignore[reportOptionalMemberAccess]
        command = [*hil, "run", SCENARIO, "--drives", self.url, "--set", "rate_hz=250"]
        self.control = subprocess.Popen(
            [*command, "--out", str(folder), "--json"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.told = b""
        os.set_blocking(self.rack.stderr.fileno(), False)  # pyright: ignore[reportOptionalMemberAccess]

    def states(self) -> list[tuple[str, float]]:
        """State and extension [m] of the six drives, as the rack's console tells them now."""
        self._swallow()
        self.rack.stdin.write(b"status\n")  # pyright: ignore[reportOptionalMemberAccess]
        answer = b""
        while answer.count(b"\n") < 6:
            answer += self.rack.stderr.read(65536) or b""  # pyright: ignore[reportOptionalMemberAccess]
        lines = [line for line in answer.decode().splitlines() if line.startswith("drive ")]
        return [(line.split(",")[1].strip(), float(line.split("x = ")[1][:6])) for line in lines]

    def _swallow(self) -> None:
        while self.rack.stderr.read(65536):  # pyright: ignore[reportOptionalMemberAccess]
            pass

    def wait_for_motion(self) -> None:
        end_s = time.monotonic() + MOVING_WITHIN_S
        before = None
        while time.monotonic() < end_s:
            now = self.states()
            enabled = all(state == "OPERATION_ENABLED" for state, _ in now)
            ways = [abs(a[1] - b[1]) for a, b in zip(now, before or now, strict=True)]
            if enabled and min(ways) > 1e-3:
                return
            before = now
            time.sleep(0.1)
        raise RuntimeError("the platform did not begin to move")

    def gate_pid(self) -> int:
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
                parent = (entry / "stat").read_text().rpartition(")")[2].split()[1]
            except OSError:
                continue
            if b"hil.stations.platform.gate.process" in words and int(parent) == self.control.pid:
                return int(entry.name)
        raise RuntimeError("there is no gate's process")

    def end(self) -> None:
        for process in (self.control, self.rack):
            process.kill()
            process.wait()


@contextmanager
def bench() -> Iterator[Bench]:
    with tempfile.TemporaryDirectory() as folder:
        running = Bench(Path(folder))
        try:
            running.wait_for_motion()
            yield running
        finally:
            running.end()


def control_ends(number: signal.Signals) -> dict[str, Any]:
    """Send the controller a signal; what the gate did, from its own record."""
    with bench() as running:
        gate = running.gate_pid()
        running.control.send_signal(number)
        while Path(f"/proc/{gate}").exists() and _state(gate) != "Z":
            time.sleep(0.05)
        (record,) = running.folder.glob("*/gate.jsonl")
        lines = [json.loads(line) for line in record.read_text().splitlines()]
    cycles = [line for line in lines if "mode" in line]
    last_heard = max(line["cycle"] for line in cycles if line["heard"])
    first_stop = min(line["cycle"] for line in cycles if line["mode"] == "CSTOP")
    lengths = np.array([c["allowed_length_m"] for c in cycles if c["allowed_length_m"]])
    return {"cycles": first_stop - last_heard, "at_rest": not np.diff(lengths[-10:], axis=0).any()}


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


def gate_ends() -> dict[str, Any]:
    """Kill the gate; how long until every drive has left operation by itself [s]."""
    with bench() as running:
        os.kill(running.gate_pid(), signal.SIGKILL)
        killed_s = time.monotonic()
        while any(state == "OPERATION_ENABLED" for state, _ in running.states()):
            time.sleep(TOLD_EVERY_S)
        return {"noticed_s": time.monotonic() - killed_s}


def run(times: int = 5, console: Console | None = None) -> dict[str, Any]:
    """Do each several times and print the table."""
    killed = [control_ends(signal.SIGKILL) for _ in range(times)]
    frozen = [control_ends(signal.SIGSTOP) for _ in range(times)]
    gate = [gate_ends() for _ in range(times)]
    table = Table("what", "times", "median", "worst", "limit", title="a process dies", box=None)
    for name, rows in (("control killed", killed), ("control frozen", frozen)):
        counts = [row["cycles"] for row in rows]
        rest = "at rest" if all(row["at_rest"] for row in rows) else "NOT AT REST"
        cells = (f"{np.median(counts):g} cycles", f"{max(counts)} cycles, {rest}")
        table.add_row(name, str(times), *cells, f"{CYCLES_MAX} cycles")
    waits = [1e3 * row["noticed_s"] for row in gate]
    cells = (f"{np.median(waits):.1f} ms", f"{max(waits):.1f} ms")
    table.add_row("gate killed: drives stop", str(times), *cells, f"{STOP_S * 1e3:.0f} ms")
    (console or Console(width=120)).print(table)
    stops = {"control killed": killed, "control frozen": frozen}
    return {
        "control_killed": killed, "control_frozen": frozen, "gate_killed": gate,
        "stop_cycles": {
            name: median_and_worst([row["cycles"] for row in rows]) for name, rows in stops.items()
        },
        "noticed_s": median_and_worst([row["noticed_s"] for row in gate]),
    }  # fmt: skip


def median_and_worst(values: list[float]) -> dict[str, float]:
    """Both of the values."""
    return {"median": float(np.median(values)), "worst": float(max(values))}


if __name__ == "__main__":
    main(run, __doc__)
