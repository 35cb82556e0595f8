"""The kinds of blocks that there are, by name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from hil.config.offers import Offer
from hil.diagram.library.kind import BlockKind


@cache
def kinds() -> Mapping[str, BlockKind]:
    """Return every kind by its name, in order of groups; then those of other distributions."""
    own = own_kinds()
    return MappingProxyType({**own, **{one.name: one.value for one in offered() if not one.broken}})


@cache
def offered() -> tuple[Offer, ...]:
    """Return the kinds of other distributions; unusable ones have the reason."""
    from hil.diagram.library.foreign_blocks import installed_blocks

    return installed_blocks(own_kinds())


@cache
def own_kinds() -> Mapping[str, BlockKind]:
    """Return the bench's own kinds."""
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
        navigation,
        nonlinear,
        poses,
        routing,
        sources,
        state_machine,
        trigonometry,
        vectors,
    )
    from hil.diagram.library import operator_blocks as operating

    groups = (
        sources, files, arithmetic, trigonometry, logic, digital, nonlinear, dynamic, linear,
        routing, vectors, poses, kinematics, navigation, expression, fuzzy, state_machine,
        operating, models,
    )  # fmt: skip
    return MappingProxyType({kind.name: kind for group in groups for kind in group.KINDS})


@cache
def faces() -> Mapping[str, BlockKind]:
    """List kinds that are wires alone: `In` and `Out`, the ends of a face, and buses."""
    from hil.diagram.library import routing

    return MappingProxyType({kind.name: kind for kind in routing.FACES})


@cache
def hidden() -> Mapping[str, BlockKind]:
    """Return the kinds that nobody draws: what enabled and triggered diagrams are made of."""
    from hil.diagram.library import routing

    return MappingProxyType({kind.name: kind for kind in routing.HIDDEN})
