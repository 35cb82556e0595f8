"""A robot as TOML, with units in its keys, read with all digits.

It carries what the paper's text cannot: names, mass and inertia outright, the place of a body,
start, limits, friction, rotor inertia, joints that follow others, drives, sensors, ``[machine]``.
"""

import tomllib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from sim.world.robots import toml_keys
from sim.world.robots.faults import FaultList, FieldKey
from sim.world.robots.judge import findings_of
from sim.world.robots.model import (
    AxisBounds,
    BodyShape,
    JointType,
    MachineBounds,
    Robot,
    RobotDrive,
    RobotJoint,
    RobotLink,
)
from sim.world.robots.toml_keys import READERS, Fields, UnreadableError, one_of, some
from sim.world.robots.toml_places import key_places

SIZE_MAX: Final = 8_000_000
"""Characters of a document at most."""
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
"""What stands for a value that is missing or cannot be read."""
_JUDGED_BY: Final = {"shape": ("size_m",), "type": ("axis", "at_parent_m", "at_child_m", "start")}
"""Fields that say nothing without another one."""


def read_toml(text: str, source: str) -> Robot:
    """The robot that a TOML document describes.

    Args:
        source: the document, for error texts.

    Raises:
        RobotDocumentError: with every fault.
    """
    reader = _Reader(text, source)
    robot = reader.robot()
    whole = not reader.faults.faults
    reader.faults.take(findings_of(robot, whole=whole))
    reader.faults.end()
    return robot


class _Reader:
    """One document while it is read."""

    def __init__(self, text: str, source: str) -> None:
        self.faults = FaultList(source, {})
        self._data: dict[str, Any] = {}
        if len(text) > SIZE_MAX:
            self._refuse(f"{len(text)} characters", "too long", f"at most {SIZE_MAX}")
        try:
            self._data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            self._refuse(None, f"no TOML: {error}", "see https://toml.io")
        except RecursionError:
            self._refuse(None, "lists in lists without end", "lists and tables of few floors")
        except ValueError as error:
            self._refuse(None, f"no TOML: {error}", "numbers of fewer digits")
        self._places = key_places(text)

    def _refuse(self, value: object, problem: str, remedy: str) -> None:
        line, column = _told_place(problem)
        self.faults.add(line, column, value, problem, remedy)
        self.faults.end()

    def robot(self) -> Robot:
        """What the document says, with stand-ins for what cannot be read."""
        known = {"name", "link", "joint", "drive", "sensor", "machine"}
        self._no_others(self._data, (), known)
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
        return Robot(links, joints, name, drives, sensors, self._machine(kinds))

    def _machine(self, kinds: Mapping[int, JointType]) -> MachineBounds | None:
        if "machine" not in self._data:
            return None
        table = self._data["machine"]
        self._put(("machine",))
        if not isinstance(table, dict):
            self.faults.unreadable(("machine",), table, "not a table", "[machine]")
            return None
        self._no_others(table, ("machine",), {"box_m", "joint"})
        bounds = tuple(
            AxisBounds(**self._fields(row, ("machine", "joint", index), keys, "bounds"))
            for index, row in self._tables(table, ("machine",), "joint")
            for keys in (toml_keys.bounds_keys(self._kind(row, kinds)),)
        )
        box = self._value(table, "box_m", ("machine", "box_m"), _corners, None)
        return MachineBounds(bounds, box)

    def _sensor(self, index: int, table: dict[str, Any]) -> Mapping[str, object]:
        key: FieldKey = ("sensor", index)
        found = {
            field: self._value(table, field, (*key, field), toml_keys.sensor, 0) for field in table
        }
        if not isinstance(found.get("kind"), str):
            self.faults.unreadable(
                (*key, "kind"), found.get("kind"), "not told", 'what it is, such as "force"'
            )
        return MappingProxyType(found)

    def _joint(self, index: int, table: dict[str, Any]) -> RobotJoint:
        try:
            kind = one_of(JointType)(table.get("type"))
        except UnreadableError:  # told when the field is read
            kind = JointType.HINGE
        mimic, wanted = table.get("mimic"), toml_keys.with_unit("offset", kind)
        path: FieldKey = ("joint", index)
        found = RobotJoint(**self._fields(table, path, toml_keys.joint_keys(kind), "joint"))
        if isinstance(mimic, dict) and {*mimic} & {"offset_rad", "offset_m"} - {wanted}:
            right = f"{wanted} of a {kind} joint"
            self.faults.unreadable((*path, "mimic"), None, "its offset has another unit", right)
        return found

    def _kind(self, table: dict[str, Any], kinds: Mapping[int, JointType]) -> JointType:
        number = table.get("joint")
        return kinds.get(number, JointType.HINGE) if isinstance(number, int) else JointType.HINGE

    def _tables(
        self, table: dict[str, Any], path: FieldKey, key: str
    ) -> list[tuple[int, dict[str, Any]]]:
        """The tables of a list of tables, with their indices."""
        rows = table.get(key, [])
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            self._put((*path, key))
            self.faults.unreadable((*path, key), None, "not a list of tables", f"[[{key}]]")
            return []
        for index in range(len(rows)):
            self._put((*path, key, index))
        return list(enumerate(rows))

    def _fields(
        self, table: dict[str, Any], path: FieldKey, keys: Fields, kind: str
    ) -> dict[str, Any]:
        """Fields of the model from a table."""
        self._no_others(table, path, set(keys.values()))
        found: dict[str, Any] = {"axis": ()} if kind == "joint" else {}
        for field, key in keys.items():
            place = (*path, field)
            if key in table:
                value = self._value(table, key, place, READERS[field], _MISSING)
                if value is not _MISSING:
                    found[field] = value
                    continue
                for other in _JUDGED_BY.get(field, ()):
                    self.faults.ignore((*path, other))
            elif field in _NEEDED[kind]:
                self.faults.unreadable(place, None, "not told", f"{key} = ...")
            if field not in found and field in _NEEDED[kind]:
                found[field] = _INSTEAD[field]
        return found

    def _value(
        self, table: dict[str, Any], key: str, field: FieldKey, read: Any, instead: Any
    ) -> Any:
        """A value of a table, or what stands for it."""
        if key not in table:
            return instead
        self._put(field, (*field[:-1], key))
        try:
            return read(table[key])
        except UnreadableError as error:
            self.faults.unreadable(field, table[key], *error.args)
            return instead

    def _put(self, field: FieldKey, path: FieldKey | None = None) -> None:
        if (place := self._places.get(path or field)) is not None:
            self.faults.put(field, *place)

    def _no_others(self, table: dict[str, Any], path: FieldKey, known: set[str]) -> None:
        for key in sorted({*table} - known):
            self._put((*path, key))
            right = f"one of {', '.join(sorted(known))}"
            self.faults.unreadable((*path, key), None, "no such key", right)


_MISSING: Final = object()


def _corners(value: object) -> Any:
    if not isinstance(value, list) or len(value) != 2:
        raise UnreadableError("not two corners", "[[x, y, z], [x, y, z]] in m")
    return some(3)(value[0]), some(3)(value[1])


def _told_place(problem: str) -> tuple[int, int]:
    """Line and column that `tomllib` tells at the end of its message."""
    _, _, told = problem.rpartition("(at line ")
    words = told.rstrip(")").split(", column ")
    if len(words) == 2 and words[0].isdecimal() and words[1].isdecimal():
        return int(words[0]), int(words[1])
    return 0, 0
