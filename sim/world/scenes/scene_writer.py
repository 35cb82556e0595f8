"""A scene written as TOML: what :mod:`sim.world.scenes.scene_reader` reads, with all digits."""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from sim.world.robots.robot_toml_writer import value_text
from sim.world.scenes import keys
from sim.world.scenes.model import BodyField, Scene
from sim.world.scenes.scene_reader import KEY


def write_scene(scene: Scene) -> str:
    """The TOML of a scene; nothing is lost."""
    blocks = [[f"{KEY} = {value_text(scene.name)}"]]
    if stepping := list(_lines(scene.stepping, keys.STEPPING)):
        blocks.append(["[stepping]", *stepping])
    if scene.floor is not None:
        blocks.append(["[floor]", *_lines(scene.floor, keys.FLOOR)])
    blocks += [["[[light]]", *_lines(light, keys.LIGHT)] for light in scene.lights]
    blocks += [["[[camera]]", *_lines(camera, keys.CAMERA)] for camera in scene.cameras]
    blocks += [["[[robot]]", *_lines(robot, keys.ROBOT)] for robot in scene.robots]
    blocks += [["[[body]]", *_lines(body, keys.body_keys(body.motion))] for body in scene.bodies]
    blocks += [block for field in scene.fields for block in _field(field)]
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _field(field: BodyField) -> Iterator[list[str]]:
    yield ["[[field]]", *_lines(field, keys.FIELD)]
    for kind in field.kinds:
        yield ["[[field.kind]]", *_lines(kind, keys.KIND)]


def _lines(row: Any, known: Mapping[str, str]) -> Iterator[str]:
    """A line for each field that is not as it would be if it were left out."""
    defaults = {field.name: field.default for field in fields(row)}
    for field, key in known.items():
        value = getattr(row, field)
        if value != defaults[field]:
            shown = {str(link): mass for link, mass in value} if field == "link_mass_kg" else value
            yield f"{key} = {value_text(shown)}"
