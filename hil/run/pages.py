"""A page of a station's own in the panel, as values: what it shows of a row, what it lets ask.

The panel builds whatever is here and knows no station. What a person asks for becomes one
table, which the desk has proved before control sees it, as it does with a motion's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Literal

Role = Literal["dim", "ok", "warn", "fault", "accent"]
"""Role of a colour, which each theme has a colour for."""


class Shape(Enum):
    """Shape of a lamp."""

    REST = "rest"
    MOVES = "moves"
    STOPS = "stops"
    FAULT = "fault"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLamp:
    """A lamp for a signal of codes, with the reason beside it."""

    label: str
    signal: str
    """Signal whose codes are the lamp's states."""
    states: Mapping[str, tuple[Role, Shape]]
    """Name of a code → colour and shape; others are dim and at rest."""
    why: str = ""
    """Another signal of codes with the reason; empty for none."""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Words by the name of that signal's code; others are not shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageBar:
    """Numbers on one scale, a bar for each, from `rest`."""

    label: str
    bars: tuple[tuple[str, str], ...]
    """Name and column of each."""
    low: float
    high: float
    unit: str = ""
    rest: float = 0.0
    """Value from which a bar is drawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageNumber:
    """One number."""

    label: str
    column: str
    unit: str = ""
    digits: int = 2
    names: tuple[str, ...] = ()
    """Words for 1, 2 and so on, which are shown beside the number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageText:
    """Words that stay."""

    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PageTable:
    """Several numbers below each other."""

    label: str
    rows: tuple[PageNumber, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageButton:
    """Asks for something when it is pressed."""

    label: str
    asks: Mapping[str, Any] = field(default_factory=dict)
    """Keys of the table, and their values from then on."""
    counts: str = ""
    """A key that is one more with each press; empty for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFlag:
    """Words for a number that is 1 or 0."""

    label: str
    column: str
    on: str = "on"
    off: str = "off"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSwitch:
    """Switch; `key` is true while it is on."""

    label: str
    key: str
    on: bool = False
    """State at first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSlider:
    """A slider for a number, which is requested when the slider is released."""

    label: str
    key: str
    """Key in the table; `inputs.pedal` is the key `pedal` of the table `inputs` in it."""
    low: float
    high: float
    step: float
    value: float
    """Value at first."""
    unit: str = ""


PageWidget = (
    PageLamp
    | PageBar
    | PageNumber
    | PageFlag
    | PageText
    | PageTable
    | PageButton
    | PageSwitch
    | PageSlider
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page."""

    title: str
    widgets: tuple[PageWidget, ...]
    """Widgets from top to bottom."""
    asks: Mapping[str, Any] = field(default_factory=dict)
    """Keys and values that the requested table always has."""
