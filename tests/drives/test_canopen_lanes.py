"""The short way of a cycle over SLCAN text against the long way over frames: no difference."""

from dataclasses import replace

import pytest
from canopen_bench import SCALES, SETTINGS
from hypothesis import given
from hypothesis import strategies as st
from memory_bus import VirtualTime
from properties import dear

from drives.axes.scaling import SixScales
from drives.axes.values import AxesWords
from drives.can.frames import BusHealth, BusState, Frame
from drives.can.slcan_bus import SlcanBus
from drives.can.slcan_codec import encode_frames
from drives.canopen.cycle import PdoInbox
from drives.canopen.lanes import FrameLane, TextLane, lane_of
from drives.canopen.pdo import usable_stamp
from drives.canopen.service import Segment
from drives.canopen.watch import Watch
from drives.types.drive_type import DriveType, Stamp

NODES = (1, 10, 60, 43, 126, 5)
BUS_OF_LEG = {"one": (0,) * 6, "two": (0, 1, 1, 0, 1, 0), "lonely": (0, 0, 0, 1, 0, 0)}
PERIOD_S = 0.004
INT32 = st.integers(-(2**31), 2**31 - 1)


def six(values):
    return st.tuples(*[values] * 6)


class Frames:
    """A bus of frames: keeps what is sent, gives what it was given."""

    def __init__(self):
        self.sent, self.waiting = [], []

    def send_frames(self, frames):
        self.sent += frames

    def receive_frames(self, timeout_s):
        frames, self.waiting = self.waiting, []
        return frames

    def health(self):
        return BusHealth(BusState.ACTIVE)


class Bytes:
    """A port: keeps what is written, gives what it was given."""

    url = device = "bytes:"

    def __init__(self):
        self.written, self.waiting = b"", b""

    def write(self, data):
        self.written += data
        answers = {b"V": b"V1013\r", b"N": b"NA123\r"}
        if self.opening:
            self.waiting += b"".join(answers.get(x, b"\r") for x in data[:-1].split(b"\r"))

    opening = True

    def read(self, timeout_s):
        data, self.waiting = self.waiting, b""
        return data


class Side:
    """A lane with all that it feeds."""

    def __init__(self, chosen, bus, *, text):
        time = VirtualTime(5.0)
        self.port, self.frames = Bytes(), Frames()
        link = SlcanBus(self.port, bitrate=1_000_000, now_s=time.now_s) if text else self.frames
        self.port.opening = False
        if text:
            link._is_shutdown = True  # nothing to close, and python-can shall not ask for it
        self.port.written = b""
        self.segment = Segment(link, time.now_s)
        self.handed = []
        self.segment.hand_on = self.handed.append
        self.watch = Watch(chosen.node_ids, chosen.bus_of_leg, 127, 0.02)
        self.watch.begin_operation(5.0)
        stamp = usable_stamp(chosen, PERIOD_S)
        self.inbox = PdoInbox(chosen, SixScales(SCALES), self.watch.take, stamp, PERIOD_S)
        self.inbox.sync(5.0)
        self.lane = lane_of(self.segment, bus, chosen, self.inbox)

    def seen(self):
        inbox, watch = self.inbox, self.watch
        return (
            (inbox.statusword, inbox.mode_display, inbox.position, inbox.speed, inbox.torque),
            (inbox.inputs, inbox.fresh, inbox.malformed, inbox.complete(0)),
            (watch.nodes, watch.foreign, watch.unknown_ids, self.handed),
        )


def sides(buses, speeds, bus=0, **changes):
    chosen = replace(
        SETTINGS, node_ids=NODES, bus_of_leg=BUS_OF_LEG[buses], speed_feed_forward=speeds, **changes
    )
    pair = Side(chosen, bus, text=False), Side(chosen, bus, text=True)
    assert [type(side.lane) for side in pair] == [FrameLane, TextLane]
    return pair


@pytest.mark.parametrize(
    ("buses", "bus"), [("one", 0), ("two", 0), ("two", 1), ("lonely", 0), ("lonely", 1)]
)
@dear
@given(
    st.booleans(),
    st.booleans(),
    six(st.integers(0, 0xFFFF)),
    six(st.integers(-128, 127)),
    six(INT32),
    six(st.booleans()),
    st.none() | six(INT32),
    st.booleans(),
)
def test_both_send_the_same_bytes(
    buses, bus, feed, also, words, modes, targets, commanded, speeds, beat
):
    type_ = DriveType(target_also="60C1h:1" if also else "")
    by_frames, by_text = sides(buses, feed, bus, type=type_)
    sent = AxesWords(words, modes, targets, commanded)
    for side in (by_frames, by_text):
        for _ in range(2):  # nothing of an earlier cycle stays in a buffer
            side.lane.send(sent, speeds, beat=beat)
    without_question = by_text.port.written.replace(b"\rF\r", b"\r", 1)
    assert without_question == encode_frames(by_frames.frames.sent)
    legs = sum(each == bus for each in BUS_OF_LEG[buses])
    assert len(by_frames.frames.sent) == 2 * (legs * (1 + (feed or also)) + 1 + beat)
    if also:  # the same 32 bits as in RPDO1, at the end of RPDO2
        sent_ids = {frame.can_id: frame.data for frame in by_frames.frames.sent}
        first = {i - 0x200: data[3:] for i, data in sent_ids.items() if i & 0x780 == 0x200}
        second = {i - 0x300: data[4 * feed :] for i, data in sent_ids.items() if i & 0x780 == 0x300}
        assert first == second


def any_frame():
    known = st.sampled_from(
        [base + node for node in (*NODES, 7) for base in (0x080, 0x180, 0x280, 0x380, 0x580, 0x700)]
        + [0x000, 0x080, 0x77F, 0x201, 0x481]
    )
    right = {0x180: 7, 0x280: 6, 0x380: 4, 0x700: 1}

    def data_of(can_id):
        size = right.get(can_id & 0x780, 8)
        return st.binary(min_size=size, max_size=size) | st.binary(max_size=8)

    states = st.sampled_from([b"\x05", b"\x00", b"\x7f"])
    beats = st.builds(Frame, st.sampled_from([0x700 + node for node in NODES]), states)
    return known.flatmap(lambda can_id: st.builds(Frame, st.just(can_id), data_of(can_id))) | beats


@pytest.mark.parametrize("buses", BUS_OF_LEG)
@dear
@given(st.lists(any_frame(), max_size=30), st.booleans(), st.integers(0, 700))
def test_both_see_the_same(buses, frames, small, cut):
    by_frames, by_text = sides(buses, False)
    text = encode_frames(frames)
    text = text.lower() if small else text
    text = text.replace(b"\r", b"\rz\r\r")  # acknowledgements between them
    by_frames.frames.waiting = frames
    by_frames.lane.take(0.0)
    for part in (text[:cut], text[cut:]):  # a segment ends anywhere
        by_text.port.waiting = part
        by_text.lane.take(0.0)
    assert by_text.seen() == by_frames.seen()


def test_a_position_and_its_stamp_make_a_leg_fresh_with_its_status():
    type_ = DriveType(stamp=Stamp("1013h:0", "u32", 1e-6))
    for side in sides("one", False, type=type_):
        for frames, fresh in (
            ([Frame(0x18A, b"\x27\x12\x08")], False),
            ([Frame(0x48A, b"\xfe\xff\xff\xff\x40\x42\x0f\x00")], True),
        ):
            side.frames.waiting, side.port.waiting = frames, encode_frames(frames)
            side.lane.take(0.0)
            assert side.inbox.fresh == [False, fresh, False, False, False, False]
        assert (side.inbox.statusword[1], side.inbox.mode_display[1]) == (0x1227, 8)
        assert side.inbox.position[1] == -2
        assert side.inbox._clocks.ages_s()[1] == 0.0
        side.inbox.begin(5.004)
        side.lane.take(0.0)
        assert not any(side.inbox.fresh)


@pytest.mark.parametrize(
    "line",
    [b"t181712 0806070809", b"t18173706080011223G", b"t1817370608001122334", b"t18173706",
     b"t181_3706080011223344", b"t1818370608001122334455zz"],
)  # fmt: skip
def test_a_line_that_is_no_frame_is_counted_and_changes_nothing(line):
    _, by_text = sides("one", False)
    before = repr(by_text.seen())
    by_text.port.waiting = line + b"\r" + encode_frames([Frame(0x18A, bytes(7))])
    by_text.lane.take(0.0)
    assert by_text.segment.bus.health().bad_lines == 1
    assert by_text.inbox.fresh == [False, True, False, False, False, False]
    by_text.inbox.fresh[1] = False
    assert repr(by_text.seen()) == before


def test_a_refusal_is_counted_and_what_comes_with_it_is_taken():
    _, by_text = sides("one", False)
    by_text.port.waiting = b"\x07" + encode_frames([Frame(0x181, bytes(7))]) + b"F20\r"
    by_text.lane.take(0.0)
    health = by_text.segment.bus.health()
    assert (health.rejected, health.state) == (1, BusState.PASSIVE)
    assert by_text.inbox.fresh[0]
