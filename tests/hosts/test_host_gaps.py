"""What is followed around gaps: backlogs, corrections, silence."""

from dataclasses import replace

import numpy as np
import pytest
from host_streams import PERIOD_S, jittered, vehicle

from hil.hosts.watch.clocks import ArrivalLoop
from hil.hosts.watch.packet_follower import Follower
from platform6dof.cueing.vehicle import VehicleFlags

TICK_S = 0.002


@pytest.mark.parametrize("burst", [1, 3, 6, 9])
@pytest.mark.parametrize("seed", range(5))
def test_arrivals_find_the_period_when_they_begin_with_the_rest_of_a_backlog(burst, seed):
    _, came_s = jittered(600, seed)
    backlog_s = came_s[0] - 1e-3 * np.arange(burst, 0, -1)
    loop = ArrivalLoop()
    at_s = np.array([loop.at(one) for one in (*backlog_s, *came_s)])
    apart_s = np.diff(at_s[burst + 60 :])
    periods = np.round(apart_s / PERIOD_S)
    assert np.abs(apart_s / periods - PERIOD_S).max() < 0.12 * PERIOD_S
    assert set(periods) <= {1.0, 2.0, 3.0}


@pytest.mark.parametrize("posed", [False, True])
def test_what_a_packet_corrects_is_no_step(posed):
    """A rate that rises, and stands still in the middle of what was foreseen."""
    follower, told = Follower(stamped=True), []
    flags = VehicleFlags.POSE if posed else VehicleFlags(0)
    for tick in range(1000):
        now_s = tick * TICK_S
        if tick % 8 == 0:
            x = 3.0 * min(now_s, 1.0)
            force, place = ((0.0, 0.0, -9.8), (x, 0.0, 0.0)) if posed else ((x, 0.0, 0.0),) * 2
            state = replace(vehicle(now_s), t_s=now_s, f_m_s2=force, position_m=place, flags=flags)
            follower.take(state, now_s)
        state = follower.state(now_s)
        assert state is not None
        told.append(state.position_m[0] if posed else state.f_m_s2[0])
    speed = np.diff(told[100:]) / TICK_S
    assert np.abs(speed).max() < 4.5  # it is 3; what was foreseen too far comes back slowly
    assert told[-1] == pytest.approx(3.0, abs=1e-9)


def test_a_pose_that_is_silent_stops_from_its_speed():
    follower, told = Follower(stamped=False), []
    for tick in range(1000):
        now_s = tick * TICK_S
        if tick % 8 == 0 and now_s < 1.0:
            flags, place = VehicleFlags.POSE, (0.2 * now_s, 0.0, 0.0)
            follower.take(replace(vehicle(now_s), position_m=place, flags=flags), now_s)
        state = follower.state(now_s)
        assert state is not None
        told.append(state.position_m[0])
    x = np.array(told[100:])
    assert np.abs(np.diff(x, 2)).max() / TICK_S**2 < 1.1 * 0.2 / 0.2  # its speed over the time
    assert x[-1] == pytest.approx(0.2 * (1.0 + 0.04 + 0.2), abs=0.01)
