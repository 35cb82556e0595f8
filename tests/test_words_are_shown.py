"""English is for people: no module of `hil` takes a decision from a sentence."""

import ast
import re
from pathlib import Path

import pytest

TOP = Path(__file__).parents[1]
READING = {
    "startswith", "endswith", "removeprefix", "removesuffix", "partition", "rpartition",
    "split", "rsplit", "find", "index", "count", "match", "search", "fullmatch",
}  # fmt: skip
"""Methods that look for a text in another."""
SENTENCE = re.compile(r"[A-Za-z]{2,}:? |[ ][A-Za-z]{2,}")
"""Two words, or one and the space to its neighbour; a name or a key has no space."""
FOREIGN = {
    ("hil/config/libraries.py", '"editable": true'): "JSON of an installation",
    ("hil/config/setting_errors.py", "Input "): "pydantic's messages, to be shown in our words",
    ("hil/config/setting_errors.py", "Value error, "): "likewise",
}
"""Texts of others that have a parser: file and text → whose."""


def sentences(node):
    match node:
        case ast.Constant(value=str() as text) if SENTENCE.search(text):
            yield text
        case ast.Tuple(elts=parts) | ast.Set(elts=parts) | ast.List(elts=parts):
            for part in parts:
                yield from sentences(part)


def read_in(source):
    """Sentences that a module compares with, or looks for."""
    for node in ast.walk(ast.parse(source)):
        asked = []
        match node:
            case ast.Compare(left=left, comparators=others):
                asked = [left, *others]
            case ast.Call(func=ast.Attribute(attr=name), args=args) if name in READING:
                asked = args
            case ast.MatchValue(value=value):
                asked = [value]
        for one in asked:
            yield from sentences(one)


def test_nobody_decides_by_a_sentence():
    found = {
        (path.relative_to(TOP).as_posix(), text)
        for path in sorted((TOP / "hil").rglob("*.py"))
        for text in read_in(path.read_text())
    }
    assert found == set(FOREIGN)


@pytest.mark.parametrize(
    "planted",
    [
        "if 'is not there' in str(error): stand_in()",
        "if why == 'leg 3 stands': pass",
        "if why in ('control leaves', 'x'): pass",
        "why.removeprefix('control is ')",
        "match why:\n    case 'recording failed': pass",
        "re.search('leg (.) of', text)",
    ],
)
def test_a_planted_one_is_found(planted):
    assert list(read_in(planted))
