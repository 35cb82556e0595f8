"""Settings of three axes that may be written as one number for all."""

from __future__ import annotations

from typing import Any

from pydantic import WithJsonSchema


def per_axis(value: Any) -> Any:
    """Expand one number to three, pass three on as they are; ValueError for anything else."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return (value,) * 3
    if isinstance(value, tuple) and len(value) == 3:
        return value
    raise ValueError("must be one number, or a list of three (one per axis)")


def three_numbers(least: float, most: float) -> WithJsonSchema:
    """Describe such a setting in a schema: one number, or a list of three."""
    number = {"type": "number", "minimum": least, "maximum": most}
    three = {"type": "array", "items": number, "minItems": 3, "maxItems": 3}
    return WithJsonSchema({"anyOf": [number, three]})
