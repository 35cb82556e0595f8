"""The sum of sines: exact in its own time, led in and out, and never led where it rests."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from motion_checks import (
    NEUTRAL,
    assert_consistent,
    assert_rests_at_both_ends,
    assert_same_pose,
    assert_smooth,
    pose,
)

from hil.config.errors import MotionError
from hil.stations.platform.motion.kernels import window
from hil.stations.platform.motion.multi_sine_motion import MultiSine

TERMS = [
    [(0.020, 0.50, 0.3), (0.005, 2.30, -1.0)],
    [(0.010, 0.70, 0.0)],
    [(0.030, 0.40, 1.2)],
    [(0.050, 0.30, 0.1)],
    [(0.040, 0.60, 2.0)],
    [(0.030, 0.90, -0.5), (0.010, 1.70, 0.4)],
]
EMPTY = [[], [], [], [], [], []]
DURATION_S = 7.3
FADE_S = 1.5


def law(t):
    """Eqs. 4-5 written out, for the position of each coordinate."""
    waves = (sum(a * math.sin(2 * math.pi * f * t + p) for a, f, p in terms) for terms in TERMS)
    return NEUTRAL + np.array(list(waves))


@pytest.fixture
def motion():
    return MultiSine(NEUTRAL, TERMS, DURATION_S, FADE_S)


def test_the_middle_is_the_law_itself(motion):
    assert motion.duration_s == DURATION_S + 2 * FADE_S
    assert (motion.lead_in_s, motion.lead_out_s) == (FADE_S, FADE_S)
    for t in np.linspace(0.0, DURATION_S, 101):
        assert_same_pose(motion.sample(t + FADE_S).X_BP, pose(*law(t)))


def test_the_lead_in_is_the_law_on_extended_time_times_the_window(motion):
    for t in np.linspace(0.0, FADE_S, 31):
        u = t / FADE_S
        w = 10 * u**3 - 15 * u**4 + 6 * u**5
        wanted = NEUTRAL + w * (law(t - FADE_S) - NEUTRAL)
        assert_same_pose(motion.sample(t).X_BP, pose(*wanted))
        back = NEUTRAL + w * (law(DURATION_S + FADE_S - t) - NEUTRAL)
        assert_same_pose(motion.sample(motion.duration_s - t).X_BP, pose(*back))


def test_it_begins_and_ends_at_rest_at_neutral(motion):
    assert_rests_at_both_ends(motion)
    for t in (0.0, motion.duration_s):
        assert_same_pose(motion.sample(t).X_BP, pose(*NEUTRAL))


def test_velocity_and_acceleration_are_the_derivatives(motion):
    times = np.linspace(0.01, motion.duration_s - 0.01, 97)
    assert_consistent(motion, times)


def test_nothing_jumps_where_the_fades_join(motion):
    joins = (1e-7, FADE_S, FADE_S + DURATION_S, motion.duration_s - 1e-7)
    assert_smooth(motion, joins)


def test_a_coordinate_without_terms_stays_neutral():
    motion = MultiSine(NEUTRAL, [[], [], [(0.02, 1.0, 0.5)], [], [], []], 3.0, 1.0)
    for t in np.linspace(0, motion.duration_s, 40):
        q = motion.sample(t).X_BP.coordinates()
        assert np.delete(q, 2) == pytest.approx(np.delete(NEUTRAL, 2), abs=1e-12)


def test_a_law_that_rests_at_both_ends_is_not_faded():
    # Two sines of equal slope, opposed: speed and deviation vanish at 0 and after whole periods.
    heave = [(0.02, 1.0, 0.0), (-0.01, 2.0, 0.0)]
    motion = MultiSine(NEUTRAL, [[], [], heave, [], [], []], 2.0, 1.0)
    assert motion.duration_s == 2.0
    assert (motion.lead_in_s, motion.lead_out_s) == (0.0, 0.0)
    assert_rests_at_both_ends(motion, speed=1e-6, acceleration=1e-3)
    still = MultiSine(NEUTRAL, EMPTY, 2.0, fade_s=0.0)
    assert still.duration_s == 2.0


def test_only_the_end_that_does_not_rest_is_faded():
    heave = [(0.02, 1.0, 0.0), (-0.01, 2.0, 0.0)]
    motion = MultiSine(NEUTRAL, [[], [], heave, [], [], []], 1.7, 1.0)
    assert (motion.lead_in_s, motion.lead_out_s) == (0.0, 1.0)
    assert motion.duration_s == 2.7
    assert_rests_at_both_ends(motion, speed=1e-6, acceleration=1e-3)
    assert_smooth(motion, [1.7])


def test_only_the_beginning_that_does_not_rest_is_faded():
    turn = 2 * math.pi * 0.3  # so that the law rests after 1.7 s instead of at 0
    heave = [(0.02, 1.0, turn), (-0.01, 2.0, 2 * turn)]
    motion = MultiSine(NEUTRAL, [[], [], heave, [], [], []], 1.7, 1.0)
    assert (motion.lead_in_s, motion.lead_out_s) == (1.0, 0.0)
    assert motion.duration_s == 2.7
    assert_rests_at_both_ends(motion, speed=1e-6, acceleration=1e-3)
    assert_smooth(motion, [1.0])


def test_an_end_at_neutral_and_without_speed_but_accelerated_does_not_rest():
    opposed = [(0.01, 1.0, math.pi / 2), (-0.01, 2.0, math.pi / 2)]
    motion = MultiSine(NEUTRAL, [opposed, [], [], [], [], []], 3.0, 0.5)
    assert (motion.lead_in_s, motion.lead_out_s) == (0.5, 0.5)
    assert_rests_at_both_ends(motion)


@pytest.mark.parametrize(
    ("term", "faded"),
    [
        ((1e-12, 0.1, 1.0), False),  # far below every threshold
        ((2e-9, 1e-3, math.pi / 2), True),  # too far from neutral
        ((2e-6, 1.0, 0.0), True),  # too fast
        ((2e-5, 1e3, 0.0), True),
    ],
)
def test_the_thresholds_of_rest(term, faded):
    motion = MultiSine(NEUTRAL, [[term], [], [], [], [], []], 1.0, 0.5)
    assert motion.lead_in_s == (0.5 if faded else 0.0)


@given(st.floats(0.05, 3.0), st.floats(0.0, 3.0), st.floats(0.05, 3.0), st.floats(0.0, 1.0))
def test_the_window_lies_between_0_and_1_and_its_derivatives_fit(lead_in, own, lead_out, share):
    fade = np.array([lead_in, own, lead_out])
    t = share * fade.sum()
    w, dw, ddw = window(t, fade)
    assert -1e-12 <= w <= 1.0 + 1e-12
    h = 1e-6
    if h < t < fade.sum() - h:
        before, after = window(t - h, fade), window(t + h, fade)
        shortest = min(lead_in, lead_out)
        assert (after[0] - before[0]) / (2 * h) == pytest.approx(dw, abs=1e-5 / shortest**3)
        assert (after[1] - before[1]) / (2 * h) == pytest.approx(ddw, abs=1e-3 / shortest**3)


@pytest.mark.parametrize(
    ("terms", "text"),
    [
        (EMPTY[:5], "terms are given for 5 coordinates: one list each for x, y, z"),
        ([[(math.nan, 1.0, 0.0)], *EMPTY[1:]], "term 1 of x: amplitude is nan m"),
        ([*EMPTY[:4], [(0.1, 1.0, 0.0), (0.1, 0.0, 0.0)], []], "term 2 of beta: frequency_hz is 0"),
        ([*EMPTY[:5], [(0.1, 1.0, math.inf)]], "term 1 of gamma: phase_rad is inf rad"),
    ],
)
def test_terms_that_make_no_law_are_refused_with_their_place(terms, text):
    with pytest.raises(MotionError, match=text):
        MultiSine(NEUTRAL, terms, 1.0)


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
def test_times_that_make_no_law_are_refused(bad):
    with pytest.raises(MotionError, match=f"duration_s is {bad} s"):
        MultiSine(NEUTRAL, TERMS, bad)
    with pytest.raises(MotionError, match=f"at rest at its neutral pose: fade_s is {bad} s"):
        MultiSine(NEUTRAL, TERMS, 1.0, bad)
