"""Faults are brought about with the helpers of tests/drives."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "drives"))

from bench_on_rack import in_motion


@pytest.fixture(autouse=True, scope="session")
def original_in_motion():
    """Made before a test patches anything."""
    in_motion()
