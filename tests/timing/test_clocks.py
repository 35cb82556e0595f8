"""Clocks: virtual time is exact, real deadlines never drift, overruns are skipped and counted."""

from __future__ import annotations

import errno
import math
import re
import sys
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hil.timing.clock import VirtualClock, utc_stamp
from hil.timing.realtime import MonotonicSleeper, RealClock

PERIODS_S = st.sampled_from([0.001, 0.002, 0.004, 0.01, 1 / 300, 1 / 7, 0.0031])


class FakeSleeper:
    """A machine whose time passes only by sleeping, by waking late and by working."""

    def __init__(self, start_ns: int = 123_456_789_012) -> None:
        self.time_ns = start_ns
        self.late_ns = 0
        self.deadlines: list[int] = []

    def now_ns(self) -> int:
        return self.time_ns

    def sleep_until_ns(self, deadline_ns: int) -> None:
        self.deadlines.append(deadline_ns)
        self.time_ns = max(self.time_ns, deadline_ns) + self.late_ns


@given(period_s=PERIODS_S, index=st.integers(0, 2000))
def test_virtual_time_is_the_product_of_index_and_period(period_s: float, index: int) -> None:
    clock = VirtualClock()
    tick = next(islice(clock.ticks(period_s), index, None))
    assert (tick.index, tick.t_s) == (index, index * period_s)
    assert (tick.dt_s, tick.late_s) == (period_s, 0.0)
    assert clock.now_s() == tick.t_s
    assert clock.overruns == 0


def test_virtual_time_stands_still_within_a_cycle() -> None:
    clock = VirtualClock()
    for tick in islice(clock.ticks(0.002), 5):
        assert clock.now_s() == clock.now_s() == tick.t_s


@pytest.mark.parametrize("clock", [VirtualClock(), RealClock(FakeSleeper())])
@pytest.mark.parametrize("period_s", [0.0, -0.001, math.nan, math.inf])
def test_a_period_that_cannot_be_is_refused_before_the_first_tick(clock, period_s) -> None:
    with pytest.raises(ValueError, match=r"period_s = .* s: a finite time above 0 s"):
        clock.ticks(period_s)


def test_a_real_period_below_a_microsecond_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1e-6 s"):
        RealClock(FakeSleeper()).ticks(1e-7)


@given(period_s=PERIODS_S, lates_ns=st.lists(st.integers(0, 400_000), min_size=1, max_size=200))
def test_late_wake_ups_never_move_a_deadline(period_s: float, lates_ns: list[int]) -> None:
    sleeper = FakeSleeper()
    start_ns = sleeper.time_ns
    clock = RealClock(sleeper)
    ticks = clock.ticks(period_s)
    for number, late_ns in enumerate(lates_ns):
        sleeper.late_ns = late_ns
        tick = next(ticks)
        assert (tick.index, tick.t_s) == (number, number * period_s)
        assert tick.late_s == late_ns / 1e9
    exact = [start_ns + (k + 1) * period_s * 1e9 for k in range(len(lates_ns))]
    assert max(abs(a - b) for a, b in zip(sleeper.deadlines, exact, strict=True)) <= 1.0
    assert clock.overruns == 0


def test_a_third_of_a_hertz_does_not_drift_in_a_day() -> None:
    sleeper = FakeSleeper(start_ns=0)
    for _ in islice(RealClock(sleeper).ticks(1 / 3), 3 * 24 * 3600):
        pass
    assert sleeper.deadlines[-1] == 24 * 3600 * 1_000_000_000


@given(works_ns=st.lists(st.integers(0, 9_500_000), min_size=2, max_size=100))
def test_overruns_are_skipped_counted_and_never_caught_up(works_ns: list[int]) -> None:
    sleeper = FakeSleeper()
    start_ns = sleeper.time_ns
    clock = RealClock(sleeper)
    ticks = clock.ticks(0.002)
    previous_ns = start_ns
    for number, work_ns in enumerate(works_ns):
        before_ns = sleeper.time_ns
        tick = next(ticks)
        deadline_ns = sleeper.deadlines[-1]
        assert deadline_ns >= before_ns  # always ahead: no burst
        assert deadline_ns - before_ns <= 2_000_000  # and the next one there is
        assert (deadline_ns - start_ns) % 2_000_000 == 0
        assert tick.index == number
        assert tick.t_s == number * 0.002  # motion time does not jump
        assert tick.dt_s == pytest.approx((sleeper.time_ns - previous_ns) / 1e9, abs=1e-12)
        assert tick.late_s == 0.0
        # Every multiple that has passed was either a tick or is counted.
        assert (deadline_ns - start_ns) // 2_000_000 == tick.index + 1 + clock.overruns
        previous_ns = sleeper.time_ns
        sleeper.time_ns += work_ns


def test_a_gap_of_the_monotonic_clock_is_an_overrun() -> None:
    sleeper = FakeSleeper()
    clock = RealClock(sleeper)
    ticks = clock.ticks(0.001)
    next(ticks)
    sleeper.time_ns += 3600 * 1_000_000_000
    tick = next(ticks)
    assert clock.overruns == pytest.approx(3_600_000, abs=1)
    assert (tick.index, tick.t_s) == (1, 0.001)
    assert tick.dt_s >= 3600.0


def test_a_signal_does_not_cut_a_sleep_short() -> None:
    sleeper = MonotonicSleeper()
    answers = [errno.EINTR, errno.EINTR, 0]
    seen = []

    def interrupted(clock: int, flags: int, timespec: object, rest: object) -> int:
        seen.append((clock, flags, sleeper._timespec.tv_sec, sleeper._timespec.tv_nsec, rest))
        return answers.pop(0)

    sleeper._nanosleep = interrupted
    sleeper.sleep_until_ns(5_000_000_007)
    assert seen == [(1, 1, 5, 7, None)] * 3  # CLOCK_MONOTONIC, TIMER_ABSTIME, the same deadline


def test_a_refused_sleep_says_why() -> None:
    sleeper = MonotonicSleeper()
    sleeper._nanosleep = lambda *_: errno.EINVAL
    with pytest.raises(OSError, match=r"clock_nanosleep until 12 ns refused: Invalid argument"):
        sleeper.sleep_until_ns(12)


def test_a_system_without_the_call_is_told_to_use_the_virtual_clock(monkeypatch) -> None:
    monkeypatch.setattr("ctypes.CDLL", lambda name: object())
    with pytest.raises(OSError, match="use the virtual clock"):
        RealClock()


@pytest.mark.skipif(sys.platform != "linux", reason="the real clock needs Linux")
def test_the_real_clock_wakes_after_each_deadline() -> None:
    clock = RealClock()
    before_s = clock.now_s()
    ticks = list(islice(clock.ticks(0.002), 50))
    assert clock.now_s() - before_s >= 50 * 0.002
    assert [tick.index for tick in ticks] == list(range(50))
    assert all(tick.late_s >= 0.0 for tick in ticks)
    assert sum(tick.dt_s for tick in ticks) >= 50 * 0.002


def test_a_stamp_names_a_folder() -> None:
    assert re.fullmatch(r"\d{8}T\d{6}Z", utc_stamp())
