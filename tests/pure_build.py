"""The build that is tested: changes of the program's inside need the pure one.

Attributes of compiled modules and objects cannot be replaced, so mutants and positive controls (by
the marker, or by their name) are tried on sources; everything else is judged on both builds (``make
test-compiled``).
"""

from importlib.machinery import EXTENSION_SUFFIXES

import pytest

import safety.gate

COMPILED = str(safety.gate.__file__).endswith(tuple(EXTENSION_SUFFIXES))


def pytest_collection_modifyitems(items):
    skip = pytest.mark.skip(reason="replaces a part of the program, which is compiled here")
    for item in items:
        changes = item.get_closest_marker("pure_build") or "positive_control" in item.name
        if COMPILED and changes:
            item.add_marker(skip)
