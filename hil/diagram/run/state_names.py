"""Names of the states behind a number that a diagram shows: those of the machine that gives it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from hil.diagram.file.model import Diagram, DiagramFile

HOPS_MOST: Final = 20
"""Most blocks between the number and the state machine."""
PASSING: Final = frozenset({"IntegerToReal", "Gain", "UnitDelay", "RateTransition"})
"""Kinds of blocks through which a state is followed."""


def state_names(file: DiagramFile, path: str) -> tuple[str, ...]:
    """Names of the states in the order of their numbers, from 1 on.

    Args:
        path: path of the block whose input `u` gets the number.

    Returns:
        Names; none if no state machine gives the number.
    """
    diagram: Diagram = file.top
    around: list[tuple[Diagram, str]] = []
    *subs, block_name = path.split("/")
    for one in subs:
        holder = diagram.blocks.get(one)
        inner = None if holder is None else file.sub(holder.of)
        if inner is None:
            return ()
        around.append((diagram, one))
        diagram = inner
    port = f"{block_name}.u"
    for _ in range(HOPS_MOST):
        source = diagram.wires.get(port, "")
        name, _, out = source.partition(".")
        block = diagram.blocks.get(name)
        if block is None:
            return ()
        if block.kind == "StateMachine" and out == "state":
            return tuple(str(block.parameters.get("names", "")).split())
        if block.kind == "In" and around:
            diagram, bearer = around.pop()
            port = f"{bearer}.{name}"
        elif block.kind == "sub" and (inner := file.sub(block.of)) is not None:
            around.append((diagram, name))
            diagram, port = inner, f"{out}.u"
        elif block.kind in PASSING:
            port = f"{name}.u"
        else:
            return ()
    return ()
