r"""Protocol files of FlightGear's generic output: its chunks and their form.

Source: `FGGeneric::read_config`, `gen_message_binary` and `gen_message_ascii` of FlightGear 2020.3
(`src/Network/generic.cxx`), `unescape` and the reader of property files of SimGear.

==================  ================================================================================
element             what it says
==================  ================================================================================
binary_mode         true or 1: packed chunks without gaps; else text
byte_order          network (big-endian, the default) or host (little-endian on what it runs on)
binary_footer       none, length, or magic,0x…: four bytes in the chunks' order of bytes
var_separator       between two values of text; \t and the like mean what they do in C; newline,
                    tab, space, formfeed and verticaltab are names
line_separator      behind a line, likewise
preamble,           datagrams of their own when it opens and closes: none of ours
postamble
record_length       for input only
wrapper             changes the bytes: refused
chunk               node, type, format, factor, offset; name is for people; min, max, wrap and
                    relative are for input only; const is refused
==================  ================================================================================

A number is sent as factor · value + offset, whole where the type is (int, byte, word, and each type
that FlightGear does not know); a bool is sent as it is. Text has the format, %d if none is said.
White space counts in all of them. An element that is not in this table is refused.
"""

from __future__ import annotations

import math
import re
import struct
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

from hil.config.errors import ConfigError
from hil.hosts.wires.xml_file import read_xml

_FLOATING: Final = {"float": "f", "double": "d", "fixed": "i"}
_WHOLE: Final = {"int": "i", "byte": "b", "word": "h"}
_BOOL: Final = ("bool", "boolean")
_FIXED_POINT: Final = 65_536.0
_MOST: Final = {"b": 127.0, "h": 32_767.0, "i": 2_147_483_647.0}
_NAMED: Final = {
    "newline": "\n", "tab": "\t", "space": " ", "formfeed": "\f", "verticaltab": "\v",
}  # fmt: skip
_ESCAPED: Final = {
    "n": "\n", "r": "\r", "t": "\t", "v": "\v", "f": "\f", "a": "\a", "b": "\b",
}  # fmt: skip
_ESCAPE: Final = re.compile(
    r"\\(?:x([0-9A-Fa-f]{1,2})(?![0-9A-Fa-f])|([0-7]{1,3})(?![0-7])|(.?))", re.DOTALL
)
_FORMAT: Final = re.compile(
    r"(?P<before>(?:[^%]|%%)*)%[-+ #0]{0,5}\d{0,3}(?:\.(?P<digits>\d{0,2}))?"
    r"[hlL]{0,2}(?P<form>[a-zA-Z])(?P<after>(?:[^%]|%%)*)"
)
_OF_OUTPUT: Final = frozenset(
    {
        "binary_mode", "byte_order", "binary_footer", "var_separator", "line_separator",
        "preamble", "postamble", "record_length", "chunk",
    }
)  # fmt: skip
_OF_CHUNK: Final = frozenset(
    {"name", "node", "type", "format", "factor", "offset", "min", "max", "wrap", "relative"}
)
_MAGIC: Final = re.compile(r"magic,(-?(?:0[xX][0-9A-Fa-f]+|0|[1-9][0-9]*))")
_NUMBER: Final = r"([-+]?(?:[0-9]++\.?[0-9]*+(?:[eE][-+]?[0-9]++)?+|nan|inf))"
"""Number as C writes one; nothing in it is tried twice, so that no line takes long."""
_TYPES: Final = {"binary_mode": ("bool", "string"), "factor": ("double",), "offset": ("double",)}
_SWITCH: Final = {"true": True, "1": True, "false": False, "0": False, "": False}


@dataclass(frozen=True, slots=True)
class Chunk:
    """One value of a packet: what was sent is factor · value + offset."""

    node: str
    """Node of FlightGear's property tree, without an index of 0."""
    code: str
    """Binary form, as `struct` names it."""
    factor: float
    offset: float
    before: str
    """Text before the number."""
    after: str
    """Text behind the number."""
    step: float
    """Step between two representable values, in the property's unit; 0 if not limited."""
    most: float
    """Largest representable value, in the property's unit; infinite if not limited."""


@dataclass(frozen=True, slots=True)
class Protocol:
    """Contents of one packet."""

    binary: bool
    order: str
    """Order of bytes: ">" or "<"."""
    line: re.Pattern[str]
    """Form of a line of text; its groups are the numbers."""
    footer: bytes | None
    """Last bytes of a binary packet; None: its length as four bytes; empty: nothing."""
    chunks: tuple[Chunk, ...]


def read_protocol(path: Path) -> Protocol:
    """Read a protocol file.

    Raises:
        ConfigError: if it cannot be read, holds what is not known, or asks for text of which the
            numbers cannot be separated.
    """
    source, root = str(path), read_xml(path)
    output = root.find("./generic/output")
    if output is None:
        raise ConfigError(source, ["has no <generic><output>"])
    try:
        return _protocol(root, output)
    except ValueError as error:
        raise ConfigError(source, [str(error)]) from None


def _protocol(root: ET.Element, output: ET.Element) -> Protocol:
    if root.tag != "PropertyList":
        raise ValueError(f"<{root.tag}>: FlightGear reads <PropertyList> only")
    _check_attributes("<generic>", (root, *root.findall("generic"), output))
    _check_elements("<output>", output, _OF_OUTPUT, several=("chunk",))
    binary = _switch(output, "binary_mode")
    order = _order(_word(output, "byte_order"))
    elements = output.findall("chunk")
    if not elements:
        raise ValueError("has no <chunk>")
    chunks = tuple(_chunk(one, binary) for one in elements)
    line = re.compile("") if binary else _line(output, chunks)
    return Protocol(binary, order, line, _footer(output, order), chunks)


def _line(output: ET.Element, chunks: Sequence[Chunk]) -> re.Pattern[str]:
    """Make the pattern of a line of text."""
    between, behind = _separator(output, "var_separator"), _separator(output, "line_separator")
    if not between and len(chunks) > 1:
        raise ValueError("has no <var_separator>; text needs one")
    for one, other in pairwise(chunks):
        apart = one.after + between + other.before
        if apart[0] in "0123456789.eE+-" or apart[-1] in "0123456789.+-":
            raise ValueError(
                f"{apart!r} between {one.node} and {other.node} may be part of a number; "
                "a var_separator such as , is needed"
            )
    texts = [one.after + between + other.before for one, other in pairwise(chunks)]
    ends = (chunks[0].before, *texts, chunks[-1].after + behind)
    return re.compile(_NUMBER.join(map(_padded, ends)))


def _padded(text: str) -> str:
    """Return a pattern of a text beside numbers that may be padded with spaces."""
    core = text.strip(" ")
    if core or not text:
        return "[ ]*+" + re.escape(core) + "[ ]*+" * bool(core)
    return "[ ]++"


def _chunk(element: ET.Element, binary: bool) -> Chunk:
    node = _word(element, "node") or "/null"
    name = f"chunk {node}"
    _check_elements(name, element, _OF_CHUNK)
    kind = _word(element, "type") or "int"
    if kind == "string":
        known = ", ".join((*_BOOL, *_WHOLE, *_FLOATING))
        raise ValueError(f"{name}: type 'string' has no length; {known} can be read")
    factor, offset = _number(element, "factor", 1.0), _number(element, "offset", 0.0)
    if not (0.0 < abs(factor) < 1e12 and abs(offset) < 1e12):
        raise ValueError(f"{name}: factor {factor:g}, offset {offset:g}; finite ones are needed")
    if kind in _BOOL:
        code, factor, offset, step = "B", 1.0, 0.0, 1.0
    elif kind in _FLOATING:
        code, step = _FLOATING[kind], 0.0
    else:
        code, step = _WHOLE.get(kind, "i"), 1.0
    before = after = ""
    if not binary:
        before, after, written = _format(name, element, floating=kind in _FLOATING)
        step = max(step, written)
    elif kind == "fixed":
        factor, offset, step = factor * _FIXED_POINT, offset * _FIXED_POINT, 1.0
    floating = kind in _FLOATING and (kind != "fixed" or not binary)
    most = math.inf if floating else (_MOST.get(code, math.inf) - abs(offset)) / abs(factor)
    return Chunk(_path(node), code, factor, offset, before, after, step / abs(factor), most)


def _format(name: str, element: ET.Element, floating: bool) -> tuple[str, str, float]:
    """Split a text format into the text before and behind the number, and the step that it has."""
    text = "%d" if element.find("format") is None else _unescaped(_text(element, "format"))
    found = _FORMAT.fullmatch(text)
    wanted = "fFeEgG" if floating else "di"
    if found is None or found["form"] not in wanted:
        right = "%f" if floating else "%d"
        kind = _word(element, "type") or "int"
        raise ValueError(
            f"{name}: format {text!r} with type {kind!r}: FlightGear writes no number; "
            f"{right} is right"
        )
    digits = 6 if found["digits"] is None else int(found["digits"] or 0)
    decimals = digits if found["form"] in "fF" else digits - 2  # of numbers up to 100
    step = 10.0**-decimals if floating else 1.0
    return found["before"].replace("%%", "%"), found["after"].replace("%%", "%"), step


def _order(text: str) -> str:
    if text not in ("", "network", "host"):
        raise ValueError(f"byte_order {text!r}: network or host can be read")
    return "<" if text == "host" else ">"


def _footer(output: ET.Element, order: str) -> bytes | None:
    text = _word(output, "binary_footer")
    if text in ("", "none"):
        return b""
    if text == "length":
        return None
    found = _MAGIC.fullmatch(text)
    if found is None:
        raise ValueError(f"binary_footer {text!r}: none, length or magic,0x… can be read")
    return struct.pack(order + "I", int(found[1], 0) & 0xFFFFFFFF)


def _separator(output: ET.Element, name: str) -> str:
    text = _unescaped(_text(output, name))
    if text == "carriagereturn":
        raise ValueError(f"{name} 'carriagereturn': FlightGear sends nothing for it; \\r is right")
    return _NAMED.get(text, text)


def _unescaped(text: str) -> str:
    """Read a text's escapes as SimGear does; where its versions differ, refused."""

    def meaning(found: re.Match[str]) -> str:
        sixteen, eight, letter = found.groups()
        if letter is None:
            return chr(int(sixteen, 16) if sixteen else int(eight, 8))
        if letter in ("", "x") or letter.isdigit():
            raise ValueError(f"{text!r}: such as \\t, \\x09, \\011 or \\\\ can be read")
        return _ESCAPED.get(letter, letter)

    return _ESCAPE.sub(meaning, text)


def _path(node: str) -> str:
    """Write a property's path as the others of its kind: /a/b, without an index of 0."""
    parts = [part.removesuffix("[0]") for part in node.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise ValueError(f"chunk {node}: write the path without ..")
    return "/" + "/".join(parts)


def _check_elements(
    name: str, element: ET.Element, known: frozenset[str], several: Iterable[str] = ()
) -> None:
    seen: set[str] = set()
    for child in element:
        if child.tag not in known:
            raise ValueError(
                f"{name}: <{child.tag}> is not understood; there are {', '.join(sorted(known))}"
            )
        if child.tag in seen and child.tag not in several:
            raise ValueError(f"{name}: <{child.tag}> stands twice")
        seen.add(child.tag)
    _check_attributes(name, element)


def _check_attributes(name: str, elements: Iterable[ET.Element]) -> None:
    """Attributes change what is read: n the order, include and alias the text, type its meaning."""
    for element in elements:
        kinds = ("unspecified", *_TYPES.get(element.tag, ("string",)))
        for key, value in element.attrib.items():
            if key != "type" or value not in kinds:
                raise ValueError(f"{name}: <{element.tag} {key}={value!r}>; leave {key} out")


def _switch(element: ET.Element, name: str) -> bool:
    text = _word(element, name)
    if text not in _SWITCH:
        raise ValueError(f"{name} {text!r}: true or false is needed")
    return _SWITCH[text]


def _number(element: ET.Element, name: str, default: float) -> float:
    text = _text(element, name)
    try:
        number = default if element.find(name) is None else float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or "_" in text:
        raise ValueError(f"chunk {_text(element, 'node')}: {name} {text!r} is no finite number")
    return number


def _word(element: ET.Element, name: str) -> str:
    """Read an element's text, which must have no white space around it: FlightGear keeps it."""
    text = _text(element, name)
    if text != text.strip():
        raise ValueError(f"{name} {text!r}: FlightGear takes the white space along; leave it out")
    return text


def _text(element: ET.Element, name: str) -> str:
    return element.findtext(name) or ""
