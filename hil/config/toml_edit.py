"""Values of a TOML file changed in its text: comments, order and other keys stay as they are."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hil.config.files import write_whole
from hil.config.settings import ConfigError
from sim.toml_reader import TomlReadError, read_table


def change_text(text: str, changes: Mapping[str, Mapping[str, Any]], source: str) -> str:
    """The text with other values; a key or table that is not there is added at its end.

    Args:
        changes: values by table and key; numbers, texts, and lists of numbers.
        source: the file, for error texts.

    Raises:
        ConfigError: if the text is written so that it cannot be changed line by line.
    """
    lines = text.splitlines()
    for table, values in changes.items():
        for key, value in values.items():
            _set(lines, table, key, json.dumps(value))
    found = "\n".join(lines) + "\n"
    wanted = read_table(text)
    for table, values in changes.items():
        wanted[table] = {**wanted.get(table, {}), **values}
    try:
        same = read_table(found) == wanted
    except TomlReadError:
        same = False
    if not same:
        names = ", ".join(changes)
        why = f"{names} need a table each, [NAME] on a line of its own, and a line for each key"
        raise ConfigError(source, [f"cannot be changed as it is written: {why}"])
    return found


def write_text(path: Path, text: str) -> None:
    """Put a text in the place of a file's, all of it or nothing.

    Raises:
        ConfigError: if it cannot be written.
    """
    try:
        write_whole(path, text.encode(), sync=True)
    except OSError as error:
        raise ConfigError(str(path), [f"cannot be written: {error.strerror}"]) from None


def _set(lines: list[str], table: str, key: str, value: str) -> None:
    header = re.compile(rf"\s*\[\s*{re.escape(table)}\s*\]\s*(#.*)?")
    begin = next((k for k, line in enumerate(lines) if header.fullmatch(line)), None)
    if begin is None:
        lines += ["", f"[{table}]", f"{key} = {value}"]
        return
    end = next((k for k in range(begin + 1, len(lines)) if lines[k].lstrip().startswith("[")),
               len(lines))  # fmt: skip
    old = re.compile(rf"(\s*+{re.escape(key)}\s*+=\s*+)([^#]*+)(#.*+)?")
    for number in range(begin + 1, end):
        if match := old.fullmatch(lines[number]):
            blank = match[2][len(match[2].rstrip()) :] if match[3] else ""
            lines[number] = f"{match[1]}{value}{blank}{match[3] or ''}"
            return
    last = begin
    for number in range(begin + 1, end):
        if lines[number].strip() and not lines[number].lstrip().startswith("#"):
            last = number
    lines.insert(last + 1, f"{key} = {value}")
