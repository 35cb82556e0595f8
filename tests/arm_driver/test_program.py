"""The controller's program, run from its listing: arithmetic of 24 bits, and a whole stream."""

import math
import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from program_bench import START, Controller, Paced
from val_model import LISTING, Real, load, programs

from arm_driver.contour.host import ContourHost
from arm_driver.contour.host_values import HostSettings, StreamPlan
from arm_driver.contour.location import Location
from arm_driver.contour.messages import (
    RobotStatus,
    Waypoint,
    WaypointRequest,
    checksum,
    decode_request,
    encode_answer,
)
from arm_driver.link import EndReason
from arm_driver.link_errors import StartRefusedError
from arm_driver.link_states import LinkState, StreamResult


def place(steps):
    return Location((40_000, 10_000 + steps, 20_000, 0, 90_000, 0))


fields = st.tuples(
    st.integers(0, 9999),
    *[st.integers(-999_999, 999_999)] * 3,
    *[st.integers(-360_000, 360_000)] * 3,
)


@pytest.fixture(scope="module")
def arithmetic():
    return load({"N": Real, "INT": lambda r: Real(int(r)), "ABS": abs})


def values(numbers):
    """Fields of an answer as reals that were read from decimals."""
    decimals = (0, 2, 2, 2, 3, 3, 3)
    return [
        Real(f"{'-' if n < 0 else ''}{abs(n) / 10**d:.{d}f}")
        for n, d in zip(numbers, decimals, strict=True)
    ]


@pytest.mark.parametrize("chop", [False, True], ids=["rounds", "chops"])
@given(numbers=fields)
def test_checksum_of_24_bit_reals_is_the_protocols(arithmetic, chop, numbers):
    Real.chop, Real.largest = chop, 0
    try:
        arithmetic.update(zip("sxyzoat", values(numbers), strict=True))
        list(arithmetic["cncks"]())
        assert int(arithmetic["ck"]) == arithmetic["ck"].value == checksum(numbers)
        assert Real.largest < 2**24
    finally:
        Real.chop = False


@pytest.mark.parametrize("chop", [False, True], ids=["rounds", "chops"])
def test_remainder_is_exact_where_it_is_hardest(arithmetic, chop):
    """Multiples of 997 and their neighbours, over all values that the sum can have."""
    Real.chop = chop
    try:
        for quotient in range(0, (996 * 31 + 1_000_000) // 997, 7):
            for value in (997 * quotient, 997 * quotient + 996):
                arithmetic.update(ck=Real(0), n=Real(value))
                list(arithmetic["cnadd"]())
                assert int(arithmetic["ck"]) == value % 997
                arithmetic.update(rck=Real(0), rn=Real(value))
                list(arithmetic["cnradd"]())
                assert int(arithmetic["rck"]) == value % 997
    finally:
        Real.chop = False


@pytest.mark.parametrize("reason", EndReason)
def test_end_of_stream_checks_too(arithmetic, reason):
    arithmetic.update(zip("sxyzoat", [Real(-1), Real(int(reason)), *[Real(0)] * 5], strict=True))
    list(arithmetic["cncks"]())
    assert int(arithmetic["ck"]) == checksum([-1, int(reason), 0, 0, 0, 0, 0])


def test_names_and_calls_of_the_listing():
    found = programs()
    assert set(found) >= {"contur", "cnread"}
    text = "\n".join(line for lines in found.values() for line in lines)
    assert all(len(name) <= 6 for name in re.findall(r"\b[a-z]\w*", re.sub(r'"[^"]*"', "", text)))
    assert set(re.findall(r"CALL (\w+)", text)) <= set(found)
    assert all(len(line) <= 100 for line in LISTING.read_text(encoding="ascii").splitlines())


class Bench:
    """The listing against the host, in virtual time; on a line without delay, or on a paced one."""

    def __init__(self, feedback=True, *, baud=math.inf, **controller):
        self.robot = Controller(feedback, **controller)
        self.host = ContourHost(HostSettings(), self.robot.now_s)
        self.garble = self.mute = 0
        self.waypoints = iter(())
        self.asked, self._to_host, self._to_robot = [], Paced(baud), Paced(baud)

    def run(self, seconds):
        end_s = self.robot.now_s + seconds
        while self.robot.now_s < end_s:
            now_s = self.robot.now_s
            if said := self.robot.step():
                self.asked.append(said)
                self._to_host.send(said, now_s)
            line = self.host.receive(b"".join(self._to_host.take(now_s)), now_s)
            if line:
                self.host.sent(line, now_s)
                self._pass_on(line)
            self.robot.inbox += self._to_robot.take(now_s)
            if self.host.report(now_s).wants:
                location = next(self.waypoints, None)
                if location is not None:
                    self.host.offer(location)

    def _pass_on(self, line):
        if self.mute:
            self.mute -= 1
            return
        if self.garble:
            self.garble -= 1
            line = line.replace(b"0", b"1", 1)
        self._to_robot.send(line, self.robot.now_s)

    def start(self, waypoints, start=START):
        self.run(0.5)
        self.waypoints = iter(waypoints)
        self.host.start(StreamPlan(start), self.robot.now_s)

    @property
    def report(self):
        return self.host.report(self.robot.now_s)


def test_stream_of_the_listing_is_continuous_and_ends_at_rest():
    bench = Bench()
    bench.start([place(1000 * (index + 1)) for index in range(20)])
    bench.run(6.0)
    assert len(bench.robot.moves) >= 15
    begins = [begin for begin, *_ in bench.robot.moves]
    gaps = [later - earlier for earlier, later in pairwise(begins[1:])]
    assert all(0.34 < gap < 0.37 for gap in gaps), "one motion follows the other without a pause"
    assert bench.robot.moves[3][2] == pytest.approx(10.0 / 0.35)
    bench.host.end(EndReason.COMPLETED)
    bench.run(2.0)
    assert bench.report.result is StreamResult.COMPLETED
    assert bench.host.state is LinkState.READY
    counts = bench.report.counts
    assert (counts.unparsed, counts.checksum_errors, counts.out_of_sequence) == (0, 0, 0)
    assert bench.report.measured == bench.report.sent


def test_listing_repeats_after_garbled_and_lost_answers():
    bench = Bench()
    bench.start([place(1000 * (index + 1)) for index in range(30)])
    bench.run(1.0)
    bench.garble = 1
    bench.run(1.0)
    bench.mute = 1
    bench.run(3.0)
    counts = bench.report.counts
    assert counts.told_checksum_errors == 1
    assert counts.repeats == 2
    assert bench.host.state is LinkState.STREAMING
    steps = [location[1] for _, location, _ in bench.robot.moves]
    assert steps == [100.0 + 10.0 * (index + 1) for index in range(len(steps))], "none twice"


LONG = Location((-999_000, -999_000, 999_000, -123_456, -123_456, -123_456))
"""Its numbers are as long as they come."""


@pytest.mark.parametrize("trouble", ["mute", "garble"])
@pytest.mark.parametrize("feedback", [True, False])
def test_at_9600_baud_the_second_answer_still_comes_within_the_period(feedback, trouble):
    """An answer that is lost or spoiled, of the longest waypoints: the stream goes on."""
    bench = Bench(feedback, baud=9600, start=LONG, tick_s=0.001)
    x, y, z, *angles = LONG.counts
    bench.start([Location((x, y + 1000 * k, z, *angles)) for k in range(1, 13)], LONG)
    bench.run(1.0)
    before, already = len(bench.asked), bench.report.counts.repeats
    setattr(bench, trouble, 1)
    bench.run(1.0)
    told = [decode_request(line.rstrip(b"\r\n")) for line in bench.asked[before:]]
    (again,) = [later for one, later in pairwise(told) if one.seq == later.seq]
    status = RobotStatus.RUNNING if trouble == "mute" else RobotStatus.CHECKSUM_ERROR
    assert again == WaypointRequest(again.seq, status), "short: the place is left out"
    assert (bench.host.state, bench.report.counts.repeats - already) == (LinkState.STREAMING, 1)
    ways = [location[1] for _, location, _ in bench.robot.moves]
    assert ways == [-9990.0 + 10.0 * (k + 1) for k in range(len(ways))], "none twice, none left"
    begins = [begin_s for begin_s, *_ in bench.robot.moves[1:]]
    assert all(0.34 < later - one < 0.36 for one, later in pairwise(begins)), "without a pause"


def test_answers_that_never_check_are_followed_by_no_silence():
    """The listing says that it ran dry, and goes on asking; a new stream begins."""
    bench = Bench(baud=9600)
    bench.start([place(500 * (k + 1)) for k in range(30)])
    bench.run(1.0)
    bench.garble, moves = 10_000, len(bench.robot.moves) + 1
    bench.run(1.0)
    assert bench.report.result is StreamResult.RAN_DRY
    for _ in range(20):
        heard = bench.report.counts.requests
        bench.run(0.5)
        assert bench.report.counts.requests > heard, "half a second, not 610"
    assert len(bench.robot.moves) <= moves, "it rests"
    bench.garble, number = 0, bench.robot.memory["seq"]
    rests_at = place(500 * len(bench.robot.moves))
    bench.start([place(500 * (len(bench.robot.moves) + 1))], rests_at)
    bench.run(1.0)
    assert bench.report.streamed == 1
    assert bench.robot.memory["seq"] > number, "its numbers go on from stream to stream"


def test_listing_runs_dry_and_never_executes_a_late_answer():
    bench = Bench()
    bench.start([place(1000), place(2000), place(3000)])
    bench.run(4.0)
    assert bench.report.result is StreamResult.RAN_DRY
    assert len(bench.robot.moves) == 3
    for seq in range(3, 6):
        bench.robot.inbox.append(encode_answer(Waypoint(seq - 1, place(4000))))
        bench.robot.inbox.append(encode_answer(Waypoint(3, place(4000))))
    bench.run(2.0)
    assert len(bench.robot.moves) == 3
    with pytest.raises(StartRefusedError, match=r"30\.00 mm"):
        bench.host.start(StreamPlan(START), bench.robot.now_s)
    bench.waypoints = iter([place(4000)])
    bench.host.start(StreamPlan(place(3000)), bench.robot.now_s)
    bench.run(1.0)
    assert len(bench.robot.moves) == 4


@pytest.mark.parametrize(
    "location", [place(4000), Location((40_000, 10_000, -1, 0, 90_000, 0))], ids=["far", "range"]
)
def test_listing_refuses_what_its_own_limits_forbid(location):
    bench = Bench()
    bench.run(0.65)
    request = bench.host._request
    bench.robot.inbox.append(encode_answer(Waypoint(request.seq, location)))
    bench.run(1.5)
    assert bench.robot.moves == []
    assert bench.host.state is LinkState.FAULT
    assert bench.report.status is RobotStatus.LIMIT


def test_listing_without_feedback_asks_with_three_fields_on_the_way():
    bench = Bench(feedback=False)
    heard = []
    step = bench.robot.step
    bench.robot.step = lambda: heard.append(step()) or heard[-1]
    bench.start([place(1000 * (index + 1)) for index in range(10)])
    bench.run(2.0)
    requests = [decode_request(line.rstrip(b"\r\n")) for line in heard if line]
    moving = [one for one in requests if one.status is RobotStatus.RUNNING]
    assert len(moving) > 3
    assert all(one.location is None for one in moving)
    assert requests[0] == WaypointRequest(1, RobotStatus.RAN_DRY, START), (
        "at rest there is time to tell"
    )
