"""Whether sensors fit a robot, and their values are right; all findings are collected."""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Final

from sim.world.robots.body import SOLIDS, BodyPlace, BodyShape
from sim.world.robots.faults import Finding
from sim.world.robots.model import AXES, JointType, Robot
from sim.world.robots.sensor_values import QUATERNION, can_measure, measured_joints, quantities
from sim.world.robots.sensors import (
    OF_JOINTS,
    UNITS,
    RobotSensor,
    SensorKind,
    ValueDefects,
    sensor_keys,
)
from sim.world.robots.shapes import SIZES
from sim.world.robots.value_checks import NOT_FINITE, ROUNDING, finite

SENSORS_MAX: Final = 500
"""Of one robot at most."""
RAYS_MAX: Final = 1000
"""Of one rangefinder at most."""
DELAY_MAX_S: Final = 10.0
"""Of a reading at most: what was measured since is kept."""
PIXELS_MAX: Final = 8192
"""Of a picture's edge at most."""
_NAME: Final = re.compile(r"[a-z][a-z0-9]*+(?:_[a-z0-9]++)*+")
_NAME_MAX: Final = 60
_POSITIVE: Final = ("rate_hz", "cutoff_hz", "range_m")

Problem = tuple[str, object, str, str]
"""Field, value, what is wrong, what would be right."""


def sensor_findings(robot: Robot) -> Iterator[Finding]:
    """What is wrong with a robot's sensors."""
    if len(robot.sensors) > SENSORS_MAX:
        problem = f"there are more sensors than {SENSORS_MAX}"
        yield Finding(
            ("sensor", SENSORS_MAX), "robot", len(robot.sensors), problem, "leave some out"
        )
    seen: dict[str, int] = {}
    for index, sensor in enumerate(robot.sensors[:SENSORS_MAX]):
        subject = f"sensor {index + 1}"
        if (first := seen.setdefault(sensor.called, index)) != index:
            problem = f"sensor {first + 1} has the same name"
            right = "a name of its own; without one it has that of its kind"
            yield Finding(("sensor", index, "name"), subject, sensor.called, problem, right)
        for field, value, problem, right in _of_sensor(robot, sensor):
            yield Finding(("sensor", index, field), subject, value, problem, right)


def _of_sensor(robot: Robot, sensor: RobotSensor) -> Iterator[Problem]:
    known = {*sensor_keys(sensor.kind), "defects"}
    for one in fields(sensor):
        value = getattr(sensor, one.name)
        if isinstance(value, BodyPlace):
            value = (*value.position_m, *value.quaternion)
        if one.name not in known and value != one.default:
            yield one.name, value, f"no {sensor.kind} has it", "leave it out"
        elif one.name != "defects" and not finite(value):
            yield one.name, value, *NOT_FINITE
            return
    if sensor.name and (len(sensor.name) > _NAME_MAX or not _NAME.fullmatch(sensor.name)):
        right = f'small letters and digits joined by _, at most {_NAME_MAX}, such as "wrist_2"'
        yield "name", sensor.name, "no name of a sensor", right
    if sensor.kind in OF_JOINTS:
        yield from _of_joints(robot, sensor)
    else:
        yield from _of_place(robot, sensor)
    yield from _of_values(sensor)
    for defects in sensor.defects:
        yield from _of_defects(robot, sensor, defects)


def _of_joints(robot: Robot, sensor: RobotSensor) -> Iterator[Problem]:
    known = {joint.number: joint for joint in robot.joints}
    for index, number in enumerate(sensor.joints):
        if number not in known:
            yield "joints", number, "no such joint", "the number of a joint that is there"
        elif number in sensor.joints[:index]:
            yield "joints", number, "told twice", "each joint once"
        elif not can_measure(sensor.kind, known[number]):
            right = f"of the tree, {', '.join(AXES)}"
            kind = f"a {known[number].type} joint{' that closes a loop' * known[number].closes}"
            yield "joints", number, f"{kind} has no {sensor.kind}", right
    if not sensor.joints and not measured_joints(robot, sensor):
        yield "joints", "all", f"no joint has a {sensor.kind}", "leave the sensor out"


def _of_place(robot: Robot, sensor: RobotSensor) -> Iterator[Problem]:
    can_end = "end" in sensor_keys(sensor.kind)
    right = "the number of a link that is there"
    if sensor.link is None and sensor.end is None:
        what = "link = ..., or end = ... for the joint of an end" if can_end else "link = ..."
        yield "link", None, "not told", what
    elif sensor.link is not None and sensor.end is not None and can_end:
        yield "end", sensor.end, "a link is told as well", "one of the two"
    if sensor.link is not None and sensor.link not in {link.number for link in robot.links}:
        yield "link", sensor.link, "no such link", right
    ends = sorted(one.number for one in robot.joints if one.type is JointType.END)
    if sensor.end is not None and can_end and sensor.end not in ends:
        known = ", ".join(map(str, ends)) or "none is there"
        yield "end", sensor.end, "no such end", f"a joint of type end: {known}"
    length = 1.0 if sensor.place is None else math.hypot(*sensor.place.quaternion)
    if sensor.place is not None and abs(length - 1.0) > ROUNDING:
        problem = f"the quaternion's length is {length:.9g}"
        yield "place", sensor.place.quaternion, problem, "w, x, y, z of length 1 (to 1e-9)"


def _of_values(sensor: RobotSensor) -> Iterator[Problem]:
    for field in _POSITIVE:
        value = getattr(sensor, field)
        if value is not None and value <= 0.0:
            yield field, value, "not above 0", "above 0, or left out for none"
    if not 0.0 <= sensor.delay_s <= DELAY_MAX_S:
        problem = f"outside 0 … {DELAY_MAX_S:g} s"
        yield "delay_s", sensor.delay_s, problem, f"at most {DELAY_MAX_S:g} s"
    if not 0.0 <= sensor.dropout < 1.0:
        yield "dropout", sensor.dropout, "outside 0 … 1", "a probability below 1"
    if sensor.tool_mass_kg < 0.0:
        yield "tool_mass_kg", sensor.tool_mass_kg, "below 0 kg", "0 kg or more"
    if any(sensor.tool_centre_m) and sensor.tool_mass_kg == 0.0:
        yield "tool_centre_m", sensor.tool_centre_m, "the tool has no mass", "tool_mass_kg = ..."
    if sensor.kind is SensorKind.TOUCH:
        yield from _of_volume(sensor)
    if sensor.kind is SensorKind.RANGEFINDER:
        yield from _of_rays(sensor)
    if sensor.kind is SensorKind.CAMERA:
        yield from _of_camera(sensor)


def _of_volume(sensor: RobotSensor) -> Iterator[Problem]:
    names = SIZES[sensor.shape]
    if sensor.shape in (BodyShape.NONE, BodyShape.MESH):
        right = ", ".join(one for one in SOLIDS if one is not BodyShape.NONE)
        yield "shape", None, "touch is felt in no volume", f"one of {right}"
    elif len(sensor.size_m) != len(names):
        right = f"{len(names)}: {', '.join(names)}"
        yield "size_m", sensor.size_m, f"{len(sensor.size_m)} numbers", right
    elif min(sensor.size_m) <= 0.0:
        yield "size_m", sensor.size_m, "not above 0 m", "above 0 m"


def _of_rays(sensor: RobotSensor) -> Iterator[Problem]:
    if not 1 <= len(sensor.directions) <= RAYS_MAX:
        problem, right = f"{len(sensor.directions)} rays", f"1 to {RAYS_MAX}, such as [[1, 0, 0]]"
        yield "directions", sensor.directions, problem, right
    elif not all(1e-6 <= math.hypot(*one) <= 1e6 for one in sensor.directions):
        right = "lengths of 1e-6 … 1e6, 1 is usual"
        yield "directions", sensor.directions, "one has no direction", right


def _of_camera(sensor: RobotSensor) -> Iterator[Problem]:
    for field in ("width_px", "height_px"):
        value = getattr(sensor, field)
        if not 1 <= value <= PIXELS_MAX:
            yield field, value, f"outside 1 … {PIXELS_MAX}", f"1 to {PIXELS_MAX} px"
    if not 0.0 < sensor.fov_rad < math.pi:
        yield "fov_rad", sensor.fov_rad, "no angle of view", "above 0, below π; in rad, not degrees"


def _of_defects(robot: Robot, sensor: RobotSensor, defects: ValueDefects) -> Iterator[Problem]:
    counts = value_counts(robot, sensor)
    unit = defects.unit
    values = {"noise": defects.noise, "bias": defects.bias, "quantisation": defects.quantisation}
    field = next((f"{word}_{unit}" for word, value in values.items() if value), f"noise_{unit}")
    if unit not in UNITS[sensor.kind] or [one.unit for one in sensor.defects].count(unit) > 1:
        right = f"one each of {', '.join(UNITS[sensor.kind]) or 'none'}"
        yield "defects", unit, "no unit of this sensor, or told twice", right
        return
    if not counts.get(unit):
        yield (
            field,
            values[field.partition("_")[0]],
            "no value of this sensor has this unit",
            (f"those that it has: {', '.join(counts) or 'none'}"),
        )
        return
    for word, value in values.items():
        if not finite(value):
            yield f"{word}_{unit}", value, *NOT_FINITE
        elif word != "bias" and value < 0.0:
            yield f"{word}_{unit}", value, "below 0", "0 or more"
    if len(defects.bias) not in (0, 1, counts[unit]):
        right = f"one for all, or {counts[unit]}, one each"
        yield f"bias_{unit}", defects.bias, f"{len(defects.bias)} numbers", right
    if sensor.kind is SensorKind.LINK_POSE and unit == "rad" and defects.quantisation:
        right = "leave it out"
        yield f"quantisation_{unit}", defects.quantisation, "axes are not quantised", right


def value_counts(robot: Robot, sensor: RobotSensor) -> Mapping[str, int]:
    """How many values of each unit can have defects; axes count as turns about x, y, z [rad]."""
    found: dict[str, int] = {}
    for one in quantities(robot, sensor):
        if one.parts == QUATERNION:
            found["rad"] = 3
        elif one.unit:
            found[one.unit] = len(one.parts)
    return found
