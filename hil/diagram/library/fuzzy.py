"""Fuzzy rules of Sugeno's form: sets and rules as text, made into blocks when it is loaded."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from hil.config.similar_names import nearest
from hil.diagram.file.model import NAME, Diagram, DrawnBlock
from hil.diagram.library.kind import BlockKind, Example, ParameterKind, Parameters, PortKind, Ports

TEXT_MOST: Final = 4000
SETS_MOST: Final = 64
RULES_MOST: Final = 64
LEAST: Final = 1e-12
"""A total weight below this is none."""
SIDES: Final = {"below": (1.0, 0.0), "above": (0.0, 1.0)}
_NUMBER: Final = r"[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?"
_TERM: Final = re.compile(rf"\s*+([-+]?)\s*(?:({_NUMBER})(?:\s+([A-Za-z_]\w*))?|([A-Za-z_]\w*))")


class RulesError(ValueError):
    """A text that is no set or rule; the message names the part, and what would be right."""


@dataclass(frozen=True, slots=True)
class FuzzySet:
    """Membership of a number in a word: straight lines between corners, held beyond them."""

    input: str
    word: str
    corners: tuple[float, ...]
    heights: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class FuzzyRule:
    """Conclusion that holds as far as all its sets do."""

    when: tuple[tuple[str, str], ...]
    """Input and word of each condition."""
    constant: float
    factors: tuple[tuple[str, float], ...]
    """Factors of inputs, added to the constant."""


@lru_cache(maxsize=256)
def sets_of(text: str) -> tuple[FuzzySet, ...]:
    """Return the sets of a text such as ``error low: below -1 0; error zero: -1 0 1``.

    Raises:
        RulesError: If a part of it is none.
    """
    return tuple(_set(part.strip()) for part in text.split(";") if part.strip())


def _set(part: str) -> FuzzySet:
    name, colon, rest = part.partition(":")
    words, given = name.split(), rest.split()
    side = SIDES.get(given[0]) if given else None
    try:
        corners = tuple(float(one) for one in (given if side is None else given[1:]))
    except ValueError:
        corners = ()
    heights = side or {3: (0.0, 1.0, 0.0), 4: (0.0, 1.0, 1.0, 0.0)}.get(len(corners), ())
    rising = all(a < b and b - a < math.inf for a, b in itertools.pairwise(corners))
    if not colon or len(words) != 2 or not heights or len(corners) != len(heights) or not rising:
        raise RulesError(
            f"{part[:60]!r}: write it as input word: a b c (rising to b), a b c d, below a b or "
            "above a b, with a < b < c < d"
        )
    return FuzzySet(words[0], words[1], corners, heights)


@lru_cache(maxsize=256)
def rules_of(text: str) -> tuple[FuzzyRule, ...]:
    """Return the rules of a text such as ``error low and rate high -> 2 - 0.5 error``.

    Raises:
        RulesError: If a part of it is none.
    """
    return tuple(_rule(part.strip()) for part in text.split(";") if part.strip())


def _rule(part: str) -> FuzzyRule:
    before, arrow, after = part.partition("->")
    pairs = [one.split() for one in re.split(r"\band\b", before)]
    terms, at, constant, factors = after.strip(), 0, 0.0, dict[str, float]()
    while at < len(terms):
        found = _TERM.match(terms, at)
        if found is None or (at > 0 and not found[1]):
            break
        sign = -1.0 if found[1] == "-" else 1.0
        number = sign * float(found[2] or 1.0)
        if name := found[3] or found[4]:
            factors[name] = factors.get(name, 0.0) + number
        else:
            constant += number
        at = found.end()
    finite = all(map(math.isfinite, (constant, *factors.values())))
    whole = terms and at == len(terms) and finite
    if not arrow or any(len(one) != 2 for one in pairs) or not whole:
        raise RulesError(f"{part[:60]!r}: write it as input word and input word -> 2 - 0.5 input")
    when = tuple((one[0], one[1]) for one in pairs)
    return FuzzyRule(when, constant, tuple(factors.items()))


def _known(p: Parameters) -> tuple[tuple[FuzzySet, ...], tuple[FuzzyRule, ...]]:
    try:
        return sets_of(p["sets"]), rules_of(p["rules"])
    except RulesError:
        return (), ()


def _ports(p: Parameters) -> Ports:
    names = sorted({one.input for one in _known(p)[0]})
    inputs = tuple(PortKind(name, "1", ()) for name in names)
    return Ports(inputs, (PortKind("y", "1", ()), PortKind("weight", "1", ())))


def _fault(p: Parameters) -> str:
    return next(_faults(p), "")


def _faults(p: Parameters) -> Iterator[str]:
    try:
        sets, rules = sets_of(p["sets"]), rules_of(p["rules"])
    except RulesError as error:
        yield str(error)
        return
    if not 1 <= len(sets) <= SETS_MOST or not 1 <= len(rules) <= RULES_MOST:
        yield f"{len(sets)} sets and {len(rules)} rules: 1 to {SETS_MOST} of each are needed"
    names, words = {one.input for one in sets}, [(one.input, one.word) for one in sets]
    for name in sorted(names):
        if not NAME.fullmatch(name):
            yield f"sets: {name[:40]!r}: a letter, then at most 63 letters, digits and _"
    for pair in sorted(set(words)):
        if words.count(pair) > 1:
            yield f"sets: {' '.join(pair)} stands there twice"
    for rule in rules:
        for pair in rule.when:
            if pair not in words:
                known = [" ".join(one) for one in words]
                yield f"rules: no set {' '.join(pair)[:60]!r}{nearest(' '.join(pair), known)}"
        for name, _ in rule.factors:
            if name not in names:
                yield f"rules: no input {name[:60]!r}{nearest(name, names)}"
    unused = names - {name for one in rules for name, _ in (*one.when, *one.factors)}
    for name in sorted(unused):
        yield f"sets: no rule uses {name}"


class _Writing:
    def __init__(self) -> None:
        self.blocks: dict[str, DrawnBlock] = {}
        self.wires: dict[str, str] = {}

    def new(self, kind: str, *sources: str, ports: tuple[str, ...] = (), **given: Any) -> str:
        name = f"{kind}_{len(self.blocks)}_"
        self.blocks[name] = DrawnBlock(kind, given)
        usual = ("u",) if len(sources) == 1 else tuple(f"u{n}" for n in range(1, len(sources) + 1))
        for port, source in zip(ports or usual, sources, strict=True):
            self.wires[f"{name}.{port}"] = f"{source}.y"
        return name

    def total(self, sources: list[str]) -> str:
        """Return the sum of some outputs."""
        return sources[0] if len(sources) == 1 else self.new(
            "Sum", *sources, signs="+" * len(sources)
        )  # fmt: skip

    def face(self, name: str, kind: str, source: str = "") -> None:
        self.blocks[name] = DrawnBlock(kind, {"shape": ()} if kind == "In" else {})
        if source:
            self.wires[f"{name}.u"] = f"{source}.y"


@lru_cache(maxsize=256)
def _drawn(sets_text: str, rules_text: str, otherwise: float) -> Diagram:
    made, sets, rules = _Writing(), sets_of(sets_text), rules_of(rules_text)
    for name in sorted({one.input for one in sets}):
        made.face(name, "In")
    holds = {
        (one.input, one.word): made.new("Lookup1", one.input, x=one.corners, y=one.heights)
        for one in sets
    }
    weights, parts = [], []
    for rule in rules:
        weight = holds[rule.when[0]]
        for pair in rule.when[1:]:
            weight = made.new("Multiply", weight, holds[pair])
        terms = [made.new("Constant", value=rule.constant)]
        terms += [made.new("Gain", name, k=factor) for name, factor in rule.factors]
        weights.append(weight)
        parts.append(made.new("Multiply", weight, made.total(terms)))
    weight, least = made.total(weights), made.new("Constant", value=LEAST)
    mean = made.new("Divide", made.total(parts), made.new("Maximum", weight, least))
    none = made.new("Less", weight, least)
    other = made.new("Constant", value=otherwise)
    chosen = made.new("Switch", none, other, mean, ports=("condition", "u1", "u2"))
    made.face("y", "Out", chosen)
    made.face("weight", "Out", weight)
    return Diagram(made.blocks, made.wires)


KINDS: Final = (
    BlockKind(
        name="Sugeno", group="fuzzy", about="Fuzzy rules, each with a number or a line that "
        "follows (Takagi, Sugeno 1985).",
        equation="y = sum of w_i z_i / sum of w_i, w_i the product of how much each set of rule i "
        "holds, z_i what follows; `otherwise` where no rule holds",
        ports=_ports, check=_fault,
        drawn=lambda p: _drawn(p["sets"], p["rules"], p["otherwise"]),
        parameters=(
            ParameterKind("sets", "text", high=TEXT_MOST,
                          about="error low: below -1 0; error zero: -1 0 1; error high: above 0 1"),
            ParameterKind("rules", "text", high=TEXT_MOST,
                          about="error low and rate high -> 2; error zero -> 1 - 0.5 error"),
            ParameterKind("otherwise", default=0.0),
        ),
        example=Example(
            {"sets": "error low: below -1 0; error zero: -1 0 1; error high: above 0 1",
             "rules": "error low -> -2; error zero -> 0.5 error; error high -> 2"},
            {"error": 0.3},
        ),
    ),
)  # fmt: skip
