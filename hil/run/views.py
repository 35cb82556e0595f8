"""What people see of a run, as its station knows it: values, whoever draws them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from hil.scene.margins import MarginGroup

Role = Literal["dim", "ok", "warn", "fault", "accent"]


class Shape(Enum):
    """What a lamp looks like."""

    REST = "rest"
    MOVES = "moves"
    STOPS = "stops"
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """One thing that a check of a whole motion has found."""

    place: str
    """Phase and leg, or joint and waypoint."""
    quantity: str
    value: float
    limit: float
    unit: str
    t_s: float | None
    """When it begins, from the start of its phase [s]; None if it has no time."""
    wrong: bool
    """Whether the limit is passed; else it is what comes nearest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Views:
    """What is shown of runs of a station beside their signals and events."""

    lamps: Mapping[str, tuple[Role, Shape]] = field(default_factory=dict)
    """Mode → colour and shape of its lamp; the two say the same, so neither is needed alone."""
    margins: Callable[[Mapping[str, Any]], tuple[MarginGroup, ...]] | None = None
    """What is left to limits, from the plan in a run's header; raises `KeyError` or `ValueError`
    for a plan that does not describe its machines."""
    first_traces: tuple[str, ...] = ()
    lateness: tuple[tuple[str, str], ...] = ()
    """Name and signal of each time of a turn that is counted: how late, how long it took."""
    moving: tuple[str, ...] = ()
    clears: frozenset[str] = frozenset()
    """Modes in which no fault stands any more."""
    advice: Mapping[str, str] = field(default_factory=dict)
    """Check of its gate → what to do about what it found."""
    findings: Callable[[Mapping[str, Any]], tuple[CheckFinding, ...]] | None = None


NO_VIEWS: Final = Views()
"""Of a station that is not installed: its signals and events are all that is known."""


def number(value: object) -> float:
    """A number out of JSON, which has none for what is not there."""
    return float(value) if isinstance(value, int | float) else float("nan")
