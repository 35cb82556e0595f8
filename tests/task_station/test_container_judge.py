"""Judge of the container task on worlds whose bodies are put where they must not be."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from task_runs import drawn, settings

from hil.stations.task.container.container_judge import ContainerJudge, ContainerNames
from hil.stations.task.container.floor_track import FloorTrack
from hil.stations.task.container.slip import APART_S, GRIPPED_S, GripSlip
from hil.stations.world.plan.scene_placement import Mount, placed_scene
from sim.world.engine.body_groups import is_any_above
from sim.world.engine.contact_pairs import ContactPairs
from sim.world.engine.world import World
from sim.world.scenes.model import Scene

BARREL = {"kind": "barrel", "at_m": [0.0, 0.0]}
PLACES = {"container_at_m": [3.0, 3.0], "bin_at_m": [3.0, -3.0], "start_at_m": [-4.0, 0.0],
          "start_heading_deg": 0.0, "obstacle": [BARREL]}  # fmt: skip
BOTTOM_M = 0.02
HALF_M = 0.08
STEP_S = 0.002


def bench(names=None, rename=None):
    """World of a definite hangar, and its judge."""
    task = drawn(1, **PLACES)
    if rename:
        scene = task.scene.scene
        bodies = tuple(replace(one, name=rename.get(one.name, one.name),
                               on=rename.get(one.on, one.on)) for one in scene.bodies)  # fmt: skip
        task = replace(task, scene=replace(task.scene, scene=replace(scene, bodies=bodies)))
    x, y, _ = task.start_m
    placed = placed_scene(task.scene, task.robot, "mf4_wheels",
                          Mount(position_m=(x, y, 0.0)), "mf4_wheels.toml")  # fmt: skip
    placed = placed.with_robot(task.robot)
    world = World(placed.text(task.scene.scene.stepping, 1))
    return world, ContainerJudge(world, task.scene.scene, settings(**PLACES), names)


def looked(world, judge, seconds, at_s=0.0):
    """Findings of some time, the world stepped between."""
    found = []
    for index in range(round(seconds / STEP_S)):
        world.robots[0].stop()  # its arm is not held, and would sink
        found += judge.look(at_s + index * STEP_S)
        world.step()
    return found


def put(world, name, x, y, z):
    world.bodies[name].move_to((x, y, z, 1.0, 0.0, 0.0, 0.0))
    world.settle()


def test_a_world_at_rest_shows_nothing_and_the_task_is_not_done():
    world, judge = bench()
    assert looked(world, judge, 1.0) == []
    assert judge.at_rest
    found = judge.conclude(1.0)
    assert (found.reason, found.text) == ("not_found", "the container is still on its stand")


def test_a_container_at_rest_in_the_bin_is_done():
    world, judge = bench()
    put(world, "container", 3.0, -3.0, BOTTOM_M + HALF_M)
    assert looked(world, judge, 1.0) == []
    assert judge.conclude(1.0) is None


def test_a_container_that_still_moves_in_the_bin_is_not_done():
    world, judge = bench()
    put(world, "container", 3.0, -3.0, BOTTOM_M + HALF_M)
    looked(world, judge, 0.2)
    assert judge.conclude(0.2).reason == "time_out"


@pytest.mark.parametrize(("x", "reason"), [(3.0, None), (3.30, "collision"), (2.4, "dropped")])
def test_only_the_inside_of_the_bin_may_be_touched(x, reason):
    world, judge = bench()
    put(world, "container", x, -3.0, 0.08 if reason == "dropped" else BOTTOM_M + HALF_M)
    found = looked(world, judge, 0.05)
    assert {one.reason for one in found if one.final} == ({reason} if reason else set())


def test_a_container_in_the_air_is_dropped_after_the_time_of_a_short_fall():
    world, judge = bench()
    put(world, "container", 0.0, 3.0, 2.0)
    found = looked(world, judge, 0.3)
    assert found[0].reason == "dropped"
    assert found[0].t_s == pytest.approx(0.15, abs=0.01)
    assert (found[0].limit, found[0].unit) == (0.15, "s")


def test_a_chassis_in_a_barrel_has_collided_there():
    world, judge = bench()
    world.robots[0].move_to({0: (4.0 - 0.55, 0.0, 0.12, 1.0, 0.0, 0.0, 0.0)})
    world.settle()
    found = judge.look(0.0)
    assert found
    assert {one.reason for one in found} == {"collision"}
    assert "goods_1" in found[0].text
    assert found[0].place_m[0] == pytest.approx(-0.29, abs=0.05)
    assert judge.look(STEP_S) == ()  # once while it lasts
    assert judge.conclude(1.0).reason == "collision"


def test_a_judge_with_the_reading_of_the_watch_finds_what_one_alone_does():
    world, alone = bench()
    pairs = ContactPairs(world)
    scene = drawn(1, **PLACES).scene.scene
    judge = ContainerJudge(world, scene, settings(**PLACES), contacts=pairs.contacts)
    for x in (-4.0, -0.55, -4.0):
        world.robots[0].move_to({0: (4.0 + x, 0.0, 0.12, 1.0, 0.0, 0.0, 0.0)})
        world.settle()
        pairs.now()
        assert judge.look(0.0) == alone.look(0.0)
    assert judge.collisions == alone.collisions > 0


def test_a_speed_that_is_no_number_is_no_rest():
    assert not is_any_above([0.0, -0.5], 0.5)
    assert is_any_above([0.0, -0.6], 0.5)
    assert is_any_above([0.0, math.nan], 0.5)


def test_names_mean_nothing_to_the_judge():
    new = {"container": "a", "grip": "b", "stand": "c", "bin": "d", "bin_side_1": "e"}
    names = ContainerNames(container="a", bar="b", stand="c", bin="d", wall="e")
    world, judge = bench(names, new)
    put(world, "a", 3.0, -3.0, BOTTOM_M + HALF_M)
    assert looked(world, judge, 1.0) == []
    assert judge.conclude(1.0) is None


def test_the_time_runs_out():
    world, judge = bench()
    looked(world, judge, 0.01)
    found = judge.conclude(300.0)
    assert (found.reason, found.value, found.limit) == ("time_out", 300.0, 300.0)


def pose(x=0.0, y=0.0, z=0.0, turn=0.0):
    cos, sin = math.cos(turn), math.sin(turn)
    return np.array([[cos, -sin, 0.0, x], [sin, cos, 0.0, y], [0.0, 0.0, 1.0, z],
                     [0.0, 0.0, 0.0, 1.0]])  # fmt: skip


@given(st.floats(-3.0, 3.0), st.floats(-3.0, 3.0), st.floats(-3.0, 3.0), st.floats(0.0, 0.01))
def test_slip_is_the_motion_in_the_hand_however_that_moves(x, y, turn, slip_m):
    slip, at = GripSlip(), np.array([0.0, 0.0, 0.13, 1.0])
    for index in range(20):
        slip.hold(0.05 * index, pose(), at[:3], borne=True)
    assert slip.holds
    hand = pose(x, y, 0.4, turn)
    moved = at - np.array([0.0, 0.0, slip_m, 0.0])
    slip.hold(1.0, hand, (hand @ moved)[:3], borne=False)
    assert slip.greatest_m == pytest.approx(slip_m, abs=1e-12)


def test_what_slips_while_the_stand_bears_it_is_no_slip():
    slip = GripSlip()
    for index in range(20):
        slip.hold(0.05 * index, pose(), np.array([0.0, 0.0, 0.001 * index]), borne=True)
    assert slip.greatest_m == 0.0


@pytest.mark.parametrize(("apart_s", "lost"), [(0.5 * APART_S, False), (1.5 * APART_S, True)])
def test_a_grip_is_lost_when_a_jaw_is_off_for_long(apart_s, lost):
    slip, at = GripSlip(), np.zeros(3)
    for t_s in np.arange(0.0, GRIPPED_S + 0.1, 0.01):
        slip.hold(float(t_s), pose(), at, borne=False)
    begun_s = float(t_s)
    ended = [slip.part(begun_s + 0.01 * (index + 1), borne=False)
             for index in range(round(apart_s / 0.01))]  # fmt: skip
    assert any(ended) is lost
    assert slip.holds is not lost


def test_path_and_turns_of_a_square():
    course = FloorTrack(Scene("s"), ())
    t_s, x, y = 0.0, 0.0, 0.0
    for side in range(4):
        for _ in range(10):
            course.update(t_s, pose(x, y, 0.12, side * math.pi / 2))
            x += 0.1 * round(math.cos(side * math.pi / 2))
            y += 0.1 * round(math.sin(side * math.pi / 2))
            t_s += 0.05 + 1e-9
    course.update(t_s, pose(x, y, 0.12, 1.5 * math.pi))
    assert course.path_m == pytest.approx(4.0)
    assert course.turned_rad == pytest.approx(1.5 * math.pi)
    assert course.least_m == math.inf


def test_the_least_distance_is_that_of_the_outline():
    world, judge = bench()
    judge.course.update(0.0, pose(-1.0, 0.0, 0.12))
    assert judge.course.least_m == pytest.approx(1.0 - 0.3 - 0.29, abs=0.01)
    assert world.time_s == 0.0
