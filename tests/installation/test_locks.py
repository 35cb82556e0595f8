"""The lock files are whole: every release has hashes, and fits the bounds of pyproject.toml."""

import re
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


def test_there_is_a_lock_file_for_each_thing_that_make_installs():
    assert set(LOCKS) == {"core", "panel", "test", "lint"}
    make = (TOP / "Makefile").read_text(encoding="utf-8")
    assert set(re.findall(r"-r locks/(\w+)\.txt", make)) == set(LOCKS)
    for line in make.splitlines():
        if re.match(r"\t\$\(BIN\)/pip install", line):
            assert "--no-deps --no-build-isolation" in line


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
