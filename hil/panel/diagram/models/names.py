"""Names and places in a diagram that is being edited, and what may not be."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from hil.config.errors import RefusedError
from hil.config.similar_names import nearest
from hil.diagram.file.model import NAME, NAME_WORDS, Diagram, DiagramFile, DrawnBlock
from hil.diagram.file.read import PLACE_MOST

NAME_MOST: Final = 64
HUMPS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]*|[a-z0-9]+")
"""Words of a name such as `RateTransition`."""
Place = tuple[int, int]


def diagram_at(file: DiagramFile, where: str) -> Diagram:
    """The top, or a sub-diagram of this file.

    Raises:
        RefusedError: If there is none that could be edited.
    """
    if not where:
        return file.top
    if where in file.subs:
        return file.subs[where]
    if where in file.foreign:
        raise RefusedError(f"{where}: it stands in a library; edit the library's file")
    raise RefusedError(f"{where[:80]!r}: no such sub-diagram{nearest(where, file.subs)}")


def with_diagram(file: DiagramFile, where: str, diagram: Diagram) -> DiagramFile:
    """The file with another top or sub-diagram."""
    if not where:
        return replace(file, top=diagram)
    return replace(file, subs={**file.subs, where: diagram})


def block_at(diagram: Diagram, name: str) -> DrawnBlock:
    """The block of a name.

    Raises:
        RefusedError: If there is none.
    """
    if name not in diagram.blocks:
        raise RefusedError(f"no block {name[:80]!r}{nearest(name, diagram.blocks)}")
    return diagram.blocks[name]


def check_new_name(name: str, taken: Collection[str], what: str = "block") -> None:
    """Refuse what is no name, or is taken.

    Raises:
        RefusedError: With what would be right.
    """
    if not NAME.fullmatch(name):
        raise RefusedError(f"{what} {name[:80]!r}: {NAME_WORDS} make a name")
    if name in taken:
        raise RefusedError(f"{name}: there is a {what} of this name already")


def free_name(wanted: str, taken: Collection[str]) -> str:
    """A name that is not taken: the wanted one, or that with a number."""
    if wanted not in taken:
        return wanted
    stem = wanted.rstrip("0123456789").rstrip("_") if wanted[-1].isdigit() else wanted
    for number in range(2, len(taken) + 3):
        name = f"{stem[: NAME_MOST - 7]}_{number}"
        if name not in taken:
            return name
    raise AssertionError("more names than are taken")  # pragma: no cover


def name_after(kind: str, taken: Collection[str]) -> str:
    """A free name for a block of a kind or sub-diagram: ``unit_delay`` for `UnitDelay`."""
    return free_name("_".join(HUMPS.findall(kind)).lower()[:NAME_MOST] or "block", taken)


def check_place(at: Place) -> Place:
    """Refuse a place that no file may have.

    Raises:
        RefusedError: With the limit.
    """
    if any(abs(one) > PLACE_MOST for one in at):
        raise RefusedError(f"{at}: places go from {-PLACE_MOST} to {PLACE_MOST}")
    return at


def ends(wire: tuple[str, str]) -> tuple[str, str]:
    """Names of the blocks that a wire goes into and comes from."""
    return wire[0].partition(".")[0], wire[1].partition(".")[0]


def uses(diagram: Diagram) -> set[str]:
    """Names of the sub-diagrams in a diagram."""
    return {block.of for block in diagram.blocks.values() if block.of}


def reached(file: DiagramFile, start: Collection[str]) -> set[str]:
    """Names of sub-diagrams with all those within them."""
    found: set[str] = set()
    waiting = list(start)
    while waiting:
        name = waiting.pop()
        diagram = file.sub(name)
        if name not in found and diagram is not None:
            found.add(name)
            waiting += uses(diagram)
    return found


def check_not_within(file: DiagramFile, of: Collection[str], where: str) -> None:
    """Refuse a sub-diagram within itself.

    Raises:
        RefusedError: With its name.
    """
    if where and where in reached(file, of):
        raise RefusedError(f"{where}: a sub-diagram cannot stand within itself")


def instances(file: DiagramFile, of: str) -> Iterator[tuple[str, str]]:
    """Every use of a sub-diagram: the diagram around (empty for the top) and the block."""
    for where, diagram in file.own():
        for name, block in diagram.blocks.items():
            if block.of == of:
                yield where, name


def dollars(value: Any) -> Iterator[str]:
    """Names of the parameters of the diagram around that a value takes."""
    if isinstance(value, str) and value.startswith("$"):
        yield value[1:]
    elif isinstance(value, tuple):
        for one in value:
            yield from dollars(one)


def replaced(value: Any, given: Mapping[str, Any]) -> Any:
    """A value with ``$name`` replaced where it is given."""
    if isinstance(value, str) and value.startswith("$"):
        return given.get(value[1:], value)
    return tuple(replaced(one, given) for one in value) if isinstance(value, tuple) else value
