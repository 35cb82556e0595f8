"""Where the robot stands and in which posture, before it is moved alone."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from moves_bench import AWAY_DEG, READY_DEG, RM01, listen_to, standing

import hil.stations.arm.moves.session
from arm_driver.contour.place import displayed_place
from arm_driver.kinematics.puma import forward, solutions
from arm_driver.link_states import StreamResult
from hil.config.errors import RefusedError
from hil.stations.arm.moves.goto import GotoTarget, plan_goto, start_of
from hil.stations.arm.moves.move_operators import AlwaysHeld
from hil.stations.arm.moves.session import Choice, session
from sim.devices.arm.controller import ArmController
from sim.devices.arm.faults import ArmFault
from sim.devices.arm.settings import ArmControllerSettings

PLACE = displayed_place(forward(RM01.geometry(), np.radians(READY_DEG)), RM01.oat_convention())
LINE = "serial:/dev/ttyS9?baud=9600"


@pytest.fixture
def mute(monkeypatch):
    """The emulated robot's requests do not say where it is."""

    def emulated(choice, clock):
        found = ArmControllerSettings(start_deg=choice.emulated_deg, tool_m=RM01.tool_m)
        return ArmController(found, now_s=clock.now_s())

    monkeypatch.setattr(hil.stations.arm.moves.session, "emulated_robot", emulated)


def opened(joints_deg=None):
    """What is known of a robot on a line before anything is sent."""
    return SimpleNamespace(choice=Choice(RM01, LINE, "real", joints_deg=joints_deg), place=PLACE)


def test_a_robot_that_falls_silent_is_waited_for_and_it_is_told_for_what(monkeypatch):
    truth, said = listen_to(monkeypatch), []
    choice = Choice(RM01, faults=(ArmFault("silence"),))

    def say(text):
        said.append((truth.t_s[-1], text))

    waits = "the robot's next request: it has fallen silent; is its program running?"
    with pytest.raises(RefusedError, match=f"waited 10 s for {waits}"[:-1]), session(choice, say):
        pass
    assert [text for _, text in said] == [f"waiting for {waits}"]
    assert 2.0 < said[0][0] < 2.1
    assert not truth.answers


def test_a_robot_that_tells_no_place_is_refused_with_what_to_do(mute, monkeypatch):
    truth = listen_to(monkeypatch)
    waited = pytest.raises(RefusedError, match=r"waited 10 s for the robot's place.*--arm-at")
    with waited, standing(READY_DEG):
        pass
    assert not truth.answers


def test_with_the_place_that_its_controller_shows_it_is_moved(mute, monkeypatch, tmp_path):
    truth = listen_to(monkeypatch)
    with standing(READY_DEG, shown=PLACE) as found:
        target = GotoTarget.of_joints(RM01, AWAY_DEG, "away")
        start = start_of(found, target, None)
        move = plan_goto(RM01, start, target, 0.5, straight=False)
        run = found.drive(
            move, start, AlwaysHeld(), tmp_path, name="goto", moves=f"to {target.name}"
        )
    assert run.end.result is StreamResult.COMPLETED, run.end.reason
    assert any("nothing measured confirms the motion" in event.message for event in run.events)
    truth.settle()
    assert np.abs(np.degrees(truth.robot.motion.q_rad) - AWAY_DEG).max() < 0.1


def test_a_robot_on_hold_is_refused(monkeypatch):
    choice = Choice(RM01, faults=(ArmFault("estop"),))
    with pytest.raises(RefusedError, match="nothing has moved: the robot tells: "), session(choice):
        pass


def test_nobody_says_the_posture_so_nothing_moves():
    target = GotoTarget.of_joints(RM01, AWAY_DEG, "away")
    place_alone = GotoTarget(target.pose, None, "a place")
    for wanted, confirm in ((target, None), (place_alone, lambda question: True)):
        with pytest.raises(RefusedError, match="says nothing of its posture: give --at-joints"):
            start_of(opened(), wanted, confirm)
    with pytest.raises(RefusedError, match="the posture was not confirmed"):
        start_of(opened(), target, lambda question: False)


def test_the_posture_of_the_target_is_asked_for_with_all_six_joints():
    asked = []

    def yes(question):
        asked.append(question)
        return True

    start = start_of(opened(), GotoTarget.of_joints(RM01, AWAY_DEG, "away"), yes)
    np.testing.assert_allclose(np.degrees(start.q_rad), READY_DEG, atol=0.01)
    assert str(PLACE) in asked[0]
    assert "right up no-flip" in asked[0]
    assert "0.00, 45.00, -180.00, 0.00, 45.00, 0.00 deg" in asked[0].replace("-0.00", "0.00")


def test_what_the_pendant_shows_decides_the_posture():
    """Each of the postures at the robot's place is told apart; joints of none are refused."""
    geometry, target = RM01.geometry(), GotoTarget.of_joints(RM01, AWAY_DEG, "away")
    found = 0
    for one in solutions(geometry, forward(geometry, np.radians(READY_DEG))).within_limits():
        start = start_of(opened(np.degrees(one.q_rad) + 1.0), target, None)
        assert start.branch == one.branch
        found += 1
    assert found >= 2
    with pytest.raises(RefusedError, match="--at-joints: joint 2 is said to be at"):
        start_of(opened(READY_DEG + np.array([0.0, 10.0, 0.0, 0.0, 0.0, 0.0])), target, None)
