"""Six emulated CANopen drives on one or two buses, stepped by a time that is given from outside.

    rack = CanRack(RackSettings(), seed=1)
    rack.receive((0x000, bytes((1, 0))), now_s)
    frames = rack.transmit(now_s)

Frames of both directions occupy the bus for their bit time. The rods advance on a grid of at most
1 ms, and exactly to the moment of each SYNC; timers of the nodes are looked at every 1 to 2 ms.
While nothing can move and no timer runs out the same grid is passed without looking at anything.

Not modelled: a second layer of SYNC jitter (a drive samples at the end of the SYNC frame), the
latency inside a drive between a frame and its effect, retransmission after bit errors.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Final

from hil_common.plant import Plant
from sim.devices.can.bus import FOREIGN, CanBus, Outgoing
from sim.devices.can.node import CanNode
from sim.devices.can.rack_faults import RackFaults, Spoil
from sim.devices.drive.group import DriveGroup
from sim.devices.drive.parameters import RackSettings
from sim.devices.drive.rods import Rod

CanFrame = tuple[int, bytes]
"""Identifier (11 bits) and data of a frame."""

_TICK_S: Final = 1e-3
"""Longest time for which the rods stand still between two substeps."""
_HOUSEKEEPING_S: Final = 2e-3
"""Longest time between two looks at the timers, however often SYNC moves the rods on."""


class CanRack:
    """The rack.

    Args:
        settings: Drives, bit rate, buses.
        seed: Seed of positions at power-up and of random faults.
        plant: The body that couples the rods; None for rods by themselves.
    """

    def __init__(self, settings: RackSettings, *, seed: int, plant: Plant | None = None) -> None:
        self.settings = settings
        self.group: DriveGroup = DriveGroup(settings, seed=seed, plant=plant)
        self._paced = settings.bitrate is not None
        self._now_s = -math.inf
        self._plant_s = self._tick_s = self._event_s = self._housekept_s = -math.inf
        self._lost_frames = 0
        self._buses: tuple[CanBus, ...] = ()
        self.nodes: tuple[CanNode, ...] = tuple(
            CanNode(drive, self._sender(k), settings.boot_time_s, self._forget_routes)
            for k, drive in enumerate(self.group.drives)
        )
        rng = random.Random(seed ^ 0x5EED)  # noqa: S311  (an emulated machine, no secret)
        self._faults = RackFaults(self.nodes, rng, self._foreign)
        self._buses = tuple(self._bus(number) for number in range(settings.bus_count))

    @property
    def rods(self) -> tuple[Rod, ...]:
        """The six rods as they truly are: `x_m`, `v_m_s`, `force_n`."""
        return self.group.rods

    @property
    def faults(self) -> RackFaults:
        """Faults: `rack.faults.start(Injection(...), now_s)`."""
        return self._faults

    @property
    def lost_frames(self) -> int:
        """Frames that found a full buffer or a dead bus."""
        return self._lost_frames + sum(bus.lost_frames for bus in self._buses)

    def receive(self, frame: CanFrame, now_s: float, bus: int = 0) -> bool:
        """Take a frame of the master into the adapter.

        Args:
            frame: Identifier and data.

        Returns:
            False if the frame is lost because the adapter's buffer is full or the bus is off.
        """
        if now_s > self._now_s:
            self.advance(now_s)
        if not self._faults.idle and self._faults.bus_is_off:
            self._lost_frames += 1
            return False
        # Where frames take no time this is the moment in which the nodes get it and answer.
        now_s = self._event_s = max(self._now_s, now_s)
        if self._buses[bus].from_master(frame[0], frame[1], now_s):
            return True
        self._lost_frames += 1
        return False

    def advance(self, now_s: float) -> None:
        """Let everything happen that happens until now.

        Args:
            now_s: Monotonic time [s]; a time before the last one does nothing.
        """
        if self._now_s == -math.inf:
            self._begin(now_s)
        if self._paced:
            self._advance_paced(now_s)
        else:
            while self._tick_s <= now_s:
                self._tick_or_rest(now_s, math.inf)
        self._now_s = max(self._now_s, now_s)

    def transmit(self, now_s: float, bus: int = 0) -> list[CanFrame]:
        """Return the frames for the master whose bit time is over, in order."""
        return [
            (can_id, data)
            for _, can_id, data, spoil in self.take(now_s, bus)
            if spoil is Spoil.NOTHING
        ]

    def take(self, now_s: float, bus: int = 0) -> list[Outgoing]:
        """Return what the adapter has for the master, spoilt lines included."""
        if self._paced or now_s > self._now_s:
            self.advance(now_s)
        return self._buses[bus].take(now_s)

    def next_due_s(self) -> float | None:
        """Return when `advance` should be called next at the latest; None before it began."""
        if self._now_s == -math.inf:
            return None
        quiet_s = max(self._tick_s, self._quiet_until_s())
        return min(quiet_s, *[bus.wake_s() for bus in self._buses])

    def awaited_s(self, due_s: float) -> float:
        """Return when somebody waits for what happens [s]; before that it can be put off.

        Where frames take no time that is any tick, and so it is while a fault is on.

        Args:
            due_s: What `next_due_s` returned.
        """
        if not (self._paced and self._faults.idle):
            return due_s
        fault_s = self._faults.board.due_s()
        return min(math.inf if fault_s is None else fault_s, *[bus.wake_s() for bus in self._buses])

    # -- inside -------------------------------------------------------------------------------

    def _bus(self, number: int) -> CanBus:
        of_node = self.settings.buses
        members = tuple((k, node) for k, node in enumerate(self.nodes) if of_node[k] == number)
        return CanBus(self.settings.bitrate, members, self._faults, self._move_plant)

    def _sender(self, k: int) -> Callable[[int, bytes], None]:
        number = self.settings.buses[k]

        def send(can_id: int, data: bytes) -> None:
            # Nodes act on ticks and on frames only: this is the time of the one at work.
            if self._faults.idle:
                self._buses[number].from_node(can_id, data, k, self._event_s)
                return
            sent = self._faults.outgoing(k, can_id, data)
            if sent is not None and not self._faults.bus_is_off:
                self._buses[number].from_node(sent[0], sent[1], k, self._event_s)

        return send

    def _foreign(self, can_id: int, data: bytes, now_s: float) -> None:
        for bus in self._buses:
            bus.from_node(can_id, data, FOREIGN, now_s)

    def _forget_routes(self) -> None:
        for bus in self._buses:
            bus.forget_routes()

    def _begin(self, now_s: float) -> None:
        self._now_s = self._plant_s = self._event_s = now_s
        self._tick_s = now_s + _TICK_S
        self._housekept_s = now_s
        for k, node in enumerate(self.nodes):
            if self._faults.value("absent", k) is None:
                node.power_on(now_s)
            node.poll(now_s)
        self._pass_on(now_s)

    def _advance_paced(self, now_s: float) -> None:
        buses = self._buses
        while True:
            bus, due_s = buses[0], buses[0].due_s()
            for other in buses[1:]:
                other_s = other.due_s()
                if other_s < due_s:
                    bus, due_s = other, other_s
            if due_s <= now_s and due_s <= self._tick_s:
                self._event_s = due_s
                bus.finish(due_s)
            elif self._tick_s <= now_s:
                self._tick_or_rest(now_s, due_s)
            else:
                return

    def _pass_on(self, now_s: float) -> None:
        if not self._paced:
            for bus in self._buses:
                bus.pass_on(now_s)

    def _move_plant(self, now_s: float) -> None:
        dt_s = now_s - self._plant_s
        if dt_s > 0.0:
            self.group.advance(dt_s)
            self._plant_s = now_s
            self._tick_s = min(now_s + _TICK_S, self._housekept_s + _HOUSEKEEPING_S)

    def _quiet_until_s(self) -> float:
        """Return the time before which no tick changes anything if nobody speaks [s]."""
        faults = self._faults
        if not faults.idle:
            return -math.inf
        due_s = faults.board.due_s()
        quiet_s = math.inf if due_s is None else due_s
        for node in self.nodes:
            node_s = node.quiet_until_s
            if node_s < quiet_s:
                if node_s <= self._tick_s:  # the next tick is not quiet, whoever stands still
                    return node_s
                quiet_s = node_s
        return quiet_s if self.group.still else -math.inf

    def _tick_or_rest(self, now_s: float, frame_s: float) -> None:
        """Tick once, or pass all ticks until now, and before the next frame, that do nothing."""
        tick_s, busy_s = self._tick_s, min(frame_s, self._quiet_until_s())
        if tick_s >= busy_s:
            self._tick(tick_s)
            return
        last_s = tick_s
        while tick_s <= now_s and tick_s < busy_s:
            # Added up like this, the grid is to the last bit the one of ticks one by one.
            last_s, tick_s = tick_s, tick_s + _TICK_S
        self._plant_s = self._event_s = self._housekept_s = last_s
        self._tick_s = tick_s

    def _tick(self, now_s: float) -> None:
        self._event_s = self._housekept_s = now_s
        self._faults.advance(now_s)
        if not self._faults.idle and self._faults.bus_is_off:
            for bus in self._buses:
                bus.clear()
        self._move_plant(now_s)
        self._tick_s = now_s + _TICK_S
        for node in self.nodes:
            node.poll(now_s)
        self._pass_on(now_s)
