"""The trigger against a loop that a child could follow."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hil.panel.scope.models.catch import Catcher
from hil.panel.scope.models.ring import Window
from hil.panel.scope.models.trigger import (
    TRANSITIONS,
    Edge,
    Sweep,
    TriggerEvent,
    TriggerPhase,
    TriggerSettings,
    TriggerState,
    edges,
    start,
    step,
    turned,
)

values_near_level = st.lists(
    st.sampled_from([-2.0, -1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0, 2.0, math.nan]), max_size=60
)
gaps = st.sampled_from([0.0, 0.25, 0.6])


def naive_edges(values, gap, edge):
    """One sample after the other, level 0."""
    found, low, high = [], False, False
    for number, value in enumerate(values):
        if math.isnan(value):
            low = high = False
            continue
        if value >= 0.0:
            if low and edge is not Edge.FALLING:
                found.append(number)
            low = False
        if value <= 0.0:
            if high and edge is not Edge.RISING:
                found.append(number)
            high = False
        if value < -gap:
            low = True
        if value > gap:
            high = True
    return found


@given(values_near_level, gaps, st.sampled_from(Edge), st.integers(0, 60))
def test_edges_are_those_of_the_naive_loop_however_samples_come(values, gap, edge, cut):
    wanted = TriggerSettings("x", 0.0, edge, gap, sweep=Sweep.NORMAL)
    data = np.array(values)
    first, side = edges(data[:cut], wanted)
    second, _ = edges(data[cut:], wanted, side)
    found = [*first.tolist(), *(second + len(data[:cut])).tolist()]
    assert found == naive_edges(values, gap, edge)


def naive_sweeps(values, wanted, span):
    """Edges whose sweeps become full; times are whole numbers."""
    post = (1.0 - wanted.pre) * span
    full, begun, last = [], None, -math.inf
    found = naive_edges(values, wanted.hysteresis, wanted.edge)
    for now in range(len(values)):
        if begun is not None and now >= begun + post:
            full.append(begun)
            begun = None
            if wanted.sweep is Sweep.SINGLE:
                break
        free = begun is None and now > last + max(post, wanted.hold_off_s)
        if now in found and free:
            begun = last = now
            if post == 0.0:
                full.append(begun)
                begun = None
                if wanted.sweep is Sweep.SINGLE:
                    break
    return full


@given(
    values_near_level,
    st.sampled_from([0.0, 0.5, 0.75, 1.0]),
    st.sampled_from([0.0, 3.0, 11.0]),
    st.sampled_from([Sweep.NORMAL, Sweep.AUTO, Sweep.SINGLE]),
    st.integers(1, 12),
)
def test_sweeps_are_those_of_the_naive_loop(values, pre, hold_off_s, sweep, part):
    wanted = TriggerSettings("x", 0.0, Edge.EITHER, 0.25, pre, sweep, hold_off_s)
    times, data = np.arange(len(values), dtype=float), np.array(values)
    state, full = start(TriggerState()), []
    for begin in range(0, len(values), part):
        piece = slice(begin, begin + part)
        state, found = step(state, wanted, 4.0, times[piece], data[piece])
        full += found
    assert full == naive_sweeps(values, wanted, 4.0)
    if sweep is Sweep.SINGLE and full:
        assert state.phase is TriggerPhase.HELD


def test_noise_within_the_hysteresis_is_no_edge():
    noise = 0.09 * np.sin(np.arange(1000))
    rise = np.where(np.arange(1000) >= 500, 1.0, 0.0) + noise
    wanted = TriggerSettings("x", 0.0, Edge.RISING, 0.1, sweep=Sweep.NORMAL)
    assert len(edges(noise, wanted)[0]) == 0
    strict = TriggerSettings("x", 0.5, Edge.RISING, 0.1, sweep=Sweep.NORMAL)
    assert edges(rise, strict)[0].tolist() == [500]


@pytest.mark.parametrize(
    ("phase", "happening"), list(itertools.product(TriggerPhase, TriggerEvent))
)
def test_every_phase_and_happening(phase, happening):
    after = turned(TriggerState(phase, 1.0), happening).phase
    if happening is TriggerEvent.START:
        assert after is TriggerPhase.ARMED
    elif happening is TriggerEvent.STOP:
        assert after is TriggerPhase.IDLE
    else:
        ways = {
            (TriggerPhase.ARMED, TriggerEvent.EDGE): TriggerPhase.FILLING,
            (TriggerPhase.FILLING, TriggerEvent.FILLED): TriggerPhase.FULL,
            (TriggerPhase.FILLING, TriggerEvent.FILLED_SINGLE): TriggerPhase.HELD,
            (TriggerPhase.FULL, TriggerEvent.READY): TriggerPhase.ARMED,
        }
        assert after is ways.get((phase, happening), phase)
    with pytest.raises(TypeError):
        TRANSITIONS[TriggerPhase.IDLE, TriggerEvent.EDGE] = TriggerPhase.FULL


def test_a_trigger_that_is_off_or_held_sees_nothing():
    times, data = np.arange(4.0), np.array([-1.0, 1.0, -1.0, 1.0])
    off = TriggerSettings("x", sweep=Sweep.OFF)
    assert step(start(TriggerState()), off, 1.0, times, data)[1] == ()
    held = TriggerState(TriggerPhase.HELD, 5.0)
    normal = TriggerSettings("x", sweep=Sweep.NORMAL)
    assert step(held, normal, 1.0, times, data) == (held, ())


@pytest.mark.parametrize(
    "wrong",
    [
        {"level": math.nan},
        {"hysteresis": -0.1},
        {"pre": 1.1},
        {"pre": math.nan},
        {"hold_off_s": math.inf},
    ],
)
def test_settings_out_of_range_are_refused(wrong):
    with pytest.raises(ValueError, match=str(next(iter(wrong.values())))):
        TriggerSettings("x", **wrong)


def test_after_a_start_what_was_seen_of_the_signal_before_is_no_half_of_an_edge():
    """-1, a start, +1: a rise only for who remembers the -1."""
    wanted = TriggerSettings("x", 0.0, Edge.RISING, 0.25, 1.0, Sweep.NORMAL)
    low, high = np.array([-1.0]), np.array([1.0])
    seen, _ = step(start(TriggerState()), wanted, 4.0, np.array([0.0]), low)
    assert step(seen, wanted, 4.0, np.array([1.0]), high)[1] == (1.0,)
    assert step(start(seen), wanted, 4.0, np.array([1.0]), high)[1] == ()


def test_a_sweep_is_kept_with_its_share_before_the_edge_and_what_was_asked_for_around_it():
    """Of 2 s a quarter before an edge at 4 s, and 0.1 s beyond either end."""
    t_s = np.arange(0, 1001) * 0.01
    window = Window(0, 0, t_s, np.vstack([t_s, np.where(t_s < 4.0, -1.0, 1.0)]))
    catcher = Catcher()
    catcher.settings = TriggerSettings("x", 0.0, Edge.RISING, pre=0.25, sweep=Sweep.NORMAL)
    catcher.arm()
    catcher.update(window, 0, 1, 2.0, 0.105)
    assert catcher.caught.edge_s == t_s[400]
    np.testing.assert_array_equal(catcher.caught.window.t_s, t_s[340:561])
