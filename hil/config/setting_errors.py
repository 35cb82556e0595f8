"""Errors of settings in words: key path, value, and what would have been right."""

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from pydantic import BaseModel

from hil.config.errors import Wrong

KEYS_MAX: Final = 12
"""Keys of a table that are listed at most."""
_PLAIN: Final = {
    "finite_number": "must be a finite number",
    "float_type": "must be a number",
    "int_type": "must be a whole number",
    "bool_type": "must be true or false",
    "string_type": "must be text in quotes",
    "tuple_type": "must be a list in square brackets, such as [1, 2]",
    "model_type": "must be a table",
    "dict_type": "must be a table",
}
"""Kinds of errors of the library whose words are not those of somebody who writes a file."""
_OF_NUMBERS: Final = ("float_type", "int_type")
_PATTERNS: Final = {
    "^[0-9A-F]{4}h(:[0-9]{1,3})?$": "must be an object such as 1006h, or 1400h:5 with a subindex",
    "^[0-9]{4}-[0-9]{2}-[0-9]{2}$": "must be a date such as 2026-03-31",
    "^([0-9a-f]{64})?$": "must be the SHA-256 of the file: 64 digits 0 to 9, a to f",
}


def follows(item: Any) -> bool:
    """Whether a list is too short only without its wrong items, of which each has its line."""
    return item["type"] == "too_short" and len(item["input"]) >= item["ctx"]["min_length"]


def describe(model: type[BaseModel], table: Any, item: dict[str, Any]) -> Wrong:
    """One line for one validation error: key path, value, and what would have been right."""
    found = _written_path(table, item["loc"])
    place = tuple(part for part in found if "[" not in str(part))  # not which form was tried
    path = ".".join(map(str, found)) or "the file"
    kind, value = item["type"], item.get("input")
    context = item.get("ctx", {})
    if kind == "missing":
        message = "is left out; it is required"
        return Wrong(place, message, f"{path} {message}", kind)
    if kind == "extra_forbidden":
        message = f"unknown key{_suggestion(model, item['loc'])}"
        return Wrong(place, message, f"{path} = {shown(value)}: {message}", kind)
    message: str = item["msg"].removeprefix("Value error, ").removeprefix("Input ")
    key = path.rstrip("0123456789.")
    if kind in {"less_than_equal", "less_than"} and key.endswith(("_m", "_m_s", "_m_s2")):
        message += " (SI units: is the value in millimetres?)"
    message = _PLAIN.get(kind, message)
    if kind in _OF_NUMBERS and isinstance(value, str):
        message += ", without quotes or unit"
    if kind == "string_pattern_mismatch":
        message = _pattern_in_words(context["pattern"])
    if kind in ("too_short", "too_long"):
        most = kind == "too_long"
        bound = context["max_length"] if most else context["min_length"]
        words = f"{'at most' if most else 'at least'} {bound} item{'s' if bound != 1 else ''}"
        message = f"must have {words}, not {context['actual_length']}"
    if kind == "union_tag_invalid":
        tag = str(context["discriminator"]).strip("'")
        message = f"must be one of {context['expected_tags']}"
        if isinstance(value, Mapping) and tag in value:
            path, value = f"{path}.{tag}", value[tag]
    if kind == "union_tag_not_found":
        message = "is left out; it is required"
        tag = str(context["discriminator"]).strip("'")
        return Wrong((*place, tag), message, f"{path}.{tag} {message}", kind)
    if "discriminator" in context:  # the whole table is named, but one key of it decides
        place = (*place, str(context["discriminator"]).strip("'"))
    return Wrong(place, message, f"{path} = {shown(value)}: {message}", kind)


def _written_path(table: Any, location: tuple[int | str, ...]) -> list[str | int]:
    """The part of an error's location that is in the file.

    Pydantic adds the tag of the chosen variant of a union, and an index where one number was given
    for six legs; neither is a key that the user could find.
    """
    path: list[str | int] = []
    node: Any = table
    for position, part in enumerate(location):
        last = position == len(location) - 1
        if isinstance(node, Mapping) and (part in node or last):
            node = node.get(part)
        elif isinstance(node, list | tuple) and isinstance(part, int) and part < len(node):
            node = node[part]
        elif not (last and isinstance(node, Mapping | list | tuple)):
            continue
        path.append(part)
    return path


def _suggestion(model: type[BaseModel], location: tuple[Any, ...]) -> str:
    key = str(location[-1])
    if len(location) > 1 and key in model.model_fields:
        return f" here (it belongs at the top of the file, above the first [table]: {key} = ...)"
    known = sorted(_all_keys(model, set()) - {key})  # it may be right elsewhere
    close = difflib.get_close_matches(key, known, n=1, cutoff=0.6)
    if close:
        return f" (did you mean {close[0]}?)"
    if len(location) == 1 and len(model.model_fields) <= KEYS_MAX:
        return f" (there are {', '.join(model.model_fields)})"
    return ""


def _pattern_in_words(pattern: str) -> str:
    """Rule for a text that breaks a pattern, as words where there are any."""
    if pattern in _PATTERNS:
        return _PATTERNS[pattern]
    found = re.fullmatch(r"\^\[a-z0-9_\]\{1,(\d+)\}\$", pattern)
    if found:
        return f"must be 1 to {found[1]} of the characters a to z, 0 to 9 and _"
    return f"must be written as the pattern {pattern} says"


def _all_keys(model: type[BaseModel], seen: set[type]) -> set[str]:
    """Every key of a model and of the models inside it (annotations are searched for models)."""
    if model in seen:
        return set()
    seen.add(model)
    keys: set[str] = set()
    for name, field in model.model_fields.items():
        keys.add(name)
        for inner in _models_in(field.annotation):
            keys |= _all_keys(inner, seen)
    return keys


def _models_in(annotation: Any) -> Iterable[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in getattr(annotation, "__args__", ()):
        yield from _models_in(argument)


def shown(value: Any) -> str:
    """A value as it is quoted in an error, cut if it is long."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
