"""Where in a file's text something stands, so that a fault is told with its line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Self

from hil.config.errors import ConfigError
from hil.config.settings import settings_text

PROBLEMS_MOST: Final = 40
"""Of more faults of a file only the number is told."""


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
        """The words as they are told."""
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

    def before(self, section: str, key: str) -> str:
        """``line 7: `` for a key of a section such as ``sub.Law.block``; empty if it is nowhere."""
        start = re.compile(rf"""\s*(["']?){re.escape(key[:200])}\1\s*=""")
        inside = ""
        for number, line in enumerate(self._known(), 1):
            if line.lstrip().startswith("["):
                inside = line.strip().strip("[]").replace('"', "")
            elif inside == section and start.match(line):
                return f"line {number}: "
        return ""

    def _known(self) -> list[str]:
        if self._lines is None:
            try:
                self._lines = settings_text(self._path).splitlines()
            except ConfigError:
                self._lines = []
        return self._lines
