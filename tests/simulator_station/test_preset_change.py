"""A change between presets under motion: smooth, from that of one to that of the other."""

import numpy as np
import pytest

from hil.machines.cueing.preset import filter_of, read_preset
from hil.stations.simulator.chain.parts import CHANGE_S, Presets
from platform6dof.cueing.vehicle import GRAVITY_M_S2, VehicleState

PERIOD_S = 0.002
BEGINS = 2500
"""Cycle of the first change."""


def vehicle(t_s):
    surge, sway = 1.5 * np.sin(2.0 * t_s), 1.0 * np.sin(3.1 * t_s + 0.4)
    force = (surge, sway, -GRAVITY_M_S2 + 0.8 * np.sin(5.0 * t_s))
    rates = (0.1 * np.sin(1.7 * t_s), 0.08 * np.cos(2.3 * t_s) - 0.08, 0.1 * np.sin(0.9 * t_s))
    slopes = (
        0.17 * np.cos(1.7 * t_s), -0.184 * np.sin(2.3 * t_s), 0.09 * np.cos(0.9 * t_s),
    )  # fmt: skip
    none = (0.0, 0.0, 0.0)
    return VehicleState(t_s, force, rates, slopes, (1.0, 0.0, 0.0, 0.0), none, none)


def filters(*names):
    return tuple(filter_of(read_preset(name), PERIOD_S) for name in names)


def changed(names, wishes):
    """Rows of a ride with changes, and those of each filter by itself, (N, 3, 6)."""
    presets, alone = Presets(filters(*names), 0, PERIOD_S), filters(*names)
    cycles = BEGINS + round(3.5 / PERIOD_S)
    states = [vehicle(k * PERIOD_S) for k in range(cycles)]
    rows = []
    for k, state in enumerate(states):
        if k in wishes:
            presets.choose(wishes[k])
        rows.append(presets.step(state))
    return np.array(rows), *(np.array([one.step(state) for state in states]) for one in alone)


@pytest.mark.parametrize(
    "names", [("tight", "base"), ("base", "gentle"), ("base", "adaptive"), ("adaptive", "tight")]
)
def test_a_change_under_motion_keeps_place_and_speed(names):
    ends = BEGINS + round(CHANGE_S / PERIOD_S)
    # The second wish comes in the middle of the first change and has to wait for its end.
    both, one, other = changed(names, {BEGINS: 1, BEGINS + 200: 0, BEGINS + 300: 1})
    np.testing.assert_array_equal(both[:BEGINS], one[:BEGINS])
    np.testing.assert_allclose(both[ends + 1 :], other[ends + 1 :], atol=1e-12)
    apart = np.abs(one - other)[BEGINS:ends].max(axis=0)
    assert apart[0].max() > 5e-3, "else there is nothing to cross over"
    most = np.maximum(np.abs(one), np.abs(other))[BEGINS - 1 : ends + 2].max(axis=0)
    # Slopes of 10u³ - 15u⁴ + 6u⁵ are at most 15/8, bends at most 10/√3.
    speed = most[1] + 1.875 / CHANGE_S * apart[0]
    bend = most[2] + 3.75 / CHANGE_S * apart[1] + 5.7736 / CHANGE_S**2 * apart[0]
    x, v, a = np.diff(both[BEGINS - 1 : ends + 2], axis=0).transpose(1, 0, 2)
    assert np.all(np.abs(x) <= PERIOD_S * speed + 1e-9)
    assert np.all(np.abs(v) <= PERIOD_S * bend * 1.02 + 1e-6)
    own = np.maximum(np.abs(np.diff(one[:, 2], axis=0)), np.abs(np.diff(other[:, 2], axis=0)))
    assert np.all(np.abs(a) <= own[BEGINS - 1 : ends + 1].max(axis=0) + 0.02 * bend)


def test_a_change_there_and_back_ends_where_it_began():
    back = BEGINS + 100
    both, one, _ = changed(("tight", "adaptive"), {BEGINS: 1, back: 0})
    over = BEGINS + 2 * round(CHANGE_S / PERIOD_S) + 2
    np.testing.assert_allclose(both[over:], one[over:], atol=1e-12)
    middle = BEGINS + round(CHANGE_S / PERIOD_S)
    assert np.abs(both[middle, 0] - one[middle, 0]).max() > 1e-3, "the first change went to its end"
