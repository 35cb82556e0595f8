"""A device behind Modbus registers: six emulated drives, a watchdog for each unit, and no wire.

Which registers there are is the affair of its kind: the gateway of `sim.devices.modbus.rack`,
the servos of `sim.devices.modbus.servo`. Time is told to it; requests come in as register reads and
writes and are answered at once, with values or with an exception code (Modbus Application Protocol
V1.1b3, section 7).

Not modelled: processing time of the device, saving of parameters, coils.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar, Final

from hil_common.plant import Plant
from sim.devices.drive.group import DriveGroup
from sim.devices.drive.node import EmulatedDrive
from sim.devices.drive.parameters import NODES, RackSettings
from sim.devices.drive.rods import PlantError, Rod
from sim.devices.drive.watchdogs import Deadline

ILLEGAL_ADDRESS: Final = 2
"""Exception code (Modbus Application Protocol V1.1b3, section 7)."""
ILLEGAL_VALUE: Final = 3
CYCLE_MIN_S: Final = 0.001
CYCLE_MAX_S: Final = 0.255


@dataclass(frozen=True, slots=True)
class ModbusRackSettings:
    """The rack and its line.

    Raises:
        PlantError: If a value makes no sense.
    """

    rack: RackSettings = field(default_factory=RackSettings)
    """The six drives."""
    units: tuple[int, ...] = (1,)
    """Unit addresses: one unit with six axes, or six units with one axis each."""
    baud: int = 115200
    """Of the serial line [Bd]."""
    stop_bits: int = 2
    """1 or 2; a pty has no parity bit, so the line has none, and 2 as the standard wants it then
    (Modbus over Serial Line V1.02, 2.5.1)."""
    paced: bool = True
    """Whether answers on the serial line take the time that their bytes take."""
    cycle_s: float = 0.06
    """Bus cycle that servos without a register for it have stored (60C2h) [s]."""
    vendor_name: str = "HIL bench"
    """Device identification, object 0."""
    product_code: str = "HIL emulated rack"
    """Device identification, object 1."""
    revision: str = "1.0"
    """Device identification, object 2."""

    def __post_init__(self) -> None:
        if len(self.units) not in (1, NODES) or len(set(self.units)) != len(self.units):
            raise PlantError(f"units {self.units}: 1 or {NODES} different unit addresses")
        if not all(1 <= unit <= 247 for unit in self.units):
            raise PlantError(f"units {self.units}: unit addresses are 1 to 247")
        if not 300 <= self.baud <= 4_000_000:
            raise PlantError(f"baud = {self.baud} Bd: 300 to 4000000")
        if self.stop_bits not in (1, 2):
            raise PlantError(f"stop_bits = {self.stop_bits}: 1 or 2")
        if not CYCLE_MIN_S <= self.cycle_s <= CYCLE_MAX_S:
            text = f"cycle_s = {self.cycle_s} s: {CYCLE_MIN_S} to {CYCLE_MAX_S}"
            raise PlantError(f"{text}, 60C2h:1 has eight bits [ms]")

    @property
    def bits_per_byte(self) -> int:
        """Bits of a character on the line: start, 8 data, stop."""
        return 9 + self.stop_bits


class ModbusDevice(ABC):
    """Six drives behind registers.

    Args:
        seed: Seed of where the rods stand and what the encoders say when the power comes.
        plant: The body that couples the rods; None for rods by themselves.
    """

    functions: ClassVar[tuple[int, ...]] = (3, 6, 16, 23)
    """Function codes that are served; others are refused with exception 1."""
    registers: ClassVar[int] = 1300
    """How many addresses there are, from 0 on; beyond them there is nothing."""
    watchdog_default_ms: ClassVar[int] = 0
    """Watchdog after power-up [ms]; 0 for none."""

    def __init__(
        self, settings: ModbusRackSettings, *, seed: int, plant: Plant | None = None
    ) -> None:
        self.settings = settings
        self._group = DriveGroup(settings.rack, seed=seed, plant=plant)
        self._now_s: float | None = None
        self._per_unit = NODES // len(settings.units)
        self._watchdog_ms = dict.fromkeys(settings.units, self.watchdog_default_ms)
        default_s = self.watchdog_default_ms / 1e3
        self._deadlines = {unit: Deadline(default_s) for unit in settings.units}
        self.tripped_at_s: float | None = None
        """When the watchdog stopped the drives last [s]."""
        self.hold_values: dict[int, list[int]] = {}
        """Fault: state words of a drive, 0 to 5, that are told whatever it does."""

    @property
    def rods(self) -> tuple[Rod, ...]:
        """The true rods, for observers."""
        return self._group.rods

    @property
    def drives(self) -> tuple[EmulatedDrive, ...]:
        """The six drives."""
        return self._group.drives

    def resting_until_s(self) -> float:
        """Return the time before which nothing happens unless it is written [s]."""
        if not self._group.still:
            return -math.inf
        due_s = self._next_trip_s()
        return math.inf if due_s is None else due_s

    def power_up(self) -> None:
        """Switch the rack off and on: parameters, references and the watchdog are as at first."""
        for drive in self.drives:
            drive.power_up()
        for unit in self.settings.units:
            self._set_watchdog(unit, self.watchdog_default_ms)

    def advance(self, now_s: float) -> None:
        """Move everything on to a time; the watchdog fires at its own moment on the way."""
        if self._now_s is None:
            self._now_s = now_s
        while (due_s := self._next_trip_s()) is not None and due_s <= now_s:
            self._move_to(max(due_s, self._now_s))
            for unit, deadline in self._deadlines.items():
                if deadline.expired(self._now_s):
                    self.tripped_at_s = self._now_s
                    for drive in self._drives_of(unit):
                        self._stop_on_timeout(drive)
        self._move_to(now_s)

    @abstractmethod
    def read(self, unit: int, address: int, count: int) -> list[int] | int:
        """Read registers.

        Args:
            unit: Unit address, one of the rack's.
            address: First register.

        Returns:
            Their values, or an exception code.
        """

    @abstractmethod
    def write(self, unit: int, address: int, values: list[int], now_s: float) -> int | None:
        """Write registers.

        Args:
            unit: Unit address, one of the rack's.
            address: First register.

        Returns:
            None, or the exception code with which it is refused; then nothing was written.
        """

    @abstractmethod
    def state_words(self, drive: EmulatedDrive) -> list[int]:
        """Return what the registers tell of a drive."""

    @abstractmethod
    def _stop_on_timeout(self, drive: EmulatedDrive) -> None:
        """Do what the watchdog does to a drive whose master is silent."""

    def _published_words(self, drive: EmulatedDrive) -> list[int]:
        return self.hold_values.get(self.drives.index(drive)) or self.state_words(drive)

    def _drives_of(self, unit: int) -> tuple[EmulatedDrive, ...]:
        first = self.settings.units.index(unit) * self._per_unit
        return self.drives[first : first + self._per_unit]

    def _set_watchdog(self, unit: int, time_ms: int) -> None:
        self._watchdog_ms[unit] = time_ms
        self._deadlines[unit].set_time(time_ms / 1e3)

    def _move_to(self, now_s: float) -> None:
        if self._now_s is None or now_s <= self._now_s:
            return
        self._group.advance(now_s - self._now_s)
        self._now_s = now_s

    def _next_trip_s(self) -> float | None:
        times = [due for each in self._deadlines.values() if (due := each.due_s()) is not None]
        return min(times, default=None)
