"""Joints led within bounds, judged by differences of what they did, and by the gate."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from safety.robot_gate import RobotGate
from safety.robot_limits import (
    RobotAction,
    RobotAxis,
    RobotFound,
    RobotLimits,
    RobotSetpoint,
)
from sim.world.motion.joint_bounds import BoundedJoints, JointBounds, approach_speed

PERIOD_S = 0.002
LEAST, GREATEST = np.array([-0.5, 0.0, -0.3]), np.array([0.6, 2.4, 0.2])
SPEED, ACCELERATION = np.array([1.0, 3.0, 0.4]), np.array([2.0, 9.0, 1.5])
STOP = np.array([2.0, 10.0, 1.5])
STOP_S = float((SPEED / STOP).max())


def led(least=LEAST, greatest=GREATEST, at=(0.0, 1.0, 0.0)):
    bounds = JointBounds(least, greatest, SPEED, ACCELERATION, STOP_S)
    return BoundedJoints(bounds, np.array(at), PERIOD_S)


def open_gate(at):
    """A gate with bounds of speed and acceleration, as a robot in metal has it."""
    axes = tuple(
        RobotAxis(f"joint {n}", "rad", *row, 0.5, *bounds)
        for n, (row, bounds) in enumerate(
            zip(zip(LEAST, GREATEST, STOP, strict=True), zip(SPEED, ACCELERATION, strict=True),
                strict=True)
        )
    )  # fmt: skip
    gate = RobotGate(RobotLimits("led", axes, PERIOD_S))
    assert gate.reset(RobotFound(tuple(at), (0.0,) * 3)) == ()
    return gate


seeds = st.integers(0, 2**32 - 1)


@settings(max_examples=30)
@given(seeds, st.sampled_from(["speeds", "targets", "both", "stops"]))
def test_whatever_is_wanted_the_gate_passes_it(seed, way):
    """The gate judges by differences of its own; none of its rules is ever broken."""
    draw, joints = np.random.default_rng(seed), led()
    gate, wanted, stopping = open_gate(joints.positions), np.zeros(3), False
    for step in range(900):
        if step % 40 == 0:
            wanted = draw.uniform(-4.0, 4.0, 3) * draw.choice([0.1, 1.0, 1e6])
            stopping = way == "stops" and draw.random() < 0.5
        if stopping:
            joints.slow_down()
        elif way == "targets" or (way == "both" and step // 40 % 2):
            joints.towards(wanted, 0.1)
        else:
            joints.at_speeds(wanted)
        asked = RobotSetpoint(*(tuple(v.tolist()) for v in (
            joints.positions, joints.speeds, joints.accelerations)))  # fmt: skip
        verdict = gate.step(asked, RobotFound(asked.positions, asked.speeds))
        assert verdict.action is RobotAction.PASSED, verdict.violations[0].message


def test_it_goes_to_its_limit_and_rests_there():
    joints, rows = led(), []
    for _ in range(4000):
        joints.at_speeds(np.array([5.0, -5.0, 5.0]))
        rows.append(joints.positions)
    np.testing.assert_allclose(joints.positions, [0.6, 0.0, 0.2], atol=1e-4)
    # The second joint speeds up by 9 until its speed is 2 d / T: v² / 18 + v T / 2 = 1.
    fastest = -2.25 + math.sqrt(2.25**2 + 18.0)
    speeds = np.diff(rows, axis=0) / PERIOD_S
    assert np.abs(speeds).max() == pytest.approx(fastest, rel=0.01)
    assert np.abs(speeds[-1]).max() < 1e-4


def test_it_arrives_at_a_target_as_fast_as_it_may_without_going_past_it():
    """From rest to rest with bounded speed and acceleration: a trapezoid, and then some."""
    joints, rows = led(np.full(3, -np.inf), np.full(3, np.inf), (0.0,) * 3), []
    way = np.array([0.5, -2.0, 0.1])
    while not rows or not joints.at_rest:
        joints.towards(way, 0.02)
        rows.append(joints.positions)
    np.testing.assert_allclose(joints.positions, way, atol=1e-6)
    assert (np.abs(rows) <= np.abs(way) + 1e-12).all()
    speeds = np.diff(rows, axis=0) / PERIOD_S
    assert (np.abs(speeds) <= SPEED + 1e-9).all()
    assert (np.abs(np.diff(speeds, axis=0)) / PERIOD_S <= ACCELERATION + 1e-6).all()
    for joint in range(3):
        length, v, a = abs(way[joint]), SPEED[joint], ACCELERATION[joint]
        best = 2 * math.sqrt(length / a) if length < v * v / a else length / v + v / a
        arrived = np.argmax(np.abs(np.array(rows)[:, joint] - way[joint]) < 1e-3 * length)
        assert best - 0.05 < arrived * PERIOD_S < best + 0.1


def test_how_far_it_is_behind_a_target_that_moves():
    joints = led(np.full(3, -np.inf), np.full(3, np.inf), (0.0,) * 3)
    rate, smoothing_s = np.array([0.05, 0.3, 0.2]), 0.1
    for step in range(1, 1500):
        joints.towards(rate * PERIOD_S * step, smoothing_s)
    behind = rate * PERIOD_S * 1499 - joints.positions
    # Half of the smoothing; beyond a T / 2 the way of a stop, and what the smoothing adds to it.
    third = 0.2**2 / (2 * 1.5) + 1.5 * smoothing_s**2 / 8
    np.testing.assert_allclose(behind, [0.0025, 0.015, third], rtol=1e-3)
    np.testing.assert_allclose(joints.speeds, rate, rtol=1e-6)


def test_a_stop_together_keeps_the_way():
    joints = led(np.full(3, -np.inf), np.full(3, np.inf))
    for _ in range(400):
        joints.at_speeds(np.array([0.5, 3.0, -0.1]))
    begin, speeds, ticks = joints.positions, joints.speeds, 0
    while not joints.at_rest:
        joints.slow_down()
        ticks += 1
        assert (np.abs(joints.accelerations) <= ACCELERATION + 1e-9).all()
    assert ticks * PERIOD_S == pytest.approx(3.0 / 9.0, abs=2 * PERIOD_S)
    way = joints.positions - begin
    np.testing.assert_allclose(way / way[0], speeds / speeds[0], rtol=1e-9)


def test_the_curve_slows_down_by_its_bound_at_most():
    """Followed step by step from afar: its own recursion, against the bound that it promises."""
    a, stop_s = np.array([2.0]), 0.5
    left, speeds = np.array([3.0]), []
    for _ in range(4000):
        speeds.append(approach_speed(left, a, stop_s, PERIOD_S))
        left = left - speeds[-1] * PERIOD_S
    slowed = -np.diff(np.array(speeds)[:, 0]) / PERIOD_S
    assert slowed.max() == pytest.approx(2.0, rel=1e-3)
    assert slowed.max() <= 2.0 + 1e-9
    assert slowed.min() > 0.0
    assert 0.0 < left[0] < 1e-6


@pytest.mark.parametrize("name", ["speed", "acceleration"])
@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf])
def test_bounds_that_are_none_are_refused(name, value):
    given_ = {"speed": SPEED.copy(), "acceleration": ACCELERATION.copy()}
    given_[name][1] = value
    with pytest.raises(ValueError, match=f"{name} = .*finite numbers above 0"):
        JointBounds(LEAST, GREATEST, given_["speed"], given_["acceleration"], STOP_S)
