"""The operated motion by itself: smooth whatever is ordered, and what it says of itself is true."""

import json
import math

import numpy as np
import pytest
from bench_plans import HEAVE, plan
from hypothesis import given
from hypothesis import strategies as st
from player import LONG, NEAR, PERIOD_S, Player
from properties import dear

from hil.stations.platform.lead import kernels
from hil.stations.platform.lead.paths import ShortestPath
from hil.stations.platform.lead.phases import OperationPhase
from hil.stations.platform.lead.speed_override import ACCELERATION_PER_S, JERK_PER_S2, Tempo
from hil.stations.platform.plan.motion_build import motion_of
from hil.stations.platform.plan.scenario import MultiSineSettings
from platform6dof.pose import PlatformSetpoint

FAR = (0.0, 0.0, 1.35, 0.0, 0.0, 0.0)
LARGER = HEAVE | {
    "terms": [HEAVE["terms"][0] | {"amplitude_m": 0.03}, *HEAVE["terms"][1:]],
    "duration_s": 6.0,
}


def test_rows_are_the_inverse_of_a_setpoint():
    generator = np.random.default_rng(5)
    for _ in range(200):
        rows = generator.uniform(-1.2, 1.2, (3, 6))
        back = np.empty((3, 6))
        kernels.rows_of_setpoint(PlatformSetpoint.from_rows(rows).packed, back)
        np.testing.assert_allclose(back, rows, atol=1e-12)


def test_it_plays_the_motion_as_written_at_full_tempo():
    player = Player()
    player.run(PERIOD_S)
    player.motion.play()
    player.run(3.0)
    np.testing.assert_allclose(
        player.motion.sample(player.index * PERIOD_S).packed,
        player.source.sample(player.motion.motion_t_s).packed,
        atol=1e-12,
    )
    assert player.motion.motion_t_s == pytest.approx(3.0, abs=4 * PERIOD_S)


def test_half_the_tempo_takes_twice_the_time_on_the_same_way():
    player = Player(motion=HEAVE)
    player.run(PERIOD_S, override=0.5)
    player.motion.play()
    player.run(2.0 * player.source.duration_s + 0.1)
    assert player.motion.phase is OperationPhase.RESTING
    player.check()
    np.testing.assert_allclose(
        player.rows[-1][0], player.source.sample(99.0).X_BP.coordinates(), atol=1e-12
    )
    half = player.source.sample(player.source.duration_s / 2.0).X_BP.coordinates()
    nearest = np.abs(np.array(player.rows)[:, 0] - half).max(axis=1).min()
    assert nearest < 1e-3


def test_tempo_0_stands_and_goes_on_where_it_was():
    player = Player()
    player.run(PERIOD_S)
    player.motion.play()
    player.run(1.5).run(3.0, override=0.0)
    at = player.motion.motion_t_s
    np.testing.assert_array_equal(player.rows[-1][1:], 0.0)
    player.run(1.0)
    assert player.motion.motion_t_s == at
    player.run(1.0, override=1.0).check()
    assert player.motion.motion_t_s > at


def test_a_pose_is_reached_within_the_slow_moves_and_play_begins_anew():
    player = Player()
    player.run(PERIOD_S)
    player.motion.play()
    player.run(1.2, target=NEAR)
    player.motion.pose()
    player.run(1.4)
    assert player.motion.phase is OperationPhase.POSING
    begin = len(player.rows)
    player.run(6.0)
    np.testing.assert_allclose(player.rows[-1][0], NEAR, atol=1e-9)
    np.testing.assert_allclose(player.rows[-1][1:], 0.0, atol=1e-12)
    limits = player.plan.rig.slow_moves.limits()
    rows = np.array(player.rows[begin:])
    assert np.linalg.norm(rows[:, 1, :3], axis=1).max() <= limits.speed_m_s + 1e-9
    assert np.linalg.norm(rows[:, 2, :3], axis=1).max() <= limits.acceleration_m_s2 + 1e-9
    assert np.linalg.norm(rows[:, 1, 3:], axis=1).max() <= limits.angular_speed_rad_s + 1e-9
    player.motion.play()
    assert player.motion.playing == "play"
    player.run(6.0).check()
    assert player.motion.phase is OperationPhase.PLAYING


def test_a_moving_target_is_followed():
    player = Player()
    player.run(PERIOD_S, target=NEAR)
    player.motion.pose()
    for k in range(60):
        player.run(0.05, target=(0.02 * math.sin(0.1 * k), 0.0, 0.94 + 0.0005 * k, 0.0, 0.0, 0.0))
    last = player.wish["target"]
    player.run(5.0).check()
    np.testing.assert_allclose(player.rows[-1][0], last, atol=1e-9)


@pytest.mark.parametrize(
    ("target", "why"),
    [
        (FAR, "POSE: leg "),
        ((0.0, 0.0, 935.0, 0.0, 0.0, 0.0), "z = 935 m; at most 20 m"),
        ((0.0, 0.0, 0.9, 0.0, 10.0, 0.0), "beta = 10 rad; at most"),
        ((math.nan, 0.0, 0.9, 0.0, 0.0, 0.0), "x = nan m; at most"),
    ],
)
def test_a_pose_that_cannot_be_is_refused_and_nothing_moves(target, why):
    player = Player()
    player.run(PERIOD_S, target=target)
    player.motion.pose()
    player.run(1.0)
    assert any(why in said for said in player.said), player.said
    np.testing.assert_array_equal(np.array(player.rows)[:, 1:], 0.0)


def test_new_parameters_are_taken_by_a_smooth_passage():
    player = Player()
    player.run(PERIOD_S)
    player.motion.play()
    player.run(1.5).run(3.0, serial=1, table=json.dumps(LARGER).encode())
    assert player.motion.serial == 1
    assert not player.said
    player.check()
    new = motion_of(plan(motion=LARGER))
    np.testing.assert_allclose(
        player.motion.sample(player.index * PERIOD_S).packed,
        new.sample(player.motion.motion_t_s).packed,
        atol=1e-12,
    )


def test_parameters_changed_while_it_stands_are_played_next():
    player = Player()
    moved = LARGER | {"neutral": {"z_m": 0.95}}
    player.run(1.0, serial=3, table=json.dumps(moved).encode())
    np.testing.assert_array_equal(np.array(player.rows)[:, 1:], 0.0)
    assert player.motion.serial == 3
    player.motion.play()
    player.run(4.0).check()
    assert player.motion.phase is OperationPhase.PLAYING
    assert player.rows[-1][0][2] > 0.92


@pytest.mark.parametrize(
    ("table", "why"),
    [
        (b"", "motion 1: "),
        (b"[1]", "motion 1: "),
        (b'{"kind": "hold", "duration_s": 1.0}', "only multi_sine"),
        (json.dumps(LARGER | {"duration_s": -1.0}).encode(), "duration_s"),
        (json.dumps(LARGER | {"surprise": 1}).encode(), "surprise"),
    ],
)
def test_a_motion_that_cannot_be_made_is_told_and_the_old_one_goes_on(table, why):
    player = Player()
    player.run(PERIOD_S)
    player.motion.play()
    player.run(1.0).run(1.0, serial=1, table=table)
    assert any(why in said for said in player.said), player.said
    assert player.motion.serial == 0
    assert player.motion.phase is OperationPhase.PLAYING
    player.check()


ordered = st.lists(
    st.tuples(
        st.sampled_from(["play", "pose", "target", "tempo", "motion", "wait"]),
        st.floats(0.0, 1.0),
        st.integers(1, 300),
    ),
    min_size=5,
    max_size=20,
)


@dear
@given(ordered)
def test_whatever_is_ordered_whenever_nothing_jumps(orders):
    player = Player()
    player.run(PERIOD_S, target=NEAR)
    for serial, (what, share, cycles) in enumerate(orders, start=1):
        match what:
            case "play":
                player.motion.play()
            case "pose":
                player.motion.pose()
            case "target":
                player.wish["target"] = (
                    0.04 * share,
                    0.0,
                    0.92 + 0.04 * share,
                    0.0,
                    0.1 * share,
                    0,
                )
            case "tempo":
                player.wish["override"] = share
            case "motion":
                terms = [HEAVE["terms"][0] | {"amplitude_m": 0.03 * share}]
                table = LONG | {"terms": terms, "fade_s": 0.2 + share}
                player.wish |= {"serial": serial, "table": json.dumps(table).encode()}
            case _:
                pass
        player.run(cycles * PERIOD_S)
    player.check()


@given(st.lists(st.tuples(st.floats(0.0, 1.0), st.integers(1, 300)), min_size=1, max_size=10))
def test_the_tempo_keeps_its_bounds_and_arrives(orders):
    tempo, dt = Tempo(0.3), 0.002
    rate, second, way = 0.3, 0.0, 0.0
    for wanted, steps in [*orders, (orders[-1][0], 1000)]:
        tempo.aim(wanted)
        for _ in range(steps):
            pace = tempo.advance(dt)
            assert 0.0 <= pace.rate <= 1.0
            assert abs(pace.second) <= ACCELERATION_PER_S + 1e-9
            assert abs(pace.second - second) <= JERK_PER_S2 * dt + 1e-9
            assert abs(pace.rate - rate - dt * (pace.second + second) / 2) < 1e-5
            assert abs(pace.passed_s - dt * (pace.rate + rate) / 2) < 1e-7
            rate, second = pace.rate, pace.second
            way += pace.passed_s
    assert rate == orders[-1][0]
    assert second == 0.0


def test_a_tempo_that_is_no_number_changes_nothing():
    tempo = Tempo(0.4)
    tempo.aim(math.nan)
    assert tempo.advance(1.0).rate == 0.4
    tempo.aim(7.0)
    assert tempo.advance(9.0).rate == 1.0


def test_a_way_begins_in_the_state_it_is_given():
    limits = plan().rig.slow_moves.limits()
    rows = np.zeros((3, 6))
    rows[0], rows[1], rows[2] = NEAR, 0.01, -0.02
    way = ShortestPath(rows, np.array([0.0, 0.0, 0.93, 0.0, 0.0, 0.0]), limits)
    np.testing.assert_allclose(way.rows(0.0), rows, atol=1e-12)
    assert isinstance(plan(motion=LARGER).scenario.motion, MultiSineSettings)
