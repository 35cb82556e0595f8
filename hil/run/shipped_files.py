"""Shipped files: those of ``configs/``, each with a line of what it is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hil.config.file_search import shipped_paths
from hil.config.files import read_regular
from hil.config.settings import MAX_FILE_BYTES, parse_toml, settings_text
from hil.run.file_kinds import kind_of
from hil.run.registry import DEFAULT

WORDS_MAX: Final = 110
"""Characters of what a file says of itself, in a line."""
SAYS: Final = ("description", "about", "note", "name")
"""Keys of a file that may say what it is, the fullest first; in more than a word."""
KINDS: Final = {
    "scenarios": "scenarios", "motions": "motions", "rigs": "rigs", "drives": "drives",
    "cylinders": "cylinders", "designs": "designs", "presets": "cueing", "maps": "hosts",
    "rides": "rides", "diagrams": "diagrams", "robots": "world/robots", "scenes": "world/scenes",
    "robot-arms": "robots", "space-arms": "arms",
}  # fmt: skip
"""Name of each kind, and its folder of ``configs/``."""


@dataclass(frozen=True, slots=True)
class ShippedFile:
    """A file that comes along."""

    kind: str
    """One of `KINDS`."""
    name: str
    """Name as the verbs take it."""
    station: str
    """Station that runs it, for a scenario; else empty."""
    words: str
    """Description of the file."""


def shipped_files(kind: str) -> list[ShippedFile]:
    """Those of one of `KINDS`, by name."""
    ending = ".csv" if kind == "motions" else ".toml"
    return [_described(kind, path) for path in shipped_paths(KINDS[kind], ending)]


def _described(kind: str, path: Path) -> ShippedFile:
    if path.suffix != ".toml":
        return ShippedFile(kind, path.name, "", _columns(path))
    text = settings_text(path)
    table = parse_toml(text, path)
    found = kind_of(table, str(path)) if kind == "scenarios" else None
    station = "" if found is None else found.station or DEFAULT
    return ShippedFile(kind, path.stem, station, _words(table, text))


def _words(table: dict[str, Any], text: str) -> str:
    """A file's own description; else the first sentence of the comment at its head."""
    says = [str(table[key]) for key in SAYS if key in table]
    if sentence := next((one for one in says if " " in one), ""):
        return _short(sentence)
    head = re.match(r"(?:#[^\n]*\n)+", text)
    comment = re.sub(r"\n?# ?", " ", head[0]) if head else ""
    return _short(re.split(r"(?<=[a-z0-9)]\.) ", comment.strip())[0])


def _short(words: str) -> str:
    plain = " ".join(words.split()).rstrip(".:")
    return plain if len(plain) <= WORDS_MAX else plain[: WORDS_MAX - 2].rsplit(" ", 1)[0] + " …"


def _columns(path: Path) -> str:
    """Columns of a table."""
    lines = read_regular(path, MAX_FILE_BYTES).decode().splitlines()
    names = next((line for line in lines if not line.startswith("#")), "")
    return _short(f"columns {names.replace(',', ', ')}")
