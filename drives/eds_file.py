"""What an electronic data sheet (EDS, DCF; CiA 306-1) says of a drive, as tables of a drive file.

It is read by `canopen`. A data sheet says what exists, not how the firmware behaves: what is made
of it is a beginning, and the habits of a drive have to be added by hand.
"""

import io
import stat
from collections.abc import Iterator, Mapping
from configparser import Error as ConfigParserError
from pathlib import Path
from typing import Any

import canopen
from canopen.objectdictionary import ODVariable

from drives.bank import DriveModelError
from drives.drive_type import Place, place_of, place_text
from drives.drive_units import UNIT_OBJECTS, unit_of_word

LARGEST_BYTES = 4_000_000
"""A longer file is no data sheet [bytes]."""
TIME_STAMP = (0x1013, 0)
"""High resolution time stamp (CiA 301), microseconds; a TPDO may carry it."""
METHOD_MAX = 37
"""Highest homing method of CiA 402-2."""
_READ_ONLY = ("ro", "const")
_UNIT_KEYS = ("position", "speed", "acceleration")
_MODES_MAX = 16
"""Bits of 6502h above are the maker's own."""


def _places(text: str) -> tuple[Place, ...]:
    return tuple(place_of(each) for each in text.split())


ASKED_FOR = _places(
    "1006h 100Ch 100Dh 1016h:1 1017h 1029h:1 1400h:1 1400h:5 1401h:1 1402h:1 1403h:1 1800h:1 "
    "1801h:1 1802h:1 1802h:5 1803h:1 603Fh 6007h 605Ah 605Bh 605Ch 605Dh 605Eh 6065h 6066h 606Ch "
    "6077h 607Ah 607Ch 607Dh:1 607Dh:2 607Eh 607Fh 6084h 6085h 608Fh:1 6091h:1 6092h:1 6096h:1 "
    "6098h 6099h:1 6099h:2 609Ah 60A8h 60A9h 60AAh 60B1h 60C0h 60C1h:1 60C2h:1 60C2h:2 60C5h 60E3h "
    "60FDh 6502h"
)
"""What the bench reads or writes and not every drive has."""
WRITTEN = _places(
    "6007h 605Ah 605Bh 605Ch 605Dh 605Eh 6065h 6066h 607Dh:1 607Dh:2 607Fh 6084h 6085h 6099h:1 "
    "6099h:2 609Ah 60C2h:1 60C5h"
)
"""What the bench writes and a drive may limit."""


def read_eds(path: Path) -> dict[str, Any]:
    """Return the tables of a drive file as far as a data sheet tells them.

    Args:
        path: The EDS or DCF.

    Raises:
        DriveModelError: If it cannot be read, or is no data sheet of a drive.
    """
    entries, facts, vendor, product = _read(path)
    if 0x1000 not in {index for index, _ in entries} or (0x6041, 0) not in entries:
        raise DriveModelError(f"{path}: is no data sheet of a drive: it lacks 1000h or 6041h")
    objects: dict[str, Any] = {"lacks": _lacking(entries)}
    if ranges := dict(_ranges(entries)):
        objects["ranges"] = ranges
    word = _number(entries.get((0x6502, 0)))
    if word:
        objects["modes"] = [n for n in range(1, _MODES_MAX + 1) if word >> (n - 1) & 1]
    tables: dict[str, Any] = {
        "drive": {
            "name": product or facts.get("Description") or path.stem,
            "maker": vendor or "not told",
            "protocol": "canopen",
            "source": _source(path, facts),
            "tried_on_metal": False,
        },
        "objects": objects,
    }
    if units := dict(_units(entries)):
        tables["units"] = units
    if methods := list(_methods(entries)):
        tables["homing"] = {"methods": methods}
    stamp = entries.get(TIME_STAMP)
    if stamp is not None and stamp.pdo_mappable:
        tables["stamp"] = {"object": place_text(*TIME_STAMP), "kind": "u32", "tick_s": 1e-6}
    return tables


def _read(path: Path) -> tuple[dict[Place, ODVariable], Mapping[str, str], str, str]:
    """Return entries by place, the table FileInfo, and the names of maker and product."""
    try:
        state = path.stat()  # a pipe, or a file of the kernel's, would never be read to its end
        if not stat.S_ISREG(state.st_mode) or not 0 < state.st_size <= LARGEST_BYTES:
            need = f"a data sheet is a file of 1 to {LARGEST_BYTES} bytes"
            raise DriveModelError(f"{path}: {state.st_size} bytes; {need}")
        data = path.read_bytes()
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("latin-1")  # what makers of drives wrote for long
        if "[DeviceInfo]" not in text:
            raise DriveModelError(f"{path}: is no data sheet: it has no section [DeviceInfo]")
        source = io.StringIO(text)
        source.name = str(path)  # type: ignore[misc]
        dictionary = canopen.import_od(source, node_id=1)
    except OSError as error:
        raise DriveModelError(f"{path}: cannot be read: {error.strerror}") from error
    except (ConfigParserError, ValueError, KeyError, AttributeError, TypeError) as error:
        if isinstance(error, DriveModelError):
            raise
        text = f"{type(error).__name__}: {' '.join(str(error).split()):.300}"
        raise DriveModelError(f"{path}: is no data sheet that can be read: {text}") from error
    entries: dict[Place, ODVariable] = {}
    for index, thing in dictionary.indices.items():
        if isinstance(thing, ODVariable):
            entries[index, 0] = thing
        else:
            entries |= {(index, sub): entry for sub, entry in thing.subindices.items()}
    device = dictionary.device_information
    facts: Mapping[str, str] = getattr(dictionary, "__edsFileInfo", {})
    return entries, facts, device.vendor_name or "", device.product_name or ""


def _source(path: Path, facts: Mapping[str, str]) -> str:
    version = ".".join(facts[key] for key in ("FileVersion", "FileRevision") if facts.get(key))
    date = facts.get("ModificationDate") or facts.get("CreationDate") or ""
    parts = [path.name, f"file version {version}" if version else "", date]
    return ", ".join(part for part in parts if part)


def _lacking(entries: Mapping[Place, ODVariable]) -> list[str]:
    """Return what the bench asks for and is not there; an index by itself where all of it is."""
    found: dict[str, None] = {}
    there = {index for index, _ in entries}
    for index, sub in ASKED_FOR:
        if index not in there:
            found[f"{index:04X}h"] = None
        elif (index, sub) not in entries:
            found[place_text(index, sub)] = None
    return list(found)


def _ranges(entries: Mapping[Place, ODVariable]) -> Iterator[tuple[str, list[int]]]:
    for place in WRITTEN:
        entry = entries.get(place)
        if entry is None:
            continue
        held = _number(entry)
        if entry.access_type in _READ_ONLY and held is not None:
            yield place_text(*place), [held, held]
        elif isinstance(entry.min, int) and isinstance(entry.max, int) and entry.min <= entry.max:
            yield place_text(*place), [entry.min, entry.max]


def _units(entries: Mapping[Place, ODVariable]) -> Iterator[tuple[str, str]]:
    for order, (key, index) in enumerate(zip(_UNIT_KEYS, UNIT_OBJECTS, strict=True)):
        word = _number(entries.get((index, 0)))
        if word:
            yield key, str(unit_of_word(word, order))


def _methods(entries: Mapping[Place, ODVariable]) -> Iterator[int]:
    """Yield the homing methods of 60E3h, as far as the sheet tells them."""
    for sub in range(1, (_number(entries.get((0x60E3, 0))) or 0) + 1):
        method = _number(entries.get((0x60E3, sub)))
        if method is not None:
            method = method - 256 if 127 < method < 256 else method
            if -128 <= method <= METHOD_MAX:
                yield method


def _number(entry: ODVariable | None) -> int | None:
    """Return what an entry holds: of a DCF the value that was set, else the default."""
    if entry is None:
        return None
    held = entry.value if isinstance(entry.value, int) else entry.default
    return held if isinstance(held, int) else None
