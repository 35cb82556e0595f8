"""Values of the arms' gate: limits of each arm, samples of a waypoint, violations, verdicts.

Two arms do the same motion: the simulated one that an operator moves, and the industrial one that
repeats it on the bench, with people beside it. One waypoint is one sample of each. Angles are joint
angles [rad], unwrapped: a joint that has turned once further is 2 pi further on. No limit has a
default, because a limit left out must never mean "unlimited".
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from numbers import Real
from typing import NamedTuple

from safety.arm_corners import CornerLimit
from safety.limits import LimitsError

JOINTS_LEAST, JOINTS_MOST = 3, 8
Values = tuple[float, ...]


class ArmCheck(Enum):
    """Quantity that was checked. The value is its name in a violation's text."""

    COUNT = "number of values"
    FINITE = "value"
    ROTATION = "length of the quaternion"
    POSITION = "position"
    RATE = "rate"
    ACCELERATION = "acceleration"
    GRIPPER_SPEED = "gripper speed"
    GRIPPER_TURN = "gripper turn rate"
    REACH = "distance out of reach"
    MARGIN = "margin"
    CLEARANCE = "clearance"
    CORNER = "path deviation at a corner"
    SEQUENCE = "waypoint"
    START = "start"
    LATCHED = "refused"
    INTERNAL = "gate self-check"


class ArmAction(Enum):
    """Action of the gate on a waypoint."""

    PASSED = "PASSED"
    """Both arms' samples are allowed, unchanged."""
    REFUSED = "REFUSED"
    """Nothing of the waypoint may be sent, for either arm."""


class Margin(NamedTuple):
    """Least value that a distance, such as the one to a singularity, must keep."""

    name: str
    """Name of what it is a distance to, such as "wrist singularity"."""
    least: float
    """Smallest permitted value, in `unit`."""
    unit: str
    """Its unit, such as "rad" or "m"."""


class Clearances(NamedTuple):
    """Free distances between the arm's own bodies, which the gate measures by itself."""

    pairs: tuple[str, ...]
    """Names of the two bodies of each, such as "column and forearm"."""
    least_m: float
    """Smallest permitted distance [m]."""
    measure: Callable[[Values], Iterable[float]]
    """Distances [m] at the joint angles [rad], one for each pair."""


def _numbers(place: str, values: Iterable[object]) -> Values:
    """Real numbers as Python floats; NaN and infinity go through, the gate judges them."""
    found: list[float] = []
    for number, value in enumerate(values, 1):
        # A bool is an int in Python: True would be a joint at one radian.
        if isinstance(value, bool) or not isinstance(value, Real):
            raise TypeError(f"{place}, entry {number}: {value!r} is not a number; need a float")
        found.append(float(value))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class ArmLimits:
    """All limits of one arm.

    Raises:
        LimitsError: a limit is missing, not finite, of the wrong sign, or contradicts another.
        TypeError: a limit is not a number.
    """

    name: str
    """The arm, as people call it, such as "RM-01"."""
    joint_names: tuple[str, ...]
    """Names of the joints, three to eight."""
    position_min_rad: Values
    """Smallest joint angles [rad], one a joint; what slides has its unit in `joint_units`."""
    position_max_rad: Values
    """Greatest joint angles [rad], one a joint."""
    rate_max_rad_s: Values
    """Greatest joint rates [rad/s], one a joint."""
    acceleration_max_rad_s2: Values
    """Greatest joint accelerations [rad/s^2], one a joint."""
    gripper_speed_max_m_s: float
    """Greatest mean speed of the gripper between two waypoints [m/s]."""
    gripper_turn_max_rad_s: float
    """Greatest mean turn rate of the gripper between them [rad/s]."""
    margins: tuple[Margin, ...]
    """Distances to keep; a sample has one value for each, in this order."""
    clearances: Clearances | None
    """Clearances of its own bodies; None for an arm of which there is no model of bodies."""
    corners: CornerLimit | None
    """Limit of the corners of its controller; None for an arm whose controller rounds none."""
    joint_units: tuple[str, ...] = ()
    """Unit of each joint's angle, "rad" or "m"; all rad if left out."""

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise LimitsError("arm limits: the name is empty; need one, to say which arm broke one")
        object.__setattr__(self, "joint_names", tuple(self.joint_names))
        count = len(self.joint_names)
        if not JOINTS_LEAST <= count <= JOINTS_MOST:
            raise LimitsError(
                f"{self.name}: joint_names: {count} values; need {JOINTS_LEAST} to {JOINTS_MOST}"
            )
        object.__setattr__(self, "joint_units", tuple(self.joint_units) or ("rad",) * count)
        if len(self.joint_units) != count or not set(self.joint_units) <= {"rad", "m"}:
            raise LimitsError(
                f"{self.name}: joint_units {self.joint_units}; need {count}, each rad or m"
            )
        if len(set(self.joint_names)) != count:
            raise LimitsError(f"{self.name}: joint_names {self.joint_names} must differ")
        for name, unit in _PER_JOINT.items():
            values = _numbers(f"{self.name}: {name}", getattr(self, name))
            object.__setattr__(self, name, values)
            if len(values) != count:
                raise LimitsError(
                    f"{self.name}: {name}: {len(values)} values; need {count}, one per joint"
                )
            for joint, own, value in zip(self.joint_names, self.joint_units, values, strict=True):
                place, positive = f"{self.name}, {joint}: {name}", name not in _SIGNED
                _require(place, value, unit.replace("rad", own), positive)
        for joint, unit, low, high in zip(
            self.joint_names, self.joint_units, self.position_min_rad, self.position_max_rad,
            strict=True,
        ):  # fmt: skip
            if not low < high:
                raise LimitsError(
                    f"{self.name}, {joint}: position_min_rad = {low} {unit} is not below "
                    f"position_max_rad = {high} {unit}"
                )
        for name, unit in _PER_GRIPPER.items():
            (value,) = _numbers(f"{self.name}: {name}", (getattr(self, name),))
            object.__setattr__(self, name, value)
            _require(f"{self.name}: {name}", value, unit, True)
        object.__setattr__(self, "margins", tuple(Margin(*each) for each in self.margins))
        for margin in self.margins:
            (least,) = _numbers(f"{self.name}: least {margin.name}", (margin.least,))
            _require(f"{self.name}: least {margin.name}", least, margin.unit, False)
        if self.clearances is not None:
            (least,) = _numbers(f"{self.name}: least clearance", (self.clearances.least_m,))
            _require(f"{self.name}: least clearance", least, "m", False)


_SIGNED = frozenset({"position_min_rad", "position_max_rad"})
_PER_JOINT = {
    "position_min_rad": "rad",
    "position_max_rad": "rad",
    "rate_max_rad_s": "rad/s",
    "acceleration_max_rad_s2": "rad/s^2",
}
_PER_GRIPPER = {"gripper_speed_max_m_s": "m/s", "gripper_turn_max_rad_s": "rad/s"}


def _require(place: str, value: float, unit: str, positive: bool) -> None:
    if not math.isfinite(value):
        raise LimitsError(f"{place} = {value} {unit} is not finite; need a finite number")
    if positive and value <= 0.0:
        raise LimitsError(f"{place} = {value} {unit} is not positive; need more than 0")


@dataclass(frozen=True, slots=True)
class ArmSample:
    """Place that is asked of one arm at one waypoint.

    Any count and any float may be here, NaN too: the gate judges them.

    Raises:
        TypeError: an entry is not a number.
    """

    q_rad: Values
    """Joint angles [rad], one a joint, unwrapped; of a joint that slides its travel [m]."""
    gripper_position_m: Values
    """Place of the gripper then, in the arm's own base [m], three."""
    gripper_rotation: Values
    """Rotation of the gripper there, a unit quaternion, w first."""
    margins: Values = ()
    """Distances in the order and units of `ArmLimits.margins`."""

    def __post_init__(self) -> None:
        for name in ("q_rad", "gripper_position_m", "gripper_rotation", "margins"):
            object.__setattr__(self, name, _numbers(name, getattr(self, name)))


@dataclass(frozen=True, slots=True)
class ArmViolation:
    """One broken rule."""

    check: ArmCheck
    """Rule that was broken."""
    arm: str
    """Name of the arm, empty for a rule about the waypoint as a whole."""
    joint: str
    """Name of the joint, empty for a rule about the arm."""
    value: float
    """Value that was found."""
    limit: float
    """The limit; with `low`, the upper end of the permitted range."""
    unit: str
    """Unit of value and limit."""
    low: float | None = None
    """Lower end of the permitted range, when both ends matter."""
    note: str = ""
    """More words: which quantity, in what circumstances."""

    @property
    def message(self) -> str:
        """Text such as `RM-01, elbow: rate 2.100 rad/s outside [-1.500, 1.500] rad/s`."""
        names = ", ".join(name for name in (self.arm, self.joint) if name)
        place = f"{names}: " if names else ""
        if self.check in _TOLD_BY_NOTE:
            return f"{place}{self.check.value}: {self.note}"
        unit = f" {self.unit}" if self.unit else ""
        value, limit = _figure(self.value), _figure(self.limit)
        if self.check is ArmCheck.FINITE:
            return f"{place}{self.note} {value}{unit} is not finite"
        if self.check is ArmCheck.MARGIN:
            return f"{place}distance to {self.note} {value}{unit}, less than {limit}{unit}"
        if self.check is ArmCheck.CLEARANCE:
            return f"{place}{self.note} are {value}{unit} apart, less than {limit}{unit}"
        tail = f" ({self.note})" if self.note else ""
        if self.check in _EXACT:
            return f"{place}{self.check.value} {value}, need {limit}{tail}"
        if self.low is not None:
            low = _figure(self.low)
            return f"{place}{self.check.value} {value}{unit} outside [{low}, {limit}]{unit}{tail}"
        return f"{place}{self.check.value} {value}{unit}, more than {limit}{unit}{tail}"

    @property
    def data(self) -> dict[str, str | float | None]:
        """The same for a recording: what a reader sorts and counts by."""
        return {
            "check": self.check.name,
            "arm": self.arm,
            "joint": self.joint,
            "value": self.value,
            "limit": self.limit,
            "low": self.low,
            "unit": self.unit,
            "note": self.note,
        }

    def __str__(self) -> str:
        return self.message


_TOLD_BY_NOTE = frozenset({ArmCheck.START, ArmCheck.LATCHED, ArmCheck.INTERNAL})
_EXACT = frozenset({ArmCheck.COUNT, ArmCheck.SEQUENCE, ArmCheck.ROTATION})


def _figure(value: float) -> str:
    """Three decimals where they give the whole value, else up to nine significant figures."""
    if value.is_integer() and abs(value) >= 1.0:
        return f"{value:.0f}"
    if abs(value - round(value, 3)) < 1e-10:
        return f"{value:.3f}"
    return f"{value:.9g}"


@dataclass(frozen=True, slots=True)
class ArmVerdict:
    """The gate's answer to one waypoint."""

    index: int
    """The waypoint that it belongs to."""
    action: ArmAction
    """Action of the gate."""
    violations: tuple[ArmViolation, ...]
    """Rules broken; empty if and only if it passed."""
    allowed: tuple[ArmSample, ...] | None
    """The only samples that may be sent, one per arm; None means none may."""
