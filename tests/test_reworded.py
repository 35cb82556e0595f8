"""No decision hangs on a word of `safety` or `drives`: reworded, all is decided as before.

The plugin `reworded` turns the words round as the modules are imported, in a process of its own.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from campaign import share_of

TESTS = Path(__file__).parent
SUITES = (
    "operated/test_told_ends.py", "operated/test_way_back.py", "operated/test_safe_presses.py",
    "operated/test_button_matrix.py", "operated/test_sequence.py", "operated/test_safe_ends.py",
    "operated", "desk",
)  # fmt: skip
"""What judges control, supervisor, operator and desk; the first of them are run every day."""


def run_reworded(*arguments):
    """Run tests with reworded sentences; how they ended, and what was printed."""
    command = [sys.executable, "-m", "pytest", "-p", "reworded", "-q", "-n", "0", "-m"]
    command += ["not real_time", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(
        command, cwd=TESTS.parent, env=os.environ | {"PYTHONPATH": str(TESTS)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout[-3000:] + done.stderr[-1000:]


@pytest.mark.campaign
@pytest.mark.parametrize("suite", share_of(SUITES, 2))
def test_what_is_decided_stays_the_same_in_other_words(suite):
    status, printed = run_reworded(str(TESTS / suite))
    assert status == 0, printed


def test_a_decision_by_a_word_is_found(tmp_path):
    """Positive control: what reads the gate's sentence fails, what reads its code does not."""
    planted = tmp_path / "test_planted.py"
    planted.write_text(
        "from safety.modes import Severity\n"
        "from safety.verdict import Check, Violation\n"
        "FOUND = Violation(Check.POSITION, 3, 2.0, 1.0, 'm', Severity.STOP)\n"
        "def test_by_a_word(): assert 'more than' in str(FOUND)\n"
        "def test_by_its_code(): assert FOUND.check is Check.POSITION\n"
    )
    status, printed = run_reworded("--rootdir", str(tmp_path), str(planted))
    assert status == 1, printed
    assert "1 failed, 1 passed" in printed
    assert "test_by_a_word" in printed
