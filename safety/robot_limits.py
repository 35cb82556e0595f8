"""Values of a jointed robot's gate: limits of its axes, what is asked and found, verdicts.

Axes are the driven joints, in any number; an axis turns or slides, and its unit says so. Joint
limits are always there; a robot that exists in metal has bounds of speed, acceleration, effort and
workspace besides, which `None` leaves out for one that does not.
"""

import math
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from safety.limits import LimitsError

Values = tuple[float, ...]


class RobotCheck(Enum):
    """Quantity that was checked. The value is its name in a violation's text."""

    COUNT = "number of values"
    FINITE = "value"
    POSITION = "position"
    BRAKING = "stopping point"
    SPEED = "speed"
    ACCELERATION = "acceleration"
    EFFORT = "effort"
    FOLLOWING = "following error"
    FEEDBACK = "measured value"
    BOX = "place of the tool"
    OWN_BODIES = "own bodies touch"
    ASKED = "stop asked"


class RobotAction(Enum):
    """Action of the gate on a setpoint."""

    PASSED = "passed"
    """It is allowed, unchanged."""
    STOPPING = "controlled stop"
    """Instead of it the axes slow down, all at rest at the same time."""
    HOLDING = "hold"
    """The robot is at rest and is kept there."""
    OFF = "drives off"
    """Nothing is known of where the axes are: every command is zero."""


class RobotAxis(NamedTuple):
    """Limits of one axis, in its unit: rad or m."""

    name: str
    """Such as "joint 3"."""
    unit: str
    """rad or m."""
    least: float
    """Smallest position; -inf for none."""
    greatest: float
    """Greatest position; inf for none."""
    stop: float
    """Deceleration of a controlled stop, per s2."""
    following: float
    """Greatest distance from setpoint to measured position."""
    speed: float | None = None
    """Greatest, per s."""
    acceleration: float | None = None
    """Greatest, per s2."""
    effort: float | None = None
    """Greatest [N m] or [N]."""
    free: bool = False
    """Whether its place is asked by nobody: what is measured is judged, and following is not."""


@dataclass(frozen=True, slots=True)
class RobotLimits:
    """All limits of a robot.

    Raises:
        LimitsError: one is not a number, of the wrong sign, or contradicts another.
    """

    name: str
    """Name of the robot."""
    axes: tuple[RobotAxis, ...]
    """Axes in the order of setpoints."""
    period_s: float
    """Time from setpoint to setpoint [s]."""
    box_m: tuple[Values, Values] | None = None
    """Least and greatest corner of the tool's workspace in the base; None for no bound."""
    own_bodies: bool = False
    """Whether its own bodies must not touch each other."""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.period_s) and self.period_s > 0.0):
            text = "need a finite time above 0 s"
            raise LimitsError(f"{self.name}: period_s = {self.period_s} s; {text}")
        if not self.axes:
            raise LimitsError(f"{self.name}: no axis; need at least one driven joint")
        for axis in self.axes:
            place = f"{self.name}, {axis.name}"
            if not axis.least < axis.greatest:
                raise LimitsError(
                    f"{place}: least = {axis.least} {axis.unit} is not below "
                    f"greatest = {axis.greatest} {axis.unit}"
                )
            for field in ("stop", "following", "speed", "acceleration", "effort"):
                value = getattr(axis, field)
                if value is not None and not (math.isfinite(value) and value > 0.0):
                    raise LimitsError(f"{place}: {field} = {value}; need a finite number above 0")
        if self.box_m is not None:
            least, greatest = self.box_m
            if not all(a < b for a, b in zip(least, greatest, strict=True)):
                raise LimitsError(f"{self.name}: box_m = {self.box_m} m spans no box")

    def widened(self, other: "RobotLimits") -> tuple[str, ...]:
        """Bounds of a machine that other limits would loosen, in words; empty if there are none.

        Joint limits are not looked at: they are of the mechanism, whose setpoints are judged anew.
        """
        after = {axis.name: axis for axis in other.axes}
        found: list[str] = []
        for axis in self.axes:
            now = after.get(axis.name)
            for name in ("speed", "acceleration", "effort"):
                bound = getattr(axis, name)
                if bound is None:
                    continue
                most = None if now is None else getattr(now, name)
                if now is None or now.unit != axis.unit or most is None:
                    found.append(f"{axis.name}: its {name} bound of {bound:g} would be gone")
                elif not most <= bound:
                    found.append(f"{axis.name}: {name} bound {most:g}, it was {bound:g}")
            if now is not None and now.free and not axis.free:
                found.append(f"{axis.name}: its following would not be judged any more")
        if self.box_m is not None and not _within(other.box_m, self.box_m):
            found.append(f"box_m {other.box_m} is not within {self.box_m}")
        if self.own_bodies and not other.own_bodies:
            found.append("own bodies might touch each other")
        return tuple(found)


def _within(box_m: tuple[Values, Values] | None, other_m: tuple[Values, Values]) -> bool:
    """Whether a box lies within another one."""
    if box_m is None:
        return False
    corners = zip(*box_m, *other_m, strict=True)
    return all(least <= a and b <= greatest for a, b, least, greatest in corners)


class RobotSetpoint(NamedTuple):
    """Setpoint that is asked of the axes, or allowed to them."""

    positions: Values
    """[rad] or [m]."""
    speeds: Values
    """[rad/s] or [m/s]; for the law, judged by differences of the positions."""
    accelerations: Values
    """[rad/s2] or [m/s2]; for the law."""


class RobotFound(NamedTuple):
    """Measured values of a robot."""

    positions: Values
    """[rad] or [m]."""
    speeds: Values
    """[rad/s] or [m/s]."""
    efforts: Values = ()
    """Efforts of the drives [N m] or [N]; empty if they are not measured."""
    tool_m: Values = ()
    """Place of the tool in the base; empty if there is none."""
    touching: tuple[str, ...] = ()
    """Pairs of its own bodies that touch, such as "link 2 and link 5"."""


@dataclass(frozen=True, slots=True)
class RobotViolation:
    """One broken rule."""

    check: RobotCheck
    """Rule that was broken."""
    axis: str
    """Name of the axis, empty for a rule about the robot."""
    value: float
    """Value that was found."""
    limit: float
    """The nearer limit."""
    unit: str
    """Unit of value and limit."""
    note: str = ""
    """Name of the quantity, or what else there is to know."""

    @property
    def message(self) -> str:
        """Text such as ``joint 3: speed 2.1 rad/s, limit 1.5 rad/s``."""
        place = f"{self.axis}: " if self.axis else ""
        if self.check in (RobotCheck.OWN_BODIES, RobotCheck.ASKED):
            return f"{place}{self.check.value}: {self.note}"
        tail = f" ({self.note})" if self.note else ""
        if self.check in (RobotCheck.FINITE, RobotCheck.FEEDBACK) and not math.isfinite(self.value):
            return f"{place}{self.check.value} {self.value} is not finite{tail}"
        unit = f" {self.unit}" if self.unit else ""
        return (
            f"{place}{self.check.value} {self.value:.6g}{unit}, limit {self.limit:.6g}{unit}{tail}"
        )

    @property
    def data(self) -> dict[str, str | float]:
        """The same for a recording: what a reader sorts and counts by."""
        return {"check": self.check.name, "axis": self.axis, "value": self.value,
                "limit": self.limit, "unit": self.unit, "note": self.note}  # fmt: skip


@dataclass(frozen=True, slots=True)
class RobotVerdict:
    """The gate's answer to one setpoint."""

    action: RobotAction
    """Action of the gate."""
    violations: tuple[RobotViolation, ...]
    """Rules broken in this period; empty later in the same stop."""
    allowed: RobotSetpoint | None
    """The only one that may be followed; None: every command is zero."""


def axis_violation(
    check: RobotCheck, axis: RobotAxis, value: float, limit: float, per: str = "", note: str = ""
) -> RobotViolation:
    """Broken rule of an axis, in the axis's unit.

    Args:
        per: rest of the unit, such as ``/s``.
        note: name of the quantity, or what else there is to know.
    """
    return RobotViolation(check, axis.name, value, limit, axis.unit + per, note)
