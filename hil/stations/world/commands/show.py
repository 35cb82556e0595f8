"""``hil world list``, ``show`` and ``check``: parts of a robot, and whether it can be used."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hil.stations.world.commands.arguments import RobotDocArg
from hil.stations.world.commands.scenario import scenario_checked, world_scenario
from hil.stations.world.commands.scene import scene_checked, scene_rows, scene_shown
from hil.stations.world.robots.robot_summaries import (
    RobotCheckSummary,
    RobotJointSummary,
    RobotLinkSummary,
    RobotRowSummary,
    RobotsSummary,
    RobotSummary,
)
from hil.terminal.console import Json, err, leave, out, print_json, verb

if TYPE_CHECKING:
    from pathlib import Path

    from sim.world.robots.model import Robot

NO_ENGINE = "not asked: pip install hil-bench[world]"


@verb
def listed(as_json: Json = False) -> None:
    """The robots and scenes that come with the program."""
    from hil.machines.world.robot_documents import robot_of, shipped_robots

    rows = [_row(name, *robot_of(name)) for name in shipped_robots()]
    if as_json:
        print_json(RobotsSummary(ok=True, robots=rows, scenes=scene_rows()))
        return
    from rich.table import Table

    table = Table("robot", "links", "joints", "loops", "freedoms", "drives", box=None)
    for row in rows:
        counts = (row["links"], row["joints"], row["loops"], row["freedoms"], row["drives"])
        table.add_row(row["name"], *map(str, counts))
    out.print(table)
    table = Table("scene", "robots", "bodies", "at random", "cameras", box=None)
    for row in scene_rows():
        counts = (row["robots"], row["bodies"], row["scattered"], row["cameras"])
        table.add_row(row["name"], *map(str, counts))
    out.print(table)


def _row(name: str, robot: Robot, path: Path) -> RobotRowSummary:
    loops = [joint for joint in robot.joints if joint.closes]
    return RobotRowSummary(
        name=name, file=str(path), links=len(robot.links), joints=_joints(robot), loops=len(loops),
        freedoms=_freedoms(robot), drives=len(robot.drives),
    )  # fmt: skip


def _joints(robot: Robot) -> int:
    """Number of joints that move a link or close a loop."""
    from sim.world.robots.model import JointType

    still = (JointType.END, JointType.FIXED)
    return sum(joint.closes or joint.type not in still for joint in robot.joints)


def _freedoms(robot: Robot) -> int:
    from sim.world.robots.loops import FREEDOMS

    return sum(FREEDOMS.get(joint.type, 0) for joint in robot.joints if not joint.closes)


@verb
def show(
    robot: RobotDocArg,
    frames: Annotated[
        bool,
        typer.Option("--frames", help="The D-H frame of every link, in the world too; axes drawn."),
    ] = False,
    png: Annotated[
        Path | None, typer.Option("--png", metavar="FILE", help="Write a picture of it.")
    ] = None,
    size: Annotated[
        str, typer.Option("--size", metavar="WIDTHxHEIGHT", help="Of the picture, in pixels.")
    ] = "1920x1080",
    camera: Annotated[
        str,
        typer.Option("--camera", metavar="NAME", help="Of a scene, to draw it; else its first."),
    ] = "",
    as_json: Json = False,
) -> None:
    """Links, joints, loops, masses and freedoms of a robot, where it starts; bodies of a scene.

    Exit status 1 if its loops cannot be closed, or if there is no OpenGL for its picture.
    """
    from hil.machines.world.robot_documents import robot_of
    from hil.machines.world.scene_documents import is_scene

    if is_scene(robot):
        scene_shown(robot, as_json=as_json, png=png, size=size, camera=camera)
        return
    found, path = robot_of(robot)
    summary = _summarize(found, str(path), robot)
    if png is not None:
        from hil.stations.world.view.stills import write_still

        write_still(png, found, size, frames=frames)
        summary["png"] = str(png)
    if as_json:
        print_json(summary)
    else:
        _show(summary, frames=frames)
    leave(summary["ok"])


def _summarize(robot: Robot, file: str, name: str) -> RobotSummary:
    from sim.world.robots.bodies import placed_bodies
    from sim.world.robots.loops import CLOSED_M, closed_loops
    from sim.world.robots.tree import spanning_tree

    tree, bodies = spanning_tree(robot), placed_bodies(robot)
    closed = closed_loops(tree)
    poses = tree.poses(closed.coordinates)
    links = [
        RobotLinkSummary(
            number=link.number, name=link.name, joint=tree.drivers[link.number].number,
            dh=list(link.dh), shape=link.shape.value, mass_kg=bodies[link.number].mass.mass_kg,
            position_m=poses[link.number][:3, 3].copy(),
            rotation=poses[link.number][:3, :3].copy(),
        )
        for link in tree.links
    ]  # fmt: skip
    joints = [
        RobotJointSummary(
            number=joint.number, name=joint.name, type=joint.type.value, parent=joint.parent,
            child=joint.child, closes=joint.closes,
            start=list(closed.coordinates.get(joint.number, ())),
        )
        for joint in robot.joints
    ]  # fmt: skip
    return RobotSummary(
        ok=closed.gap_max_m <= CLOSED_M, robot=robot.name or name, file=file,
        mass_kg=sum(link["mass_kg"] for link in links), freedoms=_freedoms(robot),
        gap_max_m=closed.gap_max_m, links=links, joints=joints, png="",
    )  # fmt: skip


def _show(summary: RobotSummary, *, frames: bool) -> None:
    from rich.table import Table

    loops = sum(joint["closes"] for joint in summary["joints"])
    out.print(
        f"{summary['robot']}: {len(summary['links'])} links, {summary['mass_kg']:.3f} kg, "
        f"{summary['freedoms']} freedoms of joints, {loops} loops "
        f"(gap {1e6 * summary['gap_max_m']:.3g} µm)"
    )
    table = Table("link", "name", "joint", "body", "kg", "x m", "y m", "z m", box=None)
    for link in summary["links"]:
        place = (f"{value:.5f}" for value in link["position_m"])
        table.add_row(str(link["number"]), link["name"], str(link["joint"]), link["shape"],
                      f"{link['mass_kg']:.4g}", *place)  # fmt: skip
    out.print(table)
    table = Table("joint", "name", "type", "from", "to", "start", box=None)
    for joint in summary["joints"]:
        kind = f"{joint['type']}, closes a loop" if joint["closes"] else joint["type"]
        start = ", ".join(f"{value:.6g}" for value in joint["start"])
        table.add_row(str(joint["number"]), joint["name"], kind, str(joint["parent"]),
                      str(joint["child"]), start)  # fmt: skip
    out.print(table)
    if frames:
        _show_frames(summary)
    if summary["png"]:
        out.print(f"written: {summary['png']}", soft_wrap=True)


def _show_frames(summary: RobotSummary) -> None:
    from sim.world.robots.dh import NAMES

    for link in summary["links"]:
        names = NAMES[-len(link["dh"]) :]
        numbers = ", ".join(f"{n} {v!r}" for n, v in zip(names, link["dh"], strict=True))
        out.print(f"link {link['number']} {link['name']}".rstrip() + f": {numbers}")
        for row, at in zip(link["rotation"], link["position_m"], strict=True):
            out.print("  " + "  ".join(f"{value: .9f}" for value in (*row, at)))


@verb
def check(
    robot: RobotDocArg,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse to lose anything; exit status 1.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Every fault of a robot, scene or scenario, by line and column; else what it comes to.

    What of a document is not read, and what the robot of a machine does not say of it, is told, a
    line for each loss. The physics engine is asked too, where it is installed. Exit status 2 for
    faults, 1 if the engine refuses it.
    """
    from hil.config.errors import RefusedError
    from hil.machines.world.documents import is_machine
    from hil.machines.world.robot_documents import document_of
    from hil.machines.world.scene_documents import is_scene
    from sim.world.engine.hulls import mesh_losses

    if (scenario := world_scenario(robot)) is not None:
        leave(scenario_checked(scenario, NO_ENGINE, as_json=as_json))
        return
    if is_scene(robot):
        leave(scene_checked(robot, NO_ENGINE, as_json=as_json))
        return
    document = document_of(robot)
    found = document.robot
    lost = [*document.lost, *map(str, mesh_losses(found))]
    if strict and lost:
        raise RefusedError("\n".join(["not read whole:", *lost]))
    engine, ok, sizes = _asked(found)
    summary = RobotCheckSummary(
        ok=ok, robot=found.name or robot, file=str(document.path), links=len(found.links),
        joints=_joints(found), loops=sum(joint.closes for joint in found.joints),
        drives=len(found.drives), sensors=len(found.sensors), engine=engine,
        bodies=sizes and sizes[0], equalities=sizes and sizes[2],
        losses=lost,
    )  # fmt: skip
    if as_json:
        print_json(summary)
    else:
        counts = ["links", "joints", "loops", "drives", "sensors"]
        counts += ["bodies", "equalities"] if sizes is not None else []
        out.print(f"{summary['robot']}: " + ", ".join(f"{summary[name]} {name}" for name in counts))
        for line in lost:
            if is_machine(robot):
                out.print(f"not said: {line}", soft_wrap=True)
            else:
                err.print(f"lost: {line}", soft_wrap=True)
        out.print(f"physics engine: {engine}", style=None if ok else "red")
    leave(ok)


def _asked(robot: Robot) -> tuple[str, bool, tuple[int, int, int] | None]:
    """Answer of the engine about a robot, whether it takes it, and its `World.sizes`."""
    from sim.world.engine.library import EngineMissingError
    from sim.world.engine.mjcf import model_text
    from sim.world.engine.mjcf_robot import PlacedRobot
    from sim.world.engine.world import ModelRefusedError, World

    try:
        sizes = World(model_text([PlacedRobot(robot)])).sizes
    except EngineMissingError:
        return NO_ENGINE, True, None
    except ModelRefusedError as error:
        return str(error), False, None
    return "ok", True, sizes
