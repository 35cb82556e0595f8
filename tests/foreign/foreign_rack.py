"""Six CANopen drives that nobody here wrote, behind an SLCAN adapter on a TCP port of loopback.

A program of its own: `python foreign_rack.py VARIANT`. Standard output has one JSON object a line:
first the URL, then what each host did once it has gone. Standard input is a console, also of JSON
objects: {"push": [[leg, way_m]]}, {"tell": "places"}. Its end is the rack's.
FOREIGN_TRACE names a file for all frames.

Left out: error frames, arbitration and the time of frames on the wire, the platform that couples
the rods.
"""

import json
import os
import select
import sys
import time
from pathlib import Path

from canopen_slave import CanopenSlave
from drive402 import Drive402, identity_rows
from electro_cylinder import ElectroCylinder
from habits import Habits
from object_dictionary import ObjectDictionary
from rack_watch import Watch, like_hardware, told
from slave_rows import communication_rows, pdo_rows, profile_rows
from slcan_adapter import SlcanAdapter
from variants import BY_NAME, Variant

STEP_S = 0.001
VENDOR, PRODUCT, FIRST_SERIAL = 0x0000_0F0E, 0x0402, 70_001
STARTS_M = (0.0280, 0.0291, 0.0302, 0.0273, 0.0285, 0.0268)
"""Where the rods stand: most within their home switch, one just outside."""


def serial_numbers() -> list[int]:
    """On the plates of legs 1 to 6."""
    return [FIRST_SERIAL + leg for leg in range(6)]


class ForeignRack:
    """The drives of a variant on one bus.

    Args:
        variant: what they are like.
    """

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        self.adapter = SlcanAdapter(self._from_host)
        self.slaves: list[CanopenSlave] = []
        self.now_s = 0.0
        trace = os.environ.get("FOREIGN_TRACE")
        self._trace = Path(trace).open("w", encoding="ascii") if trace else None  # noqa: SIM115
        for leg, node in enumerate(variant.nodes, start=1):
            self._add(leg, node, STARTS_M[leg - 1])
        for stranger in variant.strangers:
            self._add(7, stranger, 0.1)
        self._sync_at_s = 0.0
        self._watch = Watch(self.slaves)

    def _add(self, leg: int, node: int, place_m: float) -> None:
        variant = self.variant
        changed = leg in variant.legs
        rows = communication_rows(node) | profile_rows()
        rows |= pdo_rows(node, *variant.pdos, variant.entries)
        rows |= identity_rows(VENDOR, PRODUCT, self._serial(leg), "Servo drive")
        for change in variant.changes if changed else ():
            change(rows)
        habits = variant.habits if changed else Habits()
        objects = ObjectDictionary(rows)
        sign = variant.drives.get("sign", 1)
        count_m = 0.001 * leg * leg  # an encoder's count at power-up is any
        if leg == 2 and variant.start_count is not None:
            count_m = sign * variant.start_count / variant.mechanics.counts_per_m
        drive = Drive402(
            objects,
            ElectroCylinder(place_m),
            variant.mechanics,
            habits,
            sign=sign,
            zero_m=place_m - count_m,
        )
        slave = CanopenSlave(node, objects, drive, self._to_host, variant.pdos, variant.entries)
        slave.power_on(0.0)
        if habits.found_enabled:
            slave.power_on(-habits.boot_s)
            slave.advance(0.0)
            slave.receive(0, bytes([1, node]), 0.0)
        self.slaves.append(slave)

    def _serial(self, leg: int) -> int:
        pair = self.variant.exchanged or (0, 0)
        other = {pair[0]: pair[1], pair[1]: pair[0]}.get(leg, leg)
        return FIRST_SERIAL + other - 1

    def _from_host(self, can_id: int, data: bytes, remote: bool) -> None:
        self._watch.host_frames += 1
        self._note(">", can_id, data)
        for slave in self.slaves:
            slave.receive(can_id, data, self.now_s, remote=remote)

    def _to_host(self, can_id: int, data: bytes) -> None:
        self._note("<", can_id, data)
        self.adapter.send(can_id, data)

    def _note(self, direction: str, can_id: int, data: bytes) -> None:
        if self._trace is not None:
            self._trace.write(f"{self.now_s:10.4f} {direction} {can_id:03X} {data.hex(' ')}\n")

    def push(self, leg: int, way_m: float) -> None:
        """Move a rod by hand."""
        drive = self.slaves[leg - 1].drive
        drive.rod.place_m += way_m
        drive.hold_here()

    def run(self) -> None:
        """Serve hosts until standard input ends."""
        told(url=self.adapter.url)
        like_hardware()
        begin_s = time.monotonic()
        stepped_s = 0.0
        while True:
            ready, _, _ = select.select([0, *self.adapter.readable], [], [], STEP_S)
            self.now_s = time.monotonic() - begin_s
            if 0 in ready and not self._console():
                return
            self.adapter.read()
            for slave in self.slaves:
                slave.advance(self.now_s)
            self._foreign_sync()
            while stepped_s + STEP_S <= self.now_s:
                stepped_s += STEP_S
                for slave in self.slaves:
                    slave.drive.step(STEP_S)
                self._watch.step(stepped_s)
            self.adapter.flush()
            self._watch.look(self.adapter, self.now_s)

    def _console(self) -> bool:
        text = os.read(0, 4096).decode()
        for line in text.splitlines():
            command = json.loads(line)
            for leg, way_m in command.get("push", []):
                self.push(leg, way_m)
            if "tell" in command:
                told(places_m=[round(slave.drive.rod.place_m, 6) for slave in self.slaves[:6]])
        return bool(text)

    def _foreign_sync(self) -> None:
        rate_hz = self.variant.foreign_sync_hz
        if rate_hz and self.now_s >= self._sync_at_s:
            self._sync_at_s = self.now_s + 1.0 / rate_hz
            self._to_host(0x080, b"")
            for slave in self.slaves:
                slave.receive(0x080, b"", self.now_s)


if __name__ == "__main__":
    ForeignRack(BY_NAME[sys.argv[1]]).run()
