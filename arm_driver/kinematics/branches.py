"""The eight ways to reach a pose, and why one cannot be taken: solutions, limits, errors."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, IntEnum
from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arm_driver.errors import ArmError, arm_array
from arm_driver.kinematics.geometry import PumaGeometry
from arm_driver.kinematics.kernels import puma as kernel

Array = NDArray[np.float64]


class Shoulder(IntEnum):
    """Side of the direction of reach on which the arm is, as a human's arm would be."""

    RIGHT = 0
    LEFT = 1


class Elbow(IntEnum):
    """Above or below the line from shoulder to wrist, while the arm reaches forward."""

    UP = 0
    DOWN = 1


class Wrist(IntEnum):
    """NO_FLIP where the sine of joint 5 is not negative."""

    NO_FLIP = 0
    FLIP = 1


@dataclass(frozen=True, slots=True, order=True)
class Branch:
    """One of the eight ways to reach a pose."""

    shoulder: Shoulder
    """Right or left."""
    elbow: Elbow
    """Elbow up or down."""
    wrist: Wrist
    """Flipped or not."""

    @property
    def index(self) -> int:
        """Its number 0..7 in arrays."""
        return 4 * self.shoulder + 2 * self.elbow + self.wrist

    def __str__(self) -> str:
        names = (self.shoulder.name, self.elbow.name, self.wrist.name)
        return " ".join(name.lower().replace("_", "-") for name in names)


BRANCHES = tuple(Branch(s, e, w) for s in Shoulder for e in Elbow for w in Wrist)
"""All eight, at their index."""


class Reach(Enum):
    """Reason why a wrist centre cannot be where a pose wants it."""

    TOO_FAR = kernel.TOO_FAR
    TOO_NEAR = kernel.TOO_NEAR
    INSIDE_SHOULDER = kernel.INSIDE_SHOULDER


_REACH_TEXT = {
    Reach.TOO_FAR: "too far: the wrist centre is {:.6g} m beyond full stretch",
    Reach.TOO_NEAR: "too near: the wrist centre is {:.6g} m nearer than the folded arm",
    Reach.INSIDE_SHOULDER: "the wrist centre is {:.6g} m inside the cylinder that the sideways "
    "offset of the forearm keeps free about the waist's axis",
}


class OutOfReachError(ArmError):
    """No joint angles reach the pose.

    Attributes:
        excess_m: distance of the wrist centre from where it could be [m].
        reach: which way it is out of reach.
    """

    def __init__(self, reach: Reach, excess_m: float) -> None:
        super().__init__(f"out of reach, {_REACH_TEXT[reach].format(excess_m)}")
        self.reach: Reach = reach
        self.excess_m: float = excess_m


@dataclass(frozen=True, slots=True)
class LimitViolation:
    """A joint outside its range."""

    joint: int
    """1..6."""
    value_rad: float
    """Its angle [rad]."""
    limit_rad: float
    """The limit it is beyond [rad]."""
    flip_rad: float = 0.0
    """The turn in one step that would bring it back inside [rad]; 0 if no turn does."""

    @property
    def flip(self) -> str:
        """Turn that is needed to continue, in words; empty if no whole turn leads back inside."""
        if self.flip_rad == 0.0:
            return ""
        turn = abs(math.degrees(self.flip_rad))
        return f"to go on inside the range it would have to flip by {turn:.0f} deg in one step"

    def __str__(self) -> str:
        side = "above" if self.value_rad > self.limit_rad else "below"
        text = f"joint {self.joint}: {self.value_rad:.6g} rad is {side} {self.limit_rad:.6g} rad"
        return f"{text}; {self.flip}" if self.flip else text


class JointLimitError(ArmError):
    """The pose is in reach, but with no allowed solution inside the joints' ranges.

    Attributes:
        violations: of the solution that comes nearest.
    """

    def __init__(self, branch: Branch, violations: tuple[LimitViolation, ...]) -> None:
        super().__init__(f"{branch}: " + "; ".join(str(one) for one in violations))
        self.branch: Branch = branch
        self.violations: tuple[LimitViolation, ...] = violations


class SingularError(ArmError):
    """Too near a singularity.

    Attributes:
        name: wrist, elbow or shoulder.
        value: the distance from it, in ``unit``.
        limit: the smallest one allowed.
        unit: "1" (a sine) or "m".
    """

    def __init__(self, name: str, value: float, limit: float, unit: str) -> None:
        super().__init__(
            f"{name} singularity: distance {value:.4g} {unit}, must be at least {limit:.4g} {unit}"
        )
        self.name: str = name
        self.value: float = value
        self.limit: float = limit
        self.unit: str = unit


@dataclass(frozen=True, slots=True)
class SingularDistances:
    """Distances of an arm from its three singularities."""

    wrist: float
    """|sin q5|; at 0 the axes of joints 4 and 6 are one line."""
    elbow_m: float
    """Wrist centre from full stretch or full fold, the nearer [m]."""
    shoulder_m: float
    """Wrist centre from the cylinder of radius d3 about the waist's axis [m]."""

    def require(self, least: "SingularDistances") -> None:
        """Refuse what is nearer to a singularity than ``least``.

        Raises:
            SingularError: with name, value, limit and unit.
        """
        for name, value, limit, unit in (
            ("wrist", self.wrist, least.wrist, "1"),
            ("elbow", self.elbow_m, least.elbow_m, "m"),
            ("shoulder", self.shoulder_m, least.shoulder_m, "m"),
        ):
            if not value >= limit:
                raise SingularError(name, value, limit, unit)


@dataclass(frozen=True, slots=True, eq=False)
class Joints:
    """Joint angles with their branch."""

    q_rad: Array
    """Angles [rad], shape (6,), read-only."""
    branch: Branch
    """Shoulder, elbow, wrist."""

    @classmethod
    def of(cls, q_rad: ArrayLike, branch: Branch) -> "Joints":
        """Copy angles; NumbersError unless they are six finite numbers."""
        return cls(arm_array(q_rad, (6,), "q_rad"), branch)


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """One solution of a pose."""

    branch: Branch
    """Shoulder, elbow, wrist."""
    q_rad: Array
    """Angles [rad], shape (6,), read-only."""
    violations: tuple[LimitViolation, ...]
    """Joints that no whole turn brings inside their ranges."""

    @property
    def within_limits(self) -> bool:
        """Whether every joint is inside its range."""
        return not self.violations


@dataclass(frozen=True, slots=True, eq=False)
class Solutions(Sequence[Solution]):
    """The eight solutions of a pose, at their branch's index; two or four may coincide.

    In a wrist singularity both wrists are one solution, in a shoulder singularity both shoulders,
    with the arm stretched or folded both elbows.
    """

    geometry: PumaGeometry
    """The arm."""
    rows: Array
    """Angles [rad], joints outside as bits, weighted square distance from the present angles
    [rad²], shape (8, 8), read-only."""

    @property
    def q_rad(self) -> Array:
        """Angles of all eight [rad], shape (8, 6), read-only."""
        return self.rows[:, :6]

    @overload
    def __getitem__(self, index: int) -> Solution: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Solution]: ...
    def __getitem__(self, index: int | slice) -> Solution | Sequence[Solution]:
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(len(self)))]
        branch, row = BRANCHES[index], self.rows[index]
        return Solution(branch, row[:6], violations_of_row(self.geometry, row))

    def __len__(self) -> int:
        return len(BRANCHES)

    def __iter__(self) -> Iterator[Solution]:
        return (self[k] for k in range(len(BRANCHES)))

    def within_limits(self) -> tuple[Solution, ...]:
        """Those whose joints are all inside their ranges, the nearest first."""
        inside = [k for k in range(len(BRANCHES)) if self.rows[k, 6] == 0.0]
        return tuple(self[k] for k in sorted(inside, key=lambda k: float(self.rows[k, 7])))


def violations_of_row(geometry: PumaGeometry, row: Array) -> tuple[LimitViolation, ...]:
    """Joints that a kernel's row of a solution, shape (8,), marks as outside their ranges."""
    outside = int(row[6])
    return violations_at(geometry, row, [j for j in range(6) if outside >> j & 1])


def violations_at(
    geometry: PumaGeometry, q: Array, joints: Sequence[int] | NDArray[np.intp]
) -> tuple[LimitViolation, ...]:
    """Violations of the given joints (0..5) at angles [rad], shape (6,)."""
    limits = (geometry.position_min_rad, geometry.position_max_rad)
    return tuple(
        LimitViolation(int(j) + 1, float(q[j]), float(limits[int(q[j] > limits[1][j])][j]))
        for j in joints
    )


def flips_between(
    geometry: PumaGeometry, before: Array, after: Array
) -> tuple[LimitViolation, ...]:
    """Joints that leave their range between two steps, and are back in it by a whole turn.

    Args:
        before: angles of one step [rad], shape (6,).
        after: angles of the next, each turned into its range [rad], shape (6,).
    """
    turns = np.rint((before - after) / (2.0 * math.pi))
    flipped = np.flatnonzero(turns)
    found = violations_at(geometry, after + 2.0 * math.pi * turns, flipped)
    return tuple(
        replace(one, flip_rad=float(after[one.joint - 1] - before[one.joint - 1])) for one in found
    )
