"""Lines of sections and keys in a file's text, so that a fault is reported with its line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Self

from hil.config.errors import ConfigError
from hil.config.settings import settings_text

PROBLEMS_MOST: Final = 40
"""Largest number of faults of a file that are listed; of more only the number is given."""
PROBLEMS_SOUGHT: Final = 200
"""Number of faults that ends the search: each may cost a search for the word that was meant."""
_KEY: Final = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([^\s="']+))\s*=""")


def raise_problems(source: Path, problems: Sequence[str]) -> None:
    """Raise `ConfigError` with what is wrong with a file, if anything is."""
    if problems:
        more = len(problems) - PROBLEMS_MOST
        last = [f"and {more} more"] if more > 0 else []
        raise ConfigError(str(source), [*problems[:PROBLEMS_MOST], *last])


class Placed(str):
    """A fault, with what it is about: section and key of the file, such as ``sub.Law.wire``."""

    section: str
    key: str
    """Name of a block, or destination of a wire; empty if the fault is of no line."""

    def __new__(cls, words: str, section: str = "", key: str = "") -> Self:
        """Return the words in the form of a message."""
        made = super().__new__(cls, words)
        made.section, made.key = section, key
        return made


class SourceLines:
    """Lines of a diagram's file.

    Args:
        path: The file; read when a line is asked for.
        lines: Its lines, if they are known.
    """

    def __init__(self, path: Path, lines: list[str] | None = None) -> None:
        self._path = path
        self._lines = lines
        self._places: dict[tuple[str, str], int] = {}

    def before(self, section: str, key: str) -> str:
        """``line 7: `` for a key of a section such as ``sub.Law.block``; empty if it is nowhere."""
        if not self._places:
            self._places = self._found()
        number = self._places.get((section, key))
        return f"line {number}: " if number else ""

    def _found(self) -> dict[tuple[str, str], int]:
        """Return the number of the first line of each section and key."""
        inside = ""
        places = {("", ""): 0}
        for number, line in enumerate(self._known(), 1):
            if line.lstrip().startswith("["):
                inside = line.strip().strip("[]").replace('"', "")
            elif match := _KEY.match(line):
                places.setdefault((inside, match[1] or match[2] or match[3] or ""), number)
        return places

    def _known(self) -> list[str]:
        if self._lines is None:
            try:
                self._lines = settings_text(self._path).splitlines()
            except ConfigError:
                self._lines = []
        return self._lines
