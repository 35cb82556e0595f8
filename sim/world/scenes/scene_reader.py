"""A scene from TOML: its first key is ``scene``, its name."""

from typing import Any, Final

from sim.world.robots.body import BodyShape
from sim.world.robots.toml_keys import Fields, UnreadableError, one_of, text
from sim.world.robots.toml_tables import TomlTables
from sim.world.scenes import keys
from sim.world.scenes.checks import scene_findings
from sim.world.scenes.model import (
    BodyField,
    BodyMotion,
    Floor,
    Light,
    Scene,
    SceneBody,
    SceneCamera,
    SceneRobot,
    Stepping,
)

KEY: Final = "scene"
"""That tells a scene from other documents."""
_NEEDED: Final = {
    "body": ("name", "shape"),
    "kind": ("name", "shape"),
    "robot": ("name", "document"),
    "camera": ("name", "position_m", "looks_at_m"),
    "field": ("name", "count", "box_m"),
}
"""Fields that each table must have."""
_INSTEAD: Final[dict[str, Any]] = {
    "name": "?", "shape": BodyShape.NONE, "document": "?", "position_m": (0.0, 0.0, 0.0),
    "looks_at_m": (1.0, 0.0, 0.0), "count": 1, "box_m": ((0.0,) * 3, (1.0, 1.0, 0.0)),
}  # fmt: skip
"""What stands for a value that is missing or cannot be read."""
_JUDGED_BY: Final = {
    "shape": ("size_m", "mass_kg", "density_kg_m3"),
    "motion": ("axis", "start", "density_kg_m3"),
}
"""Fields that say nothing without another one."""


def read_scene(text: str, source: str) -> Scene:
    """The scene that a TOML document describes.

    Args:
        source: the document, for error texts.

    Raises:
        RobotDocumentError: with every fault.
    """
    reader = _Reader(text, source)
    scene = reader.scene()
    whole = not reader.faults.faults
    reader.faults.take(scene_findings(scene, whole=whole))
    reader.faults.end()
    return scene


class _Reader(TomlTables):
    """A scene's document while it is read."""

    readers = keys.READ
    needed = _NEEDED
    instead = _INSTEAD
    judged_by = _JUDGED_BY

    def scene(self) -> Scene:
        """What the document says, with stand-ins for what cannot be read."""
        lists = ("robot", "body", "field", "light", "camera")
        self._refuse_other_keys(self._data, (), {KEY, "stepping", "floor", *lists})
        if KEY not in self._data:
            self.faults.unreadable((KEY,), None, "not told", f'{KEY} = "its name"')
        return Scene(
            self._value(self._data, KEY, (KEY,), text, ""),
            Stepping(**self._one("stepping", keys.STEPPING)),
            Floor(**self._one("floor", keys.FLOOR)) if "floor" in self._data else None,
            tuple(SceneRobot(**row) for row in self._rows("robot", keys.ROBOT)),
            tuple(self._body(i, row) for i, row in self._tables(self._data, (), "body")),
            tuple(self._field(i, row) for i, row in self._tables(self._data, (), "field")),
            tuple(Light(**row) for row in self._rows("light", keys.LIGHT)),
            tuple(SceneCamera(**row) for row in self._rows("camera", keys.CAMERA)),
        )

    def _one(self, key: str, fields: Fields) -> dict[str, Any]:
        table = self._data.get(key, {})
        self._put((key,))
        if not isinstance(table, dict):
            self.faults.unreadable((key,), table, "not a table", f"[{key}]")
            return {}
        return self._fields(table, (key,), fields, key)

    def _rows(self, key: str, fields: Fields) -> list[dict[str, Any]]:
        rows = self._tables(self._data, (), key)
        return [self._fields(row, (key, index), fields, key) for index, row in rows]

    def _body(self, index: int, table: dict[str, Any]) -> SceneBody:
        try:
            motion = one_of(BodyMotion)(table.get("motion", BodyMotion.FIXED))
        except UnreadableError:  # told when the field is read
            motion = (
                BodyMotion.SLIDE if any(key.endswith("_m") for key in table) else BodyMotion.HINGE
            )
        own = keys.body_keys(motion)
        return SceneBody(**self._fields(table, ("body", index), own, "body"))

    def _field(self, index: int, table: dict[str, Any]) -> BodyField:
        rows = self._tables(table, ("field", index), "kind")
        kinds = tuple(
            SceneBody(**self._fields(row, ("field", index, "kind", at), keys.KIND, "kind"))
            for at, row in rows
        )
        others = {key: value for key, value in table.items() if key != "kind"}
        return BodyField(**self._fields(others, ("field", index), keys.FIELD, "field"), kinds=kinds)
