"""SLCAN lines: golden examples of the manual, and any bytes at all."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from properties import at_least

from drives.can.frames import BusState, Frame
from drives.can.slcan_codec import (
    BITRATE_COMMANDS,
    BadLine,
    ControllerState,
    Flags,
    SerialNumber,
    Signal,
    Version,
    encode_frames,
    parse_line,
)
from drives.can.slcan_lines import MAX_LINE_BYTES, LineSplitter

FRAMES = st.builds(Frame, st.integers(0, 0x7FF), st.binary(max_size=8))
NOISE = st.one_of(
    st.binary(max_size=300),
    st.text("tTrRzZFVNsdb0189AFaf \r\x07_+-x", max_size=60).map(str.encode),
)

# Example lines of the Lawicel CAN232 manual, version 3.
GOLDEN = [
    (b"t10021133", Frame(0x100, b"\x11\x33")),
    (b"t0200", Frame(0x020, b"")),
    (b"T0000010021133", Signal.OTHER_FRAME),
    (b"r1002", Signal.OTHER_FRAME),
    (b"R000001002", Signal.OTHER_FRAME),
    (b"z", Signal.ACKNOWLEDGED),
    (b"Z", Signal.ACKNOWLEDGED),
    (b"", Signal.ACKNOWLEDGED),
    (b"\x07", Signal.REFUSED),
    (b"F00", Flags(0)),
    (b"FA4", Flags(0xA4)),
    (b"V1013", Version("1013")),
    (b"NA123", SerialNumber("A123")),
]


@pytest.mark.parametrize(("line", "value"), GOLDEN)
def test_lines_of_the_manual(line, value):
    assert parse_line(line) == value


@pytest.mark.parametrize(
    ("bitrate", "command"),
    [(10_000, b"S0"), (125_000, b"S4"), (500_000, b"S6"), (800_000, b"S7"), (1_000_000, b"S8")],
)
def test_bitrates_of_the_manual(bitrate, command):
    assert BITRATE_COMMANDS[bitrate] == command


def test_frames_are_written_as_the_manual_writes_them():
    frames = [Frame(0x100, b"\x11\x33"), Frame(0x020, b""), Frame(0x080, b"")]
    assert encode_frames(frames) == b"t10021133\rt0200\rt0800\r"


def test_a_cycle_is_written_in_order_and_in_capitals():
    rpdo = bytes.fromhex("0f0008efbeadde")
    frames = [*(Frame(0x200 + node, rpdo) for node in (1, 2)), Frame(0x080, b"")]
    assert encode_frames(frames) == b"t20170F0008EFBEADDE\rt20270F0008EFBEADDE\rt0800\r"


@pytest.mark.parametrize(
    "line",
    [
        b"t18180011",  # truncated
        b"t1818001122334455667",  # half a byte missing
        b"t18180011223344556677FF",  # one byte too many
        b"t100211334D67",  # with a time stamp, which opening switches off
        b"tZZ10",  # no hexadecimal identifier
        b"t8000",  # more than 11 bits
        b"t1819001122334455667788",  # nine bytes
        b"t181:00112233445566778899",
        b"t1 120011",  # signs, spaces and underscores are no digits
        b"t+112AABB",
        b"t1_12AABB",
        b"t1812A BB",
        b"t1812 AB ",
        b"t181",
        b"t",
        b"\xff",
        b"\x00t1810",
        b"F0",
        b"F000",
        b"FxZ",
        b"V",
        b"N",
        b"N\xe4",
        b"r1009",
        b"r10021133",
        b"R00000100",
        b"T000001002113",
        b"T00000100",
        b"d10021133",
        b"sx000000",
        b"sa00000",
        b"sa00000x",
        b"hello",
    ],
)
def test_what_is_no_line_of_the_protocol_is_a_bad_line(line):
    assert isinstance(parse_line(line), BadLine)


def test_hexadecimal_digits_may_be_small():
    assert parse_line(b"t7ef2abCD") == Frame(0x7EF, b"\xab\xcd")


@pytest.mark.parametrize(
    ("bits", "state"),
    [
        (0x00, BusState.ACTIVE),
        (0x04, BusState.ACTIVE),
        (0x49, BusState.ACTIVE),
        (0x80, BusState.ACTIVE),
        (0x20, BusState.PASSIVE),
        (0x24, BusState.PASSIVE),
        (0x84, BusState.BUS_OFF),
        (0xA0, BusState.BUS_OFF),
        (0xA4, BusState.BUS_OFF),
    ],
)
def test_flags_tell_the_state_of_the_controller(bits, state):
    assert Flags(bits).state is state


def test_flags_in_words():
    assert Flags(0x00).text == ""
    assert Flags(0x29).text == "receive queue full, data overrun, error passive"


@pytest.mark.parametrize(
    ("line", "value"),
    [
        (b"sa057033", ControllerState(BusState.ACTIVE, 57, 33)),
        (b"sw096000", ControllerState(BusState.ACTIVE, 96, 0)),
        (b"sp128010", ControllerState(BusState.PASSIVE, 128, 10)),
        (b"sb256256", ControllerState(BusState.BUS_OFF, 256, 256)),
    ],
)
def test_a_change_of_state_that_an_adapter_tells_by_itself(line, value):
    assert parse_line(line) == value


def test_a_long_bad_line_is_shown_short_and_printable():
    value = parse_line(b"\x00\xff" * 60)
    assert isinstance(value, BadLine)
    assert value.text.isprintable()
    assert len(value.text) <= 170
    assert value.text.endswith("..")


@pytest.mark.parametrize("frame", [Frame(0x800, b""), Frame(-1, b""), Frame(1, bytes(9))])
def test_a_frame_that_no_line_can_hold_is_refused(frame):
    with pytest.raises(ValueError, match="identifiers are 0 to 7FFh, and a frame has at most 8"):
        encode_frames([Frame(1, b""), frame])


@given(st.lists(FRAMES, max_size=20), st.data())
def test_frames_survive_any_cutting_of_their_bytes(frames, data):
    wire = encode_frames(frames)
    splitter, lines = LineSplitter(), []
    while wire:
        cut = data.draw(st.integers(1, len(wire)))
        lines += splitter.feed(wire[:cut])
        wire = wire[cut:]
    assert [parse_line(line) for line in lines] == frames


@given(FRAMES, st.data())
def test_a_frame_cut_short_is_never_a_frame(frame, data):
    line = encode_frames([frame])[:-1]
    cut = line[: data.draw(st.integers(1, len(line) - 1))]
    assert isinstance(parse_line(cut), BadLine)


@at_least(500)
@given(NOISE)
@example(b"t1812A_BB\r")
@example(b"t181\x00\r")
def test_any_bytes_give_values_and_no_exception(noise):
    splitter = LineSplitter()
    for line in splitter.feed(noise):
        value = parse_line(line)
        if isinstance(value, Frame):
            assert encode_frames([value])[:-1].upper() == line.upper()


@at_least(300)
@given(st.lists(NOISE, max_size=12), FRAMES, st.sampled_from([b"\r", b"\x07"]))
def test_after_any_garbage_and_one_end_of_line_the_next_frame_is_whole(noise, frame, end):
    splitter = LineSplitter()
    for part in noise:
        splitter.feed(part)
        assert len(splitter._rest) <= MAX_LINE_BYTES
    splitter.feed(end)
    assert [parse_line(line) for line in splitter.feed(encode_frames([frame]))] == [frame]


@at_least(300)
@given(st.lists(NOISE, max_size=8))
def test_the_cutting_does_not_change_the_lines(parts):
    whole, pieces = LineSplitter(), LineSplitter()
    expected = whole.feed(b"".join(parts))
    got = [line for part in parts for line in pieces.feed(part)]
    short = [line for line in expected if len(line) <= MAX_LINE_BYTES]
    assert [line for line in got if len(line) <= MAX_LINE_BYTES] == short


def test_a_bell_ends_what_it_cuts_short():
    splitter = LineSplitter()
    lines = splitter.feed(b"z\rt1812AA\x07\x07t0200\r\x07z") + splitter.feed(b"\r")
    assert lines == [b"z", b"t1812AA", b"\x07", b"\x07", b"t0200", b"\x07", b"z"]


def test_a_line_without_an_end_is_thrown_away_and_counted():
    splitter = LineSplitter()
    assert splitter.feed(b"x" * 100) == []
    assert splitter.feed(b"x" * 100) == []
    assert splitter.feed(b"x" * 1_000_000) == []
    assert splitter.overlong == 1
    assert splitter.feed(b"t0200\rt0300\r") == [b"t0300"]
    assert splitter.feed(b"y" * 200 + b"\x07t0400\r") == [b"\x07", b"t0400"]
    assert splitter.overlong == 2
