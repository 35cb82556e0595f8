"""What compiles within a verb is said, once; what does not is not."""

import threading

import pytest

from hil.terminal.compile_notice import LOOKS, WORDS, announce_compiling

PERIOD_S = 0.002
PATIENCE_S = 20.0


def within(module, work):
    """Call something from a function of a module by this name."""
    table = {"__name__": module, "work": work}
    exec("def call():\n    return work()", table)
    return table["call"]()


def test_a_verb_that_compiles_says_so_once():
    said, heard = [], threading.Event()

    def say(words):
        said.append(words)
        heard.set()

    with announce_compiling(say, lambda: False, PERIOD_S):
        assert within("numba.core.compiler_machinery", lambda: heard.wait(PATIENCE_S))
    assert said == [WORDS]


@pytest.mark.parametrize(
    ("module", "told"), [("numba.core.dispatcher", False), ("numba.core.compiler", True)]
)
def test_a_verb_that_loads_or_has_said_it_says_nothing(module, told):
    said, over = [], threading.Event()

    def asked():
        over.set()
        return told

    threads = {one.ident for one in threading.enumerate()}
    with announce_compiling(said.append, asked, PERIOD_S):
        (looking,) = [one for one in threading.enumerate() if one.ident not in threads]
        within(module, lambda: looking.join(PATIENCE_S))
    assert said == []
    assert over.is_set() == told
    assert not looking.is_alive()
    assert PERIOD_S * LOOKS < PATIENCE_S
