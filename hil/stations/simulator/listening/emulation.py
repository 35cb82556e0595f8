"""``hil host emulate``: an emulated simulator that sends until Ctrl-C."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hil.config.errors import ConfigError, RefusedError
from hil.config.file_search import find_file
from hil.hosts.wires.xml_file import xml_text
from hil.stations.simulator.listening.host_lookup import FOLDER, NamedHost, find_host
from hil.stations.simulator.sources.ride_feed import ride_feed
from hil.stations.simulator.sources.wire_registry import wires_with
from hil.terminal.console import err
from hil.timing.realtime import RealClock
from hil.timing.stop import StopSignals
from sim.hosts.emulated_host import EmulatedHost, emulated_host
from sim.hosts.feeds import feed_of
from sim.hosts.kinds import KINDS, find_simulator_kind

if TYPE_CHECKING:
    from sim.hosts.host_program import Sender


@dataclass(frozen=True, slots=True, kw_only=True)
class EmulateChoice:
    """Options of the command line for an emulated host."""

    name: str
    """A kind or a map."""
    feed: str
    """Vehicle that is sent: name of a feed, or a file."""
    rate_hz: float
    """Packets a second [Hz]."""
    jitter_s: float
    """Largest additional delay of a packet [s]."""
    loss: float
    """Share of the packets that never arrive."""
    order: float
    """Share of the packets that are overtaken."""
    version: str
    """Form of the wire; empty for the map's, or the first."""
    seed: int
    """Seed of jitter, loss and order."""
    faults: tuple[str, ...]
    """Lines of faults."""
    rest_s: float
    """Time for which the vehicle stays as it is at first [s]."""
    key: bytes = b""
    """Key that HCU1 is signed with; empty without."""


def build_host(choice: EmulateChoice) -> EmulatedHost:
    """Return the emulated host of a choice; raises `ConfigError`."""
    named = _named(choice.name)
    kind = choice.name if named is None else named.kind.name
    try:
        version, given = wire_of(kind, choice.version, named)
        options = dict(given) | ({"key": choice.key} if choice.key else {})
        return emulated_host(
            kind, feed=feed_of(choice.feed, ride_feed), rate_hz=choice.rate_hz,
            jitter_s=choice.jitter_s, loss=choice.loss, order=choice.order, version=version,
            seed=choice.seed,
            faults=choice.faults, rest_s=choice.rest_s, kinds=wires_with(kind), **options,
        )  # fmt: skip
    except (ValueError, RuntimeError) as error:
        raise ConfigError("command line", [str(error)]) from None


def _named(name: str) -> NamedHost | None:
    """Return the map of a name; None for a kind that is emulated without one."""
    return None if name in KINDS and name != "layout" else find_host(name)


def wire_of(kind: str, version: str, named: NamedHost | None) -> tuple[str, Mapping[str, Any]]:
    """Return the version and options of an emulated wire, so that it fits a map.

    Args:
        kind: of host.
        version: that was asked for; empty for the map's.
        named: the map; None for the kind's shipped one.

    Raises:
        ConfigError: if a file that the map names is not there.
    """
    settings = None if named is None else named.settings
    if kind == "flightgear_generic":
        form = version or ("binary" if settings is None else "")
        file = f"hil_{form}.xml" if form else settings.protocol  # type: ignore[union-attr]
        path = find_file(file, folder=FOLDER, key="protocol")
        return form, {"protocol": xml_text(path)}
    if named is None:
        return version, {}
    if kind == "layout":
        version = version or Path(named.name).stem
    return named.kind.wire(settings, version)


def emulate(
    choice: EmulateChoice,
    *,
    address: str,
    port: int | None,
    asked_on: int | None,
    end_with_input: bool,
    end_with_feed: bool,
) -> None:
    """Send until Ctrl-C; faults are typed in at standard input.

    Args:
        address: where to.
        port: UDP port there; None for the map's, or the kind's.
        asked_on: UDP port for requests; None for the kind's, 0 for any free one.

    Raises:
        ConfigError: if something of the choice cannot be.
        RefusedError: if a port is taken.
    """
    from sim.hosts.host_program import run_host

    host, named = build_host(choice), _named(choice.name)
    name = choice.name if named is None else named.kind.name
    kind = find_simulator_kind(name, wires_with(name))
    asked_port = kind.asked_on if asked_on is None else asked_on
    usual = kind.port if named is None else named.kind.port_of(named.settings)
    to = (address, usual if port is None else port)

    def ready(sender: Sender) -> None:
        line = f"{kind.title}: to {to[0]}:{to[1]} at {choice.rate_hz:g} Hz"
        if kind.asked_on is not None:
            line += f"; requests on {sender.address[0]}:{sender.address[1]}"
        print(line, flush=True)
        _say("faults are typed here: help lists them, Ctrl-C ends")

    with StopSignals() as stop_request:
        try:
            run_host(
                host, to, now_s=RealClock().now_s, ready=ready,
                stop=lambda: stop_request.asked is not None,
                asked_on=(
                    None
                    if asked_port is None or kind.asked_on is None
                    else ("127.0.0.1", asked_port)
                ),
                console=sys.stdin, say=_say, end_with_console=end_with_input,
                end_with_feed=end_with_feed,
            )  # fmt: skip
        except OSError as error:
            text = f"UDP port {asked_port} on 127.0.0.1 cannot be had: {error.strerror or error}"
            raise RefusedError(f"{text}; --asked-on chooses another one") from None
    _say(f"{host.packets} packets sent")


def _say(text: str) -> None:
    err.print(text, soft_wrap=True)
