"""The end of a run as control reports it: its cause, and what is done until it is over."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any


class EndCause(Enum):
    """Cause of the end."""

    SHUT_DOWN = "shut_down"
    """An operator pressed for it."""
    TERMINAL = "terminal"
    """Ctrl-C where the run was started, or a signal."""
    FAULT = "fault"
    """Something is wrong beyond repair within the run."""
    GAVE_UP = "gave_up"
    """The drives did not do in time what was asked."""
    DESK = "desk"
    """No panel can be reached any more."""
    SOURCE = "source"
    """The source that moves an arm has ended it."""
    CONTROL = "control"
    """Control ends it: a gate that refused, a robot that is lost, a time that is over."""
    UNKNOWN = "unknown"
    """One that is not known here: control is newer than who reads of it."""


class EndStep(Enum):
    """Step of the end that is under way."""

    STOPPING = "stopping"
    PARKING = "parking"
    AWAITING_PARK = "awaiting_park"
    """The platform is held aloft until somebody parks it, or the time for that is over."""
    POWER_OFF = "power_off"
    UNDER_WAY = "under_way"
    """Something that is not known here."""


@dataclass(frozen=True, slots=True)
class RunEnd:
    """An end that is under way."""

    cause: EndCause
    """Cause of the end."""
    step: EndStep
    """Step that is under way."""
    why: str = ""
    """Name of whoever pressed, or what is wrong; empty if the cause says it all."""
    left_s: float = 0.0
    """Time until the power goes off where the platform is [s], in `AWAITING_PARK`."""
    waits: str = ""
    """Reason why the gate does not let it continue yet; empty if it does."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.left_s < math.inf:
            raise ValueError(f"left_s = {self.left_s} s: a finite time of 0 s or more is needed")

    def to_mapping(self) -> dict[str, Any]:
        """Return it as what JSON can hold."""
        return {
            "cause": self.cause.value,
            "step": self.step.value,
            "why": self.why,
            "left_s": self.left_s,
            "waits": self.waits,
        }

    @classmethod
    def from_mapping(cls, raw: Mapping[str, Any]) -> RunEnd:
        """Read it back; a cause and a step that are not known here are what is known of them.

        Raises:
            KeyError, TypeError, ValueError: if it is none.
        """
        said, why = str(raw["cause"]), str(raw["why"])
        cause = next((one for one in EndCause if one.value == said), EndCause.UNKNOWN)
        return cls(
            cause,
            next((one for one in EndStep if one.value == raw["step"]), EndStep.UNDER_WAY),
            why or (said if cause is EndCause.UNKNOWN else ""),
            float(raw["left_s"]),
            str(raw["waits"]),
        )
