"""Process data of one node: its PDOs together, the effect of SYNC, routing by identifier.

CiA 301, clause "Process data object (PDO)". Synchronous RPDOs act with SYNC, before the synchronous
TPDOs are sampled. What SDO writes may change is looked up when it changes, so that the cycle finds
lists of only those PDOs that have something to do.

Not modelled: a device that samples before it acts, which some drives are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Final

from sim.devices.can.communication_objects import PDO_COUNT, SYNC_ID
from sim.devices.can.object_store import ObjectStore
from sim.devices.can.pdo import ReceivePdo, TransmitPdo

Handler = Callable[[bytes, float], None]
"""Function of a frame's data and the monotonic time at which it is complete [s]."""

RPDO_TIMEOUT: Final = 0x8250
COMMUNICATION_REGISTER: Final = 0x11
"""Error register 1001h: generic, and communication."""
_CLOCK_FAST_PPM: Final = 20
"""Excess of each node's clock rate over that of the node before it [ppm]."""
_CLOCK_AHEAD_S: Final = 4190.0
"""Lead of the nodes' clocks over ours: those of a test wrap around after its first seconds [s]."""
_RPDO_ERRORS: Final = (RPDO_TIMEOUT, 0x8210, 0x8220)


def own_time_us(node_id: int, now_s: float) -> int:
    """Return the time of a node's own clock [us]; each runs a little fast and wraps around soon.

    Args:
        node_id: The node.
    """
    return int((now_s + _CLOCK_AHEAD_S) * (1e6 + _CLOCK_FAST_PPM * node_id))


class ProcessData:
    """All PDOs of a node.

    Args:
        store: Objects of the node.
        may_change: Returns whether the node is PRE-OPERATIONAL.
        send: Called with identifier and data of each frame to send.
        report: Called when the drive may have an emergency to send.
    """

    def __init__(
        self,
        store: ObjectStore,
        may_change: Callable[[], bool],
        send: Callable[[int, bytes], None],
        report: Callable[[], None],
    ) -> None:
        self._store, self._drive = store, store.drive
        self._send, self._report = send, report
        there = store.table.indices
        numbers = range(PDO_COUNT)
        self.rpdos: tuple[ReceivePdo, ...] = tuple(
            ReceivePdo(store, k, may_change) for k in numbers if 0x1400 + k in there
        )
        self.tpdos: tuple[TransmitPdo, ...] = tuple(
            TransmitPdo(store, k, may_change) for k in numbers if 0x1800 + k in there
        )
        self.refresh()

    def reset(self) -> None:
        """Read everything again after the objects have got their defaults."""
        for pdo in (*self.rpdos, *self.tpdos):
            pdo.configure()
        self.refresh()

    def refresh(self) -> None:
        """Look up again what SDO writes may have changed."""
        for pdo in (*self.rpdos, *self.tpdos):
            pdo.refresh()
        self._sync_id = self._store.values.get((0x1005, 0), SYNC_ID)
        self._rpdo_of = {pdo.cob_id: pdo for pdo in self.rpdos if pdo.cob_id is not None}
        self._sync_rpdos = [pdo for pdo in self.rpdos if not pdo.event_driven]
        existing = [(pdo.cob_id, pdo) for pdo in self.tpdos if pdo.cob_id is not None]
        self._sync_tpdos = [(cob_id, pdo) for cob_id, pdo in existing if not pdo.event_driven]
        self._event_tpdos = [(cob_id, pdo) for cob_id, pdo in existing if pdo.event_driven]
        self._watched = [pdo for pdo in self.rpdos if pdo.deadline.time_s > 0.0]

    def start(self) -> None:
        """Begin, because the node became OPERATIONAL."""
        for pdo in self.tpdos:
            pdo.start()

    def stop(self) -> None:
        """Forget waiting data, because the node left OPERATIONAL."""
        for pdo in self.rpdos:
            pdo.stop()

    def handler(self, can_id: int) -> Handler | None:
        """Return the receiver of a frame while the node is OPERATIONAL, or None."""
        if can_id == self._sync_id:
            return self._on_sync
        pdo = self._rpdo_of.get(can_id)
        return None if pdo is None else partial(self._on_rpdo, pdo)

    def on_time(self, now_s: float) -> None:
        """Send event-driven TPDOs that are due (monotonic time [s])."""
        for cob_id, pdo in self._event_tpdos:
            data = pdo.on_time(now_s)
            if data is not None:
                self._send(cob_id, data)

    def silent(self, now_s: float) -> int:
        """Return how many supervised RPDOs have been missed since the last call."""
        return sum(pdo.deadline.expired(now_s) for pdo in self._watched)

    def earliest_s(self, now_s: float) -> float:
        """Return a time before which `silent` stays 0, whatever is received until then [s]."""
        times = [pdo.deadline.earliest_s(now_s) for pdo in self._watched]
        return min(times, default=math.inf)

    # -- frames ---------------------------------------------------------------------------------

    def _on_sync(self, data: bytes, now_s: float) -> None:
        self._store.clock_us = own_time_us(self._store.node_id, now_s)
        for pdo in self._sync_rpdos:
            if pdo.waiting is not None:
                pdo.on_sync()
        for cob_id, pdo in self._sync_tpdos:
            packed = pdo.on_sync(now_s)
            if packed is not None:
                self._send(cob_id, packed)
        if self._drive.emergencies:
            self._report()

    def _on_rpdo(self, pdo: ReceivePdo, data: bytes, now_s: float) -> None:
        error = pdo.receive(data, now_s)
        drive = self._drive
        if error:
            drive.report(error, COMMUNICATION_REGISTER)
        elif drive.errors:
            for code in _RPDO_ERRORS:
                drive.recover(code)
        if drive.emergencies:
            self._report()
        if pdo.event_driven:
            self.on_time(now_s)
