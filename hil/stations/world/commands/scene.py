"""``hil world list``, ``show`` and ``check`` of scenes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hil.stations.world.robots.robot_summaries import (
    SceneBodySummary,
    SceneCheckSummary,
    SceneRowSummary,
    SceneSummary,
)
from hil.stations.world.run.world_output import show_losses
from hil.terminal.console import out, print_json

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from hil.machines.world.scene_documents import FurnishedScene
    from sim.world.scenes.model import Scene


DEEP_M: Final = 1e-3
"""Deepest overlap of two bodies where a scene begins [m]."""


def scene_rows() -> list[SceneRowSummary]:
    """Rows of the shipped scenes."""
    from hil.machines.world.scene_documents import scene_of, shipped_scenes

    return [_row(name, scene_of(name)) for name in shipped_scenes()]


def _row(name: str, found: FurnishedScene) -> SceneRowSummary:
    scene = found.scene
    return SceneRowSummary(
        name=name, file=str(found.file), robots=len(scene.robots), bodies=len(scene.bodies),
        scattered=sum(field.count for field in scene.fields), lights=len(scene.lights),
        cameras=len(scene.cameras),
    )  # fmt: skip


def scene_shown(name: str, *, as_json: bool, png: Path | None, size: str, camera: str) -> None:
    """Show a scene, as ``hil world show`` does.

    Args:
        png: file of its picture, which is of that size and by one of its cameras.
    """
    summary = _summarize(name)
    if png is not None:
        from hil.machines.world.scene_documents import scene_of
        from hil.stations.world.view.stills import write_scene_still

        write_scene_still(png, scene_of(name), size, camera)
        summary["png"] = str(png)
    if as_json:
        print_json(summary)
    else:
        _show(summary)


def scene_checked(name: str, no_engine: str, *, as_json: bool) -> bool:
    """Check whether a scene can be used, as ``hil world check`` does.

    Args:
        no_engine: text if the engine is not installed.
    """
    summary = _checked(name, no_engine)
    if as_json:
        print_json(summary)
    else:
        _show_check(summary)
    return summary["ok"]


def _summarize(name: str) -> SceneSummary:
    """Summary of a scene; bodies of fields are placed by seed 0 where theirs is left to a run."""
    from hil.machines.world.scene_documents import scene_of
    from sim.world.scenes.bodies import placed_body
    from sim.world.scenes.fields import all_bodies

    found = scene_of(name)
    bodies = [
        SceneBodySummary(
            name=body.name, on=body.on, link=body.link, motion=body.motion.value,
            shape=body.shape.value, size_m=list(body.size_m),
            mass_kg=placed_body(body).mass.mass_kg, position_m=list(body.position_m),
            quaternion=list(body.quaternion),
        )
        for body in all_bodies(found.scene)
    ]  # fmt: skip
    return SceneSummary(
        ok=True, scene=found.scene.name, file=str(found.file),
        robots={one.name: one.document for one in found.scene.robots}, bodies=bodies,
        cameras=[camera.name for camera in found.scene.cameras], png="",
    )  # fmt: skip


def _show(summary: SceneSummary) -> None:
    """Print a scene for people."""
    from rich.table import Table

    robots = ", ".join(f"{name} ({document})" for name, document in summary["robots"].items())
    out.print(f"{summary['scene']}: {len(summary['bodies'])} bodies; robots: {robots or 'none'}")
    table = Table("body", "on", "motion", "shape", "kg", "x m", "y m", "z m", box=None)
    for body in summary["bodies"]:
        on = f"{body['on']} link {body['link']}" if body["on"] in summary["robots"] else body["on"]
        place = (f"{value:.4f}" for value in body["position_m"])
        mass = f"{body['mass_kg']:.4g}"
        table.add_row(body["name"], on, body["motion"], body["shape"], mass, *place)
    out.print(table)
    out.print(f"cameras: {', '.join(summary['cameras']) or 'none'}")


def _checked(name: str, no_engine: str) -> SceneCheckSummary:
    """Summary of a scene's document, and of what the engine makes of it."""
    from hil.machines.world.scene_documents import scene_of
    from sim.world.engine.library import EngineMissingError
    from sim.world.engine.mjcf_scene import scene_text
    from sim.world.engine.world import ModelRefusedError, World
    from sim.world.scenes.fields import FieldFullError

    found = scene_of(name)
    row, engine, ok, touching = _row(found.scene.name, found), "ok", True, list[str]()
    joints = equalities = None
    try:
        world = World(scene_text(found.scene, found.robots))
        _, joints, equalities = world.sizes
        touching = [
            f"{' and '.join(contact.bodies)}: {1e3 * contact.depth_m:.3f} mm"
            for contact in world.contacts()
            if contact.depth_m > DEEP_M
        ]
    except EngineMissingError:
        engine = no_engine
    except (ModelRefusedError, FieldFullError) as error:
        engine, ok = str(error), False
    return SceneCheckSummary(
        ok=ok and not touching, scene=row["name"], file=row["file"], robots=row["robots"],
        bodies=row["bodies"], scattered=row["scattered"], engine=engine, overlaps=touching,
        frictions=list(_frictions(found.scene)), losses=found.losses,
        joints=joints, equalities=equalities,
        sensors=sum(len(robot.sensors) for robot in found.robots.values()),
    )  # fmt: skip


def _frictions(scene: Scene) -> Iterator[str]:
    """Warnings of bodies whose own friction does not act, as the floor's is greater."""
    for body in scene.bodies:
        floor = 0.0 if scene.floor is None else scene.floor.friction
        if body.friction < floor and not body.contact_time_s:
            yield (
                f"body {body.name}: friction {body.friction:g} does not count on the floor, whose "
                f"{floor:g} is greater; contact_time_s = 0.02 lets it count alone"
            )


def _show_check(summary: SceneCheckSummary) -> None:
    """Print a check for people."""
    names = ("robots", "bodies", "scattered", "joints", "equalities", "sensors")
    counts = ", ".join(f"{summary[name]} {name}" for name in names if summary[name] is not None)
    out.print(f"{summary['scene']}: {counts}")
    show_losses(summary["losses"])
    for line in summary["frictions"]:
        out.print(line, soft_wrap=True)
    for line in summary["overlaps"]:
        out.print(f"in each other: {line}", style="red")
    out.print(f"physics engine: {summary['engine']}", style=None if summary["ok"] else "red")
