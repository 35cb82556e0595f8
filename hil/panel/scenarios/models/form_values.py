"""Values of a form: what is shown of them, what typed text means, and what a new one begins as."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from hil.panel.scenarios.models.form_nodes import ABSENT, Node, NodeKind, NodeMaker, Place, Schema
from sim.toml_reader import TomlReadError, read_value


def shown(node: Node) -> str:
    """A node's value as text; empty for tables, lists and what is not there."""
    if node.value is ABSENT or node.inner:
        return ""
    if node.kind is NodeKind.ROW and isinstance(node.value, list | tuple):
        return ", ".join(_plain(item) for item in node.value)
    return _plain(node.value)


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else repr(value)


def parsed(node: Node, text: str, maker: NodeMaker) -> Any:
    """The value that typed text means.

    What is no number stays text, for the check to say so beside it.
    """
    if node.kind is NodeKind.ROW:
        parts = text.strip().removeprefix("[").removesuffix("]").split(",")
        kinds = node.schema.get("prefixItems", ())
        items = [kinds[i] if i < len(kinds) else node.schema.get("items", {})
                 for i in range(len(parts))]  # fmt: skip
        return [_scalar(maker.resolved(one), part) for one, part in zip(items, parts, strict=True)]
    if isinstance(node.value, list | tuple):  # a row of a matrix
        with suppress(TomlReadError):
            return read_value(text)
    return _scalar(node.schema, text)


def _scalar(schema: Schema, text: str) -> Any:
    text = text.strip() if schema.get("type") != "string" else text
    if schema.get("type") == "boolean" and text in ("true", "false"):
        return text == "true"
    if "enum" in schema:
        return next((option for option in schema["enum"] if _plain(option) == text), text)
    if schema.get("type") in ("number", "integer"):
        for number in (int, float):
            try:
                return number(text)
            except ValueError:
                continue
    return text


def blank(schema: Schema, maker: NodeMaker) -> Any:
    """A value to begin with: the default, else the least that the schema takes."""
    one = maker.resolved(schema)
    if one.get("default") is not None and one.get("type") != "object":
        return _as_lists(one["default"])
    if "discriminator" in one:
        first, reference = next(iter(maker.tags_of(one).items()))
        return blank({"$ref": reference}, maker) | {one["discriminator"]["propertyName"]: first}
    if "anyOf" in one:
        return blank(one["anyOf"][0], maker)
    if "const" in one or "enum" in one:
        return one.get("enum", [one.get("const")])[0]
    match one.get("type"):
        case "object":
            return {key: blank(one["properties"][key], maker) for key in one.get("required", ())}
        case "array":
            prefix = one.get("prefixItems", ())
            items = [prefix[i] if i < len(prefix) else one.get("items", {})
                     for i in range(one.get("minItems", 0))]  # fmt: skip
            return [blank(item, maker) for item in items]
        case "number" | "integer":
            return _number(one)
        case "boolean":
            return False
    return ""


def _number(schema: Schema) -> float:
    low, high = schema.get("minimum", schema.get("exclusiveMinimum")), schema.get("maximum")
    start = 0 if low is None or low < 0 else low
    if "exclusiveMinimum" in schema and start <= schema["exclusiveMinimum"]:
        start = 1 if high is None or high >= 1 else high
    return start if high is None else min(start, high)


def _as_lists(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _as_lists(item) for key, item in value.items() if item is not None}
    return [_as_lists(item) for item in value] if isinstance(value, list | tuple) else value


def value_at(table: Any, place: Place) -> Any:
    """What stands at a place of a table; `ABSENT` if nothing does."""
    for key in place:
        try:
            table = table[key]
        except (KeyError, IndexError, TypeError):
            return ABSENT
    return table


def replaced(table: Any, place: Place, value: Any) -> Any:
    """A copy of a table with another value at a place, or without it if the value is `ABSENT`.

    Raises:
        KeyError: if the way there is not.
    """
    if not place:
        return value
    key, rest = place[0], place[1:]
    if isinstance(table, Mapping):
        copy = dict(table)
        if rest:
            copy[key] = replaced(table[key], rest, value)
        elif value is ABSENT:
            copy.pop(key, None)
        else:
            copy[key] = value
        return copy
    if not isinstance(table, list | tuple) or not isinstance(key, int) or not 0 <= key < len(table):
        raise KeyError(place)
    if not rest and value is ABSENT:
        return [item for index, item in enumerate(table) if index != key]
    return [replaced(item, rest, value) if index == key else item
            for index, item in enumerate(table)]  # fmt: skip
