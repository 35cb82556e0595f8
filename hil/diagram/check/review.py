"""A diagram that is being drawn: everything that is wrong with it, each fault at its line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from hil.config.errors import ConfigError
from hil.diagram.check.flat import FlatDiagram, FlatWire
from hil.diagram.check.flatten import flatten_what_can_be
from hil.diagram.check.order import sort
from hil.diagram.check.types import rate_problems, type_problems
from hil.diagram.file.lines import Placed, SourceLines
from hil.diagram.file.model import DiagramFile

Spot = tuple[str, str]
"""Section of the file, such as ``sub.Law.wire``, and key in it."""


@dataclass(frozen=True, slots=True, eq=False)
class Review:
    """Findings of a review; unlike with `check`, an unfinished part hides nothing behind it."""

    faults: tuple[Placed, ...]
    """Faults without line numbers: the file may not have been written yet."""
    flat: FlatDiagram | None
    """Sound part of the diagram; None if it is too large."""


def review(file: DiagramFile, newest: Spot | None = None) -> Review:
    """Find all faults of a diagram.

    Args:
        newest: Section and key of a wire that is blamed, and no other, where it contradicts one.
    """
    try:
        flat, problems = flatten_what_can_be(file, None, SourceLines(file.path, []))
    except ConfigError as error:
        return Review(tuple(map(Placed, error.problems)), None)
    flat = replace(flat, wires=tuple(_whole(flat)))
    wires = sorted(flat.wires, key=lambda wire: (wire.section, wire.key) == newest)
    problems += type_problems(flat, wires) + rate_problems(flat)
    faults = [one if isinstance(one, Placed) else Placed(one) for one in problems]
    _, loop = sort(flat)
    if loop is not None:
        faults += [Placed(loop.words, *spot_of(file, path)) for path in loop.path[:-1]]
    return Review(tuple(faults), flat)


def _whole(flat: FlatDiagram) -> Iterator[FlatWire]:
    """Yield the wires both ends of which are there."""
    for wire in flat.wires:
        if all(
            path in flat.blocks or path in flat.faces for path in (wire.target[0], wire.source[0])
        ):
            yield wire


def spot_of(file: DiagramFile, path: str) -> Spot:
    """Return the place where the block of a path is drawn: the innermost one in this file."""
    diagram, place, spot = file.top, "", ("", "")
    for part in path.split("/"):
        name = part.partition("@")[0]
        if name not in diagram.blocks:
            break
        spot = f"{place}block", name
        of = diagram.blocks[name].of
        if of not in file.subs:
            break
        diagram, place = file.subs[of], f"sub.{of}."
    return spot
