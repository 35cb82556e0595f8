"""Ten minutes in real time on a line: stream after stream, with faults at random moments.

The emulated controller is a process of its own behind a pseudo-terminal; its faults are typed at
its console, as a person types them. Where it is, and what it has taken, it says there as well.
"""

import contextlib
import os
import random
import re
import select
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from campaign import SHARE
from random_faults import ENDS, fault_of

from arm_driver.contour.host_values import HostSettings, StreamPlan
from arm_driver.contour.location import Location
from arm_driver.contour.reader import open_line
from arm_driver.link import EndReason
from arm_driver.link_errors import StartRefusedError
from arm_driver.link_states import StreamResult
from arm_driver.supervision_settings import SupervisionSettings
from hil.ipc.child import PIPE, start_child
from hil.timing.realtime import RealClock
from sim.devices.arm.faults import ARM_FAULTS

pytestmark = [
    pytest.mark.real_time, pytest.mark.campaign,
    pytest.mark.timeout(3600),
]  # fmt: skip

now_s = RealClock().now_s
SEED = 17
WHOLE_S, PART_S = 600.0, 2.0
WAYPOINTS = 12
SWING_MM = 70.0
WITHIN_S = 10.0
STILL_MM = 0.05
SETTINGS = HostSettings(supervision=SupervisionSettings(delay_s=(0.6, 1.0)))
ALSO = {
    "period": {"not following"}, "drop_request": {"not following"}, "silence": {"ran dry"},
}  # fmt: skip
"""At these speeds it is true as well: who changes its period on the way leaves its path; places get
lost with their requests; and a short silence ends with a robot at rest that says so."""
CERTAIN = {"estop", "power_off", "uncalibrated", "silence", "unplug", "beside"}
"""Faults that end every stream in whose middle they begin and that they outlast."""
_STATUS = re.compile(
    r"^(?P<state>[A-Z_]+), request \d+$.*?^gripper \((?P<place>[^)]*)\) mm.*?"
    r"(?P<waypoints>\d+) waypoints, .* times dry$",
    re.MULTILINE | re.DOTALL,
)


def pause(seconds):
    select.select([], [], [], seconds)


class Emulator:
    """`hil arm emulate --pty`, and somebody at its console."""

    def __init__(self):
        command = ["-m", "hil.cli", "arm", "emulate", "--pty", "--end-with-input"]
        self.process = start_child(command, stdin=PIPE, stdout=PIPE, stderr=PIPE)
        self.said, self.asked = "", 0
        self.url = self.process.stdout.readline().decode().strip()

    def type(self, line):
        self.process.stdin.write(line.encode() + b"\n")

    def status(self):
        """State, place [mm] and waypoints taken, by its own word."""
        self.asked += 1
        mark = f"'question{self.asked}'"
        self.type("status")
        self.type(mark.strip("'"))  # no command: the console says so, after all that came before
        end_s = now_s() + WITHIN_S
        while mark not in self.said:
            assert now_s() < end_s, self.said
            if select.select([self.process.stderr], [], [], 0.1)[0]:
                self.said += os.read(self.process.stderr.fileno(), 4096).decode()
        told, _, self.said = self.said.partition(mark)
        found = list(_STATUS.finditer(told))[-1]
        place = np.array([float(word) for word in found["place"].split(",")])
        return SimpleNamespace(state=found["state"], place=place, waypoints=int(found["waypoints"]))

    def plugged_in(self):
        """The URL, after the cable was out: it may be another one now."""
        self.status()  # by then it has been said
        while select.select([self.process.stdout], [], [], 0.0)[0]:
            self.url = self.process.stdout.readline().decode().strip()
        return self.url

    def close(self):
        self.process.stdin.close()
        try:
            assert self.process.wait(WITHIN_S) == 0
        finally:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
            self.process.stderr.close()


class Session:
    """One robot and its host, for as many streams as wanted."""

    def __init__(self, robot):
        self.robot = robot
        self.link = open_line(self.robot.url, now_s=now_s, settings=SETTINGS)
        self.late = self.empty = 0
        self.latencies_s = []
        self.home = self.rested().place

    def rested(self):
        """All faults are over, and the program runs: its word once it waits and is heard."""
        self.robot.type("clear")
        end_s = now_s() + WITHIN_S
        while (told := self.robot.status()).state not in ("WAITING", "DRY"):
            assert now_s() < end_s, told
            self.robot.type("calibrate")
            self.robot.type("start")
            pause(0.4)
        if not self._heard():  # the cable was out: for the host that is the end of this link
            self.count()
            self.link.close()
            self.link = open_line(self.robot.plugged_in(), now_s=now_s, settings=SETTINGS)
            assert self._heard(), self.link.poll()
        return told

    def _heard(self):
        """Whether the robot asks twice within two seconds."""
        heard, end_s = self.link.poll().counts.requests, now_s() + 2.0
        while self.link.poll().counts.requests < heard + 2 and now_s() < end_s:
            pause(0.02)
        return self.link.poll().counts.requests >= heard + 2

    def count(self):
        """Take what a link has counted, before it is closed."""
        report = self.link.poll()
        self.late += report.counts.late_answers
        self.empty += report.counts.empty_slot
        self.latencies_s.append(report.latency.p99_s)

    def begin(self, start, end):
        """Arm; the robot may still have to tell that it has left the stream before."""
        end_s = now_s() + WITHIN_S
        while True:
            try:
                return self.link.start(StreamPlan(start, end))
            except StartRefusedError:
                assert now_s() < end_s, self.link.poll()
                pause(0.1)

    def stream(self, direction, words=""):
        """From where the robot is to its home, with a swing aside; what came of it."""
        told = self.rested()
        start = self.link.poll().measured
        path = way(start, self.home - told.place, direction)
        self.begin(start, path[-1])
        if words:
            self.robot.type(words)
        offered, end_s = 0, now_s() + 2.0 * WITHIN_S
        while (report := self.link.poll()).result is None:
            assert now_s() < end_s, report
            if report.wants and offered < len(path):
                self.link.offer(path[offered])
                offered += 1
            elif report.wants:
                self.link.end(EndReason.COMPLETED)
            pause(0.004)
        return report


def way(start, home_mm, direction):
    """Places a period apart: evenly home, and aside and back, all of it from rest to rest."""
    part = np.arange(1, WAYPOINTS + 1) / WAYPOINTS
    smooth = part * part * (3.0 - 2.0 * part)
    aside = SWING_MM * np.sin(np.pi * part) ** 2
    steps_mm = np.outer(smooth, home_mm) + np.outer(aside, direction)
    counts = np.array(start.counts)
    return [Location((*map(int, counts[:3] + np.rint(100.0 * step)), *start.counts[3:]))
            for step in steps_mm]  # fmt: skip


def judge(session, report, kind, words):
    """The result is the fault's, and the robot rests for good: by its own word."""
    result = report.result.value
    may = ENDS[kind] | ALSO.get(kind, set()) | {"completed"}
    assert result in may, f"{words}: {result}, {report.text}"
    assert report.text
    at_s = float(re.search(r"at_s=([\d.]+)", words)[1])
    if kind in CERTAIN and "duration_s" not in words and at_s < 3.0:
        assert result != "completed", f"{words}: {report.supervision}"
    pause(1.6)
    first = session.robot.status()
    pause(0.6)
    again = session.robot.status()
    assert np.linalg.norm(again.place - first.place) < STILL_MM, (
        f"{words}: it moves after its end, {first.place} to {again.place}"
    )
    assert again.waypoints == first.waypoints, f"{words}: a waypoint after the end"
    if result == "completed" and kind not in ("slow", "elsewhere"):
        assert np.linalg.norm(again.place - session.home) < 1.0, f"{words}: not where it was sent"


@pytest.fixture
def session(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with contextlib.closing(Emulator()) as robot:
        one = Session(robot)
        yield one
        one.link.close()


def kinds_of(draw):
    """Every kind once in a random order, and again."""
    while True:
        yield from draw.sample(sorted(ARM_FAULTS), len(ARM_FAULTS))


def test_ten_minutes_of_streams_with_faults_at_random_moments(session, capsys):
    draw, ends = random.Random(SEED), Counter()
    began_s = now_s()
    for kind in kinds_of(draw):
        words = fault_of(draw, kind, latest_s=3.8)[1]
        direction = np.array([draw.gauss(0.0, 1.0) for _ in range(3)])
        report = session.stream(direction / np.linalg.norm(direction), words)
        judge(session, report, kind, words)
        ends[kind, report.result.value] += 1
        if now_s() - began_s > (WHOLE_S if SHARE >= 1.0 else PART_S):
            break
    session.count()
    with capsys.disabled():
        table = ", ".join(f"{kind} {end} {n}" for (kind, end), n in sorted(ends.items()))
        p99_ms = 1e3 * max(session.latencies_s)
        print(f"\nseed {SEED}, {sum(ends.values())} streams, p99 {p99_ms:.2f} ms: {table}", end=" ")
    assert (session.late, session.empty) == (0, 0), "nothing is late"
    if SHARE >= 1.0:
        assert {kind for kind, _ in ends} == set(ARM_FAULTS)


@pytest.mark.parametrize(
    ("moved_mm", "taken", "result", "words"),
    [
        (0.1, 0, StreamResult.HELD, "it moves after its end"),
        (0.0, 1, StreamResult.HELD, "a waypoint after the end"),
        (0.0, 0, StreamResult.RAN_DRY, "estop at_s=1: ran dry"),
        (0.0, 0, StreamResult.COMPLETED, "estop at_s=1: "),
    ],
)
def test_positive_control_of_the_judgement(monkeypatch, moved_mm, taken, result, words):
    monkeypatch.setattr("test_real_faults.pause", lambda seconds: None)
    told = [
        SimpleNamespace(place=np.array([0.0, 0.0, moved]), waypoints=4 + more)
        for moved, more in ((0.0, 0), (moved_mm, taken))
    ]
    session = SimpleNamespace(robot=SimpleNamespace(status=lambda: told.pop(0)), home=np.zeros(3))
    report = SimpleNamespace(result=result, text="why", supervision=None)
    with pytest.raises(AssertionError, match=words):
        judge(session, report, "estop", "estop at_s=1")
