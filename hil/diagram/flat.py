"""A diagram without sub-diagrams, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from hil.diagram.kind import BlockKind, Parameters, Ports
from hil.diagram.lines import SourceLines
from hil.diagram.registry import IN, OUT

Endpoint = tuple[str, str]
"""Path of a block, and the name of one of its ports."""


@dataclass(frozen=True, slots=True, eq=False)
class FlatBlock:
    """A block of no sub-diagram, with everything that says what it computes."""

    path: str
    kind: BlockKind
    parameters: Parameters
    ports: Ports
    rate: int
    """Base ticks from one of its ticks to the next."""
    offset: int
    """Its first base tick."""
    enable: Endpoint | None = None
    """The output that must be true for it to run; None if it always does."""


@dataclass(frozen=True, slots=True)
class FlatWire:
    """A wire as it is drawn, between blocks and faces."""

    target: Endpoint
    source: Endpoint
    words: str
    """As the file has it, with the place of the sub-diagram before it."""
    section: str = ""
    """Of the file, where it stands; empty for what nobody drew."""
    key: str = ""
    """Likewise."""


@dataclass(frozen=True, eq=False)
class FlatDiagram:
    """All blocks of a diagram."""

    base_s: float
    seed: int
    blocks: Mapping[str, FlatBlock]
    """By path, in order."""
    faces: Mapping[str, FlatBlock]
    """Blocks `In` and `Out`, by path; those at the top are the diagram's inputs and outputs."""
    wires: tuple[FlatWire, ...]
    """All of them, in order."""
    drivers: Mapping[Endpoint, Endpoint]
    """Input of a block, or of an `Out` at the top → output of a block, or of an `In` at the top."""
    lines: SourceLines
    """Of the file."""
    restarts: Mapping[str, str]
    """Path of a hidden block → path of the sub-diagram whose states it puts back."""

    def inputs(self) -> list[FlatBlock]:
        """Blocks `In` at the top."""
        return [one for one in self.faces.values() if one.kind.name == IN and "/" not in one.path]

    def outputs(self) -> list[FlatBlock]:
        """Blocks `Out` at the top."""
        return [one for one in self.faces.values() if one.kind.name == OUT and "/" not in one.path]

    @cached_property
    def _drawn(self) -> dict[Endpoint, Endpoint]:
        return {one.target: one.source for one in self.wires}

    def source(self, path: str, port: str) -> Endpoint | None:
        """The block's output, or the diagram's input, whose numbers an output shows.

        Args:
            path: of a block, of one that stands for others, or of a face.
            port: of its outputs; of an `Out`, or of a block without outputs, an input.
        """
        if path in self.blocks and self.blocks[path].ports.output(port) is not None:
            return path, port
        if (held := (f"{path}@{port}", "y"))[0] in self.blocks:
            return held
        face = path if path in self.faces else f"{path}/{port}"
        for _ in range(len(self.faces) + 1):
            if face not in self.faces:
                return None
            if self.faces[face].kind.name == IN and "/" not in face:
                return face, "y"
            source = self._drawn.get((face, "u"))
            if source is None or source[0] in self.blocks:
                return source
            face = source[0]
        return None

    def restarted(self) -> dict[str, list[str]]:
        """Path of each hidden block that puts states back → paths of the blocks that it does so."""
        found: dict[str, list[str]] = {path: [] for path in self.restarts}
        by_sub = {sub: path for path, sub in self.restarts.items()}
        for path in self.blocks if by_sub else ():
            end = path.find("/")
            while end >= 0:
                restart = by_sub.get(path[:end])
                if restart is not None:
                    found[restart].append(path)
                end = path.find("/", end + 1)
        return found
