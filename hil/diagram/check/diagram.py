"""From a file to a diagram that can run: flat, typed, ordered; or one line for each fault."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hil.diagram.check.flat import Endpoint, FlatBlock, FlatDiagram
from hil.diagram.check.flatten import flatten
from hil.diagram.check.order import Step, sort
from hil.diagram.check.types import FoundType, find_types, rate_problems, reset_problems
from hil.diagram.file.lines import raise_problems
from hil.diagram.file.model import DiagramFile
from hil.diagram.file.read import read
from hil.diagram.library.kind import BlockSetting


@dataclass(frozen=True, slots=True, eq=False)
class SoundDiagram:
    """A diagram that can run; what table and interpreter are made of."""

    flat: FlatDiagram
    types: Mapping[Endpoint, FoundType]
    order: tuple[Step, ...]

    def setting(self, block: FlatBlock) -> BlockSetting:
        """Return the path, size, rate and seed with which a block runs."""
        outputs = block.ports.outputs
        named = block.kind.size_port or (outputs[0].name if outputs else "")
        size, type_, flat = 1, "real", self.flat
        if named:
            size, type_ = self.types[block.path, named].size, self.types[block.path, named].type
        return BlockSetting(
            block.path, size, block.rate * flat.base_s, flat.base_s, block.rate, flat.seed, type_
        )


def check(file: DiagramFile, changes: Mapping[Endpoint, Any] | None = None) -> SoundDiagram:
    """Return a diagram that can run.

    Raises:
        ConfigError: With a line for each fault.
    """
    flat = flatten(file, changes)
    problems: list[str] = []
    types = find_types(flat, problems)
    problems += rate_problems(flat)
    problems += reset_problems(flat, types)
    order, loop = sort(flat)
    if loop is not None:
        problems.append(loop.words)
    raise_problems(file.path, problems)
    return SoundDiagram(flat, types, tuple(order))


def load(path: Path, changes: Mapping[Endpoint, Any] | None = None) -> SoundDiagram:
    """Return the diagram of a file.

    Raises:
        ConfigError: With a line for each fault.
    """
    return check(read(path), changes)
