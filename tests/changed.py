"""The tests of what changed: paths for pytest, those that ask for the least first.

    python tests/changed.py [--code] [BASE]

Changed is what differs from BASE (the branch `main`; on it, the last commit), committed or not.
With `--code` it is the changed files of Python themselves. The tests of a module are those that
import it or a module that imports it, by themselves or through a helper of the tests.
Nothing is printed if nothing changed.
"""

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import grimp

TOP = Path(__file__).parents[1]
PACKAGES = (
    "arm_driver",
    "drives",
    "hil",
    "hil_arm_study",
    "hil_common",
    "platform6dof",
    "safety",
    "sim",
)
STUDY = "benchmarks/arm_study/"
"""Where the distribution of `hil_arm_study` is."""
OF_ALL_CODE = ("tests/test_deciders.py", "tests/test_words_are_shown.py")
OF_OTHERS = {
    ".md": ("tests/test_docs.py", "tests/test_docs_figures.py"),
    ".toml": ("tests/test_contracts.py", "tests/cli/test_cli_schema.py", "tests/test_docs.py"),
}
"""Tests of files that nothing imports, by their ending."""
MOST_STEPS = 3
"""So many modules at most are between a changed one and its tests."""


def changed_files(base: str) -> list[str]:
    """Paths from the top of the clone."""
    changed = _git("diff", "--name-only", "--merge-base", base)
    return sorted({*changed, *_git("ls-files", "--others", "--exclude-standard")})


def select(changed: Iterable[str]) -> list[str]:
    """Paths of tests: those of the changed modules first, and the most particular ones of them."""
    changed, asked = set(changed), _asked()
    imported = {path.removeprefix(STUDY) for path in changed}
    modules = {_module(path) for path in imported if path.split("/")[0] in PACKAGES} - {""}
    helpers = {Path(path).stem for path in changed if path.startswith("tests/")}
    steps = {path: 0 for path in asked if path.stem in helpers or asked[path] & helpers}
    for path, step in [found for module in sorted(modules) for found in _near(module)]:
        steps[path] = min(step, steps.get(path, step))
    found = sorted(steps, key=lambda path: (steps[path], len(asked[path])))
    named = [str(path.relative_to(TOP)) for path in found if path.name.startswith("test_")]
    others = [test for path in sorted(changed) for test in OF_OTHERS.get(Path(path).suffix, ())]
    return list(dict.fromkeys([*named, *(OF_ALL_CODE if modules else ()), *others]))


@cache
def _asked() -> dict[Path, frozenset[str]]:
    """What each file of the tests imports."""
    helpers = {path.stem: path for path in sorted((TOP / "tests").rglob("*.py"))}
    return {path: frozenset(_imports(path, helpers)) for path in helpers.values()}


def _git(*arguments: str) -> list[str]:
    command = ["git", "-C", str(TOP), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def _module(path: str) -> str:
    """The module of a path; empty if it is none."""
    parts = Path(path).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts) if path[-3:] == ".py" else ""


def _imports(path: Path, helpers: dict[str, Path], deep: bool = True) -> Iterator[str]:
    """What a test file imports: modules of the packages, and helpers with what those import."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            if name.split(".")[0] in PACKAGES:
                yield name
            elif deep and name in helpers and helpers[name] != path:
                yield name
                yield from _imports(helpers[name], helpers, deep=False)


def _near(module: str) -> Iterator[tuple[Path, int]]:
    """The tests that import a module or one that imports it, and by how many steps; further ones
    if there are none.
    """
    asked, level, seen, any_found = _asked(), {module}, {module}, False
    for step in range(MOST_STEPS):
        found = [path for path in asked if asked[path] & level]
        yield from ((path, step) for path in found)
        any_found = any_found or bool(found)
        if step and any_found:
            return
        known = level & _graph().modules
        ups = {up for one in known for up in _graph().find_modules_that_directly_import(one)}
        level = ups - seen
        seen |= level


@cache
def _graph() -> grimp.ImportGraph:
    return grimp.build_graph(*PACKAGES, cache_dir=str(TOP / ".import_linter_cache"))


def main(arguments: list[str]) -> None:
    """Print the paths."""
    base = next((one for one in arguments if one != "--code"), "")
    if not base:
        branch = _git("rev-parse", "--abbrev-ref", "HEAD")[0]
        base = "HEAD" if branch == "main" else "main"
    files = [path for path in changed_files(base) if (TOP / path).exists()]
    code = [path for path in files if path.endswith(".py")]
    print(*(code if "--code" in arguments else select(files)))


if __name__ == "__main__":
    main(sys.argv[1:])
