"""One CAN bus of the rack: receivers by identifier, frames under way, frames for the master.

A bus with a bit rate gives every frame its bit time (`sim.devices.can.bus_timing`). Without one a
frame arrives in the moment in which it is sent; of frames sent together the lowest identifier is
first.

The receivers of a frame are looked up once for each identifier and kept until a node reports that
it may listen to others.

Not modelled: several adapters on one bus; a node that cannot receive another one's frames.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from sim.devices.can.bus_timing import MASTER, BusTiming, priority
from sim.devices.can.node import CanNode, Handler
from sim.devices.can.rack_faults import RackFaults, Spoil

Outgoing = tuple[float, int, bytes, Spoil]
"""A frame for the master: when it gets it (monotonic [s]), identifier, data, harm to its line."""

FOREIGN: Final = -2
"""Sender number of the second master of that fault."""
_OUTGOING_MAX: Final = 4096
"""Frames that wait for a master that does not fetch them; then the oldest are lost."""


class CanBus:
    """Bus with its nodes.

    Args:
        bitrate: [bit/s]; None for frames that take no time.
        members: Indices and nodes on this bus.
        faults: Faults of the rack.
        on_sync: Called with its time before the nodes get a SYNC.
    """

    def __init__(
        self,
        bitrate: int | None,
        members: tuple[tuple[int, CanNode], ...],
        faults: RackFaults,
        on_sync: Callable[[float], None],
    ) -> None:
        self._members = members
        self._faults = faults
        self._timing = None if bitrate is None else BusTiming(bitrate)
        self._sent: list[tuple[int, int, bytes]] = []
        self._routes: dict[int, tuple[tuple[int, Handler], ...]] = {}
        self._outgoing: list[Outgoing] = []
        self._outgoing_due_s = math.inf
        self._in_order = True
        """Whether no waiting frame was delayed by a fault."""
        self._on_sync = on_sync
        self.lost_frames: int = 0
        """Frames lost to a full buffer or a dead bus."""

    def forget_routes(self) -> None:
        """Look up the receivers of identifiers again."""
        self._routes.clear()

    def clear(self) -> None:
        """Lose all frames that wait or are being sent."""
        self._sent.clear()
        if self._timing is not None:
            self._timing.clear()

    # -- sending --------------------------------------------------------------------------------

    def from_master(self, can_id: int, data: bytes, now_s: float) -> bool:
        """Take a frame of the master; return False if the adapter's buffer is full."""
        if self._timing is not None:
            return self._timing.offer(can_id, data, MASTER, now_s)
        self._deliver(can_id, data, MASTER, now_s)
        if self._sent:
            self.pass_on(now_s)
        return True

    def from_node(self, can_id: int, data: bytes, sender: int, now_s: float) -> None:
        """Take a frame of a node, which `pass_on` or `finish` delivers.

        Args:
            sender: Index of the node, or `FOREIGN`.
        """
        if self._timing is None:
            self._sent.append((can_id, sender, data))
        else:
            self._timing.offer(can_id, data, sender, now_s)

    # -- time -----------------------------------------------------------------------------------

    def due_s(self) -> float:
        """Return when the frame on the bus is over [s]; infinite if there is none."""
        return math.inf if self._timing is None else self._timing.due_s()

    def wake_s(self) -> float:
        """Return when the adapter's next action is due [s]; infinite if there is none.

        Frames that follow each other without a gap are handed over together, when the last of
        them is over: an adapter on USB does much the same.
        """
        idle_s = math.inf if self._timing is None else self._timing.idle_s()
        return min(idle_s, self._outgoing_due_s)

    def finish(self, due_s: float) -> None:
        """Deliver the frame that is over.

        Args:
            due_s: The time that `due_s` returned.
        """
        transfer = None if self._timing is None else self._timing.finish(due_s)
        if transfer is not None:
            self._deliver(*transfer)

    def pass_on(self, now_s: float) -> None:
        """Deliver the frames of nodes on a bus on which frames take no time."""
        while self._sent:
            sent, self._sent = self._sent, []
            sent.sort(key=_priority)
            for can_id, sender, data in sent:
                self._deliver(can_id, data, sender, now_s)

    # -- arriving -------------------------------------------------------------------------------

    def take(self, now_s: float) -> list[Outgoing]:
        """Return the frames that the master may have by now, in order."""
        waiting = self._outgoing
        if now_s < self._outgoing_due_s:
            return []
        if self._in_order and waiting[-1][0] <= now_s:
            self._outgoing, self._outgoing_due_s = [], math.inf
            return waiting
        ready = sorted((item for item in waiting if item[0] <= now_s), key=_ready)
        self._outgoing = [item for item in waiting if item[0] > now_s]
        self._outgoing_due_s = min((item[0] for item in self._outgoing), default=math.inf)
        self._in_order = not self._outgoing
        return ready

    def _deliver(self, can_id: int, data: bytes, sender: int, now_s: float) -> None:
        if not self._faults.idle and self._faults.bus_is_off:
            self.lost_frames += 1
            return
        if can_id == 0x080:
            self._on_sync(now_s)
        routes = self._routes.get(can_id)
        if routes is None:
            routes = self._routes[can_id] = self._find_routes(can_id)
        for k, handle in routes:
            if k != sender:
                handle(data, now_s)
        if sender != MASTER:
            self._put_out(can_id, data, sender, now_s)

    def _find_routes(self, can_id: int) -> tuple[tuple[int, Handler], ...]:
        found = ((k, node.handler(can_id)) for k, node in self._members)
        return tuple((k, handle) for k, handle in found if handle is not None)

    def _put_out(self, can_id: int, data: bytes, sender: int, now_s: float) -> None:
        spoil = Spoil.NOTHING
        if not self._faults.idle:
            delay_s, spoil = self._faults.adapter(sender)
            now_s += delay_s
            self._in_order = False
        outgoing = self._outgoing
        if len(outgoing) >= _OUTGOING_MAX:
            del outgoing[0]
            self.lost_frames += 1
        outgoing.append((now_s, can_id, data, spoil))
        if now_s < self._outgoing_due_s:
            self._outgoing_due_s = now_s


def _priority(frame: tuple[int, int, bytes]) -> int:
    return priority(frame[0])


def _ready(item: Outgoing) -> float:
    return item[0]
