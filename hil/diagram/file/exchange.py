"""Sub-diagrams of a file exchanged for the whole diagrams of other files.

A law that leaves a part of it open, such as the drive of a robot, has a sub-diagram in its place;
a scenario names the file whose diagram is computed instead. It has the ports of that sub-diagram.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from hil.config.errors import ConfigError
from hil.config.similar_names import nearest
from hil.diagram.file.model import SUB, Diagram, DiagramFile

WHOLE_TICKS: Final = 1e-9
"""Greatest difference of two periods that count as equal, as a share."""


def exchange_subdiagrams(file: DiagramFile, others: Mapping[str, DiagramFile]) -> DiagramFile:
    """Return a file in which other diagrams take the places of sub-diagrams.

    Args:
        others: name of a sub-diagram of the file → the file whose diagram takes its place. Its own
            sub-diagrams are added under their names with that name and ``_`` before them.

    Raises:
        ConfigError: with each name that the file lacks, and each port that a diagram lacks.
    """
    problems = [problem for name, other in others.items() for problem in _faults(file, name, other)]
    if problems:
        raise ConfigError(str(file.path), problems)
    subs = dict(file.subs_in_use())
    for name, other in others.items():
        own = {inner: f"{name}_{inner}" for inner in other.subs_in_use()}
        top = _renamed(other.top, own)
        unused = {port: subs[name].blocks[port] for port in _ports(subs[name], "In")}
        subs[name] = replace(top, blocks={**unused, **top.blocks})
        subs |= {own[inner]: _renamed(one, own) for inner, one in other.subs_in_use().items()}
    return replace(file, subs=subs, foreign={}, libraries=())


def _faults(file: DiagramFile, name: str, other: DiagramFile) -> Iterator[str]:
    """Reasons why a diagram cannot take the place of a sub-diagram."""
    known = file.subs_in_use()
    if name not in known:
        there = ", ".join(sorted(known)) or "none"
        hint = nearest(name, known)
        yield f"library.{name}: no sub-diagram of this name{hint}; there are: {there}"
        return
    place = f"library.{name} = {other.path}"
    for rate in sorted(_rates(file, name)):
        if abs(other.base_s - rate * file.base_s) > WHOLE_TICKS * other.base_s:
            wanted_s = rate * file.base_s
            text = f"{name} is computed every {wanted_s:g} s: its base_s must be that"
            yield f"{place}: base_s = {other.base_s:g} s, and {text}"
    for port in sorted(_ports(known[name], "Out") - _ports(other.top, "Out")):
        yield f"{place}: it lacks the output {port}: a block Out of this name is needed"
    for port in sorted(_ports(other.top, "In") - _ports(known[name], "In")):
        yield f"{place}: its input {port} is none of {name}, so nothing feeds it"
    own = {f"{name}_{inner}" for inner in other.subs_in_use()}
    for inner in sorted(own & known.keys()):
        yield f"{place}: {file.path.name} has a sub-diagram {inner} already: rename it there"


def _rates(file: DiagramFile, name: str) -> set[int]:
    """Ticks of the file from one tick of a sub-diagram to the next, of each block that is one."""
    drawn = (file.top, *file.subs_in_use().values())
    return {block.rate for one in drawn for block in one.blocks.values() if block.of == name}


def _ports(diagram: Diagram, kind: str) -> set[str]:
    """Names of the inputs or outputs of a diagram."""
    return {name for name, one in diagram.blocks.items() if one.kind == kind}


def _renamed(diagram: Diagram, names: Mapping[str, str]) -> Diagram:
    """Return a diagram whose blocks are of sub-diagrams with other names."""
    blocks = {
        name: replace(one, of=names[one.of]) if one.kind == SUB and one.of in names else one
        for name, one in diagram.blocks.items()
    }
    return replace(diagram, blocks=blocks)
