"""An electronic data sheet (EDS, DCF; CiA 306-1) of a drive, as tables of a drive file.

A data sheet says what exists, not how the firmware behaves: what is made of it is a beginning, and
the habits of a drive have to be added by hand.
"""

import codecs
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from drives.bank import DriveModelError
from drives.types.drive_type import Place, place_of, place_text
from drives.types.drive_units import UNIT_OBJECTS, unit_of_word
from drives.types.eds_objects import SUB_MAX, Entry, Objects, read_objects
from drives.types.eds_text import Section, Sheet, read_sheet

DATA_SHEETS = (".eds", ".dcf")
"""Endings of names of data sheets."""
LARGEST_BYTES = 4_000_000
"""A longer file is no data sheet [bytes]."""
TIME_STAMP = (0x1013, 0)
"""High resolution time stamp (CiA 301), microseconds; a TPDO may carry it."""
METHOD_MAX = 37
"""Highest homing method of CiA 402-2."""
_UNIT_KEYS = ("position", "speed", "acceleration")
_MODES_MAX = 16
"""Bits of 6502h above are the maker's own."""


def _places(text: str) -> tuple[Place, ...]:
    return tuple(place_of(each) for each in text.split())


ASKED_FOR = _places(
    "1000h 1018h:1 1018h:4 1006h 100Ch 100Dh 1016h:1 1017h 1029h:1 1400h:1 1400h:5 1401h:1 1402h:1 "
    "1403h:1 1600h 1601h 1800h:1 1801h:1 1802h:1 1802h:5 1803h:1 1A00h 1A01h 1A02h 1A03h 603Fh "
    "6007h 6040h 6041h 605Ah 605Bh 605Ch 605Dh 605Eh 6060h 6061h 6064h 6065h 6066h 606Ch 6077h "
    "607Ah 607Ch 607Dh:1 607Dh:2 607Eh 607Fh 6084h 6085h 608Fh:1 6091h:1 6092h:1 6096h:1 6098h "
    "6099h:1 6099h:2 609Ah 60A8h 60A9h 60AAh 60B1h 60C0h 60C1h:1 60C2h:1 60C2h:2 60C5h 60E3h 60FDh "
    "6502h"
)
"""Objects that the bench reads or writes and not every drive has."""
WRITTEN = _places(
    "6007h 605Ah 605Bh 605Ch 605Dh 605Eh 6065h 6066h 607Dh:1 607Dh:2 607Fh 6084h 6085h 6099h:1 "
    "6099h:2 609Ah 60C2h:1 60C5h"
)
"""Objects that the bench writes and a drive may limit."""
USED = frozenset({TIME_STAMP[0], *(index for index, _ in ASKED_FOR)})
"""Objects of which a sheet has to say all that it lists."""
_BOMS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_NAME_MAX = 80
"""Longest name in a drive file."""


def read_eds(path: Path) -> dict[str, Any]:
    """Return the tables of a drive file as far as a data sheet gives them.

    Args:
        path: The EDS or DCF.

    Raises:
        DriveModelError: If it cannot be read, was cut off, or is no data sheet of a drive; with the
            line and the key that are wrong.
    """
    try:
        sheet = read_sheet(_text_of(path))
        device = sheet.sections.get("deviceinfo")
        if device is None:
            raise DriveModelError("is no data sheet: it has no section [DeviceInfo]")
        objects = read_objects(sheet, USED)
        return _tables(path, sheet, device, objects)
    except OSError as error:
        raise DriveModelError(f"{path}: cannot be read: {error.strerror}") from error
    except DriveModelError as error:
        raise DriveModelError(f"{path}: {error}") from error


def _text_of(path: Path) -> str:
    state = path.stat()  # a pipe, or a file of the kernel's, would never be read to its end
    if not stat.S_ISREG(state.st_mode) or not 0 < state.st_size <= LARGEST_BYTES:
        need = f"a data sheet is a file of 1 to {LARGEST_BYTES} bytes"
        raise DriveModelError(f"{state.st_size} bytes; {need}")
    data = path.read_bytes()
    if data.startswith(_BOMS):
        return data.decode("utf-16", errors="replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")  # what makers of drives wrote for long


def _tables(path: Path, sheet: Sheet, device: Section, found: Objects) -> dict[str, Any]:
    entries = found.entries
    if (0x1000, 0) not in entries or (0x6041, 0) not in entries:
        raise DriveModelError("is no data sheet of a drive: it lacks 1000h or 6041h")
    objects: dict[str, Any] = {"lacks": _lacking(entries)}
    if ranges := dict(_ranges(entries)):
        objects["ranges"] = ranges
    word = _held(entries, 0x6502)
    if word:
        objects["modes"] = [n for n in range(1, _MODES_MAX + 1) if word >> (n - 1) & 1]
    info = sheet.sections.get("fileinfo") or Section("FileInfo", 0)
    name = device.words("ProductName") or info.words("Description") or path.stem
    tables: dict[str, Any] = {
        "drive": {
            "name": name[:_NAME_MAX],
            "maker": device.words("VendorName")[:_NAME_MAX] or "not told",
            "protocol": "canopen",
            "source": _source(path, info, found.absent),
            "tried_on_metal": False,
        },
        "objects": objects,
    }
    if units := dict(_units(entries)):
        tables["units"] = units
    if methods := list(_methods(entries)):
        tables["homing"] = {"methods": methods}
    stamp = entries.get(TIME_STAMP)
    if stamp is not None and stamp.mappable:
        tables["stamp"] = {"object": place_text(*TIME_STAMP), "kind": "u32", "tick_s": 1e-6}
    return tables


def _source(path: Path, info: Section, absent: tuple[int, ...]) -> str:
    numbers = [info.words(key) for key in ("FileVersion", "FileRevision")]
    version = ".".join(number for number in numbers if number)
    date = info.words("ModificationDate") or info.words("CreationDate")
    holes = ", ".join(f"{index:04X}h" for index in absent)
    parts = [path.name, f"file version {version}" if version else "", date]
    parts.append(f"lists {holes} and does not have it" if holes else "")
    return ", ".join(part for part in parts if part)


def _lacking(entries: Mapping[Place, Entry]) -> list[str]:
    """Return what the bench asks for and is not there; an index by itself where all of it is."""
    found: dict[str, None] = {}
    there = {index for index, _ in entries}
    for index, sub in ASKED_FOR:
        if index not in there:
            found[f"{index:04X}h"] = None
        elif (index, sub) not in entries:
            found[place_text(index, sub)] = None
    return list(found)


def _ranges(entries: Mapping[Place, Entry]) -> Iterator[tuple[str, list[int]]]:
    for place in WRITTEN:
        entry = entries.get(place)
        if entry is None:
            continue
        held = entry.held() if entry.read_only else None
        limits = entry.limits() if held is None else (held, held)
        if limits is not None:
            yield place_text(*place), list(limits)


def _units(entries: Mapping[Place, Entry]) -> Iterator[tuple[str, str]]:
    for order, (key, index) in enumerate(zip(_UNIT_KEYS, UNIT_OBJECTS, strict=True)):
        word = _held(entries, index)
        if word:
            yield key, str(unit_of_word(word, order))


def _methods(entries: Mapping[Place, Entry]) -> Iterator[int]:
    """Yield the homing methods of 60E3h, as far as the sheet gives them."""
    for sub in range(1, min(_held(entries, 0x60E3) or 0, SUB_MAX) + 1):
        method = _held(entries, 0x60E3, sub)
        if method is not None:
            method = method - 256 if 127 < method < 256 else method
            if -128 <= method <= METHOD_MAX:
                yield method


def _held(entries: Mapping[Place, Entry], index: int, sub: int = 0) -> int | None:
    entry = entries.get((index, sub))
    return None if entry is None else entry.held()
