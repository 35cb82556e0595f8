"""Histograms of lateness against NumPy's own, and what is forgotten."""

import math

import numpy as np
import pytest
from feed_samples import arm_facts, batch, platform_facts
from hypothesis import given
from hypothesis import strategies as st

from hil.panel.live.models.lateness import (
    BINS,
    BLOCKS,
    EDGES_S,
    PER_DECADE,
    WINDOW_S,
    LatenessModel,
)

FACTS = platform_facts()
BIN = 10.0 ** (1.0 / PER_DECADE)


def take(model, late_s, t_s=0.0, period_s=None, busy_s=1e-4, restart=False):
    late_s = np.asarray(late_s, dtype=float)
    times = t_s + (FACTS.period_s if period_s is None else period_s) * np.arange(len(late_s))
    made = batch(
        FACTS, count=len(late_s), late_s=late_s, busy_s=np.full(len(late_s), busy_s),
        restart=restart,
    )  # fmt: skip
    made.rows[:, 1] = times
    model.take(made, 0.0)


def test_nothing_yet():
    spread = LatenessModel(FACTS).spread("late")
    assert spread.count == 0
    assert math.isnan(spread.p99_s)


@given(st.lists(st.floats(2e-6, 5.0), min_size=1, max_size=300))
def test_percentiles_are_right_to_a_bin(late_s):
    model = LatenessModel(FACTS)
    take(model, late_s)
    spread = model.spread("late")
    assert spread.count == len(late_s)
    assert spread.largest_s == max(late_s)
    for found, part in ((spread.p50_s, 0.5), (spread.p99_s, 0.99)):
        exact = np.sort(late_s)[math.ceil(part * len(late_s)) - 1]
        assert exact * (1 - 1e-9) <= found <= exact * BIN * (1 + 1e-9)


@given(
    st.lists(st.tuples(st.integers(1, 40), st.floats(0.0, 30.0)), min_size=1, max_size=12),
    st.integers(0, 1000),
)
def test_what_is_counted_is_the_last_window_however_it_came(parts, seed):
    """An oracle that keeps everything and cuts by the same blocks of time."""
    rng = np.random.default_rng(seed)
    model, kept, t_s = LatenessModel(FACTS), [], 0.0
    for size, gap_s in parts:
        late_s = 10.0 ** rng.uniform(-7.0, 1.5, size)
        take(model, late_s, t_s, 0.01)
        kept += list(zip(t_s + 0.01 * np.arange(size), late_s, strict=True))
        t_s += 0.01 * size + gap_s
    block_s = WINDOW_S / BLOCKS
    newest = math.floor(kept[-1][0] / block_s)
    young = [late for at, late in kept if math.floor(at / block_s) > newest - BLOCKS]
    exact = np.bincount(np.searchsorted(EDGES_S, young), minlength=BINS)
    np.testing.assert_array_equal(model.counts("late"), exact)
    assert model.spread("late").largest_s == max(young)


def test_early_and_very_late_cycles_have_bins_of_their_own():
    model = LatenessModel(FACTS)
    take(model, [-1e-5, 0.0, 1e-9, 50.0, math.nan])
    counts = model.counts("late")
    assert (counts[0], counts[-1], counts.sum()) == (3, 1, 4)
    assert model.spread("late").p99_s == 50.0


def test_time_that_goes_back_is_another_run():
    model = LatenessModel(FACTS)
    take(model, [1e-3] * 10, t_s=100.0)
    take(model, [1e-4] * 5, t_s=3.0)
    assert model.spread("late").count == 5
    take(model, [1e-4] * 2, t_s=3.1, restart=True)
    assert model.spread("late").count == 2


def test_the_quantities_of_each_station():
    assert LatenessModel(FACTS).names == ("late", "busy")
    facts = arm_facts()
    model = LatenessModel(facts)
    model.take(batch(facts, count=3, late_s=1e-3, answer_latency_s=[2e-3, math.nan, 4e-3]), 0.0)
    assert model.names == ("late", "answer")
    assert (model.spread("late").count, model.spread("answer").count) == (3, 2)
    assert model.spread("answer").largest_s == 4e-3


def test_the_serial_tells_of_news():
    model = LatenessModel(FACTS)
    serial = model.serial
    model.take(batch(FACTS, count=0), 0.0)
    assert model.serial == serial
    take(model, [1e-4])
    assert model.serial > serial


def test_edges_cannot_be_written():
    with pytest.raises(ValueError, match="read-only"):
        EDGES_S[0] = 1.0


@pytest.mark.parametrize(("apart", "kept"), [(BLOCKS - 1, 2), (BLOCKS, 1), (BLOCKS + 1, 1)])
def test_of_rows_that_come_at_once_those_a_window_old_are_left_out(apart, kept):
    model = LatenessModel(FACTS)
    take(model, [2e-3, 1e-3], 0.001, apart * WINDOW_S / BLOCKS)
    assert model.spread("late").count == kept
    assert model.spread("late").largest_s == (2e-3 if kept == 2 else 1e-3)
