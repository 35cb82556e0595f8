"""What a stream has to keep, on the wire: the real port, its thread, a pseudo-terminal.

The robot is written by the test. Only where its period is judged does it ask in its own time;
elsewhere it asks as soon as it is answered, and the window of the period is wide.
"""

import contextlib
import select

import pytest
from wire_peer import now_s, until

from arm_driver.contour.host_values import HostSettings, StreamPlan
from arm_driver.contour.location import Location
from arm_driver.contour.messages import EndOfStream, RobotStatus, Waypoint
from arm_driver.contour.reader import open_line
from arm_driver.link import PERIOD_S, EndReason, Offer
from arm_driver.link_errors import StartRefusedError, WaypointRefusedError
from arm_driver.link_states import LinkState, StreamResult
from arm_driver.supervision_settings import SupervisionSettings

pytestmark = pytest.mark.real_time

STEP = 3500
"""35 mm: a period at 100 mm/s, in 0.01 mm."""
QUIET_S = 0.06
"""A host that answers at all has done so by then, three times over."""


@pytest.fixture(autouse=True)
def _own_locks(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))


def place(along, across=0):
    """So many hundredths of a millimetre along y and z."""
    return Location((40_000, 10_000 + along, 20_000 + across, 0, 90_000, 0))


class Robot:
    """A robot on a pseudo-terminal: 1.3 periods behind what it took, unless told otherwise."""

    def __init__(self, peer, *, period_s=PERIOD_S, hurried=True, slow=False, **supervision):
        wide = {"ahead_s": 1e3} if hurried else {}
        windows = SupervisionSettings(**{"delay_s": (0.6, 1.0)} | wide | supervision)
        any_speed = {"speed_max_m_s": 1e9, "turn_rate_max_rad_s": 1e9} if not slow else {}
        settings = HostSettings(period_s=period_s, supervision=windows, **any_speed)
        self.peer, self.link = peer, open_line(peer.url, now_s=now_s, settings=settings)
        self.seq, self.index, self.feedback = 7, 0, True
        self.step = (1700 if slow else STEP) * period_s / PERIOD_S

    def at(self, index, across=0):
        return place(round(max(0.0, index) * self.step), across)

    def begin(self, count=None):
        """At rest at the start; armed, with a declared end after so many waypoints."""
        self.index = 0
        heard = self.link.poll().counts.requests
        self.peer.ask(self.seq, RobotStatus.RAN_DRY, self.at(0))
        until(self.link, lambda report: report.counts.requests > heard)
        end = None if count is None else self.at(count)
        self.link.start(StreamPlan(self.at(0), end), None if self.feedback else self.at(0))
        return self

    def ask(self, location=None):
        """The slot is filled, the robot asks, and takes what it gets."""
        until(self.link, lambda report: report.wants or report.result is not None)
        self.link.offer(self.at(self.index + 1))
        told = (location or self.at(self.index - 1.3)) if self.feedback else None
        self.peer.ask(self.seq, RobotStatus.RUNNING, told)
        answer = self.peer.answer()
        if isinstance(answer, Waypoint):
            assert answer == Waypoint(self.seq, self.at(self.index + 1))
            self.seq, self.index = (self.seq + 1) % 10_000, self.index + 1
        return answer

    def run(self, count):
        for _ in range(count):
            assert isinstance(self.ask(), Waypoint)
        return self

    def ended(self):
        """The report at the end of the stream; nothing is sent after it."""
        report = until(self.link, lambda report: report.result is not None)
        self.peer.ask(self.seq + 1)
        assert self.peer.line(QUIET_S) is None, "nothing after the end"
        return report


@pytest.fixture
def robot(pty_peer):
    """Make one robot, whose link is closed at the end."""
    with contextlib.ExitStack() as stack:

        def made(**settings):
            one = Robot(pty_peer, **settings)
            stack.callback(one.link.close)
            return one

        yield made


def test_a_wrong_checksum_of_what_was_never_sent_ends_the_stream(robot):
    one = robot().begin().run(4)
    one.peer.ask(one.seq - 1, RobotStatus.CHECKSUM_ERROR)
    assert one.peer.answer() == Waypoint(one.seq - 1, one.at(4)), "of what is in flight: repeated"
    until(one.link, lambda report: report.wants)
    one.link.offer(one.at(5))
    one.peer.ask(one.seq, RobotStatus.CHECKSUM_ERROR)
    report = one.ended()
    assert report.result is StreamResult.FAULTED
    assert "waypoint 11, which it was not sent: in flight is 10" in report.text


def at_its_times(one, period_s, most):
    """Ask in this period until the stream ends; answers, and the report."""
    answers, due_s = [], now_s()
    while len(answers) < most and one.link.poll().result is None:
        select.select([], [], [], max(0.0, due_s - now_s()))
        due_s += period_s
        answers.append(one.ask())
    return answers, one.ended()


@pytest.mark.parametrize(
    ("declared_s", "period_s", "words"),
    [(0.10, 0.06, "faster than its period"), (0.05, 0.09, "slower than its period")],
)
def test_a_robot_that_is_off_its_period_is_stopped(robot, declared_s, period_s, words):
    one = robot(
        period_s=declared_s, hurried=False, ahead_s=0.06, behind_s=0.06, delay_s=(0.01, 1.0)
    ).begin()
    answers, report = at_its_times(one, period_s, 20)
    assert report.result is StreamResult.OFF_PERIOD
    assert answers[-1] == EndOfStream(EndReason.CANCELLED)
    assert words in report.text
    mean_s = report.supervision.period.mean_s
    assert mean_s == pytest.approx(period_s, abs=0.01)
    assert f"asks every {mean_s:.3f} s" in report.text
    assert len(answers) < 10


def test_the_period_is_measured(robot):
    one = robot(period_s=0.05, hurried=False, delay_s=(0.01, 1.0)).begin()
    due_s = now_s()
    for _ in range(12):
        select.select([], [], [], max(0.0, due_s - now_s()))
        due_s += 0.05
        assert isinstance(one.ask(), Waypoint)
    period = one.link.poll().supervision.period
    assert period.count == 10
    assert period.mean_s == pytest.approx(0.05, abs=3e-3)
    assert 0.0 < period.jitter_s < 0.01


@pytest.mark.parametrize(
    ("where", "words"),
    [
        (lambda one, frozen: frozen, "most in y, -"),
        (lambda one, frozen: one.at(one.index - 1.3, across=2000), "20.0 mm (most in z, +20.0"),
        (lambda one, frozen: one.at(one.index - 0.2), "most in y, +"),
    ],
    ids=["frozen", "beside", "ahead"],
)
def test_a_robot_that_is_not_where_it_was_sent_does_not_follow(robot, where, words):
    one = robot().begin().run(6)
    frozen = one.at(one.index - 1.3)
    answers = []
    while not isinstance((answers or [None])[-1], EndOfStream):
        answers.append(one.ask(where(one, frozen)))
        assert len(answers) <= 3
    assert answers[-1] == EndOfStream(EndReason.CANCELLED)
    report = one.ended()
    assert report.result is StreamResult.NOT_FOLLOWING
    assert words in report.text


def test_a_robot_of_half_the_speed_does_not_follow(robot):
    one = robot().begin().run(6)
    since, at = one.index, one.index - 1.3
    answers = []
    while not isinstance((answers or [None])[-1], EndOfStream):
        answers.append(one.ask(one.at(at + 0.5 * (one.index - since))))
        assert len(answers) <= 4, "a second, and the request that was under way"
    assert one.ended().result is StreamResult.NOT_FOLLOWING


def test_a_robot_that_no_longer_tells_where_it_is_does_not_follow(robot):
    one = robot().begin().run(4)
    one.feedback = False
    assert [type(one.ask()) for _ in range(3)] == [Waypoint, Waypoint, EndOfStream]
    report = one.ended()
    assert report.result is StreamResult.NOT_FOLLOWING
    assert "has not told where it is for 3 requests" in report.text


def finish(one, status=RobotStatus.RUNNING, location=None):
    """Take the end of the stream, and say how and where the robot came to rest."""
    until(one.link, lambda report: report.wants)
    one.link.end(EndReason.COMPLETED)
    one.peer.ask(one.seq, RobotStatus.RUNNING, one.at(one.index - 1.3) if one.feedback else None)
    assert one.peer.answer() == EndOfStream(EndReason.COMPLETED)
    one.seq += 1
    one.peer.ask(one.seq, status, location)
    return one.ended()


def test_ended_is_what_the_robot_says_it_reached(robot):
    """Four streams on one line: arrived, short of the end, dry before the end and on the last."""
    one = robot()
    report = finish(one.begin(4).run(4), location=one.at(4))
    assert (report.result, report.state) == (StreamResult.COMPLETED, LinkState.READY)
    assert report.supervision.following.measured == 5
    one.seq += 2
    report = finish(one.begin(4).run(4), location=one.at(3.7))
    assert report.result is StreamResult.NOT_FOLLOWING
    assert "did not arrive: 10.5 mm (most in y, -10.5 mm)" in report.text
    one.seq += 2
    report = finish(one.begin(4).run(4), RobotStatus.RAN_DRY, one.at(4))
    assert report.result is StreamResult.RAN_DRY
    assert "did not take the end of the stream in time and is at rest at waypoint 4 " in report.text
    one.seq += 2
    one.begin(4).run(4)
    one.link.end(EndReason.COMPLETED)
    one.peer.ask(one.seq, RobotStatus.RAN_DRY, one.at(3))
    report = one.ended()
    assert report.result is StreamResult.RAN_DRY
    assert "did not take waypoint 4 " in report.text
    assert "at rest at waypoint 3 " in report.text


def test_no_number_lives_on_after_its_stream(robot):
    """Given up in mid-stream: before the robot has told that it left, no other one begins."""
    one = robot().begin().run(3)
    heard = one.link.poll().counts.requests
    one.peer.ask(one.seq, RobotStatus.HOLD)
    one.peer.ask(one.seq, RobotStatus.RUNNING, one.at(0))
    report = until(one.link, lambda report: report.counts.requests == heard + 2)
    assert report.result is StreamResult.HELD
    with pytest.raises(StartRefusedError, match="has not told yet that it has left the stream"):
        one.link.start(StreamPlan(one.at(0)))
    one.seq += 5
    one.begin().run(2)
    assert one.link.poll().streamed == 2


def test_a_waypoint_that_is_too_far_is_named_as_its_maker_counts_and_never_sent(robot):
    one = robot(slow=True).begin().run(2)
    until(one.link, lambda report: report.wants)
    with pytest.raises(
        WaypointRefusedError, match=r"^waypoint 3 \(number 9 on the line\) as plann"
    ):
        one.link.offer(place(2 * 1700 + 3700))
    one.link.end(EndReason.REFUSED)
    one.peer.ask(one.seq, RobotStatus.RUNNING, one.at(0.7))
    assert one.peer.answer() == EndOfStream(EndReason.REFUSED)
    assert one.link.poll().streamed == 2


def test_a_robot_without_feedback_can_be_used_and_an_emulated_one_says_so(robot):
    one = robot()
    one.feedback = False
    one.peer.ask(one.seq, RobotStatus.RAN_DRY)
    until(one.link, lambda report: report.state is LinkState.SYNCHRONISING)
    with pytest.raises(StartRefusedError, match="where the robot is, is not known"):
        one.link.start(StreamPlan(one.at(0)))
    one.link.start(StreamPlan(one.at(0), one.at(4)), one.at(0))
    assert not one.link.poll().simulated
    report = finish(one.run(4))
    assert report.result is StreamResult.COMPLETED
    assert report.supervision.following.measured == 0, "nothing measured confirms the motion"
    assert one.link.offer(one.at(5)) is Offer.NO_STREAM
    one.peer.say(b"S,SIMULATED\r")
    until(one.link, lambda report: report.simulated)


def test_a_robot_that_tells_its_place_at_rest_only_is_asked_for_it_at_the_end(robot):
    """As the shipped program does without feedback: its place at rest is held against the end."""
    one = robot()
    one.feedback = False
    report = finish(one.begin(3).run(3), location=one.at(3))
    assert report.result is StreamResult.COMPLETED
    assert report.supervision.following.measured == 1
    one.seq += 2
    report = finish(one.begin(3).run(3), location=one.at(2.7))
    assert report.result is StreamResult.NOT_FOLLOWING
    assert "did not arrive: 10.5 mm (most in y, -10.5 mm)" in report.text
