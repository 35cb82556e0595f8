"""Nothing outside `hil/stations` decides by a station's name: the only one is the default."""

import ast
import tomllib
from pathlib import Path

import pytest

TOP = Path(__file__).parents[1]
NAMES = frozenset(
    tomllib.loads((TOP / "pyproject.toml").read_text())["project"]["entry-points"]["hil.stations"]
)
DEFAULT = ("hil/run/registry.py", "DEFAULT")
"""Where the one name stands, and what it is bound to."""
OTHER_THINGS = {
    ("hil/desk/velocity/source.py", "world"): "whose axes a velocity is in",
    ("hil/scene/colours.py", "arm"): "a colour of parts of arms",
    ("hil/machines/kinds.py", "arm"): "the schema of a space arm's file, as ever",
    (
        "hil/machines/world/documents.py",
        "arm",
    ): "what stands before the colon of a space arm's name",
    ("hil/machines/world/rig_document.py", "platform"): "the link that six legs carry",
    ("hil/panel/live/models/faults.py", "arm"): "which of two arms an event is about",
}
"""Words that are a station's name too, but mean something else: file and word → what it means."""


def files():
    paths = sorted((TOP / "hil").rglob("*.py"))
    return [one for one in paths if not one.is_relative_to(TOP / "hil" / "stations")]


def found_in(source, file):
    """What decides by a station in a module: a name as a value, or an import of a station."""
    tree = ast.parse(source)
    default = {
        id(node.value)
        for node in tree.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
        and (file, node.target.id) == DEFAULT
    }  # fmt: skip
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str() as word) if word in NAMES and id(node) not in default:
                if (file, word) not in OTHER_THINGS:
                    yield f"{file}:{node.lineno}: {word!r}"
            case ast.Import(names=names) if any(map(of_station, (one.name for one in names))):
                yield f"{file}:{node.lineno}: imports a station"
            case ast.ImportFrom(module=str() as module, names=names):
                full = [module, *(f"{module}.{one.name}" for one in names)]
                if any(map(of_station, full)):
                    yield f"{file}:{node.lineno}: imports {module}"


def of_station(module):
    return f"{module}.".startswith("hil.stations.")


def test_no_module_outside_the_stations_names_one():
    found = [
        what
        for path in files()
        for what in found_in(path.read_text(), path.relative_to(TOP).as_posix())
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "planted",
    [
        "if facts.station == 'arm': pass",
        "match name:\n    case 'platform': pass",
        "table = {'platform': 1, 'together': 2}",
        "first = table['arm']",
        "first = table.get('arm')",
        "known = name in ('arm', 'other')",
        "ARM = 'arm'",
        "from hil.stations.arm import views",
        "from hil.stations import arm",
        "import hil.stations.platform.station",
        "def late():\n    from hil.stations.arm.station import STATION",
    ],
)
def test_a_planted_decider_is_found(planted):
    assert list(found_in(planted, "hil/panel/planted.py"))


def test_the_default_stands_where_it_is_said_to_and_is_found_elsewhere():
    file, name = DEFAULT
    source = (TOP / file).read_text()
    assert f"{name}: Final = " in source
    assert list(found_in(source, "hil/run/elsewhere.py"))


@pytest.mark.parametrize(("file", "word"), OTHER_THINGS)
def test_words_that_mean_another_thing_are_there(file, word):
    """So that the list of them only shrinks."""
    tree = ast.parse((TOP / file).read_text())
    words = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    assert word in words
