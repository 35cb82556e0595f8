"""The proof of a way: what is let pass stays within, and nothing is refused that is fine."""

import math

import numpy as np
import pytest
from bench_plans import plan
from hypothesis import given
from hypothesis import strategies as st
from player import NEAR, PERIOD_S, Player
from properties import dear

from hil.machines.rig.machine import envelope_of, gate_limits, geometry_of
from hil.stations.platform.lead import motion as operated_motion
from hil.stations.platform.lead.path_check import (
    ENVELOPE_PLACES,
    LEG_PLACES,
    SAG,
    PathCheck,
    PathScan,
    cycle_count,
    place_count,
    start_rows,
)
from hil.stations.platform.lead.paths import ShortestPath
from hil.stations.platform.lead.phases import OperationPhase
from hil.stations.platform.lead.pose_move import PoseMove
from platform6dof.inverse import leg_setpoint
from platform6dof.pose import PlatformSetpoint

DENT = (
    np.array([0.298, -0.028, 0.859, -0.012, 0.329, 0.058]),
    np.array([-0.085, -0.022, 0.640, 0.349, 0.194, -0.116]),
)
"""Two poses inside the envelope; half-way between them leg 1 would be too short."""
FINE = 10
"""The brute force looks in so many times the places."""
TOLERANCE = 10.0 * SAG
"""A place between two others may be further out than they by so much [m, rad, 1]."""
TIGHT = (
    "rig_settings.limits.joint_cone_base_deg=24.0",
    "rig_settings.limits.joint_cone_platform_deg=24.0",
    "rig_settings.limits.singular_value_min=0.3",
)


@pytest.fixture(scope="module", params=[(), TIGHT], ids=["paper", "tight"])
def rig(request):
    return plan(*request.param).rig


def verdict(reach, way):
    survey = PathScan(reach, way)
    for _ in range(cycle_count(way.duration_s, reach.spacing_s)):
        objection = survey.step()
        if objection is not None:
            return objection
    raise AssertionError("the survey takes longer than it says")


def excess(rig, way):
    """How far the worst of very many places is outside [m, rad, 1]; below 0 inside."""
    geometry, gate, limits = geometry_of(rig), gate_limits(rig, PERIOD_S), rig.limits
    envelope, worst = envelope_of(rig, geometry), -math.inf
    count = FINE * place_count(way.duration_s, PathCheck(rig, PERIOD_S).spacing_s)
    for k in range(1, count + 1):
        setpoint = PlatformSetpoint.from_rows(way.rows(way.duration_s * k / count))
        state, legs = envelope.state(setpoint.X_BP), leg_setpoint(geometry, setpoint)
        worst = max(
            worst,
            state.base_angle_rad.max() - math.radians(limits.joint_cone_base_deg),
            state.platform_angle_rad.max() - math.radians(limits.joint_cone_platform_deg),
            limits.leg_clearance_m - state.clearance_m,
            limits.singular_value_min - state.smallest_singular_value,
        )
        for leg, length, speed in zip(gate.legs, legs.length_m, legs.speed_m_s, strict=True):
            room = gate.following_base_m + abs(speed) * (
                gate.following_per_speed_s + gate.reaction_time_s
            )
            stopped = length + speed * abs(speed) / (2.0 * leg.stop_deceleration_m_s2)
            worst = max(worst, stopped + room - leg.soft_max_m, leg.soft_min_m + room - stopped)
    return float(worst)


def pulled_in(envelope, pose):
    """The pose, or the first inside the envelope on the way from it to one that is."""
    pose = np.array(pose)
    while not envelope.inside(pose[None, :])[0]:
        pose = NEAR + 0.9 * (pose - NEAR)
    return pose


poses = st.tuples(
    st.floats(-0.25, 0.25), st.floats(-0.25, 0.25), st.floats(0.65, 1.2),
    st.floats(-0.5, 0.5), st.floats(-0.4, 0.4), st.floats(-0.4, 0.4),
)  # fmt: skip
rates = st.tuples(*[st.floats(-0.05, 0.05)] * 6)


@dear
@given(poses, poses, rates)
def test_brute_force_along_random_ways_agrees(rig, start, end, rate):
    reach, envelope = PathCheck(rig, PERIOD_S), envelope_of(rig, geometry_of(rig))
    rows = start_rows(pulled_in(envelope, start))
    rows[1] = rate
    way = ShortestPath(rows, pulled_in(envelope, end), rig.slow_moves.limits())
    objection, worst = verdict(reach, way), excess(rig, way)
    if objection:
        assert worst > 0.0, objection
    else:
        assert worst < TOLERANCE


def test_a_way_is_refused_for_its_middle_though_both_ends_are_fine():
    rig = plan().rig
    reach = PathCheck(rig, PERIOD_S)
    limits = rig.slow_moves.limits()
    for pose in DENT:
        assert verdict(reach, ShortestPath(start_rows(pose), pose, limits)) == ""
    for start, end in (DENT, DENT[::-1]):
        objection = verdict(reach, ShortestPath(start_rows(start), end, limits))
        assert objection.startswith("leg 1: length 0.6")
        assert "limit 0.645 m" in objection
        assert objection.endswith("s on the way")


@pytest.mark.parametrize(
    ("limit", "text"),
    [
        ("joint_cone_base_deg=5.0", "base joint angle"),
        ("joint_cone_platform_deg=5.0", "platform joint angle"),
        ("singular_value_min=0.9", "smallest singular value"),
    ],
)
def test_every_limit_of_the_envelope_is_looked_at(limit, text):
    rig = plan(f"rig_settings.limits.{limit}").rig
    way = ShortestPath(start_rows(np.array(NEAR)), np.array([0.2, 0.2, 0.9, 0.3, 0.2, 0.2]),
              rig.slow_moves.limits())  # fmt: skip
    objection = verdict(PathCheck(rig, PERIOD_S), way)
    assert text in objection
    assert ", limit " in objection


def test_no_cycle_looks_at_more_than_its_part():
    seen = []

    class Counting(PathCheck):
        def outside(self, way, times_s, *, leave=False):
            seen.append(len(times_s) / ENVELOPE_PLACES)
            return super().outside(way, times_s, leave=leave)

        def beyond(self, way, times_s, *, leave=False):
            seen.append(len(times_s) / LEG_PLACES)
            return super().beyond(way, times_s, leave=leave)

    rig = plan().rig
    reach = Counting(rig, PERIOD_S)
    way = ShortestPath(start_rows(np.array(NEAR)), np.array([-0.1, 0.1, 1.0, 0.2, 0.1, 0.0]),
              rig.slow_moves.limits())  # fmt: skip
    survey = PathScan(reach, way)
    for cycle in range(1, cycle_count(way.duration_s, reach.spacing_s) + 1):
        done = survey.step()
        assert len(seen) == cycle
    assert done == ""
    assert len(seen) > 10
    assert max(seen) <= 1.0


def led_to(player, target, time_s):
    player.run(PERIOD_S, target=target)
    player.motion.pose()
    return player.run(time_s)


def test_the_present_way_is_kept_when_a_new_target_is_refused():
    player, alone = Player(), Player()
    for one in (player, alone):
        led_to(one, NEAR, 0.8)
    assert np.abs(player.rows[-1][1]).max() > 0.01, "it is on its way"
    beyond = (0.0, 0.0, 1.35, 0.0, 0.0, 0.0)
    player.run(4.0, target=beyond).check()
    alone.run(4.0)
    assert len(player.said) == 1
    assert player.said[0].startswith("POSE: leg ")
    assert "limit" in player.said[0]
    np.testing.assert_array_equal(player.rows, alone.rows)
    assert player.motion.phase is OperationPhase.POSING
    assert player.motion.playing == "pose"


def test_a_new_target_is_taken_up_on_the_way_when_it_is_proved():
    player, alone = Player(), Player()
    for one in (player, alone):
        led_to(one, NEAR, 0.8)
    other = (-0.02, 0.03, 0.93, 0.0, 0.0, 0.0)
    player.run(5.0, target=other).check()
    alone.run(5.0)
    parted = np.abs(np.array(player.rows)[:, 0] - np.array(alone.rows)[:, 0]).max(axis=1) > 1e-9
    first = int(np.argmax(parted)) - round(0.8 / PERIOD_S)
    assert 5 < first < 80, "the old way is followed in the cycles of the proofs, there and back"
    np.testing.assert_allclose(player.rows[-1][0], other, atol=1e-9)


def test_a_proof_that_comes_too_late_begins_anew_and_nothing_jumps(monkeypatch):
    delays = iter([60])

    class Slow(PoseMove):
        def step(self, path, path_s):
            if self._survey is not None and (left := next(delays, 0)):
                self._left = left
            if getattr(self, "_left", 0):
                self._left -= 1
                return self.stage
            return super().step(path, path_s)

    player = Player()
    led_to(player, NEAR, 0.5)
    monkeypatch.setattr(operated_motion, "PoseMove", Slow)
    other = (-0.02, 0.03, 0.93, 0.0, 0.0, 0.0)
    player.run(6.0, target=other).check()
    assert next(delays, None) is None, "it was held up"
    np.testing.assert_allclose(player.rows[-1][0], other, atol=1e-9)


def test_play_on_the_way_is_refused_when_its_way_is_and_the_pose_is_gone_to():
    player = Player()
    player.run(PERIOD_S, target=NEAR)
    player.motion.pose()
    player.run(0.8)
    player.motion._base.start = lambda: np.array([0.0, 0.0, 1.35, 0.0, 0.0, 0.0])
    player.motion.play()
    assert player.motion.playing == "play"
    player.run(5.0).check()
    assert any(said.startswith("PLAY: leg ") for said in player.said)
    assert player.motion.phase is OperationPhase.POSING
    np.testing.assert_allclose(player.rows[-1][0], NEAR, atol=1e-9)
