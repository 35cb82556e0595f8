"""Each argument that a docstring explains is one of the function, or of the class's `__init__`."""

import ast
import re

import pytest
from test_import_circles import PACKAGES, TOP, modules_of

ENTRY = re.compile(r"^    (\*{0,2}\w+(?:, \*{0,2}\w+)*):", re.M)


def strangers(text):
    """Line of the function or class, and name, of each argument that is explained and not there."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        _, found, args = (ast.get_docstring(node) or "").partition("Args:\n")
        begins = [
            one for one in getattr(node, "body", ()) if getattr(one, "name", "") == "__init__"
        ]
        maker = begins[0] if begins else node
        if found and not isinstance(maker, ast.ClassDef):
            taken = {one.arg for one in ast.walk(maker.args) if isinstance(one, ast.arg)}
            explained = ENTRY.findall(re.split(r"^\S", args, maxsplit=1, flags=re.M)[0])
            names = {name for entry in explained for name in re.findall(r"\w+", entry)}
            yield from ((node.lineno, name) for name in sorted(names - taken))


@pytest.mark.xdist_group("sources")
def test_an_argument_that_is_explained_is_there():
    found = [
        f"{path.relative_to(TOP)}:{line}: {name}"
        for path in sorted(modules_of(TOP, PACKAGES).values())
        for line, name in strangers(path.read_text(encoding="utf-8"))
    ]
    assert not found, found


FUNCTION = 'def f(a, *, b):\n    """F.\n\n    Args:\n        {}\n    """\n'
CLASS = 'class F:\n    """F.\n\n    Args:\n        {}\n    """\n    def __init__(self, a, b): ...\n'


@pytest.mark.parametrize("text", [FUNCTION, CLASS])
@pytest.mark.parametrize(
    ("entry", "names"),
    [("a, b: both.", []), ("told: a file.", ["told"]), ("a: one.\n        c: two.", ["c"])],
)
def test_one_that_is_not_there_is_found(text, entry, names):
    assert [name for _, name in strangers(text.format(entry))] == names
