"""No row of the fault catalogue gets lost: each one is named by a test that pytest collects."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
ROWS = (*range(18, 41), *range(45, 50))
"""Rows of drives, links and the gate as a process; 41 to 44 belong to the robot arm."""
CONTROL = re.compile(r"control")


def _functions():
    """Names of all test functions at the top of a module, with their files."""
    for path in sorted(TESTS.rglob("test_*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_row"):
                yield node.name, path.relative_to(TESTS)


def _tests_of_rows():
    found = defaultdict(list)
    for name, path in _functions():
        for row in re.findall(r"(?:test_row|test_rows|and|and_row)_(\d\d)(?=_)", name):
            found[int(row)].append((name, path))
    return found


FOUND = _tests_of_rows()


@pytest.mark.parametrize("row", ROWS)
def test_the_row_has_a_test_and_a_positive_control(row):
    names = [name for name, _ in FOUND[row]]
    assert any(name.startswith(f"test_row_{row}_") or f"_row_{row}_" in name for name in names)
    assert any(CONTROL.search(name) for name in names), f"row {row}: {names} lack a control"


def test_names_are_read_as_they_are_meant():
    """A row that nobody has is missed, and a name with two rows counts for both."""
    assert 17 not in FOUND
    assert 44 not in FOUND
    shared = {name for name, _ in FOUND[47]} & {name for name, _ in FOUND[48]}
    assert "test_row_47_and_row_48_positive_control" in shared
