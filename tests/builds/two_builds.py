"""Two builds of the program: the tests' own, and the compiled one that `make compiled` made.

A program of this folder is run by both at once; what they print has to be the same.
"""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from pure_build import COMPILED

from hil.config.installation import PACKAGES

HERE = Path(__file__).parent
TESTS, TOP = HERE.parent, HERE.parents[1]
VENV = TOP / "build" / "compiled" / "venv"


def obstacle():
    """Why they cannot be compared here; empty if they can."""
    if COMPILED:
        return "the tests' own build is the compiled one"
    if not (VENV / "pyvenv.cfg").is_file():
        return "no compiled build: make compiled"
    home = Path(sysconfig.get_path("purelib", vars={"base": str(VENV)}))
    for package in PACKAGES:
        for source in (TOP / package).rglob("*.py"):
            built = home / source.relative_to(TOP)
            if not built.is_file() or built.read_bytes() != source.read_bytes():
                return f"build/compiled has another {source.relative_to(TOP)}: make compiled"
    return ""


WHY_NOT = obstacle()
both_builds = pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)
"""Mark of what compares them."""


def printed_by_both(program):
    """Lines that a program of this folder prints, of the pure build and of the compiled one."""
    helpers = (TESTS, TESTS / "gate", TESTS / "safety")
    env = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, helpers))}
    pythons = (sys.executable, VENV / "bin" / "python")
    started = [
        subprocess.Popen([python, "-P", HERE / program], env=env, stdout=subprocess.PIPE, text=True)
        for python in pythons
    ]
    lines = [each.communicate()[0].splitlines() for each in started]
    assert [each.returncode for each in started] == [0, 0]
    (first, *pure), (other, *compiled) = lines
    assert (first, other) == ("compiled: False", "compiled: True")
    return pure, compiled
