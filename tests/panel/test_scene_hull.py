"""The convex hull of points in a plane against SciPy's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from hil.scene.solids import hull


@given(count=st.integers(3, 40), seed=st.integers(0, 2**32 - 1))
def test_it_has_the_same_corners_and_goes_round_counter_clockwise(count, seed):
    points = np.random.default_rng(seed).normal(size=(count, 2))
    found, expected = hull(points), points[ConvexHull(points).vertices]
    first = int(np.flatnonzero((expected == found[0]).all(axis=1))[0])
    assert np.array_equal(found, np.roll(expected, -first, axis=0))


def test_points_on_an_edge_and_twice_are_no_corners():
    square = [[0, 0], [2, 0], [2, 2], [0, 2]]
    more = [[1, 0], [2, 1], [1, 1], [0, 0], [2, 2]]
    assert hull(square + more).tolist() == square


@pytest.mark.parametrize("points", [[[0, 0]], [[0, 0], [1, 1]], [[0, 0], [1, 1], [2, 2]]])
def test_points_on_one_line_are_refused(points):
    with pytest.raises(ValueError, match="on one line have no hull; need three"):
        hull(points)
