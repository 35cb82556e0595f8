"""The objects that the bench writes into a drive before it moves, and what each must hold.

Indices and types are those of CiA 301 and CiA 402-2 / IEC 61800-7-201. What is asked for is rounded
to the drive's own units so that no speed and no acceleration is larger than asked, and a drive that
holds something else is taken only where the difference is on the safe side (`Parameter.takes`).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from struct import Struct

from drives.axes.cia402 import OperationMode
from drives.axes.scaling import LegScale
from drives.bank import DriveSetupError
from drives.canopen.settings import CanopenSettings
from drives.canopen.units import LegUnits
from drives.types.drive_type import DriveType, place_text

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
INTERPOLATION_TOLERANCE = 1e-3
"""Largest relative difference between our period and the one that 60C2h can express."""
NEAR = 1e-3
"""Share of a value by which a drive may round it either way."""
INSIDE_M = 1e-3
"""Software limits of a drive may lie this far inside of what was asked [m]."""
WINDOW_LESS = 0.1
"""Share by which the following window of a drive may be tighter than asked."""
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Parameter:
    """A value to be written and read back."""

    index: int
    """Index of the object."""
    sub: int
    """Sub-index."""
    kind: str
    """Type, a key of `TYPES`."""
    value: int
    """Value that it must hold."""
    meaning: str
    """Meaning, for texts."""
    stand_in: str = ""
    """Substitute where a drive lacks it; such a drive is refused if this is empty."""
    less: int = 0
    """Amount by which the drive may hold less than `value`."""
    more: int = 0
    """Amount by which it may hold more."""
    others: tuple[int, ...] = ()
    """Values that do as well, the better ones first, for a drive that knows not all."""
    why: str = ""
    """Reason why one of `others` is safe, for texts."""
    by_gate: bool = False
    """The gate does its work, and has to know before it starts: the drive file must say that the
    type lacks it."""

    @property
    def place(self) -> str:
        """Index and sub-index as the standards write them."""
        return place_text(self.index, self.sub)

    def takes(self, held: int) -> bool:
        """Say whether a drive may hold this: what was asked, or a little to the safe side of it."""
        return self.value - self.less <= held <= self.value + self.more or held in self.others

    def with_value(self, value: int) -> "Parameter":
        """Return it with another value."""
        return replace(self, value=value)

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

    def for_type(self, type_: DriveType) -> "Parameter":
        """Return it as a type of drive has it: at its own place, inside the range it takes.

        A value outside of that range is brought to its end where that is on the safe side; where it
        is not, the parameter stays as it is, and the drive will refuse it.
        """
        index, sub = type_.place(self.index, self.sub)
        value, bounds = self.value, type_.range_of(self.index, self.sub)
        if bounds is not None:
            nearest = min(max(value, bounds[0]), bounds[1])
            value = nearest if self.takes(nearest) else value
            if not bounds[0] <= value <= bounds[1]:
                value = next((o for o in self.others if bounds[0] <= o <= bounds[1]), value)
        moved = self.value - value
        return replace(
            self, index=index, sub=sub, value=value, less=self.less - moved, more=self.more + moved
        )


def interpolation_period(period_s: float) -> tuple[int, int]:
    """Return units and exponent of 60C2h, interpolation time period: units * 10^exponent seconds.

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


_OWN = "the drive's own, as after power-up"
_GATE_SPEED = "the gate's limit of speed"
_GATE_END = "the gate's soft limits, moved in"
_GATE_FOLLOWING = "the gate's window of following errors, tightened"


class MotionParameters:
    """Parameters of movements that a drive is given before its PDOs.

    Args:
        scale: Scale of the leg.
        units: In what its drive counts speeds and accelerations.
        leg: Index of the leg, from 0.
    """

    def __init__(
        self,
        settings: CanopenSettings,
        scale: LegScale,
        units: LegUnits,
        leg: int,
        period_s: float,
    ) -> None:
        self._settings, self._scale, self._units = settings, scale, units
        self._leg, self._period_s = leg, period_s

    def __iter__(self) -> Iterator[Parameter]:
        """Yield them in the order in which they are written.

        Raises:
            DriveSetupError: If the period cannot be written, or a speed is less than one unit.
        """
        yield from self._stopping()
        yield from self._limits()
        if not self._settings.absolute:
            yield from self._homing()
        yield from self._cycle()

    def _stopping(self) -> Iterator[Parameter]:
        yield Parameter(
            0x6007, 0, "i16", ABORT_FAULT, "abort connection option",
            stand_in=f"{_OWN}; the test of the watchdogs shows what it does", others=(3, 2),
        )  # fmt: skip
        yield Parameter(
            0x605A, 0, "i16", QUICK_STOP_HOLD, "quick stop option", stand_in=_OWN, others=(2,)
        )
        for index, what, others in (
            (0x605B, "shutdown option", (0,)),
            (0x605C, "disable operation option", (0,)),
            (0x605D, "halt option", (2,)),
        ):
            yield Parameter(
                index, 0, "i16", SLOW_DOWN_RAMP, what, stand_in=_OWN, others=others,
                why="the bench stops a rod by setpoints or quick stop (605Ah) before it lets go",
            )  # fmt: skip
        yield Parameter(
            0x605E, 0, "i16", FAULT_QUICK_STOP_RAMP, "fault reaction option",
            stand_in=_OWN, others=(1, 0),
        )  # fmt: skip

    def _limits(self) -> Iterator[Parameter]:
        settings, leg, distance = self._settings, self._leg, self._scale.distance_counts
        window = distance(settings.following_window_m)
        time_ms = round(settings.following_time_s * 1e3)
        ends = self._scale.range_counts(settings.length_min_m[leg], settings.length_max_m[leg])
        inside = distance(INSIDE_M)
        yield Parameter(
            0x6065, 0, "u32", window, "following window",
            stand_in=_GATE_FOLLOWING, less=max(1, round(WINDOW_LESS * window)), by_gate=True,
        )  # fmt: skip
        yield Parameter(
            0x6066, 0, "u16", time_ms, "following time [ms]", stand_in=_OWN, less=time_ms
        )
        yield Parameter(
            0x607D, 1, "i32", ends[0], "lower software limit",
            stand_in=_GATE_END, more=inside, by_gate=True,
        )  # fmt: skip
        yield Parameter(
            0x607D, 2, "i32", ends[1], "upper software limit",
            stand_in=_GATE_END, less=inside, by_gate=True,
        )  # fmt: skip
        speed = self._speed(settings.speed_max_m_s[leg], 0x607F, "largest speed")
        yield Parameter(
            0x607F, 0, "u32", speed, "largest speed", stand_in=_GATE_SPEED, less=speed - 1
        )
        braking = settings.quick_stop_deceleration_m_s2[leg]
        yield self._near(0x6084, braking, "deceleration of a ramp")
        yield self._near(0x6085, braking, "quick stop deceleration")

    def _homing(self) -> Iterator[Parameter]:
        settings = self._settings
        own = 'the drive\'s own homing; else homing = "absolute"'
        yield Parameter(
            0x607C, 0, "i32", 0, "home offset", stand_in="none: count 0 is where homing ends"
        )
        yield Parameter(0x6098, 0, "i8", settings.homing_method, "homing method", stand_in=own)
        for sub, speed_m_s, what in (
            (1, settings.homing_speed_m_s, "homing speed"),
            (2, settings.homing_zero_speed_m_s, "homing zero speed"),
        ):
            speed = self._speed(speed_m_s, 0x6099, what)
            yield Parameter(0x6099, sub, "u32", speed, what, stand_in=own, less=speed - 1)
        yield self._at_most(0x609A, settings.homing_acceleration_m_s2, "homing acceleration", own)

    def _cycle(self) -> Iterator[Parameter]:
        units, exponent = interpolation_period(self._period_s)
        sync = "the drive times its steps by SYNC"
        yield Parameter(0x60C2, 1, "u8", units, "interpolation period", stand_in=sync)
        yield Parameter(0x60C2, 2, "i8", exponent, "interpolation period's exponent", stand_in=sync)
        largest_m_s2 = self._settings.acceleration_max_m_s2[self._leg]
        yield self._at_most(
            0x60C5, largest_m_s2, "largest acceleration", "the gate's limit of acceleration"
        )
        if self._settings.mode == OperationMode.INTERPOLATED_POSITION.value:
            yield Parameter(0x60C0, 0, "i16", 0, "linear interpolation", stand_in=_OWN)

    def _near(self, index: int, acceleration_m_s2: float, what: str) -> Parameter:
        value = round(self._in_units(acceleration_m_s2, self._units.acceleration))
        near = max(1, round(NEAR * value))
        return Parameter(index, 0, "u32", value, what, stand_in=_OWN, less=near, more=near)

    def _at_most(self, index: int, acceleration_m_s2: float, what: str, stand_in: str) -> Parameter:
        value = _floor(self._in_units(acceleration_m_s2, self._units.acceleration))
        if value < 1:
            raise DriveSetupError(
                f"{what} of {acceleration_m_s2:g} m/s² is less than one unit of {index:04X}h, "
                f"{self._units.acceleration / self._scale.counts_per_m:g} m/s²"
            )
        return Parameter(index, 0, "u32", value, what, stand_in=stand_in, less=value - 1)

    def _speed(self, speed_m_s: float, index: int, what: str) -> int:
        value = _floor(self._in_units(speed_m_s, abs(self._units.speed)))
        if value < 1:
            raise DriveSetupError(
                f"{what} of {speed_m_s:g} m/s is less than one unit of {index:04X}h, "
                f"{abs(self._units.speed) / self._scale.counts_per_m:g} m/s"
            )
        return value

    def _in_units(self, si: float, unit_counts: float) -> float:
        return si * self._scale.counts_per_m / unit_counts


def _floor(exact: float) -> int:
    """The whole number below, or at, what is meant: 0.29 m/s * 1e6 is 290000, not one less."""
    return math.floor(exact * (1.0 + _ROUNDING))
