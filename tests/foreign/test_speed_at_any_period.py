"""Whatever period a robot keeps, no waypoint that it is sent is faster than the limits of speed."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from campaign import count
from contour_robot import ContourRobot

from arm_driver.contour.host import ContourHost
from arm_driver.contour.host_values import HostSettings, StreamPlan
from arm_driver.contour.location import Location
from arm_driver.link_errors import WaypointRefusedError
from arm_driver.link_states import LinkState, StreamResult

SPEED_M_S, TURN_RAD_S = 0.1, math.radians(30.0)
DECIMAL_M, DECIMAL_RAD = 1.1e-5, math.radians(1.1e-3)
"""The last decimals of the line."""
DECLARED_S = 0.35
RECEIVED_WITHIN_S = 0.02
START = [0.4, 0.1, 0.2, 0.0, 0.0, 0.0]
RUNS = 1500


class Planner:
    """Goes along y, or turns, as fast as it is let; or takes up its speed evenly."""

    def __init__(self, host: ContourHost, *, greedy: bool, turns: bool, share: float) -> None:
        self.host, self.turns, self.greedy, self.share = host, turns, greedy, share
        self.along, self.number = 0.0, 0

    def __call__(self) -> None:
        if self.host.state is not LinkState.STREAMING or not self.host.report(0.0).wants:
            return
        most = self.share * DECLARED_S * (TURN_RAD_S if self.turns else SPEED_M_S)
        ramp = min(1.0, (2 * self.number + 1) / 14)
        shares = [k / 20 for k in range(20, -1, -1)] if self.greedy else [ramp]
        for share in shares:
            try:
                self.host.offer(self.place(self.along + share * most))
            except WaypointRefusedError:
                continue
            self.along += share * most
            self.number += 1
            return
        raise AssertionError("no step at all is taken")

    def place(self, along: float) -> Location:
        turn, way = (along, 0.0) if self.turns else (0.0, along)
        return Location.from_si((0.4, 0.1 + way, 0.2), (turn, 0.0, 0.0))


def drive(
    period_s: Callable[[int], float],
    late_s: Callable[[int], float] = lambda number: 0.0,
    lost: frozenset[int] = frozenset(),
    *,
    greedy: bool = True,
    turns: bool = False,
    share: float = 1.0,
):
    """The robot after its stream, and how that ended."""
    host = ContourHost(HostSettings(), 100.0)
    planner = Planner(host, greedy=greedy, turns=turns, share=share)
    robot = ContourRobot(host, planner, list(START), period_s, late_s, lost)
    host.receive(b"R,0,2,2\r", 100.0)
    host.start(StreamPlan(planner.place(0.0)), 100.0, planner.place(0.0))
    robot.run(40)
    return robot, host.report(robot.now_s).result


def fastest(robot, period_of):
    """Largest share of a limit of speed over the ways of the robot, each in its time."""
    return max(
        max((way.way_m - DECIMAL_M) / SPEED_M_S, (way.turn_rad - DECIMAL_RAD) / TURN_RAD_S)
        / period_of(way)
        for way in robot.ways
    )


def draws(seed: int) -> Iterator[tuple[random.Random, dict[str, Any]]]:
    for number in range(count(RUNS, least=20)):
        rng = random.Random(seed + number)
        yield rng, {"greedy": rng.random() < 0.7, "turns": rng.random() < 0.4}


@pytest.mark.campaign
def test_no_way_is_too_fast_for_a_robot_of_any_period_from_the_first_waypoint_on():
    """Its requests are heard up to 20 ms late."""
    ended = 0
    for rng, how in draws(100):
        period_s = rng.uniform(0.2, 0.5)
        late_s = [rng.uniform(0.0, RECEIVED_WITHIN_S) for _ in range(40)]
        robot, result = drive(lambda _, p=period_s: p, late_s.__getitem__, **how)
        assert fastest(robot, lambda way: way.period_s) <= 1.0 + 1e-9, (period_s, how)
        assert result in (None, StreamResult.OFF_PERIOD)
        ended += result is StreamResult.OFF_PERIOD
    assert ended > 5, "some ask too fast"


@pytest.mark.campaign
def test_no_way_is_sent_too_fast_to_a_robot_that_changes_its_period():
    """A way counts by the time in which the robot came to ask for it: nobody knows the next."""
    for rng, how in draws(500):
        before_s, after_s, at = rng.uniform(0.2, 0.5), rng.uniform(0.2, 0.5), rng.randrange(1, 30)
        robot, _ = drive(lambda n, a=before_s, b=after_s, k=at: a if n < k else b, **how)
        assert fastest(robot, lambda way: way.since_s) <= 1.0 + 1e-9, (before_s, after_s, at, how)


@pytest.mark.campaign
def test_a_robot_that_changes_its_period_and_is_heard_late_gains_no_more_than_the_lateness():
    for rng, how in draws(900):
        before_s, after_s, at = rng.uniform(0.2, 0.5), rng.uniform(0.2, 0.5), rng.randrange(1, 30)
        late_s = [rng.uniform(0.0, RECEIVED_WITHIN_S) for _ in range(40)]
        robot, _ = drive(
            lambda n, a=before_s, b=after_s, k=at: a if n < k else b, late_s.__getitem__, **how
        )
        longer = fastest(robot, lambda way: way.since_s + 2.0 * RECEIVED_WITHIN_S)
        assert longer <= 1.0 + 1e-9, (before_s, after_s, at, how)


@pytest.mark.campaign
@pytest.mark.parametrize(("share", "late_most_s"), [(0.92, RECEIVED_WITHIN_S), (0.985, 0.005)])
def test_a_robot_that_keeps_its_period_is_never_stopped(share, late_most_s):
    """Positive control: heard late, a request lost now and then; the faster, the less late."""
    for rng, how in draws(1300):
        period_s = rng.uniform(0.3495, 0.355)
        late_s = [rng.uniform(0.0, late_most_s) for _ in range(40)]
        lost = frozenset(n for n in range(4, 40, 2) if rng.random() < 0.1)
        how |= {"greedy": False, "share": share}
        robot, result = drive(lambda _, p=period_s: p, late_s.__getitem__, lost, **how)
        assert (result, len(robot.ways)) == (None, 40), (period_s, how, sorted(lost))


def test_a_robot_within_its_tolerance_is_stopped_only_by_a_way_that_is_too_fast_for_it():
    """At 0.341 s, what is 96 mm/s at the declared period is 98.5, and what is 99 is 101.6."""
    robot, result = drive(lambda _: 0.341, greedy=False, share=0.96)
    assert (result, len(robot.ways)) == (None, 40)
    robot, result = drive(lambda _: 0.341, greedy=False, share=0.99)
    assert result is StreamResult.OFF_PERIOD
    assert fastest(robot, lambda way: way.period_s) > 0.8, "no sooner than it would be too fast"
