"""No modules import each other in a circle, imports in functions and for types counted too."""

import ast
import tomllib
from pathlib import Path

import pytest

TOP = Path(__file__).parents[1]
PACKAGES = ("hil", "hil_common", "sim", "drives", "platform6dof", "arm_driver", "safety")


def modules_of(top, packages):
    """Files by the names of their modules."""
    files = (file for one in packages for file in sorted((top / one).rglob("*.py")))
    found = {}
    for file in files:
        parts = file.relative_to(top).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


def statements(node):
    """All statements below one; expressions hold no imports, and are most of a tree."""
    for part in ("body", "orelse", "handlers", "finalbody", "cases"):
        for one in getattr(node, part, ()):
            yield one
            yield from statements(one)


def imported_by(name, file, known):
    """Modules that a module imports, wherever in it the statement stands."""
    package = name if file.name == "__init__.py" else name.rpartition(".")[0]
    for node in statements(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names if one.name in known)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) + 1 - node.level]
            source = ".".join([*(above if node.level else ()), *filter(None, [node.module])])
            for one in node.names:
                inner = f"{source}.{one.name}"
                yield from (inner,) if inner in known else (source,) if source in known else ()


def graph_of(top, packages):
    """Which modules each module imports."""
    files = modules_of(top, packages)
    return {name: {*imported_by(name, file, files)} - {name} for name, file in files.items()}


def reached(graph, start):
    """Modules that are imported by a module, or by one that it imports, and so on."""
    found, waiting = set(), [start]
    while waiting:
        new = graph[waiting.pop()] - found
        found |= new
        waiting += new
    return found


def circles_of(graph):
    """Sets of modules each of which needs all the others."""
    left = dict(graph)
    while idle := [name for name, wanted in left.items() if not wanted & left.keys()]:
        for name in idle:  # nothing that is left depends on anything by it
            del left[name]
    left = {name: wanted & left.keys() for name, wanted in left.items()}
    needs = {name: reached(left, name) for name in left}
    found = {
        frozenset(other for other in needs[name] if name in needs[other])
        for name in left
        if name in needs[name]
    }
    return sorted(map(sorted, found))


def test_no_modules_import_each_other():
    graph = graph_of(TOP, PACKAGES)
    assert len(graph) > 1000, "all packages are looked at"
    assert sum(map(len, graph.values())) > 5000, "imports are found"
    found = circles_of(graph)
    most = tomllib.loads((TOP / "tests" / "budgets.toml").read_text())["counts"]["import_circles"]
    assert len(found) <= most, found


PLANTED = {
    "at its top": "from made.low import x",
    "of the module": "import made.low",
    "relative": "from .low import x",
    "from the package": "from made import low",
    "in a function": "def act():\n    from made.low import x\n    return x",
    "for types": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from made.low import x",
    "in a case": "match 1:\n    case 1:\n        from made.low import x",
    "where it is tried": "try:\n    from .low import x\nexcept ImportError:\n    x = None",
}
"""Where an import stands → the text of the module that it is in."""


@pytest.mark.parametrize("where", PLANTED)
def test_a_circle_is_found(where, tmp_path):
    package = tmp_path / "made"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "low.py").write_text("from made.between import y\nx = 1\n")
    (package / "between.py").write_text("y = 2\n")
    (package / "above.py").write_text("from made.low import x\n")
    assert circles_of(graph_of(tmp_path, ["made"])) == []
    (package / "between.py").write_text(f"{PLANTED[where]}\ny = 2\n")
    assert circles_of(graph_of(tmp_path, ["made"])) == [["made.between", "made.low"]]


def test_two_circles_are_counted_as_two():
    one = {"a": {"b"}, "b": {"a"}, "c": {"a", "d"}, "d": {"e"}, "e": {"c"}, "f": {"c"}}
    assert circles_of(one) == [["a", "b"], ["c", "d", "e"]]
