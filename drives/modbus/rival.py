"""Another controller at a Modbus gateway: seen before anything is written, and during a run.

A gateway on TCP serves all that connect, and no lock of this computer keeps out one that runs on
another. Before the first write, drives that are under force or move, or cyclic registers that
somebody changes, are refused. Afterwards the cyclic registers are read back from time to time: what
does not hold what this bench wrote last has another writer. A serial line needs no such look: two
masters on it garble each other's frames, which stops both.
"""

import threading
from collections.abc import Mapping, Sequence

from drives.axes.cia402 import WITH_FORCE, state_of
from drives.axes.count_circle import difference
from drives.axes.scaling import LegScale
from drives.bank import DriveSetupError
from drives.modbus.codec import AxisAnswer, CycleCodec
from drives.modbus.errors import ModbusError, ModbusExceptionError
from drives.modbus.gateway import ModbusGateway
from drives.modbus.register_map import CycleBlock, RegisterMap
from drives.modbus.requests import READ_MAX, pieces
from hil_common.legs import LEG_COUNT

FOREIGN_MASTER = 0x8150
"""Error code of all legs when somebody else writes (as on CAN: identifier collision, CiA 301)."""
APART_S = 0.06
"""Time between two looks before the first write [s]."""
MOTION_M = 5e-5
"""A leg that has gone further in that time moves [m]."""
POLL_EVERY_S = 0.1
"""Time between two readings of the registers [s]."""
_LEFT_SO = (
    "an earlier run may have left it so, or another controller leads it: take the power off the "
    "drives, or stop that one, and start again; nothing was written"
)
_LED = "another controller has it: stop that one, and start again; nothing was written"


class RivalWatch:
    """Looks for another writer at one gateway.

    Args:
        scales: Scale of each leg, 6.
        watches: Whether registers are read back in operation.
    """

    def __init__(
        self, map_: RegisterMap, scales: Sequence[LegScale], period_s: float, *, watches: bool
    ) -> None:
        self._map, self._scales, self._watches = map_, tuple(scales), watches
        self._codec = CycleCodec(map_)
        self._every = max(1, round(POLL_EVERY_S / period_s))
        self._cycle = 0
        self._answered: set[int] = set()
        self.found = ""
        """Who else writes, in words; empty if nobody was seen."""

    def refuse(self, gateway: ModbusGateway) -> None:
        """Refuse drives that somebody else has; only reads.

        Raises:
            ModbusError: If a request is not answered.
            DriveSetupError: With leg, what was seen, and what to do.
        """
        first, registers = self._answers(gateway), self._registers(gateway)
        for leg, answer in enumerate(first, start=1):
            state = state_of(answer.statusword)
            if state is not None and state in WITH_FORCE:
                text = f"leg {leg} is {state.value} (statusword 0x{answer.statusword:04X})"
                text = f"{gateway.url}: {text} before anything was asked of it"
                raise DriveSetupError(f"{text}: {_LEFT_SO}")
        threading.Event().wait(APART_S)
        last = self._answers(gateway)
        for leg, (scale, before, after) in enumerate(
            zip(self._scales, first, last, strict=True), start=1
        ):
            moved_m = abs(difference(after.position, before.position)) / scale.counts_per_m
            if moved_m > MOTION_M:
                text = f"{gateway.url}: leg {leg} moved by {1e3 * moved_m:.3g} mm in {APART_S:g} s"
                text += f", more than {1e3 * MOTION_M:g} mm, before anything was asked of it"
                raise DriveSetupError(f"{text}: {_LED}")
        again = self._registers(gateway)
        for unit, held in registers.items():
            if again.get(unit, held) != held:
                text = f"{gateway.url}: somebody writes the cyclic registers of unit {unit}"
                raise DriveSetupError(f"{text}: {_LED}")

    def check(self, gateway: ModbusGateway, written: Mapping[int, Sequence[int]]) -> None:
        """Read a unit's registers back, if it is time; a unit that cannot be read back is skipped.

        Args:
            written: Registers that were written last, by unit.
        """
        self._cycle += 1
        if not self._watches or self.found or self._cycle % self._every:
            return
        units = self._map.units
        unit = units[self._cycle // self._every % len(units)]
        ours = written.get(unit)
        if ours is None:
            return
        held = self._read(gateway, unit)
        if held is None:
            return
        if held == list(ours):
            self._answered.add(unit)
        elif unit in self._answered:  # else it may be one that keeps something else there
            at = next(
                k for k, pair in enumerate(zip(held, ours, strict=True)) if pair[0] != pair[1]
            )
            self.found: str = (
                f"another controller writes to unit {unit}: register "
                f"{self._map.write.address + at} holds {held[at]}, this bench wrote {ours[at]}"
            )

    def _answers(self, gateway: ModbusGateway) -> list[AxisAnswer]:
        """Answers of each drive, 6."""
        found = [
            answer
            for unit in self._map.units
            for answer in self._codec.decode(self._block(gateway, unit, self._map.read)).axes
        ]
        return found[:LEG_COUNT]

    def _registers(self, gateway: ModbusGateway) -> dict[int, list[int]]:
        """Cyclic registers of the units that can be read back."""
        held = {unit: self._read(gateway, unit) for unit in self._map.units}
        return {unit: registers for unit, registers in held.items() if registers is not None}

    def _read(self, gateway: ModbusGateway, unit: int) -> list[int] | None:
        try:
            return self._block(gateway, unit, self._map.write)
        except ModbusExceptionError:
            return None  # it can only be written
        except ModbusError:
            return None  # the cycle that follows will meet the same, and report it

    def _block(self, gateway: ModbusGateway, unit: int, block: CycleBlock) -> list[int]:
        """Registers of a block, in as many requests as the device wants."""
        most = min(self._map.registers_per_request or READ_MAX, READ_MAX)
        registers: list[int] = []
        for piece in pieces(block, self._map.axes_per_unit, most):
            registers += gateway.read(unit, block.address + piece.offset, piece.count)
        return registers
