"""Emulated simulators for a ride, in step with the virtual clock."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import Field

from hil.config.errors import ConfigError, about
from hil.config.file_search import find_file
from hil.config.named_files import MissingError
from hil.config.settings import Settings
from hil.hosts.kind import HostKind
from hil.hosts.link import Datagram
from hil.stations.simulator.plan.source import Surroundings

if TYPE_CHECKING:
    from sim.hosts.emulated_host import EmulatedHost
    from sim.hosts.telemetry import Feed
    from sim.hosts.vehicle_motion import VehicleMotion

FEEDS: Final = ("auto", "jsbsim", "flight", "loop", "drive")
"""Vehicles that come with the bench."""
TREMBLE_M_S2, TREMBLE_HZ = 0.002, 7.3
"""Vibration by the engine of a waiting vehicle [m/s²], [Hz]: nobody feels it."""
Share = Annotated[float, Field(ge=0.0, lt=1.0)]


class EmulatedSettings(Settings):
    """Table ``[source.emulated]``: a simulator that the bench emulates."""

    feed: str = "auto"
    """Vehicle of the simulator: auto (JSBSim where it is installed, else flight), jsbsim, flight,
    loop, drive, or the file of a recorded ride."""
    rate_hz: Annotated[float, Field(ge=10.0, le=1000.0)] = 60.0
    """Packets a second [Hz]."""
    jitter_s: Annotated[float, Field(ge=0.0, le=0.1)] = 0.0
    """A packet takes up to so much longer [s]."""
    loss: Share = 0.0
    """Share of packets that never arrive."""
    order: Share = 0.0
    """Share of packets that the next one overtakes."""
    version: str = ""
    """Form of the wire where it has several, of a layout the game; left out: as the map says or is
    called, else its first one."""
    faults: Annotated[tuple[str, ...], Field(max_length=64)] = ()
    """Faults as ``pause at_s=5 duration_s=1``, in seconds since the ride began."""

    def feed_lasts_s(self, file: Path) -> float:
        """Return the duration of its vehicle's motion [s].

        Raises:
            ConfigError: if there is no such feed.
        """
        return self.make_feed(file).lasts_s

    def make_feed(self, file: Path) -> Feed:
        """Make its vehicle.

        Raises:
            ConfigError: if there is no such feed, or its file is wrong.
        """
        from hil.stations.simulator.sources.ride_feed import ride_feed
        from sim.hosts.feeds import feed_of

        name = self.feed
        if name not in FEEDS:
            where = "source.emulated.feed"
            try:
                name = str(find_file(name, beside=file, folder="motions", key=where))
            except MissingError:
                line = f"{where} = {name!r}: no such file, and none of {', '.join(FEEDS)}"
                raise ConfigError(str(file), [about(where, line)]) from None
        try:
            return feed_of(name, ride_feed)
        except ValueError as error:
            line = f"source.emulated.feed: {error}"
            raise ConfigError(str(file), [about("source.emulated.feed", line)]) from None


class WaitingFeed:
    """A vehicle that stays as it is at the beginning of a feed until the ride begins.

    Its engine trembles, so that the values of one that moves are never those of before.
    """

    def __init__(self, feed: Feed) -> None:
        self._feed = feed
        self.lasts_s: float = feed.lasts_s
        """Duration of the motion, from its beginning [s]."""
        self.begun_s: float = math.inf
        """Time at which the ride began, on the simulator's clock [s]."""

    def at(self, t_s: float) -> VehicleMotion:
        """Return the state at a time of the simulator [s]."""
        motion = self._feed.at(max(t_s - self.begun_s, 0.0))
        if t_s >= self.begun_s:
            return motion
        x, y, z = motion.f_m_s2
        tremble = TREMBLE_M_S2 * math.sin(2.0 * math.pi * TREMBLE_HZ * t_s)
        return replace(motion, f_m_s2=(x, y, z + tremble))


class EmulatedWire:
    """An emulated simulator in step with the clock of a run; nothing goes over any network.

    Args:
        host: the simulator.
        feed: its vehicle.
        faults: what goes wrong, from the beginning of the ride on.
        began_s: when the simulator was started, on the clock of the run [s].
    """

    def __init__(
        self, host: EmulatedHost, feed: WaitingFeed, faults: tuple[str, ...], began_s: float
    ) -> None:
        self._host, self._feed, self._faults, self._began_s = host, feed, faults, began_s
        self._owner = 0
        self.foreign: int = 0
        """Datagrams of another simulator so far."""

    leader: str = ""
    """Empty: it is the only sender."""
    other: str = ""
    """Empty: other simulators are counted, and no more."""
    place: str = ""
    """Empty: it is in this process."""

    def choose(self) -> bool:
        """Refuse: no other sender could lead."""
        return False

    @property
    def ended_s(self) -> float:
        """Time at which the vehicle has ended, on the clock of the run [s]."""
        return self._began_s + self._feed.begun_s + self._feed.lasts_s

    def begin(self, now_s: float) -> None:
        """Let the vehicle begin, if it has not yet."""
        if self._feed.begun_s < math.inf:
            return
        self._feed.begun_s = self._host.simulation.feed_s
        for fault in self._faults:
            self._host.fault(fault, now_s - self._began_s)

    def transfer(self, now_s: float, requests: Iterable[bytes]) -> list[Datagram]:
        """Hand requests over, and take what has arrived by now."""
        for request in requests:
            self._host.receive(request, "bench")
        if now_s == math.inf:
            return []
        found: list[Datagram] = []
        for one in self._host.sent(now_s - self._began_s):
            if one.sender != self._owner:
                self.foreign += 1
            else:
                at_s = self._began_s + one.arrival_s
                found.append(Datagram(one.data, at_s, now_s, ("127.0.0.1", one.sender)))
        return found

    def own(self, datagram: Datagram) -> None:
        """Accept the sender: it is the only one."""

    def answer(self, datagram: Datagram, data: bytes) -> None:
        """Hand it to the simulator."""
        self._host.receive(data, "bench")


def emulated(
    settings: EmulatedSettings, kind: HostKind, map_: Any, key: bytes, around: Surroundings
) -> EmulatedWire:
    """Return the emulated simulator of a ride on the virtual clock.

    Raises:
        ConfigError: if it cannot be made.
    """
    feed = WaitingFeed(settings.make_feed(around.scenario_file))
    host = host_of(settings, kind, map_, key, feed, around)
    check_faults(settings.faults, around.scenario_file)
    return EmulatedWire(host, feed, settings.faults, around.now_s())


def host_of(
    settings: EmulatedSettings,
    kind: HostKind,
    map_: Any,
    key: bytes,
    feed: Feed,
    around: Surroundings,
) -> EmulatedHost:
    """Return the simulator of such settings, with a vehicle.

    Args:
        map_: settings of the host's map.
        key: that its packets are signed with; empty without.

    Raises:
        ConfigError: if it cannot be made.
    """
    from hil.stations.simulator.sources.wire_registry import wires_with
    from sim.hosts.emulated_host import emulated_host

    version, options = kind.wire(map_, settings.version)
    signed = {"key": key} if key else {}
    try:
        kinds = wires_with(kind.name)
    except ValueError as error:
        line = f"source.emulated: {error}"
        raise ConfigError(str(around.scenario_file), [about("source.emulated", line)]) from None
    if kind.name not in kinds:
        line = f"emulated: there is none of the kind {kind.name}; there are {', '.join(kinds)}"
        raise ConfigError(str(around.scenario_file), [about("source.emulated", line)])
    try:
        return emulated_host(
            kind.name, feed=feed, rate_hz=settings.rate_hz, jitter_s=settings.jitter_s,
            loss=settings.loss, order=settings.order, version=version, seed=around.seed,
            kinds=kinds, **signed, **options,
        )  # fmt: skip
    except ValueError as error:
        line = f"source.emulated: {error}"
        raise ConfigError(str(around.scenario_file), [about("source.emulated", line)]) from None


def check_faults(faults: tuple[str, ...], file: Path) -> None:
    """Refuse a fault that there is not; a `ConfigError` with the file."""
    from sim.devices.fault_text import FaultError
    from sim.hosts.faults import as_faults

    try:
        as_faults(faults)
    except FaultError as error:
        line = f"source.emulated.faults: {error}"
        raise ConfigError(str(file), [about("source.emulated.faults", line)]) from None
