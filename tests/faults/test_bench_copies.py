"""A copy of a bench in motion goes on like the original, and neither can tell of the other."""

import gc
from collections import deque
from enum import Enum
from types import BuiltinFunctionType, FunctionType, ModuleType

import pytest
from bench_copies import copied, copy_of
from bench_on_rack import in_motion, set_in_motion
from fault_bench import FAST_LEG, SEED
from fault_judges import run_on

pytestmark = pytest.mark.pure_build
CHANGING = (dict, list, set, deque, bytearray)
UNCHANGING = (type, ModuleType, BuiltinFunctionType, str, bytes, int, float)


def reached(bench):
    """All objects that a bench consists of, by identity; of functions what they close over."""
    found, left = {}, [bench]
    while left:
        one = left.pop()
        if id(one) in found or isinstance(one, UNCHANGING):
            continue
        found[id(one)] = one
        left += (
            [cell.cell_contents for cell in one.__closure__ or ()]
            if isinstance(one, FunctionType)
            else gc.get_referents(one)
        )
    return found


def kept(bench, since=0):
    return [(c.asked_m, c.verdict, c.feedback, c.true_m) for c in bench.history[since:]]


def struck(bench):
    return run_on(bench.strike("drop", FAST_LEG, 0.6), 60)


def test_a_copy_goes_on_bit_for_bit_like_a_bench_that_was_set_in_motion_itself():
    own, one, other = set_in_motion(), in_motion(), in_motion()
    before = len(own.history)
    assert kept(struck(own)) == kept(struck(one))
    assert len(other.history) == before, "it was not there"
    assert kept(struck(other), before) == kept(one, before), "chance has not gone on either"
    assert other.last.verdict.faults


def test_a_copy_shares_nothing_that_changes():
    bench = in_motion()
    ours, others = reached(bench), reached(copy_of(bench))
    shared = [one for key, one in ours.items() if key in others]
    assert len(ours) > 5000
    assert not [one for one in shared if isinstance(one, CHANGING) and one]
    parts = [one for one in shared if type(one).__module__.startswith(("drives", "sim", "safety"))]
    assert all(isinstance(one, Enum) or type(one).__dataclass_params__.frozen
               for one in parts if not isinstance(one, tuple | FunctionType))  # fmt: skip


def test_a_copy_speaks_to_itself_through_its_closures():
    def bench():
        said = []
        return {"say": lambda word: said.append(word), "said": said}

    original = bench()
    copy = copy_of(original)
    copy["say"]("here")
    assert (original["said"], copy["said"]) == ([], ["here"])


def test_what_is_made_once_is_told_apart_by_its_arguments():
    made = []

    @copied()
    def make(*numbers):
        made.append(numbers)
        return list(numbers)

    make(1, SEED).append(5)
    assert (make(1, SEED), make(2)) == ([1, SEED], [2])
    assert made == [(1, SEED), (2,)]
