"""The search for the largest scale, against a judge that is known."""

from decimal import ROUND_DOWN, Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hil.stations.platform.fit.search import SMALLEST, largest_scale, next_scale


def rounded_down(value):
    """Three digits, by the shortest decimal text of a number."""
    number = Decimal(repr(value))
    return float(number.quantize(Decimal(1).scaleb(number.adjusted() - 2), ROUND_DOWN))


@given(
    limit=st.floats(0.0011, 0.999),
    guess=st.floats(0.0, 2.0),
    most=st.sampled_from([1.0, 1.5, 0.9995, 37.0]),
)
@example(limit=0.9995, guess=0.9991, most=1.0)
@example(limit=0.9999, guess=0.2, most=0.9995)
@example(limit=0.03, guess=0.0, most=37.0)
@example(limit=0.5, guess=5e-324, most=1.0)
def test_it_is_the_last_of_three_digits_that_passes(limit, guess, most):
    asked = []

    def passes(scale):
        asked.append(scale)
        return scale <= limit * most

    found = largest_scale(passes, guess * most, most)
    assert found == rounded_down(limit * most)
    assert passes(found)
    assert not passes(next_scale(found, most))
    assert next_scale(found, most) in asked[:-2], "what it ends at was tried"


def test_a_good_guess_costs_two_proofs():
    asked = []

    def passes(scale):
        asked.append(scale)
        return scale <= 0.61249

    assert largest_scale(passes, 0.61243, 1.0) == 0.612
    assert asked == [0.612, 0.613]


@pytest.mark.parametrize("guess", [0.0, 0.3, 1.0])
def test_the_whole_motion_stays_whole(guess):
    assert largest_scale(lambda scale: True, guess, 1.0) == 1.0


@pytest.mark.parametrize("guess", [0.0, 0.3, 1.0])
def test_where_nothing_passes_there_is_none(guess):
    asked = []
    assert largest_scale(lambda scale: asked.append(scale), guess, 1.0) is None
    assert min(asked) == SMALLEST
    assert len(asked) <= 4, "each is a whole proof"
