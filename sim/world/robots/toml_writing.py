"""A robot written as TOML: what :mod:`sim.world.robots.toml_form` reads, with all digits."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from sim.world.robots import dh, toml_keys
from sim.world.robots.model import (
    AxisBounds,
    BodyPlace,
    JointType,
    LinkInertia,
    LinkVisual,
    Mimic,
    Robot,
    RobotDrive,
    RobotJoint,
    RobotLink,
)
from sim.world.robots.sensors import RobotSensor
from sim.world.robots.text import number_text
from sim.world.robots.toml_sensors import sensor_entries


def write_toml(robot: Robot) -> str:
    """The TOML of a robot; nothing is lost."""
    kinds = {joint.number: joint.type for joint in robot.joints}
    blocks = [[f"name = {_string(robot.name)}"]] if robot.name else []
    blocks += [["[[link]]", *_lines(link, toml_keys.LINK)] for link in robot.links]
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
    """A line for each field that is not as it would be if it were left out."""
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


def _sensor(sensor: RobotSensor) -> Iterator[str]:
    for key, value in sensor_entries(sensor).items():
        yield f"{key} = {value_text(value)}"


def value_text(value: object) -> str:
    """A value as TOML has it, with all digits."""
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
        case LinkInertia() | BodyPlace() | LinkVisual():
            return value_text({one.name: getattr(value, one.name) for one in fields(value)})
        case dict():
            return f"{{ {', '.join(f'{key} = {value_text(one)}' for key, one in value.items())} }}"
        case _:
            raise TypeError(f"no form in TOML for {value!r:.60}")


def _string(value: str) -> str:
    # JSON's escapes are a part of TOML's basic strings; only DEL has to be escaped in addition.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
