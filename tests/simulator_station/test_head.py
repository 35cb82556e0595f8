"""The head on the platform, against difference quotients of rotation matrices and places."""

import numpy as np
import pytest

from hil.stations.simulator.chain.head import platform_rows
from hil_common.arrays.pose import Pose
from platform6dof.cueing.head_motion import felt

HEAD = np.array([0.3, -0.2, 1.1])
NEUTRAL = np.array([0.1, 0.2, 1.0, 0.0, 0.0, 0.0])
STEP_S = 1e-4


def law(seed):
    c = np.random.default_rng(seed).normal(size=(4, 6)) * 0.4
    return lambda t: c[0] + c[1] * t + c[2] * t * t / 2.0 + c[3] * t**3 / 6.0, c[:3]


def derivatives(of):
    before, here, after = of(-STEP_S), of(0.0), of(STEP_S)
    return here, (after - before) / (2.0 * STEP_S), (after - 2.0 * here + before) / STEP_S**2


@pytest.mark.parametrize("seed", range(5))
def test_the_platform_goes_where_the_heads_deviation_asks_it_to(seed):
    deviation, rows = law(seed)

    def place(t_s):
        q = deviation(t_s)
        turned = Pose.from_coordinates(q).rotation @ HEAD
        return np.concatenate((NEUTRAL[:3] + HEAD + q[:3] - turned, q[3:]))

    out = np.empty((3, 6))
    platform_rows(np.array(rows), HEAD, NEUTRAL, out)
    for made, seen in zip(out, derivatives(place), strict=True):
        np.testing.assert_allclose(made, seen, atol=2e-6)


@pytest.mark.parametrize("seed", range(5))
def test_the_head_feels_what_its_way_and_its_turn_say(seed):
    deviation, rows = law(seed)
    out = np.empty((3, 6))
    platform_rows(np.array(rows), HEAD, NEUTRAL, out)
    told = felt(out[np.newaxis], tuple(HEAD.tolist()))[0]
    _, _, acceleration = derivatives(lambda t: deviation(t)[:3])
    turn, turning, _ = derivatives(lambda t: Pose.from_coordinates(deviation(t)).rotation)
    force = turn.T @ (acceleration + np.array((0.0, 0.0, 9.80665)))
    skew = turn.T @ turning
    rates = np.array([skew[2, 1], skew[0, 2], skew[1, 0]])
    down = np.array([1.0, -1.0, -1.0])
    np.testing.assert_allclose(told[:3], force * down, atol=2e-6)
    np.testing.assert_allclose(told[3:], rates * down, atol=2e-6)


def test_held_pitch_reads_gravity():
    rows = np.zeros((3, 6))
    pitch = 0.2
    rows[0, 4] = -pitch  # nose up
    told = felt(rows[np.newaxis], tuple(HEAD.tolist()))[0]
    np.testing.assert_allclose(told[:3], 9.80665 * np.array([np.sin(pitch), 0.0, -np.cos(pitch)]))
