"""From a file to a diagram that can run: flat, typed, ordered; or one line for each fault."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

from hil.diagram.check.flat import Endpoint, FlatBlock, FlatDiagram
from hil.diagram.check.flatten import flatten
from hil.diagram.check.order import Step, sort
from hil.diagram.check.types import FoundType, find_types, rate_problems, reset_problems
from hil.diagram.file.lines import raise_problems
from hil.diagram.file.model import DiagramFile
from hil.diagram.file.read import read
from hil.diagram.library.kind import BlockSetting
from hil.diagram.library.registry import kinds


@dataclass(frozen=True, slots=True, eq=False)
class SoundDiagram:
    """A diagram that can run; what table and interpreter are made of."""

    flat: FlatDiagram
    types: Mapping[Endpoint, FoundType]
    order: tuple[Step, ...]
    _settings: dict[str, BlockSetting] = field(default_factory=dict, init=False, repr=False)

    def setting(self, block: FlatBlock) -> BlockSetting:
        """Return the path, size, rate and seed with which a block runs."""
        found = self._settings.get(block.path)
        if found is None:
            found = self._settings[block.path] = self._setting(block)
        return found

    def _setting(self, block: FlatBlock) -> BlockSetting:
        outputs = block.ports.outputs
        named = block.kind.size_port or (outputs[0].name if outputs else "")
        size, type_, flat = 1, "real", self.flat
        if named:
            size, type_ = self.types[block.path, named].size, self.types[block.path, named].type
        return BlockSetting(
            block.path, size, block.rate * flat.base_s, flat.base_s, block.rate, flat.seed, type_
        )


def check(file: DiagramFile, changes: Mapping[Endpoint, Any] | None = None) -> SoundDiagram:
    """Return a diagram that can run; the same one for the same file, if that reads no other.

    Raises:
        ConfigError: With a line for each fault.
    """
    given = repr(list((changes or {}).items()))
    for known, with_changes, sound in _checked:
        if known is file and with_changes == given:
            return sound
    sound = _check(file, changes)
    if all(map(_is_plain, (changes or {}).values())) and not _reads_files(file):
        _checked.append((file, given, sound))
        del _checked[:-KEPT]
    return sound


KEPT: Final = 4
"""Checked diagrams that are kept: a campaign runs the same one again and again."""
_checked: Final = list[tuple[DiagramFile, str, SoundDiagram]]()
"""Files, changes as text, and what came of them."""


def _is_plain(value: object) -> bool:
    """Whether a value's text says all of it, as that of a large array does not."""
    if isinstance(value, (list, tuple)):
        return all(map(_is_plain, cast("Sequence[object]", value)))
    return isinstance(value, (bool, int, float, str))


def _reads_files(file: DiagramFile) -> bool:
    """Whether a block of a file or its sub-diagrams reads another file, which may change."""
    drawn = (file.top, *file.subs.values(), *file.foreign.values())
    used = {block.kind for one in drawn for block in one.blocks.values()}
    known = kinds()
    return any(
        parameter.type == "file"
        for name in used & known.keys()
        for parameter in known[name].parameters
    )


def _check(file: DiagramFile, changes: Mapping[Endpoint, Any] | None) -> SoundDiagram:
    """Return a diagram that can run; raises as `check`."""
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
