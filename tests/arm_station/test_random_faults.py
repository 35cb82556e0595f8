"""Faults of the whole catalogue at random moments, stream after stream: an hour of virtual time.

Judged at the robot's end of the line, and by what the robot itself knows: where it went and why it
stopped. 10 300 waypoints are the full count.
"""

import random
from collections import Counter

import numpy as np
import pytest
from campaign import SHARE
from line_bench import play
from random_faults import ENDS, fault_of

from sim.devices.arm.faults import ARM_FAULTS

pytestmark = [
    pytest.mark.xdist_group("both arms"), pytest.mark.campaign, pytest.mark.timeout(3600)
]  # fmt: skip
SEED = 13
WAYPOINTS = 10_300
STEP_M = 0.03501


def judge(found, line, prepared, kind, words):
    result = "" if found.end.result is None else found.end.result.value
    assert result == "completed" or result in ENDS[kind], f"{words}: {result}, {found.end.reason}"
    assert found.ok == (result == "completed")
    assert found.end.reason or result == "completed", words
    places = [prepared.mapping.X_RT0.position_m] + [s.X_RT.position_m for s in prepared.steps]
    sent = len(line.waypoints)
    if result == "completed":
        assert sent == len(prepared.steps), words
    steps_m = np.linalg.norm(np.diff(places[: sent + 1], axis=0), axis=1)
    assert (steps_m <= STEP_M).all()
    ends_s = [at_s for at_s, one in line.answers if one.startswith(b"-1,")]
    waypoints_s = [at_s for at_s, one in line.answers if not one.startswith(b"-1,")]
    assert not ends_s or waypoints_s[-1] < ends_s[0], f"{words}: a waypoint after the end"
    assert line.at_rest, f"{words}: the robot rests five seconds after the end"


def judge_rest(line, words):
    """Once at rest after the stream it never moves again: nothing starts by itself."""
    last_s = line.answers[-1][0] if line.answers else 0.0
    still = [place for at_s, place in line.places if at_s > last_s + 2.5]
    moved_m = max((float(np.linalg.norm(place - still[0])) for place in still), default=0.0)
    assert moved_m < 5e-5, f"{words}: moved by {1e3 * moved_m:.2f} mm after its rest"


def test_an_hour_of_streams_with_faults_at_random_moments(prepared, line, tmp_path, capsys):
    draw, sent, ends = random.Random(SEED), 0, Counter()
    while sent < WAYPOINTS * SHARE / 4 or (SHARE >= 1.0 and sent < WAYPOINTS):
        line.clear()
        kind, words = fault_of(draw)
        found = play(prepared, line, tmp_path, words)
        judge(found, line, prepared, kind, words)
        judge_rest(line, words)
        sent += found.end.waypoints
        ends[kind, "" if found.end.result is None else found.end.result.value] += 1
    with capsys.disabled():
        table = ", ".join(f"{kind} {end} {n}" for (kind, end), n in sorted(ends.items()))
        print(f"\nseed {SEED}, {sent} waypoints, {sum(ends.values())} streams: {table}", end=" ")
    if SHARE >= 1.0:
        assert {kind for kind, _ in ends} == set(ARM_FAULTS)


def test_a_robot_that_moves_again_is_found(prepared, line, tmp_path):
    play(prepared, line, tmp_path, "estop at_s=3")
    at_s, place = line.places[-1]
    line.places.append((at_s + 0.01, place + 1e-3))
    with pytest.raises(AssertionError, match="after its rest"):
        judge_rest(line, "estop")
