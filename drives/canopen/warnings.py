"""Warnings of CANopen drives: bit 7 of the statusword, and the code that belongs to it.

A drive that warns goes on: too warm, I2t at its end (CiA 402-2, statusword). What it warns of
stands in 603Fh, which is asked for once by an SDO beside the cycle, or came by EMCY before. An EMCY
of a drive that warns and has no fault is that warning, not a fault.
"""

from collections.abc import Sequence

from drives.axes.cia402 import Statusword
from drives.can.frames import Frame
from drives.canopen.pdo import SDO_REQUEST_ID
from drives.canopen.service import Segment
from drives.canopen.settings import CanopenSettings
from drives.canopen.watch import GENERIC_ERROR, Watch
from hil_common.legs import LEG_COUNT, SixInts

NO_WARNING: SixInts = (0, 0, 0, 0, 0, 0)
ASK_CODE = bytes((0x40, 0x3F, 0x60, 0x00, 0, 0, 0, 0))
"""Request of an upload of 603Fh:0 (CiA 301, SDO upload protocol)."""
_WARNS = int(Statusword.WARNING)
_WARNS_ONLY = int(Statusword.WARNING | Statusword.FAULT)


class DriveWarnings:
    """What six drives warn of.

    Args:
        settings: Nodes and buses of the legs.
        watch: Knows what the nodes tell beside their PDOs.
    """

    def __init__(
        self, segments: Sequence[Segment], settings: CanopenSettings, watch: Watch
    ) -> None:
        self._segments, self._settings, self._watch = segments, settings, watch
        self._warns = [False] * LEG_COUNT

    def codes(self, statuswords: Sequence[int]) -> SixInts:
        """Return the code of each drive's warning; `GENERIC_ERROR` until its drive has told it.

        Args:
            statuswords: Newest words of the drives, 6.

        Raises:
            LinkLostError: If an adapter is gone.
        """
        a, b, c, d, e, f = statuswords
        if not (a | b | c | d | e | f) & _WARNS and not any(self._warns):
            return NO_WARNING
        for leg, word in enumerate(statuswords):
            warns = word & _WARNS_ONLY == _WARNS
            if warns != self._warns[leg]:
                self._warns[leg] = warns
                self._watch.warn(leg, warns=warns, well=not word & _WARNS_ONLY)
                if warns:
                    self._ask(leg)
        a, b, c, d, e, f = (
            (notes.reported_code or notes.code or GENERIC_ERROR) if warns else 0
            for notes, warns in zip(self._watch.nodes, self._warns, strict=True)
        )
        return (a, b, c, d, e, f)

    def _ask(self, leg: int) -> None:
        settings = self._settings
        frame = Frame(SDO_REQUEST_ID + settings.node_ids[leg], ASK_CODE)
        self._segments[settings.bus_of_leg[leg]].send((frame,))
