"""Nothing is written to a robot that its gate has not let through: judged at its link."""

import ast
import socket
import threading
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from live_bench import RM01
from scipy.spatial.transform import Rotation

import arm_driver.contour.link as contour_link
import hil
from arm_driver.contour.host_values import HostSettings
from arm_driver.contour.link import ContourLink, LocationWriter
from arm_driver.contour.location import Location
from arm_driver.contour.port import ArmPort
from arm_driver.contour.reader import ContourLine
from arm_driver.contour.val import OatConvention
from arm_driver.kinematics.puma import forward
from arm_driver.link import DeclaredPath, EndReason, Offer
from arm_driver.link_errors import WaypointRefusedError
from arm_driver.link_report import DisplayedPose
from hil.stations.arm.cycle.judge import gate_at
from hil.stations.arm.cycle.step import robot_sample
from hil.stations.arm.cycle.waypoint_gate import GatedArm, PastGateError
from hil.timing.clock import VirtualClock
from hil_common.arrays.pose import Pose
from safety.arm_limits import ArmAction

START_DEG = np.array([46.4, 78.1, -218.3, 53.8, 63.8, -31.1])
GEOMETRY = RM01.geometry()
SPEED_M_S, PERIOD_S = RM01.gripper_speed_max_m_s, 0.35


class Link:
    """Keeps what it is given; takes nothing while it is full."""

    def __init__(self):
        self.written, self.full, self.ends, self.closed = [], False, [], False
        self.measured = None

    def start(self, plan, measured=None):
        self.written.append(plan.start)
        self.measured = measured

    def offer(self, location):
        if self.full:
            return Offer.FULL
        self.written.append(location)
        return Offer.TAKEN

    def poll(self):
        return "report"

    def end(self, reason):
        self.ends.append(reason)

    def close(self):
        self.closed = True


def gated():
    link = Link()
    return link, GatedArm(gate_at(RM01, np.radians(START_DEG)), link)


def at(joints_deg):
    return forward(GEOMETRY, np.radians(joints_deg))


def moved(pose, change):
    """A pose moved along the base's axes [m] and turned about them [rad]."""
    turn = Rotation.from_rotvec(change[3:]).as_matrix()
    return Pose(pose.position_m + np.array(change[:3]), turn @ pose.rotation)


def joints(turned_deg):
    """Some way on from the start; a degree of the first joint is about 9 mm of the gripper."""
    return np.radians(START_DEG + np.array([turned_deg, 0.0, 0.0, 0.0, 0.0, 0.0]))


def passed(arm, index, turned_deg):
    """Let a waypoint through; its pose."""
    q_rad = joints(turned_deg)
    verdict = arm.judge(index, (robot_sample(GEOMETRY, q_rad),))
    assert verdict.action is ArmAction.PASSED, verdict.violations
    return forward(GEOMETRY, q_rad)


def test_what_passed_is_written_once_and_in_order():
    link, arm = gated()
    first, second = passed(arm, 1, 0.2), passed(arm, 2, 0.5)
    with pytest.raises(PastGateError, match="from the waypoint that passed"):
        arm.offer(second)
    assert arm.offer(first) is Offer.TAKEN
    assert arm.offer(second) is Offer.TAKEN
    with pytest.raises(PastGateError, match="no waypoint has passed"):
        arm.offer(second)
    assert link.written == [first, second]


def test_a_slot_that_is_full_keeps_the_waypoint_for_later():
    link, arm = gated()
    place = passed(arm, 1, 0.2)
    link.full = True
    assert arm.offer(place) is Offer.FULL
    link.full = False
    assert arm.offer(place) is Offer.TAKEN
    assert link.written == [place]


def test_what_was_not_judged_is_not_written():
    link, arm = gated()
    with pytest.raises(PastGateError):
        arm.offer(at(START_DEG))
    assert not link.written


def test_after_a_refusal_nothing_is_written_but_what_had_passed():
    link, arm = gated()
    place = passed(arm, 1, 0.2)
    verdict = arm.judge(2, (robot_sample(GEOMETRY, joints(30.0)),))
    assert verdict.action is ArmAction.REFUSED
    assert arm.offer(place) is Offer.TAKEN
    for turned_deg in (0.4, 30.0):
        with pytest.raises(PastGateError):
            arm.offer(at(START_DEG + np.array([turned_deg, 0, 0, 0, 0, 0])))
    with pytest.raises(PastGateError, match="the gate is shut"):
        arm.start(DeclaredPath(place))
    assert link.written == [place]


def test_after_the_end_what_had_passed_is_not_written():
    link, arm = gated()
    place = passed(arm, 1, 0.2)
    arm.end(EndReason.CANCELLED)
    with pytest.raises(PastGateError):
        arm.offer(place)
    assert (link.written, link.ends) == ([], [EndReason.CANCELLED])


def test_a_trial_lets_nothing_through():
    link, arm = gated()
    q_rad = joints(0.2)
    assert arm.trial().judge(1, (robot_sample(GEOMETRY, q_rad),)).action is ArmAction.PASSED
    with pytest.raises(PastGateError):
        arm.offer(forward(GEOMETRY, q_rad))
    assert not link.written
    assert arm.offer(passed(arm, 1, 0.2)) is Offer.TAKEN, "the stream is where it was"


@pytest.mark.parametrize("axis", range(6))
def test_a_gripper_moved_or_turned_about_one_axis_alone_is_another(axis):
    link, arm = gated()
    place = passed(arm, 1, 0.2)
    for off in (-1e-5, 1e-5):
        change = np.zeros(6)
        change[axis] = off
        with pytest.raises(PastGateError, match="from the waypoint that passed"):
            arm.offer(moved(place, change))
    assert not link.written


def test_a_stop_is_told_to_the_gate_and_the_start_to_the_link():
    told = []
    gate = SimpleNamespace(declare_stop=lambda: told.append("stop"), latched=(), limits=("both",))
    link = Link()
    arm = GatedArm(gate, link)
    arm.declare_stop()
    assert told == ["stop"]
    assert arm.limits == ("both",)
    place, measured = at(START_DEG), DisplayedPose(at(START_DEG + 0.1))
    arm.start(DeclaredPath(place), measured)
    assert (link.written, link.measured) == ([place], measured)


def test_the_rest_is_the_link_s():
    link, arm = gated()
    assert arm.poll() == "report"
    assert arm.reader_thread is None
    arm.close()
    assert link.closed


@given(
    st.lists(st.floats(-3e-6, 3e-6), min_size=6, max_size=6),
    st.floats(-0.4, 0.4),
)
def test_only_the_place_that_passed_is_offered(change, turned_deg):
    """A micrometre and a microradian are rounding, and more is another place."""
    link, arm = gated()
    place = passed(arm, 1, turned_deg)
    other = moved(place, change)
    way, turn = np.linalg.norm(change[:3]), np.linalg.norm(change[3:])
    try:
        arm.offer(other)
    except PastGateError:
        assert max(way, turn) > 0.999e-6
        assert not link.written
    else:
        assert max(way, turn) < 1.001e-6
        assert link.written == [other]


@given(
    st.lists(st.floats(-1.5, 1.5), min_size=3, max_size=3),
    st.lists(st.floats(-4.0, 4.0), min_size=3, max_size=3),
    st.sampled_from(list(OatConvention)),
)
def test_what_contour_writes_is_the_place_to_the_decimals_of_the_wire(place_m, turn, convention):
    """Judged by scipy's Euler angles, which share nothing with ours."""
    rotation = Rotation.from_rotvec(turn)
    location = LocationWriter(convention).write(Pose(np.array(place_m), rotation.as_matrix()))
    x, y, z, o, a, t = location.counts
    np.testing.assert_allclose([x / 1e5, y / 1e5, z / 1e5], place_m, atol=0.5001e-5)
    o0, a0 = (-90_000, 90_000) if convention is OatConvention.VAL else (0, 0)
    angles = [(o + o0) / 1e3, (a + a0) / 1e3, t / 1e3]
    apart = Rotation.from_euler("ZYZ", angles, degrees=True).inv() * rotation
    assert np.degrees(apart.magnitude()) < 2e-3


def test_a_waypoint_that_would_be_written_wrongly_is_refused(monkeypatch):
    """Whatever goes wrong between pose and counts is seen before a byte is sent."""
    monkeypatch.setattr(contour_link, "location_of", lambda *_: Location((1, 2, 3, 4, 5, 6)))
    with pytest.raises(WaypointRefusedError, match="rounding leaves at most"):
        LocationWriter(OatConvention.VAL).write(at(START_DEG))


def test_a_place_beyond_the_wire_is_refused():
    with pytest.raises(WaypointRefusedError, match="the wire cannot say this place: x = "):
        LocationWriter(OatConvention.VAL).write(Pose(np.array([10.0, 0.0, 0.0]), np.eye(3)))


def test_nobody_else_offers_waypoints_to_a_link():
    """`offer` is called in the gated arm, by the loop that has one, and by links that wrap one."""
    root = Path(hil.__file__).parent / "stations" / "arm"
    found = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr == "offer"
    }
    assert found == {
        "cycle/waypoint_gate.py",
        "cycle/guarded_link.py",
        "cycle/loop.py",
        "run/wire.py",
        "moves/stroke_drive.py",
    }


def test_the_thread_that_answers_the_robot_is_known_by_its_number():
    """It is to be woken before everything else, so whoever raises it has to find it."""
    ours, theirs = socket.socketpair()
    line = ContourLine(ArmPort(ours, "socket:", VirtualClock().now_s), HostSettings(), lambda: 0.0)
    link = ContourLink(line, RM01.oat_convention())
    try:
        arm = GatedArm(gate_at(RM01, np.radians(START_DEG)), link)
        (reader,) = (each for each in threading.enumerate() if each.name == "arm link")
        assert arm.reader_thread == reader.native_id
    finally:
        link.close()
        theirs.close()
