"""Temperatures and loads of the maker's, read by SDO beside the cycle: one question at a time.

Nobody waits for an answer, and a drive that is busy with another transfer is asked later. What a
drive does not have is not asked for again.
"""

from collections import deque
from collections.abc import Sequence
from itertools import product

from canopen.sdo.exceptions import SdoAbortedError, SdoCommunicationError

from drives.canopen.objects import TYPES
from drives.canopen.quick_sdo import QuickSdo
from drives.canopen.service import ServiceNode
from drives.types.drive_type import Reading, place_of
from hil_common.legs import DriveReading

EVERY_S = 0.2
"""Time between two questions on the whole machine [s]."""
BACK = 0.02
"""Share of its limit by which a reading has to go back before its warning is over."""


class DriveReadings:
    """Temperatures and loads of six drives.

    Args:
        nodes: Node of each leg, 6.
        readings: What their type has.
    """

    def __init__(self, nodes: Sequence[ServiceNode], readings: Sequence[Reading]) -> None:
        self._sdo = tuple(QuickSdo(node) for node in nodes)
        self._due = deque(product(readings, range(len(nodes))))
        self._asked: tuple[Reading, int] | None = None
        self._next_s = float("-inf")
        self._high: dict[tuple[str, int], DriveReading] = {}
        self.high: tuple[DriveReading, ...] = ()
        """Those above their limit, as they were read last."""

    @property
    def busy(self) -> bool:
        """Whether an answer is being waited for."""
        return self._asked is not None

    def step(self, now_s: float, *, ask: bool = True) -> None:
        """Take in an answer that has come, and ask the next question if it is due.

        Args:
            ask: Whether to continue asking.

        Raises:
            LinkLostError: If an adapter is gone.
        """
        if self._asked is not None:
            self._take(*self._asked)
        elif ask and self._due and now_s >= self._next_s:
            reading, leg = self._due[0]
            if self._sdo[leg].upload(*place_of(reading.object)):
                self._asked = reading, leg
            self._due.rotate(-1)
            self._next_s = now_s + EVERY_S

    def _take(self, reading: Reading, leg: int) -> None:
        try:
            data = self._sdo[leg].answer()
        except SdoAbortedError:
            self._asked = None
            self._due.remove((reading, leg))
            return
        except SdoCommunicationError:
            self._asked = None
            return
        if data is None:
            return
        self._asked = None
        packer = TYPES[reading.kind]
        if len(data) >= packer.size:
            self._judge(reading, leg, packer.unpack_from(data)[0] * reading.factor)

    def _judge(self, reading: Reading, leg: int, value: float) -> None:
        key, limit = (reading.name, leg), reading.warn_above
        if value > limit or (key in self._high and value > limit - BACK * abs(limit)):
            self._high[key] = DriveReading(leg + 1, reading.name, value, limit, reading.unit)
        else:
            self._high.pop(key, None)
        self.high = tuple(self._high.values())
