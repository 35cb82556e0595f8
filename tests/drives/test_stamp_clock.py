"""Ages by time stamps: a drive with a quartz of its own, sampled at known moments."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drives.bank import DriveModelError
from drives.canopen.stamp_clock import SHARE, StampClocks
from drives.types.drive_type import Stamp

MICROSECONDS = Stamp("1013h:0", "u32", 1e-6)
COUNTER = Stamp("2100h:1", "u8", 0.0)


class Quartz:
    """A drive's clock: how fast it is, and what it shows at 0 s."""

    def __init__(self, ppm=0.0, start_s=0.0, tick_s=1e-6, bits=32):
        self.rate, self.start_s = 1.0 + ppm * 1e-6, start_s
        self.tick_s, self.range = tick_s, 2**bits

    def at(self, real_s):
        return int((self.start_s + real_s * self.rate) / self.tick_s) % self.range


def syncs(period_s, count, jitter_s=0.0, seed=1):
    draw = random.Random(seed)
    return [k * period_s + draw.uniform(0.0, jitter_s) for k in range(count)]


def ages_of(times_s, quartz, late, *, stamp=MICROSECONDS, period_s=0.004, wire_s=0.0, lost=()):
    """The age of leg 1 after each cycle; frame k is that of SYNC k - late(k)."""
    clocks, found = StampClocks(stamp, period_s), []
    draw = random.Random(2)
    taken = [quartz.at(each + draw.uniform(0.0, wire_s)) for each in times_s]
    for k, sent_s in enumerate(times_s):
        clocks.sync(sent_s)
        of = k - late(k)
        if of >= 0 and k not in lost:
            clocks.take(0, taken[of])
        found.append(clocks.ages_s()[0])
    return found


@given(
    late=st.integers(0, 3),
    ppm=st.floats(-300.0, 300.0),
    start_s=st.floats(0.0, 4294.0),
    period_s=st.sampled_from([0.002, 0.004, 0.01]),
)
def test_the_age_is_that_of_the_sync_whatever_quartz_and_start(late, ppm, start_s, period_s):
    times_s = syncs(period_s, 400, 0.1 * period_s)
    found = ages_of(
        times_s, Quartz(ppm, start_s), lambda _: late, period_s=period_s, wire_s=0.1 * period_s
    )
    for k in range(late, 400):
        assert found[k] == pytest.approx(times_s[k] - times_s[k - late], abs=0.25 * period_s)


def test_frames_that_come_late_from_the_beginning_on_are_late():
    found = ages_of(syncs(0.004, 50), Quartz(), lambda _: 2)
    assert found[2:] == pytest.approx([0.008] * 48, abs=2e-6)
    assert all(math.isnan(age) for age in found[:2])


def test_a_fast_clock_never_adds_up_over_hours_nor_over_its_wrap():
    """An hour at 1 kHz would be long: the clock gains as much in 20 s if it is 1 % fast."""
    quartz = Quartz(ppm=10_000.0, start_s=4294.967296 - 10.0)
    found = ages_of(syncs(0.004, 5000), quartz, lambda _: 0)
    drift_s = 0.004 * 0.01
    assert max(map(abs, found)) <= drift_s / SHARE + 2e-6


def test_a_queue_that_grows_slowly_does_not_become_usual():
    """One frame more every 10 s: each step is smaller than any limit."""
    found = ages_of(syncs(0.004, 7600), Quartz(80.0), lambda k: k // 2500)
    assert found[2400] == pytest.approx(0.0, abs=1e-4)
    assert found[-1] == pytest.approx(0.012, abs=1e-4)


def test_a_stamp_that_stands_still_grows_old_and_never_young_again():
    times_s = syncs(0.004, 3000)
    found = ages_of(times_s, Quartz(), lambda k: max(0, k - 100))
    assert found[100] == pytest.approx(0.0, abs=2e-6)
    assert found[101:] == pytest.approx([t - times_s[100] for t in times_s[101:]], abs=1e-3)


@pytest.mark.parametrize("leap_s", [-1000.0, -0.05, 0.05, 1000.0])
def test_a_clock_that_leaps_has_no_age(leap_s):
    times_s, quartz = syncs(0.004, 300), Quartz(start_s=2000.0)
    clocks = StampClocks(MICROSECONDS, 0.004)
    for k, sent_s in enumerate(times_s):
        if k == 100:
            quartz.start_s += leap_s
        clocks.sync(sent_s)
        clocks.take(3, quartz.at(sent_s))
        assert (abs(clocks.ages_s()[3]) > 0.04) == (k >= 100)


def test_lost_frames_and_a_hiccup_of_the_bench_make_nothing_old():
    times_s = syncs(0.004, 400)
    times_s[200:] = [each + 0.011 for each in times_s[200:]]
    found = ages_of(times_s, Quartz(50.0), lambda _: 0, lost=set(range(150, 155)))
    assert found[154] == pytest.approx(0.020, abs=1e-4), "the last one that came is five cycles old"
    assert max(found[:150] + found[155:]) < 1e-4


def test_a_slow_start_of_the_wire_passes():
    """The first SYNCs leave an adapter 3 ms late, at 4 ms: no false cycle stays."""
    clocks, quartz = StampClocks(MICROSECONDS, 0.004), Quartz()
    ages = []
    for k, sent_s in enumerate(syncs(0.004, 400)):
        clocks.sync(sent_s)
        clocks.take(0, quartz.at(sent_s + (0.003 if k < 3 else 0.0)))
        ages.append(clocks.ages_s()[0])
    assert max(map(abs, ages)) < 0.006
    assert ages[-1] == pytest.approx(0.0, abs=5e-4)


@pytest.mark.parametrize("late", [0, 1, 2])
def test_a_counter_of_syncs_is_a_clock_of_cycles(late):
    quartz = Quartz(tick_s=1.0, bits=8)
    clocks = StampClocks(COUNTER, 0.004)
    for k, sent_s in enumerate(syncs(0.004, 1000, 0.003)):
        clocks.sync(sent_s)
        if k >= late:
            clocks.take(5, quartz.at(k - late))
            assert clocks.ages_s()[5] == pytest.approx(0.004 * late, abs=1e-9)


def test_a_stamp_that_wraps_around_at_once_is_refused():
    with pytest.raises(DriveModelError, match=r"u16 in units of 1e-06 s wraps .* 0.065536 s, 1 s"):
        Stamp("2000h:0", "u16", 1e-6)
    assert Stamp("2000h:0", "u16", 1e-3).data_bytes == 2
