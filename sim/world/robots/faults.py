"""Findings about a robot's values, and their places in a document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as member
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sim.world.robots.losses import Loss
    from sim.world.robots.model import Robot

FieldKey = tuple[str | int, ...]
"""A field of a robot: ``("link", 2, "size_m")`` is the size of the third link in its list."""
Places = Mapping[FieldKey, tuple[int, int]]
"""Line and column of each key of a document."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Finding about a robot's values."""

    field: FieldKey
    """Field of the value."""
    subject: str
    """Name of its owner for people: ``link 3``."""
    value: object
    """Value that was found."""
    problem: str
    """Problem of the value, with limit and unit."""
    remedy: str
    """Value that would be right."""

    def __str__(self) -> str:
        """Format as one line."""
        return _line(self.subject, str(self.field[-1]), self.value, self.problem, self.remedy)


@dataclass(frozen=True, slots=True, order=True)
class DocumentFault:
    """Fault at a place of a document."""

    line: int
    """Line, from 1; 0 for the document as a whole."""
    column: int
    """Column, from 1."""
    text: str
    """Text of the value, the problem, and what would be right."""
    field: FieldKey = member(default=(), compare=False)
    """Field of the robot; empty for the text itself."""

    def __str__(self) -> str:
        """Format place and text."""
        return f"{self.line}:{self.column}: {self.text}"


def called(findings: Iterable[Finding], robot: Robot) -> Iterator[Finding]:
    """Name links and joints in findings, as forms without numbers do."""
    rows = {"link": robot.links, "joint": robot.joints}
    for one in findings:
        match one.field:
            case ("link" | "joint" as kind, int(index), *_) if index < len(rows[kind]):
                name = rows[kind][index].name
                yield replace(one, subject=f"{kind} {name}") if name else one
            case _:
                yield one


class RobotError(ValueError):
    """Values that describe no robot; the text has one line for each finding."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings: tuple[Finding, ...] = tuple(findings)
        super().__init__("\n".join(map(str, self.findings)))


class RobotDocumentError(ValueError):
    """A document that cannot be used; the text has one line for each fault, in their order."""

    def __init__(
        self, source: str, faults: Iterable[DocumentFault], losses: Sequence[Loss] = ()
    ) -> None:
        self.source: str = source
        self.losses: tuple[Loss, ...] = tuple(losses)
        """Parts of the document left out before, which may be the cause of a fault."""
        self.faults: tuple[DocumentFault, ...] = tuple(sorted(set(faults)))
        super().__init__("\n".join(f"{source}:{fault}" for fault in self.faults))


FAULTS_MAX: Final = 50
"""Most faults of a document; no more are searched."""


class FaultList:
    """Faults of a document while it is read; too many of them end the reading.

    Args:
        labels: what the document calls the fields of a robot, where it is another word.
        places_of: finds the places of the document's keys; asked only if there is a fault.
    """

    def __init__(
        self, source: str, labels: Mapping[str, str], places_of: Callable[[], Places] = dict
    ) -> None:
        self.faults: list[DocumentFault] = []
        self._source = source
        self._labels = labels
        self._places: dict[FieldKey, tuple[int, int]] = {}
        self._keys: dict[FieldKey, FieldKey] = {}
        self._places_of = places_of
        self._places_found: Places | None = None
        self._ignored: set[FieldKey] = set()
        self.losses: Sequence[Loss] = ()
        """Losses of the document so far, which a refusal lists, too."""

    def put(self, field: FieldKey, line: int, column: int) -> None:
        """Note the place of a field."""
        self._places[field] = line, column

    def put_key(self, field: FieldKey, key: FieldKey) -> None:
        """Note the document's key of a field."""
        self._keys[field] = key

    def add(self, line: int, column: int, value: object, problem: str, remedy: str) -> None:
        """Note a fault of the text itself."""
        self._append(DocumentFault(line, column, _line("", "", value, problem, remedy)))

    def unreadable(self, field: FieldKey, value: object, problem: str, remedy: str) -> None:
        """Note a field whose value cannot be read; findings about it are left out."""
        self.ignore(field)
        label = self._labels.get(str(field[-1]), str(field[-1]))
        text = _line("", label, value, problem, remedy)
        self._append(DocumentFault(*self._place(field), text, field))

    def ignore(self, field: FieldKey) -> None:
        """Leave out findings about a field."""
        self._ignored.add(field)

    def take(self, findings: Iterable[Finding]) -> None:
        """Note findings about the values."""
        for one in findings:
            if one.field not in self._ignored:
                label = self._labels.get(str(one.field[-1]), str(one.field[-1]))
                text = _line(one.subject, label, one.value, one.problem, one.remedy)
                self._append(DocumentFault(*self._place(one.field), text, one.field))

    def end(self) -> None:
        """Refuse the document if it has faults.

        Raises:
            RobotDocumentError: with all of them.
        """
        if self.faults:
            raise RobotDocumentError(self._source, self.faults, self.losses)

    def _append(self, fault: DocumentFault) -> None:
        self.faults.append(fault)
        if len(self.faults) >= FAULTS_MAX:
            self.end()

    def _place(self, field: FieldKey) -> tuple[int, int]:
        """Place of the field, or of what it is in."""
        if self._keys and self._places_found is None:
            self._places_found = self._places_of()
        for count in range(len(field), 0, -1):
            found = self._places.get(inner := field[:count])
            if found is None and self._places_found is not None and inner in self._keys:
                found = self._places_found.get(self._keys[inner])
            if found is not None:
                return found
        return 0, 0


def _line(subject: str, label: str, value: object, problem: str, remedy: str) -> str:
    shown = _shown(value)
    what = " ".join(filter(None, (subject, label, shown and f"= {shown}" if label else shown)))
    return f"{what}: {problem}; {remedy}" if what else f"{problem}; {remedy}"


def _shown(value: object) -> str:
    """Format a value as documents write it, cut to 60 characters."""
    match value:
        case None:
            text = ""
        case str():
            text = value.encode("unicode_escape").decode()
        case tuple() | list():
            text = f"({', '.join(_shown(one) for one in value[:8])}{', …' * (len(value) > 8)})"
        case _:
            text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
