"""Links to the robot's controller, written as URLs.

    serial:/dev/ttyS0?baud=9600, serial:/dev/serial/by-id/usb-..., serial:/dev/pts/3
    socket://127.0.0.1:29600

The line is always 8 data bits, no parity, one stop bit, as the contour protocol has it.
"""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl

from arm_driver.link_errors import ArmLinkUrlError

BAUDS: Final = (1200, 2400, 4800, 9600, 19200, 38400, 57600, 115200)
"""Speeds of a serial port that are accepted [Bd]; a request and its answer need 4800 at least."""
DEFAULT_BAUD: Final = 9600
FORMS: Final = ("serial:/dev/ttyS0?baud=9600", "socket://HOST:PORT")
"""The forms of a link."""

_SERIAL, _SOCKET = FORMS
_HOST_PORT: Final = re.compile(r"//(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):([0-9]{1,5})/?")
_HIGHEST_PORT: Final = 65535


@dataclass(frozen=True, slots=True)
class SerialLink:
    """A serial port, or a pseudo-terminal in its place."""

    device: str
    """Path."""
    baud: int = DEFAULT_BAUD
    """Speed [Bd]."""

    @property
    def url(self) -> str:
        """The link as a URL."""
        return f"serial:{self.device}?baud={self.baud}"


@dataclass(frozen=True, slots=True)
class SocketLink:
    """A TCP connection: a serial device server, or an emulated controller."""

    host: str
    """Name or address."""
    port: int
    """Port."""

    @property
    def url(self) -> str:
        """The link as a URL."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"socket://{host}:{self.port}"


def parse_arm_link(url: str) -> SerialLink | SocketLink:
    """Read a link.

    Args:
        url: One link in one of the `FORMS`.

    Returns:
        What it names; nothing is opened.

    Raises:
        ArmLinkUrlError: With the place that is wrong, and the right form.
    """
    scheme, _, rest = url.partition(":")
    if any(ord(letter) <= 0x20 for letter in url) or scheme not in ("serial", "socket"):
        raise ArmLinkUrlError(f"link '{url}' begins like none of {', '.join(FORMS)}")
    return _serial(url, rest) if scheme == "serial" else _socket(url, rest)


def _serial(url: str, rest: str) -> SerialLink:
    device, mark, query = rest.partition("?")
    if not device.startswith("/") or device.endswith("/"):
        raise ArmLinkUrlError(f"link '{url}': '{device}' is no path of a device; as in {_SERIAL}")
    options = parse_qsl(query, keep_blank_values=True)
    if bool(mark) != (len(options) == 1) or any(name != "baud" for name, _ in options):
        text = f"link '{url}': '{query}' is not the one option that there is, baud"
        raise ArmLinkUrlError(f"{text}; as in {_SERIAL}")
    written = options[0][1] if options else str(DEFAULT_BAUD)
    bauds = {str(baud): baud for baud in BAUDS}
    if written not in bauds:
        raise ArmLinkUrlError(f"link '{url}': baud '{written}' is none of {', '.join(bauds)}")
    return SerialLink(device, bauds[written])


def _socket(url: str, rest: str) -> SocketLink:
    match = _HOST_PORT.fullmatch(rest)
    if match is None:
        raise ArmLinkUrlError(f"link '{url}': '{rest}' is no //HOST:PORT; as in {_SOCKET}")
    port = int(match[2])
    if not 0 < port <= _HIGHEST_PORT:
        raise ArmLinkUrlError(f"link '{url}': port {port} is not 1 to {_HIGHEST_PORT}")
    return SocketLink(match[1].strip("[]"), port)
