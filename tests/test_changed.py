"""The tests that `make check` chooses are those that would notice."""

import re
import subprocess

import changed
import pytest


@pytest.mark.parametrize(
    ("path", "tests"),
    [
        ("safety/arm_gate.py", "tests/safety/test_arm_gate.py"),
        ("hil/recording/export.py", "tests/recording/test_recording_export.py"),
        ("platform6dof/kernels/legs.py", "tests/platform6dof/test_forward_batch.py"),
        ("tests/recording/recording_samples.py", "tests/recording/test_recording_export.py"),
        ("tests/desk/test_desk_order.py", "tests/desk/test_desk_order.py"),
        ("benchmarks/arm_study/hil_arm_study/peer.py", "tests/space_arm/test_table.py"),
        ("docs/panel.md", "tests/test_docs.py"),
        ("pyproject.toml", "tests/test_contracts.py"),
        ("hil/desk/process.py", "tests/test_deciders.py"),
    ],
)
def test_a_change_names_its_tests(path, tests):
    assert (changed.TOP / path).exists()
    assert (changed.TOP / tests).exists()
    assert tests in changed.select([path])


def test_users_of_a_helper_are_those_that_name_it():
    command = ["git", "-C", changed.TOP, "grep", "-lE", r"^(from|import) rack_bench\b", "tests"]
    users = subprocess.run(command, capture_output=True, text=True).stdout.split()
    named = {path for path in users if re.search(r"/test_\w+\.py$", path)}
    assert named <= set(changed.select(["tests/rack_bench.py"]))
    assert named


def test_no_change_asks_for_nothing():
    assert changed.select([]) == []
