"""A recording as a feed: every row of it, at any rate, from any place."""

import math

import numpy as np
import pytest
from row_samples import ARM, PLATFORM, add_row, with_codes
from scope_samples import MODES, event

from hil.panel.live.models.feed import column
from hil.panel.study.models import replay
from hil.panel.study.models.compare_work import read_run
from hil.panel.study.models.replay import FileFeed
from hil.panel.widgets.background import Watch
from hil.recording.events import EventKind
from hil.recording.header import RecordingError, RunHeader
from hil.recording.mcap_scan import Caps
from hil.recording.mcap_walk import CHUNK, Found, Walk
from hil.recording.reader import Recording
from hil.recording.writer import RecordingWriter

FRAMES = 1700


RIG_OF_NO_USE = {"rig": {"name": "x"}}


def write(path, frames=FRAMES, finish=True, signals=None, scenario=RIG_OF_NO_USE):
    """A recording of random rows with holes and events; three chunks and a bit."""
    rng = np.random.default_rng(5)
    signals = with_codes(PLATFORM, MODES, ("PASSED", "CLAMPED")) if signals is None else signals
    header = RunHeader(signals, {"scenario": "demo"}, scenario)
    writer = RecordingWriter(path, header, sync=False, min_free_bytes=0)
    for number in range(frames):
        values = {}
        for one in signals.fields:
            drawn = rng.normal(size=one.count).tolist()
            group = drawn if one.type == "f8" else [number % 3] * one.count
            values[one.name] = group if one.count > 1 else group[0]
        values |= {"index": number, "t_s": number * 1e-3}
        if number % 7 == 0 and "asked_speed_m_s" in values:
            values["asked_speed_m_s"][0] = math.nan
        add_row(writer, signals.row(**values), 2 * number)
        if number in (0, 400, 1600):
            writer.add_event(
                event(number * 1e-3, EventKind.MODE, f"at {number}").to_bytes(), 2 * number + 1
            )
    if finish:
        writer.finish({"dropped": "2", "lost": "1"})
    else:
        writer.flush()
        writer.let_go()
    return path


def table_of(recording):
    """All rows as the recording's columns tell them."""
    signals = recording.signals
    table = np.empty((recording.cycles, signals.values))
    for one in signals.shown:
        values = recording.column(one.name)
        table[:, column(signals, one.name)] = values if values.ndim == 2 else values[:, None]
    return table


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return write(tmp_path_factory.mktemp("whole") / "recording.mcap")


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def feed(whole):
    clock = Clock()
    made = FileFeed.open(whole, clock)
    made.clock = clock
    return made


@pytest.mark.parametrize("signals", [PLATFORM, ARM], ids=lambda one: one.station)
def test_all_values_are_those_of_the_recording_to_the_bit(tmp_path, signals):
    path = write(tmp_path / "recording.mcap", 300, signals=signals)
    recording = Recording.open(path)
    run = read_run(path.parent, Watch())
    assert run.facts.signals == signals
    np.testing.assert_array_equal(run.rows, table_of(recording))
    assert run.rows.shape == (300, signals.values)
    assert not run.rows.flags.writeable


def test_opening_tells_of_the_run(whole, feed):
    recording = Recording.open(whole)
    np.testing.assert_array_equal(feed.table[:, 1], recording.t_s)
    assert feed.facts.header.modes == MODES
    assert feed.facts.header.scenario == {"rig": {"name": "x"}}
    assert feed.facts.name == "demo"
    assert feed.facts.period_s == pytest.approx(1e-3)
    assert feed.dropped == 3
    assert (feed.truncated, feed.damage) == (False, "")
    assert [e.message for e in feed.events] == [e.message for e in recording.events]


def test_a_time_that_goes_back_or_is_none_does_not_stop_the_replay(tmp_path):
    path = tmp_path / "recording.mcap"
    writer = RecordingWriter(path, RunHeader(PLATFORM), sync=False, min_free_bytes=0)
    for index, t_s in enumerate((0.0, 0.1, math.nan, 0.05, 0.2, 0.3)):
        add_row(writer, PLATFORM.row(index=index, t_s=t_s), index)
    writer.finish({})
    feed = FileFeed.open(path, Clock())
    assert feed.span_s == (0.0, 0.3)
    feed.seek(0.1)
    assert feed.poll().rows[:, 0].tolist() == [0, 1, 2, 3]
    feed.step(1)
    assert feed.poll().rows[-1, 0] == 4


def test_playing_hands_over_every_frame_once_at_any_rate(feed):
    rows = [feed.poll().rows]
    feed.play(2.0)
    for _ in range(40):
        feed.clock.now += 0.03
        batch = feed.poll()
        assert not batch.restart
        rows.append(batch.rows)
    np.testing.assert_array_equal(np.vstack(rows)[:, 0], np.arange(FRAMES))
    assert feed.rate == 0.0  # at the end it stands
    assert feed.t_s == feed.span_s[1]


def test_seeking_twice_is_seeking_once(feed):
    feed.seek(0.9)
    once = feed.poll()
    feed.seek(0.2)
    feed.poll()
    feed.seek(0.9)
    feed.seek(0.9)
    twice = feed.poll()
    assert once.restart
    assert twice.restart
    np.testing.assert_array_equal(once.rows, twice.rows)
    assert once.events == twice.events
    assert once.rows[-1, 0] == 900
    assert [e.t_s for e in once.events] == [0.0, 0.4]
    assert len(feed.poll().rows) == 0


@pytest.mark.parametrize("caps", [Caps(), Caps(kept=0, piece=20_000)])
def test_no_more_than_the_history_is_handed_over_at_once(whole, monkeypatch, caps):
    """Neither after a move nor after a sleep of the window."""
    feed = FileFeed.open(whole, Clock(), caps)
    feed.poll()
    values = feed.facts.signals.values
    monkeypatch.setattr(replay, "HISTORY_S", 0.5)
    monkeypatch.setattr(replay, "HISTORY_BYTES", 8 * values * 300)
    most = 500 if caps == Caps() else 300
    for act in (lambda: feed.seek(1.0), lambda: setattr(feed._now_s, "now", 0.6)):
        feed.play(1.0)
        act()
        batch = feed.poll()
        assert batch.restart
        assert len(batch.rows) == most
        assert batch.rows[-1, 1] == pytest.approx(feed.t_s)
        assert len(feed.poll().rows) == 0


def test_seeking_outside_is_the_nearest_end(feed):
    feed.seek(-5.0)
    assert feed.t_s == 0.0
    feed.seek(1e9)
    assert feed.t_s == pytest.approx(1.699)


def test_steps_and_events(feed):
    feed.seek(0.5)
    feed.step(1)
    assert feed.t_s == pytest.approx(0.501)
    feed.step(-2)
    assert feed.t_s == pytest.approx(0.499)
    assert feed.to_event(1).message == "at 1600"
    assert feed.t_s == pytest.approx(1.6)
    assert feed.to_event(1) is None
    assert feed.to_event(-1).message == "at 400"
    assert feed.to_event(-1).message == "at 0"
    assert feed.to_event(-1) is None
    feed.step(-9)
    assert feed.t_s == 0.0


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.5, 0.77, 0.99])
def test_a_file_cut_off_anywhere_shows_what_was_complete(whole, tmp_path, share):
    cut = tmp_path / "cut.mcap"
    data = whole.read_bytes()
    cut.write_bytes(data[: int(share * len(data))])
    if share == 0.0:
        with pytest.raises(RecordingError, match="no table of its rows"):
            FileFeed.open(cut, Clock())
        return
    feed = FileFeed.open(cut, Clock())
    complete = table_of(Recording.open(whole))[: len(feed.table)]
    np.testing.assert_array_equal(feed.table, complete)
    if share == 0.77:
        assert len(complete) > 500
    assert feed.truncated
    feed.poll()


def test_a_file_that_was_never_finished_is_read(tmp_path):
    feed = FileFeed.open(write(tmp_path / "a.mcap", 100, finish=False), Clock())
    assert feed.truncated
    assert feed.table[99, 0] == 99


def test_a_damaged_chunk_is_left_out_and_told(whole, tmp_path):
    with whole.open("rb") as file:
        chunks = [p for p in Walk(file).pieces() if isinstance(p, Found) and p.opcode == CHUNK]
    data = bytearray(whole.read_bytes())
    data[chunks[1].body + 500] ^= 0xFF
    bad = tmp_path / "bad.mcap"
    bad.write_bytes(data)
    feed = FileFeed.open(bad, Clock())
    assert feed.table[:, 0].tolist() == [*range(500), *range(1000, FRAMES)]
    assert f"byte {chunks[1].at}: " in feed.damage


def test_files_that_are_none_are_refused(tmp_path, whole):
    with pytest.raises(RecordingError, match="cannot be read"):
        FileFeed.open(tmp_path / "none.mcap", Clock())
    text = tmp_path / "text.mcap"
    text.write_text("hello, I am no recording")
    with pytest.raises(RecordingError, match="not a recording"):
        FileFeed.open(text, Clock())
    assert "limit 1000 bytes" in FileFeed.open(whole, Clock(), Caps(chunk=1000)).damage
    with pytest.raises(RecordingError, match="sum of all chunks"):
        FileFeed.open(whole, Clock(), Caps(total=1000))


def test_a_code_without_a_name_is_its_number(tmp_path):
    signals = with_codes(PLATFORM, ("OFF",), ("PASSED",))  # 1 and 2 have no name
    path = write(tmp_path / "recording.mcap", 200, signals=signals)
    assert set(read_run(path, Watch()).rows[:, 5].tolist()) == {0.0, 1.0, 2.0}


def test_an_empty_recording_is_refused_for_a_comparison(tmp_path):
    with pytest.raises(RecordingError, match="no row"):
        read_run(write(tmp_path / "recording.mcap", 0), Watch())
