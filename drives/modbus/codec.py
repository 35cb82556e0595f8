"""Between the words of six CiA 402 drives and the registers of a map; and what a serial line holds.

Pure functions: whole numbers in, whole numbers out. SI is the business of `drives.axes.scaling`.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from drives.bank import DriveModelError
from drives.bus_budget import rtu_transaction_s
from drives.modbus.frames import bits_per_character, rtu_bytes
from drives.modbus.register_map import CycleBlock, RegisterMap, RegisterType, WordOrder
from drives.modbus.requests import cycle_requests

USUAL_BAUDS = (9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600)
TURNAROUND_S = 0.001
"""Time of a device between a request and its answer in the budget of a line [s]."""


class AxisOrder(NamedTuple):
    """Words for one drive in one cycle: 6040h, 6060h, 607Ah [counts], 60B1h [counts/s]."""

    controlword: int
    mode: int
    target_position: int
    target_speed: int


class AxisAnswer(NamedTuple):
    """Words of one drive: 6041h, 6061h, 603Fh, 60FDh, 6064h, 606Ch, 6077h; 0 where it has none."""

    statusword: int
    mode_display: int
    error_code: int
    inputs: int
    position: int
    speed: int
    force: int


@dataclass(frozen=True, slots=True)
class UnitAnswer:
    """Answer of one unit in one cycle."""

    echo: int | None
    """Sequence of the request that this answers; None if the map has no echo."""
    boot_count: int | None
    """Power-ups of the unit; None if the map does not have it."""
    axes: tuple[AxisAnswer, ...]
    """Its drives."""


def to_registers(value: int, kind: RegisterType, order: WordOrder) -> tuple[int, ...]:
    """Return the registers of a value.

    Raises:
        DriveModelError: If the value does not fit; it is never cut off.
    """
    bits = 16 * kind.registers
    signed = kind in (RegisterType.I16, RegisterType.I32)
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    if not low <= value <= high:
        raise DriveModelError(f"{value} is no {kind.value}, {low} to {high} is needed")
    if bits == 16:
        return (value & 0xFFFF,)
    halves = (value >> 16 & 0xFFFF, value & 0xFFFF)
    return halves if order is WordOrder.BIG else halves[::-1]


def from_registers(registers: Sequence[int], kind: RegisterType, order: WordOrder) -> int:
    """Return the value that lies in these registers."""
    if kind.registers == 1:
        value = registers[0]
        return value - 0x10000 if kind is RegisterType.I16 and value & 0x8000 else value
    high, low = registers if order is WordOrder.BIG else (registers[1], registers[0])
    value = high << 16 | low
    return value - (1 << 32) if kind is RegisterType.I32 and value & 0x8000_0000 else value


class CycleCodec:
    """Makes the block that a cycle writes to one unit, and reads the block that comes back."""

    def __init__(self, map_: RegisterMap) -> None:
        self._write, self._read, self._order = map_.write, map_.read, map_.word_order
        self._axes = map_.axes_per_unit
        self._whole = struct.Struct(f">{map_.read.count}H")
        self._axis, self._places = _axis_layout(map_.read)
        self._swaps = _swaps(map_.read, self._axes) if map_.word_order is WordOrder.LITTLE else ()

    def encode(self, sequence: int, orders: Sequence[AxisOrder]) -> list[int]:
        """Return the registers of the written block.

        Args:
            sequence: Number of the request, of which the low 16 bits are sent.
            orders: Words of the unit's drives.
        """
        block = self._write
        registers = [0] * block.count
        if block.counter is not None:
            registers[block.counter] = sequence & 0xFFFF
        for axis, order in enumerate(orders):
            start = block.first_axis + axis * block.stride
            for field in block.fields:
                value = getattr(order, field.name)
                at = start + field.offset
                words = to_registers(value, field.type, self._order)
                registers[at : at + len(words)] = words
        return registers

    def decode(self, registers: Sequence[int]) -> UnitAnswer:
        """Return what the registers of the read block say.

        Args:
            registers: As many as the block has.
        """
        block = self._read
        echo = None if block.counter is None else registers[block.counter]
        boots = None if block.boot_count is None else registers[block.boot_count]
        if self._swaps:
            registers = list(registers)
            for low, high in self._swaps:
                registers[low], registers[high] = registers[high], registers[low]
        raw = self._whole.pack(*registers)
        starts = range(block.first_axis, block.first_axis + self._axes * block.stride, block.stride)
        axes = tuple(self._read_axis(raw, 2 * start) for start in starts)
        return UnitAnswer(echo, boots, axes)

    def _read_axis(self, raw: bytes, start: int) -> AxisAnswer:
        values = self._axis.unpack_from(raw, start)
        return AxisAnswer._make([0 if at is None else values[at] for at in self._places])


_FORMAT = {
    RegisterType.U16: "H",
    RegisterType.I16: "h",
    RegisterType.U32: "I",
    RegisterType.I32: "i",
}


def _axis_layout(block: CycleBlock) -> tuple[struct.Struct, tuple[int | None, ...]]:
    """Return how the bytes of an axis are unpacked, and which value is which word of an answer."""
    layout, at = ">", 0
    for field in block.fields:
        layout += f"{2 * (field.offset - at)}x{_FORMAT[field.type]}"
        at = field.offset + field.type.registers
    names = [field.name for field in block.fields]
    places = tuple(names.index(name) if name in names else None for name in AxisAnswer._fields)
    return struct.Struct(layout), places


def _swaps(block: CycleBlock, axes: int) -> tuple[tuple[int, int], ...]:
    """Return the pairs of registers that hold a 32-bit value, low half first."""
    starts = [block.first_axis + axis * block.stride for axis in range(axes)]
    wide = [field.offset for field in block.fields if field.type.registers == 2]
    return tuple((start + at, start + at + 1) for start in starts for at in wide)


def rtu_cycle_s(map_: RegisterMap, baud: int, parity: str, stop_bits: int) -> float:
    """Return how long one cycle keeps a serial line busy: requests, answers and gaps [s].

    Args:
        parity: "N", "E" or "O".
    """
    bits = bits_per_character(parity, stop_bits)
    once_s = 0.0
    for write, read in cycle_requests(map_):
        request, answer = rtu_bytes(write and write.count, read and read.count)
        once_s += rtu_transaction_s(request, answer, baud, bits) + TURNAROUND_S
    return once_s * len(map_.units)


def check_rtu_rate(
    map_: RegisterMap, period_s: float, answer_timeout_s: float, baud: int, parity: str,
    stop_bits: int,
) -> None:  # fmt: skip
    """Refuse a bus cycle that a serial line cannot keep.

    Args:
        answer_timeout_s: What the bank waits for an answer [s].
        parity: "N", "E" or "O".

    Raises:
        DriveModelError: With the time needed, and the rate and the line that would do.
    """
    needed_s = rtu_cycle_s(map_, baud, parity, stop_bits)
    if needed_s <= min(period_s, answer_timeout_s):
        return
    share = period_s / min(period_s, answer_timeout_s)
    text = (
        f"{map_.source}: a cycle takes {needed_s * 1e3:.1f} ms at {baud} Bd 8{parity}{stop_bits}, "
        f"{min(period_s, answer_timeout_s) * 1e3:.1f} ms of a bus cycle of {period_s * 1e3:.1f} ms "
        f"are there; a rate of {1.0 / (needed_s * share):.1f} Hz or less would do"
    )
    for faster in USUAL_BAUDS:
        if rtu_cycle_s(map_, faster, parity, stop_bits) <= min(period_s, answer_timeout_s):
            text += f", or {faster} Bd"
            break
    raise DriveModelError(text)
