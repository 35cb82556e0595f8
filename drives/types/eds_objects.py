"""The objects of an electronic data sheet, and whether the file has all that it says it has.

A sheet lists its objects in [MandatoryObjects], [OptionalObjects] and [ManufacturerObjects], each
with how many there are, and each object says how many sub-indices it has (CiA 306-1, 4.6). A file
that was cut off lacks some of them, or ends in the middle of a section.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from drives.bank import DriveModelError
from drives.types.drive_type import Place
from drives.types.eds_text import Section, Sheet

LISTS = ("MandatoryObjects", "OptionalObjects", "ManufacturerObjects")
"""Sections that name the objects of a file; a drive (6041h) has the first two."""
_OBJECT = re.compile(r"([0-9a-f]{1,4})(?:sub([0-9a-f]{1,2})|(value|name|denotation))?")
Part = int | str
"""Sub-index, or one of `TOP`, "value", "name", "denotation"."""
TOP = "top"
"""The section that is named by the index alone."""
_RECORDS = (8, 9)
"""Object types with sub-indices: ARRAY, RECORD (CiA 301)."""
_SIGNED_BITS = {0x02: 8, 0x03: 16, 0x04: 32, 0x10: 24, 0x12: 40, 0x13: 48, 0x14: 56, 0x15: 64}
"""Bits of the signed types of CiA 301, by code."""
_READ_ONLY = ("ro", "const")
SUB_MAX = 254
"""Highest sub-index of a value (CiA 301)."""
_SHOWN = 4
"""Names of objects in a text before the rest is only counted."""
_UNREAD = ("parametername", "pdomapping", "storagelocation", "objflags", "denotation")
"""Keys that the bench does not read, or reads of the time stamp only."""
_STAMP, _METHODS = 0x1013, 0x60E3


@dataclass(frozen=True, slots=True)
class Entry:
    """One sub-index, or an object without any."""

    section: Section
    """Where it is described; that of the whole array if it has CompactSubObj."""
    own: tuple[Section, str] | None = None
    """Where the value of one element of such an array stands: section and key."""

    def held(self) -> int | None:
        """Return what it holds: of a DCF the value that was set, else the default.

        Raises:
            DriveModelError: If it is no number.
        """
        if self.own is not None:
            found = self.own[0].number(self.own[1])
            if found is not None:
                return self._as_typed(found)
        for key in ("ParameterValue", "DefaultValue"):
            found = self.section.number(key)
            if found is not None:
                return self._as_typed(found)
        return None

    def limits(self) -> tuple[int, int] | None:
        """Return its smallest and largest value; None if it does not say both.

        Raises:
            DriveModelError: If one of them is no number.
        """
        low, high = (self.section.number(key) for key in ("LowLimit", "HighLimit"))
        if low is None or high is None:
            return None
        low, high = self._as_typed(low), self._as_typed(high)
        return (low, high) if low <= high else None

    @property
    def read_only(self) -> bool:
        """Whether it cannot be written."""
        access = self.section.text("AccessType").lower()
        if not access:
            raise DriveModelError(_lacking_key(self.section, "AccessType", "rw"))
        return access in _READ_ONLY

    @property
    def mappable(self) -> bool:
        """Whether a PDO can carry it."""
        return bool(self.section.number("PDOMapping"))

    def _as_typed(self, number: int) -> int:
        """Return a number as its type has it: 0xFE of a signed byte is -2."""
        kind = self.section.number("DataType")
        if kind is None:
            raise DriveModelError(_lacking_key(self.section, "DataType", "0x0007"))
        bits = _SIGNED_BITS.get(kind, 0)
        return number - (1 << bits) if bits and number >> (bits - 1) == 1 else number


def _lacking_key(section: Section, key: str, right: str) -> str:
    need = f"a line such as {key}={right} is needed"
    return f"line {section.line}: [{section.name}] has no {key}; {need}"


class Objects(NamedTuple):
    """What a sheet has."""

    entries: Mapping[Place, Entry]
    """By index and sub-index."""
    absent: tuple[int, ...]
    """Objects that the sheet lists and does not have, though it goes on behind them."""


def read_objects(sheet: Sheet, used: Collection[int]) -> Objects:
    """Return the objects of a sheet that is whole.

    Args:
        used: Indices that the bench reads or writes: of these nothing may be missing.

    Raises:
        DriveModelError: If the file was cut off, or says two things of one object.
    """
    found: dict[int, dict[Part, Section]] = {}
    for name, section in sheet.sections.items():
        if (match := _OBJECT.fullmatch(name)) is not None:
            index = int(match[1], 16)
            part = int(match[2], 16) if match[2] else match[3] or TOP
            section = sheet.get(name) or section if index in used else section
            found.setdefault(index, {})[part] = section
    objects = {index: parts for index, parts in found.items() if TOP in parts}
    absent = _require_listed(sheet, objects, used)
    match = _OBJECT.fullmatch(sheet.last.name.lower())
    last = int(match[1], 16) if match else None
    for index, parts in objects.items():
        if index in used or index == last:
            _require_parts(sheet, index, parts)
    if last is not None and last in used:
        leaves = [part for parts in found.values() for part in parts.values()]
        _require_end(sheet, last, [each for each in leaves if "datatype" in each.values])
    entries: dict[Place, Entry] = {}
    for index in objects.keys() & set(used):
        entries |= {(index, sub): entry for sub, entry in _entries(objects[index])}
    return Objects(entries, absent)


def _require_listed(
    sheet: Sheet, objects: Mapping[int, Mapping[Part, Section]], used: Collection[int]
) -> tuple[int, ...]:
    """Refuse a file that lacks objects of its own lists; return those that it just leaves out."""
    order: dict[int, Section] = {}
    for title in LISTS:
        section = sheet.get(title)
        if section is not None:
            order |= dict.fromkeys(_indices(sheet, section, objects), section)
    for title in LISTS[:2]:
        if sheet.get(title) is None:
            need = "a data sheet lists its objects there (CiA 306-1, 4.6)"
            raise DriveModelError(f"{_cut_off(sheet)}: it has no section [{title}]; {need}")
    strays = [index for index in objects if index not in order]
    if strays and sheet.get(LISTS[2]) is None:
        text = f"{_names(strays)} stand in no list, and there is no section [{LISTS[2]}]"
        raise DriveModelError(f"{_cut_off(sheet)}: {text}, which would list them")
    rows = sorted(order, key=lambda index: order[index].line)
    absent = [index for index in rows if index not in objects]
    # A hole in front of an object that the file goes on with is the maker's, not that of a cut.
    last = max(order.keys() & objects, key=lambda index: objects[index][TOP].line, default=None)
    end = -1 if last is None else rows.index(last)
    if any(index in used for index in absent) or {*absent} & {*rows[end + 1 :]}:
        lists = dict.fromkeys(f"[{order[index].name}]" for index in absent)
        text = f"{' and '.join(lists)} lists {_names(absent)}, which have no section of their own"
        raise DriveModelError(f"{_cut_off(sheet)}: {text}; the whole file is needed")
    return tuple(absent)


def _indices(sheet: Sheet, section: Section, objects: Collection[int]) -> Iterator[int]:
    """Yield what a list names; as many as it says."""
    rows = [key for key in section.values if key.isdecimal()]
    _require_count(sheet, section, "SupportedObjects", len(rows), "objects")
    for key in rows:
        found = section.numbers(key)
        if not found:
            need = "the index of an object such as 0x6041 is needed"
            raise DriveModelError(f"{section.place(key)}: {need}")
        digits = section.text(key)
        plain = int(digits, 16) if digits.isdecimal() else found[0]  # 6041 is meant as 0x6041
        yield plain if plain in objects else found[0]


def _require_count(sheet: Sheet, section: Section, key: str, has: int, what: str) -> None:
    """Refuse a section that has fewer rows than it says."""
    numbers = section.numbers(key)
    if not numbers:
        need = f"{key}={has} is right if its {has} {what} are all"
        raise DriveModelError(f"{_cut_off(sheet)}: [{section.name}] has no {key}; {need}")
    if has < max(numbers) and has not in numbers:
        raise DriveModelError(
            f"{_cut_off(sheet)}: {section.place(key)}, and {has} {what} follow; "
            f"{max(numbers)} are needed"
        )


def _require_parts(sheet: Sheet, index: int, parts: Mapping[Part, Section]) -> None:
    """Refuse an object that has fewer sub-indices than it says."""
    top, subs = parts[TOP], sorted(part for part in parts if isinstance(part, int))
    for part in ("value", "name", "denotation"):
        if part in parts:
            rows = sum(key.isdecimal() for key in parts[part].values)
            _require_count(sheet, parts[part], "NrOfEntries", rows, "rows")
    declared = top.numbers("SubNumber")
    if (
        declared
        and max(declared) > len(subs)
        and not {len(subs), *(sub + 1 for sub in subs[-1:])} & {*declared}
    ):
        raise DriveModelError(
            f"{_cut_off(sheet)}: {top.place('SubNumber')}, and {len(subs)} of its sections "
            f"[{index:04X}sub0] to [{index:04X}sub{max(declared) - 1:X}] are there"
        )


def _require_end(sheet: Sheet, index: int, leaves: Collection[Section]) -> None:
    """Refuse a file that may go on within its last section.

    An empty line or a comment behind it ends a section. Without one it has to have what all others
    of the file have, and to end in the line in which all others end.
    """
    last = sheet.last
    keys = list(last.values)
    if "compactsubobj" in last.values and index == _METHODS:
        raise DriveModelError(f"{_cut_off(sheet)}: [{last.name}Value] with its values is missing")
    if last.ended:
        return
    if sheet.unended and (keys[-1:] == [] or _read(keys[-1], index)):
        need = "a line break is needed there if the file is whole"
        raise DriveModelError(f"{_cut_off(sheet)}: its last line is without an end; {need}")
    if not {"subnumber", "nrofentries"} & {*keys}:
        others = [each for each in leaves if each is not last]
        common = (
            set[str]()
            .union(*(each.values for each in others))
            .intersection(*(each.values for each in others))
        )
        missing = common - {*keys}
        ends = {list(each.values)[-1] for each in others}
        if missing or ends != {*keys[-1:]}:
            rest = ", ".join(sorted(missing or ends - {*keys[-1:]}))
            lacks = f"has no {rest}" if missing else f"ends in {keys[-1]}, others in {rest}"
            need = "an empty line is needed behind it if it is whole"
            raise DriveModelError(f"{_cut_off(sheet)}: [{last.name}] {lacks}; {need}")


def _read(key: str, index: int) -> bool:
    """Whether the bench may read the value behind a key."""
    return key not in _UNREAD or (key == "pdomapping" and index == _STAMP)


def _entries(parts: Mapping[Part, Section]) -> Iterator[tuple[int, Entry]]:
    top = parts[TOP]
    compact = top.number("CompactSubObj")
    if compact:
        yield 0, Entry(top, (top, "CompactSubObj"))
        values = parts.get("value")
        for sub in range(1, min(compact, SUB_MAX) + 1):
            yield sub, Entry(top, values and (values, str(sub)))
    subs = [(part, section) for part, section in parts.items() if isinstance(part, int)]
    yield from ((sub, Entry(section)) for sub, section in subs)
    if not compact and not subs and top.number("ObjectType") not in _RECORDS:
        yield 0, Entry(top)


def _names(indices: Collection[int]) -> str:
    shown = [f"{index:04X}h" for index in indices]
    more = f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
    return ", ".join(shown[:_SHOWN]) + more


def _cut_off(sheet: Sheet) -> str:
    """Return where a file that was cut off ends, as the beginning of a sentence."""
    return f"is cut off: it ends in line {sheet.lines} in [{sheet.last.name}]"
