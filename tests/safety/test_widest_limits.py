"""The widest limits that are accepted still catch what they are there for.

The widest value is searched for, not read: the judge knows what a fault does, and no bound.
"""

from dataclasses import replace

import pytest
from safety_samples import DT, START, ZERO, changed, feedback, make_limits

from safety.limits import LimitsError
from safety.load import LoadWatch
from safety.plausibility import PlausibilityWatch
from safety.verdict import Check


def widest(name, lowest, highest):
    """The greatest accepted value of a limit, to a thousandth or to one cycle."""

    def accepted(value):
        try:
            make_limits(**{name: value})
        except LimitsError:
            return False
        return True

    whole = isinstance(lowest, int)
    assert accepted(lowest), name
    assert not accepted(highest), name
    while highest - lowest > (1 if whole else 1e-3 * lowest):
        middle = (lowest + highest) // 2 if whole else 0.5 * (lowest + highest)
        lowest, highest = (middle, highest) if accepted(middle) else (lowest, middle)
    return lowest


def test_a_leg_that_goes_an_inch_on_one_measured_length_is_found():
    most_m = widest("stuck_movement_m", 1e-4, 10.0)
    cycles, inch_m = 50, 0.0254
    watch = PlausibilityWatch(make_limits(stuck_cycles=cycles, stuck_movement_m=most_m))
    for cycle in range(cycles + 2):
        found = watch.step(feedback(), changed(START, 3, START[2] + cycle * inch_m / cycles), DT)
        if found:
            assert [(v.check, v.leg) for v in found] == [(Check.STUCK, 3)]
            return
    raise AssertionError("its frozen length was believed")


def test_a_force_that_lasts_is_found_in_about_a_second():
    cycles = widest("force_cycles", 1, 10**6)
    watch = LoadWatch(make_limits(force_cycles=cycles))
    heavy = replace(feedback(), force_n=changed(ZERO, 5, 1e5))
    time_s = next(n * DT for n in range(1, 10**5) if watch.step(heavy))
    assert 0.9 <= time_s <= 1.0 + DT


@pytest.mark.parametrize("name", ["stuck_cycles", "standstill_cycles", "estop_discrepancy_cycles"])
def test_no_watch_takes_longer_than_a_few_seconds(name):
    assert widest(name, 1, 10**6) * DT <= 2.0
