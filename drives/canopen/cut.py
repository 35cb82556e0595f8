"""The cut on CANopen: the statusword is asked for by SDO while setpoints, SYNC and heartbeat fail.

An SDO request is no sign of life by CiA 301: neither the heartbeat consumer nor life guarding nor
the event timer of an RPDO counts it.
"""

from __future__ import annotations

from collections.abc import Sequence

from canopen.sdo.exceptions import SdoAbortedError, SdoCommunicationError

from drives.axes.cia402 import State402, state_of
from drives.axes.cut_trial import CutTrial
from drives.canopen.quick_sdo import QuickSdo
from drives.canopen.service import ServiceNode
from drives.canopen.settings import CanopenSettings

STATUSWORD = 0x6041


class CanopenCut:
    """Asks six nodes how they are while the bench is silent.

    Args:
        speed_m_s: Speed at which the silence begins [m/s]; 0 at rest.
        nodes: Node of each leg, 6.
    """

    def __init__(
        self,
        speed_m_s: float,
        nodes: Sequence[ServiceNode],
        settings: CanopenSettings,
        period_s: float,
    ) -> None:
        watchdog_s = max(settings.consumer_heartbeat_s, settings.rpdo_timeout_s)
        self.trial: CutTrial = CutTrial(speed_m_s, watchdog_s, period_s)
        self._sdo = tuple(QuickSdo(node) for node in nodes)

    def ask(self) -> None:
        """Ask every node for its statusword that has answered the last request.

        Raises:
            LinkLostError: If an adapter is gone.
        """
        for sdo in self._sdo:
            if not sdo.busy:
                sdo.upload(STATUSWORD, 0)

    def check(self, now_s: float) -> None:
        """Take in the answers that have come [s]."""
        self.trial.see([_enabled(sdo) for sdo in self._sdo], now_s)


def _enabled(sdo: QuickSdo) -> bool | None:
    """Return whether a drive is in Operation enabled; None without an answer that says so."""
    try:
        data = sdo.answer()
    except (SdoAbortedError, SdoCommunicationError):
        return None
    if not data:
        return None
    return state_of(int.from_bytes(data[:2], "little")) is State402.OPERATION_ENABLED
