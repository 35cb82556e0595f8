"""Edits of a diagram's own: its parameters, the names of its sub-diagrams, its base period."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hil.config.errors import RefusedError
from hil.diagram.kind import RESERVED
from hil.diagram.model import Diagram, DiagramFile, DiagramParameter, DrawnBlock
from hil.diagram.parameters import checked
from hil.diagram.read import BASE_LEAST_S, BASE_MOST_S
from hil.diagram.registry import faces, kinds
from hil.diagram.units import UnitError, unit
from hil.panel.diagram.models.names import (
    check_new_name,
    diagram_at,
    dollars,
    instances,
    with_diagram,
)  # fmt: skip
from hil.panel.diagram.models.setting import check_note, check_value, scope_of, with_block


@dataclass(frozen=True, slots=True)
class SetDiagramParameter:
    """A parameter of a diagram itself, with limits, unit and note; or none of this name."""

    where: str
    name: str
    to: DiagramParameter | None

    @property
    def words(self) -> str:
        """For the menu."""
        return f"set parameter {self.name}" if self.to else f"delete parameter {self.name}"

    def on(self, file: DiagramFile) -> DiagramFile:
        """The file with it, refused where a block could no longer take it."""
        diagram = diagram_at(file, self.where)
        parameters = {key: one for key, one in diagram.parameters.items() if key != self.name}
        if self.to is not None:
            check_new_name(self.name, RESERVED, "parameter")
            check_note(self.to.note)
            check_value(self.name, self.to)
            try:
                unit(self.to.unit)
            except UnitError as error:
                raise RefusedError(f"{self.name}: {error}") from None
            parameters[self.name] = self.to
        changed = replace(diagram, parameters=parameters)
        for name, block in sorted(diagram.blocks.items()):
            if self.name in dollars(tuple(block.parameters.values())):
                self._check_user(name, block, diagram, changed)
        return with_diagram(file, self.where, changed)

    def _check_user(self, name: str, block: DrawnBlock, before: Diagram, after: Diagram) -> None:
        if self.to is None:
            raise RefusedError(f"{self.name}: block {name} takes it; set that first")
        kind = kinds().get(block.kind) or faces().get(block.kind)
        if kind is not None:
            old: list[str] = []
            new: list[str] = []
            checked(kind, block.parameters, scope_of(before), old)
            checked(kind, block.parameters, scope_of(after), new)
            fresh = [one for one in new if one not in old]
            if fresh:
                raise RefusedError(f"{self.name}: {name}.{fresh[0]}")


@dataclass(frozen=True, slots=True)
class RenameSub:
    """Another name for a sub-diagram; its blocks follow."""

    old: str
    new: str

    @property
    def words(self) -> str:
        """For the menu."""
        return f"rename sub-diagram {self.old} to {self.new}"

    def on(self, file: DiagramFile) -> DiagramFile:
        """The file with it."""
        diagram_at(file, self.old)
        if not self.old or self.new == self.old:
            return file
        check_new_name(self.new, {*file.subs, *file.foreign}, "sub-diagram")
        for where, name in list(instances(file, self.old)):
            block = replace(diagram_at(file, where).blocks[name], of=self.new)
            file = with_block(file, where, name, block)
        subs = {self.new if name == self.old else name: one for name, one in file.subs.items()}
        return replace(file, subs=subs)


@dataclass(frozen=True, slots=True)
class SetBase:
    """The base period of a file."""

    base_s: float

    @property
    def words(self) -> str:
        """For the menu."""
        return "set the base period"

    def on(self, file: DiagramFile) -> DiagramFile:
        """The file with it."""
        if not BASE_LEAST_S <= self.base_s <= BASE_MOST_S:
            raise RefusedError(
                f"base_s = {self.base_s!r:.40}: {BASE_LEAST_S:g} to {BASE_MOST_S:g} s is needed"
            )
        return replace(file, base_s=float(self.base_s))
