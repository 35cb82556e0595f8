"""Where the eye stands, and where it sees things."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hil.scene.camera import NARROW_FOV_DEG, Eye

eyes = st.builds(
    Eye,
    st.tuples(*[st.floats(-2.0, 2.0)] * 3),
    st.floats(0.5, 10.0),
    st.floats(-360.0, 360.0),
    st.floats(-90.0, 90.0),
)


def seen(eye: Eye, point, width=800, height=600) -> np.ndarray:
    """Right, up and depth of a point on the screen, -1 to 1."""
    clip = eye.view(width, height) @ [*point, 1.0]
    return clip[:3] / clip[3]


@given(eyes)
def test_the_axes_are_right_handed_and_right_is_level(eye):
    np.testing.assert_allclose(eye.axes @ eye.axes.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(eye.axes) == pytest.approx(1.0)
    assert eye.axes[0, 2] == 0.0
    assert eye.axes[1, 2] >= 0.0


@given(eyes)
def test_the_middle_is_in_the_middle_and_a_step_right_is_a_step_right(eye):
    right, up, towards = eye.axes
    np.testing.assert_allclose(seen(eye, eye.middle_m)[:2], 0.0, atol=1e-9)
    step = 0.05 * eye.distance_m
    at_right, at_up = seen(eye, eye.middle_m + step * right), seen(eye, eye.middle_m + step * up)
    assert at_right[0] > 0.0 == pytest.approx(at_right[1], abs=1e-9)
    assert at_up[1] > 0.0 == pytest.approx(at_up[0], abs=1e-9)
    nearer, farther = (seen(eye, eye.middle_m + way * towards)[2] for way in (step, -step))
    assert -1.0 < nearer < farther < 1.0


@pytest.mark.parametrize(("width", "height"), [(800, 600), (600, 800), (500, 500)])
def test_the_shorter_side_has_the_angle_of_view_and_pixels_are_square(width, height):
    eye = Eye(np.zeros(3), 3.0, 0.0, 0.0)
    edge = 3.0 * math.tan(math.radians(0.5 * NARROW_FOV_DEG))
    right, up, _ = eye.axes
    shorter = 0 if width <= height else 1
    assert seen(eye, edge * (right, up)[shorter], width, height)[shorter] == pytest.approx(1.0)
    pixel_m = eye.pixel_m(width, height)
    assert 0.5 * width * seen(eye, pixel_m * right, width, height)[0] == pytest.approx(1.0)
    assert 0.5 * height * seen(eye, pixel_m * up, width, height)[1] == pytest.approx(1.0)


def test_from_the_front_the_eye_is_on_x_with_y_on_its_right():
    eye = Eye(np.zeros(3), 2.0, 0.0, 0.0)
    np.testing.assert_allclose(eye.axes, [[0, 1, 0], [0, 0, 1], [1, 0, 0]], atol=1e-15)
    above = eye.seen_from(-90.0, 90.0)
    np.testing.assert_allclose(above.axes, np.eye(3), atol=1e-12)


@given(eyes, st.floats(-0.2, 0.2), st.floats(-0.2, 0.2))
def test_a_shift_moves_what_was_in_the_middle_the_other_way(eye, right_m, up_m):
    shifted = eye.shifted(right_m, up_m)
    np.testing.assert_allclose(eye.axes @ (shifted.middle_m - eye.middle_m), [right_m, up_m, 0.0],
                               atol=1e-12)  # fmt: skip
    level = eye.shifted_level(right_m, up_m, 0.5)
    assert level.middle_m[2] - eye.middle_m[2] == pytest.approx(0.5)
    way = (level.middle_m - eye.middle_m)[:2]
    assert np.linalg.norm(way) == pytest.approx(math.hypot(right_m, up_m), abs=1e-12)
    assert way @ eye.axes[0, :2] == pytest.approx(right_m, abs=1e-12)


def test_ahead_leads_away_from_the_eye():
    eye = Eye(np.zeros(3), 2.0, 0.0, 30.0)  # it looks along -x
    np.testing.assert_allclose(eye.shifted_level(0.0, 1.0).middle_m, [-1.0, 0.0, 0.0], atol=1e-12)


def test_it_turns_to_straight_above_and_no_farther_and_stays_as_it_was_made():
    eye = Eye.of_size((0.0, 0.0, 1.0), 2.0, 10.0, 20.0)
    assert eye.turned(5.0, 500.0).elevation_deg == 90.0
    assert eye.turned(5.0, -500.0).elevation_deg == -90.0
    assert eye.turned(5.0, 1.0).azimuth_deg == 15.0
    assert (eye.azimuth_deg, eye.elevation_deg) == (10.0, 20.0)
    with pytest.raises(ValueError, match="read-only"):
        eye.middle_m[0] = 1.0
    # The sphere about the middle just fits between the edges.
    assert eye.distance_m * math.sin(math.radians(0.5 * NARROW_FOV_DEG)) == pytest.approx(1.0)


@pytest.mark.parametrize("distance_m", [0.0, -1.0, math.nan, math.inf])
def test_an_eye_that_is_nowhere_is_refused(distance_m):
    with pytest.raises(ValueError, match="above 0 m"):
        Eye(np.zeros(3), distance_m, 0.0, 0.0)


@given(eyes)
def test_the_lamp_is_over_the_left_shoulder(eye):
    right, up, towards = eye.axes @ eye.lamp
    assert np.linalg.norm(eye.lamp) == pytest.approx(1.0)
    assert right < 0.0 < min(up, towards)
