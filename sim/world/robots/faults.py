"""What is wrong with a robot: findings about its values, and where they stand in a document."""

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
    """Something that is wrong with a robot's values."""

    field: FieldKey
    """Where."""
    subject: str
    """The same for people: ``link 3``."""
    value: object
    """What is there."""
    problem: str
    """What is wrong with it, with limit and unit."""
    remedy: str
    """What would be right."""

    def __str__(self) -> str:
        """One line."""
        return _line(self.subject, str(self.field[-1]), self.value, self.problem, self.remedy)


@dataclass(frozen=True, slots=True, order=True)
class DocumentFault:
    """The same at a place of a document."""

    line: int
    """From 1; 0 for the document as a whole."""
    column: int
    """From 1."""
    text: str
    """What is there, what is wrong, and what would be right."""
    field: FieldKey = member(default=(), compare=False)
    """Of the robot; empty for the text itself."""

    def __str__(self) -> str:
        """Place and text."""
        return f"{self.line}:{self.column}: {self.text}"


def called(findings: Iterable[Finding], robot: Robot) -> Iterator[Finding]:
    """Findings about links and joints by their names, as forms without numbers have them."""
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
        """What of the document was left out before, which may be the cause of a fault."""
        self.faults: tuple[DocumentFault, ...] = tuple(sorted(set(faults)))
        super().__init__("\n".join(f"{source}:{fault}" for fault in self.faults))


FAULTS_MAX: Final = 50
"""Faults of a document after which no more are looked for."""


class FaultList:
    """Faults of a document while it is read; so many that no more are looked for end the reading.

    Args:
        labels: what the document calls the fields of a robot, where it is another word.
        told: finds where the document's keys stand; asked only if there is a fault.
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
        """Of the document so far, which a refusal tells, too."""

    def put(self, field: FieldKey, line: int, column: int) -> None:
        """Note where a field stands."""
        self._places[field] = line, column

    def put_key(self, field: FieldKey, key: FieldKey) -> None:
        """Note which key of the document says a field."""
        self._keys[field] = key

    def add(self, line: int, column: int, value: object, problem: str, remedy: str) -> None:
        """Note a fault of the text itself."""
        self._append(DocumentFault(line, column, _line("", "", value, problem, remedy)))

    def unreadable(self, field: FieldKey, value: object, problem: str, remedy: str) -> None:
        """Note a field whose value cannot be had; findings about it are left out."""
        self.ignore(field)
        label = self._labels.get(str(field[-1]), str(field[-1]))
        text = _line("", label, value, problem, remedy)
        self._append(DocumentFault(*self._place(field), text, field))

    def ignore(self, field: FieldKey) -> None:
        """Leave out findings about a field."""
        self._ignored.add(field)

    def take(self, findings: Iterable[Finding]) -> None:
        """Note what was found wrong with the values."""
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
        """Of the field, or of what it is in."""
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
    """A value as documents write it, cut to 60 characters."""
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
