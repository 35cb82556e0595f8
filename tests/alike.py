"""Tests that compare this process with one of the program's: both have to round alike.

    python tests/alike.py [PYTEST'S ARGUMENTS]

runs pytest with the settings of libraries that `hil` gives its processes (`hil.ipc.arithmetic`),
which are taken as a process starts; ``make test`` does so with the tests that are skipped without.
"""

import os
import platform
import sys
from pathlib import Path

import pytest

from hil.ipc.arithmetic import same_everywhere

SETTINGS = same_everywhere(os.environ, platform.machine())
_skipped = pytest.mark.skipif(
    os.environ != SETTINGS, reason="tests/alike.py runs it: the program's processes round otherwise"
)


def rounds_alike(test):
    """Mark a test that is right where this process has the settings of the program's."""
    return pytest.mark.alike(_skipped(test))


OTHER_NAMES = "ignore:During parsing environment variable:ImportWarning"
"""What numpy warns of names of features that other releases of it have."""

if __name__ == "__main__":
    program = str(Path(sys.executable).with_name("pytest"))
    os.execve(program, [program, "-W", OTHER_NAMES, *sys.argv[1:]], SETTINGS)
