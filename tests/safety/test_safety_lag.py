"""The lag of the measured path is found within half a cycle, whatever the motion.

The paths are functions of time, so a delayed one is known exactly: measured(t) = path(t - lag).
"""

import math
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import at_least, dear
from safety_samples import make_limits

from safety.lag import DOUBT_M, LagWatch
from safety.modes import Severity
from safety.verdict import Check, Feedback

START_M = (0.90, 0.91, 0.92, 0.93, 0.94, 0.95)
ON = (True,) * 6
NO = (0,) * 6
STILL = (0.0,) * 6


def limits(period_s, most_s=0.1, growth_s=None):
    growth_s = max(1.5 * period_s, 0.003) if growth_s is None else growth_s
    return make_limits(period_s=period_s, feedback_lag_max_s=most_s, feedback_lag_growth_s=growth_s)


def told(lengths_m, fresh=ON):
    return Feedback(tuple(lengths_m), STILL, ON, ON, NO, fresh)


def sinusoid(t, leg):
    return 0.04 * math.sin(2.0 * math.pi * (0.4 + 0.3 * leg) * t + leg)


def ramp(t, leg):
    return (0.02 + 0.02 * leg) * t if t > 0.0 else 0.0


def shaker(t, leg):
    return 0.001 * math.sin(2.0 * math.pi * (4.0 + 2.0 * leg) * t)


def noise(seed):
    """A random motion: many sinusoids up to 6 Hz, with the spectrum of a vehicle's ride."""
    draw = random.Random(seed)
    lines = [(draw.uniform(0.1, 6.0), draw.uniform(0.0, 6.3)) for _ in range(24)]

    def path(t, leg):
        return sum(0.004 / (0.5 + f) * math.sin(2.0 * math.pi * f * t + p + leg) for f, p in lines)

    return path


def play(watch, path, period_s, lag_s, seconds, *, measured=None, begin=0):
    """Run a watch over a path; lag_s is one for all legs or a function of time. All violations."""
    found = []
    for cycle in range(begin, begin + round(seconds / period_s)):
        t = cycle * period_s
        lag = lag_s(cycle) if callable(lag_s) else lag_s
        commanded = tuple(x + path(t, leg) for leg, x in enumerate(START_M))
        there = [x + path(t - lag, leg) for leg, x in enumerate(START_M)]
        feedback = told(there) if measured is None else measured(cycle, there)
        found += [(cycle, v) for v in watch.step(feedback, commanded) or ()]
    return found


PATHS = {"sinusoid": sinusoid, "ramp": ramp, "shaker": shaker, "noise": noise(3)}


@pytest.mark.parametrize("name", PATHS)
@pytest.mark.parametrize("period_s", [0.001, 0.002, 0.004, 0.01])
@pytest.mark.parametrize("cycles", [0.0, 0.7, 1.0, 2.4, 5.5])
def test_the_lag_is_found_within_half_a_cycle(name, period_s, cycles):
    lag_s = cycles * period_s
    if name == "shaker" and lag_s > 0.03:
        pytest.skip("half a period of 14 Hz: a sinusoid does not tell such a lag")
    watch = LagWatch(limits(period_s))
    found = play(watch, PATHS[name], period_s, lag_s, 3.0)
    assert not found
    for leg, value in enumerate(watch.lag_s):
        assert abs(value - lag_s) <= 0.5 * period_s, f"leg {leg + 1}"
    for value in watch.base_s:
        assert abs(value - lag_s) <= 0.5 * period_s


@pytest.mark.parametrize("cycles", [1.3, 1.6, 7.5])
def test_lengths_that_run_ahead_at_first_do_not_make_a_true_lag_a_fault(cycles):
    """A drive goes on by its speed for a cycle: what is further ahead is no reference.

    Far ahead it is doubted as the work of a load; just beyond a cycle it would be believed.
    """
    ahead_s = cycles * 0.004
    watch = LagWatch(limits(0.004, growth_s=0.02))
    found = play(watch, sinusoid, 0.004, lambda cycle: -ahead_s if cycle < 100 else 0.004, 3.0)
    assert not found
    assert min(watch.base_s) >= -0.004


@given(seed=st.integers(0, 10**6), cycles=st.floats(0.0, 3.0))
@dear
def test_the_lag_of_random_motions_is_found_within_half_a_cycle(seed, cycles):
    period_s = 0.01
    watch = LagWatch(limits(period_s))
    assert not play(watch, noise(seed), period_s, cycles * period_s, 2.0)
    for value in watch.lag_s:
        assert abs(value - cycles * period_s) <= 0.5 * period_s


@pytest.mark.parametrize("period_s", [0.002, 0.004, 0.01])
@pytest.mark.parametrize("tau_s", [0.005, 0.02])
def test_a_follower_of_first_order_has_the_lag_of_its_phase(period_s, tau_s):
    """1/(1 + s tau) turns a sinusoid back by atan(w tau) and makes it smaller: both are known."""

    def follow(cycle, _):
        there = []
        for leg, x in enumerate(START_M):
            w = 2.0 * math.pi * (0.4 + 0.3 * leg)
            phase = math.atan(w * tau_s)
            at = w * cycle * period_s + leg - phase
            there.append(x + 0.04 * math.cos(phase) * math.sin(at))
        return told(there)

    watch = LagWatch(limits(period_s))
    play(watch, sinusoid, period_s, 0.0, 3.0, measured=follow)
    for leg, value in enumerate(watch.base_s):
        w = 2.0 * math.pi * (0.4 + 0.3 * leg)
        assert abs(value - math.atan(w * tau_s) / w) <= 0.5 * period_s


@pytest.mark.parametrize("name", ["sinusoid", "noise"])
@pytest.mark.parametrize("period_s", [0.002, 0.004, 0.01])
def test_two_cycles_later_than_in_the_first_movement_are_found(name, period_s):
    watch = LagWatch(limits(period_s))
    assert not play(watch, PATHS[name], period_s, 1.5 * period_s, 2.0)
    turn = round(2.0 / period_s)
    found = play(watch, PATHS[name], period_s, 3.5 * period_s, 1.0, begin=turn)
    assert found, "every frame is late by two cycles more"
    cycle, violation = found[0]
    assert violation.check is Check.LAG
    assert violation.severity is Severity.STOP
    assert violation.limit == pytest.approx(3.0 * period_s, abs=0.6 * period_s)
    assert "in its first movement" in str(violation)
    assert cycle - turn <= 0.2 / period_s


def found_after_s(path, period_s, legs, onset):
    """Time from the cycle in which some legs become late by two cycles to the stop."""

    def late(cycle, _):
        lags = [(3 if cycle >= onset and leg in legs else 1) * period_s for leg in range(6)]
        return told([x + path(cycle * period_s - lags[leg], leg) for leg, x in enumerate(START_M)])

    watch = LagWatch(limits(period_s, most_s=max(2.5 * period_s, 0.010)))
    assert not play(watch, path, period_s, 0.0, onset * period_s, measured=late)
    found = play(watch, path, period_s, 0.0, 2.0, measured=late, begin=onset)
    return (found[0][0] - onset) * period_s


@pytest.mark.parametrize(
    ("rate_hz", "steady_s", "worst_s"),
    [
        (500, 0.09, 0.40),
        (250, 0.07, 0.25),
        (125, 0.13, 0.40),
        (100, 0.16, 0.55),
        (62.5, 0.26, 0.65),
    ],
)
def test_how_soon_two_cycles_are_found_is_as_the_manual_says_by_rate(rate_hz, steady_s, worst_s):
    period_s = 1.0 / rate_hz
    manual = (Path(__file__).parents[2] / "docs" / "safety_manual.md").read_text("utf-8")
    assert f"| {rate_hz:g} Hz | {steady_s:.2f} s | {worst_s:.2f} s |" in manual
    assert steady_s - 0.01 <= found_after_s(ramp, period_s, range(6), round(2.0 / period_s))
    assert found_after_s(ramp, period_s, range(6), round(2.0 / period_s)) <= steady_s
    for phase in range(5):
        onset = round((2.0 + 0.26 * phase) / period_s)
        assert found_after_s(sinusoid, period_s, (0,), onset) <= worst_s


def test_the_whole_lag_is_limited_from_the_first_movement_on():
    period_s = 0.004
    watch = LagWatch(limits(period_s, most_s=0.010))
    assert not play(watch, sinusoid, period_s, 0.008, 2.0)
    watch = LagWatch(limits(period_s, most_s=0.010))
    found = play(watch, sinusoid, period_s, 0.012, 2.0)
    assert {v.leg for _, v in found} == {1, 2, 3, 4, 5, 6}
    first = found[0][1]
    assert first.limit == pytest.approx(0.010)
    assert first.value == pytest.approx(0.012, abs=0.002)
    assert "feedback lags by" in str(first)


def test_one_leg_alone_is_named():
    period_s = 0.004

    def third_late(cycle, there):
        t = (cycle - 3) * period_s
        return told([*there[:2], START_M[2] + sinusoid(t, 2), *there[3:]])

    watch = LagWatch(limits(period_s, most_s=0.010))
    found = play(watch, sinusoid, period_s, 0.004, 2.0, measured=third_late)
    assert {v.leg for _, v in found} == {3}


@pytest.mark.parametrize("period_s", [0.002, 0.004, 0.01])
def test_single_late_frames_do_not_trip(period_s):
    draw = random.Random(5)

    def sometimes(cycle):
        return (3.0 if draw.random() < 0.03 else 1.0) * period_s

    watch = LagWatch(limits(period_s, most_s=2.5 * period_s))
    assert not play(watch, noise(8), period_s, sometimes, 20.0)


def test_at_rest_and_below_the_speed_of_standing_nothing_is_judged():
    period_s, speed = 0.004, make_limits().standstill_speed_m_s
    watch = LagWatch(limits(period_s, most_s=0.005))

    def creep(t, leg):
        return 0.99 * speed * t * (-1) ** leg

    assert not play(watch, lambda t, leg: 0.0, period_s, 0.0, 1.0)
    assert not play(watch, creep, period_s, 0.5, 2.0)
    assert all(math.isnan(x) for x in (*watch.lag_s, *watch.base_s))


@pytest.mark.parametrize("offset_m", [DOUBT_M, -DOUBT_M])
def test_a_slow_leg_that_friction_holds_back_a_little_does_not_trip(offset_m):
    """A rod that stays behind by as much as it may at any speed: at 5 mm/s that looks like 6 ms."""
    period_s = 0.004

    def held_back(cycle, there):
        speeds = [math.cos(0.25 * cycle * period_s + leg) for leg in range(6)]
        pairs = zip(there, speeds, strict=True)
        return told([x - math.copysign(offset_m, v) for x, v in pairs])

    def slow(t, leg):
        return 0.02 * math.sin(0.25 * t + leg)

    watch = LagWatch(limits(period_s, most_s=0.006))
    assert not play(watch, slow, period_s, period_s, 20.0, measured=held_back)


@at_least(50)
@given(data=st.data())
def test_what_is_not_finite_or_not_there_is_never_taken_in(data):
    period_s = 0.004
    wild = st.sampled_from([math.nan, math.inf, -math.inf, 1e300, -1e9])
    bad = data.draw(st.lists(st.tuples(st.integers(0, 500), st.integers(0, 5), wild), max_size=60))
    silent = set(data.draw(st.lists(st.integers(0, 500), max_size=60)))

    def spoilt(cycle, there):
        for at, leg, value in bad:
            if at == cycle:
                there[leg] = value
        if cycle in silent:
            return None if cycle % 2 else told([math.nan] * 6, (False,) * 6)
        return told(there)

    watch = LagWatch(limits(period_s, most_s=0.006))
    assert not play(watch, sinusoid, period_s, period_s, 2.0, measured=spoilt)
    for value in (*watch.lag_s, *watch.base_s):
        assert abs(value - period_s) <= 0.5 * period_s


def test_a_new_stream_begins_anew_and_keeps_what_the_first_movement_told():
    period_s = 0.004
    watch = LagWatch(limits(period_s))
    play(watch, sinusoid, period_s, period_s, 1.0)
    base = watch.base_s
    assert watch.step(None, None) is None
    found = play(watch, noise(2), period_s, 3.0 * period_s, 1.0)
    assert found
    assert watch.base_s == base


def test_a_first_movement_that_is_too_slow_to_tell_is_replaced_by_a_faster_one():
    period_s = 0.004

    def path(t, leg):
        return 0.02 * t if t < 1.0 else 0.02 * t + 0.05 * (t - 1.0) ** 2

    def offset(cycle, there):
        return told([x - 1e-5 for x in there])

    watch = LagWatch(limits(period_s))
    play(watch, path, period_s, period_s, 1.0, measured=offset)
    assert watch.base_s[0] - period_s == pytest.approx(1e-5 / 0.02, rel=0.05)
    play(watch, path, period_s, period_s, 2.0, measured=offset, begin=250)
    assert watch.base_s[0] - period_s < 0.5 * 1e-5 / 0.02


@pytest.mark.parametrize("away_m", [0.05, -0.2])
def test_a_path_that_begins_elsewhere_is_no_movement_from_the_old_one(away_m):
    """Legs that were moved without power, and are enabled there, have not lagged on the way."""
    period_s = 0.004
    watch = LagWatch(limits(period_s))
    play(watch, sinusoid, period_s, period_s, 1.0)
    watch.forget()
    found = play(watch, lambda t, leg: away_m + sinusoid(t, leg), period_s, period_s, 0.4)
    assert not found
    for value in watch.lag_s:
        assert abs(value - period_s) <= 0.1 * period_s


@pytest.mark.parametrize("after", range(0, 26))
def test_a_lag_that_has_grown_is_no_better_reference_however_well_it_is_known(after):
    """A slow first movement tells its lag roughly; a fast one that lags more replaces nothing."""
    period_s = 0.004
    turn = 250 + after

    def path(t, leg):
        way = 0.02 * t
        return way if t < turn * period_s else way + 2.0 * (t - turn * period_s) ** 2

    watch = LagWatch(limits(period_s))
    assert not play(watch, path, period_s, period_s, turn * period_s)
    found = play(watch, path, period_s, 5.0 * period_s, 0.3, begin=turn)
    assert found
    assert max(watch.base_s) <= 1.5 * period_s


def loaded(ahead_deg, size_m=4e-4):
    """A rise, then a sinusoid of 4 Hz that grows for 2 s; and feedback of servos that bear a load.

    Args:
        ahead_deg: of the velocity, by which the error comes; the acceleration is 90 degrees ahead.
        size_m: of the error, where the sinusoid has 1 mm.
    """

    def swing(t, at):
        grown = min(1.0, max(0.0, 0.5 * (t - 1.0)))
        return grown * math.sin(8.0 * math.pi * t + at)

    def path(t, leg):
        return 0.05 * min(0.5, max(0.0, t)) + 0.001 * swing(t, 0.3 * leg)

    def held_back(cycle, _, late=1):
        at, ahead = cycle * 0.002, math.radians(90.0 + ahead_deg)
        legs = enumerate(START_M)
        return told(
            x + path(at - 0.002 * late, leg) - size_m * swing(at, 0.3 * leg + ahead)
            for leg, x in legs
        )

    return path, held_back


@pytest.mark.parametrize("ahead_deg", [40.0, 60.0, 80.0, 100.0])
def test_what_a_load_does_to_servos_as_they_accelerate_is_no_lag(ahead_deg):
    path, held_back = loaded(ahead_deg)
    watch = LagWatch(limits(0.002, most_s=0.010))
    assert not play(watch, path, 0.002, 0.0, 6.0, measured=held_back)


def test_what_a_load_does_in_phase_with_velocity_is_a_lag():
    """12 ms, of a drive that follows so slowly under its load: a stop would begin as late."""
    path, held_back = loaded(0.0)
    watch = LagWatch(limits(0.002, most_s=0.010))
    assert play(watch, path, 0.002, 0.0, 6.0, measured=held_back)


def test_once_a_load_is_gone_late_frames_are_found_again():
    path, held_back = loaded(60.0)
    _, free = loaded(0.0, 0.0)
    watch = LagWatch(limits(0.002, most_s=0.010))
    play(watch, path, 0.002, 0.0, 6.0, measured=held_back)
    assert not play(watch, path, 0.002, 0.0, 2.5, measured=free, begin=3000)

    def late(cycle, there):
        return free(cycle, there, late=6)

    found = play(watch, path, 0.002, 0.0, 1.0, measured=late, begin=4250)
    assert found
    assert (found[0][0] - 4250) * 0.002 <= 0.1
