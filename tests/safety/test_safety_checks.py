"""Each check of a setpoint at its boundary, on each leg, on both sides."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import at_least
from safety_samples import (
    DT,
    LEG,
    START,
    ZERO,
    changed,
    feedback,
    make_limits,
    speed_limit_within,
    stop_ends,
)

from safety.checks import SetpointChecks
from safety.modes import Severity
from safety.verdict import Check

LIMITS = make_limits()
CHECKS = SetpointChecks(LIMITS)
LEGS = range(1, 7)
SIGNS = (1.0, -1.0)
TINY = 1e-9


def judge(length_m=START, speed_m_s=ZERO, last_m=START, movement_m=ZERO, checks=CHECKS):
    return checks.judge(last_m, movement_m, length_m, speed_m_s)


def found(violations):
    return {(v.check, v.leg) for v in violations}


def ask(leg, speed, before=0.0, length=None, feed=None):
    """Judge a setpoint that moves one leg at a mean speed, after a speed before."""
    length = START[leg - 1] if length is None else length
    return judge(
        length_m=changed(START, leg, length + speed * DT),
        speed_m_s=changed(ZERO, leg, speed if feed is None else feed),
        last_m=changed(START, leg, length),
        movement_m=changed(ZERO, leg, before * DT),
    )


def test_standing_still_passes():
    assert judge() == []


@pytest.mark.parametrize("leg", LEGS)
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_invariant_1_what_is_not_finite_is_named_once(leg, bad):
    (violation,) = judge(length_m=changed(START, leg, bad))
    assert (violation.check, violation.leg, violation.unit) == (Check.FINITE, leg, "m")
    (violation,) = judge(speed_m_s=changed(ZERO, leg, bad))
    assert (violation.check, violation.leg, violation.unit) == (Check.FINITE, leg, "m/s")
    assert violation.severity is Severity.STOP


@pytest.mark.parametrize("leg", LEGS)
def test_invariant_2_position_is_named_with_its_range(leg):
    low, high = LIMITS.legs[leg - 1].soft_min_m, LIMITS.legs[leg - 1].soft_max_m
    for end, outside in ((low, -TINY), (high, TINY)):
        inside = judge(changed(START, leg, end), last_m=changed(START, leg, end))
        assert found(inside) == {(Check.BRAKING, leg)}
        there = changed(START, leg, end + outside)
        (violation,) = judge(there, last_m=there)
        assert (violation.check, violation.leg) == (Check.POSITION, leg)
        assert (violation.low, violation.limit) == (low, high)
        assert violation.value == end + outside


@pytest.mark.parametrize("leg", LEGS)
@pytest.mark.parametrize("sign", SIGNS)
def test_invariant_3_speed(leg, sign):
    limit = LIMITS.legs[leg - 1].speed_max_m_s
    assert ask(leg, sign * (limit - TINY), before=sign * limit, length=1.0) == []
    (violation,) = ask(leg, sign * (limit + 1e-7), before=sign * limit, length=1.0)
    assert (violation.check, violation.leg, violation.unit) == (Check.SPEED, leg, "m/s")
    assert violation.value == pytest.approx(sign * (limit + 1e-7), abs=1e-10)
    assert (violation.low, violation.limit) == (-limit, limit)


@pytest.mark.parametrize("leg", LEGS)
@pytest.mark.parametrize("sign", SIGNS)
def test_the_asked_speed_has_the_same_limit(leg, sign):
    limit = LIMITS.legs[leg - 1].speed_max_m_s
    speed = sign * (limit - 0.001)
    assert ask(leg, speed, before=speed, length=1.0, feed=sign * limit) == []
    (violation,) = ask(leg, speed, before=speed, length=1.0, feed=sign * (limit + 2e-6))
    assert (violation.check, violation.leg) == (Check.SPEED, leg)
    assert violation.note == "asked feed-forward"
    assert (violation.value, violation.low) == (sign * (limit + 2e-6), -limit)


@pytest.mark.parametrize("leg", LEGS)
@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("before", [0.0, 0.05, -0.05])
def test_invariant_3_acceleration(leg, sign, before):
    limit = LIMITS.legs[leg - 1].acceleration_max_m_s2
    assert ask(leg, before + sign * (limit * DT - TINY), before) == []
    (violation,) = ask(leg, before + sign * (limit * DT + 1e-7), before)
    assert (violation.check, violation.leg, violation.unit) == (Check.ACCELERATION, leg, "m/s^2")
    assert violation.value == pytest.approx(sign * (limit + 1e-7 / DT), rel=1e-6)
    assert (violation.low, violation.limit) == (-limit, limit)


@pytest.mark.parametrize("leg", LEGS)
@pytest.mark.parametrize("sign", SIGNS)
def test_the_asked_speed_matches_the_movement(leg, sign):
    limit = LIMITS.legs[leg - 1].acceleration_max_m_s2 * DT
    speed = 0.1
    assert ask(leg, speed, speed, feed=speed + sign * limit) == []
    (violation,) = ask(leg, speed, speed, feed=speed + sign * (limit + 2e-6))
    assert (violation.check, violation.leg) == (Check.SPEED_MISMATCH, leg)
    assert violation.unit == "m/s"
    assert violation.value == pytest.approx(limit + 2e-6, rel=1e-9)
    assert violation.limit == pytest.approx(limit)


@pytest.mark.parametrize("leg", LEGS)
@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("speed", [0.0, 0.0005, 0.01, 0.2])
def test_invariant_4_a_stop_from_here_ends_inside_the_limits_less_the_margin(leg, sign, speed):
    limits = LIMITS.legs[leg - 1]
    margin = LIMITS.following_base_m + speed * (
        LIMITS.following_per_speed_s + LIMITS.reaction_time_s
    )
    movement = changed(ZERO, leg, sign * speed * DT)
    way = stop_ends(LIMITS, ZERO, movement)[leg - 1]
    edge = limits.soft_max_m - margin if sign > 0 else limits.soft_min_m + margin
    last = edge - way - sign * speed * DT
    assert ask(leg, sign * speed, sign * speed, last - sign * TINY) == []
    (violation,) = ask(leg, sign * speed, sign * speed, last + sign * TINY)
    assert (violation.check, violation.leg) == (Check.BRAKING, leg)
    assert violation.value == pytest.approx(edge + sign * TINY, abs=1e-12)
    assert violation.low == pytest.approx(limits.soft_min_m + margin)
    assert violation.limit == pytest.approx(limits.soft_max_m - margin)


def test_a_slow_leg_is_carried_further_by_the_leg_that_needs_longest():
    """Leg 1 alone could stop in one cycle; beside a fast leg 2 it goes on for the whole ramp."""
    speed = (0.0039, 0.3, 0.0, 0.0, 0.0, 0.0)
    movement = tuple(v * DT for v in speed)
    way = stop_ends(LIMITS, ZERO, movement)[0]
    assert way > 0.25 * speed[0] * 0.3 / 2.0
    margin = LIMITS.following_base_m + speed[0] * (0.02 + 0.006)
    edge = LIMITS.legs[0].soft_max_m - margin - way
    for there, expected in ((edge - TINY, set()), (edge + TINY, {(Check.BRAKING, 1)})):
        here = changed(START, 1, there)
        last = tuple(x - u for x, u in zip(here, movement, strict=True))
        assert found(judge(here, speed, last, movement)) == expected


@pytest.mark.parametrize("order", [(0.3, -0.1, 0.1), (-0.1, 0.3, 0.1), (0.1, -0.1, 0.3)])
def test_the_leg_that_needs_longest_sets_the_ramp_wherever_it_stands(order):
    speed = (*order, 0.0, 0.0, 0.0)
    fast = order.index(0.3) + 1
    movement = tuple(v * DT for v in speed)
    way = stop_ends(LIMITS, ZERO, movement)[fast - 1]
    margin = LIMITS.following_base_m + 0.3 * (0.02 + 0.006)
    edge = LIMITS.legs[fast - 1].soft_max_m - margin - way
    for there, expected in ((edge - TINY, set()), (edge + TINY, {(Check.BRAKING, fast)})):
        here = changed((1.0,) * 6, fast, there)
        last = tuple(x - u for x, u in zip(here, movement, strict=True))
        assert found(judge(here, speed, last, movement)) == expected


def test_the_very_limits_of_acceleration_and_speed_pass_in_spite_of_rounding():
    last, before = START, ZERO
    for i in range(1, 41):
        speed = tuple(leg.acceleration_max_m_s2 * DT * i for leg in LIMITS.legs)
        asked = tuple(x + v * DT for x, v in zip(last, speed, strict=True))
        assert judge(asked, speed, last, before) == []
        before = tuple(y - x for x, y in zip(last, asked, strict=True))
        last = asked


@at_least(200)
@given(st.floats(1e-3, 0.2))
def test_one_leg_alone_may_go_as_fast_as_the_exact_single_leg_form_says(distance):
    """With no margin to speak of, the six-leg check on one moving leg is the single-leg limit."""
    few = {"following_base_m": 1e-9, "following_per_speed_s": 0.0, "reaction_time_s": 1e-9}
    checks = SetpointChecks(make_limits(legs=(LEG,) * 6, **few))
    last = changed((1.0,) * 6, 3, LEG.soft_max_m - distance)
    v = min(speed_limit_within(distance, LEG.stop_deceleration_m_s2, DT), LEG.speed_max_m_s)
    for factor, passes in ((1.0 - 1e-6, True), (1.0 + 1e-6, v == LEG.speed_max_m_s)):
        speed = min(v * factor, LEG.speed_max_m_s)
        move = changed(ZERO, 3, speed * DT)
        asked = tuple(x + u for x, u in zip(last, move, strict=True))
        assert (judge(asked, changed(ZERO, 3, speed), last, move, checks) == []) is passes


def test_everything_that_is_wrong_is_named():
    violations = judge(
        length_m=(0.1, math.nan, START[2] + 0.3, *START[3:]),
        speed_m_s=(0.0, 0.0, 0.0, 0.9, 0.0, 0.0),
    )
    moved = {Check.SPEED, Check.ACCELERATION, Check.SPEED_MISMATCH}
    assert found(violations) == {
        (Check.POSITION, 1),
        (Check.FINITE, 2),
        (Check.SPEED, 4),
        (Check.SPEED_MISMATCH, 4),
        *((check, leg) for check in moved for leg in (1, 3)),
    }


@pytest.mark.parametrize("leg", LEGS)
@pytest.mark.parametrize("sign", SIGNS)
def test_a_stream_starts_where_the_platform_is_held(leg, sign):
    limit = LIMITS.start_tolerance_m
    assert CHECKS.start_offset(START, START) == []
    near = changed(START, leg, START[leg - 1] + sign * (limit - TINY))
    assert CHECKS.start_offset(START, near) == []
    far = changed(START, leg, START[leg - 1] + sign * (limit + TINY))
    (violation,) = CHECKS.start_offset(START, far)
    assert (violation.check, violation.leg) == (Check.START, leg)
    assert violation.severity is Severity.HOLD
    assert violation.value == pytest.approx(sign * (limit + TINY))
    assert (violation.low, violation.limit) == (-limit, limit)
    (violation,) = CHECKS.start_offset(START, changed(START, leg, math.nan))
    assert violation.check is Check.START


def test_start_obstacles():
    assert CHECKS.start_obstacles(feedback(), at_rest=True) == []
    assert CHECKS.start_obstacles(None, at_rest=True) == ["feedback of all six legs is needed"]
    for leg in LEGS:
        for name, words in (
            ("fresh", "feedback of all six"),
            ("enabled", "not enabled"),
            ("homed", "not homed"),
        ):
            flags = changed((True,) * 6, leg, False)
            (reason,) = CHECKS.start_obstacles(feedback(**{name: flags}), at_rest=True)
            assert words in reason
        limits = LIMITS.legs[leg - 1]
        margin = LIMITS.following_base_m
        for edge, out in ((limits.soft_min_m + margin, -1), (limits.soft_max_m - margin, 1)):
            near = feedback(changed(START, leg, edge - out * TINY))
            assert CHECKS.start_obstacles(near, at_rest=True) == []
            over = feedback(changed(START, leg, edge + out * TINY))
            (reason,) = CHECKS.start_obstacles(over, at_rest=True)
            assert reason.startswith(f"leg {leg}: position ")
        (reason,) = CHECKS.start_obstacles(feedback(changed(START, leg, math.nan)), at_rest=True)
        assert "nan m is not finite" in reason
    assert CHECKS.start_obstacles(feedback(), at_rest=False) == ["the legs do not stand still"]


def test_each_leg_has_its_own_bounds():
    legs = [replace(leg, soft_max_m=1.2 + 0.01 * i) for i, leg in enumerate(LIMITS.legs)]
    checks = SetpointChecks(make_limits(legs=tuple(legs)))
    same = (1.215,) * 6
    assert {v.leg for v in judge(same, last_m=same, checks=checks)} == {1, 2}
