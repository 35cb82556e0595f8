"""Values that go into the gate and come out of it: setpoints, feedback, violations, verdicts.

A verdict is data, not a bool: it says what was done (action), why (violations with check, leg,
value, limit and unit), what may be sent (allowed) and what the drives are asked to be (drives).
Lengths are actuator lengths [m], speeds are their rates [m/s], positive when the leg extends.
Legs are numbered 1..6 towards people and are in leg order in every tuple of six.
"""

import math
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from hil_common.identity_enum import IdentityEnum
from hil_common.legs import (
    LEG_COUNT,
    ZERO_SIX,
    DriveReading,
    LegTarget,
    SixBools,
    SixFloats,
    SixInts,
    store_six,
)  # fmt: skip
from safety.modes import DriveRequest, Mode, Request, Severity

SEQUENCE_MODULUS = 2**32


class Check(Enum):
    """Quantity that was checked. The value is its name in a violation's text."""

    FINITE = "value"
    POSITION = "position"
    SPEED = "speed"
    ACCELERATION = "acceleration"
    BRAKING = "stopping point"
    SPEED_MISMATCH = "feed-forward speed differs from the movement by"
    FOLLOWING = "following error"
    FEEDBACK = "feedback missing for"
    STUCK = "command moved by"
    JUMP = "jump of the measured length"
    LAG = "feedback lags by"
    FORCE = "force"
    WARNING = "drive warning"
    QUICK_STOP = "quick stop at"
    DRIVE = "drive"
    ESTOP = "emergency stop"
    ESTOP_DISCREPANCY = "emergency stop channels"
    STALE = "setpoint age"
    MISSING = "setpoint missing for"
    SEQUENCE = "setpoint sequence"
    START = "start offset"
    FIRST_SETPOINT = "before the first motion is made"
    FIRST_MOTION = "first motion"
    PERIOD = "cycle time"
    LATE = "lateness"
    CONTROL = "control"
    REQUEST = "request"
    INTERNAL = "gate self-check"


class Action(IdentityEnum):
    """Action of the gate in this cycle."""

    BLOCKED = "BLOCKED"
    """No position setpoint may be sent."""
    PASSED = "PASSED"
    """The asked setpoint is allowed, unchanged."""
    BRIDGED = "BRIDGED"
    """A missing setpoint was extrapolated at constant speed."""
    STOPPING = "STOPPING"
    """A step of the controlled stop of all six legs."""
    HOLDING = "HOLDING"
    """The last commanded lengths, with zero speed."""


SETPOINT_CHECKS = frozenset(
    {
        Check.FINITE,
        Check.POSITION,
        Check.SPEED,
        Check.ACCELERATION,
        Check.BRAKING,
        Check.SPEED_MISMATCH,
        Check.STALE,
        Check.MISSING,
        Check.SEQUENCE,
        Check.START,
        Check.FIRST_SETPOINT,
    }
)


def _figure(value: float) -> str:
    """Three decimals where they give the whole value, else up to nine significant figures."""
    if float(value).is_integer() and abs(value) >= 1.0:
        return f"{value:.0f}"
    if abs(value - round(value, 3)) < 1e-10:
        return f"{value:.3f}"
    return f"{value:.9g}"


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken rule."""

    check: Check
    """Rule that was broken."""
    leg: int | None
    """Leg number 1..6, or None for a rule about the cycle or the whole setpoint."""
    value: float
    """Value that was found."""
    limit: float
    """The limit; with `low`, the upper end of the permitted range."""
    unit: str
    """Unit of value and limit."""
    severity: Severity
    """Strength of the gate's reaction."""
    low: float | None = None
    """Lower end of the permitted range, when both ends matter."""
    note: str = ""
    """More words: which signal, in which mode."""
    request: Request | None = None
    """Request that was refused, of `Check.REQUEST`."""

    @property
    def cause(self) -> str:
        """Cause in words: two different causes of class B make a class A.

        All that one setpoint does wrong is one cause; what goes wrong on one leg is one cause; so
        is feedback that lags, on however many legs.
        """
        if self.check in _ESTOP_CHECKS:
            return "emergency stop"
        if self.check in SETPOINT_CHECKS:
            return "setpoint"
        if self.check is Check.LAG:
            return "lag"  # of a link or gateway, mostly: all legs come late by one cause
        return "cycle" if self.leg is None else f"leg {self.leg}"

    @property
    def _is_reading(self) -> bool:
        return self.check is Check.WARNING and bool(self.unit)

    def __str__(self) -> str:
        """Text such as `leg 3: position 0.842 m outside [0.520, 0.830] m`."""
        place = "" if self.leg is None else f"leg {self.leg}: "
        if self.check in _TOLD_BY_NOTE and not self._is_reading:
            return f"{place}{self.check.value}: {self.note}"
        unit = f" {self.unit}" if self.unit else ""
        value, limit = _figure(self.value), _figure(self.limit)
        if not math.isfinite(self.value):
            return f"{place}{self.note or self.check.value} {value}{unit} is not finite"
        tail = f" ({self.note})" if self.note else ""
        is_note = self.severity is Severity.INFORM or self.check is Check.MISSING
        if is_note and self.value <= self.limit and self.low is None:
            return f"{place}{self.check.value} {value} of at most {limit}{unit}{tail}"
        if self.low is not None:
            low = _figure(self.low)
            return f"{place}{self.check.value} {value}{unit} outside [{low}, {limit}]{unit}{tail}"
        return f"{place}{self.check.value} {value}{unit}, more than {limit}{unit}{tail}"


_ESTOP_CHECKS = frozenset({Check.ESTOP, Check.ESTOP_DISCREPANCY})
_TOLD_BY_NOTE = _ESTOP_CHECKS | {
    Check.CONTROL,
    Check.REQUEST,
    Check.INTERNAL,
    Check.DRIVE,
    Check.WARNING,
    Check.SEQUENCE,
    Check.FIRST_SETPOINT,
    Check.FIRST_MOTION,
}


@dataclass(frozen=True, slots=True)
class Setpoint:
    """Setpoint that control asks for one cycle.

    Raises:
        TypeError: on anything but six numbers, or a sequence that is no integer.
        ValueError: on a sequence outside 0..2^32-1.
    """

    sequence: int
    """Counter of control's setpoints, 0..2^32-1; it wraps."""
    length_m: SixFloats
    """Asked actuator lengths [m]."""
    speed_m_s: SixFloats
    """Their rates at the end of the cycle [m/s], a feed-forward for the drives."""

    def __post_init__(self) -> None:
        if type(self.sequence) is not int:
            raise TypeError(f"sequence: {self.sequence!r} is not an int")
        if not 0 <= self.sequence < SEQUENCE_MODULUS:
            raise ValueError(f"sequence: {self.sequence} outside [0, {SEQUENCE_MODULUS - 1}]")
        store_six(self, "length_m", "speed_m_s")


@dataclass(frozen=True, slots=True)
class Feedback:
    """Values that the drives reported in the last bus cycle.

    Raises:
        TypeError: on anything but six numbers each, or six flags each.
    """

    length_m: SixFloats
    """Measured actuator lengths [m]; may be NaN, the gate judges it."""
    speed_m_s: SixFloats
    """Measured rates [m/s]."""
    enabled: SixBools
    """The drive follows position setpoints."""
    homed: SixBools
    """The drive knows where its leg is."""
    fault_code: SixInts
    """0 for none, else the drive's own code."""
    fresh: SixBools
    """This cycle's frame of this leg arrived."""
    judged: SixBools = (False, False, False, False, False, False)
    """The code is the bench's own judgement, and not what the drive reported."""
    force_n: SixFloats = ZERO_SIX
    """Measured forces along the legs [N]; 0 for a drive that reports none."""
    warning_code: SixInts = (0, 0, 0, 0, 0, 0)
    """Codes of the drives' warnings while they still run; 0 for none."""
    age_s: SixFloats = ZERO_SIX
    """How long before this cycle the length was measured, by the drive's own time stamp [s]; 0 for
    a drive that gives none; may be NaN, the gate judges it."""
    high: tuple[DriveReading, ...] = ()
    """Readings of heat and load above their limits."""
    failed: str = ""
    """Reason why the drives' reports are not to be believed any more; empty while all is well."""

    def __post_init__(self) -> None:
        store_six(self, "length_m", "speed_m_s", "force_n")
        if self.age_s != ZERO_SIX:
            store_six(self, "age_s")
        six = LEG_COUNT
        if not (
            len(self.enabled) == len(self.homed) == len(self.fault_code) == six
            and len(self.fresh) == len(self.judged) == len(self.warning_code) == six
        ):
            for name in ("enabled", "homed", "fault_code", "fresh", "judged", "warning_code"):
                if len(getattr(self, name)) != six:
                    raise TypeError(f"{name}: {len(getattr(self, name))} values, need {six}")


class Verdict(NamedTuple):
    """The gate's answer of one cycle."""

    index: int  # type: ignore[assignment]  # hides tuple.index, which nobody uses
    """The cycle it belongs to."""
    mode: Mode
    """Mode after this cycle."""
    action: Action
    """Action of the gate."""
    violations: tuple[Violation, ...]
    """Rules broken in this cycle, informing ones included."""
    allowed: LegTarget | None
    """The only setpoint that may be sent; None means none may."""
    drives: DriveRequest
    """State that is requested of the drives."""
    faults: tuple[Violation, ...]
    """Latched violations, in the order they came, until they are cleared; those of a stop that no
    person asked for, until a person acts."""
    lag_s: float | None = None
    """Greatest lag of a leg's measured path [s]; None before one has moved enough."""
