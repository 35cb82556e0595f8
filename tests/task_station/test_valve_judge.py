"""Judge of the valve task: grasps counted by numbers, and worlds put where they must not be."""

import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_valve_draws import drawn, robot

from hil.stations.task.valve.grasp import PRESSED_N, SETTLING_S, GraspErrors
from hil.stations.task.valve.settings import ValveSettings
from hil.stations.task.valve.valve_judge import ValveJudge
from hil.stations.world.plan.scene_placement import Mount, placed_scene
from sim.world.engine.world import World

ANGLE_RAD = 1.0
STEP_S = 0.001


@cache
def text():
    task = drawn(3)
    placed = placed_scene(task.scene, robot(), "torso_claw", Mount(position_m=task.start_m),
                          "torso_claw.toml").with_robot(task.robot)  # fmt: skip
    return placed.text(task.scene.scene.stepping, 1)


def bench(voltage=0.0, said=lambda _: 0.0, **changes):
    """World of a drawn valve, and its judge; the arm's commands are all the same."""
    world = World(text())
    settings = ValveSettings.build({"kind": "valve", **changes}, "test")
    commands = np.full(11, voltage)
    return world, ValveJudge(world, settings, ANGLE_RAD, said, lambda: commands)


def looked(world, judge, seconds):
    found = []
    for index in range(round(seconds / STEP_S)):
        world.robots[0].stop()
        found += judge.look(index * STEP_S)
        world.step()
    return found


def turn(world, by_rad):
    wheel = world.bodies["valve_wheel"]
    wheel.move_to((wheel.start[0] + by_rad,))
    world.settle()


@pytest.mark.parametrize(
    ("error_deg", "reason"), [(0.0, None), (0.49, None), (-0.49, None), (0.51, "angle"),
                              (-0.51, "angle")],
)  # fmt: skip
def test_the_wheel_must_be_turned_by_the_angle(error_deg, reason):
    world, judge = bench()
    turn(world, ANGLE_RAD + math.radians(error_deg))
    judge.errors.grasps = 1
    assert looked(world, judge, 0.6) == []
    found = judge.conclude(0.6)
    assert (found and found.reason) == reason
    assert judge.measures()["angle_error_deg"] == pytest.approx(error_deg, abs=1e-9)


def test_a_robot_that_is_not_yet_at_rest_is_not_clear():
    world, judge = bench()
    turn(world, ANGLE_RAD)
    judge.errors.grasps = 1
    looked(world, judge, 0.1)
    assert judge.conclude(0.1).reason == "not_clear"


def test_a_wheel_that_turned_without_a_grasp_was_not_turned_by_the_hand():
    world, judge = bench()
    turn(world, ANGLE_RAD)
    looked(world, judge, 0.6)
    assert judge.conclude(0.6).reason == "grip_lost"


@pytest.mark.parametrize(("steps_deg", "reason"), [((2.0, -2.0), None), ((3.0, -3.0), "grip_lost")])
def test_the_wheel_may_hardly_turn_where_nothing_is_judged(steps_deg, reason):
    world, judge = bench()
    judge.errors.grasps = 1
    turn(world, ANGLE_RAD)
    judge.look(0.0)
    for index, step_deg in enumerate(steps_deg, 1):
        turn(world, ANGLE_RAD + math.radians(max(step_deg, 0.0)))
        judge.look(index * STEP_S)
    for index in range(3, 700):
        judge.look(index * STEP_S)
    found = judge.conclude(0.7)
    assert (found and found.reason) == reason


def test_time_that_is_over_is_the_reason():
    _, judge = bench(time_limit_s=5.0)
    found = judge.conclude(5.0)
    assert (found.reason, found.value, found.limit) == ("time_out", 5.0, 5.0)


@pytest.mark.parametrize(("voltage", "fails"), [(0.999, False), (1.0, True), (-1.0, True)])
def test_a_drive_may_be_saturated_for_a_fifth_of_a_second(voltage, fails):
    world, judge = bench(voltage)
    found = looked(world, judge, 0.25)
    assert [one.reason for one in found[:1]] == (["saturated"] if fails else [])
    assert not fails or 0.2 < found[0].t_s <= 0.202


def test_nothing_ties_the_hand_to_the_wheel():
    assert World(text()).ties() == ()


def pressed(errors, values, force_n=1.0, moment_nm=0.1):
    """Feed steps of the finger that presses least, with the same errors in each."""
    for index, (newtons, turn_rad) in enumerate(values):
        if newtons < PRESSED_N:
            errors.end()
        elif errors.hold(index * STEP_S, turn_rad):
            errors.add(force_n, moment_nm, turn_rad)


def test_errors_count_from_half_a_second_after_a_grasp():
    errors = GraspErrors(10.0, 2.0)
    count = round(SETTLING_S / STEP_S)
    pressed(errors, [(50.0, 0.0)] * count)
    assert (errors.grasps, errors.force_n) == (0, 0.0)
    pressed(errors, [(0.0, 0.0), *[(50.0, 0.0)] * (count + 2)], force_n=7.0)
    assert (errors.grasps, errors.force_n) == (1, 7.0)


@given(st.floats(-math.pi, math.pi), st.floats(-0.5, 0.5))
def test_slip_is_a_turn_wherever_it_begins(begin, slip):
    errors = GraspErrors(10.0, 2.0)
    held = round(SETTLING_S / STEP_S) + 5
    turned = math.remainder(begin + slip, math.tau)
    pressed(errors, [*[(50.0, begin)] * held, *[(50.0, turned)] * 3])
    assert errors.slip_rad == pytest.approx(abs(slip), abs=1e-9)


@pytest.mark.parametrize(("beyond", "share"), [(1, 0.01), (3, 0.03)])
def test_the_share_of_a_grasp_beyond_the_first_limit(beyond, share):
    errors = GraspErrors(10.0, 2.0)
    for index in range(1000):
        if errors.hold(index * STEP_S, 0.0):
            errors.add(11.0 if index >= 1000 - 5 * beyond else 1.0, 0.1, 0.0)
    errors.end()
    assert errors.worst_share == pytest.approx(share, rel=0.02)
