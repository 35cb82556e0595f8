"""The kinds of blocks that there are, by name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from hil.config.offers import Offer
from hil.diagram.kind import BlockKind

IN: Final = "In"
OUT: Final = "Out"
BUS_IN: Final = "BusIn"
BUS_OUT: Final = "BusOut"
FILE: Final = "File"
"""Kind of a block that reads a table."""
FMU: Final = "FMU"
"""Kind of a block that is a model of others."""
SUB: Final = "sub"
"""What a block's kind is called that stands for a sub-diagram."""


@cache
def kinds() -> Mapping[str, BlockKind]:
    """Every kind by its name, in order of groups; then those of other distributions."""
    own = own_kinds()
    return MappingProxyType({**own, **{one.name: one.value for one in offered() if not one.broken}})


@cache
def offered() -> tuple[Offer, ...]:
    """Kinds of other distributions; those that cannot be used say why."""
    from hil.diagram.offered import blocks_offered

    return blocks_offered(own_kinds())


@cache
def own_kinds() -> Mapping[str, BlockKind]:
    """The bench's own kinds."""
    from hil.diagram.library import (
        arithmetic,
        digital,
        dynamic,
        expression,
        files,
        fuzzy,
        kinematics,
        linear,
        logic,
        models,
        nonlinear,
        operating,
        poses,
        routing,
        sources,
        state_machine,
        trigonometry,
        vectors,
    )  # fmt: skip

    groups = (
        sources, files, arithmetic, trigonometry, logic, digital, nonlinear, dynamic, linear,
        routing, vectors, poses, kinematics, expression, fuzzy, state_machine, operating,
        models,
    )  # fmt: skip
    return MappingProxyType({kind.name: kind for group in groups for kind in group.KINDS})


@cache
def faces() -> Mapping[str, BlockKind]:
    """Kinds that are wires alone: `In` and `Out`, of which a diagram's face is made, and buses."""
    from hil.diagram.library import routing

    return MappingProxyType({kind.name: kind for kind in routing.FACES})


@cache
def hidden() -> Mapping[str, BlockKind]:
    """Kinds that nobody draws: what enabled and triggered diagrams are made of."""
    from hil.diagram.library import routing

    return MappingProxyType({kind.name: kind for kind in routing.HIDDEN})


NAMES_MOST: Final = 300
"""Of more names only so many are compared: those of the same first letter before others."""


def nearest(name: str, known: Iterable[str]) -> str:
    """Words that offer the names most like one; empty if none is."""
    lower = {one.lower(): one for one in known if len(one) <= 200}
    if len(lower) > NAMES_MOST:
        first = name[:1].lower()
        likely = sorted(lower, key=lambda one: one[:1] != first)[:NAMES_MOST]
        lower = {one: lower[one] for one in likely}
    close = difflib.get_close_matches(name[:80].lower(), lower, n=3, cutoff=0.5)
    return f"; did you mean {' or '.join(lower[one] for one in close)}?" if close else ""
