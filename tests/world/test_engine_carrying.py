"""State carried from model to model, judged by the run that was never edited and by geometry."""

import hashlib
import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from edited_robots import longer, moved_closing, retyped, with_link, without_last
from plant_rigs import paper_robot
from robot_documents import shipped_text

from sim.world.engine.brakes import Brakes, with_brakes
from sim.world.engine.mjcf import Stepping, model_text
from sim.world.engine.mjcf_robot import PlacedRobot
from sim.world.engine.model_compiler import ModelRefusedError, ModelText, compiled
from sim.world.engine.state_transfer import CarryRefusedError, carry_over
from sim.world.engine.world import World
from sim.world.robots.model import JointType, Mimic
from sim.world.robots.robot_toml_reader import read_toml


def documented(name):
    return read_toml(shipped_text(name, "toml"), name)


def a_world(robot, step_s=0.002):
    text = model_text([PlacedRobot(robot)], Stepping(step_s))
    return World(text, compiled(text))


def driven(world, steps):
    """Speed and torque drives that never rest; what they come to, bit by bit."""
    (one,) = world.robots
    found = []
    for _ in range(steps):
        one.command([9.0 * math.sin(7.0 * world.time_s + k) for k in range(len(one.drives))])
        world.step()
        found.append((world.positions.tobytes(), world._data.actuator_force.tobytes(),
                      world.gap_max_m))  # fmt: skip
    return found


def held(world, steps=300):
    """The paper's platform, in motion on six stiff rods; its speed at the end."""
    (one,) = world.robots
    for _ in range(steps):
        wanted = 0.35 + 0.03 * np.sin(3.0 * world.time_s + np.arange(6))
        pull = 6e4 * (wanted - one.positions()) - 3e3 * one.speeds()
        one.command(np.clip(pull, -4e3, 4e3))
        world.step()
    return world._data.qvel[:3].copy()


@pytest.mark.parametrize("name", ["robot_b", "four_bar", "torso"])
def test_an_edit_that_changes_nothing_leaves_every_bit(name):
    robot = documented(name)
    world, other = a_world(robot), a_world(robot)
    driven(world, 211)
    world._data.qfrc_applied[0] = 0.3
    world.push("l2", (4.0, -3.0, 2.0), 0.05)
    world.step()
    world.pull((0.1, 0.2, -9.0))
    found = carry_over(world, other)
    assert (found.fresh, found.gone, found.closing) == ((), (), None)
    assert driven(other, 1000) == driven(world, 1000)


def test_the_world_that_is_left_goes_on_as_if_nobody_had_looked():
    robot = documented("four_bar")
    world, alone = a_world(robot), a_world(robot)
    for one in (world, alone):
        driven(one, 50)
    carry_over(world, a_world(moved_closing(robot, 0, (0.004, 0.0, 0.0))))
    with pytest.raises(CarryRefusedError):
        carry_over(world, a_world(moved_closing(robot, 0, (0.3, 0.0, 0.0))))
    np.testing.assert_array_equal(world._data.actuator_force, alone._data.actuator_force)
    assert driven(world, 300) == driven(alone, 300)


def test_joints_go_on_by_name_and_type_and_new_ones_begin_where_their_document_has_them():
    robot = documented("robot_a")
    world = a_world(robot)
    driven(world, 100)
    was, speeds = world.robots[0].coordinates(), world._data.qvel.copy()
    more = with_link(robot, 3)
    other = a_world(more)
    found = carry_over(world, other)
    number = more.drives[-1].joint
    assert found.fresh == (f"j{number}",)
    assert other.robots[0].coordinates() == {**was, number: (0.1,)}
    assert other.time_s == world.time_s
    assert other._data.qvel[other.robots[0].freedoms(number)] == [0.0]
    for joint in range(1, 7):
        assert other._data.qvel[other.robots[0].freedoms(joint)] == speeds[joint - 1]
    np.testing.assert_array_equal(
        other._data.ctrl[[other._model.actuator(f"d{n}").id for n in range(1, 7)]],
        world._data.ctrl,
    )
    back = a_world(robot)
    assert carry_over(other, back).gone == (f"j{number}",)
    assert back.robots[0].coordinates() == was
    less = a_world(without_last(robot))
    assert carry_over(world, less).gone == ("j6",)
    assert less.robots[0].coordinates() == {n: was[n] for n in range(6) if n in was}


def test_a_joint_of_another_type_begins_anew_and_a_longer_link_keeps_its_angles():
    robot = documented("robot_a")
    world = a_world(robot)
    driven(world, 100)
    was = world.robots[0].coordinates()
    slides = replace(retyped(robot, 3, JointType.SLIDE))
    other = a_world(slides)
    found = carry_over(world, other)
    assert found.fresh == found.gone == ("j3",)
    assert other.robots[0].coordinates() == {**was, 3: (0.0,)}
    reach = a_world(longer(robot, 4, 1.3))
    assert carry_over(world, reach).fresh == ()
    assert reach.robots[0].coordinates() == was
    for one in (world, reach):
        one.settle()
    arms = [one.robots[0].pose(4)[:3, 3] - one.robots[0].pose(3)[:3, 3] for one in (world, reach)]
    assert np.linalg.norm(arms[1]) == pytest.approx(1.3 * np.linalg.norm(arms[0]), rel=1e-12)
    driven(reach, 500)


@pytest.mark.parametrize("by_m", [(0.01, 0.0, 0.0), (0.0, 0.006, 0.008)])
def test_a_hexapods_joint_moved_by_10_mm_neither_gapes_nor_kicks(by_m):
    robot = paper_robot()
    world, other = a_world(robot), a_world(moved_closing(robot, 2, by_m))
    before = held(world)
    found = carry_over(world, other).closing
    assert found is not None
    assert 0.004 < found.gap_m <= 0.01 + 1e-6
    assert found.left_m < 1e-10
    after = held(other, 1)
    other.settle()
    assert other.gap_max_m <= 20e-6
    assert np.abs(after - before).max() <= 0.05
    unclosed = a_world(moved_closing(robot, 2, by_m))  # what it would be without
    unclosed._data.qpos[:] = world._data.qpos
    unclosed._data.qvel[:] = world._data.qvel
    held(unclosed, 1)
    unclosed.settle()
    assert unclosed.gap_max_m > 4e-3


def test_closing_moves_all_freedoms_as_little_as_all_together_allow():
    """The same correction by a pseudo-inverse of the tie's Jacobian, to first order."""
    robot = paper_robot()
    world, way = a_world(robot), np.array((1e-5, 0.0, 0.0))
    held(world, 100)
    world.settle()
    moved = world.positions.copy()
    other = a_world(moved_closing(robot, 0, way))
    carry_over(world, other)
    jacobian = world.tie_jacobian()
    first, second = (world._data.site_xpos[at] for at in
                     (world._model.eq_obj1id, world._model.eq_obj2id))  # fmt: skip
    gap = (second - first).ravel()  # the loops' own gaps are closed as well
    gap[:3] += world.robots[0].pose(1)[:3, :3] @ way
    step = -np.linalg.pinv(jacobian) @ gap
    found = np.zeros(world._model.nv)
    world._engine.mj_differentiatePos(world._model, found, 1.0, moved, other._data.qpos)
    np.testing.assert_allclose(found, step, atol=1e-9)
    assert np.abs(step).max() > 5e-6


def test_speeds_after_closing_keep_the_loops_closed():
    robot = paper_robot()
    world, other = a_world(robot), a_world(moved_closing(robot, 1, (0.0, 0.01, 0.0)))
    held(world)
    carry_over(world, other)
    other.settle()
    assert np.abs(other.tie_jacobian() @ other._data.qvel).max() < 1e-12


def test_loops_that_a_small_correction_does_not_close_are_refused():
    robot = paper_robot()
    world = a_world(robot)
    held(world, 50)
    with pytest.raises(
        CarryRefusedError, match=r"by (299\.\d|300) mm.*50 mm and 5 deg.*j\d+.? would"
    ):
        carry_over(world, a_world(moved_closing(robot, 0, (0.3, 0.0, 0.0))))
    bar = documented("four_bar")
    with pytest.raises(CarryRefusedError, match=r"(stays open by|would have to move by)"):
        carry_over(a_world(bar), a_world(moved_closing(bar, 0, (1.0, 0.4, 0.0))))


def test_a_follower_with_another_ratio_is_brought_to_it_like_a_loop():
    robot = documented("robot_a")
    joints = [replace(one, mimic=Mimic(2, 0.5, 0.0)) if one.number == 5 else one
              for one in robot.joints]  # fmt: skip
    drives = tuple(one for one in robot.drives if one.joint != 5)
    first = replace(robot, joints=tuple(joints), drives=drives)
    world = a_world(first)
    driven(world, 60)
    joints[5] = replace(joints[5], mimic=Mimic(2, 0.45, 0.0))
    other = a_world(replace(first, joints=tuple(joints)))
    closing = carry_over(world, other).closing
    assert closing is not None
    q = other.robots[0].coordinates()
    assert q[5][0] == pytest.approx(0.45 * q[2][0], abs=1e-10)


def test_a_joint_beyond_new_limits_is_refused_and_one_at_old_ones_is_not():
    robot = documented("robot_a")
    world = a_world(robot)
    driven(world, 100)
    at = world.robots[0].coordinates()[4][0]
    narrow = replace(robot, joints=tuple(
        replace(one, limits=((at + 0.01, at + 1.0),)) if one.number == 4 else one
        for one in robot.joints))  # fmt: skip
    with pytest.raises(CarryRefusedError, match=f"joint j4 is at {at:.6g} rad, outside its limits"):
        carry_over(world, a_world(narrow))
    pressed = a_world(narrow)
    pressed.robots[0].move_to({4: (at - 0.2,)})
    carry_over(pressed, a_world(narrow))


DELAYED = """<mujoco><compiler angle="radian"/><option timestep="0.002"/><worldbody>
<body><joint name="a" type="hinge"/><geom size="0.1" mass="1"/>{more}</body></worldbody>
<actuator><motor name="d" joint="a" delay="0.01" nsample="8"/></actuator>
<sensor>{before}<jointpos name="s" joint="a" delay="0.02" nsample="12"/></sensor></mujoco>"""


def test_what_is_delayed_goes_on_being_delayed():
    plain = World(ModelText(DELAYED.format(more="", before=""), (), ()))
    more = '<body><joint name="b" type="slide"/><geom size="0.1" mass="0.1"/></body>'
    sensed = '<jointpos name="r" joint="b" delay="0.006" nsample="4"/>'
    other = World(ModelText(DELAYED.format(more=more, before=sensed), (), ()))
    for step in range(30):
        plain._data.ctrl[:] = math.sin(step)
        plain.step()
    carry_over(plain, other)
    found, wanted = [], []
    for _ in range(4):  # a slide more moves nothing of the hinge
        for world, told in ((plain, wanted), (other, found)):
            world.step()
            told.append((world._data.sensor("s").data[0], world._data.actuator("d").force[0]))
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    assert len({one[0] for one in wanted}) == 4


def test_closed_brakes_stay_closed_where_they_are_and_those_that_slip_go_on_slipping():
    robot = paper_robot()
    names = [f"j{drive.joint}" for drive in robot.drives]
    friction = [4000.0] * 6

    def braked(of):
        text = with_brakes(model_text([PlacedRobot(of)], Stepping(1e-3)), names)
        world = World(text)
        return world, Brakes(world, names, friction)

    def step(world, brakes, count):
        for _ in range(count):
            brakes.close((True,) * 6)
            world.step()
        return world.positions.tobytes()

    (world, brakes), (other, others) = braked(robot), braked(robot)
    for _ in range(100):
        world.step()  # it falls
    step(world, brakes, 10)
    assert not all(brakes.locked)
    carry_over(world, other)
    others.carry_over(brakes.snapshot())
    assert step(other, others, 600) == step(world, brakes, 600)
    assert all(brakes.locked)
    moved, third = braked(replace(robot, joints=tuple(
        replace(one, start=(one.start[0] + 0.05,)) if f"j{one.number}" in names else one
        for one in robot.joints)))  # fmt: skip
    carry_over(world, moved)
    third.carry_over(brakes.snapshot())
    at = moved.robots[0].positions()
    step(moved, third, 300)
    np.testing.assert_allclose(moved.robots[0].positions(), at, atol=5e-6)
    with pytest.raises(ValueError, match="brakes of"):
        Brakes(world, names[:2], friction[:2]).restore(brakes.snapshot())


def braked_paper():
    robot = paper_robot()
    names = [f"j{drive.joint}" for drive in robot.drives]
    world = World(with_brakes(model_text([PlacedRobot(robot)], Stepping(1e-3)), names))
    return world, Brakes(world, names, [4000.0] * 6)


def switched(world, brakes, count):
    """Steps with brakes that open and close in turns, at different times."""
    for index in range(count):
        brakes.close([(index + k) % 90 < 60 for k in range(6)])
        world.step()
    return world.snapshot()


def test_brakes_go_on_from_a_snapshot():
    world, brakes = braked_paper()
    switched(world, brakes, 75)
    kept, own = world.snapshot(), brakes.snapshot()
    wanted = switched(world, brakes, 5000)
    other, others = braked_paper()
    other.restore(kept)
    others.restore(own)
    assert switched(other, others, 5000) == wanted


ELSEWHERE = """
import ast, hashlib, sys
from pathlib import Path
sys.path[:0] = {paths!r}
from test_engine_carrying import braked_paper, switched
from sim.world.engine.brakes import BrakesSnapshot
from sim.world.engine.world import WorldSnapshot
state, model, own = ast.literal_eval(Path({file!r}).read_text())
world, brakes = braked_paper()
world.restore(WorldSnapshot(state, model))
brakes.restore(BrakesSnapshot(*own))
print(hashlib.sha256(switched(world, brakes, 5000).state).hexdigest())
"""


def test_brakes_go_on_in_another_process_bit_by_bit(tmp_path):
    world, brakes = braked_paper()
    switched(world, brakes, 148)
    kept, own, file = world.snapshot(), brakes.snapshot(), tmp_path / "kept"
    assert (any(own.locked), all(own.locked)) == (True, False)
    file.write_text(repr((kept.state, kept.model, (own.joints, own.closing, own.locked))))
    wanted = hashlib.sha256(switched(world, brakes, 5000).state).hexdigest()
    tests = Path(__file__).parents[1]
    code = ELSEWHERE.format(paths=[str(tests), str(tests / "world")], file=str(file))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [wanted]


def test_bytes_that_are_no_model_are_refused():
    text = model_text([PlacedRobot(documented("four_bar"))])
    for bad in (b"", b"no model", compiled(text)[:-9]):
        with pytest.raises(ModelRefusedError, match="compiled model"):
            World(text, bad)
