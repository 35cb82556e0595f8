"""Faults are brought about with the helpers of tests/drives."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "drives"))
