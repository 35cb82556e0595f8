"""``hil arm fk`` and ``hil arm ik``: joint angles and places of the gripper; nothing moves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hil.config.errors import ConfigError, RefusedError
from hil.machines.kinds import ROBOT, SPACE_ARM
from hil.run.file_kinds import find_kind
from hil.stations.arm.arm_summaries import (
    DistancesSummary,
    PosturesSummary,
    PostureSummary,
    RobotPlaceSummary,
    SpacePlaceSummary,
)
from hil.stations.arm.commands.alone import six
from hil.stations.arm.commands.space_arms import JOINT_NAMES, angles_of, space_arm_of
from hil.terminal.completion import offered
from hil.terminal.console import Json, leave, numbers, out, print_json, verb

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from arm_driver.kinematics.puma import Solution
    from hil.machines.robot.settings import RobotSettings
    from sim.world.space_arm.arm import Arm

AnyArmArg = Annotated[
    str,
    typer.Argument(
        metavar="ARM",
        help="Robot or space arm: a file, or the name of a shipped one (rm01, bkm).",
        autocompletion=offered("robots", "arms"),
    ),
]
POSE_NAMES = "x,y,z,o,a,t"
READY_DEG = (0.0, 45.0, -180.0, 0.0, 45.0, 0.0)
"""Joint angles of a robot if none are given: bent everywhere, so clear of singularities."""


@verb
def fk(
    arm: AnyArmArg,
    joints: Annotated[
        str | None,
        typer.Option(
            "--q",
            metavar=JOINT_NAMES,
            help="Joint angles [deg]; left out: a space arm's home, a robot's 0,45,-180,0,45,0.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Joint angles to the place of the gripper, with how well the posture can be moved.

    Exit status 1 if a joint is beyond its range.
    """
    path, kind = find_kind(arm, ROBOT, SPACE_ARM, key="ARM")
    summary = _robot_place(path, joints) if kind is ROBOT else _space_place(path, joints)
    if as_json:
        print_json(summary)
    else:
        _show_place(summary)
    leave(summary["ok"])


def _robot_place(path: Path, joints: str | None) -> RobotPlaceSummary:
    import numpy as np

    from arm_driver.contour.val import to_oat
    from arm_driver.kinematics.puma import branch_of, forward, limit_violations, singular_distances
    from hil.machines.robot.settings import RobotSettings

    settings = RobotSettings.load(path)
    geometry = settings.geometry()
    q = np.radians(READY_DEG if joints is None else six(joints, "--q"))
    place = forward(geometry, q)
    distances = singular_distances(geometry, q)
    violations = [
        _beyond(f"joint {one.joint}", one.value_rad, one.limit_rad)
        for one in limit_violations(geometry, q)
    ]
    return RobotPlaceSummary(
        ok=not violations,
        kind=ROBOT.name,
        q_deg=np.degrees(q),
        position_m=place.position_m,
        rotation=place.rotation,
        oat_deg=np.degrees(to_oat(place.rotation, settings.oat_convention())),
        convention=settings.convention,
        posture=str(branch_of(geometry, q)),
        singular_distances=DistancesSummary(
            wrist=distances.wrist, elbow_m=distances.elbow_m, shoulder_m=distances.shoulder_m
        ),
        violations=violations,
    )


def _space_place(path: Path, joints: str | None) -> SpacePlaceSummary:
    import numpy as np
    from scipy.spatial.transform import Rotation

    from sim.world.space_arm.kernels.dynamics import gripper_pose, make_scratch
    from sim.world.space_arm.singularity import PostureSolver, reach_m

    settings = space_arm_of(str(path))
    model = settings.arm()
    q = angles_of(settings, joints)
    rotation, position = np.empty((3, 3)), np.empty(3)
    gripper_pose(model.arrays(), q, make_scratch(), rotation, position)
    posture = PostureSolver(model, reach_m(model)).at(q)
    violations = beyond_ranges(model, q)
    return SpacePlaceSummary(
        ok=not violations,
        kind=SPACE_ARM.name,
        q_deg=settings.in_file_units(q),
        position_m=position,
        rotation=rotation,
        rpy_deg=np.flip(Rotation.from_matrix(rotation).as_euler("ZYX", degrees=True)).copy(),
        smallest_singular_value=posture.smallest,
        manipulability=posture.manipulability,
        violations=violations,
    )


def beyond_ranges(arm: Arm, q_rad: NDArray[np.float64]) -> list[str]:
    """Say which joints of a space arm are beyond their ranges at these angles, shape (n,)."""
    return [
        _beyond(link.name, angle, min(max(angle, low), high), slides=link.prismatic)
        for link, angle in zip(arm.links, q_rad, strict=True)
        if not (low := link.position_min_rad) <= angle <= (high := link.position_max_rad)
    ]


def _beyond(joint: str, value_rad: float, limit_rad: float, *, slides: bool = False) -> str:
    side = "above" if value_rad > limit_rad else "below"
    if slides:
        return f"{joint}: {value_rad:.4f} m is {side} its limit of {limit_rad:.4f} m"
    return (
        f"{joint}: {math.degrees(value_rad):.3f} deg is {side} its limit of "
        f"{math.degrees(limit_rad):.3f} deg"
    )


def _show_place(summary: RobotPlaceSummary | SpacePlaceSummary) -> None:
    for name, value in zip("xyz", summary["position_m"], strict=True):
        out.print(f"{name} {value: .9f} m")
    for row in summary["rotation"]:
        out.print("  ".join(f"{value: .9f}" for value in row))
    if "smallest_singular_value" in summary:
        rpy = ",".join(f"{value:.6f}" for value in summary["rpy_deg"])
        place = ",".join(f"{1e3 * value:.6f}" for value in summary["position_m"])
        out.print(f"--pose {place},{rpy} (mm; roll, pitch, yaw in deg)")
        out.print(f"smallest singular value {summary['smallest_singular_value']:.4f}")
    else:
        pose = [*1e3 * summary["position_m"], *summary["oat_deg"]]
        numbers_of_pose = ",".join(f"{value:.3f}" for value in pose)
        far = summary["singular_distances"]
        out.print(
            f"--pose {numbers_of_pose} (mm, deg; {summary['convention']}), {summary['posture']}"
        )
        out.print(
            f"|sin q5| {far['wrist']:.3f}, elbow {far['elbow_m']:.3f} m, "
            f"shoulder {far['shoulder_m']:.3f} m from a singularity"
        )
    for violation in summary["violations"]:
        out.print(violation, style="red")


@verb
def ik(
    arm: AnyArmArg,
    pose: Annotated[
        str,
        typer.Option(
            "--pose",
            metavar=POSE_NAMES,
            help="Gripper in the base [mm, deg]; o,a,t of a robot are those of its controller, of "
            "a space arm roll, pitch, yaw: Rz(yaw) Ry(pitch) Rx(roll).",
        ),
    ],
    near: Annotated[
        str | None,
        typer.Option(
            "--near",
            metavar=JOINT_NAMES,
            help="Present joint angles [deg; m]; a space arm's home if left out.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """A place of the gripper to joint angles: of a robot to all eight postures, the nearest first.

    Exit status 1 if it is out of reach, or no posture is within the joints' ranges.
    """
    path, kind = find_kind(arm, ROBOT, SPACE_ARM, key="ARM")
    if kind is SPACE_ARM:
        from hil.stations.arm.commands.place_search import search_place

        search_place(path, pose, near, as_json=as_json)
        return
    _robot_postures(path, pose, near, as_json=as_json)


def _robot_postures(path: Path, pose: str, near: str | None, *, as_json: bool) -> None:
    import numpy as np

    from arm_driver.contour.val import from_oat
    from arm_driver.errors import ArmError
    from arm_driver.kinematics.puma import OutOfReachError, solutions
    from hil.machines.robot.settings import RobotSettings
    from hil_common.arrays.pose import Pose, PoseError

    settings = RobotSettings.load(path)
    place = numbers(pose, 6, "--pose", f"{POSE_NAMES} in mm and degrees")
    now = None if near is None else np.radians(six(near, "--near"))
    try:
        rotation = from_oat(np.radians(place[3:]), settings.oat_convention())
        wanted = Pose(np.array(place[:3]) * 1e-3, rotation)
        found = solutions(settings.geometry(), wanted, now)
    except OutOfReachError as error:
        raise RefusedError(f"{settings.name}: {error}") from None
    except (ArmError, PoseError) as error:
        raise ConfigError("command line", [str(error)]) from None
    inside = found.within_limits()
    rows = [*inside, *(one for one in found if not one.within_limits)]
    if as_json:
        print_json(PosturesSummary(ok=bool(inside), solutions=[_posture(one) for one in rows]))
    else:
        _show_solutions(settings, rows)
    leave(bool(inside))


def _posture(one: Solution) -> PostureSummary:
    import numpy as np

    return PostureSummary(
        branch=str(one.branch),
        q_deg=np.degrees(one.q_rad),
        within_limits=one.within_limits,
        violations=_violations(one),
    )


def _violations(one: Solution) -> list[str]:
    return [_beyond(f"joint {v.joint}", v.value_rad, v.limit_rad) for v in one.violations]


def _show_solutions(settings: RobotSettings, rows: Sequence[Solution]) -> None:
    from rich.table import Table

    from arm_driver.kinematics.puma import singular_distances

    table = Table("posture", *(f"q{j} deg" for j in range(1, 7)), "|sin q5|", box=None)
    for one in rows:
        angles = (f"{math.degrees(q):.3f}" for q in one.q_rad)
        wrist = singular_distances(settings.geometry(), one.q_rad).wrist
        style = None if one.within_limits else "dim"
        table.add_row(str(one.branch), *angles, f"{wrist:.3f}", style=style)
    out.print(table)
    for one in rows:
        for violation in _violations(one):
            out.print(f"{one.branch}: {violation}")
