"""Percentiles of values that come in pieces are those of all of them, to the last bit."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hil.recording.percentiles import spread_of

NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False, width=64, min_value=-1e300, max_value=1e300),
    st.sampled_from([0.0, 1e-5, 2e-5, -1.0, 5e-324]),
)


@given(
    st.lists(NUMBERS, min_size=1, max_size=60),
    st.lists(st.floats(0.0, 100.0), min_size=1, max_size=4),
    st.integers(0, 20),
    st.integers(1, 30),
)
def test_they_are_those_of_numpy(values, percents, few, size):
    whole = np.array(values)
    pieces = [whole[first : first + size] for first in range(0, len(whole), size)]
    found = spread_of(lambda: pieces, percents, few)
    assert list(found.percentiles) == np.percentile(whole, percents).tolist()
    assert (found.greatest, found.count) == (whole.max(), len(whole))


@pytest.mark.parametrize("few", [0, 1000])
def test_what_is_no_number_gives_none_and_nothing_gives_none(few):
    pieces = [np.array([1.0, math.nan]), np.ones(3)]
    assert math.isnan(spread_of(lambda: pieces, [50.0], few).percentiles[0])
    assert math.isnan(spread_of(list, [50.0], few).percentiles[0])
    assert spread_of(list, [50.0], few).count == 0


def test_many_are_never_held_at_once():
    """A million values: a few looks at pieces of a tenth."""
    seen = []

    def pieces():
        seen.append(1)
        for number in range(10):
            yield np.random.default_rng(number).exponential(size=100_000)

    found = spread_of(pieces, [50.0, 99.0], few=20_000)
    whole = np.concatenate(list(pieces()))
    assert list(found.percentiles) == np.percentile(whole, [50.0, 99.0]).tolist()
    assert len(seen) <= 5
