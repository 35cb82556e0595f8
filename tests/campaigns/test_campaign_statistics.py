"""Rates, reasons and relations of campaigns, against sums of the binomial distribution itself."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import brentq

from hil.campaign.job import RunOutcome
from hil.campaign.statistics import (
    Rate,
    medians_of,
    rate_of,
    reasons_of,
    relations_to_failure,
    relations_to_measures,
    worst_rows,
)
from hil.campaign.table import RunRow

QUANTILE = stats.norm.ppf(0.975)


def row(seed, *, reason="", drawn=None, measures=None):
    outcome = RunOutcome.FAILED if reason else RunOutcome.SUCCEEDED
    return RunRow(seed, (), outcome, reason, "a", "", 1, drawn or {}, measures or {})


@given(st.integers(1, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_bounds_are_rates_from_which_the_observed_one_is_z_deviations_away(case):
    """Wilson's own definition, solved by a root finder: |p - k/n| = z sqrt(p (1 - p) / n)."""
    succeeded, runs = case
    observed = succeeded / runs

    def away(p):
        return (p - observed) ** 2 - QUANTILE**2 * p * (1 - p) / runs

    low, high = Rate(succeeded, runs).interval()
    wanted_low = 0.0 if succeeded == 0 else brentq(away, 0.0, min(observed, 1.0 - 1e-9), xtol=1e-14)
    wanted_high = 1.0 if succeeded == runs else brentq(away, max(observed, 1e-9), 1.0, xtol=1e-14)
    assert low == pytest.approx(wanted_low, abs=1e-9)
    assert high == pytest.approx(wanted_high, abs=1e-9)


def test_known_intervals():
    low, high = Rate(98, 100).interval()
    assert (round(low, 3), round(high, 3)) == (0.930, 0.994)
    low, high = Rate(92, 100).interval()
    assert (round(low, 3), round(high, 3)) == (0.850, 0.959)
    assert Rate(0, 0).interval() == (0.0, 1.0)
    assert math.isnan(rate_of([]).value)


def test_reasons_that_differ_in_numbers_are_one():
    rows = [
        row(0, reason="speed 0.51 m/s outside [-0.5, 0.5] m/s"),
        row(1, reason="speed -1.2e-3 m/s outside [-0.5, 0.5] m/s"),
        row(2, reason="blocked"),
        row(3),
    ]
    assert reasons_of(rows) == [("speed # m/s outside [#, #] m/s", 2), ("blocked", 1)]


def test_what_goes_with_failure_is_found_and_what_does_not_is_not():
    rows = [
        row(k, reason="late" if k >= 30 else "",
            drawn={"mass": float(k), "other": float(k * 17 % 40), "same": 1.0})
        for k in range(40)
    ]  # fmt: skip
    first, second = relations_to_failure(rows)
    assert (first.drawn, first.strength) == ("mass", 1.0)
    assert first.p < 1e-4
    above = sum(b.drawn["other"] > a.drawn["other"] for a in rows[:30] for b in rows[30:])
    assert second.strength == pytest.approx(above / 300)
    assert second.p > 0.05
    assert relations_to_failure(rows[:30]) == []


def test_what_goes_with_measures():
    rows = [row(k, drawn={"d": float(k)}, measures={"m": -(k**3), "n": k * 17 % 40,
                                                    "step_us": k}) for k in range(40)]  # fmt: skip
    (only,) = relations_to_measures(rows)
    assert (only.drawn, only.other, only.strength) == ("d", "m", -1.0)


def test_the_worst_are_failures_of_every_reason_then_the_unusual():
    rows = [row(k, measures={"time_s": 10.0 + 0.1 * (k % 5)}) for k in range(20)]
    rows[4] = row(4, measures={"time_s": 30.0})
    rows[7], rows[8], rows[9] = (row(k, reason="blocked") for k in (7, 8, 9))
    rows[11] = row(11, reason="dropped")
    assert [one.seed for one in worst_rows(rows)] == [11, 7, 8, 9, 4]
    assert worst_rows([]) == []


def test_medians_are_of_runs_that_succeeded_and_of_nothing_that_none_has():
    rows = [row(1, measures={"time_s": 3.0, "turns": 1}), row(2, measures={"time_s": 5.0}),
            row(3, measures={"time_s": 4.0}),
            row(4, reason="slip", measures={"time_s": 900.0})]  # fmt: skip
    assert medians_of(rows, ["time_s", "turns", "none"]) == {"time_s": 4.0, "turns": 1.0}
