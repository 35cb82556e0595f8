"""The import contracts: each is seen to fail, and every third-party library has a room."""

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

TOP = Path(__file__).parents[1]
PROJECT = tomllib.loads((TOP / "pyproject.toml").read_text())
LINTER = PROJECT["tool"]["importlinter"]
PACKAGES = LINTER["root_packages"]
CONTRACTS = {one["name"]: one for one in LINTER["contracts"]}
BOUND_ONLY = {"pillow", "fonttools", "pygments", "pycollada"}
"""Dependencies of dependencies, named to bound their releases or as they are optional there; not
imported."""
IMPORTED_AS = {
    "python-can": "can", "pyserial": "serial", "pyside6-essentials": "PySide6",
    "mujoco-core": "mujoco",
}  # fmt: skip
"""Distributions whose package has another name."""
BY_NAME = {"evdev": "hil/desk/velocity/gamepad.py"}
"""Libraries that are imported by their name, as they need not be there: library → file."""

PLANTED = {
    "The five packages never import each other": ("drives/planted.py", "import arm_driver"),
    "Nothing below imports hil": ("sim/planted.py", "import hil.config"),
    "The common ground imports nothing of ours": (
        "hil_common/planted.py", "import sim.toml_reader",
    ),
    "The gate stands on the standard half of the common ground": (
        "safety/planted_ground.py", "import hil_common.arrays.rotation",
    ),
    "A folder of hil imports lower lines only": ("hil/config/planted.py", "import hil.machines"),
    "Stations are independent": ("hil/stations/arm/planted.py", "import hil.stations.platform"),
    "The simulator's station extends that of the platform, and no other": (
        "hil/stations/simulator/planted.py", "import hil.stations.arm",
    ),
    "The task's station extends that of the world, and no other": (
        "hil/stations/task/planted.py", "import hil.stations.platform",
    ),
    "Judges of tasks see no diagram and no law": (
        "hil/stations/task/judge/planted.py", "import hil.diagram.run.engine",
    ),
    "The task's station, from its runs down to its signals": (
        "hil/stations/task/plan/planted.py", "import hil.stations.task.run.observer",
    ),
    "The platform's station, from its verbs down to its signals": (
        "hil/stations/platform/plan/planted.py", "import hil.stations.platform.run.runner",
    ),
    "The arm's station, from its verbs down to its signals": (
        "hil/stations/arm/sources/planted.py", "import hil.stations.arm.cycle.loop",
    ),
    "The world's station, from its verbs down to its signals": (
        "hil/stations/world/cycle/planted.py", "import hil.stations.world.run.session",
    ),
    "The simulator's station, from its verbs down to its signals": (
        "hil/stations/simulator/chain/planted.py", "import hil.stations.simulator.run.bench",
    ),
    "The panel: the window over its docks, docks over what is live": (
        "hil/panel/scope/planted.py", "import hil.panel.shell.window",
    ),
    "Diagrams, from verbs down to the kernel": (
        "hil/diagram/check/planted.py", "import hil.diagram.run.engine",
    ),
    "Drives: buses over the parts of any bus": (
        "drives/axes/planted.py", "import drives.canopen.bank",
    ),
    "Emulated devices: a wire each over the drive that they share": (
        "sim/devices/drive/planted.py", "import sim.devices.can",
    ),
    "The simulated world: what uses the engine over what describes bodies": (
        "sim/world/robots/planted.py", "import sim.world.engine",
    ),
    "The arm station's loop, gate and journal know no robot's wire": (
        "hil/stations/arm/cycle/waypoint_gate.py", "import arm_driver.contour",
    ),
    "Command line and panel know no station": ("hil/panel/planted.py", "import hil.stations.arm"),
    "View models need no windows": ("hil/panel/live/models/planted.py", "import PySide6"),
    "Who leads a run knows nothing of recordings": (
        "hil/panel/lead/planted.py", "import hil.panel.study",
    ),
    "The gate's process needs the standard library and the link, no arrays and no settings": (
        "hil/stations/platform/gate/command_slot.py", "import pydantic",
    ),
}  # fmt: skip
"""Contract → a file and a line in it that break it."""


def lint(top):
    """What the linter says, contract by contract: whether it is kept; and the whole of it."""
    code = "import sys; from importlinter.cli import lint_imports_command as run; run()"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, "--no-cache"], cwd=top, text=True,
        env={"PYTHONPATH": str(top), "COLUMNS": "300", "PATH": ""},
        capture_output=True,
    )  # fmt: skip
    said = " ".join(done.stdout.split())
    kept = {
        name: found[1] == "KEPT"
        for name in CONTRACTS
        if (found := re.search(rf"{re.escape(name)} (KEPT|BROKEN)", said))
    }
    return kept, done.stdout


def rooms():
    """Contracts that say where a library may be imported: library → contract."""
    return {
        library: one
        for one in CONTRACTS.values()
        if one["type"] == "protected"
        for library in one["protected_modules"]
    }


@pytest.fixture(scope="module")
def broken(tmp_path_factory):
    """What is said of a copy in which each contract is broken once."""
    top = tmp_path_factory.mktemp("copy")
    for package in PACKAGES:
        shutil.copytree(TOP / package, top / package,
                        ignore=shutil.ignore_patterns("__pycache__", "*.nbi", "*.nbc"))  # fmt: skip
    shutil.copy(TOP / "pyproject.toml", top)
    (top / "hil" / "stray").mkdir()
    (top / "hil" / "stray" / "__init__.py").touch()
    for file, line in PLANTED.values():
        with (top / file).open("a") as stream:
            stream.write(f"\n{line}\n")
    with (top / "safety" / "planted.py").open("w") as stream:
        stream.writelines(f"import {library}\n" for library in rooms())
    return lint(top)


def test_they_are_kept_without_exceptions():
    kept, said = lint(TOP)
    assert kept == dict.fromkeys(CONTRACTS, True), said
    assert not any("ignore_imports" in one for one in CONTRACTS.values())


@pytest.mark.parametrize("name", CONTRACTS)
def test_each_is_seen_to_fail(broken, name):
    kept, said = broken
    assert not kept[name]
    planted = PLANTED.get(name)
    if planted is not None:
        module = planted[0].removesuffix(".py").replace("/", ".")
        assert module in said
    else:
        libraries = CONTRACTS[name]["protected_modules"]
        assert all(f"safety.planted -> {one} " in said for one in libraries)


def test_a_folder_on_no_line_is_told(broken):
    assert "not listed as layers:\n\n- hil.stray\n" in broken[1]


def test_every_third_party_library_has_one_room():
    project = PROJECT["project"]
    extras = project["optional-dependencies"]
    chosen = ("panel", "handles", "world", "fmu", "fly", "seismic", "campaign")
    wanted = [*project["dependencies"], *(one for name in chosen for one in extras[name])]
    names = {re.match(r"[A-Za-z0-9_-]+", one)[0].lower() for one in wanted}
    assert names >= BOUND_ONLY
    imported = {IMPORTED_AS.get(name, name) for name in names - BOUND_ONLY}
    assert imported == {*rooms(), *BY_NAME}
    assert len(rooms()) == sum(
        len(one["protected_modules"]) for one in CONTRACTS.values() if one["type"] == "protected"
    )


def modules(*packages):
    for package in packages:
        yield from sorted((TOP / package).rglob("*.py"))


def imported_at_top(tree):
    """Modules that are imported when a module is, those for types only left out."""
    for node in tree.body:
        match node:
            case ast.Import(names=names):
                yield from (one.name for one in names)
            case ast.ImportFrom(module=str() as module, names=names):
                yield module
                yield from (f"{module}.{one.name}" for one in names)


@pytest.mark.parametrize("library", BY_NAME)
def test_a_library_that_is_imported_by_name_is_so_in_one_place(library):
    wanted = re.compile(rf"\b(?:import_module\(\"|import |from ){library}\b")
    found = [path for path in modules(*PACKAGES) if wanted.search(path.read_text())]
    assert found == [TOP / BY_NAME[library]]


def test_safety_and_the_ground_under_it_import_the_standard_library_only():
    standard = sys.stdlib_module_names | {"safety", "hil_common"}
    found = {
        f"{path.name}: {name}"
        for path in modules("safety", "hil_common")
        if path.parent.name != "arrays"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in imported_at_top(ast.Module([node], []))
        if name.split(".")[0] not in standard
    }
    assert not found


LIGHT = {"typer", "rich"}
"""What a verb may bring with it before it is called: its options, and words on a terminal."""


def file_of(module):
    path = TOP.joinpath(*module.split("."))
    for one in (path.with_suffix(".py"), path / "__init__.py"):
        if one.is_file():
            return one
    return None


def third_party(path, seen):
    """Third-party libraries that a module brings with it, with what of the house it imports."""
    if path in seen:
        return set()
    seen.add(path)
    found = set()
    for name in imported_at_top(ast.parse(path.read_text())):
        inner = file_of(name)
        if inner is not None:
            found |= third_party(inner, seen)
        elif name.split(".")[0] not in {*sys.stdlib_module_names, *PACKAGES, "__future__"}:
            found.add(name.split(".")[0])
    return found


COMMANDS = [path for path in modules("hil") if path.parent.name in ("commands", "cli")]


@pytest.mark.parametrize("path", COMMANDS, ids=lambda path: str(path.relative_to(TOP)))
def test_verbs_bring_nothing_heavy_before_they_are_called(path):
    assert third_party(path, set()) <= LIGHT


def test_verbs_of_the_entry_points_are_among_them():
    offered = PROJECT["project"]["entry-points"]["hil.commands"].values()
    assert {file_of(one.partition(":")[0]) for one in offered} <= set(COMMANDS)


def test_help_is_shown_without_arrays_and_settings():
    code = (
        "import sys; sys.argv = ['hil', '--help']\n"
        "from hil.cli.entry import main\n"
        "try:\n    main()\nfinally:\n"
        "    print(*{one.split('.')[0] for one in sys.modules}, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "arm" in done.stdout
    loaded = set(done.stderr.split())
    assert "typer" in loaded
    assert not loaded & (rooms().keys() - LIGHT)
