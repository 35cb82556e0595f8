"""Speed, pause and single steps of a run: ticks counted against those of the clock beneath."""

from itertools import islice

import pytest

from hil.timing.clock import VirtualClock
from hil.timing.pace import Pace, PacedClock
from hil.timing.realtime import RealClock


class Sleeper:
    """A system clock that wakes at the deadline, to the nanosecond."""

    def __init__(self):
        self.ns = 5_000_000_000

    def now_ns(self):
        return self.ns

    def sleep_until_ns(self, deadline_ns):
        self.ns = max(self.ns, deadline_ns)


def paced(pace, **asked):
    sleeper = Sleeper()
    return sleeper, PacedClock(RealClock(sleeper), pace, **asked)


@pytest.mark.parametrize("speed", [0.01, 0.29, 0.5, 1.0, 1.7, 3.0, 100.0])
def test_real_time_passes_by_the_share_that_was_asked_for(speed):
    sleeper, clock = paced(Pace(speed))
    begun_ns, wanted = sleeper.ns, round(100 * speed) or 1
    found = list(islice(clock.ticks(0.002), wanted))
    assert [tick.index for tick in found] == list(range(wanted))
    assert [tick.t_s for tick in found] == [0.002 * index for index in range(wanted)]
    assert (sleeper.ns - begun_ns) * 1e-9 == pytest.approx(wanted * 0.002 / speed, abs=0.002)
    assert sum(tick.dt_s for tick in found) == pytest.approx((sleeper.ns - begun_ns) * 1e-9)


def test_a_pause_lets_time_pass_and_no_step_and_orders_are_heard():
    pace, heard = Pace(paused=True), []

    def hear():
        heard.append(len(heard))
        if len(heard) == 50:
            pace.step(3)
        if len(heard) == 100:
            pace.set_speed(2.0)
            pace.go_on()

    _, clock = paced(pace, heard=hear)
    found = [(tick.index, len(heard)) for tick in islice(clock.ticks(0.001), 7)]
    assert found == [(0, 50), (1, 51), (2, 52), (3, 100), (4, 100), (5, 101), (6, 101)]


def test_steps_that_were_not_made_are_dropped_when_it_goes_on():
    pace = Pace()
    pace.step(5)
    assert pace.due() == 1
    pace.go_on()
    pace.pause()
    assert pace.due() == 0


def test_a_pause_keeps_nothing_of_a_step_that_was_half_due():
    pace = Pace(0.75)
    assert pace.due() == 0
    pace.pause()
    pace.go_on()
    assert [pace.due() for _ in range(4)] == [0, 1, 1, 1]


def test_a_stop_is_not_held_up_by_a_pause():
    asked = []
    _, clock = paced(Pace(paused=True), heard=lambda: asked.append(1),
                     hurried=lambda: len(asked) > 20)  # fmt: skip
    assert len(list(islice(clock.ticks(0.001), 5))) == 5
    assert len(asked) == 25


@pytest.mark.parametrize("speed", [0.0, -1.0, 0.0099, 100.1, float("nan"), float("inf")])
def test_speeds_beyond_the_bounds_are_refused(speed):
    with pytest.raises(ValueError, match=r"from 0\.01 to 100"):
        Pace(speed)
    pace = Pace()
    with pytest.raises(ValueError, match="share of real time"):
        pace.set_speed(speed)
    assert pace.speed == 1.0
    with pytest.raises(ValueError, match="at least 1"):
        pace.step(0)


def test_at_full_speed_ticks_are_those_of_the_clock_beneath():
    clock = PacedClock(VirtualClock(), Pace())
    plain = VirtualClock()
    assert list(islice(clock.ticks(0.003), 9)) == list(islice(plain.ticks(0.003), 9))
    assert clock.now_s() == 8 * 0.003
    assert clock.overruns == 0
