"""Holes that are put into real readers, to see that they are found."""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final


def _path() -> None:
    """A preset's name is opened as a file beside the document's folder, wherever it leads."""
    from hil.config import settings

    read = settings.read_toml

    def opened(path: Path) -> dict:
        table = read(path)
        name = table.get("name")
        if isinstance(name, str):
            try:
                (path.parent / name).read_bytes()
            except (OSError, ValueError):
                return table
        return table

    _replace("read_toml", read, opened)


def _quadratic() -> None:
    """Each key is compared with each key before it."""
    from hil.config import settings

    read = settings.read_toml

    def compared(path: Path) -> dict:
        keys = path.read_bytes().split()
        for number, key in enumerate(keys):
            _ = sum(key == one for one in keys[:number])
        return read(path)

    _replace("read_toml", read, compared)


def _memory() -> None:
    """Room is made for as much as a number in the file says."""
    from hil.config import settings

    read = settings.read_toml

    def roomy(path: Path) -> dict:
        for number in re.findall(rb"\b\d{8,10}\b", path.read_bytes()):
            _ = b"x" * (4 * int(number))
        return read(path)

    _replace("read_toml", read, roomy)


def _replace(name: str, old: object, new: object) -> None:
    """In every module that has it."""
    for module in list(sys.modules.values()):
        if getattr(module, name, None) is old:
            setattr(module, name, new)


HOLES: Final[dict[str, Callable[[], None]]] = {
    "path": _path, "quadratic": _quadratic, "memory": _memory,
}  # fmt: skip
