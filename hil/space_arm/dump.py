"""An arm written as TOML; :mod:`hil.machines.space_arm_settings` reads it back as the same arm."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict

import numpy as np
from numpy.typing import NDArray

from sim.world.space_arm.arm import Arm, Body, Link
from sim.world.space_arm.drive import JointDrive

Array = NDArray[np.float64]


def dump_arm(
    arm: Arm,
    *,
    description: str = "",
    home_rad: Array | None = None,
    payloads: Mapping[str, Body] | None = None,
) -> str:
    """The arm as TOML text, each joint with its axis, offset and turn.

    Args:
        home_rad: joint angles at which a run starts [rad], shape (6,); None: zeros.
        payloads: what the gripper may hold, by name.
    """
    home = np.zeros(len(arm.links)) if home_rad is None else home_rad
    lines = [
        f'name = "{arm.name}"',
        f"description = {_text(description)}",
        f"gravity_m_s2 = {_list(arm.gravity_m_s2)}",
        f"home_deg = {_list(degrees(float(angle)) for angle in home)}",
    ]
    for link, drive in zip(arm.links, arm.drives, strict=True):
        lines += ["", "[[joint]]", *_link_lines(link), "[joint.drive]", *_drive_lines(drive)]
    lines += ["", "[tool]", f"offset_m = {_list(arm.tool_offset_m)}"]
    lines.append(f"rpy_rad = {_list(rpy_of(arm.tool_rotation))}")
    for name, body in (payloads or {}).items():
        lines += ["", "[[payload]]", f'name = "{name}"', *_body_lines(body)]
    return "\n".join(lines) + "\n"


def degrees(angle_rad: float) -> float:
    """The shortest number of degrees that ``math.radians`` makes this angle of, if there is one."""
    exact = math.degrees(angle_rad)
    for digits in range(17):
        shorter = float(f"{exact:.{digits}e}")
        if math.radians(shorter) == angle_rad:
            return shorter
    return exact


def rpy_of(rotation: Array) -> tuple[float, float, float]:
    """Roll, pitch and yaw of Rz(yaw) Ry(pitch) Rx(roll) [rad].

    At a pitch of a quarter turn only a sum of roll and yaw is known; roll is then 0.

    Args:
        rotation: shape (3, 3).
    """
    level = math.hypot(float(rotation[0, 0]), float(rotation[1, 0]))
    pitch = math.atan2(-float(rotation[2, 0]), level)
    if level < 1e-12:
        return 0.0, pitch, math.atan2(-float(rotation[0, 1]), float(rotation[1, 1]))
    roll = math.atan2(float(rotation[2, 1]), float(rotation[2, 2]))
    return roll, pitch, math.atan2(float(rotation[1, 0]), float(rotation[0, 0]))


def _link_lines(link: Link) -> list[str]:
    travel = (degrees(link.position_min_rad), degrees(link.position_max_rad))
    return [
        f'name = "{link.name}"',
        f"axis = {_list(link.axis)}",
        f"offset_m = {_list(link.offset_m)}",
        f"rpy_rad = {_list(rpy_of(link.rotation))}",
        *_body_lines(link),
        f"position_deg = {_list(travel)}",
        f"rate_max_deg_s = {degrees(link.rate_max_rad_s)!r}",
    ]


def _body_lines(body: Link | Body) -> list[str]:
    inertia = body.inertia_kg_m2
    entries = [inertia[0, 0], inertia[1, 1], inertia[2, 2]]
    products = [inertia[0, 1], inertia[0, 2], inertia[1, 2]]
    return [
        f"mass_kg = {float(body.mass_kg)!r}",
        f"com_m = {_list(body.com_m)}",
        f"inertia_kg_m2 = {_list(entries + products if any(products) else entries)}",
    ]


def _drive_lines(drive: JointDrive) -> list[str]:
    return [f"{key} = {float(value)!r}" for key, value in asdict(drive).items()]


def _list(values: Iterable[float]) -> str:
    return "[" + ", ".join(repr(float(value) + 0.0) for value in values) + "]"


def _text(text: str) -> str:
    """A TOML basic string."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in escaped) + '"'
