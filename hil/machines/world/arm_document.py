"""An arm as a jointed robot: rigid links, gears as the inertia of their rotors."""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hil.machines.robot.settings import RobotSettings
from hil.machines.space_arm.settings import ArmSettings
from sim.world.engine.mjcf import DEFAULT
from sim.world.robots.body import BodyShape, LinkInertia, Triple
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
from sim.world.robots.value_checks import TURN_MAX_RAD
from sim.world.space_arm.arm import Arm
from sim.world.space_arm.drive import JointDrive
from sim.world.space_arm.links import Link

Array = NDArray[np.float64]

STILL: Final = (0.0, 0.0, 0.0, 0.0)
INSIDE: Final = 1e-12
"""Margin of a corrected inertia inside the bound of a body, in parts of the largest moment."""
NEXT_TO_NOTHING_KG: Final = 1e-6
"""Mass of a link whose file has none, in its joint's axis."""
NEXT_TO_NOTHING_KG_M2: Final = 1e-12
"""Moments of inertia of such a link."""
SOLID_KG_M3: Final = 2700.0
"""Density of solid aluminium, for which bodies are drawn and touched."""


def arm_robot(arm: Arm) -> tuple[Robot, tuple[Loss, ...]]:
    """Make the robot of an arm, at zero angles, and list what it does not carry over.

    Joint and link i are those of the arm, from 1 on; link frames are the same. The end after the
    last joint is the gripper's frame.
    """
    links = [RobotLink(BASE, STILL, (1,), name="base")]
    joints = [RobotJoint(0, JointType.FIXED, (), NOWHERE, BASE)]
    losses: list[Loss] = []
    far_m = [*(link.offset_m for link in arm.links[1:]), arm.tool_offset_m]
    for number, (link, drive) in enumerate(zip(arm.links, arm.drives, strict=True), 1):
        inertia, moment, loss = _inertia(number, link)
        shape, size_m = _body(link.mass_kg, float(np.linalg.norm(far_m[number - 1])))
        links.append(RobotLink(
            number, dh_of(_pose(link.rotation, link.offset_m)), (number + 1,), shape, size_m,
            name=link.name, inertia=inertia,
        ))  # fmt: skip
        joint, untold = _joint(number, link, drive, moment)
        joints.append(joint)
        losses += [*loss, *untold]
    tool = RobotJoint(
        arm.joints + 1,
        JointType.END,
        (),
        arm.joints,
        NOWHERE,
        triple(arm.tool_offset_m),
        name="tool",
    )
    losses += _of_arm(arm)
    drives = tuple(
        RobotDrive(number, "torque", one.gear_ratio * one.torque_constant_nm_a * one.current_max_a)
        for number, one in enumerate(arm.drives, 1)
    )
    rates = tuple(AxisBounds(i, link.rate_max_rad_s) for i, link in enumerate(arm.links, 1))
    machine = MachineBounds(rates)
    robot = Robot(tuple(links), (*joints, tool), arm.name, drives, machine=machine)
    return robot, tuple(losses)


def started(robot: Robot, angles_rad: Array) -> Robot:
    """Start the joints of an arm's robot at some angles [rad], shape (n,)."""
    starts = dict(enumerate(angles_rad.tolist(), 1))
    joints = (
        replace(one, start=(starts[one.number],)) if one.number in starts else one
        for one in robot.joints
    )
    return replace(robot, joints=tuple(joints))


def puma_robot(settings: RobotSettings, masses: ArmSettings) -> tuple[Robot, tuple[Loss, ...]]:
    """Make a robot of the PUMA 560's class from its file and an arm's masses.

    Args:
        settings: of the robot.
        masses: an arm of the same class, by a Denavit-Hartenberg table in whose frames its masses
            are; what a length differs, they move along.
    """
    table = ((settings.base_height_m, 0.0), (0.0, settings.a2_m), (settings.d3_m, settings.a3_m),
             (settings.d4_m, 0.0), (0.0, 0.0), (0.0, 0.0))  # fmt: skip
    bounds = zip(settings.position_min_deg, settings.position_max_deg, strict=True)
    rows = zip(masses.joint, table, bounds, settings.rate_max_deg_s, strict=True)
    joints = []
    for joint, (d_m, a_m), position_deg, rate_deg_s in rows:
        if joint.dh is None:
            raise ValueError(f"arm {masses.name}: joint {joint.name} has no row dh of a table")
        row = joint.dh.model_copy(update={"d_m": d_m, "a_m": a_m})
        change = {"dh": row, "position_deg": position_deg, "rate_max_deg_s": rate_deg_s}
        joints.append(joint.model_copy(update=change))
    tool = masses.tool.model_copy(update={"offset_m": (0.0, 0.0, settings.tool_m)})
    change = {"name": settings.name, "joint": tuple(joints), "tool": tool}
    robot, losses = arm_robot(masses.model_copy(update=change).arm())
    loss = Loss("links 1 to 6", "inertia", masses.name,
                "the robot's file has no masses and gears: those of this arm")  # fmt: skip
    faster = tuple(
        AxisBounds(number, math.radians(rate), math.radians(acceleration))
        for number, (rate, acceleration) in enumerate(
            zip(settings.rate_max_deg_s, settings.acceleration_max_deg_s2, strict=True), 1
        )
    )
    return replace(robot, machine=MachineBounds(faster)), (loss, *losses)


def nearest_inertia(inertia_kg_m2: Array) -> Array:
    """Find the inertia of a body that is nearest (Frobenius) to a tensor, shape (3, 3).

    Principal moments A ≤ B ≤ C of a body have A + B ≥ C. Where they do not, a third of what is
    missing is added to A and to B and taken from C: the foot of the perpendicular on that plane.

    Args:
        inertia_kg_m2: with moments of 0 or more, shape (3, 3).
    """
    moments, axes = np.linalg.eigh(inertia_kg_m2)
    missing = moments[2] * (1.0 + INSIDE) - moments[0] - moments[1]
    if missing <= 0.5 * INSIDE * moments[2]:  # half: what was brought inside stays as it is
        return inertia_kg_m2
    moments = moments + missing / 3.0 * np.array([1.0, 1.0, -1.0])
    found = (axes * moments) @ axes.T
    return 0.5 * (found + found.T)


def _inertia(number: int, link: Link) -> tuple[LinkInertia, float, list[Loss]]:
    """Make a link's possible inertia, its joint's armature [kg m2], and a note on any change.

    A link without mass turns about its joint's axis only: its moment there is its joint's.
    """
    subject, value = f"link {number}", tensor_entries(link.inertia_kg_m2)
    if link.mass_kg == 0.0:
        moment = float(link.axis @ link.inertia_kg_m2 @ link.axis)
        m = NEXT_TO_NOTHING_KG_M2
        nothing = LinkInertia(NEXT_TO_NOTHING_KG, (0.0, 0.0, 0.0), (m, m, m, 0.0, 0.0, 0.0))
        reason = f"no mass: {NEXT_TO_NOTHING_KG:g} kg; {moment:g} kg m2 go into joint {number}"
        return nothing, moment, [Loss(subject, "inertia", value, reason)]
    nearest = nearest_inertia(link.inertia_kg_m2)
    inertia = LinkInertia(link.mass_kg, triple(link.com_m), tensor_entries(nearest))
    if nearest is link.inertia_kg_m2:
        return inertia, 0.0, []
    change = float(np.linalg.norm(nearest - link.inertia_kg_m2))
    reason = f"no body's (A + B < C): the nearest one's, {change:.3g} kg m2 away"
    return inertia, 0.0, [Loss(subject, "inertia", value, reason)]


def _joint(
    number: int, link: Link, drive: JointDrive, moment_kg_m2: float
) -> tuple[RobotJoint, Iterator[Loss]]:
    travel = (link.position_min_rad, link.position_max_rad)
    kind = JointType.SLIDE if link.prismatic else JointType.HINGE
    beyond = not link.prismatic and max(map(abs, travel)) > TURN_MAX_RAD
    joint = RobotJoint(
        number, kind, triple(link.axis), number - 1, number, name=link.name,
        limits=() if beyond else (travel,), friction=drive.friction_nm, damping=drive.drag_nm_s,
        armature=drive.gear_ratio**2 * drive.motor_inertia_kg_m2 + moment_kg_m2,
    )  # fmt: skip
    reason = "limits of a document are at most a turn: none"
    return joint, iter([Loss(f"joint {number}", "limits", travel, reason)] if beyond else ())


def _of_arm(arm: Arm) -> Iterator[Loss]:
    gravity = tuple(arm.gravity_m_s2.tolist())
    if gravity != DEFAULT.gravity_m_s2:
        yield Loss("robot", "gravity_m_s2", gravity, "it is the world's, not the document's")
    if not np.array_equal(arm.tool_rotation, np.eye(3)):
        yield Loss(
            f"joint {arm.joints + 1}",
            "tool_rotation",
            arm.tool_rotation.tolist(),
            "an end has no axes",
        )
    for field in ("stiffness_nm_rad", "half_gap_rad", "clutch_nm", "brake_nm"):
        values = tuple(getattr(drive, field) for drive in arm.drives)
        yield Loss(
            f"joints 1 to {arm.joints}",
            field,
            values,
            "gears of a document are rigid and without play",
        )


def _body(mass_kg: float, length_m: float) -> tuple[BodyShape, tuple[float, ...]]:
    """Shape of a link: a capsule to the next joint, or a ball."""
    volume_m3 = mass_kg / SOLID_KG_M3
    if volume_m3 == 0.0:
        return BodyShape.NONE, ()
    ball_m = math.cbrt(0.75 * volume_m3 / math.pi)
    if length_m < ball_m:
        return BodyShape.SPHERE, (ball_m,)
    return BodyShape.CAPSULE, (math.sqrt(volume_m3 / (math.pi * length_m)),)


def _pose(rotation: Array, position_m: Array) -> Array:
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = rotation, position_m
    return pose


def tensor_entries(tensor: Array) -> tuple[float, float, float, float, float, float]:
    """xx, yy, zz, xy, xz, yz of a symmetric tensor, shape (3, 3)."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = tensor.tolist()
    return xx, yy, zz, xy, xz, yz


def triple(values: Array) -> Triple:
    """Three numbers of a document."""
    x, y, z = values.tolist()
    return x, y, z
