"""What a form shows of a table of settings: nodes, made from the JSON schema and the table.

A node is one line of the form: a value, or a table or list with nodes of its own, which are made
when they are asked for. A key that is left out is shown with its default and without a tick.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Final

from hil.panel.scenarios.models.form_labels import bounds_of, label_of

Place = tuple[str | int, ...]
"""Keys and indices from the top of a table to a value."""
Schema = Mapping[str, Any]

ABSENT: Final = object()
"""In place of a value that is not there."""
_SCALARS: Final = {"string", "number", "integer", "boolean"}


class NodeKind(Enum):
    """How a node is edited."""

    TEXT = "text"
    NUMBER = "number"
    INTEGER = "integer"
    SWITCH = "switch"
    CHOICE = "choice"
    """One of `Node.options`."""
    ROW = "row"
    """A fixed count of values on one line."""
    TABLE = "table"
    LIST = "list"
    FOREIGN = "foreign"
    """A key or a kind of value that the schema does not have: it can only be removed."""


@dataclass(frozen=True, slots=True)
class Node:
    """One line of a form."""

    place: Place
    """Keys and numbers that lead to it."""
    kind: NodeKind
    """How it is edited."""
    value: Any
    """As in the table, or the default; `ABSENT` if there is neither."""
    given: bool
    """Whether it stands in the table."""
    required: bool
    """Whether it has to."""
    schema: Schema = field(repr=False)
    """Its own, without references and without null."""
    unit: str = ""
    """Of a number, empty if none."""
    about: str = ""
    """What the schema says of it."""
    tag: str = ""
    """Key that chooses among kinds of tables; empty if there is one kind."""
    options: tuple[Any, ...] = ()
    """Of a choice, in the schema's order."""

    @property
    def key(self) -> str | int:
        """Its key or index; empty for the whole."""
        return self.place[-1] if self.place else ""

    @property
    def label(self) -> str:
        """The key in words, with its unit; items count from 1."""
        if isinstance(self.key, int):
            return str(self.key + 1)
        return label_of(self.key)

    @property
    def inner(self) -> bool:
        """Whether it has lines of its own."""
        return self.kind in (NodeKind.TABLE, NodeKind.LIST)

    @property
    def bounds(self) -> str:
        """What a number or a list's length may be, such as ``0 < … ≤ 5``; empty if anything."""
        return bounds_of(self.schema)

    @property
    def fixed(self) -> bool:
        """Whether nothing can be chosen: a constant."""
        return self.kind is NodeKind.CHOICE and len(self.options) == 1


class NodeMaker:
    """Maker of nodes for one schema.

    Args:
        schema: of the whole file, with ``$defs``.
    """

    def __init__(self, schema: Schema) -> None:
        self._defs: Schema = schema.get("$defs", {})
        self._top = schema

    def root(self, table: Mapping[str, Any]) -> Node:
        """The node of a whole table."""
        return Node((), NodeKind.TABLE, table, True, True, self._top)

    def children(self, node: Node) -> tuple[Node, ...]:
        """The nodes inside a node; none of a value or of a list that is left out."""
        if node.kind is NodeKind.LIST:
            items = node.value if isinstance(node.value, list | tuple) else ()
            return tuple(
                self.make(self._item(node.schema, index), (*node.place, index), item, node.given)
                for index, item in enumerate(items)
            )
        if node.kind is NodeKind.TABLE and isinstance(node.value, Mapping):
            return tuple(self._fields(node, node.value))
        return ()

    def at(self, table: Mapping[str, Any], place: Place) -> Node | None:
        """The node at a place; None if there is none."""
        node: Node | None = self.root(table)
        for key in place:
            node = None if node is None else self._child(node, key)
        return node

    def _child(self, node: Node, key: str | int) -> Node | None:
        if node.kind is not NodeKind.LIST:
            table = node.value
            inside = node.kind is NodeKind.TABLE and isinstance(table, Mapping)
            return next(self._fields(node, table, (key,)), None) if inside else None
        items = node.value if isinstance(node.value, list | tuple) else ()
        if not isinstance(key, int) or not 0 <= key < len(items):
            return None
        place = (*node.place, key)
        return self.make(self._item(node.schema, key), place, items[key], node.given)

    def make(self, schema: Schema, place: Place, value: Any, given: bool,
             required: bool = True) -> Node:  # fmt: skip
        """The node of one value.

        Args:
            value: of the table, or `ABSENT`.
            given: whether it stands in the table itself, not in a default.
        """
        whole = self.resolved(schema)
        shown = whole.get("default", ABSENT) if value is ABSENT else value
        shown = ABSENT if shown is None else shown
        about = " ".join(str(whole.get("description", "")).replace("``", "").split())
        unit = str(whole.get("unit", ""))
        chosen, tag = self._chosen(whole, shown)
        kind, options = self._kind(chosen, shown)
        present = given and value is not ABSENT
        return Node(place, kind, shown, present, required, chosen, unit, about, tag, options)

    def row(self, node: Node) -> Node:
        """A list of plain values as one line of them; any other node as it is."""
        item = self.resolved(node.schema.get("items", {}))
        plain = node.kind is NodeKind.LIST and item.get("type") in _SCALARS
        return replace(node, kind=NodeKind.ROW) if plain else node

    def columns(self, node: Node) -> tuple[Node, ...]:
        """What a line of a list of tables may have, as nodes of its first item.

        The keys of a table in it count as its own, if it has to be there or is in some item.
        """
        first = (*node.place, 0)
        found: list[Node] = []
        items = node.value if isinstance(node.value, list | tuple) else ()
        for one in self.children(self.make(self.item_schema(node), first, {}, True)):
            if one.kind is NodeKind.TABLE:
                if one.required or any(one.key in item for item in items):
                    inside = self.make(self._key_schema(node, one.key), one.place, {}, True)
                    found += (each for each in self.children(inside) if not each.inner)
            elif not (shown := self.row(one)).inner:
                found.append(shown)
        return tuple(found)

    def _key_schema(self, node: Node, key: str | int) -> Schema:
        return self.resolved(self.item_schema(node)).get("properties", {}).get(key, {})

    def item_schema(self, node: Node) -> Schema:
        """What a further item of a list is like."""
        return self._item(node.schema, len(node.value) if isinstance(node.value, list) else 0)

    def field_schema(self, node: Node, key: str) -> Schema:
        """What a key of a table is like."""
        properties = node.schema.get("properties", {})
        return properties.get(key) or node.schema.get("additionalProperties") or {}

    # --- schemas --------------------------------------------------------------------------------

    def resolved(self, schema: Schema) -> Schema:
        """A schema with its reference followed, and without null among its alternatives."""
        found = dict(schema)
        while "$ref" in found:
            target = self._defs[str(found.pop("$ref")).removeprefix("#/$defs/")]
            found = dict(target) | found
        others = [each for each in found.get("anyOf", ()) if each.get("type") != "null"]
        if len(others) == 1:
            del found["anyOf"]
            found = dict(self.resolved(others[0])) | found
        elif others:
            found["anyOf"] = others
        return found

    def tags_of(self, schema: Schema) -> Mapping[Any, str]:
        """The values of a tag and what each stands for, in the order of the alternatives."""
        tag, mapping = schema["discriminator"]["propertyName"], schema["discriminator"]["mapping"]
        order: list[Any] = []
        for each in schema["oneOf"]:
            one = self.resolved(each)["properties"][tag]
            order += one.get("enum", [one.get("const")])
        return {value: mapping[value] for value in order}

    def variants(self, node: Node) -> Mapping[Any, Schema]:
        """Schemas of a tagged table by the tag's values."""
        mapping = node.schema.get("x-variants", {})
        return {tag: self.resolved({"$ref": reference}) for tag, reference in mapping.items()}

    def _chosen(self, schema: Schema, value: Any) -> tuple[Schema, str]:
        """The alternative that a value follows, and the tag that tells it."""
        if "discriminator" in schema:
            tag, mapping = schema["discriminator"]["propertyName"], self.tags_of(schema)
            tag_value = value.get(tag) if isinstance(value, Mapping) else None
            reference = mapping.get(tag_value) if isinstance(tag_value, str) else None
            body = self.resolved({"$ref": reference}) if reference else {"type": "object"}
            return dict(body) | {"x-variants": mapping, "x-tag": tag}, tag
        alternatives = schema.get("anyOf", ())
        if not alternatives:
            return schema, ""
        fitting = [self.resolved(each) for each in alternatives]
        best = next((each for each in fitting if _fits(each, value)), fitting[0])
        return dict(best) | {"x-alternatives": fitting}, ""

    def _kind(self, schema: Schema, value: Any) -> tuple[NodeKind, tuple[Any, ...]]:
        wanted = schema.get("type")
        if "const" in schema or "enum" in schema:
            return NodeKind.CHOICE, tuple(schema.get("enum", [schema.get("const")]))
        if wanted == "object":
            return _unless(value, Mapping, NodeKind.TABLE), ()
        if wanted == "array":
            row = self._is_row(schema)
            return (NodeKind.ROW if row else _unless(value, list | tuple, NodeKind.LIST)), ()
        simple = {
            "string": NodeKind.TEXT, "number": NodeKind.NUMBER,
            "integer": NodeKind.INTEGER, "boolean": NodeKind.SWITCH,
        }  # fmt: skip
        return simple.get(str(wanted), NodeKind.FOREIGN), ()

    def _is_row(self, schema: Schema) -> bool:
        count = schema.get("minItems")
        if count is None or count != schema.get("maxItems"):
            return False
        items = schema.get("prefixItems") or [schema.get("items", {})]
        return all(self.resolved(item).get("type") in _SCALARS for item in items)

    def _item(self, schema: Schema, index: int) -> Schema:
        prefix = schema.get("prefixItems", ())
        return prefix[index] if index < len(prefix) else schema.get("items", {})

    def _fields(
        self, node: Node, table: Mapping[str, Any], only: tuple[str | int, ...] = ()
    ) -> Iterator[Node]:
        """The nodes of a table's keys: all, or some only."""
        schema = node.schema
        known: dict[str, Any] = dict(schema.get("properties", {}))
        needed = schema.get("required", ())
        names = schema.get("propertyNames", {}).get("enum", ())
        tag = schema.get("x-tag", "")
        if tag:
            known = {tag: {"enum": list(schema["x-variants"])}} | {
                key: one for key, one in known.items() if key != tag
            }
            needed = (*needed, tag)
        elif names:
            one = schema["additionalProperties"]
            known = {str(name): one for name in names}
        for key, field_schema in known.items():
            if only and key not in only:
                continue
            value = table.get(key, ABSENT)
            place = (*node.place, key)
            yield self.make(field_schema, place, value, node.given, key in needed)
        free = {} if names else schema.get("additionalProperties")
        for key in table:
            if key not in known and (not only or key in only):
                place = (*node.place, key)
                if free:
                    yield self.make(free, place, table[key], node.given, False)
                else:
                    yield Node(place, NodeKind.FOREIGN, table[key], node.given, False, {})


def _unless(value: Any, wanted: Any, kind: NodeKind) -> NodeKind:
    return kind if value is ABSENT or isinstance(value, wanted) else NodeKind.FOREIGN


def _fits(schema: Schema, value: Any) -> bool:
    """Whether a value is of a schema's type, and of its length if it is a list."""
    match schema.get("type"):
        case "array":
            most = schema.get("maxItems", math.inf)
            return isinstance(value, list | tuple) and len(value) <= most
        case "object":
            return isinstance(value, Mapping)
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "number" | "integer":
            return isinstance(value, int | float) and not isinstance(value, bool)
    return False
