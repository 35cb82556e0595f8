"""Output directives of JSBSim that ask for a socket: which properties its lines hold, in order.

Source: `FGOutputType::Load` and `FGOutputSocket::PrintHeaders` of JSBSim (LGPL). Other elements
and other attributes of a property than its caption are refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hil.config.errors import ConfigError
from hil.hosts.wires.xml_file import read_xml

GROUPS: Final = (
    "simulation", "aerosurfaces", "rates", "velocities", "forces", "moments", "atmosphere",
    "massprops", "position", "coefficients", "aerodynamics", "fcs", "ground_reactions",
    "propulsion",
)  # fmt: skip
"""Elements that ask for many numbers at once; none of them holds the pilot's force."""


@dataclass(frozen=True, slots=True)
class Directive:
    """Contents of a line, behind the simulated time."""

    properties: tuple[str, ...]
    """Names in JSBSim's property tree."""
    labels: tuple[str, ...]
    """Names of the properties in JSBSim's line of labels."""


def read_directive(path: Path) -> Directive:
    """Read a directive.

    Raises:
        ConfigError: if it cannot be read, sends no text over UDP, or asks for more than properties.
    """
    source, root = str(path), read_xml(path)
    kind, protocol = root.get("type", ""), root.get("protocol", "TCP")
    if root.tag != "output" or kind.upper() != "SOCKET":
        line = f'<{root.tag} type="{kind}">: <output type="SOCKET"> is needed'
        raise ConfigError(source, [line])
    if protocol.upper() != "UDP":
        raise ConfigError(source, [f'protocol="{protocol}": only protocol="UDP" is heard'])
    for one in root:
        if one.tag in GROUPS and (one.text or "").strip().upper() == "ON":
            raise ConfigError(source, [f"<{one.tag}> is ON: only <property> elements can be read"])
        if one.tag not in ("property", *GROUPS):
            line = f"<{one.tag}> is not understood; there are property, {', '.join(GROUPS)}"
            raise ConfigError(source, [line])
        for key, value in one.attrib.items():  # `apply` changes the number that is sent
            if key != "caption":
                line = f'<{one.tag} {key}="{value}"> is not understood; only caption is'
                raise ConfigError(source, [line])
    found = [((one.text or "").strip(), one.get("caption", "")) for one in root.iter("property")]
    if not found or not all(name for name, _ in found):
        raise ConfigError(source, ["each <property> must name one, and there must be some"])
    return Directive(
        tuple(name for name, _ in found), tuple(caption or _label(name) for name, caption in found)
    )


def _label(name: str) -> str:
    return name.rpartition("/")[2].partition("[")[0].replace("_", " ")
