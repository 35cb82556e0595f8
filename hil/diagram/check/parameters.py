"""Checks of the parameters in a block's line against those of its kind."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from hil.config.similar_names import nearest
from hil.diagram.file.units import UnitError, unit
from hil.diagram.library.kind import NUMBERS_MOST, WORDS, BlockKind, ParameterKind, shape_of

TEXT_MOST: Final = 200
SIZES_MOST: Final = 3

Scope = Mapping[str, Any]
"""Parameters of the diagram around, by name."""


def checked(
    kind: BlockKind, given: Mapping[str, Any], scope: Scope, problems: list[str]
) -> dict[str, Any] | None:
    """Return values for every parameter of a kind; None and a report if something is wrong."""
    known = [one.name for one in kind.parameters]
    before = len(problems)
    for name in given:
        if name not in known:
            text = f"it has {', '.join(known)}" if known else "it has none"
            problems.append(
                f"{name[:60]}: {kind.name} has no such parameter{nearest(name, known)} ({text})"
            )
    values = {}
    for one in kind.parameters:
        written = given.get(one.name, one.default)
        value = resolved(written, scope)
        if one.type == "file" and value != written:
            problems.append(f"{one.name} = {written!r:.60}: a path is needed, not a parameter")
        elif value is None:
            problems.append(_absent(one, written))
        elif fault := fault_of(one, value):
            problems.append(f"{one.name} = {value!r:.60}: {fault}")
        else:
            values[one.name] = _as_written(one, value)
    if len(problems) == before and (fault := kind.fault_of(values)):
        problems.append(fault)
    return values if len(problems) == before else None


def resolved(value: Any, scope: Scope) -> Any:
    """Return a value with ``$name`` replaced, also in lists; None if there is no such parameter."""
    if isinstance(value, str) and value.startswith("$"):
        return scope.get(value[1:])
    if isinstance(value, tuple):
        inner = tuple(resolved(one, scope) for one in value)
        return None if any(one is None for one in inner) else inner
    return value


def _absent(one: ParameterKind, written: Any) -> str:
    if written is None:
        return f"{one.name} is left out; {_wanted(one)} is needed"
    return f"{one.name} = {written!r:.60}: the diagram has no such parameter"


def _as_written(one: ParameterKind, value: Any) -> Any:
    if one.type in ("real", "reals", "matrix", "value"):
        return _floats(value)
    return value


def _floats(value: Any) -> Any:
    return tuple(_floats(one) for one in value) if isinstance(value, tuple) else float(value)


def fault_of(one: ParameterKind, value: Any) -> str:
    """Describe the fault of one value; empty if there is none."""
    if one.type in WORDS:
        return _text_fault(one, value)
    if one.type == "boolean":
        return "" if isinstance(value, bool) else "true or false is needed"
    if one.type == "shape":
        return _shape_fault(value)
    depths = {"real": (0,), "integer": (0,), "reals": (1,), "matrix": (2,), "value": (0, 1, 2, 3)}
    if _depth(value) not in depths["value" if one.each else one.type]:
        return f"{_wanted(one)} is needed"
    numbers = _numbers(value)
    if len(numbers) > NUMBERS_MOST:
        return f"{len(numbers)} numbers; at most {NUMBERS_MOST}"
    if not numbers:
        return f"{_wanted(one)} is needed{', or one for each element' if one.each else ''}"
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, int | float):
            return f"{_wanted(one)} is needed"
        if one.type == "integer" and not isinstance(number, int):
            return "a whole number is needed"
        if abs(number) > 1e300 or math.isnan(number):
            return "a finite number is needed (up to 1e300)"
        if not (one.low <= number <= one.high and number > one.above):
            return f"{_bounds(one)} is needed"
    return "" if _is_even(value) else "rows of as many numbers each are needed"


def _is_even(value: Any) -> bool:
    """Return whether all rows have the same shape."""
    if not isinstance(value, tuple):
        return True
    return len({shape_of(one) for one in value}) == 1 and all(map(_is_even, value))


def _depth(value: Any) -> int:
    return 1 + _depth(value[0] if value else 0) if isinstance(value, tuple) else 0


def _numbers(value: Any) -> list[Any]:
    if isinstance(value, tuple):
        return [number for one in value for number in _numbers(one)]
    return [value]


def _text_fault(one: ParameterKind, value: Any) -> str:
    most = TEXT_MOST if math.isinf(one.high) else int(one.high)
    if not isinstance(value, str) or len(value) > most or not value.isprintable():
        return f"a text of at most {most} printable characters is needed"
    if one.choices and value not in one.choices:
        return f"{' or '.join(one.choices)} is needed{nearest(value, one.choices)}"
    if one.type == "unit" and (value or one.default != ""):
        try:
            found = unit(value)
        except UnitError as error:
            return str(error)
        if any(symbol.startswith("?") for symbol in found):
            return "a unit without variables is needed"
    return ""


def _shape_fault(value: Any) -> str:
    if value == "?s":
        return ""
    sizes = value if isinstance(value, tuple) else ("",)
    if len(sizes) > SIZES_MOST or not all(
        isinstance(one, int) and not isinstance(one, bool) and 1 <= one <= 4096 for one in sizes
    ):
        return f"a list of at most {SIZES_MOST} sizes from 1 to 4096 is needed"
    return ""


_WORDS: Final = {
    "real": "a number", "integer": "a whole number", "reals": "a list of numbers",
    "matrix": "a list of rows of numbers", "value": "a number, or a list or rows of numbers",
    "boolean": "true or false", "text": "a text", "unit": "a unit", "shape": "a list of sizes",
    "file": "a path",
}  # fmt: skip


def _wanted(one: ParameterKind) -> str:
    return _WORDS[one.type]


def _bounds(one: ParameterKind) -> str:
    words = f"{_wanted(one)} [{one.unit}]"
    if one.above > -math.inf:
        words += f" above {one.above:g}"
    if one.low > -math.inf:
        words += f" from {one.low:g}"
    if one.high < math.inf:
        words += f" to {one.high:g}"
    return words
