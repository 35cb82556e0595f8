"""The build that is tested: changes of the program's inside need the pure one.

Attributes of compiled modules and objects cannot be replaced, so mutants and positive controls (by
the marker, by their name, or as they try) are run on sources; everything else is judged on both
builds (``make test-compiled``).
"""

from pathlib import Path

import pytest

from hil.config.build import read_build

COMPILED = read_build() is not None
"""Whether modules of the program are compiled, be it one alone."""
WHY = "replaces a part of the program, which is compiled here"
TESTS = Path(__file__).parent


def pytest_collection_modifyitems(items):
    for item in items:
        changes = item.get_closest_marker("pure_build") or "positive_control" in item.name
        if COMPILED and changes:
            item.add_marker(pytest.mark.skip(reason=WHY))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    try:
        return (yield)
    except AttributeError as error:
        if COMPILED and str(error).endswith("is read-only") and is_by_a_test(error):
            pytest.skip(WHY)
        raise


def is_by_a_test(error):
    """Whether a test or pytest's monkeypatch has raised it, and not the program."""
    trace = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    file = Path(trace.tb_frame.f_code.co_filename)
    return file.is_relative_to(TESTS) or file.name == "monkeypatch.py"
