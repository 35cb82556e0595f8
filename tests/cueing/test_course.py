"""Velocity, place, nose and way of a drive in closed form: the right passes, each mistake is found.

The drive winds over hills: speed, heading and climb are told as functions of time, the place is
their integral by a fine sum. Attitudes are made by scipy.
"""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from platform6dof.cueing.course import COURSES, Courses
from platform6dof.cueing.line_fit import FINE
from platform6dof.cueing.slopes import COLUMNS, SAMPLES

INTERVAL_S, LASTS_S, SPEED_M_S = 0.4, 60.0, 20.0
NEITHER = (math.nan,) * 3


def heading(t_s):
    return 1.2 * np.sin(0.25 * t_s) + 0.1 * t_s


def climb(t_s):
    return 0.15 * np.sin(0.4 * t_s + 1.0)


def way(t_s):
    """Velocity north, east, down [m/s]."""
    level = SPEED_M_S * np.cos(climb(t_s))
    return np.stack([level * np.cos(heading(t_s)), level * np.sin(heading(t_s)),
                     -SPEED_M_S * np.sin(climb(t_s))], axis=-1)  # fmt: skip


FINE_S = np.arange(0.0, LASTS_S + 0.01, 0.01)
PLACES_M = np.concatenate([np.zeros((1, 3)), np.cumsum(0.01 * way(FINE_S[:-1] + 0.005), axis=0)])


def sample(t_s, *, yaw=1.0, pitch=1.0, velocity=1.0, place=1.0, world=False):
    """One sample of a car that points where it goes; each sign may be turned over.

    Velocity is told in the axes of the car, or (`world`) of the world and turned by what is told.
    """
    true = Rotation.from_euler("ZYX", (heading(t_s), climb(t_s), 0.0))
    told = Rotation.from_euler("ZYX", (yaw * heading(t_s), pitch * climb(t_s), 0.0))
    x, y, z, w = told.as_quat()
    v_m_s = velocity * (told if world else true).inv().apply(way(t_s))
    if place == 0.0:
        where = (5.0, 5.0, 0.0)  # it is not known, and some number stands there
    else:
        where = place * PLACES_M[round(100.0 * t_s)] if place == place else NEITHER
    return (*NEITHER, *NEITHER, w, x, y, z, *v_m_s, *where)


def wrong(*, nose=True, **signs):
    """Names of what is wrong after a drive."""
    courses = Courses()
    for at in range(round(LASTS_S / INTERVAL_S)):
        times_s = at * INTERVAL_S + np.linspace(0.0, INTERVAL_S, SAMPLES)
        block = np.array([sample(t_s, **signs) for t_s in times_s])
        assert block.shape == (SAMPLES, COLUMNS)
        courses.take(block, INTERVAL_S, nose)
    found = {name for name, line in zip(COURSES, courses.lines, strict=True) if line[2] > FINE}
    assert courses.wrong == len(found)
    return found


@pytest.mark.parametrize("world", [False, True])
@pytest.mark.parametrize("place", [1.0, math.nan, 0.0])
def test_a_drive_that_is_right_is_not_doubted(place, world):
    """Where its place is told, is not told, and where a number stands there that never changes."""
    assert wrong(place=place, world=world) == set()


@pytest.mark.parametrize(("signs", "must"), [
    ({"velocity": -1.0}, "velocity forward"),
    ({"velocity": -1.0, "place": math.nan}, "nose"),
    ({"velocity": -1.0, "place": -1.0}, "nose"),
    ({"velocity": 3.6}, "velocity north"),
    ({"yaw": -1.0}, "velocity east"),
    ({"pitch": -1.0}, "velocity down"),
    ({"yaw": -1.0, "world": True}, "heading"),
    ({"pitch": -1.0, "world": True}, "pitch"),
    ({"yaw": -1.0, "world": True, "place": math.nan}, "heading"),
    ({"pitch": -1.0, "world": True, "place": math.nan}, "pitch"),
])  # fmt: skip
def test_each_mistake_is_found_by_what_it_breaks(signs, must):
    assert must in wrong(**signs)


def test_who_tells_a_force_may_drive_backwards():
    """The force then judges the velocity; a car reverses, an aircraft slips."""
    assert wrong(nose=False, velocity=-1.0, place=-1.0) == set()
