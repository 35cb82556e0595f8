"""Streams with robots of all kinds, each judged by its bytes alone: one judge, no word of the host.

The full count is ten thousand.
"""

import math
import random
from collections import Counter

import pytest
from campaign import count
from random_robots import HABITS, TICK_S, RandomRobot
from stream_judge import Judge

from arm_driver.contour.host import ContourHost
from arm_driver.contour.host_values import HostSettings, StreamPlan
from arm_driver.contour.location import Location
from arm_driver.link import EndReason
from arm_driver.link_errors import WaypointRefusedError
from arm_driver.link_states import LinkState, StreamResult
from arm_driver.supervision_settings import SupervisionSettings

SEED = 20
STREAMS = 10_000
LONGEST_S = 25.0
SETTINGS = HostSettings(supervision=SupervisionSettings(delay_s=(0.6, 1.0)))


def path_of(draw):
    """A path as its maker would plan it: curved, from slow to 89 mm/s, turning a little."""
    x, y, z, o = 400.0, 100.0, 200.0, 0.0
    heading, speed_mm = draw.uniform(0.0, 6.3), draw.uniform(0.0, 7.0)
    places = [[x, y, z, o, 0.0, 0.0]]
    for _ in range(draw.randrange(3, 28)):
        heading += draw.uniform(-0.4, 0.4)
        speed_mm = min(31.0, max(0.0, speed_mm + draw.uniform(-3.0, 5.0)))
        x, y = x + speed_mm * math.cos(heading), y + speed_mm * math.sin(heading)
        o += draw.uniform(-0.3, 0.3)
        places.append([x, y, z, o, 0.0, 0.0])
    return [[round(v, 2 if n < 3 else 3) for n, v in enumerate(one)] for one in places]


def location(place):
    return Location(tuple(round(v * (100 if n < 3 else 1000)) for n, v in enumerate(place)))


def play(seed):
    """One stream; what the host said of it, what the judge says, and the habits of its robot."""
    draw = random.Random(seed)
    places = path_of(draw)
    robot = RandomRobot(draw, places[0])
    host, now_s = ContourHost(SETTINGS, 0.0), 0.0
    gives_up_s = draw.uniform(2.0, 8.0) if draw.random() < 0.2 else math.inf
    hesitates = draw.random() < 0.1
    judge, offered, result_s = None, 0, math.inf
    while now_s < LONGEST_S:
        now_s = round(now_s + TICK_S, 6)
        heard = robot.step(now_s)
        line = host.receive(heard, now_s)
        if line:
            host.sent(line, now_s)
            robot.hear(line, now_s)
        if judge is not None:
            judge.look(now_s, heard, line)
            if host.report(now_s).result is not None and result_s == math.inf:
                result_s = now_s
        report = host.report(now_s)
        if judge is None and report.state is LinkState.SYNCHRONISING:
            host.start(
                StreamPlan(location(places[0]), location(places[-1])), now_s, location(places[0])
            )
            judge = Judge(places[0], now_s, lambda sent: sent == len(places) - 1, places)
            judge.rest = judge_rest(host)
        elif report.wants and not (hesitates and draw.random() < 0.9):
            offered += 1
            if offered < len(places):
                host.offer(location(places[offered]))
            else:
                host.end(EndReason.COMPLETED)
        if now_s > gives_up_s:
            gives_up_s = math.inf
            host.end(EndReason.CANCELLED)
            if judge is not None:
                judge.cancelled = True
        if judge is not None and min(judge.found.at_s, result_s) + 3.0 < now_s:
            break
    return host.report(now_s), result_s, judge, robot.habits


def judge_rest(host):
    """What the port had read of a line before the arm command: the judge sees it, too."""
    return bytes(host._requests._splitter._rest)


@pytest.mark.campaign
@pytest.mark.timeout(1800)
def test_every_stream_ends_as_its_bytes_say(capsys):
    results, ended_by, unsure = Counter(), Counter(), 0
    for number in range(count(STREAMS, least=150)):
        report, result_s, judge, habits = play(SEED * STREAMS + number)
        if judge is None:
            results["never asked"] += 1
            continue
        found = judge.found
        place = f"stream {number}, {sorted(habits)}: {report.text}; {found}"
        assert not found.wrong, place
        told = "" if report.result is None else report.result.value
        results[told] += 1
        ended_by.update((habit, told) for habit in habits)
        if found.unsure:
            unsure += 1
            continue
        assert told == found.result, place
        assert result_s == found.at_s, place
    with capsys.disabled():
        print(f"\nseed {SEED}: {dict(results)}, {unsure} on the edge", end=" ")
    assert unsure < 0.05 * sum(results.values())
    if count(STREAMS) == STREAMS:
        assert set(results) >= {one.value for one in StreamResult} - {"refused"}
        assert {habit for habit, _ in ended_by} == set(HABITS)


def test_the_judge_finds_a_waypoint_after_the_end_and_one_that_is_too_far():
    judge = Judge([0.0, 0.0, 0.0, 0.0, 0.0, 0.0], 0.0, lambda sent: True)
    judge.look(0.1, b"R,7,2,219\r", b"7,40.00,0.00,0.00,0.000,0.000,0.000,0\r")
    assert any("faster than 100 mm/s" in one for one in judge.found.wrong)
    judge.look(0.2, b"R,7,3,220\r", b"")
    assert judge.found.result == "held"
    judge.look(0.3, b"R,7,2,219\r", b"7,40.00,0.00,0.00,0.000,0.000,0.000,0\r")
    assert any("after the end" in one for one in judge.found.wrong)


def test_a_waypoint_that_is_too_far_never_gets_onto_the_line():
    host = ContourHost(SETTINGS, 0.0)
    host.receive(b"R,7,2,219\r", 0.02)
    host.start(StreamPlan(location([400.0, 0, 0, 0, 0, 0])), 0.02, location([400.0, 0, 0, 0, 0, 0]))
    with pytest.raises(WaypointRefusedError):
        host.offer(location([440.0, 0, 0, 0, 0, 0]))
