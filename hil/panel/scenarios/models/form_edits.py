"""What an edit of a form makes of its table: another table; none is ever changed.

A key may be put where its table is not there yet: what leads to it is made, as blank as it can be.
"""

from collections.abc import Mapping
from typing import Any

from hil.panel.scenarios.models.form_nodes import ABSENT, Node, NodeKind, NodeMaker, Place
from hil.panel.scenarios.models.form_values import blank, parsed, replaced, value_at

Table = dict[str, Any]


class FormError(ValueError):
    """An edit that the form does not allow; the text says why."""


class Edits:
    """Edits of tables of one kind of file.

    Args:
        maker: of the lines of such a file.
    """

    def __init__(self, maker: NodeMaker) -> None:
        self._maker = maker

    def typed(self, table: Table, place: Place, words: str) -> Table:
        """The table with the value that was typed into a line.

        Raises:
            FormError: if there is no such line, or it has lines of its own.
        """
        node = self._needed(table, place)
        if node.inner or node.kind is NodeKind.FOREIGN:
            raise FormError(f"{_words(place)}: cannot be typed; remove it or edit what is in it")
        return self.put(table, place, parsed(node, words, self._maker))

    def put(self, table: Table, place: Place, value: Any) -> Table:
        """The table with a value in a line; the tag of a table changes its other keys with it.

        Raises:
            FormError: if there is no such line.
        """
        self._needed(table, place)
        table = self._with_ancestors(table, place)
        parent = self._maker.at(table, place[:-1])
        if parent is not None and parent.tag == place[-1]:
            return self._retagged(table, parent, value)
        return replaced(table, place, value)

    def include(self, table: Table, place: Place, given: bool) -> Table:
        """The table with a key, or without it.

        Raises:
            FormError: if there is no such line, or it is required.
        """
        node = self._needed(table, place)
        if given == node.given:
            return table
        if not given:
            if node.required:
                raise FormError(f"{_words(place)}: is required")
            return replaced(table, place, ABSENT)
        table = self._with_ancestors(table, place)
        return replaced(table, place, self._blank_of(table, place))

    def reshape(self, table: Table, place: Place, form: int) -> Table:
        """The table with a line in another of its forms, keeping what fits.

        Raises:
            FormError: if there is no such form.
        """
        node = self._needed(table, place)
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
        table = self._with_ancestors(table, place)
        return replaced(table, place, new)

    def append(self, table: Table, place: Place) -> tuple[Table, Place]:
        """The table with one more item in a list: a copy of its last one, or a blank one.

        Returns:
            The table, and the item's place.

        Raises:
            FormError: if it is no list, or full.
        """
        node = self._needed(table, place)
        if node.kind is not NodeKind.LIST:
            raise FormError(f"{_words(place)}: is no list")
        items = list(node.value) if isinstance(node.value, list | tuple) else []
        most = node.schema.get("maxItems")
        if most is not None and len(items) >= most:
            raise FormError(f"{_words(place)}: has {len(items)} items; at most {most}")
        new = items[-1] if items else blank(self._maker.item_schema(node), self._maker)
        table = self._with_ancestors(table, place)
        return replaced(table, place, [*items, new]), (*place, len(items))

    def remove(self, table: Table, place: Place) -> Table:
        """The table without an item of a list, a key that is not required, or an unknown one.

        Raises:
            FormError: if it is needed.
        """
        node = self._needed(table, place)
        if isinstance(node.key, int):
            items = value_at(table, place[:-1])
            owner = self._maker.at(table, place[:-1])
            least = owner.schema.get("minItems", 0) if owner is not None else 0
            if items is ABSENT or len(items) <= least:
                raise FormError(f"{_words(place[:-1])}: needs {least} items or more")
            return replaced(table, place, ABSENT)
        if node.kind is NodeKind.FOREIGN and node.required:
            return replaced(table, place, self._blank_of(table, place))
        return self.include(table, place, False)

    def move(self, table: Table, place: Place, by: int) -> tuple[Table, Place]:
        """The table with an item of a list further up (negative) or down; not beyond its ends.

        Returns:
            The table, and the item's new place.

        Raises:
            FormError: if it is no item of a list.
        """
        node = self._needed(table, place)
        items = value_at(table, place[:-1])
        if not isinstance(node.key, int) or items is ABSENT:
            raise FormError(f"{_words(place)}: is no item of a list")
        new = min(max(node.key + by, 0), len(items) - 1)
        if new != node.key:
            rest = [item for index, item in enumerate(items) if index != node.key]
            rest.insert(new, items[node.key])
            table = replaced(table, place[:-1], rest)
        return table, (*place[:-1], new)

    # --- inside ---------------------------------------------------------------------------------

    def _needed(self, table: Table, place: Place) -> Node:
        node = self._maker.at(table, place)
        if node is None or not place:
            raise FormError(f"{_words(place)}: there is no such field")
        return node

    def _with_ancestors(self, table: Table, place: Place) -> Table:
        """The table with everything that leads to a place."""
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
        schema = (
            self._maker.item_schema(parent)
            if isinstance(key, int)
            else self._maker.field_schema(parent, key)
        )
        return blank(schema, self._maker)

    def _retagged(self, table: Table, parent: Node, value: Any) -> Table:
        """The table with another kind of a tagged table: keys that both have keep their values."""
        variants = self._maker.variants(parent)
        if value not in variants:
            raise FormError(
                "{tag} = {value}: need one of {kinds}".format(
                    tag=parent.tag, value=repr(value), kinds=", ".join(map(str, variants))
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


def _words(place: Place) -> str:
    return ".".join(map(str, place)) or "the file"
