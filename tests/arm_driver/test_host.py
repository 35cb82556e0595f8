"""The host's end of the contour link in virtual time, against requests written by the test."""

import math
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arm_driver.contour.host import ContourHost
from arm_driver.contour.host_states import TRANSITIONS, HostEvent, step
from arm_driver.contour.host_values import HostSettings, StreamPlan
from arm_driver.contour.latency import LatencyHistogram
from arm_driver.contour.location import Location
from arm_driver.contour.messages import (
    EndOfStream,
    RobotStatus,
    Waypoint,
    WaypointRequest,
    decode_answer,
    encode_request,
)
from arm_driver.link import PERIOD_S, EndReason, Offer
from arm_driver.link_errors import StartRefusedError, WaypointRefusedError
from arm_driver.link_states import LinkState, StreamResult

START = Location((40_000, 10_000, 20_000, 0, 0, 0))
STEP = 3500  # 35 mm, which is 100 mm/s


def place(steps, turn=0):
    """A location so many hundredths of a millimetre along y, turned by thousandths of a degree."""
    return Location((40_000, 10_000 + steps, 20_000, turn, 0, 0))


class Bench:
    """A host, virtual time, and a robot that says what the test tells it to."""

    def __init__(self, **settings_):
        self.now_s = 100.0
        self.host = ContourHost(HostSettings(**settings_), self.now_s)

    def wait(self, seconds):
        """Let time pass as the reader does, that looks every 20 ms."""
        end_s = self.now_s + seconds
        while self.now_s < end_s:
            self.now_s = min(end_s, self.now_s + 0.02)
            assert self.host.receive(b"", self.now_s) == b""

    def hear(self, data):
        self.now_s += 0.01
        line = self.host.receive(data, self.now_s)
        if line:
            self.host.sent(line, self.now_s + 0.0005)
            return decode_answer(line[:-1])
        return None

    def ask(self, seq, status=RobotStatus.RUNNING, location=None):
        return self.hear(encode_request(WaypointRequest(seq, status, location)))

    def begin(self, seq=7, plan=None):
        assert self.ask(seq, RobotStatus.RAN_DRY, START) is None
        self.host.start(plan or StreamPlan(START), self.now_s)

    def streaming(self, waypoints=2, seq=7):
        """Start, and let the robot ask for so many waypoints, each 10 mm from the one before."""
        self.begin(seq)
        for index in range(waypoints):
            assert self.host.offer(place(1000 * (index + 1))) is Offer.TAKEN
            assert self.ask(seq + index) == Waypoint(seq + index, place(1000 * (index + 1)))
            self.wait(PERIOD_S)
        return self

    @property
    def report(self):
        return self.host.report(self.now_s)


def test_whole_stream_from_start_to_declared_end():
    bench = Bench()
    assert bench.host.state is LinkState.OFFLINE
    bench.ask(9998, RobotStatus.RAN_DRY, START)
    assert bench.host.state is LinkState.SYNCHRONISING
    bench.host.start(StreamPlan(START, place(3000)), bench.now_s)
    assert bench.host.state is LinkState.STREAMING
    assert bench.report.result is None
    for index, seq in enumerate((9998, 9999, 0)):
        assert bench.report.wants
        assert bench.host.offer(place(1000 * (index + 1))) is Offer.TAKEN
        assert not bench.report.wants
        assert bench.host.offer(place(0)) is Offer.FULL
        assert bench.ask(seq) == Waypoint(seq, place(1000 * (index + 1)))
        bench.wait(PERIOD_S)
    bench.host.end(EndReason.COMPLETED)
    assert bench.host.state is LinkState.ENDING
    assert bench.ask(1) == EndOfStream(EndReason.COMPLETED)
    assert bench.ask(2) is None
    report = bench.report
    assert (report.state, report.result) == (LinkState.READY, StreamResult.COMPLETED)
    assert (report.streamed, report.sent) == (3, place(3000))
    assert report.counts.waypoints == 3
    assert report.counts.answers == 4
    assert report.counts.requests == 6
    assert report.latency.count == 4
    assert report.latency.longest_s == pytest.approx(0.0005)


def test_waypoint_in_the_slot_goes_out_before_the_end():
    bench = Bench().streaming()
    bench.host.offer(place(3000))
    bench.host.end(EndReason.COMPLETED)
    assert bench.host.offer(place(4000)) is Offer.NO_STREAM
    assert bench.ask(9) == Waypoint(9, place(3000))
    bench.wait(PERIOD_S)
    assert bench.ask(10) == EndOfStream(EndReason.COMPLETED)
    assert bench.ask(11) is None
    assert bench.report.result is StreamResult.COMPLETED


def test_cancelling_drops_the_waypoint_in_the_slot():
    bench = Bench().streaming()
    bench.host.offer(place(3000))
    bench.host.end(EndReason.CANCELLED)
    assert bench.ask(9) == EndOfStream(EndReason.CANCELLED)
    assert bench.ask(9) == EndOfStream(EndReason.CANCELLED), "it did not get the end"
    assert bench.ask(10) is None
    assert bench.report.result is StreamResult.CANCELLED
    assert bench.host.state is LinkState.READY


def test_end_before_the_first_waypoint():
    bench = Bench()
    bench.begin()
    bench.host.end(EndReason.CANCELLED)
    assert bench.ask(7, RobotStatus.RAN_DRY) == EndOfStream(EndReason.CANCELLED)
    assert bench.ask(7, RobotStatus.RAN_DRY) == EndOfStream(EndReason.CANCELLED), "not taken"
    assert bench.ask(8) is None
    assert bench.report.result is StreamResult.CANCELLED


def test_end_elsewhere_than_declared_is_not_completed():
    bench = Bench()
    bench.begin(plan=StreamPlan(START, place(3000)))
    bench.host.offer(place(1000))
    bench.ask(7)
    bench.wait(PERIOD_S)
    bench.host.end(EndReason.COMPLETED)
    bench.ask(8)
    bench.ask(9)
    assert bench.report.result is StreamResult.CANCELLED
    assert "before the declared end" in bench.report.text


@pytest.mark.parametrize("status", [RobotStatus.RUNNING, RobotStatus.CHECKSUM_ERROR])
def test_repeated_request_gets_the_identical_line(status):
    bench = Bench().streaming()
    bench.host.offer(place(3000))
    request = encode_request(WaypointRequest(8, status))
    bench.now_s += 0.01
    first = bench.host.receive(request, bench.now_s)
    assert first == bench.host.receive(request, bench.now_s)
    assert decode_answer(first[:-1]) == Waypoint(8, place(2000))
    counts = bench.report.counts
    assert counts.repeats == 2
    assert counts.told_checksum_errors == (2 if status is RobotStatus.CHECKSUM_ERROR else 0)
    assert bench.ask(9) == Waypoint(9, place(3000)), "the slot was not touched"


def test_first_waypoint_is_repeated_to_a_robot_at_rest_that_did_not_get_it():
    bench = Bench()
    bench.begin()
    bench.host.offer(place(1000))
    assert bench.ask(7, RobotStatus.RAN_DRY) == Waypoint(7, place(1000))
    assert bench.ask(7, RobotStatus.RAN_DRY) == Waypoint(7, place(1000))
    assert bench.ask(8, RobotStatus.RAN_DRY) is None
    assert bench.report.result is StreamResult.RAN_DRY
    assert "waypoint 1 (number 7 on the line) in time and is at rest at the start" in (
        bench.report.text
    )


def test_numbers_that_are_none_of_the_stream_are_told_as_they_are():
    """A robot whose program was started anew asks from 0 on."""
    bench = Bench().streaming()
    assert bench.ask(0, RobotStatus.RAN_DRY) is None
    assert "did not take number 9999 on the line in time" in bench.report.text
    assert bench.report.text.endswith("at rest at number 9998 on the line")


def test_empty_slot_is_not_answered_and_the_second_request_is_late():
    bench = Bench().streaming()
    assert bench.ask(9) is None
    assert bench.report.counts.empty_slot == 1
    bench.host.offer(place(3000))
    bench.wait(0.25)
    assert bench.ask(9) == Waypoint(9, place(3000))
    assert bench.report.counts.late_answers == 1
    bench.host.offer(place(4000))
    assert bench.ask(10) == Waypoint(10, place(4000))
    assert bench.report.counts.late_answers == 1


def test_running_dry_ends_the_stream_and_nothing_more_is_sent():
    bench = Bench().streaming()
    assert bench.ask(9) is None
    assert bench.ask(9) is None
    bench.host.offer(place(3000))
    assert bench.ask(10, RobotStatus.RAN_DRY) is None
    report = bench.report
    assert (report.state, report.result) == (LinkState.READY, StreamResult.RAN_DRY)
    missed, last = "waypoint 3 (number 9 on the line)", "waypoint 2 (number 8 on the line)"
    assert f"did not take {missed} in time and is at rest at {last}" in report.text
    assert bench.host.offer(place(3000)) is Offer.NO_STREAM
    for seq, status in product((8, 9, 10), (RobotStatus.RUNNING, RobotStatus.CHECKSUM_ERROR)):
        assert bench.ask(seq, status) is None


def test_running_dry_without_the_waypoint_in_flight_is_no_request_for_a_repeat():
    bench = Bench().streaming()
    assert bench.ask(8, RobotStatus.RAN_DRY) is None
    assert bench.report.result is StreamResult.RAN_DRY
    assert bench.ask(8) is None


@pytest.mark.parametrize(
    ("status", "state", "result", "word"),
    [
        (RobotStatus.HOLD, LinkState.HELD, StreamResult.HELD, "emergency stop"),
        (RobotStatus.LIMIT, LinkState.FAULT, StreamResult.FAULTED, "limit"),
        (RobotStatus.NOT_CALIBRATED, LinkState.FAULT, StreamResult.FAULTED, "not calibrated"),
    ],
)
def test_robot_that_stops_by_itself(status, state, result, word):
    bench = Bench().streaming()
    bench.host.offer(place(3000))
    assert bench.ask(9, status) is None
    report = bench.report
    assert (report.state, report.result) == (state, result)
    assert word in report.text
    with pytest.raises(StartRefusedError, match=word):
        bench.host.start(StreamPlan(START), bench.now_s)
    assert bench.ask(9) is None, "nothing resumes by itself"
    assert bench.host.state is state
    bench.ask(9, RobotStatus.RAN_DRY, place(2000))
    bench.host.start(StreamPlan(place(2000)), bench.now_s)
    assert bench.host.state is LinkState.STREAMING


def test_hold_in_the_middle_of_a_batch_is_not_overlooked():
    bench = Bench().streaming()
    bench.host.offer(place(3000))
    lines = [WaypointRequest(9, RobotStatus.HOLD), WaypointRequest(9, RobotStatus.RUNNING)]
    assert bench.hear(b"".join(map(encode_request, lines))) is None
    assert bench.host.state is LinkState.HELD


def test_hold_does_not_clear_a_fault():
    bench = Bench().streaming()
    bench.ask(9, RobotStatus.LIMIT)
    bench.ask(9, RobotStatus.HOLD)
    assert bench.host.state is LinkState.FAULT
    bench.wait(5.0)
    assert bench.host.state is LinkState.FAULT


def test_silence_of_three_periods_is_a_lost_link():
    bench = Bench().streaming(waypoints=1)
    bench.host.offer(place(2000))
    bench.wait(3 * PERIOD_S - PERIOD_S - 0.03)
    assert bench.host.state is LinkState.STREAMING
    bench.wait(0.06)
    report = bench.report
    assert (report.state, report.result) == (LinkState.OFFLINE, StreamResult.LINK_LOST)
    assert "1.05 s" in report.text
    assert bench.ask(8) is None, "no catching up"
    assert bench.host.state is LinkState.SYNCHRONISING
    assert bench.report.counts.waypoints == 1


def test_link_lost_while_ending():
    bench = Bench().streaming()
    bench.host.end(EndReason.COMPLETED)
    bench.wait(4 * PERIOD_S)
    assert bench.report.result is StreamResult.LINK_LOST


def test_silence_after_a_stream_keeps_its_result():
    bench = Bench().streaming()
    bench.ask(9, RobotStatus.RAN_DRY)
    bench.wait(4 * PERIOD_S)
    assert bench.host.state is LinkState.OFFLINE
    assert bench.report.result is StreamResult.RAN_DRY


def test_burst_gets_one_answer():
    bench = Bench().streaming()
    bench.host.offer(place(3000))
    assert bench.hear(encode_request(WaypointRequest(9, RobotStatus.RUNNING)) * 5) == Waypoint(
        9, place(3000)
    )
    assert bench.report.counts.answers == 3
    assert bench.report.counts.stale == 4


@pytest.mark.parametrize(("away_s", "answered"), [(0.14, True), (0.16, False), (10.0, False)])
def test_request_that_may_be_old_is_not_answered(away_s, answered):
    bench = Bench().streaming()
    bench.host.offer(place(3000))
    bench.now_s += away_s - 0.01
    assert (bench.ask(9) is not None) is answered
    assert bench.report.counts.stale == (not answered)


def test_stray_request_is_ignored_once_and_a_fault_twice():
    bench = Bench().streaming()
    bench.host.offer(place(3000))
    assert bench.ask(500) is None
    assert bench.ask(9) == Waypoint(9, place(3000)), "noise"
    bench.host.offer(place(4000))
    assert bench.ask(0) is None
    assert bench.ask(10) is None, "another one soon"
    report = bench.report
    assert (report.state, report.result) == (LinkState.FAULT, StreamResult.FAULTED)
    assert "asks for waypoint 0; the stream is at 10" in report.text
    assert report.counts.out_of_sequence == 2


def test_other_number_before_the_first_waypoint_is_taken_over():
    bench = Bench()
    bench.begin(seq=7)
    bench.host.offer(place(1000))
    assert bench.ask(0, RobotStatus.RAN_DRY) is None
    assert bench.ask(0, RobotStatus.RAN_DRY) == Waypoint(0, place(1000))
    bench.wait(PERIOD_S)
    assert bench.ask(1) is None


def test_start_needs_a_robot_that_asks():
    bench = Bench()
    with pytest.raises(StartRefusedError, match=r"no request within the last 1\.05 s"):
        bench.host.start(StreamPlan(START), bench.now_s, START)
    bench.ask(0, RobotStatus.RAN_DRY, START)
    bench.now_s += 1.06
    with pytest.raises(StartRefusedError, match="no request"):
        bench.host.start(StreamPlan(START), bench.now_s)
    assert bench.report.result is StreamResult.REFUSED


def test_start_needs_a_measured_position():
    bench = Bench()
    bench.ask(0)
    with pytest.raises(StartRefusedError, match="not known"):
        bench.host.start(StreamPlan(START), bench.now_s)
    bench.host.start(StreamPlan(START), bench.now_s, START)
    assert bench.host.state is LinkState.STREAMING


def test_second_request_without_a_position_does_not_hide_the_first_ones():
    bench = Bench()
    bench.ask(0, RobotStatus.RAN_DRY, START)
    bench.ask(0, RobotStatus.RUNNING)
    bench.host.start(StreamPlan(START), bench.now_s)
    assert bench.host.state is LinkState.STREAMING


def test_position_of_long_ago_does_not_count():
    bench = Bench()
    bench.ask(0, RobotStatus.RAN_DRY, START)
    for _ in range(3):
        bench.wait(0.5)
        bench.ask(0, RobotStatus.RAN_DRY)
    with pytest.raises(StartRefusedError, match="not known"):
        bench.host.start(StreamPlan(START), bench.now_s)


def test_robots_own_word_outranks_the_operators():
    bench = Bench()
    bench.ask(0, RobotStatus.RAN_DRY, place(5000))
    with pytest.raises(StartRefusedError, match=r"50\.00 mm"):
        bench.host.start(StreamPlan(START), bench.now_s, START)


@pytest.mark.parametrize(
    ("measured", "agreed"),
    [
        (place(200), True),
        (place(201), False),
        (place(0, turn=500), True),
        (place(0, turn=-501), False),
    ],
)
def test_start_tolerance(measured, agreed):
    bench = Bench()
    bench.ask(0, RobotStatus.RAN_DRY, measured)
    if agreed:
        bench.host.start(StreamPlan(START), bench.now_s)
        assert bench.host.state is LinkState.STREAMING
        return
    with pytest.raises(StartRefusedError) as refusal:
        bench.host.start(StreamPlan(START), bench.now_s)
    assert str(START) in str(refusal.value)
    assert str(measured) in str(refusal.value)
    assert bench.host.state is LinkState.SYNCHRONISING
    assert bench.ask(0) is None


def test_robot_moved_between_arm_command_and_first_waypoint():
    bench = Bench()
    bench.begin()
    bench.host.offer(place(1000))
    assert bench.ask(7, RobotStatus.RAN_DRY, place(900)) == EndOfStream(EndReason.REFUSED)
    assert bench.ask(8) is None
    assert bench.report.result is StreamResult.REFUSED
    assert "9.00 mm" in bench.report.text


def test_second_start_is_refused_and_changes_nothing():
    bench = Bench().streaming()
    with pytest.raises(StartRefusedError, match="under way"):
        bench.host.start(StreamPlan(START), bench.now_s, START)
    assert bench.host.state is LinkState.STREAMING
    assert bench.report.result is None


@pytest.mark.parametrize(
    ("location", "word"),
    [
        (lambda at, most: place(at + most), ""),
        (lambda at, most: place(at + most + 2), "{over:.2f} mm in one period of 0.35 s, at most"),
        (lambda at, most: place(at, turn=3 * most), ""),
        (lambda at, most: place(at, turn=3 * most + 2), "turns {turned:.3f} deg"),
    ],
)
@pytest.mark.parametrize(("sent", "most"), [(0, STEP // 2), (1, STEP // 2), (2, STEP), (3, STEP)])
def test_step_limit_when_planned(location, word, sent, most):
    """Half of it before the robot's period is measured."""
    bench = Bench().streaming(sent)
    at = 1000 * sent
    if not word:
        assert bench.host.offer(location(at, most)) is Offer.TAKEN
        return
    word = word.format(over=(most + 2) / 100, turned=(3 * most + 2) / 1000)
    with pytest.raises(WaypointRefusedError, match=word) as refused:
        bench.host.offer(location(at, most))
    assert ("it is not measured yet" in str(refused.value)) == (sent < 2)
    assert bench.ask(7 + sent, RobotStatus.RUNNING) is None
    assert bench.host.offer(place(at + 100)) is Offer.TAKEN


def test_step_limit_when_sent():
    bench = Bench().streaming()
    bench.host.offer(place(3000))
    slot = bench.host._stream.slot
    bench.host._stream.slot = slot._replace(location=place(2000 + STEP + 2))
    assert bench.ask(9) == EndOfStream(EndReason.REFUSED)
    assert bench.host.state is LinkState.ENDING
    assert bench.ask(10, RobotStatus.RAN_DRY) is None
    report = bench.report
    assert (report.state, report.result) == (LinkState.READY, StreamResult.REFUSED)
    assert "waypoint 3 (number 9 on the line) as sent: 35.02 mm" in report.text
    assert report.counts.waypoints == 2


def test_lost_port_is_final():
    bench = Bench().streaming()
    bench.host.lose("serial:/dev/x: cannot be read")
    assert bench.report.result is StreamResult.LINK_LOST
    assert bench.host.state is LinkState.OFFLINE
    with pytest.raises(StartRefusedError, match="/dev/x: cannot be read"):
        bench.host.start(StreamPlan(START), bench.now_s, START)


def test_report_passes_on_what_the_robot_says():
    bench = Bench()
    assert math.isinf(bench.report.silence_s)
    assert bench.report.status is None
    bench.ask(3, RobotStatus.RAN_DRY, START)
    bench.ask(3, RobotStatus.CHECKSUM_ERROR)
    bench.now_s += 0.5
    report = bench.report
    assert report.measured == START
    assert report.status is RobotStatus.CHECKSUM_ERROR
    assert report.silence_s == pytest.approx(0.5)


def test_counts_in_a_report_stay_what_they_were():
    bench = Bench()
    before = bench.report.counts
    bench.ask(1)
    assert before.requests == 0
    assert bench.report.counts.requests == 1


@pytest.mark.parametrize(("state", "event"), list(product(LinkState, HostEvent)))
def test_every_pair_of_state_and_event(state, event):
    after = step(state, event)
    assert after is TRANSITIONS.get((state, event), state)
    if event is HostEvent.FAULT:
        assert after is LinkState.FAULT
    elif event is HostEvent.HOLD and state is not LinkState.FAULT:
        assert after is LinkState.HELD
    elif event is HostEvent.SILENCE and state is not LinkState.FAULT:
        assert after is LinkState.OFFLINE
    if after is LinkState.STREAMING and state is not LinkState.STREAMING:
        assert (state, event) == (LinkState.SYNCHRONISING, HostEvent.START_AGREED)
    if state is LinkState.FAULT and after is not LinkState.FAULT:
        assert event is HostEvent.ARMED


@pytest.mark.parametrize("name", ["period_s", "silent_periods", "speed_max_m_s"])
@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
def test_settings_refuse_what_is_no_limit(name, value):
    with pytest.raises(ValueError, match=name):
        replace(HostSettings(), **{name: value})


EVENTS = st.one_of(
    st.tuples(st.just("ask"), st.integers(0, 12), st.sampled_from(RobotStatus)),
    st.tuples(st.just("next"), st.just(0), st.sampled_from(RobotStatus)),
    st.tuples(st.just("noise"), st.binary(max_size=30), st.none()),
    st.tuples(st.just("offer"), st.integers(-4000, 4000), st.none()),
    st.tuples(st.just("wait"), st.floats(0.0, 1.3), st.none()),
    st.tuples(st.just("start"), st.none(), st.none()),
    st.tuples(st.just("end"), st.sampled_from(EndReason), st.none()),
)


@given(st.lists(EVENTS, max_size=40))
def test_whatever_happens_no_step_is_too_large_and_nothing_moves_unarmed(events):
    bench, armed, last, lines = Bench(), False, START, {}
    bench.ask(0, RobotStatus.RAN_DRY, START)
    for kind, value, status in events:
        answer = None
        if kind == "start":
            try:
                bench.host.start(StreamPlan(last), bench.now_s, last)
            except StartRefusedError:
                pass
            else:
                armed, lines = True, {}
        elif kind == "offer":
            try:
                bench.host.offer(place(last.counts[1] - 10_000 + value))
            except WaypointRefusedError:
                assert abs(value) > STEP // 2
        elif kind == "end":
            bench.host.end(value)
        elif kind == "wait":
            bench.wait(value)
        elif kind == "noise":
            answer = bench.hear(value)
        else:
            stream = bench.host._stream
            seq = value if kind == "ask" or stream is None else stream.expected
            answer = bench.ask(seq, status)
        if isinstance(answer, Waypoint):
            assert armed
            assert answer.location.distance_m(last) <= 0.03501
            assert lines.setdefault(answer.seq, answer) == answer
            assert answer.seq in (seq,)
            last = answer.location
        running = bench.host.state in (LinkState.STREAMING, LinkState.ENDING)
        armed = armed and running
        if kind in ("ask", "next") and status not in (0, 1, 2):
            assert not running


def test_histogram_against_sorted_durations():
    histogram = LatencyHistogram()
    assert histogram.quantile_s(0.99) == 0.0
    durations = sorted(1e-5 * 1.07**index for index in range(120))
    for duration in durations:
        histogram.add(duration)
    for fraction in (0.5, 0.9, 0.99, 1.0):
        exact = durations[math.ceil(fraction * len(durations)) - 1]
        assert exact * (1 - 1e-9) <= histogram.quantile_s(fraction) <= exact * 1.06
    assert histogram.report().longest_s == durations[-1]
    histogram.add(50.0)
    histogram.add(-1.0)
    assert histogram.quantile_s(1.0) == 50.0
    assert sum(histogram.counts) == histogram.report().count == 122
