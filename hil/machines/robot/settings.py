"""The industrial arm of the bench: its geometry, its limits and its controller, from a file."""

import math
from pathlib import Path
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field

from arm_driver.contour.val import OatConvention
from arm_driver.errors import ArmError
from arm_driver.fit.blended_path import LAG_MAX_S, BlendModel
from arm_driver.kinematics.bodies import PAIRS, STANDARD, clearances_m
from arm_driver.kinematics.geometry import PumaGeometry
from arm_driver.kinematics.path_report import PathLimits
from arm_driver.kinematics.puma import SingularDistances
from arm_driver.link import LinkOrder, LinkSettings
from hil.config.errors import about
from hil.config.fields import AccelerationDeg, Length, NotNegative, Positive, RateDeg
from hil.config.settings import ConfigError, Settings, read_toml
from hil.machines.robot.identification import RobotIdentified
from hil.machines.robot.supervision import RobotSupervision
from hil_common.arrays.pose import PoseError
from safety.arm_corners import CornerLimit
from safety.arm_limits import ArmLimits, Clearances, Margin
from safety.limits import LimitsError

JointDeg = Annotated[float, Field(ge=-720.0, le=720.0)]
Six = tuple[JointDeg, JointDeg, JointDeg, JointDeg, JointDeg, JointDeg]
SixRates = tuple[RateDeg, RateDeg, RateDeg, RateDeg, RateDeg, RateDeg]
SixAccelerations = tuple[
    AccelerationDeg, AccelerationDeg, AccelerationDeg,
    AccelerationDeg, AccelerationDeg, AccelerationDeg,
]  # fmt: skip

GRIPPER_SPEED_MOST_M_S = 0.1
"""Largest speed at which the path of the original bench kept within half a millimetre [m/s]."""
LAG_MIN_S = 0.001
"""Least lag of servos [s]: below it nothing is rounded."""


class BlendSettings(Settings):
    """Blend between two segments of the controller's path; it differs between controllers.

    See :class:`safety.arm_corners.CornerLimit`.
    """

    shortest_s: Positive
    """Duration of the blend at the sharpest corner [s]."""
    longest_s: Positive
    """Duration of the blend at the gentlest corner [s]."""
    tolerance_mm: Positive
    """Distance from the lines that the controller keeps by shortening its blends [mm]."""
    servo_s: Positive
    """Duration of a blend that rounds as much as the lag of the servos does, at most [s]."""
    lag_s: Annotated[float, Field(ge=LAG_MIN_S, le=LAG_MAX_S)] | None = None
    """Lag of the servos behind their set-point at an even speed, for the path's shape; what follows
    from ``servo_s`` if left out [s]."""
    step_s: Positive | None = None
    """Time between two poses of the path's interpolation, by the controller's manual [s];
    ``shortest_s`` if left out."""

    def corners(self, deviation_max_m: float) -> CornerLimit:
        """Convert to the gate's limit of corners."""
        return CornerLimit(
            self.shortest_s, self.longest_s, 1e-3 * self.tolerance_mm, self.servo_s, deviation_max_m
        )

    def model(self, period_s: float) -> BlendModel:
        """Make the model of the controller's path over waypoints a period apart [s]."""
        return BlendModel(
            period_s, self.shortest_s, self.longest_s, 1e-3 * self.tolerance_mm,
            self.interpolation_s, self.servo_lag_s,
        )  # fmt: skip

    @property
    def interpolation_s(self) -> float:
        """Time between two poses of the interpolation [s]."""
        return self.shortest_s if self.step_s is None else self.step_s

    @property
    def servo_lag_s(self) -> float:
        """Lag of the servos [s], as written, or what ``servo_s`` leaves for them."""
        if self.lag_s is not None:
            return self.lag_s
        rest_s2 = self.servo_s**2 / 12.0 - rounding_s2(0.0, self.interpolation_s)
        return min(max(math.sqrt(2.0 * max(rest_s2, 0.0)), LAG_MIN_S), LAG_MAX_S)


def rounding_s2(lag_s: float, step_s: float) -> float:
    """Most that servos and interpolation round a corner: variance of their response [s²].

    lag² / 2 of critically damped servos, step² / 4 of chords if the corner falls into the middle
    of one. A mean over w, as of a blend, has w² / 12.
    """
    return 0.5 * lag_s**2 + 0.25 * step_s**2


class RobotSettings(Settings):
    """A robot of the PUMA 560's class: standard Denavit-Hartenberg lengths, and limits."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9_]{1,60}$")]
    """Name in files and refusals: small letters, digits, underscores."""
    description: str = ""
    """One-line description for the reader."""
    a2_m: Length
    """Upper arm: from the shoulder's axis to the elbow's [m]."""
    a3_m: Annotated[float, Field(ge=-1.0, le=1.0)]
    """Offset of the forearm from the elbow, along joint 3's x axis [m]."""
    d3_m: Annotated[float, Field(ge=0.0, le=1.0)]
    """Sideways offset of the forearm from the waist's axis [m]."""
    d4_m: Length
    """Forearm: from the elbow to the wrist's centre [m]."""
    base_height_m: Annotated[float, Field(ge=0.0, le=5.0)]
    """Height of the shoulder's axis over the table [m]."""
    tool_m: Annotated[float, Field(ge=0.0, le=1.0)]
    """Distance from wrist centre to gripper, along the last joint's axis [m]."""
    position_min_deg: Six
    """Smallest angles of joints 1 to 6 [deg]."""
    position_max_deg: Six
    """Largest angles of joints 1 to 6 [deg]."""
    rate_max_deg_s: SixRates
    """Largest rates of joints 1 to 6 [deg/s]."""
    acceleration_max_deg_s2: SixAccelerations
    """Largest accelerations of joints 1 to 6 [deg/s²]."""
    gripper_speed_max_m_s: Annotated[float, Field(gt=0.0, le=GRIPPER_SPEED_MOST_M_S)]
    """Largest mean speed of the gripper between two waypoints [m/s]."""
    gripper_turn_max_deg_s: RateDeg
    """Largest mean turn rate of the gripper between two waypoints [deg/s]."""
    least_wrist: Annotated[float, Field(gt=0.0, lt=1.0)]
    """Smallest \\|sin q5\\|."""
    least_elbow_m: NotNegative
    """Smallest distance of the wrist's centre from full stretch and full fold [m]."""
    least_shoulder_m: NotNegative
    """Smallest distance of the wrist's centre from the cylinder about the waist's axis in which
    the shoulder is singular [m]."""
    clearance_min_m: Positive
    """Smallest free distance between two bodies of the robot, or one and the table."""
    path_deviation_max_mm: Annotated[float, Field(gt=0.0, le=10.0)]
    """Largest deviation of the robot's path from the straight lines between its waypoints [mm]."""
    convention: Literal["val", "zyz"]
    """Meaning of the controller's angles o, a, t."""
    blend: BlendSettings
    """Rounding of corners by the controller."""
    supervision: RobotSupervision = RobotSupervision()
    """Supervision of the robot while it moves."""
    identified: RobotIdentified | None = None
    """Results of ``hil arm identify`` on its controller; for people."""

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read and check a robot's file.

        Raises:
            ConfigError: with one line for each wrong value.
        """
        settings = cls.build(read_toml(path), str(path))
        settings.check(str(path))
        return settings

    def check(self, source: str) -> None:
        """Refuse what no single field can show to be wrong.

        Raises:
            ConfigError: naming the source.
        """
        ranges = zip(self.position_min_deg, self.position_max_deg, strict=True)
        for joint, (low, high) in enumerate(ranges):
            if not low < high:
                key, upper = f"position_min_deg.{joint}", f"position_max_deg.{joint}"
                line = f"{key} = {low:g}: must be below {upper}, {high:g}"
                raise ConfigError(source, [about(key, line)])
        try:
            self.geometry()
            self.gate_limits()
        except (ArmError, PoseError, LimitsError) as error:
            raise ConfigError(source, [str(error)]) from None

    def geometry(self) -> PumaGeometry:
        """Make the robot's geometry for its kinematics.

        Raises:
            ArmError: numbers that are valid each but together describe no robot.
        """
        return PumaGeometry(
            a2_m=self.a2_m,
            a3_m=self.a3_m,
            d3_m=self.d3_m,
            d4_m=self.d4_m,
            base_height_m=self.base_height_m,
            tool_m=self.tool_m,
            position_min_rad=np.radians(self.position_min_deg),
            position_max_rad=np.radians(self.position_max_deg),
            rate_max_rad_s=np.radians(self.rate_max_deg_s),
            acceleration_max_rad_s2=np.radians(self.acceleration_max_deg_s2),
        )

    def least(self) -> SingularDistances:
        """Smallest distances from singularities."""
        return SingularDistances(self.least_wrist, self.least_elbow_m, self.least_shoulder_m)

    def path_limits(self) -> PathLimits:
        """Limits of a planned path besides the joints' own."""
        return PathLimits(
            speed_max_m_s=self.gripper_speed_max_m_s,
            turn_rate_max_rad_s=math.radians(self.gripper_turn_max_deg_s),
            least=self.least(),
            clearance_min_m=self.clearance_min_m,
        )

    def gate_limits(self) -> ArmLimits:
        """Make the limits of the gate, which measures clearances by itself.

        Raises:
            ArmError: the robot is none.
            LimitsError: limits that contradict each other.
        """
        geometry = self.geometry()

        def measure(q_rad: tuple[float, ...]) -> list[float]:
            return clearances_m(geometry, np.reshape(q_rad, (1, 6)), STANDARD)[0].tolist()

        pairs = tuple(" and ".join(pair) for pair in PAIRS)
        return ArmLimits(
            name=self.name,
            joint_names=tuple(f"joint {number}" for number in range(1, 7)),
            position_min_rad=tuple(map(math.radians, self.position_min_deg)),
            position_max_rad=tuple(map(math.radians, self.position_max_deg)),
            rate_max_rad_s=tuple(map(math.radians, self.rate_max_deg_s)),
            acceleration_max_rad_s2=tuple(map(math.radians, self.acceleration_max_deg_s2)),
            gripper_speed_max_m_s=self.gripper_speed_max_m_s,
            gripper_turn_max_rad_s=math.radians(self.gripper_turn_max_deg_s),
            margins=(
                Margin("wrist singularity", self.least_wrist, "1"),
                Margin("elbow singularity", self.least_elbow_m, "m"),
                Margin("shoulder singularity", self.least_shoulder_m, "m"),
            ),
            clearances=Clearances(pairs, self.clearance_min_m, measure),
            corners=self.blend.corners(1e-3 * self.path_deviation_max_mm),
        )

    def link_order(self, url: str) -> LinkOrder:
        """Make the order for the robot's link at a URL."""
        return LinkOrder(url, self.name, self.convention, self.link_settings())

    def link_settings(self) -> LinkSettings:
        """Times and limits of the robot's link."""
        return LinkSettings(
            speed_max_m_s=self.gripper_speed_max_m_s,
            turn_rate_max_rad_s=math.radians(self.gripper_turn_max_deg_s),
            supervision=self.supervision.settings(),
        )

    def oat_convention(self) -> OatConvention:
        """Meaning of the controller's angles."""
        return OatConvention(self.convention)
