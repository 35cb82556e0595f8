"""``hil arm ik`` of a space arm: joint angles for a place of its gripper; nothing moves."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Final

import numpy as np

from hil.config.errors import RefusedError
from hil.machines.space_arm.settings import TWIST_PARTS, rotation_of
from hil.stations.arm.arm_summaries import FoundPlaceSummary
from hil.stations.arm.commands.space_arms import joint_values, space_arm_of
from hil.terminal.console import leave, numbers, out, print_json
from sim.world.space_arm.inverse_kinematics import InverseKinematics

REACHED_M: Final = 1e-7
REACHED_RAD: Final = 1e-7


def search_place(path: Path, pose: str, near: str | None, *, as_json: bool) -> None:
    """Find joint angles, show them, and end with the verb's status.

    Raises:
        RefusedError: if no posture within the joints' ranges has been found.
    """
    settings = space_arm_of(str(path))
    place = numbers(pose, 6, "--pose", "x,y,z,roll,pitch,yaw in mm and degrees")
    start = settings.home_rad() if near is None else joint_values(settings, near, "--near", "")
    roll, pitch, yaw = np.radians(place[3:]).tolist()
    solver = InverseKinematics(settings.arm(), settings.followed())
    position_m = 1e-3 * np.array(place[:3])
    q, left_m, left_rad = solver.solve(position_m, rotation_of((roll, pitch, yaw)), start)
    reached = left_m <= REACHED_M and left_rad <= REACHED_RAD
    found = FoundPlaceSummary(
        ok=reached,
        arm=settings.name,
        q_deg=settings.in_file_units(q),
        followed=list(settings.follow or TWIST_PARTS),
        left_m=left_m,
        left_deg=math.degrees(left_rad),
    )
    if as_json:
        print_json(found)
    elif not reached:
        raise RefusedError(
            f"{settings.name}: no posture within its ranges was found; the nearest is {left_m:.4g} "
            f"m and {math.degrees(left_rad):.4g} deg away, of {', '.join(found['followed'])}"
        )
    else:
        values = zip(settings.joint, found["q_deg"].tolist(), strict=True)
        out.print("--q " + ",".join(f"{value:.6f}" for _, value in values))
    leave(reached)
