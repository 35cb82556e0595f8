"""Runs of hours are compared piece by piece, and give what one look at all of their rows does."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from row_samples import PLATFORM, with_codes
from scope_samples import LEG1, LEG2, MODES

from hil.panel.scope.models.channels import channel_named, channels_of
from hil.panel.study.models import compare_align, even_signal
from hil.panel.study.models.compare import CompareError
from hil.panel.study.models.compare_align import Align, shift_between
from hil.panel.study.models.compare_work import MOST_POINTS, compare
from hil.panel.study.models.compared_run import ComparedRun
from hil.panel.study.models.replay import FileFeed
from hil.panel.widgets.background import CancelledError, Watch
from hil.recording.columns import Columns
from hil.recording.header import RecordingError, RunHeader
from hil.recording.mcap_scan import Caps
from hil.recording.rows import dtype_of
from hil.recording.writer import RecordingWriter

SIGNALS = with_codes(PLATFORM, MODES, ("PASSED", "CLAMPED"))
CHANNELS = channels_of(SIGNALS)
LEG = channel_named(CHANNELS, LEG1)
PIECE = 100
IN_PIECES = Caps(kept=0, piece=PIECE * SIGNALS.size)
WHOLE = Caps()
PERIOD_S = 2e-3


@dataclass
class Written:
    """A recording, and the arrays that went into it."""

    path: object
    t_s: np.ndarray
    legs_m: np.ndarray
    mode: np.ndarray

    def run(self, caps) -> ComparedRun:
        feed = FileFeed.open(self.path, lambda: 0.0, caps)
        return ComparedRun(feed.facts, feed)


def motion(t_s, leg=0):
    """What never comes again: many waves of no common period, up to 3 Hz."""
    rng = np.random.default_rng(7 + leg)
    waves = zip(rng.uniform(0.1, 3.0, 24), rng.uniform(0.0, 6.3, 24), strict=True)
    return 0.6 + 0.004 * sum(np.sin(2.0 * np.pi * hertz * t_s + turn) for hertz, turn in waves)


def write(path, t_s, later_s=0.0, seed=1) -> Written:
    """A run whose motion comes later, with noise; no two of its legs are alike."""
    rng = np.random.default_rng(seed)
    legs = np.stack([motion(t_s - later_s, leg) for leg in range(6)], axis=1)
    legs += 1e-5 * rng.normal(size=legs.shape)
    legs[::97, 1] = np.nan
    mode = np.where(t_s >= 1.0 + later_s, MODES.index("ENGAGED"), 0)
    one = np.frombuffer(SIGNALS.row(index=0, t_s=0.0), np.uint8)
    rows = np.tile(one, (len(t_s), 1))
    table = rows.reshape(-1).view(dtype_of(SIGNALS))
    table["index"], table["t_s"] = np.arange(len(t_s)), t_s
    table["measured_length_m"], table["mode"] = legs, mode
    writer = RecordingWriter(path, RunHeader(SIGNALS), sync=False, min_free_bytes=0)
    for first in range(0, len(rows), 500):
        writer.add_rows(rows[first : first + 500], first)
    writer.finish({"dropped": "0", "lost": "0"})
    return Written(path, t_s, legs, mode)


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    first_s, second_s = PERIOD_S * np.arange(6000), 0.3 + PERIOD_S * np.arange(5500)
    holes = np.ones(5500, bool)
    holes[1200:1290] = holes[4000:4100] = False
    return (
        write(folder / "first.mcap", first_s),
        write(folder / "second.mcap", second_s[holes], later_s=0.7437, seed=2),
    )


@pytest.fixture
def coarse(monkeypatch):
    """A few hundred samples are many."""
    monkeypatch.setattr(compare_align, "MOST_SAMPLES", 700)
    monkeypatch.setattr(compare_align, "_BLOCK", 512)
    monkeypatch.setattr(even_signal, "_BLOCK", 600)


def apart(first: Written, second: Written, shift_s, column):
    """Second minus first where both are there, and when, by numpy alone."""
    times, values = second.t_s + shift_s, column(second)
    moved = np.interp(first.t_s, times, values, left=math.nan, right=math.nan)
    behind = np.clip(np.searchsorted(times, first.t_s), 1, len(times) - 1)
    hole = times[behind] - times[behind - 1] > 2.5 * PERIOD_S
    nearest_s = np.abs(first.t_s - np.stack([times[behind - 1], times[behind]])).min(axis=0)
    moved[hole & (nearest_s > 1e-9)] = math.nan
    found = moved - column(first)
    there = np.isfinite(found)
    return found[there], first.t_s[there]


CAPS = [(IN_PIECES, IN_PIECES), (IN_PIECES, WHOLE), (WHOLE, IN_PIECES), (WHOLE, WHOLE)]


@pytest.mark.parametrize("caps", CAPS)
@pytest.mark.parametrize("align", list(Align))
def test_figures_are_those_of_all_rows(pair, coarse, caps, align):
    first, second = (one.run(cap) for one, cap in zip(pair, caps, strict=True))
    found = compare((first, second), CHANNELS, LEG, align, Watch())
    rows = {row.channel.name: row for row in found.rows}
    # At a sample beside one that is NaN, numpy.interp gives NaN: not where samples are hit.
    legs = {LEG1: 0, LEG2: 1} if align is Align.CORRELATION else {LEG1: 0}
    for name, leg in legs.items():
        values, times = apart(*pair, found.shift_s, lambda one, leg=leg: one.legs_m[:, leg])
        worst = int(np.argmax(np.abs(values)))
        assert rows[name].largest == pytest.approx(values[worst], rel=1e-9)
        assert rows[name].at_s == times[worst]
        assert rows[name].rms == pytest.approx(math.sqrt(np.mean(values**2)), rel=1e-9)
        assert rows[name].mean == pytest.approx(np.mean(values), rel=1e-9)


def test_the_shift_is_found_as_by_a_look_at_the_whole(pair, coarse, monkeypatch):
    runs = [one.run(IN_PIECES) for one in pair]
    found_s = shift_between(*runs, Align.CORRELATION, LEG)
    assert found_s == pytest.approx(-0.7437, abs=0.05 * PERIOD_S)
    monkeypatch.setattr(compare_align, "MOST_SAMPLES", 1 << 19)
    whole_s = shift_between(*(one.run(WHOLE) for one in pair), Align.CORRELATION, LEG)
    assert found_s == pytest.approx(whole_s, abs=1e-3 * PERIOD_S)
    engaged_s = shift_between(*runs, Align.ENGAGED)
    starts = [one.t_s[np.argmax(one.mode == MODES.index("ENGAGED"))] for one in pair]
    assert engaged_s == starts[0] - starts[1]


def test_a_signal_that_rests_or_is_not_there_aligns_nothing(pair, coarse):
    runs = [one.run(IN_PIECES) for one in pair]
    absent = channel_named(CHANNELS, "sent_length_leg1_m")
    with pytest.raises(CompareError, match="does not change or is not there"):
        shift_between(*runs, Align.CORRELATION, absent)


@pytest.mark.parametrize("caps", [IN_PIECES, WHOLE])
def test_a_signal_too_fast_for_the_coarse_look_is_refused(tmp_path, coarse, monkeypatch, caps):
    """Its means over some samples are nothing but noise, which would be aligned anyhow."""
    fast = np.random.default_rng(3).uniform(30.0, 120.0, 30)
    monkeypatch.setitem(globals(), "motion", lambda t_s, leg=0: np.sin(
        2.0 * np.pi * np.outer(t_s, fast + leg)).sum(axis=1))  # fmt: skip
    t_s = PERIOD_S * np.arange(20_000)
    runs = [write(tmp_path / f"{at}.mcap", t_s, later_s=at).run(caps) for at in (0.0, 0.5)]
    told = "changes mostly within 116 ms, too fast for runs of this length"
    with pytest.raises(CompareError, match=told):
        shift_between(*runs, Align.CORRELATION, LEG)
    monkeypatch.setattr(compare_align, "MOST_SAMPLES", 1 << 19)
    assert shift_between(*runs, Align.CORRELATION, LEG) == pytest.approx(-0.5, abs=1e-4)


def test_what_is_drawn_has_every_extreme_and_both_ends(tmp_path):
    t_s = PERIOD_S * np.arange(MOST_POINTS + 9000)
    long = write(tmp_path / "long.mcap", t_s)
    leg_m = long.legs_m[:, 0]
    shown = compare((long.run(IN_PIECES), long.run(WHOLE)), (LEG,), LEG, Align.NONE, Watch()).shown
    for line in (shown.first, shown.second):
        assert len(line.x) <= MOST_POINTS + 2
        assert (line.y.min(), line.y.max()) == (leg_m.min(), leg_m.max())
        assert (line.x[0], line.x[-1]) == (t_s[0], t_s[-1])
        places = np.round(line.x / PERIOD_S).astype(int)
        np.testing.assert_array_equal(line.y, leg_m[places])
    assert not shown.difference.y.any()


@pytest.fixture
def pieces_only(monkeypatch):
    """No column and no table of a long recording is read as a whole."""
    look, rows = Columns.__getitem__, FileFeed.rows

    def guarded(self, name):
        assert self.in_memory, f"{name} is read as a whole"
        return look(self, name)

    def few(self, first, end):
        assert end - first <= 2 * PIECE + 4 or self.piece >= len(self.times)
        return rows(self, first, end)

    monkeypatch.setattr(Columns, "__getitem__", guarded)
    monkeypatch.setattr(FileFeed, "rows", few)


@pytest.mark.parametrize("align", list(Align))
def test_no_more_than_pieces_are_read(pair, coarse, align, pieces_only):
    runs = [one.run(IN_PIECES) for one in pair]
    assert len(compare(runs, CHANNELS, LEG, align, Watch()).rows) > 3


@pytest.mark.parametrize("caps", [IN_PIECES, WHOLE])
def test_a_second_run_at_a_far_higher_rate_is_read_in_pieces_too(tmp_path, pieces_only, caps):
    slow = write(tmp_path / "slow.mcap", 0.1 * np.arange(120))
    fast = write(tmp_path / "fast.mcap", PERIOD_S * np.arange(6000))
    runs = slow.run(caps), fast.run(IN_PIECES)
    (row,) = compare(runs, (LEG,), LEG, Align.NONE, Watch()).rows
    assert abs(row.largest) < 1e-4
    assert row.at_s in slow.t_s


def test_it_ends_when_nobody_wants_it_any_more(pair):
    watch, seen = Watch(), []

    class Once(Watch):
        def at(self, share):
            seen.append(share)
            if len(seen) == 5:
                watch.cancel()
            watch.at(share)

    runs = [one.run(IN_PIECES) for one in pair]
    with pytest.raises(CancelledError):
        compare(runs, CHANNELS, LEG, Align.CORRELATION, Once())
    assert len(seen) == 5


def test_a_file_that_changes_meanwhile_is_named(tmp_path):
    one = write(tmp_path / "one.mcap", PERIOD_S * np.arange(2000))
    run = one.run(IN_PIECES)
    one.path.write_bytes(b"\0" * one.path.stat().st_size)
    with pytest.raises(RecordingError, match=r"one\.mcap: changed while it was read"):
        compare((run, run), CHANNELS, LEG, Align.NONE, Watch())


def test_times_that_reach_too_far_are_refused(tmp_path):
    t_s = PERIOD_S * np.arange(2000)
    t_s[1900:] += 1e12
    runs = [write(tmp_path / "far.mcap", t_s).run(IN_PIECES)] * 2
    with pytest.raises(CompareError, match=r"lasts from 0 to 1e\+12 s.* at most 268435456"):
        shift_between(*runs, Align.CORRELATION, LEG)
