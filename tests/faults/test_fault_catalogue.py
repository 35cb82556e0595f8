"""No row of the fault catalogue gets lost: each has a test and a positive control that do run.

What runs is asked of pytest itself, which plans all tests of rows as it would run them here: a test
that is not collected, or is skipped on this kind of machine, proves nothing.
"""

import ast
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import pytest

# one worker: the plan is made once
pytestmark = [pytest.mark.xdist_group("fault catalogue"), pytest.mark.timeout(300)]

TESTS = Path(__file__).parents[1]
ROWS = range(18, 50)
"""Rows of drives, links, the robot arm (41 to 44) and the gate as a process."""
NAMED = re.compile(r"^test_rows?_\d\d_", re.ASCII)
ROW = re.compile(r"(?:test_row|test_rows|and|and_row)_(\d\d)(?=_)", re.ASCII)
CONTROL = re.compile(r"_positive_control(_|$)|_row_\d\d_control(_|$)", re.ASCII)
GIVES_UP = {"skip", "importorskip", "xfail", "skipTest", "exit"}
"""Calls by which a test ends in its body or in a fixture, which no plan can foresee."""


class Names(NamedTuple):
    """Names of the tests of a row."""

    tests: set[str]
    controls: set[str]


def by_row(names):
    """Names of tests, sorted by the rows that they name, proofs and positive controls apart."""
    found = defaultdict(lambda: Names(set(), set()))
    for name in names:
        for row in ROW.findall(name) if NAMED.match(name) else ():
            found[int(row)][bool(CONTROL.search(name))].add(name)
    return found


def files_with_rows(folder=TESTS):
    """Files of tests in which a function has the name of a row, at whatever depth."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(folder.rglob("test_*.py"))}
    return [
        path
        for path, text in texts.items()
        if "test_row" in text  # to parse all files takes seconds
        and any(
            isinstance(node, ast.FunctionDef) and NAMED.match(node.name)
            for node in ast.walk(ast.parse(text))
        )
    ]


def planned(files, report):
    """Names of the tests that pytest would run here, without their parameters."""
    command = [sys.executable, "-m", "pytest", "--setup-plan", "-q", "-p", "no:cacheprovider"]
    command += ["-n", "0", f"--junitxml={report}", *map(str, files)]
    done = subprocess.run(command, cwd=TESTS.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    cases = ElementTree.parse(report).iter("testcase")
    return {case.get("name").partition("[")[0] for case in cases if len(case) == 0}


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    return by_row(planned(files_with_rows(), tmp_path_factory.mktemp("plan") / "plan.xml"))


@pytest.mark.parametrize("row", ROWS)
def test_the_row_has_a_test_and_a_positive_control(row, running):
    assert running[row].tests, f"row {row} has no test that runs here"
    assert running[row].controls, f"row {row} has no positive control that runs here"


@pytest.mark.parametrize("path", files_with_rows(), ids=lambda path: path.stem)
def test_no_test_of_a_row_gives_up_in_its_body(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            name = node.func.id if isinstance(node.func, ast.Name) else name
            marked = isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value).endswith(
                "mark"
            )  # a mark is seen by the plan
            assert marked or name not in GIVES_UP, f"{path.name}:{node.lineno}: {name}"


EXAMPLE = """
import pytest

def test_row_18_runs(): pass
def test_row_18_positive_control(): raise AssertionError("planned, never run")
@pytest.mark.parametrize("value", [1, 2])
def test_row_19_and_20_with_values(value): pass
@pytest.mark.skipif(True, reason="never here")
def test_row_21_skipped(): pass
@pytest.mark.parametrize("value", [])
def test_row_22_without_values(value): pass
@pytest.mark.xfail(run=False)
def test_row_23_not_run(): pass
def rest_row_24_not_collected(): pass
def test_row_19_control_of_the_value(): pass
class Rows:
    def test_row_25_in_no_class_of_tests(self): pass
"""


def test_what_does_not_run_is_no_proof(tmp_path):
    path = tmp_path / "test_example.py"
    path.write_text(EXAMPLE, encoding="utf-8")
    assert files_with_rows(tmp_path) == [path]
    names = planned([path], tmp_path / "plan.xml")
    assert by_row(names) == {
        18: ({"test_row_18_runs"}, {"test_row_18_positive_control"}),
        19: ({"test_row_19_and_20_with_values"}, {"test_row_19_control_of_the_value"}),
        20: ({"test_row_19_and_20_with_values"}, set()),
    }


def test_names_are_read_as_they_are_meant():
    """Control is also a process: to be killed makes it no positive control."""
    rows = by_row(
        ["test_row_47_and_row_48_positive_control", "test_row_47_a_killed_control", "test_row_480"]
    )
    assert rows == {
        47: ({"test_row_47_a_killed_control"}, {"test_row_47_and_row_48_positive_control"}),
        48: (set(), {"test_row_47_and_row_48_positive_control"}),
    }
