"""Lengths that freeze or leap in frames that look well (rows 24 and 25)."""

import math

import pytest
from safety_samples import DT, NO, START, YES, ZERO, Bench, changed, feedback, make_limits

from safety.modes import Mode, Request, Severity
from safety.plausibility import PlausibilityWatch
from safety.verdict import Action, Check

SLOW = (0.03, -0.02, 0.01, 0.02, -0.01, 0.0)
LIMITS = make_limits()


def go_on(bench, speed=SLOW, **fields):
    return bench.cycle(bench.ask_speed(speed), fb=bench.read(**fields))


@pytest.mark.parametrize("leg", [1, 2, 4])
def test_row_24_a_frozen_length_under_motion_stops_the_platform(leg):
    bench = Bench(make_limits(stuck_cycles=10, stuck_movement_m=0.0001)).moving(SLOW)
    frozen = bench.length_m[leg - 1]
    cycles = 0
    while bench.gate.mode is Mode.ENGAGED:
        go_on(bench, length_m=changed(bench.length_m, leg, frozen))
        cycles += 1
        assert cycles <= 12, "one limit, and the two frames around it"
    assert bench.verdict.mode is Mode.CSTOP
    fault = bench.verdict.faults[0]
    assert (fault.check, fault.leg, fault.severity) == (Check.STUCK, leg, Severity.STOP)
    assert f"leg {leg}: command moved by" in str(fault)
    assert "unchanged for 10 cycles" in str(fault)


def test_row_24_only_fresh_frames_count():
    watch = PlausibilityWatch(LIMITS)
    stale = feedback(fresh=changed(YES, 1, False))
    watch.step(feedback(), START, DT)
    for i in range(100):
        moving = tuple(x + 0.001 * i for x in START)
        assert watch.step(stale, changed(START, 1, moving[0]), DT) is None


def test_a_leg_that_is_held_may_repeat_its_length_for_ever():
    bench = Bench().engaged()
    for _ in range(500):
        assert bench.cycle(bench.ask_speed(ZERO)).action is Action.PASSED


def test_a_leg_that_sticks_only_for_a_moment_passes():
    bench = Bench(make_limits(stuck_cycles=10, stuck_movement_m=0.0001)).moving(SLOW)
    for _ in range(20):
        frozen = bench.length_m[0]
        for _ in range(9):
            verdict = go_on(bench, length_m=changed(bench.length_m, 1, frozen))
            assert verdict.action is Action.PASSED
        go_on(bench)


def test_a_small_movement_of_the_command_does_not_make_a_length_stuck():
    watch = PlausibilityWatch(make_limits(stuck_cycles=10, stuck_movement_m=0.001))
    for i in range(200):
        commanded = changed(START, 1, START[0] + 0.0009 * (i % 2))
        assert watch.step(feedback(), commanded, DT) is None


@pytest.mark.parametrize("shift_m", [0.05, -0.05])
@pytest.mark.parametrize("leg", [1, 6])
def test_row_25_a_jump_stops_from_the_commanded_state(shift_m, leg):
    bench = Bench().moving()
    before = bench.gate.commanded.length_m
    movement = bench.movement()
    leapt = changed(bench.length_m, leg, bench.length_m[leg - 1] + shift_m)
    verdict = go_on(bench, length_m=leapt)
    assert verdict.mode is Mode.CSTOP
    assert verdict.action is Action.STOPPING
    fault = verdict.faults[0]
    assert (fault.check, fault.leg, fault.severity) == (Check.JUMP, leg, Severity.STOP)
    for now, then, move in zip(verdict.allowed.length_m, before, movement, strict=True):
        assert abs(now - then) <= abs(move) + 1e-12, "no step into the measured length"


def test_the_bound_of_a_jump_grows_with_time_and_silence():
    leg = LIMITS.legs[1]
    allowed = leg.speed_max_m_s * LIMITS.jump_speed_factor * DT + LIMITS.jump_base_m
    for way_m, elapsed_s, silent, trips in [
        (0.999 * allowed, DT, 0, False),
        (1.001 * allowed, DT, 0, True),
        (1.001 * allowed, 2 * DT, 0, False),
        (1.001 * allowed, DT, 1, False),
        (1.001 * allowed, 0.1 * DT, 0, True),
        (0.999 * allowed, 0.1 * DT, 0, False),
    ]:
        watch = PlausibilityWatch(LIMITS)
        watch.step(feedback(), None, DT)
        for _ in range(silent):
            assert watch.step(feedback(fresh=changed(YES, 2, False)), None, DT) is None
        moved = tuple(x + 1e-6 for x in changed(START, 2, START[1] + way_m))
        found = watch.step(feedback(moved), None, elapsed_s)
        assert (found is not None) is trips, (way_m, elapsed_s, silent)


@pytest.mark.parametrize("lost", [1, 5, 50])
def test_row_25_silences_that_are_over_permit_nothing(lost):
    """A leg that loses a frame now and then is judged like any other as soon as it is heard."""
    watch = PlausibilityWatch(LIMITS)
    length_m = START
    watch.step(feedback(length_m), None, DT)
    for _ in range(lost):
        for fresh in (changed(YES, 2, False), YES, YES):
            length_m = tuple(x + 1e-6 for x in length_m)
            assert watch.step(feedback(length_m, fresh=fresh), None, DT) is None
    jumped = tuple(x + 1e-6 for x in changed(length_m, 2, length_m[1] + 0.050))
    assert watch.step(feedback(jumped), None, DT) is not None


def test_a_bus_without_any_frame_is_silence_too():
    watch = PlausibilityWatch(LIMITS)
    watch.step(feedback(), None, DT)
    for _ in range(5):
        assert watch.step(None, None, DT) is None
    moved = tuple(x + 0.008 for x in START)
    assert watch.step(feedback(moved), None, DT) is None


def test_homing_may_shift_the_lengths():
    bench = Bench()
    bench.homing()
    for shift in (0.3, -0.2, 0.0):
        bench.cycle(None, fb=bench.read(length_m=tuple(x + shift for x in START), homed=NO))
    bench.run(20)
    assert bench.verdict.mode is Mode.STANDBY
    assert bench.verdict.faults == ()


def test_a_length_that_is_no_number_is_told_once_as_such():
    bench = Bench().moving()
    verdict = go_on(bench, length_m=changed(bench.length_m, 3, math.nan))
    assert [v.check for v in verdict.violations if v.severity > Severity.INFORM] == [Check.FEEDBACK]
    verdict = go_on(bench)
    assert Check.JUMP not in {v.check for v in verdict.violations}


def test_homing_anew_may_shift_the_lengths_too():
    """What was measured before it, by another reference, is forgotten."""
    bench = Bench().standby()
    bench.cycle(None, Request.SHUT_DOWN)
    bench.cycle(None, Request.CONFIGURED)
    bench.length_m = tuple(x + 0.05 for x in START)
    bench.cycle(None, Request.HOME)
    bench.run(20)
    assert bench.verdict.mode is Mode.STANDBY
    assert bench.verdict.faults == ()


def test_lengths_after_a_jump_tell_no_lag():
    """What leapt is another length, not an old one: a stop for a jump is not one for a lag too."""
    limits = make_limits(
        following_base_m=0.05, feedback_lag_max_s=0.012, feedback_lag_growth_s=0.003
    )
    bench = Bench(limits).moving(cycles=200)
    checks = set()
    for _ in range(40):
        leapt = changed(bench.length_m, 1, bench.length_m[0] - 0.03)
        bench.cycle(fb=bench.read(length_m=leapt))
        checks |= {violation.check for violation in bench.verdict.violations}
    assert bench.verdict.mode is not Mode.ENGAGED
    assert Check.JUMP in checks
    assert Check.LAG not in checks
