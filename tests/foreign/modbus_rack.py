"""Six servo drives behind a Modbus TCP gateway, one unit each, that nobody here wrote.

A program of its own: `python modbus_rack.py CODE DURATION_S`. Once in its life, a while after a rod
has got far from where it stood, it answers with exception CODE for DURATION_S (0: one answer).
"""

import os
import select
import sys
import time
from dataclasses import dataclass, field

from drive402 import Drive402, identity_rows
from electro_cylinder import ElectroCylinder
from foreign_rack import PRODUCT, STARTS_M, STEP_S, VENDOR, serial_numbers
from habits import Habits
from modbus_server import GATEWAY_TARGET_SILENT, ModbusError, ModbusFunctions, ModbusServer
from object_dictionary import ObjectDictionary, Row
from rack_watch import Watch, like_hardware, told
from servo_registers import ServoRegisters
from slave_rows import profile_rows
from units import Mechanics

WAY_M, LATER_S = 0.33, 1.5
"""A rod that has got so far lets the exceptions begin, so much later: in the middle of a heave."""
SILENT = 0x8250
"""EMCY code of a request that stayed away; here of 603Fh."""


@dataclass
class ServoUnit:
    """A drive with registers."""

    drive: Drive402
    registers: ServoRegisters
    asked_s: float | None = None
    errors: list[int] = field(default_factory=list)

    def advance(self, now_s: float) -> None:
        """Its watchdog, and what it has to tell."""
        limit_s = self.drive.objects.number(0x2001) * 1e-3
        if self.asked_s is not None and limit_s and now_s - self.asked_s > limit_s:
            self.asked_s = None
            self.drive.connection_lost(SILENT)
        while self.drive.news:
            code = self.drive.news.pop(0)
            if code:
                self.errors.append(code)


class ModbusRack:
    """The units behind one gateway.

    Args:
        code: of the exceptions.
        duration_s: how long they are given.
    """

    def __init__(self, code: int, duration_s: float) -> None:
        self.now_s = 0.0
        self.units = [self._unit(leg) for leg in range(6)]
        self.functions = ModbusFunctions(self._read, self._write, self._refuse)
        self._code = code
        self._duration_s = duration_s
        self._begins_s: float | None = None
        self.given = 0

    def _unit(self, leg: int) -> ServoUnit:
        mechanics = Mechanics()
        rows = profile_rows() | identity_rows(VENDOR, PRODUCT, serial_numbers()[leg], "Servo")
        rows[0x2000, 0] = Row("I", round(mechanics.counts_per_m), "ro")
        rows[0x2001, 0] = Row("H", 0)
        rows[0x60C2, 1].value = 10  # it smooths setpoints over 10 ms
        objects = ObjectDictionary(rows)
        rod = ElectroCylinder(STARTS_M[leg])
        drive = Drive402(objects, rod, mechanics, Habits(), zero_m=STARTS_M[leg] - 0.004)
        return ServoUnit(drive, ServoRegisters(objects))

    def _of(self, unit: int) -> ServoUnit:
        if not 1 <= unit <= 6:
            raise ModbusError(GATEWAY_TARGET_SILENT)
        self.units[unit - 1].asked_s = self.now_s
        return self.units[unit - 1]

    def _read(self, unit: int, address: int, count: int) -> list[int]:
        return self._of(unit).registers.read(address, count)

    def _write(self, unit: int, address: int, values: list[int]) -> None:
        self._of(unit).registers.write(address, values)

    def _refuse(self, unit: int, function: int) -> int:
        if not self._code or self._begins_s is None or self.now_s < self._begins_s:
            return 0
        if self.given and self.now_s - self._begins_s > self._duration_s:
            return 0
        self.given += 1
        return self._code

    def run(self) -> None:
        """Serve masters until standard input ends."""
        server = ModbusServer(self.functions)
        told(url=server.url)
        watch = Watch(self.units)
        like_hardware()
        begin_s, stepped_s = time.monotonic(), 0.0
        while True:
            ready, _, _ = select.select([0, *server.readable], [], [], STEP_S)
            self.now_s = time.monotonic() - begin_s
            if 0 in ready and not os.read(0, 4096):
                told(exceptions=self.given, functions=sorted(self.functions.asked))
                return
            server.read()
            for unit in self.units:
                unit.advance(self.now_s)
            while stepped_s + STEP_S <= self.now_s:
                stepped_s += STEP_S
                for unit in self.units:
                    unit.drive.step(STEP_S)
                watch.step(stepped_s)
            if self._begins_s is None and watch.furthest_m > WAY_M:
                self._begins_s = self.now_s + LATER_S
            watch.look(server, self.now_s)


if __name__ == "__main__":
    ModbusRack(int(sys.argv[1]), float(sys.argv[2])).run()
