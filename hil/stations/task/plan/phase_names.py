"""Names of a diagram's phases: those of the state machine that its output `phase` shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from hil.diagram.file.model import Diagram, DiagramFile

HOPS_MOST: Final = 20
"""Most blocks between the output and the state machine."""
PASSING: Final = frozenset({"IntegerToReal", "Gain", "UnitDelay", "RateTransition"})
"""Kinds of blocks through which a state is followed."""


def phase_names(file: DiagramFile) -> tuple[str, ...]:
    """Names of the phases in the order of their numbers, from 1 on.

    Empty if no state machine gives them.
    """
    diagram: Diagram = file.top
    port = "phase.u"
    around: list[tuple[Diagram, str]] = []
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
