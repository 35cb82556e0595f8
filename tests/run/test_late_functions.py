"""Functions that are named in text and loaded when they are called: each of them is there."""

import ast
from importlib import import_module
from operator import attrgetter
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]


def packages(tree):
    """Name in a module → the package whose functions it loads, of ``_late = late_of(package)``."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Call):
            called = node.value.func
            if isinstance(called, ast.Name) and called.id == "late_of":
                target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
                found[target.id] = node.value.args[0].value
    return found


def package_of(called, known):
    """The package whose function a call loads; None if it loads none."""
    if isinstance(called, ast.Name):
        return known.get(called.id)
    inner = isinstance(called, ast.Call) and isinstance(called.func, ast.Name)
    return called.args[0].value if inner and called.func.id == "late_of" else None


def named(text):
    """Functions that a module's text loads, ``package.module:function``."""
    tree = ast.parse(text)
    known = packages(tree)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        package = package_of(node.func, known)
        if package is not None:
            yield f"{package}.{node.args[0].value}"


def found(function):
    module, _, name = function.partition(":")
    return attrgetter(name)(import_module(module))


FUNCTIONS = sorted(
    {one for file in (TOP / "hil").rglob("*.py") for one in named(file.read_text("utf-8"))}
)


def test_all_stations_name_some():
    assert {one.split(".")[2] for one in FUNCTIONS} >= {"arm", "platform", "simulator", "world"}
    assert len(FUNCTIONS) > 40


@pytest.mark.parametrize("function", FUNCTIONS)
def test_it_is_there(function):
    assert callable(found(function))


def test_one_that_moved_is_found():
    moved = (
        "from hil.run.late_call import late_of\n"
        'pages = late_of("hil.diagram")("panel_page:pages")\n'
    )
    [function] = named(moved)
    with pytest.raises(ModuleNotFoundError):
        found(function)
