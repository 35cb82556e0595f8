"""A robot's sensors as elements of MJCF: sites on its links, and what the engine measures there.

The engine measures without defects: noise, delays and all the rest are added to what it measures
(:mod:`sim.world.sensors`). Its own ``noise`` is a note that it does not apply.
"""

from collections.abc import Iterator, Mapping
from typing import Final
from xml.etree.ElementTree import Element

import numpy as np

from sim.world.engine.mjcf_robot import PlacedRobot, half_sizes, link_name
from sim.world.robots.body import BodyPlace, BodyShape
from sim.world.robots.model import JointType, RobotJoint
from sim.world.robots.sensor_values import measured_joints
from sim.world.robots.sensors import OF_JOINTS, RobotSensor, SensorKind
from sim.world.robots.tree import rotation_of, unit
from sim.world.robots.xml_writer import add

HERE: Final = BodyPlace((0.0, 0.0, 0.0))
"""Of a sensor that is just on its link."""
HIDDEN: Final = 4
"""Group of the engine's sites that pictures leave out."""
_AT_SITE: Final[Mapping[SensorKind, tuple[str, ...]]] = {
    SensorKind.WRENCH: ("force", "torque"),
    SensorKind.TOUCH: ("touch",),
    SensorKind.IMU: ("gyro", "accelerometer", "magnetometer"),
}
"""What the engine measures at a sensor's site, in the order of its values."""
_OF_SITE: Final[Mapping[SensorKind, tuple[str, ...]]] = {
    SensorKind.LINK_POSE: ("framepos", "framequat"),
    SensorKind.LINK_SPEED: ("framelinvel", "frameangvel"),
}
"""The same of a site in the world."""

Attributes = dict[str, object]


class SensorTargetError(ValueError):
    """A sensor of contact with what is not there; the text says what is."""


def add_sensors(root: Element, placed: PlacedRobot) -> None:
    """Add the elements of a robot's sensors to a text that has all bodies.

    Raises:
        SensorTargetError: if one is for contact with nothing.
    """
    bodies = {body.get("name", ""): body for body in root.iter("body")}
    measured = root.find("sensor")
    assert measured is not None  # noqa: S101  # every text has it
    for sensor in placed.robot.sensors:
        if sensor.kind is SensorKind.CAMERA:
            add(_bearer(bodies, placed, sensor), "camera", name=sensor_name(placed, sensor),
                **_placed(placed, sensor), fovy=float(np.degrees(sensor.fov_rad)),
                resolution=f"{sensor.width_px} {sensor.height_px}")  # fmt: skip
            continue
        for index, (tag, attributes) in enumerate(_elements(root, bodies, placed, sensor)):
            add(measured, tag, name=f"{sensor_name(placed, sensor)}/{index}", **attributes)


def sensor_name(placed: PlacedRobot, sensor: RobotSensor) -> str:
    """Of its first site, or its camera; its measurements have a number from 0 after it."""
    return f"{placed.prefix}s/{sensor.called}"


def _elements(
    root: Element, bodies: Mapping[str, Element], placed: PlacedRobot, sensor: RobotSensor
) -> Iterator[tuple[str, Attributes]]:
    """Measurements of the engine in the order of a sensor's values."""
    name = sensor_name(placed, sensor)
    if sensor.kind in OF_JOINTS:
        yield from _of_joints(bodies, placed, sensor)
    elif sensor.kind is SensorKind.LINK_CENTRE:
        yield "framepos", {"objtype": "body", "objname": _link_of(placed, sensor)}
    elif sensor.kind is SensorKind.CONTACT:
        other = _other(root, sensor)
        yield (
            "contact",
            {"body1": _link_of(placed, sensor), **other, "data": "found force",
             "reduce": "netforce"},
        )  # fmt: skip
    elif sensor.kind is SensorKind.RANGEFINDER:
        at = _placed(placed, sensor)
        turned = rotation_of((sensor.place or HERE).quaternion)
        for index, direction in enumerate(sensor.directions):
            site = f"{name}/ray{index}"
            add(_bearer(bodies, placed, sensor), "site", name=site, pos=at["pos"], group=HIDDEN,
                zaxis=turned @ unit(direction))  # fmt: skip
            yield "rangefinder", {"site": site}
    else:
        volume: Attributes = {}
        if sensor.shape is not BodyShape.NONE:
            volume = {"type": sensor.shape.value, "size": half_sizes(sensor.shape, sensor.size_m)}
        add(_bearer(bodies, placed, sensor), "site", name=name, group=HIDDEN,
            **_placed(placed, sensor), **volume)  # fmt: skip
        for tag in _AT_SITE.get(sensor.kind, ()):
            yield tag, {"site": name}
        for tag in _OF_SITE.get(sensor.kind, ()):
            yield tag, {"objtype": "site", "objname": name}


def _of_joints(
    bodies: Mapping[str, Element], placed: PlacedRobot, sensor: RobotSensor
) -> Iterator[tuple[str, Attributes]]:
    for joint in measured_joints(placed.robot, sensor):
        own = f"{placed.prefix}j{joint.number}"
        names = (f"{own}a", f"{own}b") if joint.type is JointType.UNIVERSAL else (own,)
        match sensor.kind:
            case SensorKind.JOINT_ANGLE | SensorKind.JOINT_SPEED:
                tag = "jointpos" if sensor.kind is SensorKind.JOINT_ANGLE else "jointvel"
                for name in names:
                    yield tag, {"joint": name}
            case SensorKind.JOINT_TORQUE:
                site = f"{sensor_name(placed, sensor)}/j{joint.number}"
                body = bodies[link_name(joint.child, placed.prefix)]
                add(body, "site", name=site, group=HIDDEN, zaxis=unit(joint.axis[-3:]))
                tag = "force" if joint.type is JointType.SLIDE else "torque"
                yield tag, {"site": site}
            case _:
                yield "framepos", _joint_place(placed, joint)


def _joint_place(placed: PlacedRobot, joint: RobotJoint) -> Attributes:
    """The frame of the link that it moves; an end's point; a closing joint's on its first link."""
    if joint.type is JointType.END:
        return {"objtype": "site", "objname": f"{placed.prefix}e{joint.number}"}
    if joint.closes:
        return {"objtype": "site", "objname": f"{placed.prefix}c{joint.number}p"}
    return {"objtype": "xbody", "objname": link_name(joint.child, placed.prefix)}


def _link_of(placed: PlacedRobot, sensor: RobotSensor) -> str:
    """The engine's body that a sensor is on."""
    end = _end_of(placed, sensor)
    number = end.parent if end is not None else sensor.link
    assert number is not None  # noqa: S101  # checked
    return link_name(number, placed.prefix)


def _end_of(placed: PlacedRobot, sensor: RobotSensor) -> RobotJoint | None:
    return next((one for one in placed.robot.joints if one.number == sensor.end), None)


def _bearer(bodies: Mapping[str, Element], placed: PlacedRobot, sensor: RobotSensor) -> Element:
    return bodies[_link_of(placed, sensor)]


def _placed(placed: PlacedRobot, sensor: RobotSensor) -> Attributes:
    """Place and axes on the link."""
    own, end = sensor.place or HERE, _end_of(placed, sensor)
    begin = (0.0, 0.0, 0.0) if end is None or end.at_parent_m is None else end.at_parent_m
    return {"pos": np.add(begin, own.position_m), "quat": own.quaternion}


def _other(root: Element, sensor: RobotSensor) -> Attributes:
    """The other side of a contact; the floor is a shape of the world's own."""
    if not sensor.other:
        return {}
    for tag, attribute in (("body", "body2"), ("geom", "geom2")):
        if any(one.get("name") == sensor.other for one in root.iter(tag)):
            return {attribute: sensor.other}
    known = sorted(body.get("name", "") for body in root.iter("body"))
    shown = ", ".join(known[:20]) + (", ..." if len(known) > 20 else "")
    problem = (
        f"sensor {sensor.called}: other = {sensor.other}: no such body; the floor if there is one"
    )
    raise SensorTargetError(f"{problem}, {shown}")
