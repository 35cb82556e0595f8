"""A recording opened at once and read bit by bit: the same values as the ordinary reader's."""

import dataclasses
import math
import struct
import subprocess
import sys

import numpy as np
import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scope_samples import MODES, event

from hil.panel.live.models.feed import column
from hil.panel.shell.models.background import Watch
from hil.panel.study.models.compare_work import read_run
from hil.panel.study.models.replay import FIRST_POLLS, FileFeed
from hil.panel.study.models.replay_chunk import message_json
from hil.panel.study.models.replay_frames import values_of
from hil.panel.study.models.replay_index import Index
from hil.panel.study.models.replay_numbers import POWERS, _number, scaled
from hil.recording.frame import FRAME, EventKind
from hil.recording.header import RecordingError, RunHeader
from hil.recording.layouts import ARM, LAYOUTS, PLATFORM
from hil.recording.mcap_file import RecordingWriter
from hil.recording.mcap_scan import Caps
from hil.recording.reader import Recording

FRAMES = 1700


RIG_OF_NO_USE = {"rig": {"name": "x"}}


def write(path, frames=FRAMES, finish=True, modes=MODES, layout=PLATFORM, scenario=RIG_OF_NO_USE):
    """A recording of random frames with holes and events; three chunks and a bit."""
    rng = np.random.default_rng(5)
    facts = {"station": layout.station, "scenario": "demo"}
    header = RunHeader(modes, ("PASSED", "CLAMPED"), facts, scenario)
    writer = RecordingWriter(path, header, sync=False, min_free_bytes=0)
    codes = [row.code for row in layout.fields for _ in range(row.count)]
    for number in range(frames):
        values = [
            float(value) if code == "d" else number % 3
            for value, code in zip(rng.normal(size=layout.values), codes, strict=True)
        ]
        values[0], values[1] = number, number * 1e-3
        if number % 7 == 0:
            values[20] = math.nan
        writer.add_cycle(layout.frame.pack(*values))
        if number in (0, 400, 1600):
            writer.add_event(event(number * 1e-3, EventKind.MODE, f"at {number}").to_bytes())
    if finish:
        writer.finish({"dropped": "2", "lost": "1"})
    else:
        writer.flush()
        writer.abandon()
    return path


def table_of(recording):
    """All frames as the ordinary reader has them."""
    layout = recording.layout
    table = np.empty((recording.cycles, layout.values))
    for row in layout.fields:
        values = recording.column(row.name)
        table[:, column(layout, row.name)] = values if values.ndim == 2 else values[:, None]
    return table


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return write(tmp_path_factory.mktemp("whole") / "recording.mcap")


def test_a_recording_of_before_a_field_came_is_shown_without_it(tmp_path, monkeypatch):
    """By the kernel, and by the ordinary way."""

    def message(flat, header):
        told = orjson.loads(ARM.message(flat, header))
        del told["watched"]
        return orjson.dumps(told)

    with monkeypatch.context() as patch:
        patch.setitem(LAYOUTS, "arm", dataclasses.replace(ARM, message=message))
        path = write(tmp_path / "recording.mcap", frames=20, layout=ARM)
    feed = FileFeed(Index.read(path), Clock(), fill=False)
    feed.frames.read_one(3)
    watched, speed = column(ARM, "watched"), column(ARM, "gripper_speed_m_s")
    wanted = table_of(Recording.open(path))
    np.testing.assert_array_equal(feed.frames.table[3], wanted[3])
    feed.frames.read(0)
    assert feed.frames.damage == ""
    np.testing.assert_array_equal(feed.frames.table, wanted)
    assert np.isnan(feed.frames.table[:, watched]).all()
    assert np.isfinite(feed.frames.table[:, speed]).all()
    feed.frames.close()


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def feed(whole):
    clock = Clock()
    made = FileFeed(Index.read(whole), clock, fill=False)
    made.clock = clock
    yield made
    made.close()


@pytest.mark.parametrize("layout", [PLATFORM, ARM], ids=lambda layout: layout.station)
def test_all_values_are_those_of_the_ordinary_reader_to_the_bit(tmp_path, layout):
    path = write(tmp_path / "recording.mcap", 300, layout=layout)
    recording = Recording.open(path)
    run = read_run(path.parent, Watch())
    assert run.facts.layout is layout
    np.testing.assert_array_equal(run.rows, table_of(recording))
    assert run.rows.shape == (300, layout.values)
    assert not run.rows.flags.writeable


def test_opening_tells_of_the_run_before_any_frame_is_read(whole, feed):
    recording = Recording.open(whole)
    np.testing.assert_allclose(feed.index.t_s, recording.t_s, rtol=0, atol=1e-9)
    assert feed.facts.header.modes == MODES
    assert feed.facts.header.scenario == {"rig": {"name": "x"}}
    assert feed.facts.name == "demo"
    assert feed.facts.period_s == pytest.approx(1e-3)
    assert feed.index.dropped == 3
    assert (feed.index.truncated, feed.damage) == (False, "")
    assert [e.message for e in feed.events] == [e.message for e in recording.events]
    assert feed.read_share == 0.0
    assert np.isnan(feed.frames.table).all()


def test_what_is_looked_at_is_read_first(feed):
    feed.seek(1.2)
    feed.poll()
    read = np.isfinite(feed.frames.table[:, 0])
    assert read[1200]
    assert 0 < read.sum() < FRAMES
    here = feed.frames.chunk_of(1200)
    assert feed.frames.next_chunk(1200) == here - 1
    assert feed.frames.next_chunk(0) == 0


def test_playing_hands_over_every_frame_once_at_any_rate(feed):
    feed.read_all()
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
    feed.read_all()
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


def test_frames_read_later_are_shown_anew(feed):
    feed.seek(1.6)
    assert feed.poll().restart
    assert not feed.poll().restart
    feed.frames.read(0)
    feed.clock.now += 1.0
    again = feed.poll()
    assert again.restart
    assert np.isfinite(again.rows[0, 0])


def test_the_first_pictures_have_their_frame_before_anything_else_is_read(whole):
    feed = FileFeed.open(whole, lambda: 0.0)
    expected = table_of(Recording.open(whole))
    batch = feed.poll()
    np.testing.assert_array_equal(batch.rows, expected[:1])
    feed.seek(1.2)
    batch = feed.poll()
    np.testing.assert_array_equal(batch.rows[-1], expected[1200])
    assert np.isnan(batch.rows[1:-1]).all()
    assert feed.read_share == 0.0
    assert feed._thread.ident is None
    feed.close()
    feed.read_on()  # too late: the file is closed
    assert feed._thread.ident is None


def test_one_frame_alone_does_not_number_modes_that_the_header_does_not_name(tmp_path):
    path = write(tmp_path / "recording.mcap", 10, modes=MODES[:2])
    feed = FileFeed.open(path, lambda: 0.0)
    feed.seek(2e-3)
    assert np.isnan(feed.poll().rows[-1]).all()
    feed.read_all()
    assert feed.frames.table[2, 0] == 2.0
    feed.close()


def test_a_damaged_frame_stays_empty_and_is_told_with_its_chunk(whole, tmp_path):
    index = Index.read(whole)
    data = bytearray(whole.read_bytes())
    data[index.chunks[1].at + 500] ^= 0xFF
    bad = tmp_path / "bad.mcap"
    bad.write_bytes(data)
    feed = FileFeed(Index.read(bad), lambda: 0.0)
    feed.seek(float(index.t_s[index.chunks[1].first]))
    assert np.isnan(feed.poll().rows[-1]).all()
    assert not feed.damage
    feed.read_all()
    assert feed.damage
    feed.close()


def test_the_kernel_is_not_loaded_with_the_feed():
    asked = "import sys, hil.panel.study.models.replay; print('numba' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", asked], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.split() == ["False"]


def test_a_thread_reads_the_rest_after_the_first_polls(whole):
    feed = FileFeed.open(whole, lambda: 0.0)
    for _ in range(FIRST_POLLS):
        feed.poll()
    feed._thread.join(timeout=60.0)
    assert feed.read_share == 1.0
    assert np.isfinite(feed.frames.table[:, 0]).all()
    feed.close()


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.5, 0.77, 0.99])
def test_a_file_cut_off_anywhere_shows_what_was_complete(whole, tmp_path, share):
    cut = tmp_path / "cut.mcap"
    data = whole.read_bytes()
    cut.write_bytes(data[: int(share * len(data))])
    feed = FileFeed(Index.read(cut), lambda: 0.0, fill=False)
    feed.read_all()
    complete = table_of(Recording.open(whole))[: len(feed.index.t_s)]
    np.testing.assert_array_equal(feed.frames.table, complete)
    if share == 0.77:
        assert len(complete) > 500
    assert feed.index.truncated
    feed.poll()
    feed.close()


def test_a_file_that_was_never_finished_is_read(tmp_path):
    feed = FileFeed(Index.read(write(tmp_path / "a.mcap", 100, finish=False)), lambda: 0.0)
    feed.read_all()
    assert feed.index.truncated
    assert feed.frames.table[99, 0] == 99
    feed.close()


def test_a_damaged_chunk_is_left_out_and_told(whole, tmp_path):
    index = Index.read(whole)
    data = bytearray(whole.read_bytes())
    data[index.chunks[1].at + 500] ^= 0xFF
    bad = tmp_path / "bad.mcap"
    bad.write_bytes(data)
    feed = FileFeed(Index.read(bad), lambda: 0.0, fill=False)
    feed.read_all()
    second = index.chunks[1]
    read = np.isfinite(feed.frames.table[:, 0])
    assert not read[second.first : second.first + len(second.cycles)].any()
    assert read.sum() == FRAMES - len(second.cycles)
    assert str(second.at) in feed.damage
    feed.close()


def test_files_that_are_none_are_refused(tmp_path, whole):
    with pytest.raises(RecordingError, match="cannot be read"):
        Index.read(tmp_path / "none.mcap")
    text = tmp_path / "text.mcap"
    text.write_text("hello, I am no recording")
    with pytest.raises(RecordingError, match="not a recording"):
        Index.read(text)
    assert "limit 1000 bytes" in Index.read(whole, Caps(chunk=1000)).damage
    with pytest.raises(RecordingError, match="sum of all chunks"):
        Index.read(whole, Caps(total=1000))


def test_an_unknown_mode_is_read_the_ordinary_way(tmp_path):
    path = write(tmp_path / "recording.mcap", 200, modes=("OFF",))  # 1 and 2 have no name
    run, recording = read_run(path, Watch()), Recording.open(path)
    np.testing.assert_array_equal(run.rows, table_of(recording))
    assert set(run.rows[:, 5].tolist()) == {0.0, 1.0, 2.0}


def test_an_empty_recording_is_refused_for_a_comparison(tmp_path):
    with pytest.raises(RecordingError, match="no frame"):
        read_run(write(tmp_path / "recording.mcap", 0), Watch())


def test_a_frame_with_too_few_values_is_refused():
    payload = [0, 0.0, 0.0, 0.0, 0.0, 0, 0, 0, *[0.0] * 68]
    raw = orjson.loads(
        PLATFORM.message(FRAME.unpack(FRAME.pack(*payload)), RunHeader(MODES, ("PASSED",)))
    )
    assert len(values_of(raw, PLATFORM, (["OFF"], ["PASSED"]))) == 76
    raw["asked"]["length_m"].pop()
    with pytest.raises(ValueError, match="75 values, 76 expected"):
        values_of(raw, PLATFORM, (["OFF"], ["PASSED"]))


def test_a_message_that_reaches_beyond_its_chunk_is_refused():
    data = struct.pack("<BQ", 5, 1000) + bytes(30)
    with pytest.raises(ValueError, match="beyond its chunk"):
        message_json(data, 0)
    with pytest.raises(ValueError, match="message at 35"):
        message_json(data, 35)


@given(st.floats(allow_nan=False, allow_infinity=False))
@example(0.1)
@example(-0.0)
@example(9007199254740993.0)
@example(1.7976931348623157e308)
@example(5e-324)
@example(18446744073709551615.0)
def test_a_number_is_the_nearest_double(value):
    words = orjson.dumps(value)
    found, at = _number(np.frombuffer(words + b",", dtype=np.uint8), 0, len(words), POWERS)
    if at >= 0:
        assert at == len(words)
        assert struct.pack("<d", found) == struct.pack("<d", float(words))
    else:
        assert not 1e-250 < abs(value) < 1e250  # left to the ordinary reader


@given(st.integers(0, 10**19 - 1), st.integers(-250, 250))
def test_digits_times_a_power_are_the_nearest_double(digits, exponent):
    found = scaled(np.uint64(digits), exponent, POWERS)
    assert found == float(f"{digits}e{exponent}")


@pytest.mark.parametrize("words", [b"-", b".", b"e5", b"1e", b"12345678901234567890", b"1e999"])
def test_what_is_no_number_of_ours_is_left_to_the_ordinary_reader(words):
    _, at = _number(np.frombuffer(words + b",", dtype=np.uint8), 0, len(words), POWERS)
    assert at == -1
