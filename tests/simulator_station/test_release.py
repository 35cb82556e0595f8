"""A fade is no manoeuvre: what lasted is let go slowly, what was quick goes with the weight."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog

from hil.hosts.watch.watchdogs import OUT_S, window
from hil.machines.cueing.preset import filter_of, read_preset
from hil.stations.simulator.chain.release import SlowRelease
from platform6dof.cueing.attitude import rotated_by, vector_between
from platform6dof.cueing.vehicle import REST, VehicleFlags

T = 0.002
LEVEL = (1.0, 0.0, 0.0, 0.0)


def bend(force_m_s2=3.5, yaw_rad_s=0.4):
    """A car in a bend to the left."""
    g = REST.f_m_s2[2]
    return replace(REST, f_m_s2=(0.0, -force_m_s2, g), omega_rad_s=(0.0, 0.0, -yaw_rad_s))


def fade(t_s):
    """Weight of a source that is lost at 0."""
    return 1.0 - window(t_s / OUT_S)


def told(state_of, weight_of, begin_s, end_s):
    """Times, and what a filter is told, from `begin_s` on."""
    release, times = SlowRelease(T), T * np.arange(round(begin_s / T), round(end_s / T))
    return times, [release.step(state_of(t_s), weight_of(t_s)) for t_s in times]


def test_at_full_weight_from_the_beginning_on_it_is_not_there():
    release, state = SlowRelease(T), bend()
    assert all(release.step(state, 1.0) is state for _ in range(100))


def peaks(released):
    """Largest accelerations of a ride that is lost in a bend after 4 s [m/s², rad/s²], (6,)."""
    cue, release, found = filter_of(read_preset("tight"), T), SlowRelease(T), []
    for t_s in T * np.arange(round(-4.0 / T), round(4.0 / T)):
        state, weight = bend(), fade(t_s) * window(t_s + 4.0)
        if released:
            state, weight = release.step(state, weight), 1.0
        rows = cue.step(state, weight)
        if t_s >= 0.0:
            found.append(np.abs(rows[2]))
    return np.max(found, axis=0)


def test_a_car_lost_in_a_bend_is_not_felt_to_straighten():
    kick, gentle = peaks(released=False), peaks(released=True)
    wanted = 0.25 * 3.5
    assert kick[1] > 0.4 * wanted  # the sway
    assert gentle[1] < 0.12 * wanted
    assert kick[3] > 0.4  # its yaw was washed out, and turns back
    assert gentle[3] < 0.15 * kick[3]
    assert gentle[5] < 0.6 * kick[5]  # its tilt turns home


def test_what_lasted_is_over_some_seconds_later():
    _, states = told(lambda _: bend(), fade, -3.0, 6.0)
    force, rates = np.array(states[-1].f_m_s2), np.array(states[-1].omega_rad_s)
    np.testing.assert_allclose(force, REST.f_m_s2, atol=0.01)
    np.testing.assert_allclose(rates, 0.0, atol=1.2e-3)


def test_what_was_quick_goes_with_the_weight():
    def jolted(t_s):
        return bend(3.5 if t_s > -0.02 else 0.0, 0.4 if t_s > -0.02 else 0.0)

    times, states = told(jolted, fade, -3.0, 0.5)
    after = np.array([one.f_m_s2[1] for one in states])[times > OUT_S + T]
    assert np.abs(after).max() < 0.75 * 3.5
    rates = np.array([one.omega_rad_s[2] for one in states])[times > OUT_S + T]
    assert np.abs(rates).max() < 0.25 * 0.4


@pytest.mark.parametrize("seed", range(10))
def test_hardly_more_is_told_than_the_vehicle_did(seed):
    rng = np.random.default_rng(seed)
    ends, sizes = np.cumsum(rng.uniform(0.05, 1.0, 40)), rng.uniform(-30.0, 30.0, 40)
    aims = rng.integers(0, 2, 40)
    weight, release, most, least = 0.0, SlowRelease(T), 0.0, 0.0
    for t_s in np.arange(0.0, ends[-1], T):
        at = int(np.searchsorted(ends, t_s))
        most, least = max(most, sizes[at]), min(least, sizes[at])
        weight = min(max(weight + (T / OUT_S if aims[at] else -T / OUT_S), 0.0), 1.0)
        f_x = release.step(replace(REST, f_m_s2=(sizes[at], 0.0, REST.f_m_s2[2])), weight)
        span = max(most, -least)
        assert abs(f_x.f_m_s2[0]) <= 2.0 * span


def test_a_pose_stops_with_the_weight_and_comes_home_after_that():
    def posed(t_s):
        place, turn = (0.05 + 0.1 * min(t_s, OUT_S), 0.02, 0.0), rotated_by((0.0, 0.0, 0.1))
        return replace(REST, position_m=place, attitude=turn, flags=VehicleFlags.POSE)

    times, states = told(posed, fade, -1.0, 6.0)
    x = np.array([one.position_m[0] for one in states])
    turns = np.array([vector_between(LEVEL, one.attitude)[2] for one in states])
    assert np.abs(np.diff(x, 2)).max() / T**2 < 1.0  # 0.1 m/s stopped in 0.3 s; 4.8 by the weight
    assert np.abs(np.diff(turns, 2)).max() / T**2 < 0.4
    assert x.max() < 0.075
    at_fault = int(np.searchsorted(times, OUT_S))
    assert x[at_fault] > 0.05
    assert abs(x[-1]) < 1e-3
    assert abs(turns[-1]) < 1e-3
    assert all(one.flags == VehicleFlags.POSE for one in states)


def least_peak(wn_rad_s, damping, wb_rad_s, fade_s):
    """Least acceleration by which a washout answers a unit of force that ends in a time [1].

    With 1/H = 1 + c1/s + c2/s² + c3/s³ what is put in is the answer plus integrals of it, whose
    weights are not negative: of all answers that take the force away the constant one is smallest.
    """
    c1 = 2.0 * damping * wn_rad_s + wb_rad_s
    c2 = wn_rad_s**2 + 2.0 * damping * wn_rad_s * wb_rad_s
    c3 = wn_rad_s**2 * wb_rad_s
    return 1.0 / (1.0 + c1 * fade_s + c2 * fade_s**2 / 2.0 + c3 * fade_s**3 / 6.0)


@pytest.mark.parametrize(("preset", "figure"), [("tight", 0.30), ("air", 0.33), ("base", 0.35)])
def test_no_shape_of_a_fade_alone_would_do(preset, figure):
    """The least peak of any fade in 0.3 s that a washout is told: found by a linear program too."""
    one = read_preset(preset).classical().translation[0]
    least = least_peak(one.wn_rad_s, one.damping, one.wb_rad_s, OUT_S)
    assert least == pytest.approx(figure, abs=0.01)
    count = 300
    step_s = OUT_S / count
    den = np.polymul((1.0, 2.0 * one.damping * one.wn_rad_s, one.wn_rad_s**2), (1.0, one.wb_rad_s))
    ages = OUT_S - step_s * (np.arange(count) + 0.5)
    kernel = step_s * (den[1] + den[2] * ages + den[3] * ages**2 / 2.0)
    # Unknown: the answer in each step, at the end itself, and their largest size.
    takes = np.r_[kernel, 1.0, 0.0][None]
    sizes = np.block(
        [
            [np.eye(count + 1), -np.ones((count + 1, 1))],
            [-np.eye(count + 1), -np.ones((count + 1, 1))],
        ]
    )
    cost = np.r_[np.zeros(count + 1), 1.0]
    found = linprog(cost, sizes, np.zeros(2 * count + 2), takes, [1.0], bounds=(None, None))
    assert found.fun == pytest.approx(least, rel=1e-3)


def test_the_least_slope_of_a_fade_is_nearly_reached():
    shares = np.linspace(0.0, 1.0, 2001)
    values = np.array([window(one) for one in shares])
    assert np.diff(values).max() / np.diff(shares)[0] == pytest.approx(1.0 / 0.85, rel=1e-6)
    np.testing.assert_allclose(values + values[::-1], 1.0, atol=1e-12)
    assert math.isclose(values[0], 0.0, abs_tol=1e-15)
    assert np.abs(np.diff(values, 2)).max() / np.diff(shares)[0] ** 2 < 8.0  # its speed has no step
