"""The controller's program on the wire: its listing in real time behind a pseudo-terminal."""

import os
import select
from itertools import pairwise

import pytest
from program_bench import START, TICK_S, Controller, Paced
from wire_peer import now_s

from arm_driver.contour.host_values import HostSettings, StreamPlan
from arm_driver.contour.location import Location
from arm_driver.contour.messages import RobotStatus, WaypointRequest, decode_request
from arm_driver.contour.reader import open_line
from arm_driver.link import EndReason
from arm_driver.link_states import LinkState, StreamResult

pytestmark = pytest.mark.real_time

SPEAKS_WITHIN_S = 0.5
"""A controller at rest asks once in a period, whatever came before."""


@pytest.fixture(autouse=True)
def _own_locks(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))


def place(steps):
    x, y, *others = START.counts
    return Location((x, y + steps, *others))


class Line:
    """The listing behind a pseudo-terminal, and the host that feeds it 5 mm a period."""

    def __init__(self, peer):
        self.peer, self.robot, self.sent = peer, Controller(), 0
        self.link = open_line(peer.url, now_s=now_s, settings=HostSettings())
        self.garbled, self.mute, self.most = False, 0, 100
        self.said_s = self.began_s = now_s()
        self.ticks, self.said = 0, []
        self._rest, self._to_host, self._to_robot = b"", Paced(9600), Paced(9600)

    def run(self, until, most_s):
        """Let real time pass until something is so."""
        end_s = now_s() + most_s
        while not until():
            assert now_s() < end_s, self.link.poll()
            self._tick()

    def _tick(self):
        self.ticks += 1
        select.select([], [], [], max(0.0, self.began_s + self.ticks * TICK_S - now_s()))
        *lines, self._rest = (self._rest + self._heard()).split(b"\r")
        for line in lines:
            heard = line.replace(b"0", b"1", 1) if self.garbled else line
            if self.mute:
                self.mute -= 1
            else:
                self._to_robot.send(heard + b"\r", now_s())
        self.robot.inbox += self._to_robot.take(now_s())
        if said := self.robot.step():
            self.said_s = now_s()
            self.said.append(said)
            self._to_host.send(said, self.said_s)
        for said in self._to_host.take(now_s()):
            os.write(self.peer.fd, said)
        if self.sent < self.most and self.link.poll().wants:
            self.sent += 1
            self.link.offer(place(500 * self.sent))

    def _heard(self):
        ready = select.select([self.peer.fd], [], [], 0.0)[0]
        return os.read(self.peer.fd, 4096) if ready else b""

    @property
    def report(self):
        return self.link.poll()


@pytest.fixture
def line(pty_peer):
    one = Line(pty_peer)
    yield one
    one.link.close()


def test_at_9600_baud_the_second_answer_still_comes_within_the_period(line):
    """One answer is lost on a line that takes its time: the stream goes on without a pause."""
    line.run(lambda: line.report.state is LinkState.SYNCHRONISING, 2.0)
    line.link.start(StreamPlan(START))
    line.run(lambda: len(line.robot.moves) == 2, 3.0)
    line.mute = 1
    line.run(lambda: len(line.robot.moves) == 4, 2.0)
    told = [decode_request(one.rstrip(b"\r\n")) for one in line.said]
    moving = [one for one in told if one.status is RobotStatus.RUNNING]
    ((first, again),) = [pair for pair in pairwise(moving) if pair[0].seq == pair[1].seq]
    assert first.location is not None
    assert again == WaypointRequest(first.seq, RobotStatus.RUNNING), "short: the place is left out"
    assert (line.report.state, line.report.counts.repeats) == (LinkState.STREAMING, 1)
    assert [location[1] for _, location, _ in line.robot.moves] == [105.0, 110.0, 115.0, 120.0]
    begins = [begin_s for begin_s, *_ in line.robot.moves[1:]]
    assert all(0.33 < later - one < 0.37 for one, later in pairwise(begins)), "without a pause"


def test_answers_that_never_check_end_at_rest_and_are_followed_by_no_silence(line):
    """One is repeated, the stream goes on; then none checks: dry, soon said, and a new stream."""
    line.run(lambda: line.report.state is LinkState.SYNCHRONISING, 2.0)
    assert not line.report.simulated, "the shipped program never says so"
    line.link.start(StreamPlan(START))
    line.run(lambda: len(line.robot.moves) == 2, 3.0)
    line.garbled = True
    line.run(lambda: line.report.counts.told_checksum_errors == 1, 1.0)
    line.garbled = False
    line.run(lambda: len(line.robot.moves) == 4, 2.0)
    assert line.report.counts.repeats >= 1
    line.garbled = True
    line.run(lambda: line.report.result is not None, 2.0)
    assert line.report.result is StreamResult.RAN_DRY
    number, moves = line.robot.memory["seq"], len(line.robot.moves)
    rest_s, heard = now_s(), line.report.counts.requests
    line.run(lambda: line.report.counts.requests >= heard + 2, 2.5 * SPEAKS_WITHIN_S)
    assert line.said_s - rest_s < 2 * SPEAKS_WITHIN_S
    assert len(line.robot.moves) == moves, "it rests"
    places = [location[1] for _, location, _ in line.robot.moves]
    assert places == [100.0 + 5.0 * (index + 1) for index in range(moves)], "none twice, none left"
    line.garbled, line.sent, line.most = False, moves, moves + 1
    line.link.start(StreamPlan(place(500 * moves), place(500 * (moves + 1))))
    line.run(lambda: line.report.streamed == 1, 1.0)
    line.link.end(EndReason.COMPLETED)
    line.run(lambda: line.report.result is not None, 2.0)
    assert line.report.result is StreamResult.COMPLETED
    assert line.robot.memory["seq"] > number, "its numbers go on from stream to stream"
