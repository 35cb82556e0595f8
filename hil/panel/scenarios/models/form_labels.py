"""What stands beside a setting's field: its key in words with the unit, and its bounds in signs."""

from collections.abc import Mapping
from typing import Any, Final

from hil.config.schema import unit_of

_UNIT_WORDS: Final = frozenset(
    {
        "a",
        "deg",
        "hz",
        "kg",
        "m",
        "m2",
        "m3",
        "mb",
        "mm",
        "n",
        "nm",
        "ohm",
        "rad",
        "s",
        "s2",
        "s3",
        "v",
    }
)
"""Parts of a key that spell its unit."""
_SUPERLATIVES: Final = {"max": "maximum", "min": "minimum"}


_KEYS: Final = {
    "counts_per_m": "counts per metre",
    "com_m": "centre of mass",
    "dh": "Denavit-Hartenberg rows",
    "oat_deg": "angles o, a, t",
    "rpy_rad": "roll, pitch, yaw",
    "linear_m_s": "linear speed",
    "angular_rad_s": "angular speed",
    "lowpass_hz": "low-pass",
    "servo_s": "servo period",
    "canopen": "CANopen",
    "modbus": "Modbus",
    "url": "URL",
}


def label_of(key: str) -> str:
    """A key in words with its unit, such as ``closed length [m]``.

    Keys whose parts are no words have words of their own.
    """
    unit = unit_of(key)
    return f"{words_of(key)} [{unit}]" if unit else words_of(key)


def words_of(key: str) -> str:
    """A key in words, without its unit."""
    if key in _KEYS:
        return _KEYS[key]
    parts = key.split("_")
    while unit_of(key) and len(parts) > 1 and parts[-1] in _UNIT_WORDS:
        parts.pop()
    if len(parts) > 1 and parts[-1] in _SUPERLATIVES:
        parts = [_SUPERLATIVES[parts[-1]], *parts[:-1]]
    return " ".join(parts)


def bounds_of(schema: Mapping[str, Any]) -> str:
    """Bounds of a number, of each number of a row, or of a list's length, in signs."""
    if schema.get("type") == "array":
        low, high = schema.get("minItems"), schema.get("maxItems")
        inner = _same_items(schema)
        text = bounds_of(inner) if inner else ""
        if low == high and low is not None:
            return f"{low} × {text}" if text else ""
        return _between(low, "≤", high, "≤")
    low, high = schema.get("minimum"), schema.get("maximum")
    below, above = "≤", "≤"
    if "exclusiveMinimum" in schema:
        low, below = schema["exclusiveMinimum"], "<"
    if "exclusiveMaximum" in schema:
        high, above = schema["exclusiveMaximum"], "<"
    return _between(low, below, high, above)


def _between(low: float | None, below: str, high: float | None, above: str) -> str:
    left = "" if low is None else f"{low:.10g} {below} "
    right = "" if high is None else f" {above} {high:.10g}"
    return f"{left}…{right}" if left or right else ""


def _same_items(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    items = schema.get("prefixItems") or [schema.get("items", {})]
    return items[0] if all(item == items[0] for item in items) else {}
