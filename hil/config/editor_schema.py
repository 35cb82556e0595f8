"""Schemas for editors: of what is wrong in a file one message, at the key that is wrong.

A validator that tries each form of a union says what is wrong with it in every form. Here the key
that names the form decides first (`if` and `then`), a value that may be left out is not a union
with null, which TOML has not, and plain types that exclude each other are in one `type`.
"""

from typing import Any, Final

_KEPT: Final = {"title", "description", "default", "unit", "examples"}
"""Keys that describe a union itself."""


def for_editors(schema: Any) -> Any:
    """The same schema, its unions written so that each fault gives one error.

    Source: JSON Schema 2020-12, validation vocabulary 6.1.1 (`type`), applicator vocabulary 10.2.2
    (`if`, `then`).
    """
    if isinstance(schema, list):
        return [for_editors(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {key: for_editors(value) for key, value in schema.items()}
    if "discriminator" in schema:
        return _decided(schema)
    if "anyOf" in schema:
        return _one_of_types(schema)
    return schema


def _decided(schema: dict[str, Any]) -> dict[str, Any]:
    """A union whose form is named by a key."""
    tag, forms = schema["discriminator"]["propertyName"], schema["discriminator"]["mapping"]
    cases = [
        {
            "if": {"properties": {tag: {"const": name}}, "required": [tag]},
            "then": {"$ref": form},
        }
        for name, form in forms.items()
    ]
    kept = {key: value for key, value in schema.items() if key in _KEPT}
    named = {tag: {"enum": list(forms)}}
    return kept | {"type": "object", "required": [tag], "properties": named, "allOf": cases}


def _one_of_types(schema: dict[str, Any]) -> dict[str, Any]:
    """A union of which each form has another type, or whose only other form is null."""
    forms = [one for one in schema["anyOf"] if one.get("type") != "null"]
    kept = {key: value for key, value in schema.items() if key != "anyOf"}
    if len(forms) == 1:
        return forms[0] | kept
    types = [one.get("type") for one in forms]
    keywords = [key for one in forms for key in one if key != "type"]
    if None in types or len({*types}) < len(types) or len({*keywords}) < len(keywords):
        return kept | {"anyOf": forms}
    merged = {key: value for one in forms for key, value in one.items()}
    return merged | kept | {"type": types}
