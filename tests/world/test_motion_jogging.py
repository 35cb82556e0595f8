"""A tool led by a velocity, judged by a product of D-H matrices, differences and the gate."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from robot_documents import shipped_text
from scipy.spatial.transform import Rotation

from safety.robot_gate import RobotGate
from safety.robot_limits import RobotAction, RobotAxis, RobotFound, RobotLimits, RobotSetpoint
from sim.world.motion.chain import Chain
from sim.world.motion.joint_bounds import BoundedJoints, JointBounds
from sim.world.motion.tool_jog import ToolBounds, ToolJog
from sim.world.robots.robot_toml_reader import read_toml
from sim.world.robots.tree import spanning_tree

STEP_S = 0.002
HOME = np.radians([10.0, 20.0, -20.0, 30.0, 60.0, 15.0])
SPEED, ACCELERATION = np.radians(60.0), np.radians(300.0)
TOOL = ToolBounds(0.1, 0.5, np.radians(20.0), np.radians(100.0))
DH = [(0, 0, 0, 0.40), (-np.pi / 2, 0.10, -np.pi / 2, 0), (0, 0.50, 0, 0),
      (-np.pi / 2, 0.05, 0, 0.45), (np.pi / 2, 0, 0, 0), (-np.pi / 2, 0, 0, 0.12)]  # fmt: skip
"""alpha, d, theta, r of robot A, the tool's way along z with the last."""


def tools_of(rows):
    """Poses of the tool, of rows of joints [rad], by a product of our own."""
    poses = np.eye(4)
    for (alpha, d, theta, r), q in zip(DH, np.transpose(rows), strict=True):
        one, two = np.eye(4), np.tile(np.eye(4), (len(q), 1, 1))
        one[:3, :3], one[0, 3] = Rotation.from_euler("x", alpha).as_matrix(), d
        two[:, :3, :3], two[:, 2, 3] = Rotation.from_euler("z", (theta + q)[:, None]).as_matrix(), r
        poses = poses @ one @ two
    return poses


class Led:
    """Robot A led by its tool, behind a gate that knows the bounds of a machine."""

    def __init__(self, q=HOME, least=None, greatest=None, acceleration=ACCELERATION):
        n, stop = len(q), 10.0
        least = np.full(n, -np.inf) if least is None else least
        greatest = np.full(n, np.inf) if greatest is None else greatest
        speed, most = np.full(n, SPEED), np.full(n, acceleration)
        bounds = JointBounds(least, greatest, speed, most, SPEED / stop)
        self.joints = BoundedJoints(bounds, q, STEP_S)
        self.chain = Chain(spanning_tree(read_toml(shipped_text("robot_a", "toml"), "robot_a")))
        self.jog = ToolJog(self.chain, self.joints, TOOL)
        axes = tuple(
            RobotAxis(f"joint {k}", "rad", *row, stop, 0.5, SPEED, acceleration)
            for k, row in enumerate(zip(least.tolist(), greatest.tolist(), strict=True))
        )
        self.gate = RobotGate(RobotLimits("led", axes, STEP_S))
        assert self.gate.reset(RobotFound(tuple(q), (0.0,) * n)) == ()
        self.rows = [q.copy()]

    def go(self, wanted, steps, *, in_tool=False):
        for _ in range(steps):
            self.jog.step(np.array(wanted, dtype=float), in_tool=in_tool)
            joints = self.joints
            asked = RobotSetpoint(*(tuple(v.tolist()) for v in (
                joints.positions, joints.speeds, joints.accelerations)))  # fmt: skip
            verdict = self.gate.step(asked, RobotFound(asked.positions, asked.speeds))
            assert verdict.action is RobotAction.PASSED, verdict.violations[0].message
            self.rows.append(joints.positions.copy())

    def tools(self):
        return tools_of(self.rows)


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("in_tool", [True, False])
def test_it_goes_along_one_axis_with_bounded_speed_and_comes_to_rest(axis, sign, in_tool):
    led, wanted = Led(), np.zeros(6)
    wanted[axis] = 0.05 * sign
    led.go(wanted, 500, in_tool=in_tool)
    led.go(np.zeros(6), 120)
    assert led.joints.at_rest
    tools = led.tools()
    begin = tools[0]
    along = begin[:3, axis] if in_tool else np.eye(3)[axis]
    ways = tools[:, :3, 3] - begin[:3, 3]
    way = ways @ along
    assert np.abs(ways - np.outer(way, along)).max() < 1e-7
    assert np.abs(tools[:, :3, :3] - begin[:3, :3]).max() < 1e-7
    speeds = np.diff(way) / STEP_S * sign
    assert speeds.max() == pytest.approx(0.05, rel=1e-6)
    assert speeds.min() > -1e-6
    assert np.abs(np.diff(speeds)).max() / STEP_S <= 0.5 + 1e-3
    # Up by 0.5 m/s2, 1 s in all, and down: v t, as the two ramps make one more of 0.1 s.
    assert way[-1] * sign == pytest.approx(0.05 * 1.0, rel=0.01)


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("in_tool", [True, False])
def test_it_turns_about_one_axis_where_it_is(axis, in_tool):
    led, wanted = Led(), np.zeros(6)
    wanted[3 + axis] = np.radians(10.0)
    led.go(wanted, 400, in_tool=in_tool)
    led.go(np.zeros(6), 100)
    tools = led.tools()
    assert np.abs(tools[:, :3, 3] - tools[0, :3, 3]).max() < 1e-7
    turn = Rotation.from_matrix(tools[-1, :3, :3] @ tools[0, :3, :3].T).as_rotvec()
    about = tools[0, :3, axis] if in_tool else np.eye(3)[axis]
    np.testing.assert_allclose(turn, np.linalg.norm(turn) * about, atol=1e-7)
    assert np.degrees(np.linalg.norm(turn)) == pytest.approx(8.0, rel=0.01)


def test_what_is_too_much_is_the_same_motion_slower():
    led = Led()
    led.go([3.0, 4.0, 0.0, 0.0, 0.0, 0.0], 300)
    step = np.diff(led.tools()[-3:, :3, 3], axis=0)[0] / STEP_S
    np.testing.assert_allclose(step, [0.06, 0.08, 0.0], atol=1e-6)


def test_towards_a_limit_it_rests_before_it_on_its_line_and_goes_back():
    greatest = np.array([np.inf, np.radians(30.0), *[np.inf] * 4])
    led = Led(greatest=greatest)
    led.go([0.08, 0.0, 0.0, 0.0, 0.0, 0.0], 3000)
    away = led.tools()[:, :3, 3] - led.tools()[0, :3, 3]
    assert 29.5 < np.degrees(led.joints.positions[1]) <= 30.0
    assert np.abs(away[:, 1:]).max() < 1e-4
    assert led.jog.blocked
    assert led.jog.held_back == 1
    assert led.joints.at_rest
    led.go([-0.08, 0.0, 0.0, 0.0, 0.0, 0.0], 500)
    assert led.tools()[-1, 0, 3] < led.tools()[-500, 0, 3] - 0.03


def test_where_the_arm_is_straight_it_rests_on_its_line_and_goes_back():
    led = Led()
    led.go([0.1, 0.0, 0.0, 0.0, 0.0, 0.0], 3500)
    assert led.jog.blocked
    assert led.joints.at_rest
    away = led.tools()[:, :3, 3] - led.tools()[0, :3, 3]
    assert np.abs(away[:, 1:]).max() < 1e-3
    elbow = led.joints.positions[2]
    straight = np.arctan2(0.45, 0.05)  # of the two lengths after the elbow
    assert abs(abs(elbow) - straight) < np.radians(1.5)
    here = away[-1, 0]
    led.go([-0.1, 0.0, 0.0, 0.0, 0.0, 0.0], 800)
    assert not led.jog.blocked
    assert led.tools()[-1, 0, 3] - led.tools()[0, 0, 3] < here - 0.05


def test_through_a_singular_wrist_nothing_is_broken():
    led = Led(np.radians([10.0, 20.0, -20.0, 30.0, 4.0, 15.0]))
    for axis in range(6):
        for sign in (1.0, -1.0):
            wanted = np.zeros(6)
            wanted[axis] = sign
            led.go(wanted, 150, in_tool=axis % 2 == 0)


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_whatever_is_wanted_the_gate_passes_it_and_it_comes_to_rest(seed):
    draw = np.random.default_rng(seed)
    least, greatest = HOME - draw.uniform(0.05, 1.5, 6), HOME + draw.uniform(0.05, 1.5, 6)
    led = Led(HOME + draw.uniform(-0.05, 0.05, 6), least, greatest, draw.uniform(0.8, 9.0))
    for _ in range(8):
        wanted = draw.uniform(-1, 1, 6) * draw.choice([0.01, 0.2, 5.0])
        axes, steps = draw.random(6) < 0.5, int(draw.integers(20, 120))
        led.go(wanted * axes, steps, in_tool=bool(draw.integers(2)))
    led.go(np.zeros(6), 700)
    assert led.joints.at_rest


def test_a_leg_of_three_joints_is_led_by_its_position():
    tree = spanning_tree(read_toml(shipped_text("walker", "toml"), "walker"))
    chain = Chain(tree, 19)
    assert len(chain.joints) == 3
    n, places = len(tree.robot.drives), list(chain.places)
    bounds = JointBounds(np.full(n, -3.0), np.full(n, 3.0), np.full(n, 1.0), np.full(n, 5.0), 0.1)
    start = np.zeros(n)
    start[places] = 0.1, -0.4, 0.7
    joints = BoundedJoints(bounds, start, STEP_S)
    jog, begin = ToolJog(chain, joints, TOOL), chain.pose(start[places])[:3, 3]
    along, points = np.array([2.0, -1.0, 2.0]) / 3.0, []
    for step in range(700):
        wanted = 0.03 * along if step < 500 else np.zeros(3)
        jog.step(np.concatenate([wanted, np.zeros(3)]), in_tool=False)
        points.append(chain.pose(joints.positions[places])[:3, 3] - begin)
    way = np.array(points) @ along
    assert np.abs(points - np.outer(way, along)).max() < 1e-7
    assert way[-1] == pytest.approx(0.03, rel=0.01)
    assert joints.at_rest
    assert not np.delete(joints.positions - start, places).any()
