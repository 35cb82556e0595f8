"""Edits of what stands in a block's line: parameters, ticks, conditions, notes.

A value is checked against type, limits and unit before it is taken.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from hil.config.errors import RefusedError
from hil.config.similar_names import nearest
from hil.diagram.check.parameters import checked, resolved
from hil.diagram.file.model import SUB, Diagram, DiagramFile, DiagramParameter, DrawnBlock
from hil.diagram.file.read import RATE_MOST, TEXT_MOST
from hil.diagram.file.units import UnitError, conversion
from hil.diagram.library.kind import RESERVED, WORDS, BlockKind, ParameterKind
from hil.diagram.library.registry import faces, kinds
from hil.diagram.run.change import tuples
from hil.panel.diagram.models.names import (
    block_at,
    diagram_at,
    with_diagram,
)  # fmt: skip
from sim.toml_reader import TomlReadError, read_value


def with_block(file: DiagramFile, where: str, name: str, block: DrawnBlock) -> DiagramFile:
    """The file with another block of this name."""
    diagram = diagram_at(file, where)
    return with_diagram(
        file, where, replace(diagram, blocks={**diagram.blocks, name: block})
    )  # fmt: skip


def scope_of(diagram: Diagram) -> dict[str, Any]:
    """Values of a diagram's own parameters."""
    return {name: one.value for name, one in diagram.parameters.items()}


@dataclass(frozen=True, slots=True)
class SetParameter:
    """A parameter of a block."""

    where: str
    block: str
    name: str
    value: Any
    """``$name`` takes one of the diagram's; None leaves it out."""

    @property
    def words(self) -> str:
        """For the menu."""
        return f"set {self.block}.{self.name}"

    def on(self, file: DiagramFile) -> DiagramFile:
        """The file with it."""
        diagram = diagram_at(file, self.where)
        block = block_at(diagram, self.block)
        given = {name: one for name, one in block.parameters.items() if name != self.name}
        if self.value is not None:
            given[self.name] = self.value
        if block.kind == SUB:
            self._check_sub(file, diagram, block)
        else:
            kind = kinds().get(block.kind) or faces().get(block.kind)
            if kind is None:
                raise RefusedError(f"{self.block}: {block.kind!r:.80} is no kind")
            self._check(kind, block, given, scope_of(diagram))
        return with_block(file, self.where, self.block, replace(block, parameters=given))

    def _check(self, kind: BlockKind, block: DrawnBlock, given: Mapping[str, Any],
               scope: Mapping[str, Any]) -> None:  # fmt: skip
        """Refuse what brings a fault that was not there."""
        before: list[str] = []
        after: list[str] = []
        checked(kind, block.parameters, scope, before)
        checked(kind, given, scope, after)
        fresh = [one for one in after if one not in before]
        if fresh:
            raise RefusedError(f"{self.block}.{fresh[0]}")

    def _check_sub(self, file: DiagramFile, diagram: Diagram, block: DrawnBlock) -> None:
        inner = file.sub(block.of)
        if inner is None:
            raise RefusedError(f"{self.block}: {block.of!r:.80} is no sub-diagram")
        if self.value is None:
            return
        if self.name not in inner.parameters or self.name in RESERVED:
            near = nearest(self.name, inner.parameters)
            raise RefusedError(f"{self.block}.{self.name[:80]}: {block.of} has no such one{near}")
        value = resolved(self.value, scope_of(diagram))
        if value is None:
            raise RefusedError(f"{self.block}.{self.name} = {self.value!r:.60}: the diagram has no "
                               "such parameter")  # fmt: skip
        check_value(f"{self.block}.{self.name}", replace(inner.parameters[self.name], value=value))


def check_value(place: str, one: DiagramParameter) -> None:
    """Refuse a value that no parameter of a diagram may have, or one beyond its limits.

    Raises:
        RefusedError: With the limits.
    """
    if not isinstance(one.value, bool | int | float | str | tuple):
        raise RefusedError(f"{place} = {one.value!r:.60}: a number, text, true, false or lists")
    for number in _numbers(one.value):
        if isinstance(number, str) and not (number.isprintable() and len(number) <= TEXT_MOST):
            raise RefusedError(f"{place}: a text of at most {TEXT_MOST} printable characters")
        if isinstance(number, bool) or not isinstance(number, int | float):
            continue
        if not math.isfinite(number):
            raise RefusedError(f"{place} = {number}: a finite number is needed")
        if (one.low is not None and number < one.low) or (
            one.high is not None and number > one.high
        ):
            low, high = ("" if bound is None else bound for bound in (one.low, one.high))
            raise RefusedError(f"{place} = {number!r:.40}: {low} to {high} {one.unit} is needed")


def _numbers(value: Any) -> list[Any]:
    if isinstance(value, tuple):
        return [number for one in value for number in _numbers(one)]
    return [value]


@dataclass(frozen=True, slots=True)
class SetTicks:
    """Rate and offset of a block."""

    where: str
    block: str
    rate: int
    """Ticks of the diagram around from one of its ticks to the next."""
    offset: int = 0
    """Its first tick, below the rate."""

    @property
    def words(self) -> str:
        """For the menu."""
        return f"set the rate of {self.block}"

    def on(self, file: DiagramFile) -> DiagramFile:
        """The file with them."""
        block = block_at(diagram_at(file, self.where), self.block)
        if type(self.rate) is not int or not 1 <= self.rate <= RATE_MOST:
            raise RefusedError(
                f"{self.block}.rate = {self.rate!r:.40}: a whole number of ticks from 1 to "
                f"{RATE_MOST} is needed"
            )
        if type(self.offset) is not int or not 0 <= self.offset < self.rate:
            raise RefusedError(
                f"{self.block}.offset = {self.offset!r:.40}: a whole number of ticks from 0 to "
                f"{self.rate - 1}, below the rate, is needed"
            )
        changed = replace(block, rate=self.rate, offset=self.offset)
        return with_block(file, self.where, self.block, changed)


@dataclass(frozen=True, slots=True)
class SetNote:
    """The note of a block, or of the diagram itself."""

    where: str
    block: str
    """Empty for the diagram."""
    note: str

    @property
    def words(self) -> str:
        """For the menu."""
        return f"set the note of {self.block or 'the diagram'}"

    def on(self, file: DiagramFile) -> DiagramFile:
        """The file with it."""
        check_note(self.note)
        diagram = diagram_at(file, self.where)
        if not self.block:
            return with_diagram(file, self.where, replace(diagram, note=self.note))
        changed = replace(block_at(diagram, self.block), note=self.note)
        return with_block(file, self.where, self.block, changed)


def check_note(note: str) -> None:
    """Refuse a note that no file can hold.

    Raises:
        RefusedError: With the reason.
    """
    if len(note) > TEXT_MOST:
        raise RefusedError(f"a note of {len(note)} characters; at most {TEXT_MOST}")
    if any(0xD800 <= ord(one) <= 0xDFFF for one in note):
        raise RefusedError("a note with half a character (a surrogate), which no file can hold")


def typed(one: ParameterKind, text: str) -> Any:
    """The value that a user typed for a parameter: ``0.3``, ``200 ms``, ``[1, 2]``, ``$k``.

    A number may have a unit behind it that measures the same as the parameter's.

    Raises:
        RefusedError: If it cannot be understood; limits are for `SetParameter`.
    """
    text = text.strip()
    if text.startswith("$") or one.type in WORDS:
        return text
    try:
        return tuples(read_value(text))
    except TomlReadError:
        pass
    number, _, behind = text.partition(" ")
    try:
        value = float(number)
        factor = conversion(behind.strip(), one.unit)
    except UnitError as error:
        raise RefusedError(f"{one.name} = {text[:60]}: {error}; [{one.unit}] is needed") from None
    except ValueError:
        raise RefusedError(
            f"{one.name} = {text[:60]!r}: not understood; such as 0.3, [1, 2], true or $name"
        ) from None
    return value * factor
