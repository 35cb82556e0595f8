"""The contour protocol: bytes worked out by hand, and arbitrary bytes."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arm_driver.contour.lines import MAX_LINE_BYTES, TerminalLines
from arm_driver.contour.location import Location
from arm_driver.contour.messages import (
    EndOfStream,
    LineFault,
    RobotStatus,
    Waypoint,
    WaypointRequest,
    checksum,
    decode_answer,
    decode_request,
    encode_answer,
    encode_request,
    next_sequence,
)
from arm_driver.contour.requests import RequestReader
from arm_driver.link import EndReason
from arm_driver.link_report import LinkCounts

locations = st.builds(
    lambda position, angles: Location((*position, *angles)),
    st.tuples(*[st.integers(-999_999, 999_999)] * 3),
    st.tuples(*[st.integers(-360_000, 360_000)] * 3),
)
sequences = st.integers(0, 9999)
requests = st.builds(
    WaypointRequest, sequences, st.sampled_from(RobotStatus), st.none() | locations
)
answers = st.builds(Waypoint, sequences, locations) | st.builds(
    EndOfStream, st.sampled_from(EndReason)
)

# Each step: what ck * 31 + |n| + (1 if n < 0) is, and its remainder by 997.
#   12:        0 * 31 +     12     =    12 ->  12
#   41234:    12 * 31 +  41234     = 41606 -> 41606 - 41 * 997 = 729
#   -15005:  729 * 31 +  15005 + 1 = 37605 -> 37605 - 37 * 997 = 716
#   7:       716 * 31 +      7     = 22203 -> 22203 - 22 * 997 = 269
#   -90000:  269 * 31 +  90000 + 1 = 98340 -> 98340 - 98 * 997 = 634
#   45500:   634 * 31 +  45500     = 65154 -> 65154 - 65 * 997 = 349
#   -5:      349 * 31 +      5 + 1 = 10825 -> 10825 - 10 * 997 = 855
PLACE = Location((41234, -15005, 7, -90000, 45500, -5))
PLACE_LINE = b"12,412.34,-150.05,0.07,-90.000,45.500,-0.005,855\r"

# 9999:  9999 -> 9999 - 10 * 997 = 29; six zeros: 29 * 31 = 899; 899 * 31 = 27869 -> 950;
# 950 * 31 = 29450 -> 537; 537 * 31 = 16647 -> 695; 695 * 31 = 21545 -> 608; 608 * 31 = 18848 -> 902
ORIGIN = Location((0, 0, 0, 0, 0, 0))
ORIGIN_LINE = b"9999,0.00,0.00,0.00,0.000,0.000,0.000,902\r"

GOLDEN_ANSWERS = [
    (Waypoint(12, PLACE), PLACE_LINE),
    (Waypoint(9999, ORIGIN), ORIGIN_LINE),
    # -1: 1 + 1 = 2; 2 * 31 = 62; 62 * 31 = 1922 -> 925; 925 * 31 = 28675 -> 759;
    # 759 * 31 = 23529 -> 598; 598 * 31 = 18538 -> 592; 592 * 31 = 18352 -> 406
    (EndOfStream(EndReason.COMPLETED), b"-1,0,0,0,0,0,0,406\r"),
    # 2; 62 + 1 = 63; 1953 -> 956; 29636 -> 723; 22413 -> 479; 14849 -> 891; 27621 -> 702
    (EndOfStream(EndReason.CANCELLED), b"-1,1,0,0,0,0,0,702\r"),
    # 2; 62 + 2 = 64; 1984 -> 987; 30597 -> 687; 21297 -> 360; 11160 -> 193; 5983 -> 1
    (EndOfStream(EndReason.REFUSED), b"-1,2,0,0,0,0,0,1\r"),
]
GOLDEN_REQUESTS = [
    # 5 * 31 + 0 = 155
    (WaypointRequest(5, RobotStatus.RUNNING), b"R,5,0,155\r"),
    # 29 * 31 + 1 = 900
    (WaypointRequest(9999, RobotStatus.CHECKSUM_ERROR), b"R,9999,1,900\r"),
    # 0 * 31 + 2 = 2
    (WaypointRequest(0, RobotStatus.RAN_DRY), b"R,0,2,2\r"),
    # 100 * 31 + 3 = 3103 -> 112
    (WaypointRequest(100, RobotStatus.HOLD), b"R,100,3,112\r"),
    # 1000 -> 3; 3 * 31 + 4 = 97
    (WaypointRequest(1000, RobotStatus.LIMIT), b"R,1000,4,97\r"),
    # 31 * 31 + 5 = 966
    (WaypointRequest(31, RobotStatus.NOT_CALIBRATED), b"R,31,5,966\r"),
    # 12; 372 + 0 = 372; 372 * 31 + 41234 = 52766 -> 922; 922 * 31 + 15006 = 43588 -> 717;
    # 717 * 31 + 7 = 22234 -> 300; 300 * 31 + 90001 = 99301 -> 598;
    # 598 * 31 + 45500 = 64038 -> 230; 230 * 31 + 6 = 7136 -> 157
    (
        WaypointRequest(12, RobotStatus.RUNNING, PLACE),
        b"R,12,0,412.34,-150.05,0.07,-90.000,45.500,-0.005,157\r",
    ),
]


@pytest.mark.parametrize(("answer", "line"), GOLDEN_ANSWERS)
def test_golden_answers(answer, line):
    assert encode_answer(answer) == line
    assert decode_answer(line[:-1]) == answer


@pytest.mark.parametrize(("request_", "line"), GOLDEN_REQUESTS)
def test_golden_requests(request_, line):
    assert encode_request(request_) == line
    assert decode_request(line[:-1]) == request_


def test_sequence_wraps():
    assert next_sequence(0) == 1
    assert next_sequence(9998) == 9999
    assert next_sequence(9999) == 0


def test_lengths_are_those_the_timing_counts_with():
    longest = Location((-999_999,) * 3 + (-360_000,) * 3)
    assert len(encode_answer(Waypoint(9999, longest))) <= 68
    assert len(encode_request(WaypointRequest(9999, RobotStatus.RUNNING))) <= 14
    assert (
        len(encode_request(WaypointRequest(9999, RobotStatus.RUNNING, longest))) <= MAX_LINE_BYTES
    )


@given(requests)
def test_request_there_and_back(request_):
    line = encode_request(request_)
    assert line.endswith(b"\r")
    assert decode_request(line[:-1]) == request_


@given(answers)
def test_answer_there_and_back(answer):
    assert decode_answer(encode_answer(answer)[:-1]) == answer


@given(requests, st.data())
def test_one_wrong_digit_is_noticed(request_, data):
    line = encode_request(request_)[:-1]
    digits = [i for i, byte in enumerate(line) if chr(byte).isdigit()]
    place = data.draw(st.sampled_from(digits))
    other = data.draw(st.sampled_from([d for d in b"0123456789" if d != line[place]]))
    assert isinstance(decode_request(line[:place] + bytes([other]) + line[place + 1 :]), LineFault)


def test_lost_sign_is_noticed():
    assert decode_answer(PLACE_LINE[:-1].replace(b"-0.005", b"0.005")) is LineFault.WRONG_CHECKSUM


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (b"R,5,0,156", LineFault.WRONG_CHECKSUM),
        (b"R,5,0", LineFault.UNPARSED),
        (b"R,5,0,155,", LineFault.UNPARSED),
        (b"r,5,0,155", LineFault.UNPARSED),
        (b"R,5.,0,155", LineFault.UNPARSED),
        (b"R,,0,155", LineFault.UNPARSED),
        (b"R,+-5,0,155", LineFault.UNPARSED),
        (b"R,\xb2,0,155", LineFault.UNPARSED),
        # 10000 is checked as 30 * 31 = 930; a status of 6 as 161.
        (b"R,10000,0,930", LineFault.OUT_OF_RANGE),
        (b"R,5,6,161", LineFault.OUT_OF_RANGE),
        (b"", LineFault.UNPARSED),
    ],
)
def test_lines_that_are_no_request(line, fault):
    assert decode_request(line) is fault


@pytest.mark.parametrize(
    "line",
    [b"R,5,0,155", b"R, 5, 0, 155", b" R,  5,0,  155 ", b"R,+5,0,155", b"R,0005,0,155"],
)
def test_padding_of_formatted_output_is_understood(line):
    assert decode_request(line) == WaypointRequest(5, RobotStatus.RUNNING)


@pytest.mark.parametrize(
    ("numbers", "fault"),
    [
        ((-2, 0, 0, 0, 0, 0, 0), LineFault.OUT_OF_RANGE),
        ((-1, 3, 0, 0, 0, 0, 0), LineFault.OUT_OF_RANGE),
        ((-1, 0, 1, 0, 0, 0, 0), LineFault.OUT_OF_RANGE),
    ],
)
def test_answers_out_of_range(numbers, fault):
    line = ",".join(map(str, (*numbers, checksum(numbers)))).encode()
    assert decode_answer(line) is fault


def test_too_many_decimals_are_no_number():
    line = b"0,0.001,0.00,0.00,0.000,0.000,0.000,0"
    assert decode_answer(line) is LineFault.UNPARSED


@given(st.lists(st.binary(max_size=300), max_size=12))
def test_arbitrary_bytes_are_counted_and_the_next_line_is_whole(chunks):
    counts = LinkCounts()
    reader = RequestReader(counts)
    for chunk in chunks:
        reader.feed(chunk)
        assert len(reader._splitter._rest) <= 2 * MAX_LINE_BYTES
    reader.feed(b"\r")
    before = reader.counts()
    assert reader.feed(b"R,5,0,155\r") == [WaypointRequest(5, RobotStatus.RUNNING)]
    assert reader.counts() == before
    garbage = b"".join(chunks)
    lines = [line.strip(b" \n\x00") for line in garbage.split(b"\r")]
    seen = before.unparsed + before.checksum_errors + before.overlong + before.echoes
    assert seen <= len(lines)
    if any(line and b"R" not in line for line in lines) and not reader.simulated:
        assert seen > 0


@given(st.lists(requests, max_size=5), st.data())
def test_lines_cut_anywhere_are_the_same_lines(sent, data):
    stream = b"".join(encode_request(request_) for request_ in sent)
    reader = RequestReader(LinkCounts())
    found = []
    while stream:
        size = data.draw(st.integers(1, len(stream)))
        found += reader.feed(stream[:size])
        stream = stream[size:]
    assert found == sent


def test_endless_line_is_thrown_away_once():
    splitter = TerminalLines()
    for _ in range(1000):
        assert splitter.feed(b"x" * 100) == []
    assert len(splitter._rest) <= 2 * MAX_LINE_BYTES
    assert splitter.feed(b"tail\rR,5,0,155\r") == [b"R,5,0,155"]
    assert splitter.overlong == 1


def test_line_just_too_long_is_thrown_away_at_once():
    splitter = TerminalLines()
    fits, exceeds = b"y" * MAX_LINE_BYTES, b"z" * (MAX_LINE_BYTES + 1)
    assert splitter.feed(fits + b"\r" + exceeds + b"\r") == [fits]
    assert splitter.overlong == 1


@pytest.mark.parametrize(
    "heard",
    [
        PLACE_LINE + b"\nR,13,0,403\r\n",
        PLACE_LINE + b"R,13,0,403\r",
        PLACE_LINE[:-1] + b"R,13,0,403\r",
        PLACE_LINE[:-1] + b"\nR,13,0,403\r",
    ],
)
def test_echo_is_swallowed_alone_and_in_front_of_a_request(heard):
    reader = RequestReader(LinkCounts())
    reader.expect_echo(PLACE_LINE)
    assert reader.feed(heard) == [WaypointRequest(13, RobotStatus.RUNNING)]
    assert reader.counts() == LinkCounts(echoes=1)


def test_damaged_echo_in_front_of_a_request_is_counted_and_passed_over():
    reader = RequestReader(LinkCounts())
    reader.expect_echo(PLACE_LINE)
    assert reader.feed(b"12,41?.34,-150R,13,0,403\r") == [WaypointRequest(13, RobotStatus.RUNNING)]
    assert reader.counts() == LinkCounts(unparsed=1)


def test_request_after_half_a_request_on_one_line():
    reader = RequestReader(LinkCounts())
    assert reader.feed(b"R,1R,13,0,403\r") == [WaypointRequest(13, RobotStatus.RUNNING)]
    assert reader.counts() == LinkCounts(unparsed=1)


def test_line_that_was_not_sent_is_no_echo():
    reader = RequestReader(LinkCounts())
    assert reader.feed(PLACE_LINE) == []
    assert reader.counts() == LinkCounts(unparsed=1)


def test_location_in_si_and_back():
    place = Location.from_si((0.41234, -0.15005, 0.00007), (-math.pi / 2, 0.5, -1e-7))
    assert place.counts == (41234, -15005, 7, -90000, 28648, 0)
    assert place.position_m == pytest.approx((0.41234, -0.15005, 0.00007), abs=1e-12)
    assert place.oat_rad == pytest.approx((-math.pi / 2, 0.5, 0.0), abs=1e-5)


@pytest.mark.parametrize(
    ("turns", "count"),
    [(0.5, 180_000), (-0.5, 180_000), (0.75, -90_000), (-3.0, 0), (2.25, 90_000)],
)
def test_whole_turns_are_taken_off(turns, count):
    assert Location.from_si((0, 0, 0), (2 * math.pi * turns, 0, 0)).counts[3] == count


@pytest.mark.parametrize(
    ("position", "angles", "text"),
    [
        ((10.0, 0, 0), (0, 0, 0), "x = 1000000"),
        ((0, math.nan, 0), (0, 0, 0), "y = nan is not finite"),
        ((0, 0, 0), (0, math.inf, 0), "a = inf is not finite"),
        ((0, 0, 1e308), (0, 0, 0), "z = 1e.308: beyond 1e"),
        ((0, 0, 0), (0, 0, -1e308), "t = -1e.308: beyond 1e"),
        ((0, 0), (0, 0, 0), "5 numbers"),
    ],
)
def test_location_refuses_what_cannot_be_written(position, angles, text):
    with pytest.raises(ValueError, match=text):
        Location.from_si(position, angles)


def test_location_refuses_floats_and_large_angles():
    with pytest.raises(ValueError, match="no integer"):
        Location((0.5, 0, 0, 0, 0, 0))
    with pytest.raises(ValueError, match="a = 360001"):
        Location((0, 0, 0, 0, 360_001, 0))


def rotation(location, a_zero):
    """Rz(o) Ry(a + zero) Rz(t) as plain lists."""
    o, a, t = location.oat_rad

    def z(c):
        return [[math.cos(c), -math.sin(c), 0], [math.sin(c), math.cos(c), 0], [0, 0, 1]]

    def y(c):
        return [[math.cos(c), 0, math.sin(c)], [0, 1, 0], [-math.sin(c), 0, math.cos(c)]]

    def times(p, q):
        return [[sum(p[i][k] * q[k][j] for k in range(3)) for j in range(3)] for i in range(3)]

    return times(times(z(o), y(a + a_zero)), z(t))


@given(locations, locations, st.sampled_from([0.0, math.pi / 2]))
def test_turn_is_the_angle_of_the_relative_rotation(first, second, a_zero):
    p, q = rotation(first, a_zero), rotation(second, a_zero)
    trace = sum(p[k][i] * q[k][i] for k in range(3) for i in range(3))
    assert math.cos(first.turn_rad(second, a_zero)) == pytest.approx((trace - 1) / 2, abs=1e-12)


def test_small_turns_are_exact_where_the_cosine_is_blind():
    level = Location((0, 0, 0, 0, 0, 0))
    assert level.turn_rad(Location((0, 0, 0, 1, 0, 0))) == pytest.approx(math.radians(1e-3))
    # Hand straight down in VAL: o and t are one axis, and cancel.
    down, other = Location((0, 0, 0, 0, 90_000, 0)), Location((0, 0, 0, 50_000, 90_000, 50_000))
    assert down.turn_rad(other) == pytest.approx(0.0, abs=1e-12)
    assert down.distance_m(Location((300, 400, 0, 0, 0, 0))) == pytest.approx(0.005)
