"""Rows and events survive their bytes, and those are the documented ones."""

import math
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recording_samples import packed, sample_frame
from row_samples import NAN6, PLATFORM, CycleFrame

from hil.ipc.memory import DEFAULT_SLOT_BYTES, slot_bytes
from hil.recording.events import MAX_EVENT_BYTES, ROWS, EventKind, EventRecord, Level
from hil.recording.recorder import RecorderRing
from hil.recording.signals import MAX_ROW_BYTES, RowFlag
from hil.stations.arm.signals import ArmFlag
from hil.stations.platform import signals as platform_signals

NUMBER = st.floats(allow_nan=False)
SIX = st.tuples(*[NUMBER] * 6)
ROWS_OF_A_CYCLE = st.tuples(
    st.integers(0, 2**64 - 1),
    *[NUMBER] * 4,
    *[st.integers(0, 255)] * 2,
    st.integers(0, 65535),
    *[SIX] * 10,
    NUMBER,
    st.none() | st.tuples(*[st.integers(0, 2**32 - 1)] * 6),
    NUMBER,
    NUMBER,
)


@given(values=ROWS_OF_A_CYCLE)
def test_the_quick_row_of_a_cycle_is_that_of_the_table(values: Any) -> None:
    inputs = NAN6 if values[19] is None else values[19]
    named = CycleFrame(*values[:19], inputs, *values[20:])
    row = platform_signals.packed(*values)
    assert row == named.to_bytes()  # bytes tell -0.0 from 0.0
    back = CycleFrame.from_bytes(row)
    assert back[:19] == named[:19]
    assert repr(back[19:]) == repr(named[19:])


def test_the_bytes_of_a_cycle_are_those_of_the_rules_of_cdr() -> None:
    frame = sample_frame(5)
    groups = [value for group in frame[8:18] for value in group]
    by_hand = b"\x00\x01\x00\x00"
    by_hand += struct.pack("<QddddBBHB3x", *frame[:8], 1)  # doubles follow at a multiple of 8
    by_hand += struct.pack("<60dd6Idd", *groups, frame[18], *frame[19], *frame[20:])
    assert packed(frame) == by_hand
    assert PLATFORM.size == len(by_hand) == 580


def test_the_longest_row_and_the_longest_event_fit_a_slot() -> None:
    assert RecorderRing.local(slots=1).payload_bytes >= MAX_EVENT_BYTES
    for longest in (MAX_EVENT_BYTES, MAX_ROW_BYTES, MAX_ROW_BYTES - 7):
        size = slot_bytes(longest, RecorderRing.head_bytes)
        assert size % 8 == 0
        ring = RecorderRing.local(2, size)
        assert ring.push(ROWS, bytes(longest))
        assert ring.dropped == 0
    assert slot_bytes(580, RecorderRing.head_bytes) == DEFAULT_SLOT_BYTES


def test_what_is_not_given_is_not_there() -> None:
    frame = CycleFrame.from_bytes(packed(CycleFrame(0, 0.0, 0.0, 0.0, 0.0, 0, 0)))
    assert all(math.isnan(value) for group in frame[8:18] for value in group)
    assert math.isnan(frame.reached_residual_m)
    assert all(math.isnan(value) for value in frame.measured_inputs_bits)


@pytest.mark.parametrize("count", [5, 7])
def test_a_group_of_another_length_is_refused(count: int) -> None:
    frame = sample_frame(0)._replace(sent_length_m=(0.0,) * count)
    with pytest.raises(struct.error):
        packed(frame)
    with pytest.raises(struct.error):
        platform_signals.packed(*frame)


@pytest.mark.parametrize("flag", RowFlag)
def test_flags_of_all_stations_mean_the_same(flag: RowFlag) -> None:
    assert flag == platform_signals.CycleFlag[str(flag.name)] == ArmFlag[str(flag.name)]


SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-(2**53), 2**53), NUMBER, st.text())
EVENTS = st.builds(
    EventRecord,
    t_s=st.floats(0.0, 1e9),
    index=st.integers(0, 2**53),
    kind=st.sampled_from(EventKind),
    level=st.sampled_from(Level),
    name=st.text(),
    message=st.text(max_size=2000),
    data=st.dictionaries(st.text(max_size=8), SCALARS, max_size=3),
)


@given(event=EVENTS)
def test_an_event_fits_its_slot_and_comes_back(event: EventRecord) -> None:
    payload = event.to_bytes()
    assert len(payload) <= MAX_EVENT_BYTES
    back = EventRecord.from_bytes(payload)
    assert (back.t_s, back.index, back.kind, back.level) == (
        event.t_s,
        event.index,
        event.kind,
        event.level,
    )
    assert back.message == event.message or back.message.endswith("…")


@pytest.mark.parametrize("letter", ["a", "\x01", "€", "\U0001f600"])
def test_too_long_an_event_keeps_as_much_of_its_message_as_fits(letter: str) -> None:
    event = EventRecord(
        1.0, 2, EventKind.FAULT, Level.ERROR, "gate", letter * 5000, {"leg": "x" * 900}
    )
    payload = event.to_bytes()
    assert MAX_EVENT_BYTES // 2 < len(payload) <= MAX_EVENT_BYTES
    message = EventRecord.from_bytes(payload).message
    assert message == letter * (len(message) - 1) + "…"


def test_data_goes_before_the_message_does() -> None:
    message = "leg 3: " + "m" * 600
    event = EventRecord(
        1.0, 2, EventKind.FAULT, Level.ERROR, "gate", message, {"note": "x" * 500, "leg": 3}
    )
    assert EventRecord.from_bytes(event.to_bytes()).message == message


def test_stray_bytes_of_a_file_name_do_not_stop_an_event() -> None:
    event = EventRecord(0.0, 0, EventKind.NOTE, Level.INFO, "loop", "bad \udcff name")
    assert EventRecord.from_bytes(event.to_bytes()).message == "bad ? name"


GOOD = EventRecord(0.5, 3, EventKind.NOTE, Level.INFO, "loop", "m", {"leg": 1}).to_bytes()


def with_level(code: int) -> bytes:
    return GOOD[:28] + bytes([code]) + GOOD[29:]


def with_kind(code: int) -> bytes:
    return GOOD[:29] + bytes([code]) + GOOD[30:]


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"{}",
        b"nonsense",
        GOOD[:-1],
        GOOD[:40],
        b"\0\0" + GOOD[2:],
        with_level(9),
        with_kind(7),
    ],
)
def test_what_is_no_event_is_refused(payload: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        EventRecord.from_bytes(payload)


def test_an_event_cannot_be_changed_through_the_dict_it_was_made_of() -> None:
    data = {"leg": 1}
    event = EventRecord(0.0, 0, EventKind.NOTE, Level.INFO, "loop", "m", data)
    data["leg"] = 2
    assert event.data == {"leg": 1}
    with pytest.raises(TypeError):
        event.data["leg"] = 3  # type: ignore[index]
