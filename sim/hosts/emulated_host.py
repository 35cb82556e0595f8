"""An emulated simulator on any clock, which returns the datagrams that have arrived by a time.

    host = emulated_host("hcu1", feed=scripted_flight(), rate_hz=60.0, faults=["pause@20"])
    for arrival_s, datagram in host.due(now_s):
        ...

The same arguments give the same datagrams at the same times, however often it is asked.
Not modelled: a network that loses packets in bursts, or sends one twice.
"""

from __future__ import annotations

import copy
import heapq
import math
import random
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sim.hosts.faults import HostFault, as_faults
from sim.hosts.simulation import Simulation
from sim.hosts.telemetry import Feed, Packed, Telemetry, Wire

if TYPE_CHECKING:
    from sim.hosts.kinds import EmulatedKind

LATENCY_S: Final = 0.001
"""Least latency of every packet [s]."""


class Arrival(NamedTuple):
    """One datagram on its way."""

    arrival_s: float
    """Time of arrival, on the clock of the run [s]."""
    data: bytes
    sender: int = 0
    """Sender: 0 is this simulator, 1 another one that sends as well."""
    peer: str = ""
    """Peer that asked for it; empty: the configured one."""


class EmulatedHost:
    """Host that sends a feed on a wire.

    Args:
        wire: makes the bytes.
        feed: the vehicle.
        rate_hz: moments a second [Hz].
        jitter_s: a packet takes up to so much longer, evenly spread [s]; order is kept.
        loss: share of the packets that never arrive.
        order: share of the packets that are overtaken by the next one.
        seed: of jitter, loss and order.
        faults: from the beginning on; each has its time in `at_s`.
        rest_s: how long the vehicle stays as it is at the feed's beginning [s].

    Raises:
        ValueError: if a number cannot be; the text says what would be right.
    """

    def __init__(
        self,
        wire: Wire,
        feed: Feed,
        *,
        rate_hz: float = 60.0,
        jitter_s: float = 0.0,
        loss: float = 0.0,
        order: float = 0.0,
        seed: int = 0,
        faults: Iterable[HostFault | str] = (),
        rest_s: float = 0.0,
    ) -> None:
        _check("rate_hz", rate_hz, "Hz", 1.0, 2000.0)
        _check("jitter_s", jitter_s, "s", 0.0, 1.0)
        _check("loss", loss, "", 0.0, 1.0)
        _check("order", order, "", 0.0, 1.0)
        _check("rest_s", rest_s, "s", 0.0, 3600.0)
        self.wire: Wire = wire
        """Encoder of the datagrams."""
        self.rate_hz: float = rate_hz
        """Moments a second [Hz]."""
        self.simulation: Simulation = Simulation(feed, rest_s)
        """Simulation behind the wire."""
        self.lasts_s: float = feed.lasts_s + rest_s
        """Duration of its feed, from the beginning [s]."""
        self._jitter_s, self._loss, self._order = jitter_s, loss, order
        self._chance = random.Random(seed)  # noqa: S311  (an emulated network, no secret)
        self._frame = 0
        self._in_transit: list[tuple[float, int, Arrival]] = []
        self.packets: int = 0
        """Packets put on their way so far, lost ones not counted."""
        self._newest_s = -math.inf
        self._held: list[tuple[Packed, int]] = []
        self._now_s = 0.0
        self._other: Wire | None = None
        for fault in as_faults(faults):
            self.fault(fault, 0.0)

    def due(self, t_s: float) -> list[tuple[float, bytes]]:
        """Return time of arrival [s] and bytes of all that has arrived since the last call.

        Args:
            t_s: on the clock of the run, from when the simulator began [s].
        """
        return [(one.arrival_s, one.data) for one in self.sent(t_s)]

    def sent(self, t_s: float) -> list[Arrival]:
        """Return the arrivals as `due` does, with their senders and peers."""
        while self._frame / self.rate_hz <= t_s:
            self._show(self._frame / self.rate_hz)
            self._frame += 1
        self._now_s = t_s
        arrived: list[Arrival] = []
        while self._in_transit and self._in_transit[0][0] <= t_s:
            arrived.append(heapq.heappop(self._in_transit)[2])
        return arrived

    def next_s(self) -> float:
        """Latest time for the next call [s]."""
        in_transit = self._in_transit[0][0] if self._in_transit else math.inf
        return min(in_transit, self._frame / self.rate_hz)

    def receive(self, datagram: bytes, peer: str = "") -> None:
        """Receive a request, such as X-Plane's for a data reference."""
        self.wire.receive(datagram, peer)

    def fault(self, fault: HostFault | str, now_s: float | None = None) -> None:
        """Schedule a fault, `at_s` after a time; now if left out [s]. Raises `FaultError`."""
        for one in as_faults([fault]):
            self.simulation.faults.start(one, self._now_s if now_s is None else now_s)

    def clear(self, kind: str | None = None) -> int:
        """End faults; return how many."""
        return self.simulation.faults.clear(kind)

    def _show(self, now_s: float) -> None:
        simulation = self.simulation
        if simulation.ended:
            return
        shown = simulation.step(now_s, 1.0 / self.rate_hz if self._frame else 0.0)
        if simulation.restarted:
            self.wire.restart()
            simulation.restarted = False
        packets = self.wire.pack(shown)
        if simulation.faults.on("menu") is not None:
            packets = ()
        self._hand_over(packets, 0, now_s)
        self._second(shown, now_s)

    def _second(self, shown: Telemetry, now_s: float) -> None:
        """Send as another simulator, while that fault is active."""
        if self.simulation.faults.on("second") is None:
            self._other = None
            return
        self._other = self._other or copy.deepcopy(self.wire)
        another = Telemetry(
            self.simulation.other(), shown.time_s + 1000.0, shown.sequence + 1_000_000
        )
        self._hand_over(self._other.pack(another), 1, now_s)

    def _hand_over(self, packets: Iterable[Packed], sender: int, now_s: float) -> None:
        stalled = self.simulation.faults.on("stall") is not None
        if not stalled and sender == 0:
            for packet, held_by in self._held:
                self._send(packet, held_by, now_s)
            self._held.clear()
        share = self.simulation.faults.on("truncated")
        for packet in packets:
            if share is not None and sender == 0:
                packet = packet._replace(data=packet.data[: int(share * len(packet.data))])
            if stalled and sender == 0:
                self._held.append((packet, sender))
            else:
                self._send(packet, sender, now_s)

    def _send(self, packet: Packed, sender: int, now_s: float) -> None:
        chance = self._chance.random
        late, lost, overtaken = chance(), chance(), chance()
        if lost < self._loss:
            return
        arrival_s = now_s + LATENCY_S + late * self._jitter_s
        if overtaken < self._order:
            arrival_s = max(arrival_s, self._newest_s) + 1.5 / self.rate_hz
        else:
            self._newest_s = arrival_s = max(arrival_s, self._newest_s)
        self.packets += 1
        arrival = Arrival(arrival_s, packet.data, sender, packet.peer)
        heapq.heappush(self._in_transit, (arrival_s, self.packets, arrival))


def _check(name: str, value: float, unit: str, low: float, high: float) -> None:
    if not low <= value <= high:  # also refuses NaN
        raise ValueError(f"{name} = {value} {unit}: {low:g} to {high:g} {unit} is needed")


def emulated_host(
    kind: str,
    *,
    feed: Feed,
    rate_hz: float = 60.0,
    jitter_s: float = 0.0,
    loss: float = 0.0,
    order: float = 0.0,
    version: str = "",
    seed: int = 0,
    faults: Iterable[HostFault | str] = (),
    rest_s: float = 0.0,
    kinds: Mapping[str, EmulatedKind] | None = None,
    **options: Any,
) -> EmulatedHost:
    """Make an emulated simulator of a kind.

    Args:
        kind: name in `kinds`.
        feed: the vehicle.
        rate_hz: moments a second [Hz].
        jitter_s: a packet takes up to so much longer [s].
        loss: share of the packets that never arrive.
        order: share of the packets that are overtaken by the next one.
        version: form of the wire where it has several; its first one if left out.
        seed: of jitter, loss and order.
        faults: from the beginning on; each has its time in `at_s`.
        rest_s: how long the vehicle stays as it is at the feed's beginning [s].
        kinds: that there are; None for `sim.hosts.kinds.KINDS`.
        options: of the wire: `key`, `protocol`, `template`, `bits`, `spans`, `gauge`.

    Raises:
        ValueError: for an unknown kind, version or option, or a number that cannot be.
    """
    from sim.hosts.kinds import KINDS, wire_of

    wire = wire_of(kind, version, rate_hz, KINDS if kinds is None else kinds, **options)
    return EmulatedHost(
        wire, feed, rate_hz=rate_hz, jitter_s=jitter_s, loss=loss, order=order, seed=seed,
        faults=faults, rest_s=rest_s,
    )  # fmt: skip
