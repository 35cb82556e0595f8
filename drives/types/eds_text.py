"""The sections, lines and numbers of an electronic data sheet as makers write them (CiA 306-1).

Names of sections and keys have no case, a line without ``=`` says nothing, and each value keeps
its line for the texts of errors. What a number means is asked for where it is used: a field that
the bench does not use cannot be wrong.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from drives.bank import DriveModelError

_HEADER = re.compile(r"\[([^\]]*+)\]\s*+(?:[;#].*)?")
_NUMBER = re.compile(r"([+-]?)(0x[0-9a-f]+|[0-9a-f]+h|[0-9]+)", re.IGNORECASE)
_COMMENT = re.compile(r"(?:;|#|//).*")
_BREAK = r"\r\n|\n|\r"
_NODE = "$NODEID"
_DIGITS_MAX = 40
_SHOWN_MAX = 80
"""Characters of a name or value in a text; no name of a section is longer."""


class Value(NamedTuple):
    """Value behind a key, and its line."""

    text: str
    """The text without spaces around it; a comment behind it included."""
    line: int
    """Number of its line in the file, from 1."""


@dataclass(slots=True)
class Section:
    """One section of a sheet."""

    name: str
    """Name as it is written."""
    line: int
    """Number of the line with its name, from 1."""
    values: dict[str, Value] = field(default_factory=dict[str, Value])
    """Values by key in small letters; of a key that comes twice the first."""
    again: dict[str, Value] = field(default_factory=dict[str, Value])
    """Keys that come again and say something else."""
    bare: dict[str, int] = field(default_factory=dict[str, int])
    """Lines without ``=``, in small letters, by text."""
    ended: bool = False
    """Whether an empty line, a comment or another section follows its last key."""

    def text(self, key: str) -> str:
        """Return the text behind a key, without a comment; empty if there is none.

        Raises:
            DriveModelError: If the key comes twice with different values, or without ``=``.
        """
        low = key.lower()
        if low in self.again:
            first, second = self.values[low], self.again[low]
            raise DriveModelError(
                f"line {second.line}: [{self.name}] {key} is {_shown(second)}, and "
                f"{_shown(first)} in line {first.line}; one of them is needed"
            )
        bare = next((n for text, n in self.bare.items() if re.split(r"[\s:]", text)[0] == low), 0)
        if bare:
            raise DriveModelError(f"line {bare}: [{self.name}] {key} has no '='; {key}=... is one")
        held = self.values.get(low)
        return "" if held is None else _COMMENT.sub("", held.text).strip()

    def words(self, key: str) -> str:
        """Return the words behind a key, for people; empty if there are none."""
        held = self.values.get(key.lower())
        return "" if held is None else re.sub(r"\s;.*", "", held.text).strip()

    def number(self, key: str) -> int | None:
        """Return the number behind a key; None if there is none, or if it is each node's own.

        Raises:
            DriveModelError: If it is no whole number, or one that can be read in two ways.
        """
        found = self.numbers(key)
        if len(found) > 1:
            octal, decimal = found
            raise DriveModelError(
                f"{self.place(key)} is {octal} as an octal number (CiA 306-1, 4.3) and {decimal} "
                f"as a decimal one; {decimal} or 0x{octal:X} without the leading 0 is needed"
            )
        return found[0] if found else None

    def numbers(self, key: str) -> tuple[int, ...]:
        """Return all that the number behind a key can mean: with a leading 0 octal, or decimal.

        Raises:
            DriveModelError: If it is no whole number.
        """
        text = "".join(self.text(key).split())
        if not text or _NODE in text.upper():
            return ()
        match = _NUMBER.fullmatch(text)
        if match is None or len(text) > _DIGITS_MAX:
            need = "a whole number such as 0x1F or 31 is needed"
            raise DriveModelError(f"{self.place(key)} is no number; {need}")
        sign, digits = -1 if match[1] == "-" else 1, match[2].lower()
        if digits.startswith("0x") or digits.endswith("h"):
            return (sign * int(digits.removesuffix("h"), 16),)
        decimal = int(digits)
        if digits[0] != "0" or not set(digits) <= set("01234567") or int(digits, 8) == decimal:
            return (sign * decimal,)
        return sign * int(digits, 8), sign * decimal

    def place(self, key: str) -> str:
        """Return line, section, key and value, for texts."""
        held = self.values[key.lower()]
        return f"line {held.line}: [{self.name}] {key} = {_shown(held)}"


@dataclass(frozen=True, slots=True)
class Sheet:
    """The sections of a file in its order."""

    sections: Mapping[str, Section]
    """Sections by name in small letters; of a name that comes twice the first."""
    again: Mapping[str, Section]
    """Sections that come again and say something else."""
    lines: int
    """Number of the last line that says anything."""
    unended: bool
    """Whether the last line has no line break."""

    @property
    def last(self) -> Section:
        """The section in which the file ends."""
        return max((*self.sections.values(), *self.again.values()), key=lambda one: one.line)

    def get(self, name: str) -> Section | None:
        """Return a section by name; None if there is none.

        Raises:
            DriveModelError: If there are two that differ.
        """
        second, first = self.again.get(name.lower()), self.sections.get(name.lower())
        if first is not None and second is not None:
            raise DriveModelError(
                f"line {second.line}: [{second.name}] comes again and says something else than in "
                f"line {first.line}; one of them is needed"
            )
        return first


def read_sheet(text: str) -> Sheet:
    """Return the sections of a text; lines before the first one say nothing."""
    rows = re.split(_BREAK, text)
    found: list[Section] = []
    for number, row in enumerate(rows, start=1):
        _take(found, row.strip(), number, last=number == len(rows))
    sections: dict[str, Section] = {}
    again: dict[str, Section] = {}
    for each in found:
        first = sections.setdefault(each.name.lower(), each)
        if _said(first) != _said(each):
            again[each.name.lower()] = each
    return Sheet(sections, again, len(re.split(_BREAK, text.rstrip())), bool(rows[-1].strip()))


def _take(found: list[Section], row: str, number: int, *, last: bool) -> None:
    """Put one line into the section to which it belongs."""
    header = _HEADER.fullmatch(row)
    if header is not None:
        if found:
            found[-1].ended = True
        name = header[1].strip()[:_SHOWN_MAX]
        found.append(Section(name if name.isprintable() else ascii(name)[1:-1], number))
    elif not found:
        return
    elif not row or row[0] in ";#":
        found[-1].ended |= not last  # what follows the last line break is no line
    else:
        key, equals, text = (part.strip() for part in row.partition("="))
        low, value = key.lower(), Value(text, number)
        section = found[-1]
        section.ended = False
        if not equals:
            section.bare.setdefault(low, number)
        elif section.values.setdefault(low, value).text != text:
            section.again[low] = value


def _shown(value: Value) -> str:
    text = value.text if len(value.text) <= _SHOWN_MAX else f"{value.text[:_SHOWN_MAX]} …"
    return repr(text)


def _said(section: Section) -> dict[str, str]:
    return {key: value.text for key, value in (*section.values.items(), *section.again.items())}
