"""Frames and events survive their bytes, and the layout is the documented one."""

from __future__ import annotations

import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recording_samples import packed, sample_frame

from hil.ipc.memory import DEFAULT_SLOT_BYTES
from hil.recording.frame import (
    FIELDS,
    FRAME,
    MAX_EVENT_BYTES,
    NAN6,
    CycleFrame,
    EventKind,
    EventRecord,
    Level,
    pack_into,
    unpack,
)
from hil.recording.ring import RecorderRing

NUMBER = st.floats(allow_nan=False)
SIX = st.tuples(*[NUMBER] * 6)
FRAMES = st.builds(
    CycleFrame,
    st.integers(0, 2**64 - 1),
    *[NUMBER] * 4,
    *[st.integers(0, 255)] * 2,
    st.integers(0, 65535),
    *[SIX] * 10,
    NUMBER,
    SIX,
    NUMBER,
)


@given(frame=FRAMES)
def test_a_frame_comes_back_bit_for_bit(frame: CycleFrame) -> None:
    back = unpack(packed(frame))
    assert back == frame
    assert packed(back) == packed(frame)  # tells -0.0 from 0.0


def test_the_layout_is_the_table() -> None:
    assert CycleFrame._fields == tuple(row.name for row in FIELDS)
    frame = sample_frame(5)
    groups = [value for group in frame[8:18] for value in group]
    by_hand = struct.pack("<QddddBBH60dd6dd", *frame[:8], *groups, frame[18], *frame[19], frame[20])
    assert packed(frame) == by_hand
    assert FRAME.size == len(by_hand) == 588


def test_a_frame_and_the_longest_event_fit_a_slot() -> None:
    room = RecorderRing.local(slots=1, slot_bytes=DEFAULT_SLOT_BYTES).payload_bytes
    assert FRAME.size <= room
    assert room >= MAX_EVENT_BYTES


def test_what_is_not_given_is_not_there() -> None:
    frame = unpack(packed(CycleFrame(0, 0.0, 0.0, 0.0, 0.0, 0, 0)))
    assert all(math.isnan(value) for group in frame[8:18] for value in group)
    assert math.isnan(frame.reached_residual_m)
    assert len(NAN6) == 6


@pytest.mark.parametrize("count", [5, 7])
def test_a_group_of_another_length_is_refused(count: int) -> None:
    frame = sample_frame(0)._replace(sent_length_m=(0.0,) * count)  # type: ignore[arg-type]
    with pytest.raises(struct.error):
        packed(frame)


def test_packing_at_an_offset_leaves_the_rest_alone() -> None:
    buffer = bytearray(b"\xaa" * (FRAME.size + 20))
    pack_into(buffer, 10, *sample_frame(1))
    assert buffer[:10] == buffer[-10:] == b"\xaa" * 10
    assert unpack(bytes(buffer[10:-10])) == sample_frame(1)


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


@pytest.mark.parametrize(
    "payload", [b"", b"[]", b"{}", b"nonsense", b'{"t_s": 1}', b"\xff\xfe", b'{"t_s": "x"}']
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
