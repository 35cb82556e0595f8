"""Faults that a simulated drive can be given, and when each of them is on.

A fault belongs to one leg and to a stretch of time, counted in bus cycles since the bank was
configured, so that the same list gives the same run, bit for bit.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from drives.bank import DriveModelError
from drives.sim import cylinder
from hil_common.legs import LEG_COUNT

FaultKind = Literal[
    "lag",
    "stuck_feedback",
    "feedback_jump",
    "feedback_nan",
    "lost_feedback",
    "drive_fault",
    "disabled",
    "blocked",
]
KINDS: tuple[FaultKind, ...] = get_args(FaultKind)


@dataclass(frozen=True, slots=True)
class SimFault:
    """One fault of one simulated drive."""

    kind: FaultKind
    """What is wrong: `lag`: the servo is slower by the factor `value` > 1, and its feed-forward
    weaker by it; `stuck_feedback`: the frames come, their measured values stay what they were;
    `feedback_jump`: `value` metres are added to the measured length; `feedback_nan`: the measured
    length is not a number; `lost_feedback`: no frame comes, the last values stay and are not
    fresh; `drive_fault`: the drive trips with the error code `value`, 1 to 65535; `disabled`: the
    drive drops out of its enabled state without a fault; `blocked`: the rod jams."""
    leg: int
    """Number of the leg, 1 to 6."""
    start_s: float
    """Beginning of the fault, counted from when the bank was configured [s]."""
    duration_s: float | None = None
    """Duration [s]; None for the rest of the run."""
    value: float = 0.0
    """Parameter of the kind; 0 where it has none."""

    def __post_init__(self) -> None:
        """Refuse a fault that could not be carried out as written."""
        if self.kind not in KINDS:
            text = f"fault kind is {self.kind!r}, it must be one of {', '.join(KINDS)}"
            raise DriveModelError(text)
        if self.leg not in range(1, LEG_COUNT + 1):
            raise DriveModelError(
                f"fault {self.kind}: leg is {self.leg}, it must be 1 to {LEG_COUNT}"
            )
        place = f"fault {self.kind} of leg {self.leg}"
        if not (math.isfinite(self.start_s) and self.start_s >= 0.0):
            text = f"{place}: start_s is {self.start_s} s, it must be finite and not negative"
            raise DriveModelError(text)
        lasting = self.duration_s
        if lasting is not None and not (math.isfinite(lasting) and lasting > 0.0):
            text = f"{place}: duration_s is {lasting} s, it must be positive, or absent for ever"
            raise DriveModelError(text)
        self._check_value(place)

    def _check_value(self, place: str) -> None:
        value = self.value
        if self.kind == "lag" and not (math.isfinite(value) and value > 1.0):
            raise DriveModelError(f"{place}: value is {value}, a factor above 1 is needed")
        if self.kind == "feedback_jump" and not (math.isfinite(value) and value != 0.0):
            raise DriveModelError(f"{place}: value is {value} m, a finite step is needed")
        if self.kind == "drive_fault" and value not in range(1, 0x10000):
            raise DriveModelError(f"{place}: value is {value}, an error code 1 to 65535 is needed")


def burden_rods(parameters: cylinder.Floats, faults: Sequence[SimFault]) -> None:
    """Give the rods the faults that change how they move.

    Args:
        parameters: Those of the kernel, shape (6, PARAMETER_COLUMNS), changed in place.
        faults: The faults that are on.
    """
    for fault in faults:
        row = parameters[fault.leg - 1]
        if fault.kind == "lag":
            row[cylinder.OMEGA_SQUARED] /= fault.value**2
            row[cylinder.DAMPING_RATE] /= fault.value
            row[cylinder.FEED] /= fault.value
        elif fault.kind == "blocked":
            row[cylinder.BLOCKED] = 1.0


class FaultSchedule:
    """Schedule of the faults that are on in each cycle."""

    def __init__(self, faults: Sequence[SimFault], period_s: float) -> None:
        spans: list[tuple[int, float, SimFault]] = []
        for fault in faults:
            first = round(fault.start_s / period_s)
            end = math.inf
            if fault.duration_s is not None:
                end = float(first + max(1, round(fault.duration_s / period_s)))
            spans.append((first, end, fault))
        self._spans = tuple(spans)
        edges = (edge for first, end, _ in spans for edge in (first, end))
        self.changes: frozenset[float] = frozenset(edges)
        """Cycles with which a fault begins or ends."""

    def active(self, cycle: int) -> tuple[SimFault, ...]:
        """Return the faults that are on in this cycle, in the order they were given."""
        return tuple(fault for first, end, fault in self._spans if first <= cycle < end)
