"""What a stream has to keep: its robot's period, its path, its numbers; and how it ends.

The robot is written by the test: it asks in its own time and is where the test puts it.
"""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arm_driver.contour.following_watch import FollowingWatch
from arm_driver.contour.host import ContourHost
from arm_driver.contour.host_values import HostSettings, StreamPlan
from arm_driver.contour.location import Location
from arm_driver.contour.messages import (
    EndOfStream,
    RobotStatus,
    Waypoint,
    WaypointRequest,
    decode_answer,
    encode_request,
)
from arm_driver.contour.period_watch import Pace, PeriodWatch
from arm_driver.link import PERIOD_S, EndReason, Offer
from arm_driver.link_errors import StartRefusedError
from arm_driver.link_states import LinkState, StreamResult
from arm_driver.supervision_settings import SupervisionSettings

STEP = 1700
"""17 mm: a period at 49 mm/s, in 0.01 mm, which is slow enough for a robot of half its period."""


def place(along, across=0, turn=0):
    """So many hundredths of a millimetre along y and z, turned by thousandths of a degree."""
    return Location((40_000, 10_000 + along, 20_000 + across, turn, 0, 0))


class Robot:
    """A robot in virtual time: `delay` periods behind what it took, unless told otherwise."""

    def __init__(self, *, period_s=PERIOD_S, feedback=True, step=STEP, end=None, **settings):
        self.period_s, self.feedback, self.step = period_s, feedback, step
        self.now_s, self.seq, self.index = 100.0, 7, 0
        self.delay = 1.3
        self.host = ContourHost(HostSettings(**settings), self.now_s)
        self.say(RobotStatus.RAN_DRY, place(0))
        self.host.start(StreamPlan(place(0), end), self.now_s)

    def say(self, status=RobotStatus.RUNNING, location=None, seq=None):
        line = self.host.receive(
            encode_request(WaypointRequest(self.seq if seq is None else seq, status, location)),
            self.now_s,
        )
        if not line:
            return None
        self.host.sent(line, self.now_s)
        return decode_answer(line[:-1])

    def wait(self, seconds):
        end_s = self.now_s + seconds
        while self.now_s < end_s:
            self.now_s = min(end_s, self.now_s + 0.02)
            assert self.host.receive(b"", self.now_s) == b""

    @property
    def true_place(self):
        return place(round(max(0.0, self.index - self.delay) * self.step))

    def ask(self, location=None, **words):
        """One period: the slot is filled, the robot asks, takes what it gets and goes on."""
        self.host.offer(place((self.index + 1) * self.step))
        told = (location or self.true_place) if self.feedback else None
        answer = self.say(location=told, **words)
        if isinstance(answer, Waypoint):
            self.seq, self.index = self.seq + 1, self.index + 1
        self.wait(self.period_s)
        return answer

    def run(self, count):
        for _ in range(count):
            assert isinstance(self.ask(), Waypoint)
        return self

    @property
    def report(self):
        return self.host.report(self.now_s)


# Status 1 repeats what is in flight, and nothing else.


def test_a_wrong_checksum_of_what_was_never_sent_ends_the_stream():
    """A robot that ran dry and whose telling got lost would go on, one waypoint further."""
    robot = Robot(feedback=False).run(4)
    robot.host.offer(place(5 * STEP))
    robot.wait(0.5)
    assert robot.say(RobotStatus.CHECKSUM_ERROR) is None, "number 11: in flight is 10"
    assert robot.report.result is StreamResult.FAULTED
    assert "waypoint 11, which it was not sent: in flight is 10" in robot.report.text
    assert robot.say() is None


def test_a_wrong_checksum_of_what_is_in_flight_is_repeated():
    robot = Robot(feedback=False).run(4)
    assert robot.say(RobotStatus.CHECKSUM_ERROR, seq=10) == Waypoint(10, place(4 * STEP))
    assert robot.report.result is None


def test_a_wrong_checksum_before_anything_was_sent_gets_nothing():
    robot = Robot(feedback=False)
    robot.host.offer(place(STEP))
    assert robot.say(RobotStatus.CHECKSUM_ERROR) is None
    assert robot.say() == Waypoint(7, place(STEP))


# The period.


@pytest.mark.parametrize("period_s", [0.30, 0.25, 0.20, 0.33])
def test_a_robot_that_asks_too_fast_is_stopped_and_told(period_s):
    """Even where no limit of speed is broken: its path is another one in time."""
    robot = Robot(period_s=period_s)
    began_s = robot.now_s
    answers = []
    while robot.report.result is None:
        answers.append(robot.ask())
    assert robot.report.result is StreamResult.OFF_PERIOD
    assert answers[-1] == EndOfStream(EndReason.CANCELLED)
    gain_s = 0.97 * PERIOD_S - period_s
    gained_s = (len(answers) - 2) * gain_s
    assert gained_s < 0.15 + gain_s + 1e-9, "on the declared period, before it was stopped"
    assert period_s > 0.25 or robot.now_s - began_s < 1.0 + 2 * period_s
    assert f"asks every {period_s:.3f} s" in robot.report.text
    assert robot.report.supervision.period.mean_s == pytest.approx(period_s, abs=1e-6)
    assert robot.ask() is None, "nothing is sent after the end"


@pytest.mark.parametrize("period_s", [0.70, 0.50])
def test_a_robot_that_asks_too_slowly_is_stopped_and_told(period_s):
    robot = Robot(period_s=period_s)
    while robot.report.result is None:
        robot.ask()
    assert robot.report.result is StreamResult.OFF_PERIOD
    assert "slower than its period" in robot.report.text
    assert robot.index <= 1 + math.ceil(0.3 / (period_s - 1.03 * PERIOD_S))


@given(st.lists(st.floats(0.0, 0.14), min_size=30, max_size=80), st.floats(-0.028, 0.028))
def test_requests_that_are_heard_late_are_no_fast_robot(lateness_s, off):
    """Each heard up to 140 ms late, of a robot within its tolerance: never stopped as too fast."""
    watch = PeriodWatch(PERIOD_S, SupervisionSettings())
    period_s = PERIOD_S * (1.0 + off)
    paces = [
        watch.take(number * period_s + late_s, timely=True)
        for number, late_s in enumerate(lateness_s)
    ]
    assert Pace.AHEAD not in paces


def test_a_robot_at_the_edge_of_its_tolerance_goes_on_for_ever():
    watch = PeriodWatch(PERIOD_S, SupervisionSettings())
    times_s = [number * 0.975 * PERIOD_S for number in range(2000)]
    assert {watch.take(at_s, timely=True) for at_s in times_s} == {Pace.IN_TIME}


def test_a_lost_request_that_is_heard_at_its_second_sending_is_no_fast_robot():
    watch = PeriodWatch(PERIOD_S, SupervisionSettings())
    times_s = [number * PERIOD_S + (0.25 if number % 5 == 3 else 0.0) for number in range(60)]
    assert {watch.take(at_s, timely=True) for at_s in times_s} == {Pace.IN_TIME}


def test_mean_and_jitter_of_the_period_are_those_of_its_intervals():
    draw = random.Random(3)
    intervals_s = [PERIOD_S + draw.uniform(-0.005, 0.005) for _ in range(200)]
    watch, at_s = PeriodWatch(PERIOD_S, SupervisionSettings()), 50.0
    watch.take(at_s, timely=True)
    for interval_s in intervals_s:
        at_s += interval_s
        watch.take(at_s, timely=True)
    mean_s = sum(intervals_s) / 200
    spread_s = math.sqrt(sum((each - mean_s) ** 2 for each in intervals_s) / 200)
    report = watch.report()
    assert (report.count, report.mean_s) == (200, pytest.approx(mean_s, rel=1e-9))
    assert report.jitter_s == pytest.approx(spread_s, rel=1e-6)
    assert (report.shortest_s, report.longest_s) == (
        pytest.approx(min(intervals_s)),
        pytest.approx(max(intervals_s)),
    )


def test_a_period_through_which_this_host_slept_is_none():
    watch = PeriodWatch(PERIOD_S, SupervisionSettings())
    watch.take(0.0, timely=True)
    assert watch.take(5.0, timely=False) is Pace.IN_TIME
    assert watch.report().count == 0


# Following.


def test_a_robot_that_follows_is_left_alone():
    robot = Robot(end=place(40 * STEP)).run(40)
    robot.host.end(EndReason.COMPLETED)
    assert robot.say(location=robot.true_place) == EndOfStream(EndReason.COMPLETED)
    robot.wait(0.9)
    robot.say(seq=robot.seq + 1, location=place(40 * STEP))
    assert robot.report.result is StreamResult.COMPLETED
    following = robot.report.supervision.following
    assert following.measured == 41
    assert following.share < 1e-6


@pytest.mark.parametrize("from_start", [True, False])
def test_a_frozen_robot_does_not_follow(from_start):
    robot = Robot(supervision=SupervisionSettings(delay_s=(0.6, 1.0)))
    if not from_start:
        robot.run(12)
    frozen, since = robot.true_place, robot.index
    while robot.report.result is None:
        robot.ask(frozen)
    assert robot.report.result is StreamResult.NOT_FOLLOWING
    assert "most in y, -" in robot.report.text
    assert (robot.index - since) <= (4 if from_start else 2)


def test_a_robot_that_is_ahead_of_its_path_does_not_follow():
    """It would be where it was not sent yet to be: on the path, too early."""
    robot = Robot(supervision=SupervisionSettings(delay_s=(0.6, 1.0))).run(12)
    robot.ask(place(round((robot.index - 0.2) * STEP)))
    assert robot.report.result is StreamResult.NOT_FOLLOWING
    assert "most in y, +" in robot.report.text


def test_a_robot_beside_its_path_does_not_follow():
    robot = Robot().run(12)
    robot.ask(place(round((robot.index - 1.3) * STEP), across=2000))
    assert robot.report.result is StreamResult.NOT_FOLLOWING
    assert "20.0 mm (most in z, +20.0 mm)" in robot.report.text


def test_a_robot_that_is_turned_does_not_follow():
    robot = Robot().run(12)
    robot.ask(place(round((robot.index - 1.3) * STEP), turn=1500))
    assert robot.report.result is StreamResult.NOT_FOLLOWING
    assert "1.50 deg" in robot.report.text


def test_a_robot_of_half_the_speed_does_not_follow():
    robot = Robot(supervision=SupervisionSettings(delay_s=(0.6, 1.0))).run(6)
    since, began = robot.index, max(0.0, robot.index - robot.delay)
    while robot.report.result is None:
        robot.ask(place(round((began + 0.5 * (robot.index - since)) * STEP)))
    assert robot.report.result is StreamResult.NOT_FOLLOWING
    assert (robot.index - since) * PERIOD_S <= 1.05


def test_a_robot_that_no_longer_tells_where_it_is_does_not_follow():
    robot = Robot().run(10)
    robot.feedback = False
    while robot.report.result is None:
        robot.ask()
    assert robot.report.result is StreamResult.NOT_FOLLOWING
    assert "has not told where it is for 3 requests" in robot.report.text


def test_a_robot_that_stops_short_of_the_end_has_not_completed():
    robot = Robot(end=place(20 * STEP)).run(20)
    robot.host.end(EndReason.COMPLETED)
    robot.say(location=robot.true_place)
    robot.wait(0.9)
    robot.say(seq=robot.seq + 1, location=place(20 * STEP - 1000))
    assert robot.report.result is StreamResult.NOT_FOLLOWING
    assert "did not arrive: 10.0 mm (most in y, -10.0 mm)" in robot.report.text


def test_without_feedback_nothing_measured_confirms_the_motion():
    robot = Robot(feedback=False).run(20)
    assert robot.report.supervision.following.measured == 0


@pytest.mark.parametrize(
    ("short", "result"), [(0, StreamResult.COMPLETED), (1000, StreamResult.NOT_FOLLOWING)]
)
def test_a_robot_that_tells_its_place_at_rest_only_is_judged_by_it(short, result):
    robot = Robot(feedback=False, end=place(5 * STEP)).run(5)
    robot.host.end(EndReason.COMPLETED)
    robot.say()
    robot.wait(0.9)
    robot.say(seq=robot.seq + 1, location=place(5 * STEP - short))
    assert robot.report.result is result
    assert robot.report.supervision.following.measured == 1
    assert not short or "did not arrive: 10.0 mm (most in y, -10.0 mm)" in robot.report.text


def test_distance_from_the_path_is_that_of_densely_sampled_points():
    """An oracle of points in space: the least distance over the window of delays."""
    draw = random.Random(5)
    settings = SupervisionSettings(following_m=1.0, following_rad=3.0)
    points = [(0.0, 0.0, 0.0)]
    for _ in range(30):
        points.append(tuple(p + draw.uniform(-0.02, 0.02) for p in points[-1]))
    path = [Location.from_si(point, (0.0, 0.0, 0.0)) for point in points]
    watch = FollowingWatch(path[0], PERIOD_S, settings)
    for number, location in enumerate(path[1:], start=1):
        watch.sent(location)
        measured = Location.from_si(
            tuple(p + draw.uniform(-0.01, 0.01) for p in points[max(0, number - 2)]), (0, 0, 0)
        )
        before = watch.report.largest_m
        assert watch.judge(measured) == ""
        newest, oldest = (max(0.0, min(number + 1 - d / PERIOD_S, number)) for d in (0.3, 1.2))
        least_m = math.inf
        for part in range(2001):
            at = oldest + (newest - oldest) * part / 2000
            low = min(int(at), len(points) - 2)
            spot = [
                a + (at - low) * (b - a) for a, b in zip(points[low], points[low + 1], strict=True)
            ]
            least_m = min(least_m, math.dist(spot, measured.position_m))
        assert watch.report.largest_m == pytest.approx(max(before, least_m), abs=2e-5)


# What a stream says at its end.


def test_a_robot_that_runs_dry_on_the_last_waypoint_has_not_completed():
    """It asked for the last one, did not get it, and is at rest one before."""
    robot = Robot(feedback=False, end=place(10 * STEP)).run(9)
    robot.host.offer(place(10 * STEP))
    robot.host.end(EndReason.COMPLETED)
    assert robot.say() == Waypoint(16, place(10 * STEP))
    robot.wait(0.6)
    assert robot.say(RobotStatus.RAN_DRY, seq=17) is None
    assert robot.report.result is StreamResult.RAN_DRY
    missed, last = "waypoint 10 (number 16 on the line)", "waypoint 9 (number 15 on the line)"
    assert f"did not take {missed} in time and is at rest at {last}" in robot.report.text


def test_a_robot_that_runs_dry_before_it_takes_the_end_says_so():
    robot = Robot(feedback=False, end=place(10 * STEP)).run(10)
    robot.host.end(EndReason.COMPLETED)
    assert robot.say() == EndOfStream(EndReason.COMPLETED)
    robot.wait(0.6)
    assert robot.say(RobotStatus.RAN_DRY, seq=18) is None
    assert robot.report.result is StreamResult.RAN_DRY
    last = "waypoint 10 (number 16 on the line)"
    assert f"did not take the end of the stream in time and is at rest at {last}" in (
        robot.report.text
    )


def test_no_stream_begins_on_a_request_of_the_one_before():
    """A robot that is still on its way would go on as if nothing had happened."""
    robot = Robot(feedback=False).run(5)
    robot.host.lose("the adapter is gone")
    robot.host._lost = ""
    robot.say()
    with pytest.raises(StartRefusedError, match="has not told yet that it has left the stream"):
        robot.host.start(StreamPlan(place(0)), robot.now_s, place(0))
    robot.say(seq=13)
    robot.host.start(StreamPlan(place(0)), robot.now_s, place(0))
    robot.host.lose("the adapter is gone")
    robot.host._lost = ""
    robot.say(RobotStatus.RAN_DRY, seq=13)
    robot.host.start(StreamPlan(place(0)), robot.now_s, place(0))
    assert robot.host.state is LinkState.STREAMING
    assert robot.host.offer(place(STEP)) is Offer.TAKEN
    assert robot.say(RobotStatus.RAN_DRY, seq=13) == Waypoint(13, place(STEP))


def test_a_robot_that_never_takes_its_waypoint_is_at_fault():
    robot = Robot(feedback=False)
    robot.host.offer(place(STEP))
    answers = [robot.say(RobotStatus.RAN_DRY) for _ in range(20)]
    assert robot.report.result is StreamResult.FAULTED
    assert "never took it" in robot.report.text
    assert answers.count(None) == 20 - 9


def test_two_robots_on_one_line_are_a_fault():
    robot = Robot(feedback=False).run(3)
    for number in range(4):
        robot.say(seq=500 + number)
        if robot.report.result is not None:
            break
        robot.ask()
    assert robot.report.result is StreamResult.FAULTED


def test_an_emulated_controller_says_what_it_is():
    robot = Robot(feedback=False)
    assert not robot.report.simulated
    robot.host.receive(b"S,SIMULATED\r", robot.now_s)
    assert robot.report.simulated
    assert robot.report.counts.unparsed == 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"period_tolerance": 0.6},
        {"period_tolerance": math.nan},
        {"ahead_s": 0.0},
        {"delay_s": (1.0, 0.5)},
        {"delay_s": (0.1, math.inf)},
        {"following_m": -1.0},
    ],
)
def test_windows_that_are_none_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        SupervisionSettings(**wrong)
