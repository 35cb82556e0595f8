"""Telling six CANopen drives the speeds of their first motion, stage by stage, beside the cycle."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace

from canopen.sdo.exceptions import SdoAbortedError, SdoCommunicationError

from drives.bank import DriveSetupError
from drives.canopen_objects import Parameter, motion_parameters
from drives.canopen_quick_sdo import QuickSdo
from drives.canopen_service import ServiceNode
from drives.canopen_settings import CanopenSettings
from drives.first_motion import STAGES
from drives.scaling import LegScale

SPEEDS = (0x6099, 0x609A)
"""Homing speeds and homing acceleration."""
ROUNDING = 1.5
"""Factor by which a drive may round a speed so slow."""


@dataclass(slots=True)
class _Telling:
    """What one drive is still to be told.

    Attributes:
        leg: Index of the leg, from 0.
        sdo: The way to it.
        due: What it has to hold, the one at work first.
        reading: The first one has been written, and is being read back.
    """

    leg: int
    sdo: QuickSdo
    due: deque[Parameter]
    reading: bool = False


class StageTeller:
    """Writes the speeds of a stage into the drives and reads them back, never waiting.

    Args:
        nodes: Node of each leg, 6.
        settings: The drives and their bus.
        scales: Scale of each leg, 6.
        period_s: Bus cycle [s].
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
        self._stage: int | None = None
        self._tellings: list[_Telling] = []

    def tell(self, stage: int) -> bool:
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

    def speeds(self, leg: int, stage: int) -> list[Parameter]:
        """Return what a drive holds in a stage: homing speeds and acceleration, in its own units.

        Args:
            leg: Index of the leg, from 0.
            stage: As `tell` takes it.
        """
        settings = self._settings
        if stage < len(STAGES):
            slow = STAGES[stage]
            settings = replace(
                settings,
                homing_speed_m_s=slow.speed_m_s,
                homing_zero_speed_m_s=slow.speed_m_s,
                homing_acceleration_m_s2=slow.acceleration_m_s2(settings.homing_acceleration_m_s2),
            )
        every = motion_parameters(settings, self._scales[leg], leg, self._period_s)
        return [replace(each, value=max(1, each.value)) for each in every if each.index in SPEEDS]

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
            if wanted.required:
                raise DriveSetupError(f"{self._place(telling, wanted)}: {error}") from error
            telling.due.popleft()  # an optional object that it lacks
            telling.reading = False
            return
        except SdoCommunicationError as error:
            raise DriveSetupError(f"{self._place(telling, wanted)}: {error}") from error
        if data is None:
            return
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
