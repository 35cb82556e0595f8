"""``hil world ik``: a pose of a robot's place to joint coordinates; nothing moves."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from hil.config.errors import ConfigError
from hil.stations.world.commands.arguments import RobotDocArg
from hil.stations.world.commands.pose import (
    JointsOption,
    called_joint,
    given_coordinates,
    joint_called,
)
from hil.stations.world.robots.robot_summaries import PoseReachedSummary
from hil.terminal.console import Json, leave, numbers, out, print_json, styled, verb

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sim.world.motion.chain import Chain
    from sim.world.motion.inverse import Reached
    from sim.world.robots.model import Robot, RobotJoint

SWEEPS = 2000


class InverseMethod(StrEnum):
    """Method that finds the joints."""

    DLS = "dls"
    """Damped least squares."""
    CCD = "ccd"
    """Coordinate descent: one joint after the other."""


@verb
def ik(
    robot: RobotDocArg,
    pose: Annotated[
        str,
        typer.Option(
            "--pose",
            metavar="X,Y,Z,A,B,C",
            help="Of the place in the world [mm, deg]: turned by A about the world's x, then B "
            "about y, then C about z.",
        ),
    ],
    end: Annotated[
        str | None,
        typer.Option(
            "--end",
            metavar="JOINT",
            help="End joint of the place, by number or name; the first if left out.",
        ),
    ] = None,
    joints: JointsOption = None,
    method: Annotated[
        InverseMethod, typer.Option("--method", help="How joints are found.")
    ] = InverseMethod.DLS,
    as_json: Json = False,
) -> None:
    """A pose of a robot's end to the coordinates of its driven joints, within their limits.

    The search begins where the robot starts, or at the given joints. Exit status 1 if the pose is
    not reached to 1 µm and 1 µrad; the nearest that was found is told all the same.
    """
    import numpy as np

    from hil.machines.world.robot_documents import robot_of
    from sim.world.motion.chain import Chain, ChainError
    from sim.world.motion.inverse import CoordinateDescent, damped_least_squares
    from sim.world.robots.tree import spanning_tree

    found, _ = robot_of(robot)
    tree = spanning_tree(found)
    if tree.loops:
        raise ConfigError(robot, ["a robot with loops has no inverse kinematics here"])
    start = tree.coordinates(given_coordinates(tree, joints or ()))
    try:
        chain = Chain(tree, _end(found, end), held=start)
    except ChainError as error:
        raise ConfigError(robot, [f"--end: {error}"]) from None
    wanted, begin = _pose(pose), np.array([start[number][0] for number in chain.joints])
    if method is InverseMethod.DLS:
        reached = damped_least_squares(chain, begin, wanted)
    else:
        reached = CoordinateDescent(chain, begin, wanted).settle(SWEEPS)
    summary = _summarize(found.name or robot, chain, reached)
    if as_json:
        print_json(summary)
    else:
        driven = {joint.number: joint for joint in tree.drivers.values()}
        _show(summary, [driven[number] for number in chain.joints])
    leave(summary["ok"])


def _end(robot: Robot, text: str | None) -> int | None:
    """Number of an end, given by number or name."""
    from sim.world.robots.model import JointType

    if text is None or text.strip().isdecimal():
        return None if text is None else int(text)
    ends = [joint for joint in robot.joints if joint.type is JointType.END]
    return joint_called(ends, text, "--end").number


def _pose(text: str) -> NDArray[np.float64]:
    import numpy as np

    from sim.world.robots.tree import turn

    x, y, z, a, b, c = numbers(text, 6, "--pose", "X,Y,Z [mm] and A,B,C [deg]")
    pose = np.eye(4)
    pose[:3, 3] = 1e-3 * np.array((x, y, z))
    first, second, third = (math.radians(angle) for angle in (a, b, c))
    about = turn((0, 0, 1), third) @ turn((0, 1, 0), second) @ turn((1, 0, 0), first)
    pose[:3, :3] = about
    return pose


def _summarize(name: str, chain: Chain, reached: Reached) -> PoseReachedSummary:
    pairs = zip(chain.joints, reached.q.tolist(), strict=True)
    return PoseReachedSummary(
        ok=reached.arrived, robot=name, q={str(joint): value for joint, value in pairs},
        error_m=reached.error_m, error_rad=reached.error_rad, iterations=reached.sweeps,
    )  # fmt: skip


def _show(summary: PoseReachedSummary, joints: list[RobotJoint]) -> None:
    for value, joint in zip(summary["q"].values(), joints, strict=True):
        slide = joint.type.value == "slide"
        shown = f"{1e3 * value:.6f} mm" if slide else f"{math.degrees(value):.6f} deg"
        out.print(f"{called_joint(joint)}: {shown}")
    words = (
        f"{1e3 * summary['error_m']:.6f} mm and {math.degrees(summary['error_rad']):.6f} deg away"
    )
    style, verdict = ("green", "reached") if summary["ok"] else ("red", "not reached")
    out.print(styled(style, verdict), f": {words}, {summary['iterations']} iterations", sep="")
