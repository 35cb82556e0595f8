"""What a path must keep, and what was found on it: limits, findings, report."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from arm_driver.errors import ArmError
from arm_driver.kinematics.bodies import STANDARD, Bodies
from arm_driver.kinematics.branch_tracker import LEAST_DISTANCES
from arm_driver.kinematics.puma import Branch, SingularDistances

Array = NDArray[np.float64]

SPEED_MAX_M_S = 0.1
TURN_RATE_MAX_RAD_S = 0.5
CLEARANCE_MIN_M = 0.01


@dataclass(frozen=True, slots=True)
class PathLimits:
    """What a path must keep, besides the joints' own limits, which the geometry has.

    Raises:
        ArmError: a limit that is not positive or not finite.
    """

    speed_max_m_s: float = SPEED_MAX_M_S
    """Gripper's speed [m/s]."""
    turn_rate_max_rad_s: float = TURN_RATE_MAX_RAD_S
    """Gripper's angular speed [rad/s]."""
    least: SingularDistances = LEAST_DISTANCES
    """Smallest distances from the singularities."""
    clearance_min_m: float = CLEARANCE_MIN_M
    """Smallest free distance of two bodies [m]."""
    bodies: Bodies = STANDARD
    """Sizes of the bodies."""

    def __post_init__(self) -> None:
        for name in ("speed_max_m_s", "turn_rate_max_rad_s", "clearance_min_m"):
            value = getattr(self, name)
            if not (np.isfinite(value) and value > 0.0):
                raise ArmError(f"{name}: {value}, must be finite and above 0")
        for name, value in (
            ("wrist", self.least.wrist),
            ("elbow_m", self.least.elbow_m),
            ("shoulder_m", self.least.shoulder_m),
        ):
            if not (np.isfinite(value) and value >= 0.0):
                raise ArmError(f"least.{name}: {value}, must be finite and at least 0")


STANDARD_LIMITS = PathLimits()


@dataclass(frozen=True, slots=True)
class PathFinding:
    """The worst of one kind over a path."""

    arm: str
    """Whose path it is."""
    kind: str
    """Reach, joint position, joint speed, joint acceleration, gripper speed, gripper turn rate,
    wrist/elbow/shoulder singularity or clearance."""
    place: str
    """Joint, pair of bodies or "gripper"."""
    index: int
    """Number of the pose, from 0; a speed is that of the step to it."""
    value: float
    """The worst value."""
    limit: float
    """What it is held against."""
    unit: str
    """Of both."""
    within: bool
    """Whether the limit is kept."""
    margin: float
    """What is left as a share: of the range's half for a position, of the limit for a speed; for a
    distance the distance itself less its limit, in its unit."""
    t_s: float = 0.0
    """When that pose is due, from the first one on [s]."""

    def __str__(self) -> str:
        verb = "within" if self.within else "outside"
        return (
            f"{self.arm}, {self.kind}, {self.place}, pose {self.index} ({self.t_s:.2f} s): "
            f"{self.value:.6g} {self.unit}, {verb} the limit {self.limit:.6g} {self.unit}"
        )


class PathRefusedError(ArmError):
    """A path that would break a limit; nothing of it may be sent.

    Attributes:
        report: all that was found.
    """

    def __init__(self, report: "PathReport") -> None:
        super().__init__("; ".join(str(one) for one in report.violations))
        self.report = report


@dataclass(frozen=True, slots=True, eq=False)
class PathReport:
    """What a path asks of the arm."""

    findings: tuple[PathFinding, ...]
    """The worst of each kind, at least one; only "reach" if a pose is out of reach."""
    branch: Branch
    """The branch of the whole path."""
    q_rad: Array = field(repr=False)
    """Joint angles [rad], shape (N, 6), read-only; empty if a pose is out of reach."""

    @property
    def ok(self) -> bool:
        """Whether every limit is kept over the whole path."""
        return all(one.within for one in self.findings)

    @property
    def violations(self) -> tuple[PathFinding, ...]:
        """The kinds whose worst is outside its limit."""
        return tuple(one for one in self.findings if not one.within)

    def require(self) -> None:
        """Refuse the path unless all of it keeps the limits.

        Raises:
            PathRefusedError: with arm, joint, value, limit and unit of the worst of each kind.
        """
        if not self.ok:
            raise PathRefusedError(self)
