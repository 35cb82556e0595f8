"""NOTICE names whatever the lock files of the program install, each with a licence."""

import csv
import re
import runpy
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]
NOTICE = (TOP / "NOTICE").read_text(encoding="utf-8")
ROW = re.compile(r"^  (?P<name>[a-z0-9._-]+) +(?P<licence>\S.*)$", re.MULTILINE)
ROWS = {row["name"]: row["licence"] for row in ROW.finditer(NOTICE)}
EXTRAS = ("core", "panel", "world", "handles", "fmu", "fly", "seismic", "campaign")


PINS = {
    name: pin
    for lock in EXTRAS
    for name, pin in re.findall(
        r"^([a-z0-9._-]+)==([^ ]+)", (TOP / "locks" / f"{lock}.txt").read_text("utf-8"), re.M
    )
    if name != "evdev"  # needs the kernel's headers
}


def installed(name):
    """Its release; None if it is not there."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def locked(name):
    """Names that a lock file installs, read by its hashes' owners and not as the writer does."""
    text = (TOP / "locks" / f"{name}.txt").read_text(encoding="utf-8")
    return {line.partition("==")[0] for line in text.splitlines() if "==" in line}


def test_every_release_that_the_program_installs_has_its_licence_and_nothing_else():
    assert set(ROWS) == set().union(*map(locked, EXTRAS))


def test_licences_that_bind_whoever_ships_are_those_that_are_known():
    bound = {name: one for name, one in ROWS.items() if re.search("GPL|GNU|MPL|Mozilla", one)}
    assert bound == {
        "python-can": "LGPL-3.0-only",
        "orjson": "MPL-2.0 AND (Apache-2.0 OR MIT)",
        "pathspec": "Mozilla Public License 2.0 (MPL 2.0)",
        "pyside6-essentials": "LGPL-3.0-only OR GPL-2.0-only OR GPL-3.0-only",
        "shiboken6": "LGPL-3.0-only OR GPL-2.0-only OR GPL-3.0-only",
        "jsbsim": "GNU Lesser General Public License v2 or later (LGPLv2+)",
    }


def test_it_is_what_the_installed_distributions_say():
    if others := [name for name, pin in PINS.items() if installed(name) != pin]:
        pytest.skip(f"other releases than the locked ones are installed: {', '.join(others)}")
    assert "\n".join(runpy.run_path(str(TOP / "locks" / "notice.py"))["lines"]()) == NOTICE


def test_every_motion_that_is_shipped_says_where_it_comes_from():
    folder = TOP / "configs" / "motions"
    told = (folder / "README.md").read_text(encoding="utf-8")
    motions = sorted(folder.glob("*.csv"))
    assert motions
    assert {path.name for path in motions} == set(re.findall(r"^\| `(\S+\.csv)` \|", told, re.M))
    for path in motions:
        with path.open(newline="", encoding="utf-8") as file:
            assert len(next(csv.reader(file))) > 3


def test_notice_and_licence_are_shipped():
    project = (TOP / "pyproject.toml").read_text(encoding="utf-8")
    assert 'license-files = ["LICENSE", "NOTICE"]' in project
