"""No pattern of a text takes a time that doubles with each letter: strangers write the letters.

Patterns are read out of the sources, as whole texts that `re` is given; what is put together from
parts is made by the modules as they are imported, and not seen here.
"""

import ast
import re
import signal
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("hil", "sim", "drives", "arm_driver", "safety", "platform6dof")
PUMPED = ("1", "1.", "a", "a.", " ", "a ", '"', "'", "-", "1e", "(", "./", "0.", "\\", "\n", "[",
          "=", "#", ", ", "_", "a_", "a1", "a=")  # fmt: skip
TIMES = 60
"""Repeats, after which 2**60 steps would be needed."""
PATIENCE_S = 2.0


def patterns():
    for folder in FOLDERS:
        for file in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                match node:
                    case ast.Call(
                        func=ast.Attribute(value=ast.Name(id="re")),
                        args=[ast.Constant(value=str() | bytes() as text), *_],
                    ):
                        yield f"{file.relative_to(ROOT)}:{node.lineno}", text


def too_slow(text):
    """What a pattern takes too long for; empty if nothing."""
    found = re.compile(text)
    for pumped in PUMPED:
        for tail in ("", "\0"):
            given = pumped * TIMES + tail
            signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE_S)
            try:
                for read in (found.search, found.fullmatch):
                    read(given.encode() if isinstance(text, bytes) else given)
            except TimeoutError:
                return repr(given)
            finally:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
    return ""


@pytest.fixture(autouse=True)
def patience():
    def ring(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, ring)
    yield
    signal.signal(signal.SIGVTALRM, before)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer of processor time")
def test_no_pattern_doubles_its_time_with_each_letter():
    all_of_them = list(patterns())
    assert len(all_of_them) > 50
    assert [(place, given) for place, text in all_of_them if (given := too_slow(text))] == []


def test_one_that_does_is_found():
    assert too_slow(r"[a-z](?:_?[a-z0-9]+)*")
