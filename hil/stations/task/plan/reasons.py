"""Reasons why a task did not succeed: a closed set, with time, place, value and limit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

Reason = Literal[
    "collision", "dropped", "slip", "grip_lost", "blocked", "unreachable", "force", "saturated",
    "jammed", "not_found", "sensor", "time_out", "worker", "angle", "not_clear",
]  # fmt: skip
REASONS: Final[tuple[Reason, ...]] = get_args(Reason)
"""All reasons; a diagram gives one by its place from 1 on, and 0 for none."""


def reason_of(code: float) -> Reason | None:
    """Reason that a diagram means by a number; None for none, or no such number."""
    number = round(code) if code == code else 0  # a nan is none
    return REASONS[number - 1] if 1 <= number <= len(REASONS) else None


@dataclass(frozen=True, slots=True)
class TaskFinding:
    """TaskFinding about a run, as data."""

    reason: Reason
    """Kind of the finding."""
    t_s: float
    """Time of the run [s]."""
    text: str
    """Sentence about it."""
    place_m: tuple[float, float, float] | None = None
    """Place in the world [m]; None if it has none."""
    value: float | None = None
    """Value that is beyond its limit; None if it has none."""
    limit: float | None = None
    """Limit of the value."""
    unit: str = ""
    """Unit of value and limit."""
    final: bool = True
    """Whether the run has failed by it, and cannot make it good."""

    def __str__(self) -> str:
        """Sentence such as ``collision at t = 3.200 s: link 0 touches goods_2``."""
        return f"{self.reason} at t = {self.t_s:.3f} s: {self.text}"

    def to_table(self) -> Mapping[str, Any]:
        """Data of the finding for events and files, without what it has not."""
        values = {
            "reason": self.reason, "at_s": self.t_s, "text": self.text, "value": self.value,
            "limit": self.limit, "unit": self.unit or None,
            "place_m": None if self.place_m is None else list(self.place_m),
        }  # fmt: skip
        return {key: value for key, value in values.items() if value is not None}


def timed_out(t_s: float, limit_s: float) -> TaskFinding:
    """Finding about a run whose time is over."""
    text = f"not done within {limit_s:g} s"
    return TaskFinding("time_out", t_s, text, value=t_s, limit=limit_s, unit="s")
