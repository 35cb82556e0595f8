"""Problems of a diagram that is being edited, block by block and wire by wire.

The words are those of `hil diagram check`: the same checks, on the version that is edited.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hil.config.errors import RefusedError
from hil.diagram.check.review import Review, review
from hil.diagram.check.types import ANY, find_types
from hil.diagram.file.model import DiagramFile
from hil.diagram.file.units import UnitError, unit
from hil.panel.diagram.models.edits import Connect
from hil.panel.diagram.models.names import instances, reached, uses


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong."""

    where: str
    """Name of the sub-diagram in which it is; empty for the top."""
    section: str
    """``block``, ``wire``, another of the file, or empty if it is of no line."""
    key: str
    """Name of the block, or destination of the wire."""
    words: str


@dataclass(frozen=True, slots=True)
class Faults:
    """Everything that is wrong, by what it is shown at."""

    all: tuple[Fault, ...] = ()
    blocks: Mapping[tuple[str, str], tuple[Fault, ...]] = field(default_factory=dict)
    """Name of the sub-diagram and of the block → its faults."""
    wires: Mapping[tuple[str, str], tuple[Fault, ...]] = field(default_factory=dict)
    """Name of the sub-diagram and destination → its faults."""

    def count(self, where: str) -> int:
        """Faults of one diagram of the file."""
        return sum(one.where == where for one in self.all)


def faults_of(file: DiagramFile) -> Faults:
    """Everything that is wrong with a version."""
    found = tuple(dict.fromkeys(fault for one, of in _reviews(file) for fault in _faults(one, of)))
    by: dict[str, dict[tuple[str, str], tuple[Fault, ...]]] = {"block": {}, "wire": {}}
    for fault in found:
        if fault.section in by:
            place = fault.where, fault.key
            by[fault.section][place] = (*by[fault.section].get(place, ()), fault)
    return Faults(found, by["block"], by["wire"])


def _reviews(file: DiagramFile, newest: Connect | None = None) -> Iterator[tuple[Review, str]]:
    """Reviews of the whole, and of each sub-diagram that is nowhere in it, alone."""
    tops = [""]
    left = set(file.subs) - reached(file, uses(file.top))
    for name in sorted(left, key=lambda one: (len(list(instances(file, one))), one)):
        if name in left:
            tops.append(name)
            left -= reached(file, [name])
    for name in tops:
        top = file.subs[name] if name else file.top
        spot = None
        if newest is not None:
            own = newest.where == name
            spot = ("wire" if own else f"sub.{newest.where}.wire", newest.target)
        yield review(replace(file, top=top), spot), name


def _faults(found: Review, top: str) -> Iterator[Fault]:
    for one in found.faults:
        where, section = top, one.section
        if section.startswith("sub."):
            _, where, section = section.split(".", 2)
        yield Fault(where, section, one.key, str(one))


def connected(file: DiagramFile, wire: Connect) -> DiagramFile:
    """The file with a new wire.

    Raises:
        RefusedError: With the reason: what the diagram's checks say of it, and of no other.
    """
    tried = wire.on(file)
    before = {one.words for one in faults_of(file).all}
    for found, top in _reviews(tried, wire):
        for fault in _faults(found, top):
            if fault.words not in before:
                raise RefusedError(fault.words)
    return tried


def port_parameters(file: DiagramFile, where: str) -> Callable[[str], dict[str, Any]]:
    """Parameters of an `In` or `Out` that carries the same as an output, for each output.

    What is not sure is left out: the wires say it then.

    Args:
        where: Name of the sub-diagram; empty for the top.
    """
    diagram = file.subs[where] if where else file.top
    known = [
        (find_types(one.flat, []), prefix)
        for one, top in _reviews(file)
        if one.flat is not None
        for prefix in _paths(file, top, where)
    ]
    sized = any(type(one.value) is int for one in diagram.parameters.values())
    text = any(isinstance(one.value, str) for one in diagram.parameters.values())

    def of(source: str) -> dict[str, Any]:
        name, _, port = source.partition(".")
        end = (f"{name}/{port}", "y") if diagram.blocks[name].of else (name, port)
        found = {types.get((prefix + end[0], end[1])) for types, prefix in known}
        type_ = found.pop() if len(found) == 1 else None
        if type_ is None:
            return {}
        parameters: dict[str, Any] = {"type": type_.type}
        if not sized:
            parameters["shape"] = type_.shape
        if not text and type_.frame:
            parameters["frame"] = type_.frame
        if not text and type_.unit != ANY and _is_unit(type_.unit):
            parameters["unit"] = type_.unit
        return parameters

    return of


def _is_unit(text: str) -> bool:
    try:
        unit(text)
    except UnitError:
        return False
    return True


def _paths(file: DiagramFile, top: str, where: str, prefix: str = "") -> Iterator[str]:
    """Beginnings of the paths of a sub-diagram's blocks, below a top."""
    if top == where:
        yield prefix
        return
    diagram = file.sub(top) if top else file.top
    for name, block in (diagram.blocks if diagram else {}).items():
        if block.of and prefix.count("/") < 20:
            yield from _paths(file, block.of, where, f"{prefix}{name}/")
