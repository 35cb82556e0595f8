"""The shortest period that a robot may have, by when it was heard, and paths that fit it."""

import pytest

from arm_driver.contour.host_values import HostSettings
from arm_driver.contour.kept_period import PeriodBound
from arm_driver.contour.location import Location
from arm_driver.contour.stream import check_pace
from arm_driver.link import PERIOD_S
from arm_driver.link_errors import WaypointRefusedError

UNMEASURED_S = 0.175


def kept_after(*between_s, timely=()):
    """After requests so far apart; `timely` says it of the last ones, True of all before."""
    kept, now_s = PeriodBound(PERIOD_S, UNMEASURED_S), 50.0
    kept.take(now_s, timely=True)
    said = [True] * (len(between_s) - len(timely)) + list(timely)
    for gap_s, in_time in zip(between_s, said, strict=True):
        now_s += gap_s
        kept.take(now_s, timely=in_time)
    return kept.least_s


@pytest.mark.parametrize(
    ("between_s", "least_s"),
    [
        ([], 0.175),
        ([0.35], 0.33),
        ([0.35] * 2, 0.34),
        ([0.35] * 20, 0.35 - 0.02 / 9),
        ([0.3] * 20, 0.3 - 0.02 / 9),
        ([0.3], 0.28),
        ([0.01] * 5, 0.006),
        ([0.01], 0.0),
        ([0.5], 0.175),  # perhaps one of 0.25 s whose request was lost
        ([0.5] * 2, 0.48),
        ([0.35] * 10 + [0.3], 0.3),  # faster at once
        ([0.4] * 10 + [0.3], 0.3),
        ([0.44] * 2 + [0.25], 0.25),
        ([0.35, 0.4, 0.3], 0.3),  # no period is the usual one yet
        ([0.35, 0.35, 0.4, 0.3], 0.345),
        ([0.35] * 10 + [0.6], 0.35 - 0.02 / 9),  # lost, and then in time
        ([0.35] * 10 + [0.6, 0.1], 0.35 - 0.02 / 9),
        ([0.35] * 10 + [0.9, 0.3], 0.28),  # it has paused, and is faster
        ([0.35] * 10 + [0.9, 0.3, 0.3], 0.29),
        ([0.35] * 10 + [0.46, 0.26], 0.24),
        ([0.35] * 10 + [0.41, 0.29], 0.35 - 0.02 / 9),  # heard late
        ([0.35] * 10 + [0.41, 0.28], 0.34),
    ],
)
def test_the_shortest_possible_period(between_s, least_s):
    assert kept_after(*between_s) == pytest.approx(least_s, abs=1e-9)


def test_a_host_that_slept_measures_nothing_and_goes_on_from_what_it_knew():
    before_s = kept_after(*[0.35] * 10)
    for late_s in (0.05, 0.6):
        assert kept_after(*[0.35] * 10, 0.35 + late_s, timely=[False]) == before_s
    assert kept_after(*[0.35] * 10, 0.6, 0.1, timely=[False, True]) == pytest.approx(before_s)


def path(*ways_mm, turn_deg=0.0):
    along, places = 0.0, []
    for number, way_mm in enumerate(ways_mm, start=1):
        along += way_mm
        counts = (40_000, round(100 * along), 20_000, round(1000 * turn_deg * number), 0, 0)
        places.append(Location(counts))
    return Location((40_000, 0, 20_000, 0, 0, 0)), places


@pytest.mark.parametrize(
    ("ways_mm", "wrong"),
    [
        ((17.5, 17.5, 33.0, 34.0, 34.3, 34.5, 34.6), 0),
        ((17.6,), 1),
        ((17.5, 17.6), 2),
        ((10.0, 17.5, 33.1), 3),
        ((10.0, 17.5, 33.0, 34.1), 4),
        ((0.0,) * 20 + (34.7,), 0),
        ((0.0,) * 20 + (34.9,), 21),
    ],
)
def test_a_path_that_passes_is_never_ended_by_a_robot_that_keeps_its_period(ways_mm, wrong):
    start, places = path(*ways_mm)
    if not wrong:
        check_pace(start, places, HostSettings())
        return
    with pytest.raises(WaypointRefusedError, match=f"^waypoint {wrong}: .*declared are 0.35 s"):
        check_pace(start, places, HostSettings())


def test_turns_are_held_as_ways_are():
    start, places = path(0.0, 0.0, turn_deg=5.25)
    check_pace(start, places, HostSettings())
    start, places = path(0.0, 0.0, turn_deg=5.26)
    with pytest.raises(WaypointRefusedError, match=r"waypoint 1: 0.00 mm and 5.260 deg take 0.175"):
        check_pace(start, places, HostSettings())
