"""Forces that last are told or stop the platform, spikes are not; warnings are told and no more."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from safety_samples import changed, make_limits

from hil_common.legs import DriveReading
from safety.faults import reaction_to
from safety.load import LoadWatch, drive_warnings
from safety.modes import Severity
from safety.verdict import Check, Feedback

LIMITS = make_limits()
EXPECTED_N, MOST_N, CYCLES = 1500.0, 3000.0, LIMITS.force_cycles
ZERO = (0.0,) * 6
ON = (True,) * 6


def told(force_n=ZERO, fresh=ON, **fields):
    return Feedback(ZERO, ZERO, ON, ON, (0,) * 6, fresh, force_n=force_n, **fields)


def play(forces, limits=LIMITS):
    """What a watch says in each cycle of a series of leg 3's force."""
    watch = LoadWatch(limits)
    return [watch.step(told(changed(ZERO, 3, force))) for force in forces]


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize(
    ("force", "severity", "limit"),
    [(EXPECTED_N, Severity.INFORM, EXPECTED_N), (MOST_N, Severity.STOP, MOST_N)],
)
def test_a_force_that_lasts_is_judged_from_the_last_cycle_of_its_time_on(
    sign, force, severity, limit
):
    found = play([sign * 1.001 * force] * (CYCLES + 3))
    assert found[: CYCLES - 1] == [None] * (CYCLES - 1) or severity is Severity.STOP
    stops = [f for f in found if f and f[0].severity is severity]
    assert len(stops) == 4
    violation = stops[0][0]
    assert (violation.check, violation.leg, violation.limit) == (Check.FORCE, 3, limit)
    assert f"outside [-{limit:.0f}, {limit:.0f}] N" in str(violation)


def test_a_force_at_its_limit_passes():
    assert play([EXPECTED_N] * 50) == [None] * 50


def test_spikes_are_no_load():
    spike = [2.0 * MOST_N] * (CYCLES - 1) + [0.0]
    assert play(spike * 5) == [None] * (5 * CYCLES)


@pytest.mark.parametrize("force", [2.0 * MOST_N, 0.0, math.nan])
def test_a_silent_leg_neither_confirms_nor_clears(force):
    watch = LoadWatch(LIMITS)
    high = changed(ZERO, 3, 2.0 * MOST_N)
    for _ in range(CYCLES - 1):
        watch.step(told(high))
    silent = tuple(leg != 3 for leg in range(1, 7))
    assert watch.step(told(changed(ZERO, 3, force), silent)) is None
    assert watch.step(None) is None
    assert watch.step(told(high))[0].severity is Severity.STOP


@given(st.lists(st.floats(allow_nan=True, allow_infinity=False, width=32), max_size=60))
def test_it_agrees_with_a_count_done_by_hand(forces):
    """Class B exactly when the last cycles were all above the machine's limit."""
    for cycle, found in enumerate(play(forces)):
        last = forces[max(0, cycle - CYCLES + 1) : cycle + 1]
        stop = len(last) == CYCLES and all(abs(force) > MOST_N for force in last)
        assert stop == (reaction_to(found or ()) is Severity.STOP)


def test_each_leg_has_limits_of_its_own():
    weak = replace(LIMITS.legs[4], force_expected_n=10.0, force_max_n=20.0)
    limits = make_limits(legs=(*LIMITS.legs[:4], weak, LIMITS.legs[5]))
    watch = LoadWatch(limits)
    found = [watch.step(told((15.0,) * 6)) for _ in range(CYCLES)][-1]
    assert [(v.leg, v.severity) for v in found] == [(5, Severity.INFORM)]


def test_a_force_that_is_no_number_trips_nothing():
    assert play([math.nan] * 30) == [None] * 30


def test_warnings_are_told_by_leg_and_code_and_stop_nothing():
    feedback = told(warning_code=(0, 0, 0x4310, 0, 0, 0x2350))
    found = list(drive_warnings(feedback))
    assert [(v.leg, v.value) for v in found] == [(3, 0x4310), (6, 0x2350)]
    assert str(found[0]) == "leg 3: drive warning: warns 0x4310"
    assert reaction_to(found) is Severity.INFORM
    assert not drive_warnings(None)
    assert not drive_warnings(told())


def test_a_reading_above_its_limit_is_told_without_a_warning_of_the_drive():
    hot = DriveReading(4, "motor temperature", 92.0, 85.0, "°C")
    (found,) = drive_warnings(told(high=(hot,)))
    assert (found.check, found.leg, found.value, found.limit) == (Check.WARNING, 4, 92.0, 85.0)
    assert found.severity is Severity.INFORM
