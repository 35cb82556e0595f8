import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hil.config.errors import MotionError
from hil.config.file_search import configs_dir
from hil.machines.rig.machine import geometry_of, load_rig, park_pose
from hil.stations.platform.motion.leg_moves import LegMoveLimits, LegMoves
from platform6dof.inverse import leg_lengths, leg_setpoint

RIG = load_rig(configs_dir() / "rigs" / "paper.toml")
GEOMETRY = geometry_of(RIG)
PARK = park_pose(RIG, GEOMETRY)
START_M = leg_lengths(GEOMETRY, PARK)
LIMITS = LegMoveLimits(0.05, 0.2, 1.0)


def legs_at(motion, t_s):
    return leg_setpoint(GEOMETRY, motion.sample(t_s))


small = st.tuples(*[st.floats(-0.01, 0.01)] * 6)


@given(st.lists(st.tuples(small, st.floats(0.0, 1.0)), min_size=1, max_size=4))
def test_every_move_arrives_at_its_lengths_at_rest_and_within_its_bounds(offsets):
    motion = LegMoves(GEOMETRY, PARK, offsets, LIMITS)
    last = legs_at(motion, motion.duration_s)
    assert last.length_m == pytest.approx(START_M + offsets[-1][0], abs=1e-9)
    for t_s in (0.0, motion.duration_s):
        assert not legs_at(motion, t_s).speed_m_s.any()
    for t_s in np.linspace(0.0, motion.duration_s, 50):
        legs = legs_at(motion, t_s)
        assert np.abs(legs.speed_m_s).max() <= LIMITS.speed_m_s * (1 + 1e-6)
        assert np.abs(legs.acceleration_m_s2).max() <= LIMITS.acceleration_m_s2 * (1 + 1e-6)


def test_only_the_led_leg_moves_and_its_rates_are_the_derivatives_of_its_length():
    offset = (0.0, 0.0, 0.02, 0.0, 0.0, 0.0)
    motion = LegMoves(GEOMETRY, PARK, [(offset, 0.0)], LIMITS)
    step_s = 1e-4
    for t_s in np.linspace(0.1, motion.duration_s - 0.1, 23):
        before, here, after = (legs_at(motion, t_s + d) for d in (-step_s, 0.0, step_s))
        others = np.delete(here.length_m - START_M, 2)
        assert np.abs(others).max() < 1e-9
        speed = (after.length_m - before.length_m) / (2 * step_s)
        assert here.speed_m_s == pytest.approx(speed, abs=1e-5)
        change = (after.speed_m_s - before.speed_m_s) / (2 * step_s)
        assert here.acceleration_m_s2 == pytest.approx(change, abs=2e-2)
    assert legs_at(motion, motion.duration_s).length_m[2] == pytest.approx(START_M[2] + 0.02)


def test_a_sample_does_not_depend_on_the_samples_before_it():
    motion = LegMoves(GEOMETRY, PARK, [((0.01, 0.0, -0.01, 0.0, 0.005, 0.0), 0.5)], LIMITS)
    again = LegMoves(GEOMETRY, PARK, [((0.01, 0.0, -0.01, 0.0, 0.005, 0.0), 0.5)], LIMITS)
    t_s = 0.4 * motion.duration_s
    for other in (0.9, 0.1, 0.5):
        motion.sample(other * motion.duration_s)
    assert motion.sample(t_s).packed.tobytes() == again.sample(t_s).packed.tobytes()


def test_a_dwell_stands_still_and_a_move_of_nothing_takes_no_time():
    zero = (0.0,) * 6
    assert LegMoves(GEOMETRY, PARK, [(zero, 0.0)], LIMITS).duration_s == 0.0
    resting = LegMoves(GEOMETRY, PARK, [(zero, 2.0)], LIMITS)
    assert resting.duration_s == 2.0
    assert legs_at(resting, 1.0).length_m == pytest.approx(START_M, abs=1e-12)
    assert not resting.sample(1.0).V_BP.any()


@pytest.mark.parametrize("bad", [(math.nan,) * 6, (0.0,) * 5, (math.inf,) + (0.0,) * 5])
def test_offsets_that_are_not_six_numbers_are_refused(bad):
    with pytest.raises(MotionError, match=r"leg move 2: offsets .* six finite numbers"):
        LegMoves(GEOMETRY, PARK, [((0.0,) * 6, 0.0), (bad, 0.0)], LIMITS)


def test_lengths_that_no_pose_has_are_refused_before_anything_runs():
    with pytest.raises(MotionError, match="leg move 1: no pose has the lengths"):
        LegMoves(GEOMETRY, PARK, [((5.0, -0.6, 5.0, -0.6, 5.0, -0.6), 0.0)], LIMITS)


@pytest.mark.parametrize("field", ["speed_m_s", "acceleration_m_s2", "jerk_m_s3"])
def test_a_bound_that_bounds_nothing_is_refused(field):
    values = {"speed_m_s": 1.0, "acceleration_m_s2": 1.0, "jerk_m_s3": 1.0} | {field: 0.0}
    with pytest.raises(MotionError, match=field):
        LegMoveLimits(**values)
