"""Telling six Modbus drives the speeds of their first motion, one request in a cycle."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from drives.axes.first_motion import STAGES, StageCourse
from drives.axes.scaling import LegScale
from drives.bank import DriveSetupError
from drives.modbus.codec import from_registers, to_registers
from drives.modbus.gateway import ModbusGateway
from drives.modbus.register_map import RegisterMap
from drives.modbus.register_table import FieldPlace
from drives.modbus.settings import ModbusSettings
from drives.modbus.setup import DeviceSetup
from hil_common.legs import LEG_COUNT

SPEEDS: Final = ("homing_speed_switch", "homing_speed_zero", "homing_acceleration")
"""Homing speeds and homing acceleration, as a map calls them."""
ROUNDING: Final = 1.5
"""Factor by which a drive may round a speed so slow."""


@dataclass(frozen=True, slots=True)
class _Value:
    """What a drive has to hold."""

    leg: int
    """Index of the leg, from 0."""
    place: FieldPlace
    """Its register."""
    value: int
    """In the drive's own units."""


class ModbusStageWriter:
    """Writes the speeds of a stage into the drives and reads them back.

    Args:
        settings: Parameters of the drives.
        scales: Scale of each leg, 6.
    """

    def __init__(
        self,
        map_: RegisterMap,
        settings: ModbusSettings,
        scales: Sequence[LegScale],
        period_s: float,
    ) -> None:
        self._map, self._settings = map_, settings
        self._scales, self._period_s = tuple(scales), period_s
        self._stage: int | None = None
        self._due: deque[_Value] = deque()

    @property
    def possible(self) -> bool:
        """Whether the map has the speeds of homing at all; if not, they are set by other means."""
        return all(
            self._map.parameter(leg, name) for leg in range(LEG_COUNT) for name in SPEEDS[:2]
        )

    @property
    def is_written(self) -> bool:
        """Whether all drives hold the speeds of the stage that was begun last."""
        return self._stage is not None and not self._due

    def courses(self) -> list[list[StageCourse]]:
        """Return each stage as each drive is told it."""
        return [
            [StageCourse(stage, scale.counts_per_m, self._period_s) for scale in self._scales]
            for stage in STAGES
        ]

    def begin(self, stage: int) -> None:
        """Begin a stage, if it is not the one at work.

        Args:
            stage: Index in `STAGES`, or their number for the speed of homing itself.
        """
        if stage != self._stage:
            self._stage = stage
            self._due = deque(
                value for leg in range(LEG_COUNT) for value in self._speeds(leg, stage)
            )

    def job(self) -> Callable[[ModbusGateway], None]:
        """Return what the worker has to do next: one value written and read back.

        It raises DriveSetupError if a drive reads back another value, ModbusError if it refuses or
        does not answer; a value whose job did not end is written again by the next one.
        """
        wanted = self._due[0]

        def run(gateway: ModbusGateway) -> None:
            self._write(gateway, wanted)
            if self._due and self._due[0] is wanted:
                self._due.popleft()

        return run

    def _speeds(self, leg: int, stage: int) -> list[_Value]:
        settings = self._settings
        if stage < len(STAGES):
            slow = STAGES[stage]
            settings = replace(
                settings,
                homing_speed_m_s=slow.speed_m_s,
                homing_zero_speed_m_s=slow.speed_m_s,
                homing_acceleration_m_s2=slow.acceleration_m_s2(settings.homing_acceleration_m_s2),
            )
        setup = DeviceSetup(self._map, settings, self._scales, self._period_s)
        wanted = setup.wanted(leg)
        places = ((name, self._map.parameter(leg, name)) for name in SPEEDS)
        return [_Value(leg, place, max(1, wanted[name])) for name, place in places if place]

    def _write(self, gateway: ModbusGateway, wanted: _Value) -> None:
        place, order = wanted.place, self._map.word_order
        unit = self._map.unit_of_leg(wanted.leg)
        gateway.write(unit, place.offset, list(to_registers(wanted.value, place.type, order)))
        held = from_registers(
            gateway.read(unit, place.offset, place.type.registers), place.type, order
        )
        if not wanted.value <= ROUNDING * held <= ROUNDING**2 * wanted.value:
            raise DriveSetupError(
                f"{gateway.url}: leg {wanted.leg + 1}, unit {unit}, {place.name} (register "
                f"{place.offset}) was written as {wanted.value} for the first motion and reads "
                f"back as {held}"
            )
