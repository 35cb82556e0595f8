"""Blocks that are written as text: each becomes the blocks of its operations when it is loaded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from hil.config.similar_names import nearest
from hil.diagram.file.model import NAME, Diagram, DrawnBlock
from hil.diagram.file.units import UnitError, unit
from hil.diagram.library.grammar import (
    CHARACTERS_MOST,
    TIME,
    GrammarError,
    Statement,
    SyntaxNode,
    names_in,
    parsed,
)  # fmt: skip
from hil.diagram.library.kind import (
    BlockKind,
    Example,
    Pairs,
    ParameterKind,
    Parameters,
    PortKind,
    Ports,
)  # fmt: skip

GROUP: Final = "text"
PRODUCTS_MOST: Final = 8
"""Whole exponents up to here are products."""
PORTS_MOST: Final = 32
KINDS_OF: Final[Mapping[str, str]] = {
    "*": "Multiply", "/": "Divide", "negate": "Negate", "sqrt": "Sqrt", "abs": "Abs",
    "sign": "Sign", "sin": "Sin", "cos": "Cos", "tan": "Tan", "asin": "Asin", "acos": "Acos",
    "atan": "Atan", "tanh": "Tanh", "exp": "Exp", "log": "Log", "log10": "Log10", "floor": "Floor",
    "ceil": "Ceil", "round": "Round", "min": "Minimum", "max": "Maximum", "atan2": "Atan2",
    "hypot": "Hypot", "<": "Less", "<=": "LessEqual", ">": "Greater", ">=": "GreaterEqual",
    "and": "And", "or": "Or", "not": "Not",
}  # fmt: skip
"""Sign or function in a text → kind of block."""
BOOLEAN: Final = frozenset({"<", "<=", ">", ">=", "and", "or", "not"})
_PORTS: Final[Mapping[int, tuple[str, ...]]] = {1: ("u",), 2: ("u1", "u2")}


class _Writing:
    """A diagram that is made of statements."""

    def __init__(self, statements: tuple[Statement, ...], p: Parameters) -> None:
        self._flags = flags_of(statements)
        self._taken = {name for one in statements for name in (one.name, *names_in(one.tree))}
        self.blocks: dict[str, DrawnBlock] = {}
        self.wires: dict[str, str] = {}
        self._units = _units(p["units"])
        self._values = dict(zip(p["names"].split(), p["values"], strict=False))
        states = [one.name for one in statements if one.rate]
        self._starts = dict(zip(states, p["start"], strict=False))
        self._made: dict[str, str] = {}
        for one in states:
            start = self._starts.get(one, 0.0)
            self._made[one] = self._new("IntegralForward", ports=(), initial=start)
        for one in statements:
            source = self.tree(one.tree)
            if one.rate:
                self.wires[f"{self._made[one.name]}.u"] = f"{source}.y"
                continue
            self._made[one.name] = source
            self._add(one.name, "Out", self._face(one.name))
            self.wires[f"{one.name}.u"] = f"{source}.y"

    def diagram(self) -> Diagram:
        """Return the diagram of what was written."""
        return Diagram(self.blocks, self.wires)

    def _face(self, name: str) -> dict[str, Any]:
        return {"unit": self._units.get(name, "1")}

    def _add(self, name: str, kind: str, parameters: Mapping[str, Any]) -> str:
        self.blocks[name] = DrawnBlock(kind, parameters)
        return name

    def _new(self, kind: str, *sources: str, ports: tuple[str, ...] = (), **given: Any) -> str:
        name = f"{kind}_{len(self.blocks)}"
        while name in self._taken or name in self.blocks:
            name += "_"
        self._add(name, kind, given)
        for port, source in zip(ports or _PORTS.get(len(sources), ()), sources, strict=True):
            self.wires[f"{name}.{port}"] = f"{source}.y"
        return name

    def tree(self, node: SyntaxNode) -> str:
        """Return the blocks of a tree; the one whose output it is."""
        if node.what == "number":
            return self._new("Constant", value=node.value)
        if node.what == "name":
            return self._named(node.name)
        parts = [self.tree(one) for one in node.parts]
        if node.what in ("+", "-"):
            return self._new("Sum", *parts, signs=f"+{node.what}")
        if node.what == "^":
            return self._power(parts[0], node.value)
        if node.what == "if":
            return self._new("Switch", *parts, ports=("condition", "u1", "u2"))
        if node.what == "limit":
            return self._new("Maximum", self._new("Minimum", parts[0], parts[2]), parts[1])
        return self._new(KINDS_OF[node.what], *parts)

    def _power(self, base: str, exponent: float) -> str:
        if exponent < 0.0:
            return self._new("Reciprocal", self._power(base, -exponent))
        if exponent == 2.0:
            return self._new("Square", base)
        if exponent in range(1, PRODUCTS_MOST + 1):
            found = base
            for _ in range(int(exponent) - 1):
                found = self._new("Multiply", found, base)
            return found
        return self._new("Power", base, exponent=exponent)

    def _named(self, name: str) -> str:
        if name not in self._made:
            if name in self._values:
                given = {"value": self._values[name], **self._face(name)}
                self._made[name] = self._add(name, "Constant", given)
            elif name == TIME:
                self._made[name] = self._new("Clock")
            else:
                type_ = "boolean" if name in self._flags else "real"
                face = {"shape": (), "type": type_, **self._face(name)}
                self._made[name] = self._add(name, "In", face)
        return self._made[name]


def flags_of(statements: tuple[Statement, ...]) -> frozenset[str]:
    """Return the names that are true or false: conditions, and what is made of comparisons."""
    found = set[str]()

    def visit(node: SyntaxNode) -> None:
        wanted = node.parts if node.what in ("and", "or", "not") else node.parts[:1]
        if node.what in ("and", "or", "not", "if"):
            found.update(one.name for one in wanted if one.what == "name")
        for one in node.parts:
            visit(one)

    for one in statements:
        visit(one.tree)
    for one in statements:
        if _is_flag(one.tree, found):
            found.add(one.name)
    return frozenset(found)


def _is_flag(node: SyntaxNode, flags: set[str]) -> bool:
    if node.what == "if":
        return _is_flag(node.parts[1], flags)
    return node.what in BOOLEAN or node.name in flags


def inputs_of(statements: tuple[Statement, ...], p: Parameters) -> tuple[str, ...]:
    """Return the names that nothing in the text and no parameter gives."""
    own = {one.name for one in statements} | {*p["names"].split(), TIME}
    return tuple(sorted({name for one in statements for name in names_in(one.tree)} - own))


def _units(text: str) -> dict[str, str]:
    pairs = [one.split() for one in text.split(",") if one.strip()]
    return {one[0]: one[1] if len(one) > 1 else "" for one in pairs}


def _statements(p: Parameters) -> tuple[Statement, ...]:
    try:
        return parsed(p["text"])
    except GrammarError:
        return ()


def _ports(p: Parameters) -> Ports:
    statements = _statements(p)
    outputs = sorted(one.name for one in statements if not one.rate)
    flags, units = flags_of(statements), _units(p["units"])

    def port(name: str) -> PortKind:
        return PortKind(name, units.get(name, "1"), (), "boolean" if name in flags else "real")

    return Ports(tuple(map(port, inputs_of(statements, p))), tuple(map(port, outputs)))


def _pairs(p: Parameters) -> Pairs:
    """Return the feed-through by the inputs in an output's text, and those of outputs in it."""
    statements = _statements(p)
    inputs, seen = set(inputs_of(statements, p)), dict[str, set[str]]()
    for one in statements:
        if not one.rate:
            names = set(names_in(one.tree))
            through = (seen[name] for name in names & seen.keys())
            seen[one.name] = (names & inputs).union(*through)
    return frozenset((name, output) for output, names in seen.items() for name in names)


def _fault(p: Parameters) -> str:
    return next(_faults(p), "")


def _faults(p: Parameters) -> Iterator[str]:
    try:
        statements = parsed(p["text"])
    except GrammarError as error:
        yield f"text: {error}"
        return
    names, values = p["names"].split(), p["values"]
    if len(names) != len(values) and (names or values != (0.0,)):
        yield f"values: {len(values)} numbers; names has {len(names)}"
    given = [one.name for one in statements]
    inputs = inputs_of(statements, p)
    used = {name for one in statements for name in names_in(one.tree)}
    for name in (*names, *given, *inputs):
        if not NAME.fullmatch(name):
            yield f"{name[:40]!r}: a letter, then at most 63 letters, digits and _ make a name"
    twice = {name for name in (*names, *given) if (*names, *given).count(name) > 1}
    for name in sorted(twice):
        yield f"{name} is given twice"
    done = {one.name for one in statements if one.rate}
    for one in statements:
        for name in names_in(one.tree):
            if name in given and name not in done:
                yield f"{name} is used before it is given"
        if not one.rate:
            done.add(one.name)
    if len(inputs) > PORTS_MOST or len(given) > PORTS_MOST:
        yield f"{len(inputs)} inputs and {len(given)} statements: at most {PORTS_MOST} of each"
    for name in sorted(set(names) - used):
        yield f"names: nothing uses {name}{nearest(name, sorted(used))}"
    states = sum(one.rate for one in statements)
    if len(p["start"]) != states and p["start"] != (0.0,):
        yield f"start: {len(p['start'])} numbers; {states} states need as many"
    for name, text in _units(p["units"]).items():
        if name not in {*used, *given}:
            yield f"units: {name[:40]!r} is no name here{nearest(name, sorted({*used, *given}))}"
        try:
            unit(text)
        except UnitError as error:
            yield f"units: {name}: {error}"


@lru_cache(maxsize=512)
def _drawn(text: str, names: str, values: Any, start: Any, units: str) -> Diagram:
    given = {"text": text, "names": names, "values": values, "start": start, "units": units}
    return _Writing(parsed(text), given).diagram()


EXPRESSION: Final = BlockKind(
    name="Expression", group=GROUP, about="What a text says, made into blocks when it is loaded.",
    equation="y = …; x' = … is a state, x[k+1] = x[k] + H …; t is the time",
    ports=_ports, direct=_pairs, check=_fault,
    drawn=lambda p: _drawn(p["text"], p["names"], p["values"], p["start"], p["units"]),
    parameters=(
        ParameterKind("text", "text", high=CHARACTERS_MOST,
                      about="statements, ; between; names that nothing gives are inputs"),
        ParameterKind("names", "text", "", about="of its own parameters: k eps"),
        ParameterKind("values", "reals", (0.0,), about="of those, in order"),
        ParameterKind("start", "reals", (0.0,), about="of its states, in order"),
        ParameterKind("units", "text", "", high=CHARACTERS_MOST,
                      about="of names: k N*s, u1 m; those left out have 1"),
    ),
    example=Example(
        {"text": "y = k*(u1 - u2)/sqrt(u1^2 + eps)", "names": "k eps", "values": (2.0, 1e-9)},
        {"u1": 1.0, "u2": 0.5},
    ),
)  # fmt: skip
KINDS: Final = (EXPRESSION,)
