"""Six emulated CANopen drives on one or two buses, stepped by a time that is given from outside.

    rack = CanRack(RackSettings(), seed=1)
    rack.receive((0x000, bytes((1, 0))), now_s)
    frames = rack.transmit(now_s)

Frames of both directions occupy the bus for their bit time. The rods and all timers of the nodes
advance on a grid of at most 1 ms, and exactly to the moment of each SYNC.

Not modelled: a second layer of SYNC jitter (a drive samples at the end of the SYNC frame), the
latency inside a drive between a frame and its effect, retransmission after bit errors.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from sim.devices.bus_timing import MASTER, BusTiming, Transfer
from sim.devices.can_node import CanNode
from sim.devices.drive_group import DriveGroup
from sim.devices.drive_parameters import RackSettings
from sim.devices.plant import Rod
from sim.devices.rack_faults import RackFaults, Spoil

CanFrame = tuple[int, bytes]
"""Identifier (11 bits) and data of a frame."""

_TICK_S: Final = 1e-3
_WAKE_S: Final = 2e-3
"""How long a rack may sleep although nothing is due: its rods move on."""
_OUTGOING_MAX: Final = 4096
"""Frames that wait for a master that does not fetch them; then the oldest are lost."""
FOREIGN: Final = -2
"""Sender number of the second master of that fault."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A frame for the master.

    Attributes:
        can_id: Identifier.
        data: Bytes.
        ready_s: When the master gets it [s].
        spoil: What the adapter does to its line.
    """

    can_id: int
    data: bytes
    ready_s: float
    spoil: Spoil = Spoil.NOTHING


class CanRack:
    """The rack.

    Args:
        settings: Drives, bit rate, buses.
        seed: Seed of positions at power-up and of random faults.
    """

    def __init__(self, settings: RackSettings, *, seed: int) -> None:
        self.settings = settings
        self.group = DriveGroup(settings, seed=seed)
        self._buses = tuple(BusTiming(settings.bitrate) for _ in range(settings.bus_count))
        self._outgoing: tuple[list[Outgoing], ...] = tuple([] for _ in self._buses)
        self._routes: tuple[dict[int, tuple[int, ...]], ...] = tuple({} for _ in self._buses)
        self.nodes = tuple(
            CanNode(drive, self._sender(k), settings.boot_time_s, self._forget_routes)
            for k, drive in enumerate(self.group.drives)
        )
        self._on_bus = tuple(
            tuple(k for k in range(len(self.nodes)) if settings.buses[k] == bus)
            for bus in range(settings.bus_count)
        )
        rng = random.Random(seed ^ 0x5EED)  # noqa: S311  (an emulated machine, no secret)
        self._faults = RackFaults(self.nodes, rng, self._foreign)
        self._now_s: float | None = None
        self._plant_s = 0.0
        self._event_s = 0.0
        self.lost_frames = 0
        """Frames that found a full buffer or a dead bus."""

    @property
    def rods(self) -> tuple[Rod, ...]:
        """The six rods as they truly are: `x_m`, `v_m_s`, `force_n`."""
        return self.group.rods

    @property
    def faults(self) -> RackFaults:
        """Faults: `rack.faults.start(Injection(...), now_s)`."""
        return self._faults

    def receive(self, frame: CanFrame, now_s: float, bus: int = 0) -> bool:
        """Take a frame of the master into the adapter.

        Args:
            frame: Identifier and data.
            now_s: Monotonic time [s].
            bus: Number of the bus.

        Returns:
            False if the frame is lost because the adapter's buffer is full or the bus is off.
        """
        if self._now_s is None or now_s > self._now_s:
            self.advance(now_s)
        can_id, data = frame
        if self._faults.bus_is_off or not self._buses[bus].offer(can_id, data, MASTER, now_s):
            self.lost_frames += 1
            return False
        return True

    def advance(self, now_s: float) -> None:
        """Let everything happen that happens until now.

        Args:
            now_s: Monotonic time [s]; a time before the last one does nothing.
        """
        if self._now_s is None:
            self._now_s = self._plant_s = self._event_s = now_s
            for k, node in enumerate(self.nodes):
                if self._faults.value("absent", k) is None:
                    node.power_on(now_s)
                node.poll(now_s)
        while True:
            bus, due_s = self._next_transfer()
            tick_s = self._plant_s + _TICK_S
            if due_s is not None and due_s <= now_s and due_s <= tick_s:
                transfer = self._buses[bus].finish(due_s)
                if transfer is not None:
                    self._deliver(bus, transfer)
            elif tick_s <= now_s:
                self._tick(tick_s)
            else:
                break
        self._now_s = max(self._now_s, now_s)

    def transmit(self, now_s: float, bus: int = 0) -> list[CanFrame]:
        """Return the frames for the master whose bit time is over, in order.

        Args:
            now_s: Monotonic time [s].
            bus: Number of the bus.
        """
        return [
            (item.can_id, item.data)
            for item in self.take(now_s, bus)
            if item.spoil is Spoil.NOTHING
        ]

    def take(self, now_s: float, bus: int = 0) -> list[Outgoing]:
        """Return what the adapter has for the master, spoilt lines included.

        Args:
            now_s: Monotonic time [s].
            bus: Number of the bus.
        """
        self.advance(now_s)
        waiting = self._outgoing[bus]
        if not waiting:
            return []
        ready = [item for item in waiting if item.ready_s <= now_s]
        if len(ready) == len(waiting):
            waiting.clear()
        else:
            waiting[:] = [item for item in waiting if item.ready_s > now_s]
        ready.sort(key=lambda item: item.ready_s)
        return ready

    def next_due_s(self) -> float | None:
        """Return when `advance` should be called next at the latest; None before it began."""
        if self._now_s is None:
            return None
        due_s = self._plant_s + _WAKE_S
        transfer_s = self._next_transfer()[1]
        if transfer_s is not None:
            due_s = min(due_s, transfer_s)
        for waiting in self._outgoing:
            for item in waiting:
                due_s = min(due_s, item.ready_s)
        return due_s

    def bus_load(self, bus: int = 0) -> float:
        """Return the time that a bus has been occupied so far [s]."""
        return self._buses[bus].busy_s

    # -- inside -------------------------------------------------------------------------------

    def _sender(self, k: int) -> Callable[[int, bytes], None]:
        bus = self.settings.buses[k]

        def send(can_id: int, data: bytes) -> None:
            sent = self._faults.outgoing(k, can_id, data)
            if sent is not None and not self._faults.bus_is_off:
                # Nodes act on ticks and on frames only: this is the time of the one at work.
                self._buses[bus].offer(sent[0], sent[1], k, self._event_s)

        return send

    def _foreign(self, can_id: int, data: bytes, now_s: float) -> None:
        for bus in self._buses:
            bus.offer(can_id, data, FOREIGN, now_s)

    def _next_transfer(self) -> tuple[int, float | None]:
        if len(self._buses) == 1:
            return 0, self._buses[0].due_s()
        best, best_s = 0, None
        for number, bus in enumerate(self._buses):
            due_s = bus.due_s()
            if due_s is not None and (best_s is None or due_s < best_s):
                best, best_s = number, due_s
        return best, best_s

    def _move_plant(self, now_s: float) -> None:
        self.group.advance(now_s - self._plant_s)
        self._plant_s = max(self._plant_s, now_s)

    def _tick(self, now_s: float) -> None:
        self._event_s = now_s
        self._faults.advance(now_s)
        if self._faults.bus_is_off:
            for bus in self._buses:
                bus.clear()
        self._move_plant(now_s)
        for node in self.nodes:
            node.poll(now_s)

    def _deliver(self, bus: int, transfer: Transfer) -> None:
        now_s = self._event_s = transfer.done_s
        if self._faults.bus_is_off:
            self.lost_frames += 1
            return
        can_id = transfer.can_id
        if can_id == 0x080:
            self._move_plant(now_s)
        listeners = self._routes[bus].get(can_id)
        if listeners is None:
            listeners = self._find_listeners(bus, can_id)
        for k in listeners:
            if k != transfer.sender:
                self.nodes[k].receive(can_id, transfer.data, now_s)
        if transfer.sender != MASTER:
            self._put_out(bus, transfer)

    def _forget_routes(self) -> None:
        for routes in self._routes:
            routes.clear()

    def _find_listeners(self, bus: int, can_id: int) -> tuple[int, ...]:
        heartbeat = can_id > 0x700
        listeners = tuple(
            k for k in self._on_bus[bus] if heartbeat or can_id in self.nodes[k].listens_to()
        )
        self._routes[bus][can_id] = listeners
        return listeners

    def _put_out(self, bus: int, transfer: Transfer) -> None:
        delay_s, spoil = self._faults.adapter(transfer.sender)
        waiting = self._outgoing[bus]
        if len(waiting) >= _OUTGOING_MAX:
            del waiting[0]
            self.lost_frames += 1
        waiting.append(Outgoing(transfer.can_id, transfer.data, transfer.done_s + delay_s, spoil))
