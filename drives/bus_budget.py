"""Time of frames on the wire: what a CAN bus or a serial line can carry at all.

CAN: a data frame with an 11-bit identifier and n bytes has 47 + 8 n bits with the three bits of
the interframe space; the 34 + 8 n bits from start of frame to checksum are stuffed, at worst with
floor((34 + 8 n - 1) / 4) bits more (ISO 11898-1, bit stuffing). The budget counts the worst case.

Modbus RTU: a character has 11 bits with its parity (or second stop) bit, and a frame ends with a
silence of 3.5 characters, 1.75 ms above 19200 Bd (Modbus over serial line V1.02, 2.5.1).
"""

import math
from dataclasses import dataclass

from drives.bank import DriveSetupError

LOAD_MAX = 0.70
"""Share of a bus that a cycle may take: SDO, heartbeat, EMCY and repetitions need the rest."""
MAX_DATA_BYTES = 8
FIXED_SILENCE_ABOVE_BAUD = 19200
FIXED_SILENCE_S = 1.75e-3
_SILENCE_CHARACTERS = 3.5


def frame_bits(data_bytes: int) -> int:
    """Return the bits of one CAN frame on the wire at worst, with its interframe space.

    Args:
        data_bytes: Bytes of data, 0 to 8.

    Returns:
        Bits of a data frame with an 11-bit identifier.

    Raises:
        ValueError: If a classic frame has no such length.
    """
    if not 0 <= data_bytes <= MAX_DATA_BYTES:
        raise ValueError(f"a CAN frame has 0 to {MAX_DATA_BYTES} bytes of data, not {data_bytes}")
    return 47 + 8 * data_bytes + (34 + 8 * data_bytes - 1) // 4


@dataclass(frozen=True, slots=True)
class CyclicFrames:
    """Frames of one kind in a bus cycle."""

    name: str
    """Name of the frames, such as RPDO1."""
    count: int
    """Number of them in a cycle, on all buses together."""
    data_bytes: int
    """Bytes of data of each."""
    every: int = 1
    """They are sent in every nth cycle."""
    on_each_bus: bool = False
    """Whether each bus carries all of them, as SYNC, or its share, as PDOs."""

    def __post_init__(self) -> None:
        frame_bits(self.data_bytes)
        if self.count < 0 or self.every < 1:
            text = f"{self.name}: {self.count} frames every {self.every} cycles"
            raise ValueError(f"{text}; a count is not negative and `every` is at least 1")

    def bits(self, buses: int) -> int:
        """Return their bits in a cycle on the busiest of the buses."""
        count = self.count if self.on_each_bus else math.ceil(self.count / buses)
        return count * frame_bits(self.data_bytes)


@dataclass(frozen=True, slots=True)
class BusBudget:
    """Load that a cycle puts on each of one or more CAN buses."""

    frames: tuple[CyclicFrames, ...]
    """Kinds of frames of a cycle."""
    bitrate: int
    """Bitrate of each bus [bit/s]."""
    buses: int = 1
    """Number of buses that share the drives evenly."""

    def __post_init__(self) -> None:
        if self.bitrate <= 0 or self.buses < 1:
            text = f"{self.buses} buses at {self.bitrate} bit/s"
            raise ValueError(f"{text}; at least one bus and a positive bitrate are needed")

    @property
    def mean_cycle_s(self) -> float:
        """Time on the wire of a cycle on the average [s]."""
        bits = sum(frames.bits(self.buses) / frames.every for frames in self.frames)
        return bits / self.bitrate

    @property
    def fullest_cycle_s(self) -> float:
        """Time on the wire of a cycle in which every kind of frame is sent [s]."""
        return sum(frames.bits(self.buses) for frames in self.frames) / self.bitrate

    def load(self, rate_hz: float) -> float:
        """Return the share of the bus that the cycle takes on the average at a rate [Hz]."""
        return self.mean_cycle_s * rate_hz

    def highest_rate_hz(self, load_max: float = LOAD_MAX) -> float:
        """Return the highest rate at which the load is kept and the fullest cycle still ends [Hz].

        Args:
            load_max: Share of the bus that the cycle may take on the average.
        """
        if not self.mean_cycle_s:
            return math.inf
        return min(load_max / self.mean_cycle_s, 1.0 / self.fullest_cycle_s)


def check_budget(
    budget: BusBudget, rate_hz: float, load_max: float = LOAD_MAX, place: str = "CAN bus"
) -> float:
    """Refuse a rate that the bus cannot carry, and say what would fit.

    Args:
        load_max: Share of the bus that the cycle may take on the average.
        place: Which bus, for the text of the error.

    Returns:
        The load at this rate.

    Raises:
        DriveSetupError: With the load, its limit, the highest rate, and how more would fit.
    """
    load, highest_hz = budget.load(rate_hz), budget.highest_rate_hz(load_max)
    if rate_hz <= highest_hz:
        return load
    wire_us, period_us = budget.fullest_cycle_s * 1e6, 1e6 / rate_hz
    text = (
        f"{place}: a cycle of {wire_us:.0f} us at most every {period_us:.0f} us ({rate_hz:g} Hz) "
        f"takes {load:.0%} of {budget.bitrate} bit/s, the limit is {load_max:.0%}"
    )
    fits = [f"{math.floor(highest_hz)} Hz on {_buses(budget.buses)}"]
    more = BusBudget(budget.frames, budget.bitrate, budget.buses + 1)
    if rate_hz <= more.highest_rate_hz(load_max):
        fits.append(f"{_buses(more.buses)} at {rate_hz:g} Hz ({more.load(rate_hz):.0%} each)")
    faster = BusBudget(budget.frames, 1_000_000, budget.buses)
    if budget.bitrate < faster.bitrate and rate_hz <= faster.highest_rate_hz(load_max):
        fits.append(f"{faster.bitrate} bit/s ({faster.load(rate_hz):.0%})")
    raise DriveSetupError(f"{text}; what fits: {', or '.join(fits)}")


def rtu_silence_s(baud: int, bits_per_byte: int = 11) -> float:
    """Return the silence that ends a Modbus RTU frame [s].

    Args:
        bits_per_byte: 11 as the standard wants, 10 without parity and with one stop bit.
    """
    if baud > FIXED_SILENCE_ABOVE_BAUD:
        return FIXED_SILENCE_S
    return _SILENCE_CHARACTERS * bits_per_byte / baud


def rtu_transaction_s(
    request_bytes: int, answer_bytes: int, baud: int, bits_per_byte: int = 11
) -> float:
    """Return the time that one Modbus RTU transaction takes on the wire at least.

    Args:
        request_bytes: Bytes of the request, with address and checksum.
        answer_bytes: Bytes of the answer, with address and checksum.
        bits_per_byte: 11 as the standard wants, 10 without parity and with one stop bit.

    Returns:
        Both frames and the silence after each; the device's own time comes on top [s].
    """
    wire_s = (request_bytes + answer_bytes) * bits_per_byte / baud
    return wire_s + 2 * rtu_silence_s(baud, bits_per_byte)


def _buses(number: int) -> str:
    return "one bus" if number == 1 else f"{number} buses"
