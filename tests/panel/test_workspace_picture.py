"""Numbers of a workspace's pictures: where they go, their colours, the cell under the mouse."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from workspace_samples import small_map, small_slice

from hil.panel.scenarios.models.workspace_picture import (
    LEAST_EM,
    cell_of,
    columns_of,
    height_px,
    levels_of,
    limits_shown,
    readout,
    scale_ends,
)


@given(st.floats(1.0, 5000.0), st.floats(8.0, 40.0))
def test_pictures_stay_legible_and_none_lies_upon_another(width, em):
    columns = columns_of(width, em)
    assert 1 <= columns <= 3
    assert columns == 1 or width / columns >= LEAST_EM * em
    assert columns == 3 or width / (columns + 1) < LEAST_EM * em
    cells = [cell_of(picture, columns) for picture in range(6)]
    assert len(set(cells)) == 6
    assert max(column for _, column in cells) == columns - 1


def test_a_slice_and_its_limits_are_beside_each_other_or_one_below_the_other():
    for at in range(3):
        assert cell_of(at, 2) == (at, 0)
        assert cell_of(at + 3, 2) == (at, 1)
        assert cell_of(at, 3) == (0, at)
        assert cell_of(at + 3, 3) == (1, at)


def test_both_axes_have_the_same_scale():
    wide = height_px(small_slice(ends=(0.0, 2.0, 0.0, 1.0)), 240.0, 10.0)
    square = height_px(small_slice(ends=(0.0, 1.0, 0.0, 1.0)), 240.0, 10.0)
    assert (wide, square) == (155, 255)
    assert height_px(small_slice(ends=(0.0, 1.0, 0.0, 99.0)), 240.0, 10.0) < 400


def test_levels_go_from_the_least_to_the_greatest_value_of_the_whole_map():
    found = small_map()
    assert levels_of(found, small_slice()).tolist() == [[0, 0, 85], [170, 255, 0]]
    flat = small_map(least=0.2, greatest=0.2)
    assert levels_of(flat, small_slice(values=np.full((2, 3), 0.2))).max() == 0
    nothing = small_map(least=np.nan, greatest=np.nan)
    assert levels_of(nothing, small_slice(values=np.full((2, 3), np.nan))).max() == 0


def test_limits_are_named_that_bind_somewhere():
    assert limits_shown(small_map().slices) == (0, 1)
    one = small_slice(limits=np.ones((2, 3), np.int8))
    assert limits_shown((one,)) == (1,)
    assert limits_shown(()) == ()


@pytest.mark.parametrize(
    ("right", "up", "words"),
    [
        (0.0, 0.85, "x 0.000 m, z 0.850 m: 100 mm; binds next: leg too short"),
        (0.0, 1.15, "x 0.000 m, z 1.150 m: 400 mm; binds next: leg too long"),
        (-0.29, 0.81, "x -0.290 m, z 0.810 m: outside, leg too long"),
        (0.31, 0.81, ""),
        (0.0, 1.2, ""),
    ],
)
def test_the_cell_under_the_mouse_says_what_is_there(right, up, words):
    assert readout(small_map(), small_slice(), right, up) == words


def test_the_ends_of_the_scale_have_their_unit():
    assert scale_ends(small_map()) == ("100 mm", "400 mm")
    assert scale_ends(small_map(least=np.nan, unit="")) == ("no value", "0.4000")
