"""Both builds decide alike, to the last bit: verdicts of the fuzz, graphs of the model check."""

import pytest
from test_gate_fuzz import SEQUENCE_CYCLES
from two_builds import both_builds, printed_by_both

pytestmark = [both_builds, pytest.mark.campaign, pytest.mark.timeout(7200)]


def test_the_same_cycles_get_the_same_verdicts(capsys):
    pure, compiled = printed_by_both("verdicts.py")
    with capsys.disabled():
        print(f"\nverdicts of both builds: {len(pure) * SEQUENCE_CYCLES} cycles", end=" ")
    assert pure
    assert compiled == pure


def test_the_same_states_are_reached_by_the_same_transitions(capsys):
    pure, compiled = printed_by_both("graphs.py")
    with capsys.disabled():
        print("\ngraphs of both builds:", *pure, sep="\n")
    assert pure
    assert compiled == pure
