"""Tables as TOML text, for files that the panel writes.

What is written reads back as the same table. Dates are left out: no settings have any. Plain values
come first, then tables under headings; a list of tables becomes one line each where they are short,
and headings where they are not. Comments are no part of a table and are not kept.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

LINE_MAX: Final = 96
"""Characters up to which a table in a list stays on one line."""
INDENT: Final = "    "
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")


class TomlError(ValueError):
    """A value that has no form in TOML; the text says where and why.

    Args:
        place: keys that lead to it.
    """

    def __init__(self, place: tuple[str, ...], value: object) -> None:
        where = ".".join(place) or "the value"
        super().__init__(f"{where} = {value!r:.60}: TOML has no form for it")
        self.place = place


def toml_of(table: Mapping[str, Any]) -> str:
    """The text of a file with this table.

    Raises:
        TomlError: for a value that TOML has no form for (None, a date), with its key.
    """
    return "\n".join(_table_lines(table, ())).strip("\n") + "\n"


def toml_value(value: Any) -> str:
    """One value on one line, as behind an equals sign.

    Raises:
        TomlError: for a value that TOML has no form for.
    """
    return _inline(value, ())


def _table_lines(table: Mapping[str, Any], place: tuple[str, ...]) -> Iterator[str]:
    under: list[tuple[str, Any]] = []
    for key, value in table.items():
        if isinstance(value, Mapping) or _needs_headings(value, (*place, key)):
            under.append((key, value))
        elif _is_tables(value):
            yield f"{_key(key)} = ["
            yield from (f"{INDENT}{_inline(item, (*place, key))}," for item in value)
            yield "]"
        else:
            yield f"{_key(key)} = {_inline(value, (*place, key))}"
    for key, value in under:
        heading = ".".join(map(_key, (*place, key)))
        if isinstance(value, Mapping):
            yield from ("", f"[{heading}]")
            yield from _table_lines(value, (*place, key))
        else:
            for item in value:
                yield from ("", f"[[{heading}]]")
                yield from _table_lines(item, (*place, key))


def _is_tables(value: Any) -> bool:
    return (
        isinstance(value, list | tuple)
        and len(value) > 0
        and all(isinstance(item, Mapping) for item in value)
    )


def _needs_headings(value: Any, place: tuple[str, ...]) -> bool:
    if not _is_tables(value):
        return False
    return any(len(INDENT) + 1 + len(_inline(item, place)) > LINE_MAX for item in value)


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _string(key)


def _string(value: str) -> str:
    # JSON's escapes are a part of TOML's basic strings; only DEL has to be escaped in addition.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _inline(value: Any, place: tuple[str, ...]) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, Mapping):
        pairs = (f"{_key(key)} = {_inline(item, (*place, key))}" for key, item in value.items())
        text = ", ".join(pairs)
        return f"{{ {text} }}" if text else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_inline(item, place) for item in value)}]"
    raise TomlError(place, value)
