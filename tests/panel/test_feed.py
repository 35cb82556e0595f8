"""Feeds: the same rows from a running bench, from a recording, and from the frames themselves."""

from types import SimpleNamespace

import numpy as np
import pytest
from feed_samples import arm_facts, event, platform_facts
from hypothesis import given
from hypothesis import strategies as st
from properties import dear
from row_samples import ARM, PLATFORM, ArmFrame, CycleFrame, with_codes

from hil.desk.operation import OPERATION_KIND, Operation
from hil.ipc.broadcast import Broadcast, BroadcastReader
from hil.panel.live.models.feed import (
    HISTORY_S,
    LiveFeed,
    RunFacts,
    column,
)
from hil.panel.study.models.replay import FileFeed
from hil.recording.events import EVENTS, ROWS
from hil.recording.header import RunHeader
from hil.recording.reader import Recording
from hil.recording.recorder import Recorder, RecorderRing
from hil.recording.rows import decode

PERIOD_S = 0.01


def six(start):
    return tuple(start + 0.125 * k for k in range(6))


def frame(index):
    groups = [six(10.0 * group + index) for group in range(1, 11)]
    return CycleFrame(
        index, index * PERIOD_S, PERIOD_S, 1e-5, 2e-5, 2, 1, 8, *groups, 1e-9, tuple(range(6))
    )


def packed(one):
    return one.to_bytes()


def flat(one):
    values = []
    for part in one:
        values += list(part) if isinstance(part, tuple) else [part]
    return values


def recording(folder, count=200, events=()):
    path = folder / "recording.mcap"
    signals = with_codes(PLATFORM, ("OFF", "IDLE", "ENGAGED"), ("NONE", "PASSED"))
    header = RunHeader(signals, {"scenario": "sample", "seed": "7"})
    recorder = Recorder(RecorderRing.local(slots=16), path, header)
    for index in range(count):
        recorder.ring.push(ROWS, packed(frame(index)))
        for one in events:
            if one.index == index:
                recorder.ring.push(EVENTS, one.to_bytes())
        recorder.service()
    recorder.finish()
    return Recording.open(path)


class Clock:
    def __init__(self):
        self.t_s = 50.0

    def __call__(self):
        return self.t_s


# --- decoding ----------------------------------------------------------------------------------


@dear
@given(st.lists(st.integers(0, 10_000), max_size=8))
def test_decoded_rows_are_the_frames(indices):
    frames = [frame(index) for index in indices]
    found = decode(PLATFORM, [packed(one) for one in frames])
    assert found.shape == (len(frames), PLATFORM.values)
    np.testing.assert_array_equal(
        found, np.array([flat(one) for one in frames]).reshape(-1, PLATFORM.values)
    )


def test_frames_of_the_arm_are_decoded_too():
    made = ArmFrame(3, 1.05, 1e-3, 2, 0, robot_q=six(1.0), requests=5, margins=(0.5, 0.25, 0.125))
    found = decode(ARM, [made.to_bytes()])
    assert found[0, column(ARM, "robot_q")].tolist() == list(six(1.0))
    assert found[0, column(ARM, "margins")].tolist() == [0.5, 0.25, 0.125]
    assert found[0, column(ARM, "requests")].tolist() == [5.0]
    assert np.isnan(found[0, column(ARM, "measured_pose")]).all()


def test_a_frame_of_another_size_is_left_out():
    found = decode(PLATFORM, [b"short", packed(frame(4)), packed(frame(5)) + b"!"])
    assert found[:, column(PLATFORM, "index")].tolist() == [[4.0]]


def test_columns_stand_in_the_order_of_the_table():
    end = 0
    for row in PLATFORM.shown:
        place = column(PLATFORM, row.name)
        assert (place.start, place.stop) == (end, end + row.count)
        end = place.stop
    assert end == PLATFORM.values
    with pytest.raises(KeyError):
        column(PLATFORM, "robot_q")


# --- a bench that runs -------------------------------------------------------------------------


def live(telemetry):
    header = platform_facts().header
    welcome = SimpleNamespace(header=header, period_s=0.001, bench="circle-7")
    return LiveFeed(SimpleNamespace(telemetry=BroadcastReader(telemetry.buffer), welcome=welcome))


def test_a_live_feed_hands_over_what_came_once():
    telemetry = Broadcast.local(slots=64)
    feed = live(telemetry)
    told = event("fault", "leg 3: drive: trip", 0.5, check="drive", leg=3)
    telemetry.push(ROWS, packed(frame(1)))
    telemetry.push(EVENTS, told.to_bytes())
    telemetry.push(OPERATION_KIND, Operation(override=0.25).to_bytes())
    telemetry.push(OPERATION_KIND, Operation(override=0.75).to_bytes())
    telemetry.push(ROWS, packed(frame(2)))
    batch = feed.poll()
    assert batch.rows[:, column(PLATFORM, "index")].ravel().tolist() == [1.0, 2.0]
    assert batch.events == (told,)
    assert batch.operation == Operation(override=0.75)
    assert (batch.missed, batch.restart) == (0, False)
    empty = feed.poll()
    assert (len(empty.rows), empty.events, empty.operation) == (0, (), None)
    assert feed.facts.station == "platform"
    assert (feed.facts.name, feed.facts.period_s) == ("circle-7", 0.001)


def test_what_was_overwritten_is_counted_once():
    telemetry = Broadcast.local(slots=8)
    feed = live(telemetry)
    for index in range(30):
        telemetry.push(ROWS, packed(frame(index)))
    batch = feed.poll()
    assert batch.rows[-1, 0] == 29.0
    assert len(batch.rows) + batch.missed == 30
    telemetry.push(ROWS, packed(frame(30)))
    assert feed.poll().missed == 0


def test_devices_that_are_simulated_say_so():
    assert platform_facts().simulated == ("SIMULATED paper (sim:)",)
    assert platform_facts(drives="real (slcan:x)").simulated == ()
    assert arm_facts().simulated == ("SIMULATED rm01 (sim:)",)


# --- a recording -------------------------------------------------------------------------------


def test_a_replay_at_its_beginning_shows_the_first_frame(tmp_path):
    feed = FileFeed(recording(tmp_path, 50), Clock())
    assert feed.span_s == (0.0, pytest.approx(0.49))
    batch = feed.poll()
    assert batch.restart
    assert batch.rows[:, 0].tolist() == [0.0]
    assert not len(feed.poll().rows)
    facts = feed.facts
    assert isinstance(facts, RunFacts)
    assert (facts.name, facts.period_s) == ("sample", pytest.approx(PERIOD_S))


def test_a_replay_goes_with_its_clock_and_rate_and_stops_at_the_end(tmp_path):
    clock = Clock()
    feed = FileFeed(recording(tmp_path, 100), clock)
    feed.poll()
    feed.play(2.0)
    clock.t_s += 0.1501
    batch = feed.poll()
    assert batch.rows[:, 0].tolist() == list(range(1, 31))
    assert not batch.restart
    clock.t_s += 5.0
    batch = feed.poll()
    assert batch.rows[:, 0].tolist() == list(range(31, 100))
    assert feed.rate == 0.0
    assert feed.t_s == feed.span_s[1]


def test_a_rate_counts_from_when_it_was_set(tmp_path):
    clock = Clock()
    feed = FileFeed(recording(tmp_path, 100), clock)
    feed.poll()
    clock.t_s += 1000.0
    feed.play(1.0)
    clock.t_s += 0.1001
    assert feed.poll().rows[-1, 0] == 10.0
    feed.play(-3.0)
    clock.t_s += 0.1
    assert not len(feed.poll().rows)


@dear
@given(st.lists(st.floats(-1.0, 3.0), min_size=1, max_size=5))
def test_seeking_gives_the_past_of_that_moment_wherever_one_was(places):
    feed = FileFeed(SEEN["recording"], Clock())
    for place_s in places:
        feed.seek(place_s)
        batch = feed.poll()
        shown_s = min(max(place_s, 0.0), feed.span_s[1])
        expected = [k for k in range(200) if k * PERIOD_S <= shown_s]
        assert batch.restart
        assert batch.rows[:, 0].tolist() == expected
        assert [one.index for one in batch.events] == [k for k in (20, 150) if k in expected]
        assert feed.t_s == shown_s


SEEN = {}


@pytest.fixture(scope="module", autouse=True)
def recorded(tmp_path_factory):
    events = [event("note", "late one", 1.5), event("fault", "early one", 0.2)]
    events = [
        type(one)(one.t_s, round(one.t_s / PERIOD_S), one.kind, one.level, one.name, one.message)
        for one in events
    ]
    SEEN["recording"] = recording(tmp_path_factory.mktemp("feed"), 200, events)


def test_history_is_bounded(tmp_path):
    assert HISTORY_S >= 60.0
    table = FileFeed(SEEN["recording"], Clock()).table
    np.testing.assert_array_equal(table, [flat(frame(k)) for k in range(200)])
