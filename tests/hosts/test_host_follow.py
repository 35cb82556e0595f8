"""A host's packets in every cycle: delay, ripple, and attitudes that turn over."""

import math
from dataclasses import replace

import campaign
import numpy as np
import pytest
from host_streams import PERIOD_S, jittered, vehicle
from scipy.spatial.transform import Rotation

from hil.hosts.watch.clocks import ArrivalLoop, StampAlignment
from hil.hosts.watch.packet_follower import Follower
from hil.hosts.watch.parabola import Parabola, StateFit
from platform6dof.cueing.vehicle import VehicleFlags, VehicleState

TICK_S = 0.002


def followed(stamped: bool, seed: int, value, seconds: float = 60.0):
    """What a follower says of a channel in every cycle, after two seconds."""
    sent_s, came_s = jittered(int(seconds / PERIOD_S), seed)
    follower, told, times, taken = Follower(stamped), [], [], 0
    for tick in range(int((seconds - 1.0) / TICK_S)):
        now_s = tick * TICK_S
        while taken < len(came_s) and came_s[taken] <= now_s:
            stamp_s = sent_s[taken] + 1234.5 if stamped else math.nan
            x = value(sent_s[taken])
            state = replace(vehicle(sent_s[taken]), f_m_s2=(x, 0.0, 0.0), t_s=stamp_s)
            follower.take(state, came_s[taken])
            taken += 1
        state = follower.state(now_s)
        if state is not None and now_s > 2.0:
            told.append(state.f_m_s2[0])
            times.append(now_s)
    return np.array(times), np.array(told)


@pytest.mark.parametrize(("stamped", "most_s"), [(True, 0.003), (False, 0.010)])
@pytest.mark.campaign
@pytest.mark.parametrize("seed", campaign.share_of(range(6)))
def test_a_sine_is_followed_with_little_delay_and_ripple(stamped, most_s, seed):
    w = 2.0 * math.pi
    times, told = followed(stamped, seed, lambda t_s: math.sin(w * t_s))
    basis = np.stack([np.sin(w * times), np.cos(w * times), np.ones_like(times)], axis=1)
    (a, b, _), *_ = np.linalg.lstsq(basis, told, rcond=None)
    delay_s = -math.atan2(b, a) / w
    ripple = np.sqrt(np.mean((told - basis @ np.linalg.lstsq(basis, told, rcond=None)[0]) ** 2))
    assert 0.0 <= delay_s <= most_s
    assert ripple / math.hypot(a, b) <= 0.01
    assert math.hypot(a, b) == pytest.approx(1.0, abs=0.01)


def test_weights_are_those_of_a_least_squares_parabola():
    rng = np.random.default_rng(5)
    for count in (2, 3, 4):
        times = np.sort(rng.random(count)) + 3.0
        values, at = rng.random(count), 4.3
        wanted = np.polyval(np.polyfit(times, values, min(count - 1, 2)), at)
        weights = Parabola(times.tolist()).weights(at)
        assert np.dot(weights, values) == pytest.approx(wanted, abs=1e-9)


def test_a_loop_through_the_vertical_turns_evenly():
    follower, worst, last = Follower(True), 0.0, None
    for tick in range(int(8.0 / TICK_S)):
        now_s = tick * TICK_S
        index = now_s / PERIOD_S
        if tick == 0 or int(index) != int((now_s - TICK_S) / PERIOD_S):
            sent_s = int(index) * PERIOD_S
            q = Rotation.from_euler("y", sent_s * 1.0).as_quat(scalar_first=True)  # one loop
            sign = 1.0 if int(index) % 2 else -1.0  # a quaternion's sign says nothing
            follower.take(replace(vehicle(sent_s), attitude=tuple(sign * q)), now_s)
        state = follower.state(now_s)
        q = Rotation.from_quat(state.attitude, scalar_first=True)
        if last is not None and now_s > 0.2:
            worst = max(worst, abs((last.inv() * q).magnitude() / TICK_S - 1.0))
        last = q
    assert worst < 0.15  # the times at which a cycle sees packets differ by up to a cycle


def test_what_is_said_last_is_held_in_silence():
    follower = Follower(True)
    for index in range(10):
        follower.take(
            replace(vehicle(index * PERIOD_S), f_m_s2=(index, 0.0, 0.0)), index * PERIOD_S
        )
    # A rise of 1 a packet: it goes on for 2.5 packets, and comes to a stop in one more.
    assert follower.state(9 * PERIOD_S).f_m_s2[0] == pytest.approx(9.0, abs=1e-9)
    assert follower.state(11.5 * PERIOD_S).f_m_s2[0] == pytest.approx(11.5, abs=1e-9)
    assert follower.state(10 * PERIOD_S).f_m_s2[0] == pytest.approx(10.0, abs=1e-9)
    assert follower.state(60.0).f_m_s2[0] == pytest.approx(follower.state(2.0).f_m_s2[0], abs=1e-9)
    assert follower.state(60.0).f_m_s2[0] == pytest.approx(12.5, abs=1e-9)
    follower.anchor()
    assert follower.state(60.0) is None


def test_clocks_that_drift_and_a_host_that_stood_still_are_followed():
    alignment = StampAlignment()
    for index in range(6000):  # 100 s, 300 ppm
        came_s = index * PERIOD_S * 1.0003 + 0.002
        at_s = alignment.at(index * PERIOD_S + 7.0, came_s)
    assert came_s - at_s == pytest.approx(0.0, abs=1e-3)
    for _ in range(300):  # the host's clock lost 80 ms
        index += 1
        came_s = index * PERIOD_S * 1.0003 + 0.082
        at_s = alignment.at(index * PERIOD_S + 7.0, came_s)
    assert came_s - at_s == pytest.approx(0.0, abs=1e-3)


def test_arrivals_alone_find_the_period_though_some_are_lost():
    _, came_s = jittered(3600, 11)
    loop = ArrivalLoop()
    at_s = np.array([loop.at(one) for one in came_s])
    late_s = came_s[600:] - at_s[600:]
    assert abs(late_s.mean()) < 1e-3
    assert np.diff(at_s[600:]).min() > 0.9 * PERIOD_S


def test_states_with_weights_are_each_vector_of_them_with_those():
    """Judged by numpy, and the attitude by turns about one axis, whose angles add."""
    rng = np.random.default_rng(5)
    states, angles_rad = [], (0.1, 0.25, 0.45)
    for angle_rad in angles_rad:
        vectors = [tuple(row) for row in rng.normal(size=(5, 3)).tolist()]
        f, omega, domega, v, place = vectors
        attitude = (math.cos(0.5 * angle_rad), 0.0, math.sin(0.5 * angle_rad), 0.0)
        states.append(VehicleState(1.0, f, omega, domega, attitude, v, place, VehicleFlags(0)))
    weights = (0.5, -1.25, 1.75)
    made = StateFit(states).combine(weights, 1.0)
    for name in ("f_m_s2", "omega_rad_s", "domega_rad_s2", "v_m_s", "position_m"):
        wanted = np.dot(weights, [getattr(state, name) for state in states])
        np.testing.assert_allclose(getattr(made, name), wanted, rtol=1e-12, err_msg=name)
    angle_rad = float(np.dot(weights, angles_rad))
    wanted = (math.cos(0.5 * angle_rad), 0.0, math.sin(0.5 * angle_rad), 0.0)
    np.testing.assert_allclose(made.attitude, wanted, atol=1e-12)


@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_a_packet_that_says_otherwise_moves_nothing_at_once(count):
    """From the second packet on: force and rates go on from where they were when it came."""
    follower = Follower(True)
    for index in range(count):
        state = replace(vehicle(0.0), f_m_s2=(1.0 * index, 0.0, 0.0), t_s=index * PERIOD_S)
        follower.take(state, index * PERIOD_S)
    now_s = count * PERIOD_S
    before = follower.state(now_s).f_m_s2[0]
    other = replace(vehicle(0.0), f_m_s2=(-5.0, 0.0, 0.0), omega_rad_s=(3.0, 0, 0), t_s=now_s)
    follower.take(other, now_s)
    after = follower.state(now_s)
    assert after.f_m_s2[0] == pytest.approx(before, abs=1e-9)
    assert after.omega_rad_s[0] == pytest.approx(0.0, abs=1e-9)
    later = follower.state(now_s + 0.3)
    assert later.f_m_s2[0] < before - 1.0
