"""Thinning out: no peak is lost, holes stay holes, order is kept."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hil.recording.decimation import decimate

LINES = arrays(
    np.float64,
    st.integers(0, 400),
    elements=st.one_of(st.floats(-1e6, 1e6), st.just(np.nan)),
)


@given(values=LINES, most=st.integers(2, 60))
def test_extremes_ends_and_order_are_kept(values: np.ndarray, most: int) -> None:
    chosen = decimate(values, most)
    assert (np.diff(chosen) > 0).all()
    assert len(chosen) <= max(len(values), 0)
    if not len(values):
        return
    assert chosen[0] == 0
    assert chosen[-1] == len(values) - 1
    if np.isfinite(values).any():
        assert np.nanmin(values[chosen]) == np.nanmin(values)
        assert np.nanmax(values[chosen]) == np.nanmax(values)


@given(values=LINES, most=st.integers(2, 60))
def test_there_are_no_more_than_asked_for(values: np.ndarray, most: int) -> None:
    assert len(decimate(values, most)) <= most + 2


@given(place=st.integers(0, 9999), sign=st.sampled_from([-1.0, 1.0]))
def test_a_peak_of_one_cycle_is_always_seen(place: int, sign: float) -> None:
    values = np.sin(np.arange(10_000) * 0.01)
    values[place] = sign * 5.0
    assert place in decimate(values, 200)


def test_a_short_line_is_drawn_as_it_is() -> None:
    values = np.array([3.0, np.nan, 1.0])
    np.testing.assert_array_equal(decimate(values, 3), [0, 1, 2])


def test_a_hole_in_a_line_stays_a_hole() -> None:
    values = np.ones(1000)
    values[400:600] = np.nan
    drawn = values[decimate(values, 100)]
    assert np.isnan(drawn).any()
    assert np.isfinite(drawn[0])
    assert np.isfinite(drawn[-1])


def test_local_extremes_of_each_stretch_are_kept() -> None:
    values = np.tile([0.0, 7.0, -7.0, 0.0], 250)
    drawn = values[decimate(values, 100)]
    assert set(drawn[1:-1]) == {7.0, -7.0}


def test_fewer_than_two_points_make_no_line() -> None:
    with pytest.raises(ValueError, match="max_points = 1; at least 2"):
        decimate(np.zeros(10), 1)
