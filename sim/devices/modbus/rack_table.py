"""The registers of the emulated Modbus rack: place and width of each word.

This is the device's own list, as the manual of a real gateway would print it. A master of the rack
has a map of its own. All values are big-endian: the high half of a 32-bit value lies at the lower
address. Addresses are protocol addresses, counted from 0. In a rack of six units each unit has the
registers of axis 0 only.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Word(NamedTuple):
    """Place and format of one value of an axis."""

    at: int
    """Register after the beginning of the axis."""
    width: int
    """Width in registers."""
    signed: bool
    """Whether it is two's complement."""


SEQUENCE: Final = 0
"""Counter of the cyclic requests, which the device sends back."""
ORDERS: Final = 1
ORDER_STRIDE: Final = 6
CONTROLWORD: Final = Word(0, 1, signed=False)
MODE: Final = Word(1, 1, signed=True)
TARGET: Final = Word(2, 2, signed=True)
SPEED: Final = Word(4, 2, signed=True)

ECHO: Final = 100
BOOT_COUNT: Final = 101
STATES: Final = 102
STATE_STRIDE: Final = 10
STATUSWORD: Final = Word(0, 1, signed=False)
MODE_DISPLAY: Final = Word(1, 1, signed=True)
ERROR_CODE: Final = Word(2, 1, signed=False)
INPUTS: Final = Word(3, 1, signed=False)
POSITION: Final = Word(4, 2, signed=True)
VELOCITY: Final = Word(6, 2, signed=True)
FORCE: Final = Word(8, 1, signed=True)

WATCHDOG_MS: Final = 200

PARAMETERS: Final = 1000
PARAMETER_STRIDE: Final = 40
SETTABLE: Final[dict[str, Word]] = {
    "software_limit_min": Word(2, 2, signed=True),
    "software_limit_max": Word(4, 2, signed=True),
    "following_error_window": Word(6, 2, signed=False),
    "following_error_timeout_ms": Word(8, 1, signed=False),
    "homing_method": Word(9, 1, signed=True),
    "homing_speed_switch": Word(10, 2, signed=False),
    "homing_speed_zero": Word(12, 2, signed=False),
    "homing_acceleration": Word(14, 2, signed=False),
    "home_offset": Word(16, 2, signed=True),
    "quick_stop_deceleration": Word(18, 2, signed=False),
    "max_profile_velocity": Word(20, 2, signed=False),
    "max_acceleration": Word(22, 2, signed=False),
    "abort_connection_option": Word(24, 1, signed=True),
    "quick_stop_option": Word(25, 1, signed=True),
    "fault_reaction_option": Word(26, 1, signed=True),
    "halt_option": Word(27, 1, signed=True),
}
"""Parameters that a master may write, by their names in `sim.devices.drive.parameters`."""
INTERPOLATION_US: Final = Word(34, 2, signed=False)
"""Interpolation time period 60C2h, here in microseconds."""
COUNTS_PER_M: Final = Word(0, 2, signed=False)
RATED_FORCE_N: Final = Word(28, 2, signed=False)
SUPPORTED_MODES: Final = Word(30, 2, signed=False)
SERIAL: Final = Word(32, 2, signed=False)
READ_ONLY: Final = (COUNTS_PER_M, RATED_FORCE_N, SUPPORTED_MODES, SERIAL)


def words_of(value: int, word: Word) -> list[int]:
    """Split a value into its registers, saturated at what they hold."""
    bits = 16 * word.width
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if word.signed else (0, (1 << bits) - 1)
    raw = min(max(value, low), high) & (1 << bits) - 1
    return [raw >> shift & 0xFFFF for shift in range(bits - 16, -1, -16)]


def value_of(registers: list[int], word: Word) -> int:
    """Join the registers of a value."""
    raw = int.from_bytes(b"".join(register.to_bytes(2, "big") for register in registers), "big")
    return raw - (1 << 16 * word.width) if word.signed and raw >> 16 * word.width - 1 else raw
