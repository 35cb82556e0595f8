"""Versions of a diagram that is being edited: what each step changed, what was done and taken back.

Values are shared between versions: a step keeps only the entries that differ, before and after.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from hil.diagram.file.model import Diagram, DiagramFile, DiagramParameter, DrawnBlock
from hil.diagram.run.change import tuples

SECTIONS: Final = ("parameters", "blocks", "wires", "places")
"""Sections of a diagram whose entries have names."""
FILE: Final = "file"
"""Section of what a file has once."""
SUBS: Final = "subs"
"""Section of whole sub-diagrams that come or go."""
NOTE: Final = "note"
_ONCE: Final = ("base_s", "seed", "libraries")
STEPS_MOST: Final = 5000
"""Most steps that can be taken back; the oldest are dropped."""


class MismatchError(ValueError):
    """A step that belongs to another version of the file."""


@dataclass(frozen=True, slots=True)
class EntryChange:
    """One entry before and after."""

    where: str
    """Name of the sub-diagram; empty for the top."""
    section: str
    key: str
    before: Any
    """None if it was not there."""
    after: Any
    """None if it is gone."""


@dataclass(frozen=True, slots=True)
class Step:
    """An edit that was done: a command with what it needs to be undone."""

    words: str
    changes: tuple[EntryChange, ...]

    def do(self, file: DiagramFile) -> DiagramFile:
        """The file after it.

        Raises:
            MismatchError: If the file is not as it was before it.
        """
        return _with(file, self.changes)

    def undo(self, file: DiagramFile) -> DiagramFile:
        """The file before it.

        Raises:
            MismatchError: If the file is not as it was after it.
        """
        back = (replace(one, before=one.after, after=one.before) for one in self.changes)
        return _with(file, tuple(back))


def differences(before: DiagramFile, after: DiagramFile) -> tuple[EntryChange, ...]:
    """Entries in which two versions of a file differ."""
    found = [
        EntryChange("", FILE, name, getattr(before, name), getattr(after, name))
        for name in _ONCE
        if getattr(before, name) != getattr(after, name)
    ]
    found += _of_diagram("", before.top, after.top)
    if before.subs is not after.subs:
        for name in sorted(before.subs.keys() | after.subs.keys()):
            old, new = before.subs.get(name), after.subs.get(name)
            if old is None or new is None:
                found.append(EntryChange("", SUBS, name, old, new))
            elif old is not new:
                found += _of_diagram(name, old, new)
    return tuple(found)


def _of_diagram(where: str, before: Diagram, after: Diagram) -> list[EntryChange]:
    found = []
    for section in SECTIONS:
        old: Mapping[str, Any] = getattr(before, section)
        new: Mapping[str, Any] = getattr(after, section)
        if old is not new:
            keys = {**old, **new}
            found += [
                EntryChange(where, section, key, old.get(key), new.get(key))
                for key in keys
                if old.get(key) is not new.get(key) and not _same(old.get(key), new.get(key))
            ]
    if before.note != after.note:
        found.append(EntryChange(where, NOTE, "", before.note, after.note))
    return found


def _same(one: Any, other: Any) -> bool:
    """Whether two entries are written alike; 1, 1.0 and true are not."""
    return one == other and repr(one) == repr(other)


def _with(file: DiagramFile, changes: Iterable[EntryChange]) -> DiagramFile:
    once: dict[str, Any] = {}
    subs = dict(file.subs)
    entries: dict[str, dict[str, Any]] = {}
    for one in changes:
        if one.section == FILE:
            _expect(one, getattr(file, one.key))
            once[one.key] = one.after
        elif one.section == SUBS:
            _put(subs, one)
        else:
            diagram = file.subs.get(one.where) if one.where else file.top
            if diagram is None:
                raise MismatchError(f"there is no sub-diagram {one.where!r:.80}")
            changed = entries.setdefault(one.where, {})
            if one.section == NOTE:
                _expect(one, diagram.note)
                changed[NOTE] = one.after
            else:
                if one.section not in changed:
                    changed[one.section] = dict(getattr(diagram, one.section))
                _put(changed[one.section], one)
    top = replace(file.top, **entries.pop("", {}))
    for where, changed in entries.items():
        subs[where] = replace(subs[where], **changed)
    return replace(file, top=top, subs=subs, **once)


def _put(entries: dict[str, Any], one: EntryChange) -> None:
    _expect(one, entries.get(one.key))
    if one.after is None:
        entries.pop(one.key, None)
    else:
        entries[one.key] = one.after


def _expect(one: EntryChange, there: Any) -> None:
    if there is not one.before and there != one.before:
        place = f"{one.where}.{one.section}" if one.where else one.section
        raise MismatchError(f"{place} {one.key!r:.80} is not as it was before this step")


# As plain tables, for a journal.


def table_of(step: Step) -> dict[str, Any]:
    """A step as values of JSON."""
    changes = [
        [one.where, one.section, one.key, _plain(one.before), _plain(one.after)]
        for one in step.changes
    ]
    return {"words": step.words, "changes": changes}


def step_of(table: Mapping[str, Any]) -> Step:
    """The step of such a table."""
    changes = tuple(
        EntryChange(where, section, key, _value(section, before), _value(section, after))
        for where, section, key, before, after in table["changes"]
    )
    return Step(table["words"], changes)


def _plain(value: Any) -> Any:
    return asdict(value) if isinstance(value, DrawnBlock | DiagramParameter | Diagram) else value


def _value(section: str, plain: Any) -> Any:
    if plain is None:
        return None
    if section == "blocks":
        parameters = {name: tuples(one) for name, one in plain["parameters"].items()}
        return DrawnBlock(**{**plain, "parameters": parameters})
    if section == "parameters":
        return DiagramParameter(**{**plain, "value": tuples(plain["value"])})
    if section == SUBS:
        parts = {
            name: {key: _value(name, one) for key, one in plain[name].items()} for name in SECTIONS
        }
        return Diagram(**parts, note=plain[NOTE])
    return tuples(plain)


class History:
    """A file with the steps that led to it.

    Args:
        file: The first version.
    """

    def __init__(self, file: DiagramFile) -> None:
        self.file = file
        """As it is now."""
        self.done: list[Step] = []
        self.undone: list[Step] = []
        """The last is redone first."""

    def step_to(self, file: DiagramFile, words: str) -> Step | None:
        """The step from here to another version; None if it changes nothing."""
        changes = differences(self.file, file)
        return Step(words, changes) if changes else None

    def push(self, step: Step) -> None:
        """Do a step.

        Raises:
            MismatchError: If it belongs to another version.
        """
        file = step.do(self.file)
        self.undone.clear()
        self.done.append(step)
        del self.done[:-STEPS_MOST]
        self.file = file

    def undo(self) -> Step | None:
        """Take back the last step; None if there is none."""
        if not self.done:
            return None
        step = self.done.pop()
        self.file = step.undo(self.file)
        self.undone.append(step)
        return step

    def redo(self) -> Step | None:
        """Do again what was taken back last; None if there is nothing."""
        if not self.undone:
            return None
        step = self.undone.pop()
        self.file = step.do(self.file)
        self.done.append(step)
        return step
