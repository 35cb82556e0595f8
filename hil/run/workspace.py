"""Where a machine holds, as the panel shows it: slices of a map of poses, and a proof of a box.

The values travel as lines of JSON from the process that computes them; who reads them back accepts
nothing that a picture of bounded size could not show.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Self

import numpy as np
import orjson
from numpy.typing import NDArray

Array = NDArray[np.float64]
Ends = tuple[float, float, float, float]
"""Left, right, lower and upper end of a rectangle."""
Verdict = Literal["holds", "violated", "undecided"]

MOST_CELLS: Final = 200
"""Most cells along a side of a slice."""
MOST_ITEMS: Final = 64
"""Most slices, limits, lines or marks of one result."""
MOST_CHARACTERS: Final = 2000
"""Longest text of a result."""


@dataclass(frozen=True, slots=True)
class LimitKind:
    """A limit that may bind in a cell."""

    name: str
    colour: str
    """Its colour, ``#rrggbb``."""


@dataclass(frozen=True, slots=True)
class RegionMark:
    """A place in a slice at which the number of a limit can be read."""

    right: float
    up: float
    limit: int
    """Number of the limit, from 0."""


@dataclass(frozen=True, slots=True, eq=False)
class WorkspaceSlice:
    """A slice of a map; arrays have a row for each step upwards, the lowest first."""

    right: str
    """Name of the coordinate to the right."""
    up: str
    """Name of the coordinate upwards."""
    unit: str
    """Unit of both coordinates."""
    title: str
    """Where the slice is."""
    ends: Ends
    box: Ends | None
    """Outline of the machine's pose box in this slice; None: none is drawn."""
    values: Array
    """Values of the quantity; NaN where there is none."""
    limits: NDArray[np.int8]
    """Number of the limit that binds in each cell."""
    inside: NDArray[np.bool_]
    """Whether a cell is inside all limits."""
    marks: tuple[RegionMark, ...]

    def to_mapping(self) -> dict[str, Any]:
        """Return it as a table of JSON, in which null is what has no value."""
        return {
            "right": self.right, "up": self.up, "unit": self.unit, "title": self.title,
            "ends": self.ends, "box": self.box, "values": self.values.tolist(),
            "limits": self.limits.tolist(), "inside": self.inside.tolist(),
            "marks": [(one.right, one.up, one.limit) for one in self.marks],
        }  # fmt: skip

    @classmethod
    def from_mapping(cls, raw: Mapping[str, Any], kinds: int) -> Self:
        """Read back what `to_mapping` wrote; a `KeyError` or `ValueError` if it is not that.

        Args:
            kinds: number of limits that there are.
        """
        values = _cells(raw["values"], np.float64)
        limits, inside = _cells(raw["limits"], np.int8), _cells(raw["inside"], np.bool_)
        if not values.shape == limits.shape == inside.shape:
            raise ValueError(f"slices of {values.shape}, {limits.shape} and {inside.shape}")
        marks = tuple(
            RegionMark(_finite(right), _finite(up), int(limit))
            for right, up, limit in _list(raw["marks"])
        )
        numbers = [int(limits.min()), int(limits.max()), *(one.limit for one in marks)]
        if not 0 <= min(numbers) <= max(numbers) < kinds:
            raise ValueError(f"limits {min(numbers)} to {max(numbers)}: there are {kinds}")
        return cls(
            _text(raw["right"]), _text(raw["up"]), _text(raw["unit"]), _text(raw["title"]),
            _rectangle(raw["ends"]), None if raw["box"] is None else _rectangle(raw["box"]),
            values, limits, inside, marks,
        )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class WorkspaceMap:
    """A map of poses, as slices through one of them."""

    quantity: str
    """Name of the quantity in options."""
    title: str
    """Name of the quantity for people."""
    unit: str
    """Unit of the values, empty if there is none."""
    worst: Literal["least", "greatest"]
    """Which end of the values is the bad one."""
    least: float
    """Least value of the whole map; NaN if there is none."""
    greatest: float
    """Greatest value of the whole map; NaN if there is none."""
    limits: tuple[LimitKind, ...]
    slices: tuple[WorkspaceSlice, ...]
    lines: tuple[str, ...]
    """Lines about the map for people."""

    def to_json(self) -> bytes:
        """Return it as JSON, in which null is what has no value."""
        return orjson.dumps({
            "quantity": self.quantity, "title": self.title, "unit": self.unit, "worst": self.worst,
            "least": self.least, "greatest": self.greatest,
            "limits": [(one.name, one.colour) for one in self.limits],
            "slices": [one.to_mapping() for one in self.slices], "lines": self.lines,
        })  # fmt: skip

    @classmethod
    def from_mapping(cls, raw: Mapping[str, Any]) -> Self:
        """Read back what `to_json` wrote; a `KeyError` or `ValueError` if it is not that."""
        limits = tuple(
            LimitKind(_text(name), _colour(colour)) for name, colour in _list(raw["limits"])
        )
        slices = tuple(
            WorkspaceSlice.from_mapping(one, len(limits)) for one in _list(raw["slices"])
        )
        if (worst := raw["worst"]) not in ("least", "greatest"):
            raise ValueError(f"{worst!r} is no end of a quantity")
        ends = np.array([raw["least"], raw["greatest"]], np.float64)
        return cls(
            _text(raw["quantity"]), _text(raw["title"]), _text(raw["unit"]), worst,
            float(ends[0]), float(ends[1]), limits, slices, _lines(raw["lines"]),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class WorkspaceProof:
    """A proof of a machine's pose box."""

    verdict: Verdict
    scale: float | None
    """Scale of the largest box of its proportions that was proved; None if it was not looked
    for."""
    lines: tuple[str, ...]
    """Lines about the proof for people."""

    def to_json(self) -> bytes:
        """Return it as JSON."""
        return orjson.dumps({"verdict": self.verdict, "scale": self.scale, "lines": self.lines})

    @classmethod
    def from_mapping(cls, raw: Mapping[str, Any]) -> Self:
        """Read back what `to_json` wrote; a `KeyError` or `ValueError` if it is not that."""
        if (verdict := raw["verdict"]) not in ("holds", "violated", "undecided"):
            raise ValueError(f"{verdict!r} is no verdict")
        scale = None if raw["scale"] is None else _finite(raw["scale"])
        return cls(verdict, scale, _lines(raw["lines"]))


def _cells(raw: Any, kind: type[np.generic]) -> NDArray[Any]:
    """Cells of a slice; at least one, and not more than are drawn."""
    rows = len(raw) if isinstance(raw, list) else 0
    columns = len(raw[0]) if rows and isinstance(raw[0], list) else 0
    if not (0 < rows <= MOST_CELLS and 0 < columns <= MOST_CELLS):
        raise ValueError(f"a slice of {rows} by {columns} cells")
    try:
        return np.array(raw, kind).reshape(rows, columns)
    except (TypeError, OverflowError) as error:
        raise ValueError(str(error)) from None


def _list(raw: Any) -> list[Any]:
    if not isinstance(raw, list) or len(raw) > MOST_ITEMS:
        raise ValueError(f"no list of at most {MOST_ITEMS} items")
    return raw


def _lines(raw: Any) -> tuple[str, ...]:
    return tuple(_text(one) for one in _list(raw))


def _text(raw: Any) -> str:
    if not isinstance(raw, str) or len(raw) > MOST_CHARACTERS:
        raise ValueError(f"no text of at most {MOST_CHARACTERS} characters")
    return raw


def _colour(raw: Any) -> str:
    text = _text(raw)
    if len(text) != 7 or text[0] != "#":
        raise ValueError(f"{text!r} is no colour")
    int(text[1:], 16)
    return text


def _finite(raw: Any) -> float:
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not np.isfinite(raw):
        raise ValueError(f"{raw!r} is no finite number")
    return float(raw)


def _rectangle(raw: Any) -> Ends:
    left, right, lower, upper = (_finite(one) for one in _list(raw))
    if not (left <= right and lower <= upper):
        raise ValueError(f"{raw}: the ends of a rectangle in the wrong order")
    return left, right, lower, upper
