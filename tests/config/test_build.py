"""A compiled build is whole, of this Python, and made of the sources beside it, or is refused."""

import ast
import hashlib
import json
import os
import runpy
import sys
import tempfile
import tomllib
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import ModuleType

import pytest

from hil.config.build import GROUP, MANIFEST, check_build, check_presence, describe_build
from hil.config.installation import PACKAGES, InstallationError

TOP = Path(__file__).parents[2]
SUFFIX = EXTENSION_SUFFIXES[0]
SOURCE, MODULE = "safety/gate.py", f"safety/gate{SUFFIX}"


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An installation of which one module is compiled."""
    for name in PACKAGES:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
    (tmp_path / SOURCE).write_text("limit_m = 0.4")
    (tmp_path / MODULE).write_bytes(b"\x7fELF")
    write_manifest(tmp_path, SUFFIX)
    return tmp_path


def write_manifest(home: Path, suffix: str, modules: tuple[str, ...] = (MODULE,)) -> None:
    halves = {
        "sources": {SOURCE: sha256(home / SOURCE)},
        "modules": {module: sha256(home / module) for module in modules},
    }
    (home / MANIFEST).write_text(json.dumps({"suffix": suffix, **halves}))


def test_a_whole_build_passes_and_is_described(home: Path) -> None:
    check_build(home)
    words = describe_build(home)
    assert words.startswith(f"1 modules compiled ({SUFFIX.lstrip('.')}), sha256 ")
    (home / SOURCE).write_text("limit_m = 0.5")
    write_manifest(home, SUFFIX)
    assert describe_build(home) != words


def test_a_pure_build_passes_and_is_described(home: Path) -> None:
    (home / MANIFEST).unlink()
    (home / MODULE).unlink()
    check_build(home)
    assert describe_build(home) == "pure Python"


@pytest.mark.parametrize("file", [SOURCE, MODULE])
def test_half_an_installation_is_refused_by_name(home: Path, file: str) -> None:
    (home / file).unlink()
    with pytest.raises(
        InstallationError, match=f"{file}: a part of the compiled program is missing"
    ):
        check_presence(home)


@pytest.mark.parametrize("file", [SOURCE, MODULE])
def test_a_half_that_was_changed_is_refused_by_name(home: Path, file: str) -> None:
    (home / file).write_bytes((home / file).read_bytes() + b" ")
    check_presence(home)
    with pytest.raises(InstallationError, match=f"{file} is not the file that .* compiled with"):
        check_build(home)


def test_a_build_of_another_python_is_refused(home: Path) -> None:
    write_manifest(home, ".cpython-39-x86_64-linux-gnu.so")
    with pytest.raises(InstallationError, match=rf"for \.cpython-39.* this Python loads {SUFFIX}"):
        check_presence(home)


@pytest.mark.parametrize("stray", [f"safety/checks{SUFFIX}", f"drives/can/slcan{SUFFIX}"])
def test_a_compiled_module_of_unknown_source_is_refused(home: Path, stray: str) -> None:
    (home / stray).parent.mkdir(exist_ok=True)
    (home / stray).write_bytes(b"\x7fELF")
    with pytest.raises(InstallationError, match=f"{stray} is compiled"):
        check_build(home)


OTHERS = "safety/gate.cpython-39-x86_64-linux-gnu.so"


@pytest.mark.parametrize("stray", [f"safety/checks{SUFFIX}", OTHERS, f"{GROUP}{SUFFIX}"])
def test_what_another_build_has_left_is_refused_at_each_start(home: Path, stray: str) -> None:
    (home / stray).write_bytes(b"\x7fELF")
    with pytest.raises(InstallationError, match=f"{stray} is compiled.*; take it away"):
        check_presence(home)


def test_compiled_modules_without_a_manifest_are_no_pure_build(home: Path) -> None:
    (home / MANIFEST).unlink()
    with pytest.raises(InstallationError, match=f"{MODULE} is compiled"):
        check_presence(home)


@pytest.mark.parametrize("shadowed", [False, True])
def test_compiled_code_from_elsewhere_is_refused(
    home: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch,
    shadowed: bool,
) -> None:  # fmt: skip
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    for folder in (home, *([elsewhere] if shadowed else [])):
        (folder / f"{GROUP}{SUFFIX}").write_bytes(b"\x7fELF")
        monkeypatch.syspath_prepend(folder)
    write_manifest(home, SUFFIX, (MODULE, f"{GROUP}{SUFFIX}"))
    if shadowed:
        with pytest.raises(InstallationError, match=f"^{elsewhere}.* is in the place of {home}"):
            check_presence(home)
    else:
        check_build(home)


NO_TABLES = '{"suffix": ".so", "sources": [], "modules": 3}'


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"suffix": 1}', "\xff", NO_TABLES])
def test_a_manifest_that_cannot_be_read_is_refused(home: Path, text: str) -> None:
    (home / MANIFEST).write_text(text, encoding="latin-1")
    with pytest.raises(InstallationError, match=r"build\.json: cannot be read"):
        check_presence(home)


def bases_of(path: Path) -> dict[str, set[str]]:
    """Names of the classes of a module, each with those of its bases."""
    classes = (
        one for one in ast.walk(ast.parse(path.read_text())) if isinstance(one, ast.ClassDef)
    )
    return {
        one.name: {ast.unparse(base).split("[")[0].split(".")[-1] for base in one.bases}
        for one in classes
    }


def test_no_class_of_a_compiled_module_has_a_subclass_in_another() -> None:
    """Python code cannot extend a compiled class; names of classes are unique (test_words)."""
    hook = tomllib.loads((TOP / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    hook = hook["targets"]["wheel"]["hooks"]["custom"]
    compiled = {path: bases_of(TOP / path) for path in hook["modules"]}
    open_to_all = {
        "Enum",
        "IdentityEnum",
        "IntEnum",
        "IntFlag",
        "NamedTuple",
        "Protocol",
        "Exception",
    }
    fixed = {
        name for classes in compiled.values() for name, bases in classes.items()
        if not bases & open_to_all
    }  # fmt: skip
    assert "Gate" in fixed
    others = [path for name in PACKAGES for path in sorted((TOP / name).rglob("*.py"))]
    broken = {
        f"{path.relative_to(TOP)}: {name}"
        for path in others
        if str(path.relative_to(TOP)) not in compiled
        for name, bases in bases_of(path).items()
        if bases & fixed
    }
    assert not broken


class Hook:
    """What hatchling gives a hook of a build."""

    def __init__(self, root: Path) -> None:
        packages = ["safety", "hil_common"]
        self.root, self.config = root, {"packages": packages, "modules": [SOURCE]}

    def __class_getitem__(cls, item: object) -> type:
        return cls


@pytest.mark.parametrize("failed", [False, True])
def test_a_build_leaves_no_folder(
    home: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch,
    failed: bool,
) -> None:  # fmt: skip
    interface = ModuleType("interface")
    interface.BuildHookInterface = Hook  # pyright: ignore[reportAttributeAccessIssue]
    monkeypatch.setitem(sys.modules, "hatchling.builders.hooks.plugin.interface", interface)
    build = runpy.run_path(str(TOP / "hatch_build.py"))
    functions = build["_compile"].__globals__
    work = tmp_path_factory.mktemp("work")
    monkeypatch.setattr(tempfile, "tempdir", str(work))
    monkeypatch.setenv("HIL_COMPILE", "1")
    seen: list[bool] = []

    def compiled(folder: Path, sources: list[str]) -> list[str]:
        seen.append((folder / sources[0]).is_file())
        if failed:
            raise SystemExit("no compiler")
        return sources

    functions["_compile"] = compiled
    (home / "hil_common" / "legs.py").touch()
    hook, data = build["CompiledModules"](home), {"force_include": {}}
    if failed:
        with pytest.raises(SystemExit, match="no compiler"):
            hook.initialize("standard", data)
    else:
        hook.initialize("standard", data)
        assert all(map(os.path.isfile, data["force_include"]))
        hook.finalize("standard", data, "x.whl")
    assert seen == [True]
    assert list(work.iterdir()) == []
