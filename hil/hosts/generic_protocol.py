"""Protocol files of FlightGear's generic output: what its chunks are, in which form.

Source: `README.protocol` of FlightGear's data: binary chunks are packed big-endian without gaps
(bool 1, int 4, float 4, double 8 bytes) and may end with a footer; text has separators.
A chunk is written as factor · value + offset.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hil.config.errors import ConfigError
from hil.hosts.xml_file import read_xml

_CODES: Final = {"bool": "B", "int": "i", "float": "f", "double": "d"}
_SEPARATORS: Final = {
    "newline": "\n", "tab": "\t", "space": " ", "formfeed": "\f", "carriagereturn": "\r",
    "verticaltab": "\v",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Chunk:
    """One value of a packet."""

    node: str
    """Of FlightGear's property tree, without an index of 0."""
    code: str
    """Its form in binary, as `struct` names it."""
    factor: float
    offset: float


@dataclass(frozen=True, slots=True)
class Protocol:
    """What one packet holds."""

    binary: bool
    between: str
    """Between two values of text."""
    after: str
    """At a line's end."""
    footer: bytes | None
    """Last bytes of a binary packet; None: its length as four bytes; empty: nothing."""
    chunks: tuple[Chunk, ...]


def read_protocol(path: Path) -> Protocol:
    """What a protocol file says.

    Raises:
        ConfigError: if it cannot be read, or holds what no vehicle's motion needs.
    """
    source = str(path)
    output = read_xml(path).find("./generic/output")
    if output is None:
        raise ConfigError(source, ["has no <generic><output>"])
    chunks = tuple(_chunk(one, source) for one in output.findall("chunk"))
    if not chunks:
        raise ConfigError(source, ["has no <chunk>"])
    between = _separator(_text(output, "var_separator"))
    binary = _text(output, "binary_mode").lower() in ("true", "1")
    if not binary and not between and len(chunks) > 1:
        raise ConfigError(source, ["has no <var_separator>; text needs one"])
    footer = _footer(_text(output, "binary_footer"), source)
    return Protocol(binary, between, _separator(_text(output, "line_separator")), footer, chunks)


def _chunk(element: ET.Element, source: str) -> Chunk:
    node, kind = _text(element, "node"), _text(element, "type") or "int"
    if kind not in _CODES:
        known = ", ".join(_CODES)
        raise ConfigError(source, [f"chunk {node}: type {kind!r}; {known} can be read"])
    try:
        factor = float(_text(element, "factor") or 1.0)
        offset = float(_text(element, "offset") or 0.0)
    except ValueError:
        raise ConfigError(source, [f"chunk {node}: factor and offset must be numbers"]) from None
    if not (0.0 < abs(factor) < 1e12 and abs(offset) < 1e12):
        raise ConfigError(source, [f"chunk {node}: factor {factor:g}, offset {offset:g}"])
    return Chunk(node.replace("[0]", ""), _CODES[kind], factor, offset)


def _footer(text: str, source: str) -> bytes | None:
    if text in ("", "none"):
        return b""
    if text == "length":
        return None
    number = text.removeprefix("magic,")
    try:
        return int(number, 0).to_bytes(4, "big")
    except (ValueError, OverflowError):
        line = f"binary_footer {text!r}: none, length or magic,0x… can be read"
        raise ConfigError(source, [line]) from None


def _text(element: ET.Element, name: str) -> str:
    return (element.findtext(name) or "").strip()


def _separator(text: str) -> str:
    return _SEPARATORS.get(text, text)
