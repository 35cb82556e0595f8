"""No test of the virtual environment leaves the engine's log behind."""

import sys
from pathlib import Path

import pytest

from sim.world.engine.library import engine

LOG = "MUJOCO_LOG.TXT"


@pytest.fixture(autouse=True)
def _no_engine_log():
    """The engine writes its warnings into the working folder unless it is told not to."""
    before = Path.cwd() / LOG
    assert not before.exists(), f"{before}: left by something else; remove it"
    if "mujoco" in sys.modules:
        engine()  # takes the warnings of a test's own models as well
    yield
    left = {before, Path.cwd() / LOG}
    assert not [str(one) for one in left if one.exists()]
