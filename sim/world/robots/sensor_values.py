"""Values of a sensor: quantities of one unit each, and the joints it measures."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from sim.world.robots.model import JointType, Robot, RobotJoint
from sim.world.robots.sensors import UNITS, RobotSensor, SensorKind

WORLD: Final = "world"
"""Frame of values in the world's axes."""
QUATERNION: Final = ("qw", "qx", "qy", "qz")
"""Parts of a link's axes."""
_XYZ: Final = ("x", "y", "z")
_OF_JOINTS: Final = {
    SensorKind.JOINT_ANGLE: ("angle", "way"),
    SensorKind.JOINT_SPEED: ("speed", "speed"),
    SensorKind.JOINT_TORQUE: ("torque", "force"),
}
"""Quantities of joints that turn, and of slides, by kind of sensor."""
MEASURED: Final = (JointType.HINGE, JointType.SLIDE, JointType.UNIVERSAL)
"""Types of joint that these sensors measure."""


@dataclass(frozen=True, slots=True)
class SensorQuantity:
    """Quantity of one unit."""

    name: str
    """Name of the quantity: ``force``."""
    unit: str
    """Unit as a key's ending; empty for a plain number, and for a quaternion."""
    parts: tuple[str, ...] = ("",)
    """Names of its parts, if it has several values."""
    frame: str = ""
    """`WORLD`, or empty where axes do not matter or are the sensor's own."""


def measured_joints(robot: Robot, sensor: RobotSensor) -> tuple[RobotJoint, ...]:
    """List the joints that a sensor measures: hinges, then slides; each in the document's order."""
    wanted = [joint for joint in robot.joints if can_measure(sensor.kind, joint)]
    if sensor.joints:
        known = {joint.number: joint for joint in wanted}
        wanted = [known[number] for number in sensor.joints if number in known]
    elif sensor.kind is SensorKind.JOINT_PLACE:
        wanted = [joint for joint in wanted if joint.type is not JointType.FIXED]
    if sensor.kind is SensorKind.JOINT_PLACE:
        return tuple(wanted)
    return tuple(sorted(wanted, key=lambda joint: joint.type is JointType.SLIDE))


def can_measure(kind: SensorKind, joint: RobotJoint) -> bool:
    """Whether joints like this have the quantity of a kind of sensor."""
    if kind is SensorKind.JOINT_PLACE:
        return True
    return not joint.closes and joint.type in MEASURED


def quantities(robot: Robot, sensor: RobotSensor) -> tuple[SensorQuantity, ...]:
    """List the quantities of a sensor, in the order of its values."""
    own = "" if sensor.kind not in (SensorKind.WRENCH, SensorKind.IMU) else sensor.called
    match sensor.kind:
        case SensorKind.JOINT_ANGLE | SensorKind.JOINT_SPEED | SensorKind.JOINT_TORQUE:
            return tuple(_of_joints(sensor.kind, measured_joints(robot, sensor)))
        case SensorKind.JOINT_PLACE:
            numbers = [joint.number for joint in measured_joints(robot, sensor)]
            parts = tuple(f"joint{number}_{axis}" for number in numbers for axis in _XYZ)
            return (SensorQuantity("place", "m", parts, WORLD),)
        case SensorKind.WRENCH:
            force = SensorQuantity("force", "n", _XYZ, own)
            return force, SensorQuantity("torque", "nm", _XYZ, own)
        case SensorKind.TOUCH:
            return (SensorQuantity("force", "n"),)
        case SensorKind.RANGEFINDER:
            count = len(sensor.directions)
            parts = tuple(f"ray{index + 1}" for index in range(count)) if count > 1 else ("",)
            return (SensorQuantity("distance", "m", parts),)
        case SensorKind.LINK_POSE:
            place = SensorQuantity("place", "m", _XYZ, WORLD)
            return place, SensorQuantity("axes", "", QUATERNION, WORLD)
        case SensorKind.LINK_SPEED:
            linear = SensorQuantity("speed", "m_s", _XYZ, WORLD)
            return linear, SensorQuantity("turning", "rad_s", _XYZ, WORLD)
        case SensorKind.LINK_CENTRE:
            return (SensorQuantity("centre", "m", _XYZ, WORLD),)
        case SensorKind.IMU:
            turning = SensorQuantity("turning", "rad_s", _XYZ, own)
            acceleration = SensorQuantity("acceleration", "m_s2", _XYZ, own)
            return turning, acceleration, SensorQuantity("field", "t", _XYZ, own)
        case SensorKind.CONTACT:
            return SensorQuantity("touching", ""), SensorQuantity("force", "n", _XYZ, WORLD)
        case SensorKind.CAMERA:
            return ()


def _of_joints(kind: SensorKind, joints: Sequence[RobotJoint]) -> Iterator[SensorQuantity]:
    for slides, name, unit in zip((False, True), _OF_JOINTS[kind], UNITS[kind], strict=True):
        chosen = [joint for joint in joints if (joint.type is JointType.SLIDE) is slides]
        parts = tuple(part for joint in chosen for part in _axis_names(joint))
        if parts:
            yield SensorQuantity(name, unit, parts)


def _axis_names(joint: RobotJoint) -> tuple[str, ...]:
    name = f"joint{joint.number}"
    return (f"{name}a", f"{name}b") if joint.type is JointType.UNIVERSAL else (name,)
