"""State machines: states by name, guarded transitions, at most one of them in a tick."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from hil.config.similar_names import nearest
from hil.diagram.file.model import NAME
from hil.diagram.library.kind import (
    BlockKind,
    BlockSetting,
    Example,
    ParameterKind,
    Parameters,
    PortKind,
    Ports,
)

STATES_MOST: Final = 64
TRANSITIONS_MOST: Final = 256
TEXT_MOST: Final = 4000
ANY_STATE: Final = "*"
_TRANSITION: Final = re.compile(
    r"\s*(?P<source>\*|\w+)\s*->\s*(?P<target>\w+)\s*:\s*(?P<guard>\w++)\s*+(?P<priority>\d++)?\s*+"
)


@dataclass(frozen=True, slots=True)
class Transition:
    """Transition from a state to another while a guard is true."""

    source: str
    """`*` for any."""
    target: str
    guard: str
    """Name of a boolean input."""
    priority: int
    """The lowest of those whose guards are true is taken; of equal ones the first written."""


@lru_cache(maxsize=256)
def transitions(text: str) -> tuple[Transition, ...]:
    """Return the transitions of a text, in the order in which they are tried.

    Raises:
        ValueError: if a part of it is none; its words say which.
    """
    found: list[Transition] = []
    for part in text.split(";"):
        if not part.strip():
            continue
        match = _TRANSITION.fullmatch(part)
        if match is None:
            raise ValueError(f"{part.strip()[:60]!r}: write it as from -> to: guard, or guard 2")
        source, target, guard, priority = match.groups()
        found.append(Transition(source, target, guard, int(priority or 0)))
    return tuple(sorted(found, key=lambda one: one.priority))


def _known(p: Parameters) -> tuple[Transition, ...]:
    try:
        return transitions(p["transitions"])
    except ValueError:
        return ()


def guards(p: Parameters) -> tuple[str, ...]:
    """Return the names of the inputs."""
    return tuple(sorted({one.guard for one in _known(p)}))


def _ports(p: Parameters) -> Ports:
    inputs = (PortKind(name, "1", (), "boolean") for name in guards(p))
    numbers = (PortKind(name, "1", ()) for name in p["gives"].split())
    whole = (PortKind(name, "1", (), "integer") for name in ("state", "ticks"))
    return Ports(tuple(inputs), (*numbers, *whole))


def _fault(p: Parameters) -> str:
    return next(_faults(p), "")


def _faults(p: Parameters) -> Iterator[str]:
    names, gives = p["names"].split(), p["gives"].split()
    try:
        found = transitions(p["transitions"])
    except ValueError as error:
        yield f"transitions: {error}"
        return
    if not 1 <= len(names) <= STATES_MOST or len(found) > TRANSITIONS_MOST:
        yield (
            f"{len(names)} names and {len(found)} transitions: 1 to {STATES_MOST} names and at "
            f"most {TRANSITIONS_MOST} transitions"
        )
    for name in (*names, *gives, *guards(p)):
        if not NAME.fullmatch(name):
            yield f"{name[:60]!r}: a letter, then at most 63 letters, digits and _ make a name"
    for name in sorted({*names}) if len({*names}) < len(names) else ():
        if names.count(name) > 1:
            yield f"names: {name} stands there twice"
    if len({*gives, "state", "ticks"}) < len(gives) + 2:
        yield "gives: each name once, and neither state nor ticks"
    for one in found:
        for state in (one.source, one.target):
            if state not in names and state != ANY_STATE:
                yield f"transitions: no state {state[:60]!r}{nearest(state, names)}"
    rows = p["values"]
    if gives and (len(rows) != len(names) or any(len(row) != len(gives) for row in rows)):
        yield f"values: {len(names)} rows of {len(gives)} numbers each are needed, a row per state"


def _numbers(p: Parameters, _: BlockSetting) -> list[float]:
    """Count transitions, outputs, guards; from, to and guard of each; rows of outputs."""
    names, inputs = p["names"].split(), guards(p)
    found = _known(p)
    listed = [
        float(number)
        for one in found
        for number in (
            -1 if one.source == ANY_STATE else names.index(one.source),
            names.index(one.target), inputs.index(one.guard),
        )
    ]  # fmt: skip
    count = len(p["gives"].split())
    values = [number for row in p["values"] for number in row] if count else []
    return [float(len(found)), float(count), *listed, *values]


KINDS: Final = (
    BlockKind(
        name="StateMachine", group="state machine",
        about="States by name, guarded transitions, numbers that each state gives.",
        equation="of the transitions from the state whose guards are true the one of the lowest "
        "priority is taken; outputs are those of the state after it",
        ports=_ports, check=_fault, numbers=_numbers, states=lambda p, _: 2,
        parameters=(
            ParameterKind("names", "text", high=TEXT_MOST, about="of the states, the first one the "
                          "beginning: idle run"),
            ParameterKind("transitions", "text", high=TEXT_MOST,
                          about="idle -> run: go; * -> idle: halt 2; a number is a priority, 0 if "
                          "left out"),
            ParameterKind("gives", "text", "", about="names of outputs: speed lamp"),
            ParameterKind("values", "matrix", ((0.0,),), about="of outputs, a row for each state"),
        ),
        example=Example(
            {"names": "idle run", "transitions": "idle -> run: go; run -> idle: halt",
             "gives": "speed", "values": ((0.0,), (1.5,))},
            {"go": True, "halt": False},
        ),
    ),
)  # fmt: skip
