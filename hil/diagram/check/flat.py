"""A diagram without sub-diagrams, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from hil.config.errors import ConfigError
from hil.diagram.file.lines import SourceLines
from hil.diagram.file.model import IN, OUT
from hil.diagram.library.kind import BlockKind, Parameters, Ports

RUN_ALONE: Final = "`hil diagram run FILE --trust` runs it"
AS_TABLE: Final = (
    "write its outputs with `hil diagram run FILE --trust --out table.csv`, and put a File block "
    "of that table in its place"
)
"""Remedy where a diagram is precomputed."""
Endpoint = tuple[str, str]
"""Path of a block, and the name of one of its ports."""


@dataclass(frozen=True, slots=True, eq=False)
class FlatBlock:
    """A block that is no sub-diagram, with all that defines its computation."""

    path: str
    kind: BlockKind
    parameters: Parameters
    ports: Ports
    rate: int
    """Base ticks from one of its ticks to the next."""
    offset: int
    """First base tick of the block."""
    enable: Endpoint | None = None
    """The output that must be true for it to run; None if it always does."""


@dataclass(frozen=True, slots=True)
class ModelBlock:
    """A block that is somebody else's model: native code, which no diagram runs by itself."""

    path: str
    file: Path
    """File of the model, as it was judged."""
    parameters: Parameters
    rate: int
    offset: int
    conditional: bool
    """Whether it is in a part of the diagram that does not always run."""


@dataclass(frozen=True, slots=True)
class FlatWire:
    """A wire as it is drawn, between blocks and faces."""

    target: Endpoint
    source: Endpoint
    words: str
    """Text of the wire in the file, with the place of the sub-diagram before it."""
    section: str = ""
    """Section of the file in which the wire is; empty for a wire that is not drawn."""
    key: str = ""
    """Key of the wire in that section; empty for a wire that is not drawn."""


@dataclass(frozen=True, slots=True, eq=False)
class FlatDiagram:
    """A diagram in which every sub-diagram is replaced by its blocks."""

    base_s: float
    seed: int
    blocks: Mapping[str, FlatBlock]
    """Blocks by path, in order."""
    faces: Mapping[str, FlatBlock]
    """Blocks `In` and `Out`, by path; those at the top are the diagram's inputs and outputs."""
    wires: tuple[FlatWire, ...]
    """Wires of the diagram, in order."""
    drivers: Mapping[Endpoint, Endpoint]
    """Input of a block, or of an `Out` at the top → output of a block, or of an `In` at the top."""
    lines: SourceLines
    """Lines of the file."""
    restarts: Mapping[str, str]
    """Path of a hidden block → path of the sub-diagram whose states it puts back."""
    models: Mapping[str, ModelBlock] = field(default_factory=dict)
    """Models by the path of their block."""

    def refuse_models(self, why: str, remedy: str = RUN_ALONE) -> None:
        """Refuse a diagram with models of others where nobody runs them.

        Raises:
            ConfigError: naming the first one, and what to do.
        """
        for path, one in self.models.items():
            raise ConfigError(f"{path}: {one.file.name}", [f"is an FMU, {why}: {remedy}"])

    def inputs(self) -> list[FlatBlock]:
        """Return the blocks `In` at the top."""
        return [one for one in self.faces.values() if one.kind.name == IN and "/" not in one.path]

    def outputs(self) -> list[FlatBlock]:
        """Return the blocks `Out` at the top."""
        return [one for one in self.faces.values() if one.kind.name == OUT and "/" not in one.path]

    def restarted(self) -> dict[str, list[str]]:
        """Map the path of each hidden block that resets states to the paths of their blocks."""
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
