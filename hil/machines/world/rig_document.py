"""A rig as a jointed robot: a free platform on six legs of cylinder and rod.

Each leg is a universal joint on the base, a slide, and a ball joint that closes a loop at the
platform. A slide's coordinate is the rod's stroke, so that its length is the closed one plus it.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hil.machines.rig.machine import geometry_of
from hil.machines.rig.settings import Rig
from hil.machines.world.arm_document import STILL, triple
from hil_common.arrays.pose import Pose
from platform6dof.geometry import HexapodGeometry
from sim.world.robots.body import BodyPlace, BodyShape, Numbers
from sim.world.robots.dh import dh_of
from sim.world.robots.losses import Loss
from sim.world.robots.model import (
    BASE,
    NOWHERE,
    AxisBounds,
    JointType,
    MachineBounds,
    Robot,
    RobotDrive,
    RobotJoint,
    RobotLink,
)
from sim.world.robots.rotations import quaternion_of

Array = NDArray[np.float64]

PLATFORM: Final = 1
"""Number of the platform's link, and of the free joint that moves it."""


@dataclass(frozen=True, slots=True)
class ActuatorBodies:
    """What a rig's file does not say of a leg; tube and rod are solid cylinders."""

    cylinder_kg: float = 25.0
    """Motor and tube, which swing about the base's joint."""
    rod_kg: float = 8.0
    """Rod, which slides."""
    rotor_kg: float = 20.0
    """Inertia of rotor and screw, seen at the rod."""
    eye_m: float = 0.04
    """From each joint to its tube or rod; in a closed leg both end twice as far from the other."""
    cylinder_radius_m: float = 0.05
    """Of the tube."""
    rod_radius_m: float = 0.03
    """Of the rod."""
    plate_m: float = 0.05
    """Thickness of the platform, a disc about its origin that reaches to its furthest joint."""


ACTUATOR: Final = ActuatorBodies()
"""Of ordinary electro-cylinders of 4 kN: a leg of 33 kg, in default of a data sheet."""


def swing_joint(leg: int) -> int:
    """Number of a leg's universal joint, and of the link that it moves; legs 0 to 5."""
    return 2 + 2 * leg


def stroke_joint(leg: int) -> int:
    """Number of a leg's slide, and of the rod's link; legs 0 to 5."""
    return 3 + 2 * leg


def closing_joint(leg: int) -> int:
    """Number of the ball joint between rod and platform; legs 0 to 5."""
    return 14 + leg


ORIGIN: Final = 20
"""Number of the end that is the platform's origin."""


def rig_robot(
    rig: Rig, *, platform_kg: float | None = None, X_BP: Pose | None = None
) -> tuple[Robot, tuple[Loss, ...]]:
    """The robot of a rig, and what it does not say of it.

    Args:
        platform_kg: of platform and payload; without it what the six legs accelerate by the file.
        X_BP: where it starts, platform in base; without it the neutral pose.
    """
    geometry = geometry_of(rig)
    platform_mass_kg = sum(rig.cylinders.moving_mass_kg) if platform_kg is None else platform_kg
    start = rig.neutral.pose() if X_BP is None else X_BP
    legs = [_Leg(rig, geometry, leg, start) for leg in range(6)]
    robot = Robot(
        links=(
            RobotLink(BASE, STILL, (PLATFORM, *map(swing_joint, range(6))), name="base"),
            _platform(geometry, platform_mass_kg),
            *(link for leg in legs for link in leg.links()),
        ),
        joints=(
            RobotJoint(0, JointType.FIXED, (), NOWHERE, BASE),
            RobotJoint(
                PLATFORM, JointType.FREE, (), BASE, PLATFORM, name="platform",
                start=(*start.position_m.tolist(), *quaternion_of(start.rotation)),
            ),
            *(joint for leg in legs for joint in leg.joints()),
            *(leg.closing() for leg in legs),
            RobotJoint(ORIGIN, JointType.END, (), PLATFORM, NOWHERE, (0.0, 0.0, 0.0),
                       name="platform"),
        ),
        name=rig.name,
        drives=tuple(
            RobotDrive(stroke_joint(leg), "torque", rig.cylinders.force_max_n[leg])
            for leg in range(6)
        ),
        machine=MachineBounds(tuple(
            AxisBounds(stroke_joint(leg), rig.limits.speed_max_m_s[leg],
                       rig.limits.acceleration_max_m_s2[leg], rig.cylinders.force_max_n[leg])
            for leg in range(6)
        )),
    )  # fmt: skip
    return robot, tuple(_losses(rig))


@dataclass(frozen=True, slots=True, eq=False)
class _Leg:
    """One leg; its frame at rest has z along it at the geometry's neutral pose, x horizontal."""

    rig: Rig
    geometry: HexapodGeometry
    leg: int
    """0 to 5."""
    X_BP: Pose
    """Where the platform starts."""

    def links(self) -> Iterator[RobotLink]:
        """Tube and rod; both frames are on the base's joint when the leg is closed."""
        closed = float(self.geometry.closed_length_m[self.leg])
        length = closed - 3.0 * ACTUATOR.eye_m
        centre = ACTUATOR.eye_m + 0.5 * length
        swing, slide, number = swing_joint(self.leg), stroke_joint(self.leg), self.leg + 1
        yield RobotLink(
            swing, dh_of(self._frame()), (slide,), BodyShape.CYLINDER,
            (ACTUATOR.cylinder_radius_m, length), (0.35, 0.38, 0.42), name=f"cylinder_{number}",
            mass_kg=ACTUATOR.cylinder_kg, place=BodyPlace((0.0, 0.0, centre)),
        )  # fmt: skip
        yield RobotLink(
            slide, STILL, (closing_joint(self.leg),), BodyShape.CYLINDER,
            (ACTUATOR.rod_radius_m, length), (0.75, 0.77, 0.8), name=f"rod_{number}",
            mass_kg=ACTUATOR.rod_kg, place=BodyPlace((0.0, 0.0, closed - centre)),
        )  # fmt: skip

    def joints(self) -> Iterator[RobotJoint]:
        """Universal joint on the base, whose first axis is horizontal, and slide."""
        swing, slide, number = swing_joint(self.leg), stroke_joint(self.leg), self.leg + 1
        cone = math.radians(self.rig.limits.joint_cone_base_deg)
        angles, stroke = self._start()
        yield RobotJoint(
            swing, JointType.UNIVERSAL, (1.0, 0.0, 0.0, 0.0, 1.0, 0.0), BASE, swing,
            name=f"swing_{number}", start=angles, limits=((-cone, cone),) * 2,
        )  # fmt: skip
        yield RobotJoint(
            slide, JointType.SLIDE, (0.0, 0.0, 1.0), swing, slide, name=f"stroke_{number}",
            start=(stroke,), limits=((0.0, float(self.geometry.stroke_m[self.leg])),),
            armature=ACTUATOR.rotor_kg,
        )  # fmt: skip

    def closing(self) -> RobotJoint:
        """Ball joint between the rod's end and the platform."""
        return RobotJoint(
            closing_joint(self.leg), JointType.BALL, (), stroke_joint(self.leg), PLATFORM,
            (0.0, 0.0, float(self.geometry.closed_length_m[self.leg])),
            triple(self.geometry.platform_joints_m[self.leg]), name=f"top_{self.leg + 1}",
        )  # fmt: skip

    def _frame(self) -> Array:
        z: Array = self.geometry.neutral_axes[0, self.leg]
        level = np.array([-z[1], z[0], 0.0])
        across = float(np.linalg.norm(level))
        x = level / across if across > 1e-9 else np.array([1.0, 0.0, 0.0])
        frame = np.eye(4)
        frame[:3, :3] = np.column_stack([x, np.cross(z, x), z])
        frame[:3, 3] = self.geometry.base_joints_m[self.leg]
        return frame

    def _start(self) -> tuple[Numbers, float]:
        """Angles of the universal joint [rad] and stroke [m] at the start, loops closed."""
        top = self.X_BP.position_m + self.X_BP.rotation @ self.geometry.platform_joints_m[self.leg]
        leg = top - self.geometry.base_joints_m[self.leg]
        length = float(np.linalg.norm(leg))
        x, y, z = (self._frame()[:3, :3].T @ (leg / length)).tolist()
        stroke = length - float(self.geometry.closed_length_m[self.leg])
        return (math.atan2(-y, z), math.asin(x)), stroke


def _platform(geometry: HexapodGeometry, mass_kg: float) -> RobotLink:
    radius = float(np.linalg.norm(geometry.platform_joints_m, axis=1).max())
    return RobotLink(
        PLATFORM, STILL, (ORIGIN,), BodyShape.CYLINDER, (radius, ACTUATOR.plate_m),
        (0.15, 0.45, 0.75), name="platform", mass_kg=mass_kg, place=BodyPlace((0.0, 0.0, 0.0)),
    )  # fmt: skip


def _losses(rig: Rig) -> Iterator[Loss]:
    """What a document does not say of a rig, and what the rig does not say and is taken instead."""
    limits, cylinders = rig.limits, rig.cylinders
    for field in ("cylinder_kg", "rod_kg", "rotor_kg"):
        reason = "the rig does not tell it: that of an ordinary electro-cylinder"
        yield Loss("legs 1 to 6", field, getattr(ACTUATOR, field), reason)
    reason = "taken for a mass in the platform's origin; its inertia is that of a disc"
    yield Loss("rig", "cylinders.moving_mass_kg", cylinders.moving_mass_kg, reason)
    reason = "a cone is said by equal limits of both axes"
    yield Loss("rig", "limits.joint_cone_base_deg", limits.joint_cone_base_deg, reason)
    reason = "a joint that closes a loop has no limits"
    yield Loss("rig", "limits.joint_cone_platform_deg", limits.joint_cone_platform_deg, reason)
    if cylinders.screw_lead_m:
        reason = "rods do not turn: a leg's length is its distance of joints"
        yield Loss("rig", "cylinders.screw_lead_m", cylinders.screw_lead_m, reason)
