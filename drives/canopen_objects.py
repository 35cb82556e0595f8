"""The objects that the bench writes into a drive before it moves, and what each must hold.

Indices and types are those of CiA 301 and CiA 402-2 / IEC 61800-7-201. Distances, speeds and
accelerations are in the drive's own units: counts, counts/s, counts/s².
"""

from dataclasses import dataclass
from struct import Struct

from drives.bank import DriveSetupError
from drives.canopen_settings import CanopenSettings
from drives.cia402 import OperationMode
from drives.scaling import LegScale

TYPES: dict[str, Struct] = {
    "u8": Struct("<B"),
    "i8": Struct("<b"),
    "u16": Struct("<H"),
    "i16": Struct("<h"),
    "u32": Struct("<I"),
    "i32": Struct("<i"),
}
"""Types of CiA 301 by short name."""

ABORT_FAULT = 1
"""6007h: when the connection is lost the drive goes through its fault reaction and stays there."""
QUICK_STOP_HOLD = 6
"""605Ah: slow down on the quick stop ramp, stay in quick stop active."""
SLOW_DOWN_RAMP = 1
"""605Bh, 605Ch, 605Dh: slow down on the ramp, then let go (605Dh: stay enabled)."""
FAULT_QUICK_STOP_RAMP = 2
"""605Eh: slow down on the quick stop ramp."""
KEEP_NMT_STATE = 1
"""1029h:1: a communication error stops the drive by 6007h but leaves it operational, so that its
stop can be watched and its fault acknowledged."""
HOMING_OBJECTS = (0x607C, 0x6098, 0x6099, 0x609A)
"""What only a drive that finds its reference by homing is told."""
INTERPOLATION_TOLERANCE = 1e-3
"""Largest relative difference between our period and the one that 60C2h can express."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A value to be written and read back.

    Attributes:
        index: Index of the object.
        sub: Sub-index.
        kind: Type, a key of `TYPES`.
        value: What it must hold.
        meaning: What it is, for texts.
        required: Whether a drive that lacks it is refused.
    """

    index: int
    sub: int
    kind: str
    value: int
    meaning: str
    required: bool = True

    @property
    def place(self) -> str:
        """Index and sub-index as the standards write them."""
        return f"{self.index:04X}h:{self.sub}"

    def encode(self) -> bytes:
        """Return the bytes to write.

        Raises:
            DriveSetupError: If the value does not fit its type.
        """
        packer = TYPES[self.kind]
        bits = 8 * packer.size
        signed = self.kind.startswith("i")
        low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
        if not low <= self.value <= high:
            text = f"{self.meaning} ({self.place}) of {self.value} does not fit {self.kind}"
            raise DriveSetupError(f"{text}: {low} to {high} is possible")
        return packer.pack(self.value)

    def decode(self, data: bytes) -> int:
        """Return the value of bytes that were read; the drive may send more than the type has.

        Raises:
            DriveSetupError: If there are too few.
        """
        packer = TYPES[self.kind]
        if len(data) < packer.size:
            text = f"{self.meaning} ({self.place}) came as {len(data)} bytes"
            raise DriveSetupError(f"{text}, {self.kind} has {packer.size}")
        return int(packer.unpack_from(data)[0])


def interpolation_period(period_s: float) -> tuple[int, int]:
    """Return units and exponent of 60C2h, interpolation time period: units * 10^exponent seconds.

    Args:
        period_s: Bus cycle [s].

    Raises:
        DriveSetupError: If no 8-bit number of units comes near enough; says what would.
    """
    nearest = 0.0
    for exponent in (-3, -4, -5, -6):
        units = round(period_s * 10.0**-exponent)
        if 1 <= units <= 255:
            expressed_s = units * 10.0**exponent
            if abs(expressed_s - period_s) <= INTERPOLATION_TOLERANCE * period_s:
                return units, exponent
            if abs(expressed_s - period_s) < abs(nearest - period_s):
                nearest = expressed_s
    text = f"a drive cannot be told a cycle of {period_s * 1e3:.6g} ms (60C2h)"
    raise DriveSetupError(f"{text}, the nearest one that it can is {nearest * 1e3:.6g} ms")


def motion_parameters(
    settings: CanopenSettings, scale: LegScale, leg: int, period_s: float
) -> tuple[Parameter, ...]:
    """Return what a drive is told of its movements, before its PDOs.

    Args:
        settings: The drives and their bus.
        scale: Scale of the leg.
        leg: Index of the leg, from 0.
        period_s: Bus cycle [s].

    Raises:
        DriveSetupError: If the period cannot be told.
    """
    lengths_m = (settings.length_min_m[leg], settings.length_max_m[leg])
    ends = sorted(scale.counts(length_m) for length_m in lengths_m)
    units, exponent = interpolation_period(period_s)
    distance = scale.distance_counts
    deceleration = distance(settings.quick_stop_deceleration_m_s2[leg])
    acceleration = distance(settings.acceleration_max_m_s2[leg])
    speed = distance(settings.speed_max_m_s[leg])
    homing_acceleration = distance(settings.homing_acceleration_m_s2)
    always = (
        Parameter(0x6007, 0, "i16", ABORT_FAULT, "abort connection option"),
        Parameter(0x605A, 0, "i16", QUICK_STOP_HOLD, "quick stop option"),
        Parameter(0x605B, 0, "i16", SLOW_DOWN_RAMP, "shutdown option", required=False),
        Parameter(0x605C, 0, "i16", SLOW_DOWN_RAMP, "disable operation option", required=False),
        Parameter(0x605D, 0, "i16", SLOW_DOWN_RAMP, "halt option", required=False),
        Parameter(0x605E, 0, "i16", FAULT_QUICK_STOP_RAMP, "fault reaction option"),
        Parameter(0x6065, 0, "u32", distance(settings.following_window_m), "following window"),
        Parameter(0x6066, 0, "u16", round(settings.following_time_s * 1e3), "following time [ms]"),
        Parameter(0x607C, 0, "i32", 0, "home offset", required=False),
        Parameter(0x607D, 1, "i32", ends[0], "lower software limit"),
        Parameter(0x607D, 2, "i32", ends[1], "upper software limit"),
        Parameter(0x607F, 0, "u32", speed, "largest speed", required=False),
        Parameter(0x6084, 0, "u32", deceleration, "deceleration of a ramp", required=False),
        Parameter(0x6085, 0, "u32", deceleration, "quick stop deceleration"),
        Parameter(0x6098, 0, "i8", settings.homing_method, "homing method"),
        Parameter(0x6099, 1, "u32", distance(settings.homing_speed_m_s), "homing speed"),
        Parameter(0x6099, 2, "u32", distance(settings.homing_zero_speed_m_s), "homing zero speed"),
        Parameter(0x609A, 0, "u32", homing_acceleration, "homing acceleration"),
        Parameter(0x60C2, 1, "u8", units, "interpolation period"),
        Parameter(0x60C2, 2, "i8", exponent, "interpolation period's exponent"),
        Parameter(0x60C5, 0, "u32", acceleration, "largest acceleration", required=False),
    )
    if settings.absolute:
        always = tuple(each for each in always if each.index not in HOMING_OBJECTS)
    if settings.mode != OperationMode.INTERPOLATED_POSITION.value:
        return always
    return (*always, Parameter(0x60C0, 0, "i16", 0, "linear interpolation", required=False))


def watchdog_parameters(settings: CanopenSettings) -> tuple[Parameter, ...]:
    """Return the heartbeats, to be written last: from here on the drive expects ours."""
    consumer_ms = round(settings.consumer_heartbeat_s * 1e3)
    consumer = settings.master_id << 16 | consumer_ms
    producer_ms = round(settings.heartbeat_producer_s * 1e3)
    return (
        Parameter(0x1029, 1, "u8", KEEP_NMT_STATE, "error behaviour", required=False),
        Parameter(0x1017, 0, "u16", producer_ms, "heartbeat [ms]"),
        Parameter(0x1016, 1, "u32", consumer, "heartbeat expected of the bench"),
    )
