"""The registers of a Nanotec drive on Modbus RTU, and its stored settings.

Rewritten by hand from Nanotec's online manuals, chapter "Modbus RTU": "Function code descriptions"
(03h, 04h, 06h, 10h and 17h; at most 7Dh registers are read), "Process data objects (PDO)" (the
objects that 3502h and 3602h name follow one another without padding, dummy objects fill gaps; what
is received begins at 6000, what is sent at 5000) and "NanoJ objects" (2400h begins at 2000, 2500h
at 3000, whole 32-bit values only: so in the manual of the CL3-E; other editions exchange the two).
`drives` reads none of this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from sim.devices.drive.drive_type import RPM_PER_S, TENTHS_OF_A_DEGREE, DriveType


@dataclass(frozen=True, slots=True)
class Mapped:
    """Entry of a mapping: an object, or a dummy of the same length."""

    index: int
    """Index of the object; 0002h to 0007h are dummies."""
    subindex: int
    """Its sub-index."""
    bits: int
    """Length in bits."""


NANOJ_INPUTS: Final = 2000
"""First register of 2400h:01 and after."""
NANOJ_OUTPUTS: Final = 3000
"""First register of 2500h:01 and after."""
NANOJ_REGISTERS: Final = 64
"""Number of registers: 32 values of 32 bits."""
TOLD: Final = 5000
RECEIVED: Final = 6000
READ_MAX: Final = 0x7D
ALIGNED: Final = 2
"""Alignment of process data [registers]: they are read from a multiple of 4 bytes on."""
FUNCTIONS: Final = (3, 4, 6, 16, 23)

ALIVE: Final = Mapped(0x2400, 1, 32)
"""Input that the NanoJ program supervises for changes."""
PATIENCE: Final = NANOJ_INPUTS + 2
"""Register of 2400h:02: longest time that it may stay the same [ms]."""
CONTROLWORD: Final = Mapped(0x6040, 0, 16)
MODE: Final = Mapped(0x6060, 0, 8)
TARGET: Final = Mapped(0x607A, 0, 32)
SPEED: Final = Mapped(0x60B1, 0, 32)
DUMMY: Final = Mapped(0x0005, 0, 8)

STATUSWORD: Final = Mapped(0x6041, 0, 16)
MODE_DISPLAY: Final = Mapped(0x6061, 0, 8)
ERROR_CODE: Final = Mapped(0x603F, 0, 16)
TORQUE: Final = Mapped(0x6077, 0, 16)
INPUTS: Final = Mapped(0x60FD, 0, 32)
POSITION: Final = Mapped(0x6064, 0, 32)
VELOCITY: Final = Mapped(0x606C, 0, 32)

RECEIVED_MAPPING: Final = (ALIVE, CONTROLWORD, DUMMY, MODE, TARGET, SPEED)
"""Mapping 3502h as it was stored with the maker's tool."""
TOLD_MAPPING: Final = (
    STATUSWORD,
    DUMMY,
    MODE_DISPLAY,
    ERROR_CODE,
    TORQUE,
    INPUTS,
    POSITION,
    VELOCITY,
)
"""Mapping 3602h as it was stored with the maker's tool."""

TENTHS_OF_A_DEGREE_PER_S: Final = 0xFF41_0300
NANOTEC: Final = DriveType(
    name="nanotec_modbus_rtu",
    modes_word=0x3EF,
    position_unit=TENTHS_OF_A_DEGREE,
    speed_unit=TENTHS_OF_A_DEGREE_PER_S,
    acceleration_unit=RPM_PER_S,
)
"""Positions as delivered, and speeds in the same unit, which 60A9h was set to (delivered: rpm)."""


class StoredLimits(NamedTuple):
    """Limits that the builder has stored in each drive, in SI units."""

    following_window_m: float = 0.02
    following_time_ms: int = 20
    limits_inside_m: float = 0.002
    homing_method: int = 21
    homing_speed_m_s: float = 0.02
    homing_zero_speed_m_s: float = 0.005
    homing_acceleration_m_s2: float = 0.2
    quick_stop_option: int = 6
    fault_reaction_option: int = 2
    halt_option: int = 1


STORED: Final = StoredLimits()


class Image:
    """Objects behind one another in the registers of a process image.

    Args:
        mapping: Which, in this order.
    """

    def __init__(self, mapping: tuple[Mapped, ...]) -> None:
        self.mapping = mapping
        self.bits: int = sum(entry.bits for entry in mapping)
        self.registers: int = self.bits // 16

    def pack(self, values: dict[Mapped, int]) -> list[int]:
        """Return the registers of these values; objects without one are 0, as a dummy is."""
        whole = 0
        for entry in self.mapping:
            whole = whole << entry.bits | values.get(entry, 0) & (1 << entry.bits) - 1
        return [whole >> shift & 0xFFFF for shift in range(self.bits - 16, -1, -16)]

    def objects(self, start: int, values: list[int]) -> dict[Mapped, int] | None:
        """Return the objects' values in registers, signed; None if they hold only part of one.

        Args:
            start: The first of them, counted from the beginning of the image.
            values: What they hold.
        """
        whole = int.from_bytes(b"".join(value.to_bytes(2, "big") for value in values), "big")
        first, end = 16 * start, 16 * (start + len(values))
        found: dict[Mapped, int] = {}
        at = 0
        for entry in self.mapping:
            begins, at = at, at + entry.bits
            if at <= first or begins >= end:
                continue
            if begins < first or at > end:
                return None
            raw = whole >> end - at & (1 << entry.bits) - 1
            if entry is not DUMMY:
                found[entry] = raw - (1 << entry.bits) if raw >> entry.bits - 1 else raw
        return found
