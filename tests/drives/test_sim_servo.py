"""How a simulated rod moves: the servo against its formula, and its limits."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import dear
from scipy.integrate import solve_ivp
from sim_cylinders import (
    CLOSED_M,
    MODEL,
    OPEN_M,
    PERIOD_S,
    REFERENCE_M,
    at_reference,
    command,
    cycles,
    model,
    ready,
)

from drives.sim.bank import END_STOP, DriveGoal, DriveState
from drives.sim.cylinder import trapezoid

OMEGA = 2.0 * math.pi * MODEL.natural_frequency_hz


def step_response(t_s, damping):
    """Answer of x'' = w^2 (1 - x) - 2 z w x' to a unit step, from rest, z < 1."""
    fast = OMEGA * math.sqrt(1.0 - damping**2)
    decay = math.exp(-damping * OMEGA * t_s)
    share = damping / math.sqrt(1.0 - damping**2)
    return 1.0 - decay * (math.cos(fast * t_s) + share * math.sin(fast * t_s))


@pytest.mark.parametrize("damping", [0.3, 0.8])
def test_the_step_response_is_that_of_second_order(damping):
    bank = ready(cylinders=model(damping=damping))
    step_m = 1e-5
    # The drive interpolates: within the first cycle the setpoint is a ramp and not yet a step.
    ramp_s = PERIOD_S

    def answer(t_s):  # to a ramp of one cycle = mean of the step responses over that cycle
        starts = np.linspace(t_s - ramp_s, t_s, 2001)
        return float(np.mean([step_response(t, damping) for t in starts]))

    for cycle in range(1, 60):
        feedback = bank.exchange(at_reference(step_m))
        moved = np.array(feedback.length_m) - REFERENCE_M
        assert moved / step_m == pytest.approx(answer(cycle * PERIOD_S), abs=2e-5)


def test_a_small_motion_is_that_of_an_independent_integration():
    rng = np.random.default_rng(7)
    lengths = np.vstack((np.zeros(6), rng.uniform(-1e-5, 1e-5, (12, 6))))
    speeds = np.vstack((np.zeros(6), rng.uniform(-1e-3, 1e-3, (12, 6))))
    t_s = np.arange(13) * PERIOD_S
    damping = 2.0 * MODEL.damping * OMEGA

    def rates(t, state):  # setpoint and its speed are interpolated linearly within a cycle
        x, v = state[:6], state[6:]
        ref = [np.interp(t, t_s, lengths[:, leg]) for leg in range(6)]
        vref = [np.interp(t, t_s, speeds[:, leg]) for leg in range(6)]
        return np.concatenate((v, OMEGA**2 * (ref - x) + damping * (vref - v)))

    truth = solve_ivp(
        rates, (0.0, t_s[-1]), np.zeros(12), t_eval=t_s, rtol=1e-9, atol=1e-15, max_step=1e-4
    ).y
    bank = ready()
    for cycle in range(1, 13):
        feedback = bank.exchange(command(REFERENCE_M + lengths[cycle], speeds[cycle]))
        moved = np.array(feedback.length_m) - REFERENCE_M
        assert moved == pytest.approx(truth[:6, cycle], abs=2e-10)
        assert feedback.speed_m_s == pytest.approx(truth[6:, cycle], abs=1e-7)


def test_a_steady_speed_is_followed_without_error_thanks_to_the_feed_forward():
    bank = ready()
    speed = 0.1
    for cycle in range(1, 300):
        target = REFERENCE_M + speed * PERIOD_S * cycle
        feedback = bank.exchange(command(target, (speed,) * 6))
    assert feedback.length_m == pytest.approx(target, abs=1e-9)
    assert feedback.speed_m_s == pytest.approx((speed,) * 6, abs=1e-7)


def test_without_feed_forward_the_rod_lags_by_two_z_over_w_times_the_speed():
    bank = ready()
    speed = 0.1
    for cycle in range(1, 300):
        target = REFERENCE_M + speed * PERIOD_S * cycle
        feedback = bank.exchange(command(target))
    lag = target - np.array(feedback.length_m)
    assert lag == pytest.approx(np.full(6, 2.0 * MODEL.damping / OMEGA * speed), rel=1e-6)


@dear
@given(
    st.lists(
        st.tuples(
            st.lists(st.floats(0.0, 2.0), min_size=6, max_size=6),
            st.lists(st.floats(-2.0, 2.0), min_size=6, max_size=6),
            st.integers(1, 60),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_no_command_breaks_a_limit_of_speed_acceleration_force_or_travel(plan):
    bank = ready()
    before = bank.exchange(at_reference())
    for length, speed, count in plan:
        for _ in range(count):
            feedback = bank.exchange(command(length, speed))
            x, v = np.array(feedback.length_m), np.array(feedback.speed_m_s)
            assert (x >= CLOSED_M).all()
            assert (x <= OPEN_M).all()
            assert (np.abs(v) <= MODEL.speed_max_m_s + 1e-12).all()
            way = np.abs(x - np.array(before.length_m))
            assert (way <= MODEL.speed_max_m_s * PERIOD_S + 1e-12).all()
            # A stop takes all speed at once; within that cycle the rod may have left it again.
            at_stop = np.minimum(x - CLOSED_M, OPEN_M - x) < MODEL.speed_max_m_s * PERIOD_S
            dv = np.abs(v - np.array(before.speed_m_s))
            assert (at_stop | (dv <= MODEL.acceleration_max_m_s2 * PERIOD_S + 1e-12)).all()
            assert (np.abs(feedback.force_n) <= MODEL.force_max_n + 1e-9).all()
            before = feedback


def test_the_limits_are_reached_where_they_are_asked_for():
    bank = ready()
    speeds, growth = [], []
    before = np.zeros(6)
    for _ in range(200):
        feedback = bank.exchange(at_reference(0.4))
        speeds.append(feedback.speed_m_s)
        growth.append((np.array(feedback.speed_m_s) - before) / PERIOD_S)
        before = np.array(feedback.speed_m_s)
    assert np.max(speeds, axis=0) == pytest.approx(MODEL.speed_max_m_s)
    assert np.max(growth, axis=0) == pytest.approx(MODEL.acceleration_max_m_s2)


def test_a_weak_drive_accelerates_by_the_force_its_load_leaves():
    force = MODEL.static_load_n + 60.0
    weak = ready(cylinders=model(force_max_n=force, acceleration_max_m_s2=np.full(6, 100.0)))
    first = cycles(weak, 1, at_reference(0.1))
    later = cycles(weak, 5, at_reference(0.1))
    assert later.force_n == pytest.approx(force)
    gained = np.array(later.speed_m_s) - np.array(first.speed_m_s)
    assert gained == pytest.approx(60.0 / MODEL.moving_mass_kg * 5 * PERIOD_S)
    # Downwards the load helps: the drive pulls with all it has as well.
    first = cycles(weak, 1, at_reference(-0.03))
    later = cycles(weak, 3, at_reference(-0.03))
    assert later.force_n == pytest.approx(-force)
    gained = np.array(later.speed_m_s) - np.array(first.speed_m_s)
    fall = (force + MODEL.static_load_n) / MODEL.moving_mass_kg
    assert gained == pytest.approx(-fall * 3 * PERIOD_S)


def test_standing_still_takes_the_static_load():
    feedback = cycles(ready(), 10, at_reference())
    assert feedback.force_n == pytest.approx(MODEL.static_load_n)


@pytest.mark.parametrize(("goal", "stop"), [(0.0, CLOSED_M), (3.0, OPEN_M)])
def test_an_end_stop_is_hard_inelastic_and_trips_the_drive(goal, stop):
    bank = ready()
    seen = set()
    for _ in range(2000):
        feedback = bank.exchange(command(np.full(6, goal)))
        seen.update(zip(feedback.state, feedback.fault_code, strict=True))
    assert feedback.length_m == pytest.approx(stop, abs=0.0)
    assert feedback.speed_m_s == (0.0,) * 6
    assert seen == {(DriveState.ENABLED, 0), (DriveState.FAULT, END_STOP)}


def test_settling_on_the_end_stop_is_not_a_collision():
    bank = ready(cylinders=model(reference_length_m=CLOSED_M + 1e-4))
    for _ in range(500):
        feedback = bank.exchange(command(CLOSED_M))
    assert feedback.state == (DriveState.ENABLED,) * 6
    assert feedback.length_m == pytest.approx(CLOSED_M, abs=1e-6)


def test_a_quick_stop_brakes_each_leg_at_its_own_limit():
    bank = ready()
    moving = cycles(bank, 40, at_reference(0.4))
    bank.request(DriveGoal.QUICK_STOPPED)
    braked = bank.exchange(None)
    lost = (np.array(moving.speed_m_s) - np.array(braked.speed_m_s)) / PERIOD_S
    assert lost == pytest.approx(MODEL.acceleration_max_m_s2)
    resting = cycles(bank, 500)
    way = np.array(resting.length_m) - np.array(moving.length_m)
    wanted = np.array(moving.speed_m_s) ** 2 / (2.0 * MODEL.acceleration_max_m_s2)
    assert way == pytest.approx(wanted, rel=1e-9)
    assert resting.force_n == pytest.approx(MODEL.static_load_n)


def test_a_closing_brake_stops_harder_than_the_drive_and_holds_without_force():
    bank = ready()
    moving = cycles(bank, 40, at_reference(0.4))
    bank.request(DriveGoal.DISABLED)
    first = bank.exchange(None)
    lost = (np.array(moving.speed_m_s) - np.array(first.speed_m_s)) / PERIOD_S
    assert lost == pytest.approx(2.0 * MODEL.acceleration_max_m_s2)
    assert cycles(bank, 500).force_n == (0.0,) * 6


@given(st.floats(-1.0, 1.0), st.floats(0.01, 1.0), st.floats(0.1, 5.0), st.floats(0.0, 1.0))
def test_the_homing_profile_is_consistent_and_ends_on_its_goal(distance, speed, rate, share):
    top = min(speed, math.sqrt(abs(distance) * rate))
    total = 2.0 * top / rate + (abs(distance) / top - top / rate if top > 0.0 else 0.0)
    t = share * total
    x, v, a, _ = trapezoid(t, distance, speed, rate)
    assert abs(v) <= speed * (1 + 1e-12)
    assert abs(a) <= rate
    assert min(0.0, distance) - 1e-9 <= x <= max(0.0, distance) + 1e-9
    h = 1e-6
    after = trapezoid(t + h, distance, speed, rate)[0]
    assert (after - x) / h == pytest.approx(v, abs=2 * rate * h + 1e-8)
    assert trapezoid(total + 1e-9, distance, speed, rate) == (distance, 0.0, 0.0, True)
