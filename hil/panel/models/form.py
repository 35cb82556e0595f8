"""A form for one file of settings: what it shows, what edits do to its table, undo and problems.

Tables are never changed, only replaced, so a step back is the table of before. Edits of one field
that follow each other are one step.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from hil.file_kinds import FileKind
from hil.panel.models.form_check import Problem
from hil.panel.models.form_nodes import ABSENT, Node, NodeKind, NodeMaker, Place
from hil.panel.models.form_values import blank, parsed, replaced, value_at
from hil.panel.texts import text
from hil.schema import KINDS, schema_of

STEPS_MAX: Final = 500
"""Steps back that are kept."""


class FormError(ValueError):
    """An edit that the form does not allow; the text says why."""


class FormModel:
    """A form.

    Args:
        kind: of file.
        table: its keys and values.
    """

    def __init__(self, kind: FileKind, table: Mapping[str, Any]) -> None:
        self.kind = kind
        self._maker = NodeMaker(schema_of(next(name for name, one in KINDS.items() if one is kind)))
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
        node = self._needed(place)
        if node.inner or node.kind is NodeKind.FOREIGN:
            raise FormError(text("form.error.typed", place=_words(place)))
        self.put(place, parsed(node, typed, self._maker))

    def put(self, place: Place, value: Any) -> None:
        """Give a line a value; the tag of a table changes the table's other keys with it.

        Raises:
            FormError: if there is no such line.
        """
        self._needed(place)
        table = self._with_ancestors(place)
        parent = self._maker.at(table, place[:-1])
        if parent is not None and parent.tag == place[-1]:
            table = self._retagged(table, parent, value)
        else:
            table = replaced(table, place, value)
        self._become(table, place)

    def include(self, place: Place, given: bool) -> None:
        """Let a key stand in the file, or leave it out.

        Raises:
            FormError: if there is no such line, or it is required.
        """
        node = self._needed(place)
        if given == node.given:
            return
        if not given:
            if node.required:
                raise FormError(text("form.error.required", place=_words(place)))
            self._become(replaced(self._table, place, ABSENT))
            return
        table = self._with_ancestors(place)
        self._become(replaced(table, place, self._blank_of(table, place)))

    def reshape(self, place: Place, form: int) -> None:
        """Give a line another of its forms (see `alternatives`), keeping what fits.

        Raises:
            FormError: if there is no such form.
        """
        node = self._needed(place)
        forms = node.schema.get("x-alternatives", ())
        if not 0 <= form < len(forms):
            raise FormError(
                text("form.error.form", place=_words(place), form=form, count=len(forms))
            )
        old, new = node.value, blank(forms[form], self._maker)
        if isinstance(new, list):
            first = old if isinstance(old, list | tuple) else [old] * len(new)
            kept = [item for item in first if item is not ABSENT]
            new = [*kept[: len(new)], *new[len(kept) :]]
        elif isinstance(old, list | tuple) and old:
            new = old[0]
        table = self._with_ancestors(place)
        self._become(replaced(table, place, new))

    def append(self, place: Place) -> Place:
        """Add an item to a list: a copy of its last one, or a blank one.

        Returns:
            Its place.

        Raises:
            FormError: if it is no list, or full.
        """
        node = self._needed(place)
        if node.kind is not NodeKind.LIST:
            raise FormError(text("form.error.no_list", place=_words(place)))
        items = list(node.value) if isinstance(node.value, list | tuple) else []
        most = node.schema.get("maxItems")
        if most is not None and len(items) >= most:
            raise FormError(
                text("form.error.full", place=_words(place), count=len(items), most=most)
            )
        new = items[-1] if items else blank(self._maker.item_schema(node), self._maker)
        table = self._with_ancestors(place)
        self._become(replaced(table, place, [*items, new]))
        return (*place, len(items))

    def remove(self, place: Place) -> None:
        """Remove an item of a list, a key that is not required, or one that is unknown.

        Raises:
            FormError: if it is needed.
        """
        node = self._needed(place)
        if isinstance(node.key, int):
            items = value_at(self._table, place[:-1])
            owner = self.node(place[:-1])
            least = owner.schema.get("minItems", 0) if owner is not None else 0
            if items is ABSENT or len(items) <= least:
                raise FormError(text("form.error.least", place=_words(place[:-1]), least=least))
            self._become(replaced(self._table, place, ABSENT))
        elif node.kind is NodeKind.FOREIGN and node.required:
            self._become(replaced(self._table, place, self._blank_of(self._table, place)))
        else:
            self.include(place, False)

    def move(self, place: Place, by: int) -> Place:
        """Move an item of a list up (negative) or down; not beyond its ends.

        Returns:
            Its new place.

        Raises:
            FormError: if it is no item of a list.
        """
        node = self._needed(place)
        items = value_at(self._table, place[:-1])
        if not isinstance(node.key, int) or items is ABSENT:
            raise FormError(text("form.error.no_item", place=_words(place)))
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

    # --- inside ---------------------------------------------------------------------------------

    def _needed(self, place: Place) -> Node:
        node = self.node(place)
        if node is None or not place:
            raise FormError(text("form.error.none", place=_words(place)))
        return node

    def _with_ancestors(self, place: Place) -> dict[str, Any]:
        """The table with everything that leads to a place."""
        table = self._table
        for depth in range(1, len(place)):
            if value_at(table, place[:depth]) is ABSENT:
                table = replaced(table, place[:depth], self._blank_of(table, place[:depth]))
        return table

    def _blank_of(self, table: dict[str, Any], place: Place) -> Any:
        parent, key = self._maker.at(table, place[:-1]), place[-1]
        if parent is None:
            raise FormError(text("form.error.none", place=_words(place)))
        if parent.tag == key:
            return next(iter(self._maker.variants(parent)))
        schema = (
            self._maker.item_schema(parent)
            if isinstance(key, int)
            else self._maker.field_schema(parent, key)
        )
        return blank(schema, self._maker)

    def _retagged(self, table: dict[str, Any], parent: Node, value: Any) -> dict[str, Any]:
        """The table with another kind of a tagged table: keys that both have keep their values."""
        variants = self._maker.variants(parent)
        if value not in variants:
            raise FormError(
                text(
                    "form.error.kind",
                    tag=parent.tag,
                    value=repr(value),
                    kinds=", ".join(map(str, variants)),
                )
            )
        new = variants[value]
        old = parent.value if isinstance(parent.value, Mapping) else {}
        kept = {key: item for key, item in old.items() if key in new["properties"]}
        begun: dict[str, Any] = {parent.tag: value}
        for key in new.get("required", ()):
            if key not in kept:
                begun[key] = blank(new["properties"][key], self._maker)
        return replaced(table, parent.place, kept | begun | {parent.tag: value})

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


def _words(place: Place) -> str:
    return ".".join(map(str, place)) or text("form.error.whole")
