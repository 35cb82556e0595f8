"""A robot as TOML, with units in its keys, read with all digits.

It carries what the paper's text cannot: names, mass and inertia outright, the place of a body,
start, limits, friction, rotor inertia, joints that follow others, drives, sensors, ``[machine]``,
and meshes by their files.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from sim.world.meshes.mesh_reader import MeshFiles, no_files
from sim.world.robots import toml_keys
from sim.world.robots.body import BodyShape
from sim.world.robots.faults import FieldKey
from sim.world.robots.mesh_content import load_meshes
from sim.world.robots.model import (
    AxisBounds,
    JointType,
    MachineBounds,
    Robot,
    RobotDrive,
    RobotJoint,
    RobotLink,
)
from sim.world.robots.robot_checks import findings_of
from sim.world.robots.sensors import RobotSensor, SensorKind, sensor_keys
from sim.world.robots.toml_keys import READERS, UnreadableError, one_of, some
from sim.world.robots.toml_sensors import SENSOR_READERS, sensor_of
from sim.world.robots.toml_tables import TomlTables

_NEEDED: Final = {
    "link": ("number", "dh"),
    "joint": ("number", "type", "parent", "child"),
    "drive": ("joint", "control", "effort_max"),
    "bounds": ("joint",),
}
"""Fields that each table must have."""
_INSTEAD: Final[dict[str, Any]] = {
    "number": 0, "dh": (0.0,) * 4, "type": JointType.FIXED, "parent": 0, "child": 0, "axis": (),
    "joint": 0, "control": "torque", "effort_max": 1.0, "shape": BodyShape.NONE,
}  # fmt: skip
"""Substitutes for values that are missing or cannot be read."""
_JUDGED_BY: Final = {
    "shape": ("size_m", "mesh"), "type": ("axis", "at_parent_m", "at_child_m", "start"),
    "end": ("link",), "tool_mass_kg": ("tool_centre_m",),
}  # fmt: skip
"""Fields that have no meaning without another one."""


def read_toml(text: str, source: str, files: MeshFiles = no_files) -> Robot:
    """Read the robot of a TOML document.

    Args:
        source: the document, for error texts.
        files: where its meshes are had from.

    Raises:
        RobotDocumentError: with every fault.
    """
    reader = _Reader(text, source)
    robot = load_meshes(reader.robot(), files, reader.faults)
    whole = not reader.faults.faults
    reader.faults.take(findings_of(robot, whole=whole))
    reader.faults.end()
    return robot


class _Reader(TomlTables):
    """Reader of a robot's document."""

    needed = _NEEDED
    instead = _INSTEAD
    judged_by = _JUDGED_BY
    readers = MappingProxyType({**SENSOR_READERS, **READERS})

    def robot(self) -> Robot:
        """Build the robot of the document, with substitutes for what cannot be read."""
        known = {
            "name", "link", "joint", "drive", "sensor", "machine", "gravity_m_s2", "own_contacts",
        }  # fmt: skip
        self._refuse_other_keys(self._data, (), known)
        links = tuple(
            RobotLink(**self._fields(table, ("link", index), toml_keys.LINK, "link"))
            for index, table in self._tables(self._data, (), "link")
        )
        joints = tuple(
            self._joint(index, table) for index, table in self._tables(self._data, (), "joint")
        )
        kinds = {joint.number: joint.type for joint in joints}
        drives = tuple(
            RobotDrive(**self._fields(table, ("drive", index), keys, "drive"))
            for index, table in self._tables(self._data, (), "drive")
            for keys in (toml_keys.drive_keys(self._kind(table, kinds)),)
        )
        sensors = tuple(
            self._sensor(index, table) for index, table in self._tables(self._data, (), "sensor")
        )
        name = self._value(self._data, "name", ("name",), toml_keys.text, "")
        key = "gravity_m_s2"
        gravity = self._value(self._data, key, (key,), some(3), None)
        key = "own_contacts"
        touch = self._value(self._data, key, (key,), toml_keys.yes, False)
        return Robot(links, joints, name, drives, sensors, self._machine(kinds), gravity, touch)

    def _machine(self, kinds: Mapping[int, JointType]) -> MachineBounds | None:
        if "machine" not in self._data:
            return None
        table = self._data["machine"]
        self._put(("machine",))
        if not isinstance(table, dict):
            self.faults.unreadable(("machine",), table, "not a table", "[machine]")
            return None
        self._refuse_other_keys(table, ("machine",), {"box_m", "own_bodies", "joint"})
        bounds = tuple(
            AxisBounds(**self._fields(row, ("machine", "joint", index), keys, "bounds"))
            for index, row in self._tables(table, ("machine",), "joint")
            for keys in (toml_keys.bounds_keys(self._kind(row, kinds)),)
        )
        box = self._value(table, "box_m", ("machine", "box_m"), _corners, None)
        apart = self._value(table, "own_bodies", ("machine", "own_bodies"), toml_keys.yes, False)
        return MachineBounds(bounds, box, apart)

    def _sensor(self, index: int, table: dict[str, Any]) -> RobotSensor:
        path: FieldKey = ("sensor", index)
        try:
            kind = one_of(SensorKind)(table.get("kind"))
        except UnreadableError as error:
            self._put((*path, "kind"))
            problem = error.args[0] if "kind" in table else "not told"
            self.faults.unreadable((*path, "kind"), table.get("kind"), problem, error.args[1])
            for field in ("name", "link", "end", "joints", "directions"):  # go with the kind
                self.faults.ignore((*path, field))
            return RobotSensor(SensorKind.CAMERA)
        return sensor_of(self._fields(table, path, sensor_keys(kind), "sensor"))

    def _joint(self, index: int, table: dict[str, Any]) -> RobotJoint:
        try:
            kind = one_of(JointType)(table.get("type"))
        except UnreadableError:  # reported when the field is read
            kind = JointType.HINGE
        mimic, wanted = table.get("mimic"), toml_keys.with_unit("offset", kind)
        path: FieldKey = ("joint", index)
        values = self._fields(table, path, toml_keys.joint_keys(kind), "joint")
        found = RobotJoint(**{"axis": (), **values})
        if isinstance(mimic, dict) and {*mimic} & {"offset_rad", "offset_m"} - {wanted}:
            right = f"{wanted} of a {kind} joint"
            self.faults.unreadable((*path, "mimic"), None, "its offset has another unit", right)
        return found

    def _kind(self, table: dict[str, Any], kinds: Mapping[int, JointType]) -> JointType:
        number = table.get("joint")
        return kinds.get(number, JointType.HINGE) if isinstance(number, int) else JointType.HINGE


def _corners(value: object) -> Any:
    if not isinstance(value, list) or len(value) != 2:
        raise UnreadableError("not two corners", "[[x, y, z], [x, y, z]] in m")
    return some(3)(value[0]), some(3)(value[1])
