"""Every benchmark finds what it measures: none runs in the suite."""

import importlib
from pathlib import Path

import pytest

HERE = Path(__file__).parents[1] / "benchmarks"
NAMES = sorted(one.stem for one in HERE.glob("*.py") if not one.stem.startswith("__"))


@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_can_be_imported(name):
    importlib.import_module(f"benchmarks.{name}")
