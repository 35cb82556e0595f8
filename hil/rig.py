"""A rig: one machine's geometry, cylinders, limits and slow moves, read from ``configs/rigs/``.

A rig says what a machine *is*; what it shall do is a scenario (:mod:`hil.scenario`). Every limit
must be written: a limit left out is an error, never "unlimited".
"""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from drives.simulated_bank import CylinderModel
from hil.fields import (
    Acceleration,
    AccelerationDeg,
    AngleDeg,
    AngleRange,
    ConeDeg,
    Coordinate,
    CoordinateRange,
    Distance,
    Jerk,
    JerkDeg,
    LegAccelerations,
    LegLengths,
    LegNumbers,
    LegPositives,
    LegSpeeds,
    Length,
    NotNegative,
    Positive,
    RateDeg,
    SixPoints,
    Speed,
)
from hil.motion.moves import MoveLimits
from hil.settings import ConfigError, Settings, read_toml
from platform6dof.envelope import Envelope, EnvelopeLimits, home_pose
from platform6dof.forward import forward
from platform6dof.geometry import HexapodGeometry
from platform6dof.pose import Pose
from platform6dof.workspace import PoseBox
from safety.limits import GateLimits, LegLimits


class PoseSettings(Settings):
    """A pose X_BP of the platform in the base, M = Rz(alpha) Ry(beta) Rx(gamma)."""

    x_m: Coordinate = 0.0
    y_m: Coordinate = 0.0
    z_m: Coordinate
    alpha_deg: AngleDeg = 0.0
    beta_deg: AngleDeg = 0.0
    gamma_deg: AngleDeg = 0.0

    def coordinates(self) -> np.ndarray:
        """(x, y, z, alpha, beta, gamma) in m and rad, shape (6,)."""
        angles = (math.radians(a) for a in (self.alpha_deg, self.beta_deg, self.gamma_deg))
        return np.array([self.x_m, self.y_m, self.z_m, *angles])

    def pose(self) -> Pose:
        """The same as a :class:`Pose`."""
        return Pose.from_coordinates(self.coordinates())


class CirclesGeometry(Settings):
    """Joints on two circles, at +θ, 120°-θ, 120°+θ, 240°-θ, 240°+θ, -θ on each plate.

    Source: Bukharov et al. 2022, section "Geometry". A half angle of 0 makes the plate a triangle.
    """

    kind: Literal["circles"]
    base_radius_m: Length
    base_half_angle_deg: AngleDeg
    platform_radius_m: Length
    platform_half_angle_deg: AngleDeg
    plate_rotation_deg: AngleDeg = 0.0


class PointsGeometry(Settings):
    """Joints anywhere: six points on the base and six on the platform, each in its own frame."""

    kind: Literal["points"]
    base_joints_m: SixPoints
    platform_joints_m: SixPoints


class Cylinders(Settings):
    """The six electro-cylinders, and how their simulated counterparts behave."""

    closed_length_m: LegLengths
    """Joint to joint with the rod fully in."""
    stroke_m: LegLengths
    reference_length_m: LegLengths
    """Where homing leaves the rod: the reference switch, inside the soft limits."""
    screw_lead_m: Distance = 0.0
    """Lead of a screw whose nut may turn with the joints; 0 for rods guided against rotation."""
    speed_max_m_s: LegSpeeds
    acceleration_max_m_s2: LegAccelerations
    force_max_n: LegPositives
    moving_mass_kg: LegPositives
    """Share of the moving mass that one leg accelerates (simulated cylinders)."""
    static_load_n: LegNumbers
    """Share of the weight that one leg carries (simulated cylinders)."""
    natural_frequency_hz: Positive
    """Of the position loop (simulated cylinders)."""
    damping: Positive
    homing_speed_m_s: Speed
    enable_time_s: NotNegative
    """From the enable request to brakes open and position held."""


class Limits(Settings):
    """What the gate lets through. May be tighter than the cylinders' own limits, never wider."""

    soft_margin_m: Distance
    """Between the mechanical end of the stroke and the soft limit."""
    speed_max_m_s: LegSpeeds
    acceleration_max_m_s2: LegAccelerations
    stop_deceleration_m_s2: LegAccelerations
    joint_cone_base_deg: ConeDeg
    joint_cone_platform_deg: ConeDeg
    leg_clearance_m: Distance
    singular_value_min: Positive
    """Of the Jacobian whose rotation columns are divided by the platform's radius."""


class Supervision(Settings):
    """When the gate calls something late, lost, or not where it should be."""

    following_base_m: Length
    following_per_speed_s: NotNegative
    following_cycles: Annotated[int, Field(ge=1, le=100)]
    reaction_time_s: NotNegative
    missing_setpoints_max: Annotated[int, Field(ge=0, le=10)]
    missing_feedback_max: Annotated[int, Field(ge=0, le=10)]
    late_cycles_max: Annotated[float, Field(ge=1.0, le=10.0)]
    start_tolerance_m: Length
    standstill_speed_m_s: Speed
    standstill_time_s: Positive


class PoseBoxSettings(Settings):
    """Ranges of the six coordinates in which the machine is meant to be used."""

    x_m: CoordinateRange
    y_m: CoordinateRange
    z_m: CoordinateRange
    alpha_deg: AngleRange
    beta_deg: AngleRange
    gamma_deg: AngleRange

    def box(self) -> PoseBox:
        """The same in m and rad."""
        ranges = np.array(
            [self.x_m, self.y_m, self.z_m, self.alpha_deg, self.beta_deg, self.gamma_deg]
        )
        ranges[3:] = np.radians(ranges[3:])
        return PoseBox(lower=ranges[:, 0], upper=ranges[:, 1])


class SlowMoves(Settings):
    """Bounds of the rise to a motion's start and of parking."""

    speed_m_s: Speed
    acceleration_m_s2: Acceleration
    jerk_m_s3: Jerk
    angular_speed_deg_s: RateDeg
    angular_acceleration_deg_s2: AccelerationDeg
    angular_jerk_deg_s3: JerkDeg

    def limits(self) -> MoveLimits:
        """The same in SI units."""
        return MoveLimits(
            speed_m_s=self.speed_m_s,
            acceleration_m_s2=self.acceleration_m_s2,
            jerk_m_s3=self.jerk_m_s3,
            angular_speed_rad_s=math.radians(self.angular_speed_deg_s),
            angular_acceleration_rad_s2=math.radians(self.angular_acceleration_deg_s2),
            angular_jerk_rad_s3=math.radians(self.angular_jerk_deg_s3),
        )


class Rig(Settings):
    """A motion platform on six electro-cylinders."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9_]{1,40}$")]
    description: str = ""
    geometry: Annotated[CirclesGeometry | PointsGeometry, Field(discriminator="kind")]
    cylinders: Cylinders
    limits: Limits
    supervision: Supervision
    neutral: PoseSettings
    """The middle of the motions: where a motion without its own neutral pose is played."""
    slow_moves: SlowMoves
    pose_box: PoseBoxSettings
    """What ``hil platform extremes`` and ``sample`` look at."""


def load_rig(path: Path) -> Rig:
    """Read and check a rig.

    Raises:
        ConfigError: with the file, the key path, the value and what would have been right.
    """
    rig = Rig.build(read_toml(path), str(path))
    check_rig(rig, str(path))
    return rig


def check_rig(rig: Rig, source: str) -> None:
    """What no single field can say: tables that contradict each other, a geometry that cannot be.

    The geometry is built once, so that a singular one is refused before it is ever used.

    Raises:
        ConfigError: naming the keys, the values and the remedy.
    """
    problems = [*_wider_limits(rig), *_lengths_outside(rig)]
    if not problems:
        try:
            park_pose(rig, geometry_of(rig))
            gate_limits(rig, GATE_CHECK_PERIOD_S)
        except ValueError as error:
            problems.append(str(error))
    if problems:
        raise ConfigError(source, problems)


GATE_CHECK_PERIOD_S = 0.001
"""The gate's limits do not depend on the cycle time; a rig is checked with this one."""


def _wider_limits(rig: Rig) -> Iterator[str]:
    for key in ("speed_max_m_s", "acceleration_max_m_s2"):
        for leg in range(6):
            limit, able = getattr(rig.limits, key)[leg], getattr(rig.cylinders, key)[leg]
            if limit > able:
                yield (
                    f"limits.{key} = {limit} of leg {leg + 1} is wider than the cylinder's own "
                    f"(cylinders.{key} = {able}); a limit may only tighten"
                )


def soft_range_m(rig: Rig, leg: int) -> tuple[float, float]:
    """Soft limits [m] of a leg (0 to 5): the stroke less the margin at both ends."""
    closed = rig.cylinders.closed_length_m[leg]
    margin = rig.limits.soft_margin_m
    return closed + margin, closed + rig.cylinders.stroke_m[leg] - margin


def _lengths_outside(rig: Rig) -> Iterator[str]:
    for leg in range(6):
        low, high = soft_range_m(rig, leg)
        reference = rig.cylinders.reference_length_m[leg]
        if low >= high:
            yield (
                f"limits.soft_margin_m = {rig.limits.soft_margin_m} leaves leg {leg + 1} no travel "
                f"in its stroke of {rig.cylinders.stroke_m[leg]} m"
            )
        elif not low < reference < high:
            yield (
                f"cylinders.reference_length_m = {reference} of leg {leg + 1} lies outside its "
                f"soft limits [{low:.4f}, {high:.4f}] m"
            )


def geometry_of(rig: Rig) -> HexapodGeometry:
    """The rig's geometry; refuses an impossible or singular one.

    Raises:
        GeometryError: with the reason.
    """
    closed = np.array(rig.cylinders.closed_length_m)
    stroke = np.array(rig.cylinders.stroke_m)
    shape = rig.geometry
    if isinstance(shape, PointsGeometry):
        return HexapodGeometry(
            base_joints_m=np.array(shape.base_joints_m),
            platform_joints_m=np.array(shape.platform_joints_m),
            closed_length_m=closed,
            stroke_m=stroke,
            screw_lead_m=rig.cylinders.screw_lead_m,
        )
    return HexapodGeometry.from_circles(
        shape.base_radius_m,
        math.radians(shape.base_half_angle_deg),
        shape.platform_radius_m,
        math.radians(shape.platform_half_angle_deg),
        closed,
        stroke,
        plate_rotation_rad=math.radians(shape.plate_rotation_deg),
        screw_lead_m=rig.cylinders.screw_lead_m,
    )


def envelope_of(rig: Rig, geometry: HexapodGeometry) -> Envelope:
    """The geometric and kinematic limits of the rig, for checks before a motion."""
    limits = rig.limits
    return Envelope(
        geometry,
        EnvelopeLimits(
            joint_cone_base_rad=math.radians(limits.joint_cone_base_deg),
            joint_cone_platform_rad=math.radians(limits.joint_cone_platform_deg),
            leg_clearance_m=limits.leg_clearance_m,
            singular_value_min=limits.singular_value_min,
            speed_max_m_s=np.array(limits.speed_max_m_s),
            acceleration_max_m_s2=np.array(limits.acceleration_max_m_s2),
            soft_margin_m=limits.soft_margin_m,
        ),
    )


def park_pose(rig: Rig, geometry: HexapodGeometry) -> Pose:
    """The pose in which every rod is at its reference length: where homing ends and parking leads.

    Raises:
        ValueError: if no pose has these lengths.
    """
    lengths = np.array(rig.cylinders.reference_length_m)
    found = forward(geometry, lengths, home_pose(geometry, float(lengths.mean())))
    if not found.converged:
        raise ValueError(f"cylinders.reference_length_m: no pose has these lengths: {found.reason}")
    return found.X_BP


def gate_limits(rig: Rig, period_s: float) -> GateLimits:
    """The gate's limits for a cycle time [s]."""
    watch = rig.supervision
    one, two, three, four, five, six = (_leg_limits(rig, leg) for leg in range(6))
    return GateLimits(
        period_s=period_s,
        legs=(one, two, three, four, five, six),
        following_base_m=watch.following_base_m,
        following_per_speed_s=watch.following_per_speed_s,
        following_cycles=watch.following_cycles,
        reaction_time_s=watch.reaction_time_s,
        missing_setpoints_max=watch.missing_setpoints_max,
        missing_feedback_max=watch.missing_feedback_max,
        late_cycles_max=watch.late_cycles_max,
        setpoint_age_max_s=watch.late_cycles_max * period_s,
        start_tolerance_m=watch.start_tolerance_m,
        standstill_speed_m_s=watch.standstill_speed_m_s,
        standstill_cycles=max(1, math.ceil(watch.standstill_time_s / period_s)),
    )


def _leg_limits(rig: Rig, leg: int) -> LegLimits:
    low, high = soft_range_m(rig, leg)
    return LegLimits(
        soft_min_m=low,
        soft_max_m=high,
        speed_max_m_s=rig.limits.speed_max_m_s[leg],
        acceleration_max_m_s2=rig.limits.acceleration_max_m_s2[leg],
        stop_deceleration_m_s2=rig.limits.stop_deceleration_m_s2[leg],
    )


def cylinder_model(rig: Rig, period_s: float) -> CylinderModel:
    """The simulated cylinders of the rig, for a cycle time [s]."""
    cylinders = rig.cylinders
    closed = np.array(cylinders.closed_length_m)
    return CylinderModel(
        natural_frequency_hz=cylinders.natural_frequency_hz,
        damping=cylinders.damping,
        speed_max_m_s=np.array(cylinders.speed_max_m_s),
        acceleration_max_m_s2=np.array(cylinders.acceleration_max_m_s2),
        force_max_n=np.array(cylinders.force_max_n),
        moving_mass_kg=np.array(cylinders.moving_mass_kg),
        static_load_n=np.array(cylinders.static_load_n),
        closed_length_m=closed,
        open_length_m=closed + np.array(cylinders.stroke_m),
        reference_length_m=np.array(cylinders.reference_length_m),
        homing_speed_m_s=cylinders.homing_speed_m_s,
        enable_cycles=math.ceil(cylinders.enable_time_s / period_s),
    )
