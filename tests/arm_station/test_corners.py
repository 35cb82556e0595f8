"""Corners that the gate lets through, driven by the emulated robot, which keeps the tolerance."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import dear

from arm_driver.contour.host_values import HostSettings, StreamPlan
from arm_driver.contour.place import location_of
from arm_driver.link import EndReason, Offer
from arm_driver.link_states import StreamResult
from hil.config.file_search import configs_dir
from hil.machines.robot.settings import RobotSettings
from hil.stations.arm.run.wire import VirtualLine
from hil_common.arrays.pose import Pose
from sim.devices.arm.controller import ArmController
from sim.devices.arm.settings import ArmControllerSettings

PERIOD_S = 0.35
LOOK_S = 0.007  # a quarter of the step in which the controller interpolates
TOLERANCE_M = 0.5e-3
SLACK_M = 0.03e-3
"""What servos and wire add on a smooth path."""
RM01 = RobotSettings.load(configs_dir() / "robots" / "rm01.toml")
LIMIT = RM01.gate_limits().corners


def driven(ways_m):
    """Path of the emulated gripper over waypoints, and the waypoints with the start before them."""
    now = [0.0]
    robot = ArmController(ArmControllerSettings(tool_m=RM01.tool_m, feedback=True), now_s=0.0)
    wire = VirtualLine(robot, HostSettings(speed_max_m_s=0.25), lambda: now[0])  # at once fast
    convention = RM01.oat_convention()
    start_m, rotation = robot.gripper
    points = start_m + np.vstack([np.zeros(3), np.cumsum(ways_m, axis=0)])
    places = [location_of(Pose(point, rotation), convention) for point in points]
    track, following, armed = [], 1, False
    while now[0] < (len(points) + 6) * PERIOD_S:
        now[0] += LOOK_S
        report = wire.poll()
        track.append(robot.gripper[0])
        if not armed and report.status is not None:
            wire.start(StreamPlan(places[0], places[-1]))
            armed = True
        elif report.wants and following < len(places):
            assert wire.offer(places[following]) is Offer.TAKEN
            following += 1
        elif report.wants:
            wire.end(EndReason.COMPLETED)
    assert wire.poll().result is StreamResult.COMPLETED
    return np.array(track), points


def off_lines_m(track, points):
    """Greatest distance of the track from the lines between the points."""
    nearest = np.full(len(track), np.inf)
    for a, b in itertools.pairwise(points):
        way = b - a
        share = np.clip((track - a) @ way / max(float(way @ way), 1e-30), 0.0, 1.0)
        nearest = np.minimum(nearest, np.linalg.norm(track - a - share[:, None] * way, axis=1))
    return float(nearest.max())


def corner(turn_rad, v1_m_s, v2_m_s, lead):
    """Ways over `lead` waypoints to a corner in the y-z plane, and over two more from it."""
    before = np.array([0.0, v1_m_s, 0.0])
    after = v2_m_s * np.array([0.0, math.cos(turn_rad), math.sin(turn_rad)])
    return before, after, PERIOD_S * np.array([before] * lead + [after] * 2)


@dear
@given(
    st.floats(math.radians(5.0), math.pi),
    st.floats(0.02, 0.1),
    st.sampled_from([1.0, 0.6, 0.3, 0.1]),
    st.booleans(),
    st.sampled_from([2, 3]),  # a corner in step with the interpolation, and one between
)
def test_the_fastest_corner_that_passes_keeps_the_tolerance(turn, v_m_s, ratio, slowing, lead):
    v1, v2 = (v_m_s, ratio * v_m_s) if slowing else (ratio * v_m_s, v_m_s)
    before, after, _ = corner(turn, v1, v2, lead)
    share = LIMIT.fitting_share(tuple(before), tuple(after))
    _, _, ways = corner(turn, share * v1, share * v2, lead)
    assert off_lines_m(*driven(ways)) <= TOLERANCE_M + SLACK_M


@pytest.mark.parametrize("turn_deg", [60.0, 90.0, 120.0])
def test_a_corner_that_is_refused_would_have_been_rounded_too_much(turn_deg):
    """The control: without the rule the robot's path leaves the lines by more than it may."""
    before, after, ways = corner(math.radians(turn_deg), 0.1, 0.1, 3)
    assert LIMIT.deviation_m(tuple(before), tuple(after)) > TOLERANCE_M
    assert off_lines_m(*driven(ways)) > TOLERANCE_M


@pytest.mark.parametrize("turn_deg", [30.0, 60.0, 90.0])
@pytest.mark.parametrize("lead", [2, 3])
def test_the_figure_is_the_robot_s_and_not_much_more(turn_deg, lead):
    before, after, ways = corner(math.radians(turn_deg), 0.1, 0.1, lead)
    figure = LIMIT.deviation_m(tuple(before), tuple(after))
    assert 1.0 <= figure / off_lines_m(*driven(ways)) <= 1.5
