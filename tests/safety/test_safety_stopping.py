"""The controlled stop in exact discrete form, against sums taken cycle by cycle."""

import math
from dataclasses import FrozenInstanceError
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import at_least
from safety_samples import EPS, speed_limit_within, stop_distance

from safety.controlled_stop import StopRamp, ramp_distance

periods = st.sampled_from([0.001, 0.002, 0.004, 0.01])
decelerations = st.floats(0.1, 20.0)
speeds = st.floats(-1.0, 1.0)


def whole_way(speed, deceleration, dt):
    """Way of the next cycle at `speed` and of the braking after it, added up."""
    return speed * dt + stop_distance(speed, deceleration, dt)


@at_least(300)
@given(st.floats(1e-9, 2.0), decelerations, periods)
def test_the_speed_limit_uses_the_whole_distance_and_no_more(distance, a, dt):
    v = speed_limit_within(distance, a, dt)
    assert v > 0.0
    assert whole_way(v, a, dt) == pytest.approx(distance, rel=1e-9)


@at_least(300)
@given(st.integers(1, 400), decelerations, periods)
def test_the_speed_limit_is_exact_where_the_number_of_cycles_changes(cycles, a, dt):
    # v = n*dv needs n moving cycles: d = dv*dt*(n + ... + 1), the very edge of the floor.
    edge = a * dt * dt * cycles * (cycles + 1) / 2.0
    for distance in (math.nextafter(edge, 0.0), edge, math.nextafter(edge, 9.0)):
        assert speed_limit_within(distance, a, dt) == pytest.approx(cycles * a * dt, rel=1e-12)


def test_the_printed_case_of_the_exact_form():
    # d = 0.1 m, a = 3 m/s^2, dt = 4 ms: dv = 0.012 m/s, k = 64, v = (25 + 0.012*64*65/2)/65.
    assert speed_limit_within(0.1, 3.0, 0.004) == pytest.approx((25.0 + 24.96) / 65.0, rel=1e-15)


@at_least(300)
@given(st.floats(1.0, 500.0))
def test_the_way_of_a_ramp_is_its_sum(ratio):
    added = sum(max(0.0, 1.0 - j / ratio) for j in range(1, 502))
    assert ramp_distance(ratio) == pytest.approx(added, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(("ratio", "way"), [(1.0, 0.0), (2.0, 0.5), (2.5, 0.8), (4.0, 1.5)])
def test_the_way_of_short_ramps(ratio, way):
    assert ramp_distance(ratio) == pytest.approx(way, abs=1e-15)


six_speeds = st.tuples(*[speeds] * 6)
six_decelerations = st.tuples(*[st.floats(0.5, 10.0)] * 6)


def ramp_of(speed, deceleration, dt, start=(1.0,) * 6):
    brakes = tuple(a * dt * dt for a in deceleration)
    return StopRamp.begin(start, tuple(v * dt for v in speed), brakes)


def cycles_of(ramp):
    return math.ceil(ramp.ratio) + 2


@at_least(300)
@given(six_speeds, six_decelerations, periods)
def test_invariant_3_no_leg_brakes_harder_than_it_may_and_one_brakes_as_hard_as_it_may(v, a, dt):
    ramp = ramp_of(v, a, dt)
    last, before = ramp.start_m, ramp.movement_m
    hardest = 0.0
    for j in range(1, min(200, cycles_of(ramp))):
        now = ramp.length_m(j)
        for x, y, u, limit in zip(last, now, before, a, strict=True):
            change = abs((y - x) - u)
            assert change <= limit * dt * dt + EPS
            hardest = max(hardest, change / (limit * dt * dt))
        before = tuple(y - x for x, y in zip(last, now, strict=True))
        last = now
    if ramp.ratio > 1.0:
        assert hardest == pytest.approx(1.0, rel=1e-6)


@at_least(300)
@given(six_speeds, six_decelerations, periods)
def test_invariant_5_the_stop_never_speeds_up_and_ends_in_time(v, a, dt):
    ramp = ramp_of(v, a, dt)
    factors = [ramp.factor(j) for j in range(cycles_of(ramp))]
    assert factors[0] == 1.0
    assert all(0.0 <= s <= r for r, s in pairwise(factors))
    longest = max(abs(x) / limit for x, limit in zip(v, a, strict=True))
    in_time = math.ceil((longest + 2.0 * dt) / dt - 1e-9)
    assert ramp.factor(in_time) == 0.0
    assert ramp.length_m(in_time) == ramp.length_m(in_time + 1) == ramp.length_m(10**6)
    assert ramp.speed_m_s(in_time, dt) == (0.0,) * 6


@at_least(300)
@given(six_speeds, six_decelerations, periods)
def test_invariant_7_six_legs_share_one_factor(v, a, dt):
    ramp = ramp_of(v, a, dt)
    for j in range(1, cycles_of(ramp), 1 + cycles_of(ramp) // 50):
        s = ramp.factor(j)
        rows = zip(ramp.length_m(j - 1), ramp.length_m(j), ramp.speed_m_s(j, dt), v, strict=True)
        for x, y, speed, first in rows:
            assert abs(speed - first * s) <= 1e-14
            assert abs((y - x) - first * s * dt) <= EPS


@at_least(300)
@given(six_speeds, six_decelerations, periods, st.integers(1, 50))
def test_a_stop_that_begins_again_on_the_way_ends_at_the_same_place(v, a, dt, later):
    ramp = ramp_of(v, a, dt)
    here = ramp.length_m(later)
    moves = tuple(y - x for x, y in zip(ramp.length_m(later - 1), here, strict=True))
    again = StopRamp.begin(here, moves, tuple(limit * dt * dt for limit in a))
    for x, y in zip(ramp.length_m(10**6), again.length_m(10**6), strict=True):
        assert x == pytest.approx(y, abs=1e-11)


@at_least(300)
@given(st.floats(0.001, 1.0), st.floats(0.5, 10.0), periods, st.integers(0, 5))
def test_the_binding_leg_reproduces_the_single_leg_form(v, a, dt, place):
    """The slowest leg to stop goes exactly as far as it would go alone."""
    speed, deceleration = [1e-6] * 6, [100.0] * 6
    speed[place], deceleration[place] = v, a
    ramp = ramp_of(tuple(speed), tuple(deceleration), dt)
    way = ramp.length_m(10**6)[place] - 1.0
    assert way == pytest.approx(stop_distance(v, a, dt), abs=EPS)
    assert speed_limit_within(v * dt + way, a, dt) == pytest.approx(v, rel=1e-7)


def test_a_platform_at_rest_stops_where_it_is():
    ramp = ramp_of((0.0,) * 6, (2.0,) * 6, 0.002)
    assert ramp.ratio == 1.0
    assert ramp.length_m(1) == ramp.start_m


def test_a_ramp_cannot_be_changed():
    ramp = ramp_of((0.1,) * 6, (2.0,) * 6, 0.002)
    assert not hasattr(ramp, "__dict__")
    with pytest.raises(FrozenInstanceError):
        ramp.ratio = 2.0


def test_a_ramp_needs_six_brakes():
    with pytest.raises(ValueError, match="zip"):
        StopRamp.begin((1.0,) * 6, (0.0,) * 6, (1.0,) * 5)
