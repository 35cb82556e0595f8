"""A form for one file of settings: what it shows, its edits, steps back, and problems.

Tables are never changed, only replaced, so a step back is the table of before. Edits of one field
that follow each other are one step.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from hil.config.file_kinds import FileKind
from hil.panel.scenarios.models.form_check import Problem
from hil.panel.scenarios.models.form_edits import Edits
from hil.panel.scenarios.models.form_nodes import ABSENT, Node, NodeMaker, Place
from hil.run.schemas import schema_of_kind

STEPS_MAX: Final = 500
"""Steps back that are kept."""


class FormModel:
    """A form.

    Args:
        kind: of file.
        table: its keys and values.
    """

    def __init__(self, kind: FileKind, table: Mapping[str, Any]) -> None:
        self.kind = kind
        self._maker = NodeMaker(schema_of_kind(kind))
        self._edits = Edits(self._maker)
        self._table: dict[str, Any] = dict(table)
        self._saved = self._table
        self._back: list[dict[str, Any]] = []
        self._forth: list[dict[str, Any]] = []
        self._last: Place | None = None
        self._problems: tuple[Problem, ...] = ()
        self.revision = 0
        """Rises with every change; problems are those of one revision."""

    # --- what is shown --------------------------------------------------------------------------

    @property
    def table(self) -> dict[str, Any]:
        """The table as it is now; not to be changed."""
        return self._table

    @property
    def root(self) -> Node:
        """The node of the whole file."""
        return self._maker.root(self._table)

    def children(self, node: Node) -> tuple[Node, ...]:
        """The lines inside a line."""
        return self._maker.children(node)

    def node(self, place: Place) -> Node | None:
        """The line of a place; None if there is none."""
        return self._maker.at(self._table, place)

    @property
    def changed(self) -> bool:
        """Whether it differs from what was saved last."""
        return self._table != self._saved

    def alternatives(self, node: Node) -> tuple[Node, ...]:
        """A line as it would be in each of its forms: one number, or six; empty if it has one."""
        return tuple(
            self._maker.make(one, node.place, ABSENT, node.given)
            for one in node.schema.get("x-alternatives", ())
        )

    # --- edits ----------------------------------------------------------------------------------

    def edit(self, place: Place, typed: str) -> None:
        """Give a line the value that was typed; a key that was left out stands there from now on.

        Raises:
            FormError: if there is no such line, or it has lines of its own.
        """
        self._become(self._edits.typed(self._table, place, typed), place)

    def put(self, place: Place, value: Any) -> None:
        """Give a line a value; the tag of a table changes the table's other keys with it.

        Raises:
            FormError: if there is no such line.
        """
        self._become(self._edits.put(self._table, place, value), place)

    def include(self, place: Place, given: bool) -> None:
        """Let a key stand in the file, or leave it out.

        Raises:
            FormError: if there is no such line, or it is required.
        """
        self._become(self._edits.include(self._table, place, given))

    def reshape(self, place: Place, form: int) -> None:
        """Give a line another of its forms (see `alternatives`), keeping what fits.

        Raises:
            FormError: if there is no such form.
        """
        self._become(self._edits.reshape(self._table, place, form))

    def append(self, place: Place) -> Place:
        """Add an item to a list: a copy of its last one, or a blank one.

        Returns:
            Its place.

        Raises:
            FormError: if it is no list, or full.
        """
        table, added = self._edits.append(self._table, place)
        self._become(table)
        return added

    def remove(self, place: Place) -> None:
        """Remove an item of a list, a key that is not required, or one that is unknown.

        Raises:
            FormError: if it is needed.
        """
        self._become(self._edits.remove(self._table, place))

    def move(self, place: Place, by: int) -> Place:
        """Move an item of a list up (negative) or down; not beyond its ends.

        Returns:
            Its new place.

        Raises:
            FormError: if it is no item of a list.
        """
        table, moved = self._edits.move(self._table, place, by)
        self._become(table)
        return moved

    # --- steps ----------------------------------------------------------------------------------

    @property
    def can_undo(self) -> bool:
        """Whether there is a step back."""
        return bool(self._back)

    @property
    def can_redo(self) -> bool:
        """Whether a step back can be taken again."""
        return bool(self._forth)

    def undo(self) -> None:
        """Take the last step back, if there is one."""
        self._step(self._back, self._forth)

    def redo(self) -> None:
        """Take a step again that was taken back, if there is one."""
        self._step(self._forth, self._back)

    def settle(self) -> None:
        """Let the next edit be a step of its own: the field was left."""
        self._last = None

    def saved(self) -> None:
        """Note that the table is in a file as it is now."""
        self._saved = self._table

    def _step(self, source: list[dict[str, Any]], target: list[dict[str, Any]]) -> None:
        if source:
            target.append(self._table)
            self._table = source.pop()
            self._last = None
            self.revision += 1

    # --- problems -------------------------------------------------------------------------------

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong, as far as it was looked at."""
        return self._problems

    def take(self, revision: int, problems: Iterable[Problem]) -> bool:
        """Take what a check has found; not what it found in a table of before.

        Returns:
            Whether it was taken.
        """
        if revision != self.revision:
            return False
        self._problems = tuple(problems)
        return True

    def problems_at(self, place: Place) -> tuple[Problem, ...]:
        """Problems at a place or within it."""
        return tuple(one for one in self._problems if one.place[: len(place)] == place)

    def _become(self, table: dict[str, Any], place: Place | None = None) -> None:
        if table == self._table and repr(table) == repr(self._table):
            return
        if place is None or place != self._last:
            self._back.append(self._table)
            del self._back[:-STEPS_MAX]
        self._forth.clear()
        self._table = table
        self._last = place
        self.revision += 1
