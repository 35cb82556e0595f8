"""A robot as TOML text, as :mod:`sim.world.robots.robot_toml_reader` reads it, with all digits."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

from sim.world.robots import dh, toml_keys
from sim.world.robots.body import BodyPlace, LinkInertia, LinkMesh, LinkVisual
from sim.world.robots.model import (
    AxisBounds,
    JointType,
    Mimic,
    Robot,
    RobotDrive,
    RobotJoint,
    RobotLink,
)
from sim.world.robots.sensors import RobotSensor
from sim.world.robots.text import number_text
from sim.world.robots.toml_sensors import sensor_entries


def write_toml(robot: Robot, *, whole: bool = False) -> str:
    """Write the TOML of a robot; nothing is lost.

    Args:
        whole: whether what is in the files of meshes is written, too, so that nothing else is
            needed to read it.
    """
    kinds = {joint.number: joint.type for joint in robot.joints}
    head = [f"name = {_string(robot.name)}"] if robot.name else []
    if robot.gravity_m_s2 is not None:
        head.append(f"gravity_m_s2 = {value_text(robot.gravity_m_s2)}")
    head += ["own_contacts = true"] if robot.own_contacts else []
    blocks = [head] if head else []
    links = robot.links if whole else map(_named, robot.links)
    blocks += [["[[link]]", *_lines(link, toml_keys.LINK)] for link in links]
    blocks += [
        ["[[joint]]", *_lines(joint, toml_keys.joint_keys(joint.type))] for joint in robot.joints
    ]
    blocks += [
        ["[[drive]]", *_lines(drive, toml_keys.drive_keys(kinds[drive.joint]))]
        for drive in robot.drives
    ]
    blocks += [["[[sensor]]", *_sensor(sensor)] for sensor in robot.sensors]
    if robot.machine is not None:
        box = robot.machine.box_m
        lines = [] if box is None else [f"box_m = {value_text(box)}"]
        lines += ["own_bodies = true"] if robot.machine.own_bodies else []
        blocks.append(["[machine]", *lines])
        blocks += [
            ["[[machine.joint]]", *_lines(bounds, toml_keys.bounds_keys(kinds[bounds.joint]))]
            for bounds in robot.machine.joints
        ]
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _lines(
    row: RobotLink | RobotJoint | RobotDrive | AxisBounds, keys: Mapping[str, str]
) -> Iterator[str]:
    """Write a line for each field that differs from its default."""
    defaults = {field.name: field.default for field in fields(row)}
    for field, key in keys.items():
        value: Any = getattr(row, field)
        if value == defaults[field] or (field == "axis" and not value):
            continue
        match field:
            case "mimic" if isinstance(row, RobotJoint):
                shown = _mimic(value, row.type)
            case "limits" if len(value) == 1:
                shown = value[0]
            case "dh":
                shown = dict(zip(dh.NAMES[-len(value) :], value, strict=True))
            case _:
                shown = value
        yield f"{key} = {value_text(shown)}"


def _mimic(mimic: Mimic, kind: JointType) -> dict[str, Any]:
    offset = toml_keys.with_unit("offset", kind)
    return {"joint": mimic.joint, "ratio": mimic.ratio, offset: mimic.offset}


def _named(link: RobotLink) -> RobotLink:
    """Reduce the meshes of a link to the names of their files."""
    seen = link.visual
    if link.mesh is not None:
        link = replace(link, mesh=replace(link.mesh, contents=()))
    if seen is not None and seen.mesh is not None:
        seen = replace(seen, mesh=replace(seen.mesh, contents=()))
    return replace(link, visual=seen)


def _mesh(mesh: LinkMesh) -> dict[str, Any]:
    """Write the paths of a mesh's files, and their contents."""
    usual = LinkMesh(mesh.file)
    entries = {name: getattr(mesh, name) for name in ("file", "scale", "parts")}
    entries = {
        name: one for name, one in entries.items() if name == "file" or one != getattr(usual, name)
    }
    if mesh.contents:
        entries["contents"] = {path: toml_keys.packed(data) for path, data in mesh.contents}
    return entries


def _sensor(sensor: RobotSensor) -> Iterator[str]:
    for key, value in sensor_entries(sensor).items():
        yield f"{key} = {value_text(value)}"


def value_text(value: object) -> str:
    """Format a value as TOML, with all digits."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return number_text(value)
        case str():
            return _string(value)
        case tuple():
            return f"[{', '.join(map(value_text, value))}]"
        case LinkMesh():
            return value_text(_mesh(value))
        case LinkVisual() if value.mesh is not None:
            own = {"shape": value.shape, "mesh": value.mesh}
            place = {"position_m": value.position_m, "quaternion": value.quaternion}
            return value_text(own | place)
        case LinkVisual():
            own = ("shape", "size_m", "position_m", "quaternion")
            return value_text({name: getattr(value, name) for name in own})
        case LinkInertia() | BodyPlace():
            return value_text({one.name: getattr(value, one.name) for one in fields(value)})
        case dict():
            entries = (f"{_key(key)} = {value_text(one)}" for key, one in value.items())
            return f"{{ {', '.join(entries)} }}"
        case _:
            raise TypeError(f"no form in TOML for {value!r:.60}")


def _key(key: str) -> str:
    return key if key.isidentifier() and key.isascii() else _string(key)


def _string(value: str) -> str:
    # JSON's escapes are a part of TOML's basic strings; only DEL has to be escaped in addition.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
