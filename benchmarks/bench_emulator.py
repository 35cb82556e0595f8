"""Processor time that the emulated CANopen rack takes for one cycle of six moving drives.

One thread and a virtual clock: a master that is a list of prepared bytes talks to the adapter of a
rack. A cycle is six RPDOs and SYNC in, six TPDOs out (twelve every fourth time), the master's
heartbeat every tenth time, two watchdogs on every drive, and the rods moved on by one period.
"before" is what happens until SYNC arrives (advance), "receive" takes the master's bytes in and
"transmit" makes the bytes of the answer. Sockets are left out: a turn of the loop adds one select,
one recv and one send.

    python -m benchmarks.bench_emulator [--cycles 5000]
"""

from __future__ import annotations

import gc
import math
import struct
import time
from dataclasses import replace
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.frame import case_in_words, main
from hil_common.plant import Plant
from sim.devices.can.rack import CanRack
from sim.devices.can.slcan_adapter import SlcanAdapter
from sim.devices.drive.parameters import RackSettings

BUDGET_US = 200.0
"""What one cycle of an unpaced rack at 500 Hz may cost [us]."""
CASES = ((500.0, None, 1), (250.0, None, 1), (250.0, 1_000_000, 1), (500.0, 1_000_000, 2))
"""Rate [Hz], bit rate [bit/s], buses."""
TPDO1, TPDO2, TPDO3 = 0x1800, 0x1801, 0x1802
AMPLITUDE, FREQUENCY_HZ = 10_000, 0.5
WARM_UP = 300


def line(can_id: int, data: bytes = b"") -> bytes:
    return b"t%03X%d%s\r" % (can_id, len(data), data.hex().upper().encode())


class Master:
    """Prepared bytes for the adapters of one rack, and the time at which they arrive."""

    def __init__(
        self,
        rate_hz: float,
        bitrate: int | None,
        buses: int,
        drives: RackSettings | None = None,
        plant: Plant | None = None,
    ) -> None:
        self.on_bus = tuple(k * buses // 6 for k in range(6))
        settings = replace(
            drives or RackSettings(), bitrate=bitrate, buses=self.on_bus, boot_time_s=0.0
        )
        self.rack = CanRack(settings, seed=1, plant=plant)
        self.adapters = [SlcanAdapter(self.rack, bus) for bus in range(buses)]
        self.period_s = 1.0 / rate_hz
        self.now_s = 100.0
        self.rack.advance(self.now_s)
        self.here = [0] * 6
        self.controlword, self.cycles, self.engaged_at = 0x06, 0, -1
        self.say(b"O\r")
        for node in range(1, 7):
            self.configure(node)
        self.say(line(0x000, b"\x01\x00"))

    def say(self, text: bytes, dt_s: float = 0.002) -> bytes:
        """Say something to all adapters outside the cycle."""
        for adapter in self.adapters:
            adapter.feed(text, self.now_s)
        self.now_s += dt_s
        return self.receive()

    def receive(self) -> bytes:
        text = b""
        for adapter in self.adapters:
            adapter.fetch(self.now_s)
            text += bytes(adapter.output)
            adapter.output.clear()
        return text

    def write(self, node: int, index: int, sub: int, code: str, value: int) -> None:
        data = struct.pack("<" + code, value)
        head = struct.pack("<BHB", 0x23 | (4 - len(data)) << 2, index, sub)
        answer = self.say(line(0x600 + node, head + data.ljust(4, b"\0")))
        assert b"t58%d860" % node in answer, (node, hex(index), sub, answer)

    def configure(self, node: int) -> None:
        for comm, base, kind in (
            (0x1400, 0x200, 1),
            (TPDO1, 0x180, 1),
            (TPDO2, 0x280, 4),
            (TPDO3, 0x380, 255),
        ):
            self.write(node, comm, 1, "I", 0x8000_0000 | base + node)
            self.write(node, comm, 2, "B", kind)
            if comm == TPDO3:
                self.write(node, comm, 5, "H", 100)
            self.write(node, comm, 1, "I", base + node)
        self.write(node, 0x1400, 5, "H", 50)
        self.write(node, 0x1016, 1, "I", 127 << 16 | 50)
        self.write(node, 0x60C2, 1, "B", round(1000 * self.period_s))

    def order(self) -> list[bytes]:
        """Return what each bus gets in the next cycle."""
        targets = list(self.here)
        if self.engaged_at >= 0:
            phase = 2.0 * math.pi * FREQUENCY_HZ * (self.cycles - self.engaged_at) * self.period_s
            way = round(AMPLITUDE * (1.0 - math.cos(phase)))
            targets = [here + way for here in self.here]
        texts = [b""] * len(self.adapters)
        for k, target in enumerate(targets):
            data = struct.pack("<Hbi", self.controlword, 8, target)
            texts[self.on_bus[k]] += line(0x201 + k, data)
        beat = line(0x77F, b"\x05") if self.cycles % 10 == 0 else b""
        return [text + line(0x080) + beat for text in texts]

    def cycle(self) -> tuple[bytes, float, float, float]:
        """Run one cycle; returns the answer and the processor time of the three parts [s]."""
        texts = self.order()
        self.cycles += 1
        self.now_s += self.period_s
        started = time.process_time_ns()
        self.rack.advance(self.now_s)
        advanced = time.process_time_ns()
        for adapter, text in zip(self.adapters, texts, strict=True):
            adapter.feed(text, self.now_s)
        received = time.process_time_ns()
        answer = self.receive()
        ended = time.process_time_ns()
        return answer, *(  # pyright: ignore[reportReturnType]
            1e-9 * each for each in (advanced - started, received - advanced, ended - received)
        )

    def engage(self) -> None:
        """Enable all six where they stand, and let them begin to move."""
        for controlword, cycles in ((0x06, 5), (0x07, 5), (0x0F, 200)):
            self.controlword = controlword
            for _ in range(cycles):
                answer = self.cycle()[0]
                self.here = [self.position(answer, k, self.here[k]) for k in range(6)]
        self.engaged_at = self.cycles

    @staticmethod
    def position(answer: bytes, k: int, before: int) -> int:
        """Return the last position that the TPDO1 of a drive tells, or the one before [counts]."""
        at = answer.rfind(b"t18%d7" % (k + 1))
        if at < 0:
            return before
        return struct.unpack("<Hbi", bytes.fromhex(answer[at + 5 : at + 19].decode()))[2]


def measure(rate_hz: float, bitrate: int | None, buses: int, cycles: int) -> dict[str, Any]:
    """Run one case; all times in microseconds."""
    master = Master(rate_hz, bitrate, buses)
    master.engage()
    for _ in range(WARM_UP):
        master.cycle()
    parts = np.zeros((cycles, 3))
    answers, moved = 0, set()
    gc.collect()
    for k in range(cycles):
        answer, *parts[k] = master.cycle()
        answers += answer.count(b"t18")
        moved.add(master.position(answer, 5, 0) // 1000)
    drives = [node.drive for node in master.rack.nodes]
    assert all(drive.state.name == "OPERATION_ENABLED" for drive in drives), drives[0].state
    assert len(moved) > 10, "the drives do not move"
    assert abs(answers - 6 * cycles) <= 6, answers
    whole = parts.sum(axis=1) * 1e6
    p50, p99 = np.percentile(whole, (50.0, 99.0))
    before, receive, transmit = np.median(parts, axis=0) * 1e6
    return {
        "case": case_in_words(rate_hz, buses, f"{bitrate / 1e6:g} Mbit/s" if bitrate else ""),
        "rate_hz": rate_hz,
        "bitrate": bitrate,
        "buses": buses,
        "cycles": cycles,
        "before_us": float(before),
        "receive_us": float(receive),
        "transmit_us": float(transmit),
        "p50_us": float(p50),
        "p99_us": float(p99),
        "mean_us": float(whole.mean()),
    }


def run(cycles: int = 5000, console: Console | None = None) -> dict[str, Any]:
    """Measure all cases and print the table."""
    console = console or Console(width=120)
    columns = ("Hz", "bit/s", "buses", "before", "receive", "transmit", "p50 us", "p99 us", "mean")
    table = Table(*columns, title="processor time of the emulated rack, a cycle", box=None)
    results = [measure(*case, cycles) for case in CASES]
    for case in results:
        keys = ("before_us", "receive_us", "transmit_us", "p50_us", "p99_us", "mean_us")
        paced = "unpaced" if case["bitrate"] is None else str(case["bitrate"])
        figures = (f"{case[key]:.0f}" for key in keys)
        table.add_row(f"{case['rate_hz']:g}", paced, str(case["buses"]), *figures)
    console.print(table)
    return {"cases": results, "budget_us": BUDGET_US}


if __name__ == "__main__":
    main(run, __doc__)
