"""Tables of a TOML document as fields of values; every fault is collected with its place."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final

from sim.toml_reader import TomlReadError, read_table
from sim.world.robots.faults import FaultList, FieldKey
from sim.world.robots.toml_keys import Fields, UnreadableError
from sim.world.robots.toml_places import key_places

_MISSING: Final = object()


class TomlTables:
    """One document while it is read.

    Raises:
        RobotDocumentError: if it is no TOML.
    """

    needed: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Fields that each kind of table must have."""
    instead: ClassVar[Mapping[str, Any]] = {}
    """What stands for a needed value that is missing or cannot be read."""
    judged_by: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Fields that say nothing without another one."""
    readers: ClassVar[Mapping[str, Callable[[object], Any]]] = {}
    """How the value of each field is read."""

    def __init__(self, text: str, source: str) -> None:
        self.faults: FaultList = FaultList(source, {}, lambda: key_places(text))
        self._data: dict[str, Any] = {}
        try:
            self._data = read_table(text)
        except TomlReadError as error:
            self.faults.add(error.line, error.column, None, str(error), "see https://toml.io")
            self.faults.end()

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
        """Fields of the model from a table, those that are needed with stand-ins."""
        self._refuse_other_keys(table, path, set(keys.values()))
        found: dict[str, Any] = {}
        needed = self.needed.get(kind, ())
        for field, key in keys.items():
            place = (*path, field)
            if key in table:
                value = self._value(table, key, place, self.readers[field], _MISSING)
                if value is not _MISSING:
                    found[field] = value
                    continue
                for other in self.judged_by.get(field, ()):
                    self.faults.ignore((*path, other))
            elif field in needed:
                self.faults.unreadable(place, None, "not told", f"{key} = ...")
            if field not in found and field in needed:
                found[field] = self.instead[field]
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
        self.faults.put_key(field, path or field)

    def _refuse_other_keys(self, table: dict[str, Any], path: FieldKey, known: set[str]) -> None:
        for key in sorted({*table} - known):
            self._put((*path, key))
            right = f"one of {', '.join(sorted(known))}"
            self.faults.unreadable((*path, key), None, "no such key", right)
