"""Types of all ports of a diagram: real, pose and others, shape, unit and frame, by its wires.

Each wire says that its two ends are the same. Wires are taken in order; the first that contradicts
those before it is told, with both ends in words and what would be right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from hil.diagram.check.flat import Endpoint, FlatBlock, FlatDiagram, FlatWire
from hil.diagram.check.unify import Equalities, Exponent, LinearUnit, UnitEquations
from hil.diagram.file.lines import Placed
from hil.diagram.file.units import coherent, unit, words
from hil.diagram.library.kind import COMPOSITE, PortKind

ANY: Final = "any"
RESET: Final = "EnabledOutput"
"""Kind of the hidden blocks that put outputs to 0."""


@dataclass(frozen=True, slots=True)
class FoundType:
    """What is known of a port."""

    type: str
    """real, boolean, integer, pose or wrench."""
    shape: tuple[int, ...]
    unit: str
    """`any` if nothing says it."""
    frame: str
    """Empty if nothing says it."""

    @property
    def is_real(self) -> bool:
        """Whether its numbers change by degrees."""
        return self.type not in ("boolean", "integer")

    @property
    def start(self) -> list[float]:
        """Its numbers before anything has made them."""
        return list(COMPOSITE.get(self.type, (0.0,) * self.size))

    @property
    def size(self) -> int:
        """How many numbers it has."""
        size = 1
        for one in self.shape:
            size *= one
        return size


Types = Mapping[Endpoint, FoundType]


class _Unknowns:
    """Equations of one diagram."""

    def __init__(self) -> None:
        self.units = UnitEquations()
        self.shapes: Equalities[tuple[int, ...]] = Equalities()
        self.types: Equalities[str] = Equalities()
        self.frames: Equalities[str] = Equalities()

    def unit(self, end: Endpoint, port: PortKind) -> LinearUnit:
        """The unit of a port, in variables of its block."""
        known: dict[str, Exponent] = {}
        variables: dict[Endpoint, Exponent] = {}
        for symbol, exponent in unit(port.unit).items():
            if symbol[0] == "?":
                variables[end[0], symbol] = exponent
            else:
                known[symbol] = exponent
        return LinearUnit(known, variables)

    def named(self, end: Endpoint, text: Any) -> Any:
        """A value, or a variable of the port's block."""
        if not isinstance(text, str) or text[:1] != "?":
            return text
        return (end[0], text)


def find_types(flat: FlatDiagram, problems: list[str]) -> dict[Endpoint, FoundType]:
    """Types of all ports of blocks and of faces; contradictions are added to the problems."""
    ports = dict(_ports(flat))
    before = len(problems)
    unknowns = _equate(flat, flat.wires, ports, problems)
    types = {end: _found(unknowns, end, port) for end, port in ports.items()}
    if len(problems) == before:
        problems += (
            f"{path}.{port}: {_no_list(one.type)}"
            for (path, port), one in types.items()
            if one.type in COMPOSITE and one.size != len(COMPOSITE[one.type])
        )
    return types


def type_problems(flat: FlatDiagram, wires: Iterable[FlatWire]) -> list[str]:
    """Contradictions of some of a diagram's wires in the order in which they are given."""
    problems: list[str] = []
    _equate(flat, wires, dict(_ports(flat)), problems)
    return problems


def _equate(flat: FlatDiagram, wires: Iterable[FlatWire], ports: Mapping[Endpoint, PortKind],
            problems: list[str]) -> _Unknowns:  # fmt: skip
    unknowns = _Unknowns()
    for wire in wires:
        fault = _fault(unknowns, wire, ports)
        if fault:
            line = flat.lines.before(wire.section, wire.key) if wire.key else ""
            problems.append(Placed(f"{line}{wire.words}: {fault}", wire.section, wire.key))
    return unknowns


def _ports(flat: FlatDiagram) -> Iterator[tuple[Endpoint, PortKind]]:
    for path, block in flat.blocks.items():
        for port in (*block.ports.inputs, *block.ports.outputs):
            yield (path, port.name), port
    for path, face in flat.faces.items():
        (port,) = (*face.ports.inputs, *face.ports.outputs)
        yield (path, "u"), port  # both sides of a face are the same
        yield (path, "y"), port


def _fault(unknowns: _Unknowns, wire: FlatWire, ports: Mapping[Endpoint, PortKind]) -> str:
    target, source = ports[wire.target], ports[wire.source]
    into = {name: unknowns.named(wire.target, getattr(target, name)) for name in _EQUAL}
    out_of = {name: unknowns.named(wire.source, getattr(source, name)) for name in _EQUAL}
    for name, words_of in _EQUAL.items():
        equations: Equalities[Any] = getattr(unknowns, f"{name}s")
        if not equations.equate(out_of[name], into[name]):
            given, wanted = equations.value(out_of[name]), equations.value(into[name])
            return words_of(given, wanted, unknowns.types.value(into["type"]) or "")
        if name == "shape" and (fault := _composite_fault(unknowns, into)):
            return fault
    given, wanted = unknowns.unit(wire.source, source), unknowns.unit(wire.target, target)
    if unknowns.units.equate(given, wanted):
        return ""
    return _unit_fault(unknowns.units.reduced(given), unknowns.units.reduced(wanted))


def _composite_fault(unknowns: _Unknowns, end: Mapping[str, Any]) -> str:
    """What is wrong with a pose or a wrench that is taken for a list of numbers."""
    type_, shape = unknowns.types.value(end["type"]), unknowns.shapes.value(end["shape"])
    start = COMPOSITE.get(type_ or "")
    if start is None or shape is None or shape == (len(start),):
        return ""
    return _no_list(type_ or "")


def _no_list(type_: str) -> str:
    return f"a {type_} is no list of numbers; put a {_BETWEEN[type_, 'real']} block between"


_BETWEEN: Final = {
    ("boolean", "real"): "BooleanToReal", ("integer", "real"): "IntegerToReal",
    ("real", "integer"): "RealToInteger", ("real", "boolean"): "Greater",
    ("pose", "real"): "PoseParts", ("real", "pose"): "Pose",
    ("wrench", "real"): "WrenchParts", ("real", "wrench"): "Wrench",
}  # fmt: skip


def _type_fault(given: str, wanted: str, _: str) -> str:
    between = _BETWEEN.get((given, wanted))
    remedy = f"; put a {between} block between" if between else ""
    return f"{given} into {wanted}{remedy}"


def _shape_fault(given: tuple[int, ...], wanted: tuple[int, ...], type_: str) -> str:
    if type_ in COMPOSITE:
        return _no_list(type_)
    return f"{_shape_words(given)} into {_shape_words(wanted)}"


def _shape_words(shape: tuple[int, ...]) -> str:
    if not shape:
        return "a scalar"
    return f"a vector of {shape[0]}" if len(shape) == 1 else " by ".join(map(str, shape))


def _frame_fault(given: str, wanted: str, type_: str) -> str:
    text, between = f"axes {given!r} into axes {wanted!r}", _TURNING.get(type_, "Rotate")
    return f'{text}; put a {between} block between (from = "{given}", to = "{wanted}")'


_TURNING: Final = {"pose": "PoseProduct", "wrench": "TransformWrench"}
"""Blocks that bring something into other axes."""


_EQUAL: Final = {"type": _type_fault, "shape": _shape_fault, "frame": _frame_fault}


def _unit_fault(given: LinearUnit, wanted: LinearUnit) -> str:
    text = f"{_unit_words(given)} into {_unit_words(wanted)}"
    if given.variables or wanted.variables:
        return text
    have, want = ({s: int(e) for s, e in one.known.items()} for one in (given, wanted))
    if coherent(have)[1] == coherent(want)[1]:
        return f'{text}; put a Convert block between (from = "{words(have)}", to = "{words(want)}")'
    return text


def _unit_words(expression: LinearUnit) -> str:
    if any(one.denominator != 1 for one in expression.known.values()):
        parts = (f"{symbol}^({power})" for symbol, power in sorted(expression.known.items()))
        known = "*".join(parts)
    else:
        known = words({symbol: int(power) for symbol, power in expression.known.items()})
    if not expression.variables:
        return known
    free = "*".join(f"[{path}{name[1:]}]" for path, name in sorted(expression.variables))
    return f"{known}*{free}"


def _found(unknowns: _Unknowns, end: Endpoint, port: PortKind) -> FoundType:
    expression = unknowns.units.reduced(unknowns.unit(end, port))
    return FoundType(
        unknowns.types.value(unknowns.named(end, port.type)) or "real",
        unknowns.shapes.value(unknowns.named(end, port.shape)) or (),
        ANY if expression.variables else _unit_words(expression),
        unknowns.frames.value(unknowns.named(end, port.frame)) or "",
    )


def rate_problems(flat: FlatDiagram) -> list[str]:
    """Wires between rates, which need a block that says how."""
    problems = []
    wires = {wire.target: wire for wire in flat.wires}
    for (path, port), (source, _) in sorted(flat.drivers.items()):
        target, driver = flat.blocks.get(path), flat.blocks.get(source)
        if target is None or driver is None or target.kind.any_rate or driver.kind.constant:
            continue
        if "@" in path and "@" in source:
            continue  # what conditions are made of
        if (target.rate, target.offset) != (driver.rate, driver.offset):
            words = (
                f"{path}.{port} = {source}: {_ticks(driver)} into {_ticks(target)}; put a "
                "RateTransition block between, at the rate of the second"
            )
            wire = wires.get((path, port))
            problems.append(Placed(words, wire.section, wire.key) if wire else words)
    return problems


def reset_problems(flat: FlatDiagram, types: Types) -> list[str]:
    """Outputs of sub-diagrams that would be put to 0 and cannot be."""
    return [
        f'{path.replace("@", ".")}: a pose cannot be put to 0; outputs = "held" is needed there'
        for path, block in flat.blocks.items()
        if block.kind.name == RESET and types[path, "y"].type == "pose"
    ]


def _ticks(block: FlatBlock) -> str:
    offset = f" from tick {block.offset}" if block.offset else ""
    return f"every {block.rate} ticks{offset}" if block.rate > 1 or offset else "every tick"
