"""The reaction to many faults at once."""

from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import at_least

from safety.faults import FaultLatch, describe_faults, reaction_to
from safety.modes import Severity
from safety.verdict import Check, Violation

faults = st.builds(
    Violation,
    check=st.sampled_from(Check),
    leg=st.sampled_from([None, 1, 2, 6]),
    value=st.just(1.0),
    limit=st.just(0.0),
    unit=st.just("m"),
    severity=st.sampled_from([s for s in Severity if s > Severity.INFORM]),
)


def fault(check, leg, severity=Severity.STOP, value=1.0):
    return Violation(check, leg, value, 0.0, "m", severity)


@at_least(300)
@given(st.lists(faults, max_size=6), faults)
def test_invariant_12_one_more_fault_never_weakens_the_reaction(before, more):
    assert reaction_to([*before, more]) >= reaction_to(before)
    latch = FaultLatch()
    latch.add(before)
    first = latch.reaction
    latch.add([more])
    assert latch.reaction >= first


@at_least(300)
@given(st.lists(faults, max_size=6), st.randoms(use_true_random=False))
def test_invariant_12_the_order_of_faults_makes_no_difference(before, random):
    shuffled = list(before)
    random.shuffle(shuffled)
    assert reaction_to(shuffled) is reaction_to(before)


@at_least(300)
@given(st.lists(faults, max_size=6), st.randoms(use_true_random=False))
def test_invariant_12_faults_that_come_one_by_one_react_like_all_at_once(wanted, random):
    """In any order, of any check: what is latched already never hides a worse one."""
    random.shuffle(wanted)
    latch = FaultLatch()
    for known, fault_ in enumerate(wanted):
        before = latch.reaction
        new = latch.add([fault_])
        assert latch.reaction is reaction_to(wanted[: known + 1])
        assert new or latch.reaction is before, "a stronger reaction is one to something new"


LADDER = (Severity.HOLD, Severity.STOP, Severity.QUICK_STOP, Severity.LOCKOUT)


@pytest.mark.parametrize("check", Check)
def test_a_worse_one_of_the_same_check_and_leg_is_latched_beside_the_first(check):
    for leg, order in product((None, 3), permutations(LADDER)):
        latch, worst = FaultLatch(), Severity.INFORM
        for severity in order:
            assert latch.add([fault(check, leg, severity)]) is (severity > worst)
            worst = max(worst, severity)
            assert latch.reaction is worst
            assert latch.faults[0].severity is order[0], "the first cause stays first"
            assert latch.faults[-1].severity is worst, "beside the worst"


def test_no_fault_no_reaction():
    assert reaction_to([]) is Severity.INFORM


@pytest.mark.parametrize("severity", list(Severity)[1:])
def test_one_fault_reacts_by_its_class(severity):
    assert reaction_to([fault(Check.DRIVE, 1, severity)]) is severity


def test_two_causes_of_class_b_make_a_class_a():
    one = fault(Check.DRIVE, 1)
    same_leg = fault(Check.FOLLOWING, 1)
    assert reaction_to([one, same_leg]) is Severity.STOP
    assert reaction_to([one, fault(Check.FOLLOWING, 2)]) is Severity.QUICK_STOP
    assert reaction_to([one, fault(Check.LATE, None)]) is Severity.QUICK_STOP
    assert reaction_to([fault(Check.LATE, None), fault(Check.PERIOD, None)]) is Severity.STOP
    setpoint = [fault(Check.POSITION, leg) for leg in range(1, 7)]
    assert reaction_to([*setpoint, fault(Check.BRAKING, 1)]) is Severity.STOP
    assert reaction_to([*setpoint, one]) is Severity.QUICK_STOP


def test_class_c_and_lockout_do_not_count_as_class_b():
    hold = fault(Check.MISSING, None, Severity.HOLD)
    assert reaction_to([hold, fault(Check.DRIVE, 1)]) is Severity.STOP
    lockout = fault(Check.INTERNAL, None, Severity.LOCKOUT)
    two = [fault(Check.DRIVE, 1), fault(Check.DRIVE, 2)]
    assert reaction_to([lockout, *two]) is Severity.LOCKOUT


def test_the_latch_keeps_the_first_of_each_check_and_leg():
    latch = FaultLatch()
    first, again = fault(Check.DRIVE, 1, value=1.0), fault(Check.DRIVE, 1, value=2.0)
    assert latch.add([first]) is True
    assert latch.add([again]) is False
    assert latch.faults == (first,)
    other = fault(Check.DRIVE, 2)
    assert latch.add([again, other]) is True
    assert latch.faults == (first, other)
    latch.clear()
    assert latch.faults == ()
    assert latch.add([again]) is True


def test_what_only_informs_is_not_latched():
    latch = FaultLatch()
    assert latch.add([fault(Check.STALE, None, Severity.INFORM)]) is False
    assert latch.add([fault(Check.DRIVE, 1)], least=Severity.LOCKOUT) is False
    assert latch.faults == ()


def test_in_words_the_first_cause_stands_before_the_worst():
    mild, grave = fault(Check.MISSING, None, Severity.HOLD), fault(Check.DRIVE, 1)
    assert describe_faults(()) == ""
    assert describe_faults((mild,)) == describe_faults((mild, mild)) == str(mild)
    assert describe_faults((mild, grave)) == f"{mild}; then {grave}"
    assert describe_faults((grave, mild)) == str(grave)
