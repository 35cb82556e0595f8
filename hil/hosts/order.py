"""The order of a host's packets: which is new, which came late or twice, and when it began anew."""

from __future__ import annotations

import math
from enum import Enum
from typing import Final

from hil.hosts.kind import Received

WRAP: Final = 1 << 32
"""Sequence numbers begin at 0 again after so many (unsigned, 32 bit)."""
LATE_PACKETS: Final = 128
"""A number that is older by no more than this came late; an older one is a new beginning."""
LOST_PACKETS: Final = 100_000
"""A number that is ahead by more than this is a new beginning too."""
LATE_S: Final = 0.2
"""Largest lag of a stamp that came late; an older one is a new beginning [s]."""
LATE_ROW: Final = 5
"""Number of late packets in a row by which a host began anew."""
FORWARD_S: Final = 0.5
"""Advance of a stamp over that of time which is a new beginning [s]."""


class PacketOrder(Enum):
    """Place of a packet among those before."""

    NEW = "new"
    LATE = "late"
    """Older than the newest, or the newest once more."""
    SAME_STAMP = "same stamp"
    """A new packet, but the host's time did not advance."""
    RESTART = "restart"
    """The sequence began anew."""
    BACKWARD = "backward"
    """The host's time went back."""
    FORWARD = "forward"
    """The host's time advanced by more than ours."""


class Ordering:
    """Keeps the newest sequence number and stamp of one stream."""

    def __init__(self) -> None:
        self.missing: int = 0
        """Packets that never came, by the host's own count."""
        self._sequence: int | None = None
        self._stamp_s = math.nan
        self._kernel_s = math.nan
        self._late_row = 0
        self.catching_up: bool = False
        """Whether the newest packet's stamp advanced much faster than our clock: a backlog."""

    def judge(self, received: Received) -> PacketOrder:
        """Return the place of the next packet; a beginning makes it the newest."""
        order = self._order(received)
        self._late_row = self._late_row + 1 if order is PacketOrder.LATE else 0
        if self._late_row >= LATE_ROW:
            order = (
                PacketOrder.BACKWARD if received.packet.sequence is None else PacketOrder.RESTART
            )
            self._late_row = 0
        if order is not PacketOrder.LATE:
            self._keep(received, order)
        return order

    def _keep(self, received: Received, order: PacketOrder) -> None:
        sequence, stamp_s = received.packet.sequence, received.packet.state.t_s
        took_s = received.kernel_s - self._kernel_s
        self.catching_up = stamp_s - self._stamp_s > 2.0 * took_s
        if sequence is not None and self._sequence is not None and order is PacketOrder.NEW:
            self.missing += (sequence - self._sequence) % WRAP - 1
        self._sequence = sequence
        self._stamp_s = stamp_s
        self._kernel_s = received.kernel_s

    def _order(self, received: Received) -> PacketOrder:
        sequence, stamp_s = received.packet.sequence, received.packet.state.t_s
        counted = sequence is not None and self._sequence is not None
        if sequence is not None and self._sequence is not None:
            ahead = (sequence - self._sequence + WRAP // 2) % WRAP - WRAP // 2
            if ahead < -LATE_PACKETS or ahead > LOST_PACKETS:
                return PacketOrder.RESTART
            if ahead <= 0:
                return PacketOrder.LATE
        went_s = stamp_s - self._stamp_s
        if math.isnan(went_s):
            return PacketOrder.NEW
        if went_s == 0.0:
            return PacketOrder.SAME_STAMP
        if went_s < 0.0:
            return PacketOrder.BACKWARD if counted or went_s < -LATE_S else PacketOrder.LATE
        if went_s > received.kernel_s - self._kernel_s + FORWARD_S:
            return PacketOrder.FORWARD
        return PacketOrder.NEW
