"""TOML of others, read within bounds of size, nesting and number that are judged beforehand.

A parser makes a table for every part of a key, calls itself for every list in a list, and reads
numbers of any length; a hundred kilobytes of that take gigabytes, or end the program. So the tokens
that cost something are counted first. Strings and comments are taken out by the grammar itself
(https://toml.io/en/v1.0.0, "String" and "Comment"), so that nothing in them counts and nothing
hides behind them; one that is not closed reaches as far as the parser would read before it fails.
"""

import re
import tomllib
from collections.abc import Iterator
from itertools import accumulate
from typing import Any, Final

SIZE_MAX: Final = 1 << 20
"""Characters of a text at most."""
DEPTH_MAX: Final = 12
"""Parts of a key, and tables and lists in each other, at most."""
MARKS_MAX: Final = 150_000
"""Equals signs, commas, brackets and points outside strings at most: each may cost a table."""
WORD_MAX: Final = 1000
"""Characters of a number, or of a key without quotes, at most."""
_INTEGER: Final = range(-(1 << 63), 1 << 63)
"""What TOML promises of whole numbers; longer ones cannot even be shown."""
_TOLD_MAX: Final = 300
"""Characters of an error text at most."""

_OPAQUE: Final = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+(?:""""{0,2}+)?'
    r"|'''(?:[^']|'(?!''))*+(?:''''{0,2}+)?"
    r'|"(?:[^"\\\n]|\\[^\n])*+"?'
    r"|'[^'\n]*+'?"
    r"|#[^\n]*+",
    re.DOTALL,
)
"""A string or a comment."""
_LONG_KEY: Final = re.compile(rf'(?<![\w"-])(?:[\w"-]++[ \t]*+\.[ \t]*+){{{DEPTH_MAX}}}')
_LONG_WORD: Final = re.compile(rf"(?<![\w+-])[\w+-]{{{WORD_MAX + 1}}}")
_MARK: Final = re.compile(r"[=,.\[{]")
_NO_BRACKETS: Final = re.compile(r"[^\[\]{}]++")


class TomlReadError(ValueError):
    """A text that is no TOML, or is beyond the bounds; it says what is wrong and where.

    Args:
        problem: what is wrong, with its place if that is known.
        line: from 1; 0 if no one line is meant.
        column: from 1; 0 likewise.
    """

    def __init__(self, problem: str, line: int = 0, column: int = 0) -> None:
        super().__init__(problem)
        self.line = line
        self.column = column


def read_table(text: str) -> dict[str, Any]:
    """Return the table of a TOML text; a mark of byte order at its begin is left out.

    Raises:
        TomlReadError: if it is no TOML, or beyond a bound.
    """
    if len(text) > SIZE_MAX:
        raise TomlReadError(f"{len(text)} characters, at most {SIZE_MAX} are read")
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    _check_tokens(text)
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        problem = str(error)
        if len(problem) > _TOLD_MAX:  # keys are quoted, and may be long
            problem = f"{problem[: _TOLD_MAX // 2]} ... {problem[-_TOLD_MAX // 2 :]}"
        line, column = _place_in(problem)
        problem += _remedy(text, line)
        raise TomlReadError(f"is not valid TOML: {problem}", line, column) from None
    _check_values(table)
    return table


def read_value(text: str) -> Any:
    """Return the one value that a text is: ``3``, ``[1, 2]``, ``"word"``.

    Raises:
        TomlReadError: if it is none, or beyond a bound.
    """
    table = read_table(f"value = {text}")
    if len(table) > 1:
        raise TomlReadError("is not valid TOML: more than one value")
    return table["value"]


def _check_tokens(text: str) -> None:
    """Refuse what would cost the parser more than its size tells."""
    plain = _OPAQUE.sub('"', text)
    if found := _LONG_KEY.search(plain):
        problem = f"a key of more than {DEPTH_MAX} parts with dots between"
    elif found := _LONG_WORD.search(plain):
        problem = f"a number or key of more than {WORD_MAX} characters"
    else:
        if (marks := len(_MARK.findall(plain))) > MARKS_MAX:
            raise TomlReadError(
                f"{marks} equals signs, commas, brackets and points; at most {MARKS_MAX} are read"
            )
        depths = accumulate(1 if one in "[{" else -1 for one in _NO_BRACKETS.sub("", plain))
        if max(depths, default=0) > DEPTH_MAX:
            raise TomlReadError(f"tables and lists nested deeper than {DEPTH_MAX}")
        return
    line = _line_of(text, found.start())
    raise TomlReadError(f"line {line}: {problem}", line, 1)


def _line_of(text: str, place: int) -> int:
    """Line of a place in the text without its strings and comments."""
    left_out = 0
    for one in _OPAQUE.finditer(text):
        if one.start() - left_out >= place:
            break
        left_out += len(one[0]) - 1
    return text.count("\n", 0, place + left_out) + 1


def _place_in(problem: str) -> tuple[int, int]:
    """Line and column that `tomllib` tells at the end of its message."""
    found = re.search(r"\(at line (\d+), column (\d+)\)$", problem)
    return (int(found[1]), int(found[2])) if found else (0, 0)


_REMEDIES: Final = (
    (r"=\s*[-+]?\d+,\d", "a number has a point, not a comma"),
    (r"=\s*(True|False|TRUE|FALSE)\b", "true and false have small letters"),
    (r"=\s*(None|null|nil)\b", "leave a key out that has no value"),
    (r"=\s*[-+]?[\d.]+\s*[A-Za-z%\u00b0]", "a number has no unit: the key's name tells it"),
    (r'"[^"]*\\', "write a path of Windows in 'single quotes', or with /"),
    (r"=\s*[A-Za-z_.~/]", "text stands in quotes"),
    (r"^\s*[\w-]+\s*:", "write key = value"),
    (r"^\s*\{", "this is no JSON: write key = value, a line each"),
)
"""What people write that is no TOML, and what would have been right."""


def _remedy(text: str, line: int) -> str:
    """Return what the line that cannot be read should be; empty if that is not known."""
    wrong = text.split("\n", line)[line - 1][:200] if line else ""
    remedy = next((right for seen, right in _REMEDIES if re.search(seen, wrong)), "")
    return f": {remedy}" if remedy else ""


def _check_values(table: dict[str, Any]) -> None:
    """Refuse what the tokens do not show: depth over several headings, and the size of integers."""
    level: list[tuple[str, Any]] = list(table.items())
    for _ in range(DEPTH_MAX):
        for place, value in level:
            if isinstance(value, int) and value not in _INTEGER:
                short = place if len(place) <= 80 else f"{place[:77]}..."
                raise TomlReadError(f"{short}: a whole number of more than 64 bits")
        level = [one for place, value in level for one in _inner(place, value)]
        if not level:
            return
    raise TomlReadError(f"tables and lists nested deeper than {DEPTH_MAX}")


def _inner(place: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        yield from ((f"{place}.{key}", item) for key, item in value.items())
    elif isinstance(value, list):
        yield from ((place, item) for item in value)
