"""Telling six CANopen drives the speeds of their first motion, stage by stage, beside the cycle."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace

from canopen.sdo.exceptions import SdoAbortedError, SdoCommunicationError

from drives.axes.first_motion import STAGES, Stage, StageCourse
from drives.axes.scaling import LegScale
from drives.bank import DriveSetupError
from drives.canopen.node import ABSENT
from drives.canopen.objects import Parameter
from drives.canopen.quick_sdo import QuickSdo
from drives.canopen.service import TRANSIENT, TRIES, ServiceNode
from drives.canopen.settings import CanopenSettings
from drives.canopen.units import COUNTS, LegUnits

ROUNDED = 1.0 + 1e-9
"""So that 0.0001 m/s * 1e6 is 100 counts/s, and not one less."""
ROUNDING = 1.5
"""Factor by which a drive may round a speed so slow."""


@dataclass(slots=True)
class _Telling:
    """What one drive is still to be told."""

    leg: int
    """Index of the leg, from 0."""
    sdo: QuickSdo
    """The way to it."""
    due: deque[Parameter]
    """What it has to hold, the one at work first."""
    reading: bool = False
    """The first one has been written, and is being read back."""
    tries_left: int = TRIES
    """How often what is at work is tried yet, of a drive that is busy."""


class CanopenStageWriter:
    """Writes the speeds of a stage into the drives and reads them back, never waiting.

    Args:
        nodes: Node of each leg, 6.
        scales: Scale of each leg, 6.
    """

    def __init__(
        self,
        nodes: Sequence[ServiceNode],
        settings: CanopenSettings,
        scales: Sequence[LegScale],
        period_s: float,
    ) -> None:
        self._nodes, self._settings = tuple(nodes), settings
        self._scales, self._period_s = tuple(scales), period_s
        self._sdo = tuple(QuickSdo(node) for node in nodes)
        self._units: tuple[LegUnits, ...] = (COUNTS,) * len(self._nodes)
        self._stage: int | None = None
        self._tellings: list[_Telling] = []

    def write(self, stage: int) -> bool:
        """Go on with a stage, once a cycle; say whether all drives hold its speeds now.

        Args:
            stage: Index in `STAGES`, or their number for the speed of homing itself.

        Raises:
            DriveSetupError: If a drive refuses, does not answer, or reads back another value.
            LinkLostError: If the adapter is gone.
        """
        if stage != self._stage:
            self._stage = stage
            self._tellings = [
                _Telling(leg, sdo, deque(self.speeds(leg, stage)))
                for leg, sdo in enumerate(self._sdo)
            ]
        for telling in self._tellings:
            self._go_on(telling)
        if any(telling.due for telling in self._tellings):
            return False
        self._stage = None
        return True

    def know_units(self, units: Sequence[LegUnits]) -> None:
        """Take note in what each drive counts, 6."""
        self._units = tuple(units)

    def courses(self) -> list[list[StageCourse]]:
        """Return each stage as each drive is told it: not slower than its least unit of speed."""
        return [[self._course(leg, stage) for leg in range(len(self._sdo))] for stage in STAGES]

    def speeds(self, leg: int, stage: int) -> list[Parameter]:
        """Return what a drive holds in a stage: homing speeds and acceleration, in its own units.

        Args:
            leg: Index of the leg, from 0.
            stage: As `tell` takes it.
        """
        settings, type_ = self._settings, self._settings.type
        speeds_m_s = (settings.homing_speed_m_s, settings.homing_zero_speed_m_s)
        acceleration_m_s2 = settings.homing_acceleration_m_s2
        if stage < len(STAGES):
            slow = STAGES[stage]
            speeds_m_s = (slow.speed_m_s, slow.speed_m_s)
            acceleration_m_s2 = slow.acceleration_m_s2(acceleration_m_s2)
        values = [
            (0x6099, 1, self._speed_units(leg, speeds_m_s[0]), "homing speed"),
            (0x6099, 2, self._speed_units(leg, speeds_m_s[1]), "homing zero speed"),
            (0x609A, 0, self._ramp_units(leg, acceleration_m_s2), "homing acceleration"),
        ]
        return [
            Parameter(index, sub, "u32", value, what, less=value - 1).for_type(type_)
            for index, sub, value, what in values
        ]

    def _course(self, leg: int, stage: Stage) -> StageCourse:
        counts_per_m = self._scales[leg].counts_per_m
        drive_m_s = self._speed_units(leg, stage.speed_m_s) * abs(self._units[leg].speed)
        rounded = replace(stage, speed_m_s=drive_m_s / counts_per_m)
        return StageCourse(rounded, counts_per_m, self._period_s)

    def _speed_units(self, leg: int, speed_m_s: float) -> int:
        """Return a speed in the drive's own units, rounded down, and at least one of them."""
        unit = abs(self._units[leg].speed)
        return max(1, math.floor(speed_m_s * self._scales[leg].counts_per_m / unit * ROUNDED))

    def _ramp_units(self, leg: int, acceleration_m_s2: float) -> int:
        unit = self._units[leg].acceleration
        exact = acceleration_m_s2 * self._scales[leg].counts_per_m / unit
        return max(1, math.floor(exact * ROUNDED))

    def _go_on(self, telling: _Telling) -> None:
        sdo = telling.sdo
        if not telling.due:
            return
        wanted = telling.due[0]
        try:
            if not sdo.busy:
                self._ask(telling, wanted)
                return
            data = sdo.answer()
        except SdoAbortedError as error:
            telling.tries_left -= 1
            if error.code in TRANSIENT and telling.tries_left:
                return
            if error.code not in ABSENT:
                raise DriveSetupError(f"{self._place(telling, wanted)}: {error}") from error
            telling.due.popleft()  # an optional object that it lacks
            telling.reading = False
            return
        except SdoCommunicationError as error:
            raise DriveSetupError(f"{self._place(telling, wanted)}: {error}") from error
        if data is None:
            return
        telling.tries_left = TRIES
        if telling.reading:
            self._compare(telling, wanted, wanted.decode(data))
            telling.due.popleft()
        telling.reading = not telling.reading

    def _ask(self, telling: _Telling, wanted: Parameter) -> None:
        if telling.reading:
            telling.sdo.upload(wanted.index, wanted.sub)
        else:
            telling.sdo.download(wanted.index, wanted.sub, wanted.encode())

    def _compare(self, telling: _Telling, wanted: Parameter, held: int) -> None:
        if not wanted.value <= ROUNDING * held <= ROUNDING**2 * wanted.value:
            raise DriveSetupError(
                f"{self._place(telling, wanted)} was written as {wanted.value} for the first "
                f"motion and reads back as {held}"
            )

    def _place(self, telling: _Telling, wanted: Parameter) -> str:
        number = self._nodes[telling.leg].number
        return f"leg {telling.leg + 1} (node {number}): {wanted.meaning} ({wanted.place})"
