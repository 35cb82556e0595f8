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
    ("hil/diagram/exercises/catalogue.py", "exercise "): "a key and its value, in a file's note",
    ("hil/ipc/socket_owner.py", ":{wanted} "): "a port in a table of proc(5)",
    ("hil/run/computer.py", "model name"): "a key of proc(5)",
    ("hil/run/facts.py", " {name}"): "the second column of git's packed-refs",
    (
        "hil/stations/arm/report/recording.py",
        "{result}: ",
    ): "recordings say a result before its reason; it is shown once, and nothing hangs on it",
    ("hil/stations/world/editing/snapshot_file.py", "hil world snapshot"): "what a file is, by its "
    "head",
}
"""Texts that have a parser, or decide nothing: file and text → what they are."""


def sentences(node, known):
    """Sentences in an expression; `known` has the texts that names of the module stand for."""
    match node:
        case ast.Constant(value=str() as text) if SENTENCE.search(text):
            yield text
        case ast.JoinedStr(values=parts) if SENTENCE.search(filled(parts)):
            yield ast.unparse(node)[2:-1]
        case ast.Name(id=name) if name in known:
            yield from sentences(known[name], {})
        case ast.Tuple(elts=parts) | ast.Set(elts=parts) | ast.List(elts=parts):
            for part in parts:
                yield from sentences(part, known)


def filled(parts):
    """The text of an f-string with a word in each gap."""
    return "".join(one.value if isinstance(one, ast.Constant) else "xx" for one in parts)


def texts_of(tree):
    """What the names of a module stand for, those in its functions left out."""
    return {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name) and isinstance(node.value, ast.Constant | ast.JoinedStr)
    }


def read_in(source):
    """Sentences that a module compares with, or looks for."""
    tree = ast.parse(source)
    known = texts_of(tree)
    for node in ast.walk(tree):
        asked = []
        match node:
            case ast.Compare(left=left, comparators=others):
                asked = [left, *others]
            case ast.Call(func=ast.Attribute(attr=name), args=args) if name in READING:
                asked = args
            case ast.MatchValue(value=value):
                asked = [value]
        for one in asked:
            yield from sentences(one, known)


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
        "why.startswith(f'{request.name} is refused')",
        "why.removeprefix(f'{result}: ')",
        "if f'leg {leg} stands' in why: pass",
        "GONE = 'control is gone'\nif why == GONE: pass",
    ],
)
def test_a_planted_one_is_found(planted):
    assert list(read_in(planted))
