"""``hil world fk``: joint coordinates to the places of a robot's ends; nothing moves."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from hil.config.errors import ConfigError
from hil.stations.world.commands.arguments import RobotDocArg
from hil.stations.world.robots.robot_summaries import EndsSummary, EndSummary
from hil.terminal.console import Json, leave, numbers, out, print_json, verb

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sim.world.robots.model import Robot, RobotJoint
    from sim.world.robots.tree import RobotTree


JointsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--q",
        metavar="JOINT=VALUE",
        help="A joint's coordinate [deg] or [mm], by its number or name; several of a universal, "
        "ball or free joint (quaternions as they are). Repeatable; others are where they start.",
    ),
]


@verb
def fk(
    robot: RobotDocArg,
    joints: JointsOption = None,
    as_json: Json = False,
) -> None:
    """Joint coordinates to the places of a robot's ends.

    Loops are not closed anew: their joints are where they start. Exit status 1 if a joint is
    beyond its limits.
    """
    from hil.machines.world.robot_documents import robot_of
    from sim.world.robots.loops import closed_loops
    from sim.world.robots.tree import spanning_tree

    found, _ = robot_of(robot)
    tree = spanning_tree(found)
    wanted = {**closed_loops(tree).coordinates, **given_coordinates(tree, joints or ())}
    coordinates = tree.coordinates(wanted)
    violations = list(_violations(tree, coordinates))
    summary = EndsSummary(
        ok=not violations,
        robot=found.name or robot,
        q={str(number): list(values) for number, values in coordinates.items() if values},
        ends=list(_ends(found, tree, coordinates)),
        violations=violations,
    )
    if as_json:
        print_json(summary)
    else:
        _show(summary)
    leave(summary["ok"])


def given_coordinates(tree: RobotTree, texts: Sequence[str]) -> dict[int, tuple[float, ...]]:
    """Coordinates of joints from ``3=45`` or ``elbow=45`` [deg] or [mm], in rad and m."""
    moving = sorted(
        (one for one in tree.drivers.values() if _scales(one)), key=lambda one: one.number
    )
    found: dict[int, tuple[float, ...]] = {}
    for text in texts:
        name, _, values = text.rpartition("=")
        joint = joint_called(moving, name, "--q", "JOINT=VALUE with ")
        scales = _scales(joint)
        given = numbers(values, len(scales), "--q", f"{len(scales)} of joint {joint.number}")
        if joint.number in found:
            raise ConfigError("--q", [f"{text!r}: {called_joint(joint)} is given twice"])
        found[joint.number] = tuple(a * b for a, b in zip(given, scales, strict=True))
    return found


def joint_called(
    joints: Sequence[RobotJoint], text: str, key: str, before: str = ""
) -> RobotJoint:  # fmt: skip
    """Joint that a number, or else a name of the document, means.

    Args:
        key: name of the text, for errors.
        before: words before the joints that there are.

    Raises:
        ConfigError: if it means none, or several.
    """
    word = text.strip()
    found = [one for one in joints if str(one.number) == word]
    found = found or [one for one in joints if word and one.name == word]
    if len(found) == 1:
        return found[0]
    if found:
        own = ", ".join(str(one.number) for one in found)
        raise ConfigError(key, [f"{word!r}: {len(found)} joints have this name; say {own}"])
    known = ", ".join(f"{one.number} {one.name}".rstrip() for one in joints) or "none"
    raise ConfigError(key, [f"{word!r}: no such joint; {before}one of {known}"])


def called_joint(joint: RobotJoint) -> str:
    """Name of a joint in texts: its number, and its name if it has one."""
    return f"joint {joint.number} {joint.name}".rstrip()


def _scales(joint: RobotJoint) -> tuple[float, ...]:
    """Factor from the units of the command line to SI, for each coordinate."""
    scales = {"hinge": (math.radians(1.0),), "slide": (1e-3,), "ball": (1.0,) * 4}
    return tuple(scale for kind, _ in joint.motions for scale in scales[kind])


def _violations(tree: RobotTree, coordinates: Mapping[int, Sequence[float]]) -> Iterator[str]:
    from sim.world.robots.model import JointType

    for joint in tree.drivers.values():
        if joint.type is JointType.BALL:
            continue
        rows = zip(joint.motions, coordinates[joint.number], joint.limits, strict=False)
        for (kind, _), value, (least, greatest) in rows:
            scale, unit = (1e3, "mm") if kind == "slide" else (180.0 / math.pi, "deg")
            if not least <= value <= greatest:
                yield (
                    f"{called_joint(joint)}: {scale * value:.3f} {unit} is beyond its limits of "
                    f"{scale * least:.3f} to {scale * greatest:.3f} {unit}"
                )


def _ends(
    robot: Robot, tree: RobotTree, coordinates: Mapping[int, Sequence[float]]
) -> Iterator[EndSummary]:
    poses = tree.poses(coordinates)
    ends: dict[int, NDArray[np.float64]] = tree.end_poses(poses)
    names = {joint.number: joint.name for joint in robot.joints}
    if not ends:
        last = tree.links[-1].number
        ends = {tree.drivers[last].number: poses[last]}
    for number, pose in ends.items():
        yield EndSummary(
            joint=number, name=names[number], position_m=pose[:3, 3].copy(),
            rotation=pose[:3, :3].copy(),
        )  # fmt: skip


def _show(summary: EndsSummary) -> None:
    for end in summary["ends"]:
        out.print(f"end of joint {end['joint']} {end['name']}".rstrip())
        for name, value, row in zip("xyz", end["position_m"], end["rotation"], strict=True):
            axes = "  ".join(f"{one: .9f}" for one in row)
            out.print(f"{name} {value: .9f} m   {axes}")
    for violation in summary["violations"]:
        out.print(violation, style="red")
