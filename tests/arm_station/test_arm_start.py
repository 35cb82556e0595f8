"""Before a robot moves: its place by its own word or the operator's, its joints, and the plan."""

from dataclasses import replace

import numpy as np
import pytest
from live_bench import (
    NEAR_SINGULAR_DEG,
    RM01,
    START,
    live_plan,
    near_singular,
    place_of,
    shown_start,
)
from typer.testing import CliRunner

import hil.stations.arm.run.bench
from arm_driver.contour.place import place_at, read_place
from arm_driver.kinematics.puma import Joints, branch_of
from arm_driver.link_states import StreamResult
from hil.cli.main import app
from hil.config.errors import RefusedError
from hil.config.settings import ConfigError
from hil.stations.arm.cycle.robot_start import JOINTS_APART_DEG, RobotStart
from hil.stations.arm.run.bench import prepare_plan, run_arm
from sim.devices.arm.controller import ArmController

pytestmark = pytest.mark.xdist_group("both arms")

SHORT = {
    "kind": "profile", "frame": "base",
    "segment": [{"duration_s": 2.0, "velocity_m_s": [0.0, 0.0, 0.01]}],
}  # fmt: skip


@pytest.fixture(scope="module")
def prepared():
    return prepare_plan(live_plan(SHORT))


@pytest.fixture
def heard(monkeypatch):
    """Waypoints that reach the emulated robot."""
    lines, receive = bytearray(), ArmController.receive

    def listen(self, data, now_s):
        lines.extend(data)
        return receive(self, data, now_s)

    monkeypatch.setattr(ArmController, "receive", listen)
    return lines


@pytest.fixture
def robot(monkeypatch):
    """Make the emulated robot another one."""
    made = hil.stations.arm.run.bench.emulated_settings

    def change(**changes):
        monkeypatch.setattr(
            hil.stations.arm.run.bench,
            "emulated_settings",
            lambda prepared: replace(made(prepared), **changes),
        )

    return change


def test_a_robot_that_tells_no_place_is_refused_with_what_to_do(prepared, robot, heard, tmp_path):
    robot(feedback=False)
    end = run_arm(prepared, tmp_path).end
    assert (end.ok, end.result) == (False, None), "not begun"
    assert "where the robot is, is not known" in end.reason
    assert "hil run --arm-at X,Y,Z,O,A,T" in end.reason
    assert heard == b""


def test_with_the_place_that_its_controller_shows_it_may_begin(prepared, robot, tmp_path):
    robot(feedback=False)
    shown = shown_start(prepared, 1.5)
    result = run_arm(prepared, tmp_path, robot_at=shown)
    assert result.end.result is StreamResult.COMPLETED
    (told,) = [e.message for e in result.events if "the start is agreed" in e.message]
    assert f"the operator says that the robot is at {shown}" in told
    assert "nothing measured confirms the motion" in told


def test_a_place_elsewhere_is_refused_with_both(prepared, robot, heard, tmp_path):
    robot(feedback=False)
    start, shown = shown_start(prepared), shown_start(prepared, 2.5)
    end = run_arm(prepared, tmp_path, robot_at=shown).end
    assert (end.ok, end.result) == (False, None), "not begun"
    assert f"the robot is at {shown}, the start is planned at {start}: 2.50 mm" in end.reason
    assert heard == b""


def test_what_the_robot_tells_goes_before_what_the_operator_says(prepared, tmp_path):
    result = run_arm(prepared, tmp_path, robot_at=shown_start(prepared, 800.0))
    assert result.end.result is StreamResult.COMPLETED
    assert any("the robot says that it is at" in event.message for event in result.events)


def planned_near_singular():
    q_rad = np.radians(NEAR_SINGULAR_DEG)
    return Joints.of(q_rad, branch_of(RM01.geometry(), q_rad))


@pytest.mark.parametrize(("turned_deg", "agreed"), [(0.0, True), (2.9, True), (3.3, False)])
def test_joints_that_are_not_those_of_the_plan_are_refused_though_the_place_is_near(
    turned_deg, agreed
):
    """Half a degree of the hand is what the link allows; here it is 3 degrees of two joints."""
    place, planned = place_of(near_singular(turned_deg)), place_of(near_singular(0.0))
    assert place.distance_m(planned) < 2e-3
    assert np.degrees(place.turn_rad(planned)) < 0.5, "the link agrees"
    text = RobotStart(RM01, planned_near_singular()).refusal(place_at(place, RM01.oat_convention()))
    assert (text == "") is agreed, text
    if not agreed:
        assert f"the robot is at {place}" in text
        assert "6.50, 20.00 deg: joint" in text
        assert f"{turned_deg:.1f}" in text
        assert f"at most {JOINTS_APART_DEG:g} deg are allowed" in text


def test_a_start_whose_joints_differ_is_refused_before_the_first_waypoint(robot, heard, tmp_path):
    planned = place_of(near_singular(0.0))
    start = {
        "position_m": list(planned.position_m),
        "oat_deg": np.degrees(planned.oat_rad).tolist(),
    }
    mapping = {"start": start, "start_joints_deg": list(NEAR_SINGULAR_DEG)}
    ready = prepare_plan(live_plan(SHORT, mapping=mapping))
    robot(start_deg=tuple(near_singular(3.6).tolist()))
    end = run_arm(ready, tmp_path).end
    assert end.result is StreamResult.REFUSED
    assert "where its joints are not those of the start" in end.reason
    assert not [line for line in bytes(heard).split(b"\r") if line and not line.startswith(b"-1,")]


@pytest.mark.parametrize(
    ("joint", "off_deg", "words"),
    [(2, 45.0, "joint 3 is said to be at -173.30 deg"), (0, 3.2, "joint 1 is said to be at 49.60")],
)
def test_start_joints_that_do_not_lead_to_the_start_are_refused(joint, off_deg, words):
    joints = list(START["start_joints_deg"])
    joints[joint] += off_deg
    with pytest.raises(RefusedError) as refusal:
        prepare_plan(live_plan(SHORT, mapping=START | {"start_joints_deg": joints}))
    text = str(refusal.value)
    assert words in text
    assert "at most 3 deg are allowed; all six of that posture: " in text
    joints[joint] += -off_deg + 1.0
    assert prepare_plan(live_plan(SHORT, mapping=START | {"start_joints_deg": joints})).steps


def test_a_place_is_read_as_a_controller_shows_it():
    place = read_place([412.34, -150.05, 0.07, -90.0, 45.5, -0.005], RM01.oat_convention())
    assert place.location.counts == (41234, -15005, 7, -90000, 45500, -5)
    with pytest.raises(ValueError, match="six"):
        read_place([1.0, 2.0, 3.0], RM01.oat_convention())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "bkm_on_rm01", "--arm-at", "1,2,3"], "3 numbers; 6 are needed"),
        (["run", "bkm_on_rm01", "--arm-at", "1,2,3,4,nan,6"], "no finite number"),
        (["run", "bkm_on_rm01", "--arm-at", "1e9,2,3,4,5,6"], "x = "),
        (["run", "demo", "--arm-at", "1,2,3,4,5,6"], "--arm-at means nothing"),
    ],
)
def test_a_place_that_is_none_is_refused(arguments, words):
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert words in result.output + str(result.exception)


def test_it_is_a_settings_error_without_the_command_line():
    from hil.stations.arm.proof.start import robot_at

    with pytest.raises(ConfigError, match="--arm-at"):
        robot_at("1,2,3", RM01)
    assert robot_at(None, RM01) is None
