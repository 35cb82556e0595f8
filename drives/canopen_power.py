"""Whether drives that send no PDO have force, asked by SDO: for leaving the bus.

A drive that has lost the bench may have left the state operational (1029h). It sends no PDO then,
but it is guarded again as soon as it hears the bench, and would record another fault when the bench
goes without signing off.
"""

from __future__ import annotations

from collections.abc import Mapping

from canopen.sdo.exceptions import SdoAbortedError, SdoCommunicationError

from drives.canopen_quick_sdo import QuickSdo
from drives.canopen_service import ServiceNode
from drives.cia402 import State402, state_of

STATUSWORD = 0x6041
POWERED = frozenset(
    (State402.OPERATION_ENABLED, State402.QUICK_STOP_ACTIVE, State402.FAULT_REACTION_ACTIVE)
)
"""States of a drive that has force, or may have."""


class PowerQuestion:
    """Asks nodes once for their statusword, beside the cycle.

    Args:
        nodes: Node of each leg that is asked, by its number from 0.

    Raises:
        LinkLostError: If an adapter is gone.
    """

    def __init__(self, nodes: Mapping[int, ServiceNode]) -> None:
        self._asked = {leg: QuickSdo(node) for leg, node in nodes.items()}
        self.unpowered: set[int] = set()
        """Legs whose drives have said that they have no force."""
        for sdo in self._asked.values():
            sdo.upload(STATUSWORD, 0)

    def settled(self) -> bool:
        """Take the answers that have come, and return whether there are no more to come."""
        for leg, sdo in self._asked.items():
            try:
                data = sdo.answer()
            except (SdoAbortedError, SdoCommunicationError):
                continue
            if data:
                state = state_of(int.from_bytes(data[:2], "little"))
                if state is not None and state not in POWERED:
                    self.unpowered.add(leg)
        return not any(sdo.busy for sdo in self._asked.values())
