"""A form for one file of settings: what it shows, its edits, steps back, and problems.

Tables are never changed, only replaced, so a step back is the table of before. Edits of one field
that follow each other are one step. A key may be put where its table is not there yet: what leads
to it is made, as blank as it can be.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from hil.config.file_kind import FileKind
from hil.panel.scenarios.models.form_check import Problem
from hil.panel.scenarios.models.form_nodes import ABSENT, Node, NodeKind, NodeMaker, Place
from hil.panel.scenarios.models.form_values import blank, parsed, replaced, value_at
from hil.run.file_kinds import schema_of_kind

STEPS_MAX: Final = 500
"""Steps back that are kept."""
Table = dict[str, Any]


class FormError(ValueError):
    """An edit that the form does not allow; the text says why."""


class FormModel:
    """A form; its edits raise `FormError` where the form does not allow them."""

    def __init__(self, kind: FileKind, table: Mapping[str, Any]) -> None:
        self.kind = kind
        self._maker = NodeMaker(schema_of_kind(kind))
        self._table: Table = dict(table)
        self._saved = self._table
        self._back: list[Table] = []
        self._forth: list[Table] = []
        self._last: Place | None = None
        self._problems: tuple[Problem, ...] = ()
        self.judged = -1
        """Revision whose problems are known."""
        self.revision = 0
        """Rises with every change; problems are those of one revision."""

    # --- what is shown --------------------------------------------------------------------------

    @property
    def table(self) -> Table:
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

    def columns(self, place: Place) -> tuple[Node, ...]:
        """Nodes of a line in a list of tables, as of its first item."""
        node = self.node(place)
        return () if node is None else self._maker.columns(node)

    def cell(self, place: Place) -> Node | None:
        """The node of a place, a list of plain values as one line of them."""
        node = self.node(place)
        return None if node is None else self._maker.row(node)

    # --- edits ----------------------------------------------------------------------------------

    def edit(self, place: Place, typed: str) -> None:
        """Give a line the value that was typed; a key that was left out is in the file then."""
        node = self._needed(place)
        if node.inner or node.kind is NodeKind.FOREIGN:
            raise FormError(f"{_words(place)}: cannot be typed; remove it or edit what is in it")
        self.put(place, parsed(node, typed, self._maker))

    def edit_cell(self, place: Place, typed: str) -> None:
        """Give a cell the value that was typed; nothing leaves out what may be left out."""
        node = self.cell(place)
        if node is None:
            raise FormError(f"{_words(place)}: there is no such field")
        if not typed.strip():
            if not node.required:
                self.include(place, False)
                return
            if node.schema.get("type") == "array":
                self.put(place, [])
                return
        self.put(place, parsed(node, typed, self._maker))

    def put(self, place: Place, value: Any) -> None:
        """Give a line a value; the tag of a table changes the table's other keys with it."""
        self._needed(place)
        table = self._with_ancestors(place)
        parent = self._maker.at(table, place[:-1])
        if parent is not None and parent.tag == place[-1]:
            self._become(self._retagged(table, parent, value), place)
        else:
            self._become(replaced(table, place, value), place)

    def include(self, place: Place, given: bool) -> None:
        """Put a key into the file, or leave it out."""
        node = self._needed(place)
        if given == node.given:
            return
        if given:
            table = self._with_ancestors(place)
            self._become(replaced(table, place, self._blank_of(table, place)))
        elif node.required:
            raise FormError(f"{_words(place)}: is required")
        else:
            self._become(replaced(self._table, place, ABSENT))

    def reshape(self, place: Place, form: int) -> None:
        """Give a line another of its forms (see `alternatives`), keeping what fits."""
        node = self._needed(place)
        forms = node.schema.get("x-alternatives", ())
        if not 0 <= form < len(forms):
            raise FormError(f"{_words(place)}: form {form} of {len(forms)}")
        old, new = node.value, blank(forms[form], self._maker)
        if isinstance(new, list):
            first = old if isinstance(old, list | tuple) else [old] * len(new)
            kept = [item for item in first if item is not ABSENT]
            new = [*kept[: len(new)], *new[len(kept) :]]
        elif isinstance(old, list | tuple) and old:
            new = old[0]
        self._become(replaced(self._with_ancestors(place), place, new))

    def append(self, place: Place) -> Place:
        """Add an item to a list, a copy of its last one or a blank one; return its place."""
        node = self._needed(place)
        if node.kind is not NodeKind.LIST:
            raise FormError(f"{_words(place)}: is no list")
        items = list(node.value) if isinstance(node.value, list | tuple) else []
        most = node.schema.get("maxItems")
        if most is not None and len(items) >= most:
            raise FormError(f"{_words(place)}: has {len(items)} items; at most {most}")
        new = items[-1] if items else blank(self._maker.item_schema(node), self._maker)
        self._become(replaced(self._with_ancestors(place), place, [*items, new]))
        return (*place, len(items))

    def remove(self, place: Place) -> None:
        """Remove an item of a list, a key that is not required, or one that is unknown."""
        node = self._needed(place)
        if isinstance(node.key, int):
            items, owner = value_at(self._table, place[:-1]), self.node(place[:-1])
            least = owner.schema.get("minItems", 0) if owner is not None else 0
            if items is ABSENT or len(items) <= least:
                raise FormError(f"{_words(place[:-1])}: needs {least} items or more")
            self._become(replaced(self._table, place, ABSENT))
        elif node.kind is NodeKind.FOREIGN and node.required:
            self._become(replaced(self._table, place, self._blank_of(self._table, place)))
        else:
            self.include(place, False)

    def move(self, place: Place, by: int) -> Place:
        """Move an item of a list up (negative) or down, not beyond its ends; return its place."""
        node, items = self._needed(place), value_at(self._table, place[:-1])
        if not isinstance(node.key, int) or items is ABSENT:
            raise FormError(f"{_words(place)}: is no item of a list")
        new = min(max(node.key + by, 0), len(items) - 1)
        if new != node.key:
            rest = [item for index, item in enumerate(items) if index != node.key]
            rest.insert(new, items[node.key])
            self._become(replaced(self._table, place[:-1], rest))
        return (*place[:-1], new)

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

    def _step(self, source: list[Table], target: list[Table]) -> None:
        if source:
            target.append(self._table)
            self._table = source.pop()
            self._last = None
            self.revision += 1

    def _become(self, table: Table, place: Place | None = None) -> None:
        if table == self._table and repr(table) == repr(self._table):
            return
        if place is None or place != self._last:
            self._back.append(self._table)
            del self._back[:-STEPS_MAX]
        self._forth.clear()
        self._table = table
        self._last = place
        self.revision += 1

    # --- problems -------------------------------------------------------------------------------

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Problems, as far as they were looked for."""
        return self._problems

    def take(self, revision: int, problems: Iterable[Problem]) -> bool:
        """Take a check's findings, unless of an earlier table; return whether they were taken."""
        if revision != self.revision:
            return False
        self._problems, self.judged = tuple(problems), revision
        return True

    def problems_at(self, place: Place) -> tuple[Problem, ...]:
        """Problems at a place or within it."""
        return tuple(one for one in self._problems if one.place[: len(place)] == place)

    # --- inside ---------------------------------------------------------------------------------

    def _needed(self, place: Place) -> Node:
        node = self.node(place)
        if node is None or not place:
            raise FormError(f"{_words(place)}: there is no such field")
        return node

    def _with_ancestors(self, place: Place) -> Table:
        """The table with everything that leads to a place."""
        table = self._table
        for depth in range(1, len(place)):
            if value_at(table, place[:depth]) is ABSENT:
                table = replaced(table, place[:depth], self._blank_of(table, place[:depth]))
        return table

    def _blank_of(self, table: Table, place: Place) -> Any:
        parent, key = self._maker.at(table, place[:-1]), place[-1]
        if parent is None:
            raise FormError(f"{_words(place)}: there is no such field")
        if parent.tag == key:
            return next(iter(self._maker.variants(parent)))
        item = isinstance(key, int)
        schema = self._maker.item_schema(parent) if item else self._maker.field_schema(parent, key)
        return blank(schema, self._maker)

    def _retagged(self, table: Table, parent: Node, value: Any) -> Table:
        """The table with another kind of a tagged table: keys that both have keep their values."""
        variants = self._maker.variants(parent)
        if value not in variants:
            kinds = ", ".join(map(str, variants))
            raise FormError(f"{parent.tag} = {value!r}: need one of {kinds}")
        new = variants[value]
        old = parent.value if isinstance(parent.value, Mapping) else {}
        kept = {key: item for key, item in old.items() if key in new["properties"]}
        begun = {
            key: blank(new["properties"][key], self._maker)
            for key in new.get("required", ())
            if key not in kept
        }
        return replaced(table, parent.place, kept | begun | {parent.tag: value})


def _words(place: Place) -> str:
    return ".".join(map(str, place)) or "the file"
