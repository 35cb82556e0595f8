"""Passages between bodies on the floor, against plain geometry."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.world.robots.body import BodyShape
from sim.world.scenes.model import Scene, SceneBody
from sim.world.scenes.passages import SQUARE_M, FloorPlan

ROOM = ((-3.0, -3.0), (3.0, 3.0))


def box(name, x, y, length, width, height=1.0):
    return SceneBody(name, BodyShape.BOX, (length, width, height), position_m=(x, y, 0.5 * height))


def wall(gap_m):
    """A wall across the room with a gap in its middle."""
    length = 3.0 - 0.5 * gap_m
    y = 0.5 * gap_m + 0.5 * length
    return Scene("s", bodies=(box("a", 0.0, y, 0.2, length), box("b", 0.0, -y, 0.2, length)))


@given(st.floats(0.3, 2.0), st.floats(0.1, 0.9))
def test_a_gap_is_passed_by_what_is_narrower(gap_m, radius_m):
    found = FloorPlan(wall(gap_m), ROOM).has_way((-2.0, 0.0), (2.0, 0.0), radius_m)
    if 2.0 * radius_m > gap_m:
        assert not found
    elif 2.0 * radius_m < gap_m - 2.0 * SQUARE_M:
        assert found


@given(st.floats(-2.0, 2.0), st.floats(-2.0, 2.0))
def test_the_clearance_of_a_barrel_is_that_of_its_circle(x, y):
    barrel = SceneBody("c", BodyShape.CYLINDER, (0.3, 1.0), position_m=(0.0, 0.0, 0.5))
    found = FloorPlan(Scene("s", bodies=(barrel,)), ROOM).clearance_m((x, y))
    assert found == pytest.approx(math.hypot(x, y) - 0.3, abs=0.03 + 0.01 * math.hypot(x, y))
    assert found <= math.hypot(x, y) - 0.3 + 1e-9


def test_what_hangs_high_and_what_is_ignored_is_no_obstacle():
    scene = Scene("s", bodies=(box("a", 0.0, 0.0, 0.2, 6.0),))
    high = Scene("s", bodies=(SceneBody("a", BodyShape.BOX, (0.2, 6.0, 0.2),
                                        position_m=(0.0, 0.0, 2.0)),))  # fmt: skip
    ends = (-2.0, 0.0), (2.0, 0.0)
    assert not FloorPlan(scene, ROOM).has_way(*ends, 0.3)
    assert FloorPlan(high, ROOM).has_way(*ends, 0.3)
    assert FloorPlan(scene, ROOM, ignored=("a",)).has_way(*ends, 0.3)


def test_a_start_within_a_body_leads_nowhere():
    scene = Scene("s", bodies=(box("a", -2.0, 0.0, 0.5, 0.5),))
    assert not FloorPlan(scene, ROOM).has_way((-2.0, 0.0), (2.0, 0.0), 0.1)
