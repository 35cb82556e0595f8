"""A live host as a source: datagrams of a simulator, watched, and followed at the loop's rate.

On a real clock they come over UDP; on the virtual one from an emulated simulator in this process,
through the same codec, the same watchdogs and the same `Follower`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from hil.config.errors import ConfigError, about
from hil.config.file_search import find_file
from hil.config.files import read_regular
from hil.config.inputs import KEY
from hil.config.settings import Settings
from hil.hosts.kind import HostKind
from hil.hosts.link import HostLink, Listening
from hil.hosts.maps import load_map
from hil.hosts.wires.unverifiable_signs import SEEN_KEY
from hil.stations.simulator.plan.source import BY_FORCES, BY_POSES, SourceKind, Surroundings
from hil.stations.simulator.sources.emulated_host_source import EmulatedSettings, emulated
from hil.stations.simulator.sources.host_source import HostSource, SocketWire
from hil.stations.simulator.sources.sender_process import sending

KEY_BYTES = (16, 4096)
"""A key file has at least and at most so many bytes."""


class HostSettings(Settings):
    """Simulator that is followed."""

    kind: Literal["host"]
    map: str
    """Map of the host: a name in ``configs/hosts``, such as `xplane_rref`, or a TOML file."""
    port: Annotated[int, Field(ge=0, le=65535)] | None = None
    """UDP port that it sends to; left out: its kind's own."""
    address: str = "127.0.0.1"
    """Address of this machine for reception; not a loopback one needs `key_file` or `allow`."""
    host: str = "127.0.0.1"
    """Address of the simulator itself, for wires that must be asked."""
    key_file: str = ""
    """File with the key that its packets are signed with; only the bench's own frame has that."""
    allow: Annotated[tuple[str, ...], Field(max_length=16)] = ()
    """Addresses that are accepted; left out: any that can reach this one."""
    emulated: EmulatedSettings | None = None
    """A simulator that the bench emulates; needed on the virtual clock."""


@contextmanager
def opened(settings: HostSettings, around: Surroundings) -> Iterator[HostSource]:
    """Listen to the host, or emulate it.

    Raises:
        ConfigError: if the map, the key, the address or the port cannot be had.
    """
    file = around.scenario_file
    kind, map_, key = _map_of(settings, file)
    if around.virtual:
        if settings.emulated is None:
            line = "source.emulated: on the virtual clock no real host can be heard; say here what"
            line += ' is emulated, or choose clock = "real"'
            raise ConfigError(str(file), [about("source.emulated", line)])
        wire = emulated(_emulated_by(settings, kind), kind, map_, key, around)
        yield HostSource(kind, map_, wire, around)
        return
    where = _listening(settings, kind.port_of(map_), bool(key), str(file))
    link = HostLink(where, around.now_s)
    try:
        if settings.emulated is None:
            asked = None if kind.asks_port is None else (settings.host, kind.asks_port)
            yield from _received_by(kind, map_, SocketWire(link, asked), around)
        else:
            order = _emulated_by(settings, kind)
            with sending(order, kind, map_, key, around, link.address) as partner:
                wire = SocketWire(link, partner.asked, partner)
                yield from _received_by(kind, map_, wire, around)
    finally:
        link.close()


def _received_by(
    kind: HostKind, map_: Any, wire: SocketWire, around: Surroundings
) -> Iterator[HostSource]:
    source = HostSource(kind, map_, wire, around)
    try:
        yield source
    finally:
        source.farewell()


def listening(settings: HostSettings, file: Path) -> tuple[HostKind, Any, Listening]:
    """Return the kind, map and address of such settings, without any socket.

    Raises:
        ConfigError: if they cannot be.
    """
    kind, map_, key = _map_of(settings, file)
    return kind, map_, _listening(settings, kind.port_of(map_), bool(key), str(file))


def corner_of(settings: HostSettings, file: Path) -> float | None:
    """Return the corner of the low-pass of its map [Hz]; None for a map without.

    Raises:
        ConfigError: if the map cannot be had.
    """
    return _map_of(settings, file)[1].lowpass_hz


def _map_of(settings: HostSettings, file: Path) -> tuple[HostKind, Any, bytes]:
    path = find_file(settings.map, beside=file, folder="hosts", key="source.map")
    kind, map_ = load_map(path)
    if unseen := map_.unseen():
        raise ConfigError(str(path), [about(SEEN_KEY, f"{SEEN_KEY} is left out: {unseen}")])
    if not settings.key_file:
        return kind, map_, b""
    if "key" not in type(map_).model_fields:
        line = f"key_file: packets of {kind.name} bear no signature; leave it out, and list senders"
        raise ConfigError(str(file), [about("source.key_file", f"{line} in allow")])
    key_path = find_file(
        settings.key_file,
        beside=file,
        folder="hosts",
        key="source.key_file",
        anywhere=True,
        kind=KEY,
    )
    try:
        key = read_regular(key_path, KEY_BYTES[1]).strip()
    except OSError as error:
        raise ConfigError(str(key_path), [f"cannot be read: {error.strerror}"]) from None
    if len(key) < KEY_BYTES[0]:
        line = f"a key of {len(key)} bytes; at least {KEY_BYTES[0]} are needed"
        raise ConfigError(str(key_path), [line])
    return kind, map_.model_copy(update={"key": key}), key


def _emulated_by(settings: HostSettings, kind: HostKind) -> EmulatedSettings:
    """Name what is emulated: of a layout, by default the game that its map is named after."""
    order = settings.emulated or EmulatedSettings()
    if kind.name != "layout" or order.version:
        return order
    return order.model_copy(update={"version": Path(settings.map).stem})


def _listening(settings: HostSettings, own_port: int, signed: bool, source: str) -> Listening:
    port = own_port if settings.port is None else settings.port
    return Listening(settings.address, port, signed, settings.allow, source)


def lasts_s(settings: HostSettings, file: Path) -> float:
    """Return the duration of the stream [s]: that of its emulated vehicle, else nobody knows.

    Raises:
        ConfigError: if the map or the emulated host cannot be.
    """
    listening(settings, file)
    return math.inf if settings.emulated is None else settings.emulated.feed_lasts_s(file)


def known_fields(settings: HostSettings, file: Path) -> frozenset[str]:
    """Return the quantities of its wire: poses, or a vehicle's motion.

    Raises:
        ConfigError: if the map cannot be had.
    """
    kind, map_, _ = _map_of(settings, file)
    return frozenset({BY_POSES if "flags.POSE" in kind.fields_for(map_) else BY_FORCES})


def known_ahead(settings: HostSettings) -> bool:
    """Return whether its motion can be known before a run: only of an emulated one."""
    return settings.emulated is not None


KIND = SourceKind(
    HostSettings, opened, lasts_s, fields=known_fields, known_ahead=known_ahead, judges=True
)
"""Object of the entry point."""
