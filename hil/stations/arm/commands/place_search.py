"""``hil arm ik`` of a space arm: joint angles for a place of its gripper; nothing moves."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from hil.config.errors import RefusedError
from hil.stations.arm.arm_summaries import FoundPlaceSummary
from hil.stations.arm.commands.space_arms import joint_values, space_arm_of
from hil.terminal.console import leave, numbers, out, print_json

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from hil.machines.space_arm.settings import ArmSettings

    Array = NDArray[np.float64]

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
    summary = _search(settings, place, start)
    if as_json:
        print_json(summary)
    elif summary["ok"]:
        out.print("--q " + ",".join(f"{value:.6f}" for value in summary["q_deg"].tolist()))
    else:
        raise RefusedError(
            f"{settings.name}: no posture within its ranges was found; the nearest is "
            f"{summary['left_m']:.4g} m and {summary['left_deg']:.4g} deg away, of "
            f"{', '.join(summary['followed'])}"
        )
    leave(summary["ok"])


def _search(settings: ArmSettings, place: Sequence[float], start: Array) -> FoundPlaceSummary:
    """Search for a place [mm, deg] from joint angles [rad; m]."""
    import numpy as np

    from hil.machines.space_arm.joints import rotation_of
    from hil.machines.space_arm.settings import TWIST_PARTS
    from sim.world.space_arm.inverse_kinematics import InverseKinematics

    roll, pitch, yaw = np.radians(place[3:]).tolist()
    solver = InverseKinematics(settings.arm())
    rotation = rotation_of((roll, pitch, yaw))
    q, left_m, left_rad = solver.solve(1e-3 * np.array(place[:3]), rotation, start)
    return FoundPlaceSummary(
        ok=left_m <= REACHED_M and left_rad <= REACHED_RAD,
        arm=settings.name,
        q_deg=settings.in_file_units(q),
        followed=list(settings.follow or TWIST_PARTS),
        left_m=left_m,
        left_deg=math.degrees(left_rad),
    )
