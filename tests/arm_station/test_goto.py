"""`hil arm goto`: the robot alone, to joints, a place or the start of a scenario, while it is held."""

from __future__ import annotations

import numpy as np
import pytest
from moves_bench import AWAY_DEG, READY_DEG, RM01, Schedule, listen_to, standing

from arm_driver.host_states import StreamResult
from arm_driver.kinematics import forward
from hil.arm_moves.goto import Target, plan_goto, run_goto, start_of
from hil.arm_moves.hands import AlwaysHeld
from hil.recording.arm_recording import ArmRecording


@pytest.fixture
def truth(monkeypatch):
    return listen_to(monkeypatch)


def joints(joints_deg):
    return Target.of_joints(RM01, np.array(joints_deg), "joints of a test")


def go(session, target, tmp_path, hand=None, part=0.5, straight=False, **options):
    start = start_of(session, target, None)
    move = plan_goto(RM01, start, target, part, straight=straight)
    hand = AlwaysHeld() if hand is None else hand
    return move, run_goto(session, move, start, target, hand, tmp_path, **options)


@pytest.mark.parametrize("straight", [False, True])
def test_the_gripper_arrives_at_the_joints(truth, tmp_path, straight):
    with standing(READY_DEG) as session:
        _, found = go(session, joints(AWAY_DEG), tmp_path, straight=straight)
    assert found.end.result is StreamResult.COMPLETED, found.end.reason
    assert found.ok
    place, rotation = truth.settle()
    wanted = forward(RM01.geometry(), np.radians(AWAY_DEG))
    assert np.linalg.norm(place - wanted.position_m) < 5e-4
    np.testing.assert_allclose(rotation, wanted.rotation, atol=2e-3)
    assert np.abs(np.degrees(truth.robot.motion.q_rad) - AWAY_DEG).max() < 0.1
    recording = ArmRecording.open(found.recorder.path)
    assert np.isnan(recording.column("space_q")).all()
    assert recording.waypoints == found.end.waypoints


def test_let_go_it_rests_on_its_way_and_held_again_it_arrives(truth, tmp_path):
    with standing(READY_DEG) as session:
        hand = Schedule(session.clock.now_s, [(1.0, 4.0), (9.0, 100.0)])
        move, found = go(session, joints(AWAY_DEG), tmp_path, hand)
    assert found.end.result is StreamResult.COMPLETED, found.end.reason
    t_s, places = np.array(truth.t_s), np.array(truth.places_m)
    still = places[(t_s > 4.0 + 3.5) & (t_s < 9.0)]
    assert np.ptp(still, axis=0).max() < 2e-5
