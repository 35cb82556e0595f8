"""JSON schemas of every kind of settings file, for editors and for forms.

Bounds, defaults and descriptions come from the models themselves. Units are part of every key
(``stroke_m``, ``rate_max_deg_s``); here they are written out as ``unit`` beside it, so that a form
need not take names apart.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hil.config.settings import Settings

DIALECT = "https://json-schema.org/draft/2020-12/schema"

UNITS = {
    "_counts_per_m": "1/m",
    "_torque_constant_nm_a": "N m/A",
    "_back_emf_v_s": "V s/rad",
    "_inductance_h": "H",
    "_speed_gain_v_s": "V s/rad",
    "_stiffness_nm_rad": "N m/rad",
    "_kg_m2": "kg m²",
    "_kg_m3": "kg/m³",
    "_nm_s": "N m s/rad",
    "_n_s_m": "N s/m",
    "_m_s3": "m/s³",
    "_m_s2": "m/s²",
    "_m_s": "m/s",
    "_rad_s2": "rad/s²",
    "_rad_s": "rad/s",
    "_deg_s3": "°/s³",
    "_deg_s2": "°/s²",
    "_deg_s": "°/s",
    "_deg": "°",
    "_rad": "rad",
    "_ohm": "Ω",
    "_nm": "N m",
    "_stiffness_n_m": "N/m",
    "_w": "W",
    "_kg": "kg",
    "_hz": "Hz",
    "_mb": "MB",
    "_mm": "mm",
    "_m": "m",
    "_s": "s",
    "_n": "N",
    "_v": "V",
    "_a": "A",
}
"""Endings of keys and their units; of several that fit, the longest counts."""


def schema_of(model: type[Settings], title: str) -> dict[str, Any]:
    """The JSON schema of a kind of file.

    Returns:
        The schema, each field that has a unit with its ``unit``.
    """
    schema = {"$schema": DIALECT} | model.model_json_schema() | {"title": title}
    for _, fields in tables_of(schema):
        for key, field in fields.items():
            if unit := unit_of(key):
                field["unit"] = unit
    return schema


def schema_of_forms(
    forms: Mapping[str, type[Settings]], place: Sequence[str], title: str
) -> dict[str, Any]:
    """The JSON schema of a kind of file with several forms, told apart by a value of theirs.

    Args:
        forms: models by that value.
        place: keys from the top of the table to it.
    """
    definitions: dict[str, Any] = {}
    cases = []
    for value, model in forms.items():
        schema = schema_of(model, title)
        del schema["$schema"]
        definitions |= schema.pop("$defs", {})
        cases.append({"if": _names(place, {"const": value}), "then": schema})
    names = _names(place, {"enum": list(forms)})
    return {"$schema": DIALECT, "title": title, **names, "allOf": cases, "$defs": definitions}


def _names(place: Sequence[str], value: dict[str, Any]) -> dict[str, Any]:
    """A schema of tables that have such a value at a place."""
    for key in reversed(place):
        value = {"type": "object", "required": [key], "properties": {key: value}}
    return value


def tables_of(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Name and fields of every table of a schema, its own first."""
    yield str(schema.get("title", "")), schema.get("properties", {})
    for name, table in schema.get("$defs", {}).items():
        yield name, table.get("properties", {})


def unit_of(key: str) -> str | None:
    """The unit that a key names; None for a number or text without one."""
    endings = [ending for ending in UNITS if f"_{key}".endswith(ending)]
    return UNITS[max(endings, key=len)] if endings else None
