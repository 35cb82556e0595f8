"""The lock files are whole: every release has hashes, and fits the bounds of pyproject.toml."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

TOP = Path(__file__).parents[2]
PROJECT = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LOCKS = {path.stem: path.read_text(encoding="utf-8") for path in (TOP / "locks").glob("*.txt")}
ENTRY = re.compile(r"^(?P<pin>[a-z0-9-]+==\S+)(?: ; (?P<marker>[^\\]+))? (?P<hashes>(?:\\\n {4}--hash=sha256:[0-9a-f]{64} ?)+)$", re.M)  # fmt: skip  # noqa: E501


def pins(name):
    """What a lock file pins, by name."""
    found = [Requirement(match["pin"]) for match in ENTRY.finditer(LOCKS[name])]
    return {one.name: one.specifier for one in found}


def installs(*options):
    """What `make` would install for demo, panel, tests and lint, a command each."""
    stamps = [f".venv/{name}.stamp" for name in LOCKS]
    command = ["make", "--dry-run", "--always-make", *options, *stamps]
    told = subprocess.run(command, cwd=TOP, check=True, capture_output=True, text=True).stdout
    return [line for line in told.splitlines() if "pip install" in line]


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_installs_nothing_without_hashes_unless_told_so():
    ours = {"study"}  # a distribution of this repository, which needs nothing else
    assert set(LOCKS) == {"core", *PROJECT["optional-dependencies"]} - ours
    own, locked = "--no-deps --no-build-isolation -e ", set()
    for line in installs():
        assert "--require-hashes" in line or own in line, line
        locked.update(re.findall(r"-r locks/(\w+)\.txt", line))
    assert locked == set(LOCKS)
    assert not any("locks/" in line for line in installs("UNLOCKED=1"))


@pytest.mark.parametrize("name", LOCKS)
def test_every_line_is_a_release_with_hashes_and_nothing_else(name):
    rest = ENTRY.sub("", LOCKS[name])
    assert [line for line in rest.splitlines() if line and not line.startswith("#")] == []
    assert "://" not in LOCKS[name]
    assert pins(name)


@pytest.mark.parametrize("name", LOCKS)
def test_every_dependency_is_locked_within_its_bounds(name):
    wanted = PROJECT["dependencies"] if name == "core" else PROJECT["optional-dependencies"][name]
    if name == "core":
        wanted = wanted + (TOP / "locks" / "build.in").read_text(encoding="utf-8").splitlines()
    locked = pins("core") | pins("panel") | pins(name)
    for text in wanted:
        if text.startswith(("#", "hil-bench[")):
            continue
        bound = Requirement(text)
        (pin,) = locked[canonicalize_name(bound.name)]
        assert bound.specifier.contains(pin.version), f"{text}: locked is {pin}; make lock"
