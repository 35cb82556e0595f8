"""Racks are spoken to with the helpers of tests/drives too."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "drives"))
