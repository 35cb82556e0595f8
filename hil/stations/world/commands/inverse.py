"""``hil world ik``: a pose of a robot's place to joint coordinates; nothing moves."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from hil.config.errors import ConfigError
from hil.stations.world.commands.arguments import RobotDocArg
from hil.stations.world.commands.pose import JointsOption, given_coordinates
from hil.stations.world.told import PoseReachedTold
from hil.terminal.console import Json, leave, numbers, out, print_json, styled, verb

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sim.world.motion.chain import Chain
    from sim.world.motion.inverse import Reached

SWEEPS = 2000


class InverseMethod(StrEnum):
    """How joints are found."""

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
        int | None,
        typer.Option(
            "--end", metavar="JOINT", help="End joint of the place; the first if left out."
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

    from hil.machines.robot_documents import robot_of
    from sim.world.motion.chain import Chain, ChainError
    from sim.world.motion.inverse import CoordinateDescent, damped_least_squares
    from sim.world.robots.tree import spanning_tree

    found, _ = robot_of(robot)
    tree = spanning_tree(found)
    if tree.loops:
        raise ConfigError(robot, ["a robot with loops has no inverse kinematics here"])
    start = tree.coordinates(given_coordinates(tree, joints or ()))
    try:
        chain = Chain(tree, end, standing=start)
    except ChainError as error:
        raise ConfigError(robot, [f"--end: {error}"]) from None
    wanted, begin = _pose(pose), np.array([start[number][0] for number in chain.joints])
    if method is InverseMethod.DLS:
        reached = damped_least_squares(chain, begin, wanted)
    else:
        reached = CoordinateDescent(chain, begin, wanted).settle(SWEEPS)
    told = _told(found.name or robot, chain, reached)
    if as_json:
        print_json(told)
    else:
        _show(told, chain, [joint.type.value == "slide" for joint in tree.drivers.values()
                            if joint.number in chain.joints])  # fmt: skip
    leave(told["ok"])


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


def _told(name: str, chain: Chain, reached: Reached) -> PoseReachedTold:
    pairs = zip(chain.joints, reached.q.tolist(), strict=True)
    return PoseReachedTold(
        ok=reached.arrived, robot=name, q={str(joint): value for joint, value in pairs},
        error_m=reached.error_m, error_rad=reached.error_rad, iterations=reached.sweeps,
    )  # fmt: skip


def _show(told: PoseReachedTold, chain: Chain, slides: list[bool]) -> None:
    for (number, value), slide in zip(told["q"].items(), slides, strict=True):
        shown = f"{1e3 * value:.6f} mm" if slide else f"{math.degrees(value):.6f} deg"
        out.print(f"joint {number}: {shown}")
    words = f"{1e3 * told['error_m']:.6f} mm and {math.degrees(told['error_rad']):.6f} deg away"
    style, verdict = ("green", "reached") if told["ok"] else ("red", "not reached")
    out.print(styled(style, verdict), f": {words}, {told['iterations']} iterations", sep="")
