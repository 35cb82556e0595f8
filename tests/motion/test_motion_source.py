"""What all motions share: time, rest, checked numbers, and the compilation before a run."""

import math

import numpy as np
import pytest
from motion_checks import LIMITS, NEUTRAL, assert_rests_at_both_ends, assert_same_pose, pose

from hil.config.errors import MotionError
from hil.stations.platform.motion import kernels, moves
from hil.stations.platform.motion.moves import Moves
from hil.stations.platform.motion.multi_sine_motion import MultiSine
from hil.stations.platform.motion.recorded_motion import RecordedMotion
from hil.stations.platform.motion.source import Hold, MotionSource, clamp_time, require_coordinates

HERE = pose(0.1, 0.2, 0.9, 0.1, 0.2, 0.3)


def sources() -> list[MotionSource]:
    wave = np.outer(np.sin(np.arange(200) * 0.05), [0.01, 0, 0.02, 0, 0.03, 0])
    return [
        Hold(HERE, 1.0),
        MultiSine(NEUTRAL, [[(0.01, 0.5, 0.3)], [], [], [], [], []], 2.0),
        RecordedMotion(wave, 0.02, NEUTRAL),
        Moves(HERE, [(pose(0.0, 0.0, 1.0, 0.0, 0.0, 0.0), 0.1)], LIMITS),
    ]


@pytest.mark.parametrize("motion", sources(), ids=lambda m: type(m).__name__)
def test_every_motion_rests_at_its_ends_and_clamps_its_time(motion):
    assert motion.duration_s > 0.0
    assert_rests_at_both_ends(motion)
    for t_s in (-math.inf, math.inf):
        motion.sample(t_s)
    with pytest.raises(MotionError, match="t_s is nan s"):
        motion.sample(math.nan)


@pytest.mark.parametrize("motion", sources(), ids=lambda m: type(m).__name__)
def test_every_motion_repeats_bit_for_bit_in_any_order(motion):
    times = np.linspace(0.0, motion.duration_s, 57)
    forth = [motion.sample(t).A_BP.tobytes() for t in times]
    back = [motion.sample(t).A_BP.tobytes() for t in times[::-1]]
    assert forth == back[::-1]


def test_hold_stands_still():
    motion = Hold(HERE, 3.0)
    assert motion.duration_s == 3.0
    setpoint = motion.sample(1.7)
    assert_same_pose(setpoint.X_BP, HERE, 0.0)
    assert not setpoint.V_BP.any()
    assert not setpoint.A_BP.any()


@pytest.mark.parametrize("bad", [-1.0, math.nan, math.inf])
def test_hold_refuses_a_duration_that_is_none(bad):
    with pytest.raises(
        MotionError, match=rf"duration_s is {bad} s: .* at least 0 s|must be finite"
    ):
        Hold(HERE, bad)


@pytest.mark.parametrize(("t", "wanted"), [(-1, 0), (0, 0), (0.5, 0.5), (2, 2), (3, 2)])
def test_time_is_clamped_to_the_motion(t, wanted):
    assert clamp_time(float(t), 2.0) == wanted


def test_coordinates_are_six_finite_numbers_and_read_only():
    given = np.zeros(6)
    kept = require_coordinates("neutral", given)
    given[0] = 1.0
    assert kept[0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        kept[0] = 1.0
    with pytest.raises(MotionError, match=r"neutral has the shape \(5,\)"):
        require_coordinates("neutral", np.zeros(5))
    with pytest.raises(MotionError, match="neutral, beta is inf rad"):
        require_coordinates("neutral", [0, 0, 0, 0, np.inf, 0])
    with pytest.raises(MotionError, match="neutral, y is nan m"):
        require_coordinates("neutral", [0, np.nan, 0, 0, 0, 0])


def test_kernels_compile_before_a_run_and_not_in_it():
    kernels.warm()
    moves.warm()
    used = (
        kernels.sum_of_sines,
        kernels.sum_of_sines_faded,
        kernels.polynomial,
        kernels.polynomial_faded,
        moves._along,
    )
    compiled = [len(kernel.signatures) for kernel in used]
    assert min(compiled) >= 1
    for motion in sources():
        motion.sample(0.5 * motion.duration_s)
    assert [len(kernel.signatures) for kernel in used] == compiled
