"""The watchdogs of a live host, one by one, in virtual time."""

import math
from dataclasses import replace

import numpy as np
import pytest
from host_streams import PERIOD_S, packet, stripped

from hil.hosts.kind import Packet, Received, Refused
from hil.hosts.watch.states import Cause, HostState
from hil.hosts.watch.watchdogs import HostWatch, window
from platform6dof.cueing.vehicle import VehicleFlags

TICK_S = 0.002


class Ride:
    """A watch in cycles of 2 ms, fed by a function of the packet's number."""

    def __init__(self):
        self.watch, self.now_s, self.rows, self.sent, self.taken = HostWatch(), 0.0, [], 0, []

    def until(self, end_s, make=packet):
        while self.now_s < end_s - 1e-9:
            heard = []
            while self.sent * PERIOD_S <= self.now_s + 1e-9:
                made = make(self.sent)
                self.sent += 1
                heard += made if isinstance(made, list) else [made] if made is not None else []
            told = self.watch.step(self.now_s, heard)
            self.taken += told.accepted
            self.rows.append((self.now_s, told))
            self.now_s += TICK_S
        return self.rows[-1][1]

    def first(self, state, after_s=0.0):
        return next((t for t, told in self.rows if told.state is state and t >= after_s), math.inf)


@pytest.fixture
def live():
    """A ride that has been live since about 2 s; now at 3 s."""
    ride = Ride()
    assert ride.until(3.0).state is HostState.LIVE
    return ride


def silent(index):
    return None


def test_a_stream_is_live_after_a_second_of_soundness_and_one_of_fading_in():
    ride = Ride()
    ride.until(3.0)
    assert ride.first(HostState.FADING_IN) == pytest.approx(1.0, abs=0.003)
    assert ride.first(HostState.LIVE) == pytest.approx(2.0, abs=0.006)
    assert ride.rows[0][1].anchor
    assert sum(told.anchor for _, told in ride.rows) == 1
    weights = np.array([told.weight for _, told in ride.rows])
    assert (np.diff(weights) >= 0.0).all()
    assert np.diff(weights).max() < 1.177 * TICK_S  # the steepest of the window in a second


@pytest.mark.parametrize("share", [0.0, 0.1, 0.15, 0.5, 0.9, 1.0])
def test_the_window_goes_at_an_even_speed_between_its_rounded_ends(share):
    speed = np.clip(np.minimum(np.linspace(0.0, share, 20001), 1.0), 0.0, 1.0)
    speed = np.minimum(np.minimum(speed, 1.0 - speed) / 0.15, 1.0) / 0.85
    area = float(np.sum(0.5 * (speed[1:] + speed[:-1]))) * share / 20000
    assert window(share) == pytest.approx(area, abs=1e-8)
    assert window(-1.0) == 0.0
    assert window(2.0) == 1.0


def test_silence_fades_after_100_ms_and_parks_after_2_s_until_a_person_engages(live):
    last_s = (live.sent - 1) * PERIOD_S
    live.until(6.0, silent)
    fault_s = live.first(HostState.FADING_OUT)
    assert fault_s - last_s == pytest.approx(0.1, abs=0.0025)
    assert live.first(HostState.AWAY) - fault_s == pytest.approx(0.3, abs=0.003)
    assert live.first(HostState.LOST) - fault_s == pytest.approx(2.0, abs=0.003)
    told = live.rows[-1][1]
    assert told.park
    assert told.cause is Cause.NO_PACKET
    assert all(told.weight == 0.0 for t, told in live.rows if t >= fault_s + 0.302)
    live.until(12.0)  # the host is back: nothing moves
    assert {told.state for t, told in live.rows if t > 6.0} == {HostState.LOST}
    live.watch.reengage(live.now_s)
    live.until(12.9)
    assert live.rows[-1][1].state is HostState.WAITING
    assert live.until(14.5).state is HostState.LIVE


def test_a_short_silence_comes_back_by_itself(live):
    live.until(3.5, silent)
    live.until(6.5)
    fault_s = live.first(HostState.FADING_OUT)
    back_s = live.first(HostState.FADING_IN, fault_s)
    assert back_s == pytest.approx(fault_s + 0.8, abs=0.01)  # out in 0.3 s, 0.5 s rest
    assert live.first(HostState.LIVE, fault_s) == pytest.approx(back_s + 1.0, abs=0.004)
    assert sum(told.anchor for _, told in live.rows) == 2
    assert live.rows[-1][1].cause is Cause.NO_PACKET


def test_a_frozen_stamp_is_as_good_as_silence(live):
    stood_s = (live.sent - 1) * PERIOD_S
    live.until(5.5, lambda index: packet(index, t_s=stood_s, came_s=index * PERIOD_S))
    assert live.first(HostState.FADING_OUT) == pytest.approx(stood_s + 0.1, abs=0.0025)
    assert live.rows[-1][1].cause is Cause.STAMP_FROZEN
    assert live.rows[-1][1].state is HostState.LOST


def told_by_host(**changes):
    return lambda index: packet(index, **changes)


@pytest.mark.parametrize(
    ("changes", "cause"),
    [
        ({"flags": VehicleFlags.PAUSED}, Cause.PAUSED),
        ({"flags": VehicleFlags.REPLAY}, Cause.REPLAY),
        ({"flags": VehicleFlags.END}, Cause.END),
        ({"speed_factor": 0.5}, Cause.SPEED_FACTOR),
        ({"speed_factor": 0.0}, Cause.PAUSED),
    ],
)
def test_what_the_host_says_itself_fades_at_once(live, changes, cause):
    began_s = live.sent * PERIOD_S
    live.until(4.0, told_by_host(**changes))
    assert live.first(HostState.FADING_OUT) == pytest.approx(began_s, abs=0.0025)
    assert live.rows[-1][1].cause is cause
    assert live.rows[-1][1].state is HostState.AWAY
    live.until(5.5)
    assert live.rows[-1][1].state is HostState.LIVE
    began_s = live.sent * PERIOD_S
    live.until(8.0, told_by_host(**changes))
    lost_s = live.first(HostState.LOST)
    assert lost_s == pytest.approx(began_s + 2.0, abs=0.006)


def from_now(live, **far):
    """Packets from now on with a change that lasts; the change is a function of the state."""
    first = live.sent
    return lambda index: far["make"](index, first)


@pytest.mark.parametrize(
    ("make", "cause"),
    [
        (
            lambda i, _: packet(i, position_m=(20.0 * i * PERIOD_S + 500.0, 0.0, -100.0)),
            Cause.POSITION_JUMP,
        ),
        (lambda i, _: packet(i, attitude=(0.0, 0.0, 0.0, 1.0)), Cause.ATTITUDE_JUMP),
        (
            lambda i, _: packet(i, t_s=i * PERIOD_S - 2.0, came_s=i * PERIOD_S),
            Cause.TIME_BACKWARD,
        ),
        (lambda i, first: packet(i, sequence=i - first), Cause.SEQUENCE_RESTART),
        (
            lambda i, first: packet(i, flags=VehicleFlags(2 if i == first else 0)),
            Cause.RESET,
        ),
        (
            lambda i, _: packet(i, t_s=i * PERIOD_S + 9.0, came_s=i * PERIOD_S),
            Cause.RESET,
        ),
    ],
)
def test_a_jump_is_dropped_faded_anchored_anew_and_comes_back(live, make, cause):
    first = live.sent
    dropped = live.rows[-1][1].dropped
    live.until(5.2, from_now(live, make=make))
    fault_s = live.first(HostState.FADING_OUT)
    assert fault_s == pytest.approx(first * PERIOD_S, abs=0.0025)
    assert live.rows[-1][1].cause is cause
    assert live.rows[-1][1].dropped > dropped
    assert first not in [one.packet.sequence for one in live.taken[: first + 1]]
    assert live.first(HostState.FADING_IN, fault_s) == pytest.approx(fault_s + 0.8, abs=0.02)
    anchors = [t for t, told in live.rows if told.anchor]
    assert len(anchors) == 2
    assert fault_s + 0.298 < anchors[1] < fault_s + 0.4
    assert live.rows[-1][1].state is HostState.LIVE


def spiked(*which, **values):
    return lambda i: packet(i, **(values if i in which else {}))


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize(("field", "size"), [("f_m_s2", 60.0), ("omega_rad_s", 4.0)])
def test_a_spike_on_any_axis_is_dropped_and_three_are_host_loss(live, axis, field, size):
    value = list(getattr(packet(0).packet.state, field))
    value[axis] += size
    first = live.sent
    dropped = live.rows[-1][1].dropped
    live.until(4.0, spiked(first, first + 1, first + 5, **{field: tuple(value)}))
    assert live.rows[-1][1].dropped == dropped + 3
    assert {told.state for t, told in live.rows if t > 3.0} == {HostState.LIVE}
    first = live.sent
    live.until(4.3, spiked(first, first + 1, first + 2, **{field: tuple(value)}))
    assert live.first(HostState.FADING_OUT) == pytest.approx((first + 2) * PERIOD_S, abs=0.0025)
    assert live.rows[-1][1].cause is Cause.STEP


def test_three_refused_numbers_in_a_row_are_host_loss_and_junk_is_not(live):
    live.until(3.2, lambda i: [packet(i), Refused.MAGIC, Refused.LENGTH, Refused.TEXT])
    assert live.rows[-1][1].state is HostState.LIVE
    live.until(3.4, lambda i: [packet(i), Refused.NOT_FINITE, Refused.NOT_FINITE])
    assert live.rows[-1][1].state is HostState.LIVE
    live.until(3.45, lambda i: Refused.NOT_FINITE)
    assert live.rows[-1][1].state is HostState.FADING_OUT
    assert live.rows[-1][1].cause is Cause.STEP


def test_values_that_stand_still_in_a_moving_vehicle_fade(live):
    stood = packet(live.sent).packet.state
    began_s = live.sent * PERIOD_S

    def frozen(i):
        return Received(Packet(replace(stood, t_s=i * PERIOD_S), i), i * PERIOD_S, i * PERIOD_S)

    live.until(4.0, frozen)
    assert live.first(HostState.FADING_OUT) == pytest.approx(began_s + 0.25, abs=0.02)
    assert live.rows[-1][1].cause is Cause.VALUES_FROZEN


def test_a_vehicle_that_stands_may_say_the_same_for_ever():
    ride = Ride()
    still = {"v_m_s": (0.0, 0.0, 0.0), "position_m": (0.0, 0.0, 0.0), "f_m_s2": (0.0, 0.0, -9.8)}
    still |= {"omega_rad_s": (0.0, 0.0, 0.0), "attitude": (1.0, 0.0, 0.0, 0.0)}
    assert ride.until(6.0, told_by_host(**still)).state is HostState.LIVE
    assert ride.first(HostState.FADING_OUT) == math.inf


def test_late_and_doubled_packets_are_dropped_and_lost_ones_counted(live):
    taken, missing = len(live.taken), live.rows[-1][1].missing
    first = live.sent

    def muddled(i):
        if i == first:
            return None  # comes one later
        if i == first + 1:
            return [packet(first + 1), packet(first), packet(first + 1)]
        return None if i == first + 4 else packet(i)  # never comes

    live.until(3.5, muddled)
    numbers = [one.packet.sequence for one in live.taken[taken:]]
    assert numbers == sorted(set(range(first + 1, live.sent)) - {first + 4})
    assert live.rows[-1][1].missing == missing + 2
    assert live.first(HostState.FADING_OUT) == math.inf


def test_a_sequence_goes_on_over_its_wrap():
    ride = Ride()
    ride.until(4.0, lambda i: packet(i, sequence=(2**32 - 150 + i) % 2**32))
    assert ride.rows[-1][1].state is HostState.LIVE
    assert ride.first(HostState.FADING_OUT) == math.inf
    assert ride.rows[-1][1].missing == 0


def test_a_backlog_is_not_played(live):
    """The host's network stands still for 0.6 s, then everything comes at once."""
    held, start = [], live.sent

    def stalled(i):
        if i * PERIOD_S < 3.6:
            held.append(i)
            return None
        burst = [packet(one, came_s=i * PERIOD_S) for one in (*held, i)]
        held.clear()
        return burst

    live.until(5.5, stalled)
    fault_s = live.first(HostState.FADING_OUT)
    assert fault_s == pytest.approx((start - 1) * PERIOD_S + 0.1, abs=0.0025)
    assert live.rows[-1][1].state is HostState.LIVE
    backlog = [one for one in live.taken if one.kernel_s - one.packet.state.t_s > 0.1]
    assert backlog == []


@pytest.mark.parametrize("lacks", [("t_s",), ()])
def test_slow_motion_that_is_not_told_is_seen_by_stamps_or_by_the_path(live, lacks):
    ride, fields = Ride(), (*lacks, "speed_factor")
    ride.until(3.0, lambda i: stripped(packet(i), *fields))
    assert ride.rows[-1][1].state is HostState.LIVE
    began_s = ride.sent * PERIOD_S

    def slow(i):
        came_s = i * PERIOD_S
        return stripped(packet(i, t_s=began_s + 0.5 * (came_s - began_s), came_s=came_s), *fields)

    ride.until(4.2, slow)
    assert ride.first(HostState.FADING_OUT) < began_s + 1.0
    assert ride.rows[-1][1].cause is Cause.SPEED_FACTOR
    still = [one for _, told in ride.rows if told.state is HostState.FADING_OUT
             for one in told.accepted]  # fmt: skip
    assert len(still) > 10  # what fades out goes on by them; it does not stand still
    ride.until(6.5, slow)
    assert ride.rows[-1][1].park


def test_an_old_backlog_in_our_own_queue_is_dropped(live):
    """The loop stood still for 0.5 s: what lay in the queue is not played."""
    late = [packet(live.sent + k) for k in range(30)]
    live.now_s += 0.5
    live.sent += 30
    told = live.watch.step(live.now_s, late)
    assert all(live.now_s - one.kernel_s <= 0.1 for one in told.accepted)
    assert told.accepted
