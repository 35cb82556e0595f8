"""Links to the drives, written as URLs, and what opens them.

    sim:                                             nothing but arithmetic
    slcan:/dev/serial/by-id/usb-..., slcan:socket://127.0.0.1:29536
    socketcan:can0, socketcand://host:29536/can0
    modbus-tcp://host:502, modbus-rtu:/dev/serial/by-id/usb-...?baud=19200&parity=E
    modbus-rtu:socket://host:4001?baud=19200&parity=E    a serial server

A path under `/dev/serial/by-id/` names the adapter itself. `/dev/ttyACM0` names whichever was
plugged in first, and may be another one tomorrow.

To read a link loads no bus library and needs no Unix; what opens one is imported when it does.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import parse_qsl

from drives.bank import LinkError
from drives.can.frames import FrameBus

if TYPE_CHECKING:
    from hil_common.port_lock import PortLock

MODBUS_PORT = 502
BAUDS = (1200, 2400, 4800, 9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600)
"""Speeds of serial ports that are accepted [Bd]."""

FORMS = (
    "sim:",
    "slcan:/dev/serial/by-id/NAME",
    "slcan:socket://HOST:PORT",
    "socketcan:can0",
    "socketcand://HOST:PORT/can0",
    "modbus-tcp://HOST:PORT",
    "modbus-rtu:/dev/serial/by-id/NAME?baud=19200&parity=E",
    "modbus-rtu:socket://HOST:PORT?baud=19200&parity=E",
)
"""The forms of a link."""

_HOST_PORT = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(?P<port>[0-9]{1,5}))?")
_INTERFACE = re.compile(r"[A-Za-z0-9_.-]{1,15}")
_HIGHEST_PORT = 65535
_SOCKET = "socket://"


class LinkUrlError(LinkError, ValueError):
    """A link that is written wrongly; the text names the URL, the place and the right form."""


@dataclass(frozen=True, slots=True)
class CanLink:
    """A CAN bus."""

    protocol: ClassVar[str] = "canopen"
    """Protocol of the drives at it."""
    interface: str
    """`slcan`, `socketcan` or `socketcand`."""
    channel: str
    """Path of a device or `socket://host:port` for slcan, else the interface's name."""
    url: str
    """The link as it was written."""
    host: str = ""
    """Host of a socketcand."""
    port: int = 0
    """Port of a socketcand."""
    baud: int = 115200
    """Speed of the serial port of an SLCAN adapter [Bd]."""


@dataclass(frozen=True, slots=True)
class ModbusTcpLink:
    """A Modbus device, or a gateway to some, over TCP."""

    protocol: ClassVar[str] = "modbus-tcp"
    """Protocol of the drives at it."""
    host: str
    """Name or address."""
    port: int = MODBUS_PORT
    """Port."""

    @property
    def url(self) -> str:
        """The link as a URL."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"modbus-tcp://{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class ModbusRtuLink:
    """A Modbus serial line (Modbus over serial line V1.02, 2.5.1: 19200 Bd, even parity)."""

    protocol: ClassVar[str] = "modbus-rtu"
    """Protocol of the drives at it."""
    device: str
    """Path of the serial device, or `socket://host:port` of a serial server."""
    baud: int = 19200
    """Speed [Bd]."""
    parity: str = "E"
    """`E`, `O` or `N`."""
    stop_bits: int = 1
    """1, or 2 as the standard wants without parity."""

    @property
    def url(self) -> str:
        """The link as a URL."""
        options = f"baud={self.baud}&parity={self.parity}&stop_bits={self.stop_bits}"
        return f"modbus-rtu:{self.device}?{options}"

    @property
    def server(self) -> tuple[str, int] | None:
        """Host and port of the serial server; None if the line is at this computer."""
        if not self.device.startswith(_SOCKET):
            return None
        host, _, port = self.device.removeprefix(_SOCKET).rpartition(":")
        return host.strip("[]"), int(port)


@dataclass(frozen=True, slots=True)
class SimLink:
    """No wire at all: cylinders that are arithmetic."""

    protocol: ClassVar[str] = ""
    """Nothing is spoken."""
    url: str = "sim:"
    """The link as it was written."""


Link = CanLink | ModbusTcpLink | ModbusRtuLink | SimLink


def parse_link(url: str) -> Link:
    """Read a link of drives that this package speaks to.

    Args:
        url: One link in one of the `FORMS`.

    Returns:
        What it names; nothing is opened.

    Raises:
        LinkUrlError: With the place that is wrong, and the right form.
    """
    scheme, colon, rest = url.partition(":")
    if colon and not any(ord(letter) <= 0x20 for letter in url):
        if scheme == "sim":
            return _sim(url, rest)
        if (read := _CAN.get(scheme) or _MODBUS.get(scheme)) is not None:
            return read(url, rest)
    raise LinkUrlError(f"link '{url}' begins like none of {', '.join(FORMS)}")


def open_can(link: CanLink, *, bitrate: int, now_s: Callable[[], float]) -> FrameBus:
    """Open a CAN bus for this program alone.

    Args:
        bitrate: Its bitrate [bit/s]; a socketcan interface has its own, set by the system.

    Returns:
        The bus.

    Raises:
        LinkError: If it is absent, taken, or refuses; the text names device, URL and cause.
    """
    if link.interface == "slcan":
        from drives.can.slcan_bus import open_slcan

        return open_slcan(link.channel, link.url, bitrate=bitrate, now_s=now_s, baud=link.baud)
    if link.interface == "socketcand":
        from drives.can.socketcand_bus import open_socketcand

        return open_socketcand(link.host, link.port, link.channel, link.url, now_s)
    from drives.can.library_bus import open_socketcan

    return open_socketcan(link.channel, link.url, bitrate=bitrate, now_s=now_s)


def lock_modbus(link: ModbusTcpLink | ModbusRtuLink) -> "PortLock":
    """Take a Modbus link for this program alone; the libraries that open it do not.

    Returns:
        The lock, to be released once the link is closed.

    Raises:
        LinkError: If another controller has it.
    """
    from hil_common.port_lock import PortLock, serial_endpoint, tcp_endpoints

    if isinstance(link, ModbusTcpLink):
        endpoints = tcp_endpoints(link.host, link.port, link.url, LinkError)
    elif link.server is None:
        endpoints = (serial_endpoint(link.device),)
    else:
        endpoints = tcp_endpoints(*link.server, link.url, LinkError)
    return PortLock(endpoints, link.url, LinkError)


def _sim(url: str, rest: str) -> SimLink:
    if rest:
        raise LinkUrlError(f"link '{url}': '{rest}' stands after sim:, which is all there is")
    return SimLink(url)


def _slcan(url: str, rest: str) -> CanLink:
    if rest.startswith("socket:"):
        return CanLink("slcan", _socket(url, rest, "slcan:socket://HOST:PORT"), url)
    device, options = _device(url, rest, ("baud",), "slcan:/dev/serial/by-id/NAME")
    return CanLink("slcan", device, url, baud=_number(url, options, "baud", BAUDS, 115200))


def _socketcan(url: str, rest: str) -> CanLink:
    return CanLink("socketcan", _interface(url, rest, "socketcan:can0"), url)


def _socketcand(url: str, rest: str) -> CanLink:
    form = "socketcand://HOST:PORT/can0"
    endpoint, _, name = rest.removeprefix("//").partition("/")
    host, port = _endpoint(url, rest[:2] + endpoint, form)
    return CanLink("socketcand", _interface(url, name, form), url, host.strip("[]"), port)


_CAN: Mapping[str, Callable[[str, str], CanLink]] = {
    "slcan": _slcan, "socketcan": _socketcan, "socketcand": _socketcand,
}  # fmt: skip


def _modbus_tcp(url: str, rest: str) -> ModbusTcpLink:
    host, port = _endpoint(url, rest.removesuffix("/"), "modbus-tcp://HOST:PORT", MODBUS_PORT)
    return ModbusTcpLink(host.strip("[]"), port)


def _modbus_rtu(url: str, rest: str) -> ModbusRtuLink:
    on_socket = rest.startswith("socket:")
    place = "socket://HOST:PORT" if on_socket else "/dev/serial/by-id/NAME"
    form = f"modbus-rtu:{place}?baud=19200&parity=E"
    device, options = _device(url, rest, ("baud", "parity", "stop_bits"), form)
    parity = options.get("parity", "E").upper()
    if parity not in ("E", "O", "N"):
        raise LinkUrlError(f"link '{url}': parity '{parity}' is none of E, O, N; as in {form}")
    stop_bits = _number(url, options, "stop_bits", (1, 2), 2 if parity == "N" else 1)
    return ModbusRtuLink(device, _number(url, options, "baud", BAUDS, 19200), parity, stop_bits)


_MODBUS: Mapping[str, Callable[[str, str], ModbusTcpLink | ModbusRtuLink]] = {
    "modbus-tcp": _modbus_tcp, "modbus-rtu": _modbus_rtu,
}  # fmt: skip


def _endpoint(url: str, text: str, form: str, default_port: int = 0) -> tuple[str, int]:
    match = _HOST_PORT.fullmatch(text.removeprefix("//")) if text.startswith("//") else None
    if match is None:
        raise LinkUrlError(f"link '{url}': '{text}' is no //HOST:PORT; as in {form}")
    port = int(match["port"] or default_port)
    if not 0 < port <= _HIGHEST_PORT:
        raise LinkUrlError(f"link '{url}': port {port} is not 1 to {_HIGHEST_PORT}; as in {form}")
    return match["host"], port


def _socket(url: str, text: str, form: str) -> str:
    """Read the `socket://host:port` of something serial that a server has."""
    host, port = _endpoint(url, text.removeprefix("socket:"), form)
    return f"{_SOCKET}{host}:{port}"


def _interface(url: str, name: str, form: str) -> str:
    if not _INTERFACE.fullmatch(name):
        text = f"link '{url}': '{name}' is no name of a CAN interface (1 to 15 letters and digits)"
        raise LinkUrlError(f"{text}; as in {form}")
    return name


def _device(
    url: str, rest: str, known: tuple[str, ...], form: str
) -> tuple[str, Mapping[str, str]]:
    device, _, query = rest.partition("?")
    if device.startswith("socket:"):
        device = _socket(url, device, form)
    elif not device.startswith("/"):
        raise LinkUrlError(f"link '{url}': '{device}' is no path that begins with /; as in {form}")
    pairs = parse_qsl(query, keep_blank_values=True)
    options = dict(pairs)
    for name in options:
        if name not in known:
            text = f"link '{url}': option '{name}' is not known"
            raise LinkUrlError(f"{text}, there is {', '.join(known)}; as in {form}")
    if len(options) != len(pairs) or (query and not pairs):
        raise LinkUrlError(f"link '{url}': '{query}' is no list of different options; as in {form}")
    return device, options


def _number(
    url: str, options: Mapping[str, str], name: str, allowed: tuple[int, ...], default: int
) -> int:
    text = options.get(name, str(default))
    numbers = {str(number): number for number in allowed}
    if text not in numbers:
        raise LinkUrlError(f"link '{url}': {name} '{text}' is none of {', '.join(numbers)}")
    return numbers[text]
