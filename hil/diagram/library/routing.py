"""Routing: choosing, bundling, between rates; and the blocks of a diagram's face."""

from __future__ import annotations

from typing import Final

from hil.diagram.file.model import NAME, NAME_WORDS
from hil.diagram.library.digital import INITIAL, before_start
from hil.diagram.library.kind import (
    COMPOSITE,
    BlockKind,
    Example,
    ParameterKind,
    Parameters,
    PortKind,
    Ports,
    flag,
)  # fmt: skip

GROUP: Final = "routing"
WIDTH_MOST: Final = 64
WIDTH: Final = ParameterKind("width", "integer", 2, 1, WIDTH_MOST, about="how many")


def _mux_ports(parameters: Parameters) -> Ports:
    width = parameters["width"]
    inputs = (PortKind(f"u{i}", shape=(), type="?t") for i in range(1, width + 1))
    return Ports(tuple(inputs), (PortKind("y", shape=(width,), type="?t"),))


def _demux_ports(parameters: Parameters) -> Ports:
    width = parameters["width"]
    outputs = (PortKind(f"y{i}", shape=(), type="?t") for i in range(1, width + 1))
    return Ports((PortKind("u", shape=(width,), type="?t"),), tuple(outputs))


def _select_ports(parameters: Parameters) -> Ports:
    vector = PortKind("u", shape=(parameters["width"],), type="?t")
    return Ports((vector,), (PortKind("y", shape=(), type="?t"),))


def _select_fault(parameters: Parameters) -> str:
    index, width = parameters["index"], parameters["width"]
    return "" if index <= width else f"index = {index} is beyond width = {width}"


def _multiport_ports(parameters: Parameters) -> Ports:
    inputs = (PortKind(f"u{i}", type="?t") for i in range(1, parameters["width"] + 1))
    index = PortKind("index", "1", (), "integer", "?count")
    return Ports((index, *inputs), (PortKind("y", type="?t"),))


def _merge_ports(parameters: Parameters) -> Ports:
    numbers = range(1, parameters["width"] + 1)
    inputs = (PortKind(f"u{i}", type="?t") for i in numbers)
    return Ports((*inputs, *(flag(f"new{i}", shape=()) for i in numbers)),
                 (PortKind("y", type="?t"),))  # fmt: skip


FLAGS: Final = Ports((flag("enable", shape=()),), ())

KINDS: Final = (
    BlockKind(
        name="Mux", group=GROUP, about="Scalars into a vector.", equation="y = (u1, u2, …)",
        ports=_mux_ports, parameters=(WIDTH,), example=Example({}, {"u1": 1.0, "u2": 2.0}),
    ),
    BlockKind(
        name="Demux", group=GROUP, about="A vector into scalars.", equation="y1, y2, … = u",
        ports=_demux_ports, parameters=(WIDTH,), size_port="u",
        example=Example({}, {"u": (1.0, 2.0)}),
    ),
    BlockKind(
        name="Select", group=GROUP, about="One element of a vector.", equation="y = u_index",
        ports=_select_ports, check=_select_fault,
        parameters=(WIDTH, ParameterKind("index", "integer", 1, 1, WIDTH_MOST)),
        example=Example({"index": 2}, {"u": (1.0, 2.0)}),
    ),
    BlockKind(
        name="Switch", group=GROUP, about="One of two, by a condition.",
        equation="y = u1 if condition else u2",
        ports=Ports(
            (flag("condition", shape=()), PortKind("u1", type="?t"), PortKind("u2", type="?t")),
            (PortKind("y", type="?t"),),
        ),
        example=Example({}, {"condition": True, "u1": 1.0, "u2": 2.0}),
    ),
    BlockKind(
        name="MultiportSwitch", group=GROUP, about="One of several, by number; ends held.",
        equation="y = u_i, i = index limited to 1 … width", ports=_multiport_ports,
        parameters=(WIDTH,), example=Example({}, {"index": 2, "u1": 1.0, "u2": 2.0}),
    ),
    BlockKind(
        name="Merge", group=GROUP, about="One of several that come by turns; held between.",
        equation="y[k] = the first u_i whose new_i is true; y[k-1] if none is",
        ports=_merge_ports, parameters=(WIDTH, INITIAL), states=("x",), initial=before_start,
        numbers=lambda p, _: (p["width"],),
        example=Example({}, {"u1": 1.0, "u2": 2.0, "new1": False, "new2": True}),
    ),
    BlockKind(
        name="RateTransition", group=GROUP,
        about="Between rates: takes the newest value of any rate at its own.", equation="y = u",
        ports=Ports((PortKind("u", type="?t"),), (PortKind("y", type="?t"),)), any_rate=True,
        example=Example({}, {"u": 1.0}),
    ),
)  # fmt: skip

TYPES: Final = ("real", "boolean", "integer", *COMPOSITE, "any")


def face_port(parameters: Parameters, name: str) -> PortKind:
    """Return the port of a block of a face."""
    shape, type_ = parameters["shape"], parameters["type"]
    if type_ in COMPOSITE:
        return PortKind(name, "1", (len(COMPOSITE[type_]),), type_, parameters["frame"] or "?f")
    return PortKind(
        name, parameters["unit"] or "?a", shape, "?t" if type_ == "any" else type_,
        parameters["frame"] or "?f",
    )  # fmt: skip


FACE: Final = (
    ParameterKind("unit", "unit", "", about="empty for any"),
    ParameterKind("shape", "shape", "?s", about="sizes, [] for a scalar; left out for any"),
    ParameterKind("type", "text", "any", choices=TYPES),
    ParameterKind("frame", "text", "", about="axes; empty for any"),
)


def _face_fault(p: Parameters) -> str:
    """Describe a fault: a pose and a wrench have sizes and units of their own."""
    type_ = p["type"]
    if type_ not in COMPOSITE:
        return ""
    if p["unit"] not in ("", "1"):
        return f"unit = {p['unit']!r}: a {type_} has units of its own; leave it out"
    if p["shape"] not in ("?s", (len(COMPOSITE[type_]),)):
        return f"shape = {list(p['shape'])}: a {type_} has its own; leave it out"
    return ""


BUS_MOST: Final = 64
BUS_NAMES: Final = (
    ParameterKind("names", "text", high=4000, about="of the wires: force speed on"),
)


def _bundled(p: Parameters) -> tuple[PortKind, ...]:
    return tuple(PortKind(name, f"?{name}", f"?{name}", f"?{name}") for name in p["names"].split())


def _bus_fault(p: Parameters) -> str:
    names = p["names"].split()
    wrong = [one for one in names if not NAME.fullmatch(one) or one == "bus"]
    if wrong:
        return f"names: {wrong[0][:40]!r}: {NAME_WORDS} make a name; bus is none"
    if not 1 <= len(names) <= BUS_MOST or len({*names}) < len(names):
        return f"names: {len(names)}, 1 to {BUS_MOST} are needed, each once"
    return ""


FACES: Final = (
    BlockKind(
        name="In", group="face", about="An input of the diagram that it stands in.",
        equation="y = what is wired to it outside", parameters=FACE, check=_face_fault,
        ports=lambda p: Ports((), (face_port(p, "y"),)),
    ),
    BlockKind(
        name="Out", group="face", about="An output of the diagram that it stands in.",
        equation="what is outside = u", parameters=FACE, check=_face_fault,
        ports=lambda p: Ports((face_port(p, "u"),), ()),
    ),
    BlockKind(
        name="BusIn", group="face", about="Bundles wires of any kind into a bus.",
        equation="bus = all inputs, by their names", parameters=BUS_NAMES, check=_bus_fault,
        ports=lambda p: Ports(_bundled(p), (PortKind("bus"),)),
    ),
    BlockKind(
        name="BusOut", group="face", about="Takes wires out of a bus, by their names.",
        equation="each output = what went into the bus by that name", parameters=BUS_NAMES,
        check=_bus_fault, ports=lambda p: Ports((PortKind("bus"),), _bundled(p)),
    ),
)  # fmt: skip

HIDDEN: Final = (
    BlockKind(
        name="EnabledOutput", group="hidden", about="An output of a diagram that is enabled.",
        equation="y = u if enable else 0",
        ports=Ports((flag("enable", shape=()), PortKind("u", type="?t")),
                    (PortKind("y", type="?t"),)),
    ),
    BlockKind(
        name="Restart", group="hidden", about="Puts states back where a diagram is enabled anew.",
        equation="x = x[0] if enable[k] and not enable[k-1]", ports=FLAGS, states=("last",),
    ),
)  # fmt: skip
"""Blocks that nobody draws: what enabled and triggered diagrams are made of."""
