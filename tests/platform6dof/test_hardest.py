"""Extremes and hardest windows of blocks equal those of the whole."""

import numpy as np
import pytest

from platform6dof.dynamics.hardest import Extremes, WindowMeans

PERIOD_S = 0.01


def series(count=3000, seed=1):
    rng = np.random.default_rng(seed)
    times = np.arange(count) * PERIOD_S
    return times, rng.normal(0.0, 1.0, (count, 6)) + np.sin(times)[:, None]


def test_extremes_of_blocks_are_those_of_the_whole():
    times, values = series()
    limit = np.full(6, 3.0)
    limit[3] = np.inf
    found = Extremes(limit)
    for begin in range(0, 3000, 700):
        found.take(times[begin : begin + 700], values[begin : begin + 700])
    one = found.extreme()
    assert (one.min, one.max) == (values.min(), values.max())
    assert one.rms == pytest.approx(np.sqrt((values**2).mean(axis=0)).max())
    row, leg = np.unravel_index(np.abs(values).argmax(), values.shape)
    assert (one.leg, one.at_s) == (leg + 1, times[row])
    for excess in found.excesses():
        column = np.abs(values[:, excess.leg - 1])
        assert excess.first_s == times[(column > 3.0).argmax()]
        assert excess.value == column.max()
    assert 4 not in {excess.leg for excess in found.excesses()}


def test_what_is_no_number_is_beyond_every_limit():
    found = Extremes(np.full(6, 1e12))
    found.take(np.array([0.0, 1.0]), np.array([[0.0] * 6, [0.0, np.nan, 0, 0, 0, 0]]))
    (excess,) = found.excesses()
    assert (excess.leg, excess.first_s) == (2, 1.0)


def test_the_hardest_window_is_that_of_a_sliding_mean():
    times, values = series()
    values = values**2
    values[1200:1700] += 3.0
    found = WindowMeans(5.0, PERIOD_S)
    for begin in range(0, 3000, 333):
        found.take(times[begin : begin + 333], values[begin : begin + 333])
    np.testing.assert_allclose(found.mean, values.mean(axis=0))
    total = np.concatenate([np.zeros((1, 6)), values.cumsum(axis=0)])
    sliding = (total[500:] - total[:-500]) / 500.0
    hardest, at_s = found.hardest()
    np.testing.assert_allclose(hardest, sliding.max(axis=0), rtol=0.02)
    np.testing.assert_allclose(at_s, 12.0, atol=0.3)


def test_a_short_motion_is_one_window():
    times, values = series(100)
    found = WindowMeans(5.0, PERIOD_S)
    found.take(times, values)
    np.testing.assert_allclose(found.hardest()[0], values.mean(axis=0))
