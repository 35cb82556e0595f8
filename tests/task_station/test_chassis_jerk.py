"""Jerk of the chassis, against closed forms."""

import math

import numpy as np
import pytest

from hil.stations.task.container.jerk import EVERY_S, ChassisJerk


def jerk_of(place, seconds, step_s=0.002):
    found = ChassisJerk()
    for index in range(round(seconds / step_s)):
        if found.is_due(index * step_s):
            found.update(index * step_s, *place(index * step_s))
    return found.rms_m_s3


@pytest.mark.parametrize("step_s", [0.002, 0.003, 0.05])
def test_a_cubic_has_its_own_jerk_whatever_the_step_of_the_world_is(step_s):
    found = jerk_of(lambda t: (0.5 * t**3, -(t**3)), 2.0, step_s)
    assert found == pytest.approx(6.0 * math.hypot(0.5, 1.0), rel=2e-3)


def test_a_sine_is_lowered_by_the_filter_as_three_means_of_its_width_lower_it():
    """The third difference is the jerk, averaged three times over EVERY_S: sinc³."""
    turn_s = 8.0
    found = jerk_of(lambda t: (0.1 * math.sin(turn_s * t), 0.0), 20.0)
    mean = np.sinc(0.5 * turn_s * EVERY_S / np.pi) ** 3
    assert found == pytest.approx(0.1 * turn_s**3 / math.sqrt(2.0) * mean, rel=0.01)


def test_one_that_stands_or_goes_straight_on_has_none_and_rest_does_not_dilute_it():
    assert jerk_of(lambda t: (1.0, 2.0), 1.0) == 0.0
    assert jerk_of(lambda t: (0.3 * t, 0.0), 1.0) < 1e-6
    moved = jerk_of(lambda t: (min(t, 1.0) ** 3, 0.0), 1.0)
    rested = jerk_of(lambda t: (min(t, 1.0) ** 3, 0.0), 30.0)
    assert rested > 0.9 * moved
