"""Robots in the engine, judged by their own closed forms and by the engine's state of old."""

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from robot_documents import coordinates, generated, shipped_text
from scipy.spatial.transform import Rotation

from sim.world.engine import library
from sim.world.engine.library import EngineMissingError
from sim.world.engine.mjcf import Stepping, model_text
from sim.world.engine.mjcf_robot import PlacedRobot
from sim.world.engine.model_compiler import ModelText
from sim.world.engine.world import DivergedError, ModelRefusedError, World
from sim.world.robots.bodies import placed_bodies
from sim.world.robots.body import BodyShape, LinkInertia
from sim.world.robots.model import JointType, Mimic, Robot, RobotDrive, RobotJoint, RobotLink
from sim.world.robots.robot_toml_reader import read_toml
from sim.world.robots.tree import spanning_tree

seeds = st.integers(0, 2**32 - 1)
FLAT = (0.0, 0.0, 0.0, 0.0)


def a_world(robot, **stepping):
    return World(model_text([PlacedRobot(robot)], Stepping(**stepping)))


def documented(name):
    return read_toml(shipped_text(name, "toml"), name)


def one_joint(kind, axis=(0.0, 0.0, 1.0), drive=None, **joint):
    """A ball of 2 kg on one joint, half a metre along x from it, with a rod of nothing."""
    inertia = LinkInertia(2.0, (0.5, 0.0, 0.0), (0.01, 0.01, 0.01, 0.0, 0.0, 0.0))
    links = (RobotLink(0, FLAT, (1,)), RobotLink(1, FLAT, inertia=inertia))
    joints = (
        RobotJoint(0, JointType.FIXED, (), -1, 0),
        RobotJoint(1, kind, axis, 0, 1, **joint),
    )
    return Robot(links, joints, drives=(drive,) if drive else ())


@settings(max_examples=30)
@given(seeds)
def test_links_are_where_the_document_has_them(seed):
    robot = generated(seed, links_max=30)
    world = a_world(robot)
    (one,) = world.robots
    wanted = coordinates(robot, seed + 1)
    one.move_to(wanted)
    world.settle()
    poses = spanning_tree(robot).poses(wanted)
    for number, pose in poses.items():
        np.testing.assert_allclose(one.pose(number), pose, atol=1e-12)
    told = one.coordinates()
    assert set(told) <= set(wanted)
    for number, values in told.items():
        np.testing.assert_allclose(values, wanted[number], atol=1e-15)


@settings(max_examples=20)
@given(seeds)
def test_mass_matrix_is_the_sum_over_links(seed):
    robot = generated(seed, links_max=12, loops_max=0)
    world = a_world(robot)
    (one,) = world.robots
    tree = spanning_tree(robot)
    start = tree.coordinates({})
    free = [j.number for j in robot.joints if j.type in (JointType.HINGE, JointType.SLIDE)]
    free = [n for n in free if n in start and tree_joint(tree, n).mimic is None]
    mass = world.mass_matrix()
    names = [world._model.joint(i).name for i in world._model.dof_jntid]
    bodies = placed_bodies(robot)
    for number in free:
        poses = {s: tree.poses({**start, number: (start[number][0] + s,)}) for s in (-1e-6, 1e-6)}
        energy = tree_joint(tree, number).armature
        here = tree.poses(start)
        for link, body in bodies.items():
            if link not in here:
                continue
            centre = [p[link][:3, :3] @ body.mass.centre_m + p[link][:3, 3] for p in poses.values()]
            turned = poses[1e-6][link][:3, :3] @ poses[-1e-6][link][:3, :3].T
            v = (centre[1] - centre[0]) / 2e-6
            w = here[link][:3, :3].T @ Rotation.from_matrix(turned).as_rotvec() / 2e-6
            energy += body.mass.mass_kg * v @ v + w @ body.mass.inertia_kg_m2 @ w
        index = names.index(f"j{number}")
        assert mass[index, index] == pytest.approx(energy, rel=1e-6, abs=1e-9)
    assert one.coordinates()


def tree_joint(tree, number):
    return next(j for j in tree.drivers.values() if j.number == number)


@pytest.mark.parametrize("name", ["robot_a", "robot_b", "four_bar"])
def test_shipped_robots_step_for_a_second(name):
    world = a_world(documented(name))
    assert world.gap_max_m < 1e-9
    world.step(500)
    assert world.time_s == pytest.approx(1.0)


def test_the_gap_of_a_falling_four_bar_is_small_and_a_quarter_at_half_the_step():
    """It swings freely through 190 rad/s²; gaps go with acceleration and with the step squared."""
    peak_m = []
    for step_s in (0.002, 0.001, 0.0005):
        world, gaps_m = a_world(documented("four_bar"), step_s=step_s), []
        while world.time_s < 1.0:
            world.step()
            gaps_m.append(world.gap_max_m)
        peak_m.append(max(gaps_m))
    assert 100e-6 < peak_m[0] < 400e-6
    assert peak_m[0] / peak_m[1] == pytest.approx(4.0, rel=0.1)
    assert peak_m[1] / peak_m[2] == pytest.approx(4.0, rel=0.1)


def test_a_pendulum_swings_as_its_energy_says():
    """From level to hanging: m g l = (m l² + I) ω² / 2."""
    world = a_world(one_joint(JointType.HINGE, (0.0, 1.0, 0.0)), step_s=0.001, integrator="RK4")
    (one,) = world.robots
    began = sum(world.energy_j())
    while one.coordinates()[1][0] < math.pi / 2:
        world.step()
    inertia = 2.0 * 0.25 + 0.01
    angle = one.coordinates()[1][0]
    wanted = math.sqrt(2.0 * 2.0 * 9.81 * 0.5 * math.sin(angle) / inertia)
    assert world._data.qvel[0] == pytest.approx(wanted, rel=1e-9)
    assert sum(world.energy_j()) == pytest.approx(began, abs=1e-9)


def test_a_voltage_is_the_motor_law():
    """In rest at U = load / M_s; without load at U = ω / ω_idle (eq. 3 of the paper)."""
    drive = RobotDrive(1, "voltage", 200.0, 1.047)
    robot = one_joint(JointType.HINGE, (0.0, 1.0, 0.0), drive, armature=0.1)
    world = a_world(robot)
    (one,) = world.robots
    one.command([-2.0 * 9.81 * 0.5 / 200.0])
    world.step(200)
    assert one.speeds()[0] == pytest.approx(0.0, abs=1e-9)
    assert one.efforts()[0] == pytest.approx(-9.81, rel=1e-9)
    free = a_world(robot, gravity_m_s2=(0.0, 0.0, 0.0))
    free.robots[0].command([0.6])
    free.step(500)
    assert free.robots[0].speeds()[0] == pytest.approx(0.6 * 1.047, rel=1e-6)


def test_a_torque_and_a_speed_do_as_they_are_told():
    torque = one_joint(JointType.HINGE, drive=RobotDrive(1, "torque", 30.0))
    world = a_world(torque, gravity_m_s2=(0.0, 0.0, 0.0))
    world.robots[0].command([100.0])  # more than the drive can
    world.step(50)
    assert world.robots[0].speeds()[0] == pytest.approx(30.0 / 0.51 * 0.1, rel=1e-9)
    speed = one_joint(JointType.HINGE, drive=RobotDrive(1, "speed", 3000.0, None, 2000.0))
    world = a_world(speed, gravity_m_s2=(0.0, 0.0, 0.0))
    world.robots[0].command([0.7])
    world.step(500)
    assert world.robots[0].speeds()[0] == pytest.approx(0.7, rel=1e-6)


def test_a_joint_that_follows_keeps_its_ratio():
    robot = one_joint(JointType.HINGE, (0.0, 1.0, 0.0), start=(0.3,))
    other = RobotJoint(2, JointType.SLIDE, (1.0, 0.0, 0.0), 0, 2, mimic=Mimic(1, -0.2, 0.1))
    light = LinkInertia(0.1, (0.0, 0.0, 0.0), (1e-3, 1e-3, 1e-3, 0.0, 0.0, 0.0))
    robot = Robot((*robot.links, RobotLink(2, FLAT, inertia=light)), (*robot.joints, other))
    world = a_world(robot)
    for _ in range(5):
        q = world.robots[0].coordinates()
        assert q[2][0] == pytest.approx(-0.2 * q[1][0] + 0.1, abs=1e-5)
        world.step(100)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_command_that_is_no_number_is_refused_whole(bad):
    world = a_world(documented("robot_a"))
    (one,) = world.robots
    one.command([1.0] * 6)
    with pytest.raises(ValueError, match="not finite"):
        one.command([0.0, 0.0, bad, 0.0, 0.0, 0.0])
    assert world._data.ctrl.tolist() == [1.0] * 6


def test_divergence_is_told_with_joint_and_time_and_leaves_no_file(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    world = a_world(documented("robot_a"))
    world.step(10)
    world._data.qfrc_applied[3] = 1e200
    with pytest.raises(DivergedError, match=r"j\d: .*after t = 0.02 s"):
        world.step(10)
    assert 0.02 < world.time_s < 0.03  # it did not begin again
    assert not list(tmp_path.iterdir())
    assert capfd.readouterr() == ("", "")


RESTORED = """
import hashlib, sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from test_engine_world import a_world, documented, driven
from sim.world.engine.world import WorldSnapshot
world = a_world(documented({name!r}))
parts = [Path(p).read_bytes() for p in {files!r}]
world.restore(WorldSnapshot(parts[0], tuple(parts[1:])))
print(driven(world, 2000))
"""


def driven(world, steps):
    """Steps with commands that change, and what the state comes to."""
    import hashlib

    (one,) = world.robots
    for _ in range(steps):
        one.command([3.0 * math.sin(5.0 * world.time_s + k) for k in range(len(one.drives))])
        world.step()
    return hashlib.sha256(world.snapshot().state).hexdigest()


@pytest.mark.parametrize("name", ["robot_b", "four_bar"])
def test_a_snapshot_goes_on_bit_by_bit_in_another_process(name, tmp_path):
    world = a_world(documented(name))
    driven(world, 137)
    found = world.snapshot()
    files = []
    for index, part in enumerate((found.state, *found.model)):
        files.append(str(tmp_path / f"{index}.bin"))
        Path(files[-1]).write_bytes(part)
    wanted = driven(world, 2000)
    world.restore(found)
    assert driven(world, 2000) == wanted
    code = RESTORED.format(tests=str(Path(__file__).parent), name=name, files=files)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == wanted


def test_a_snapshot_of_another_model_is_refused():
    with pytest.raises(ValueError, match="another model"):
        a_world(documented("robot_a")).restore(a_world(documented("four_bar")).snapshot())


def test_what_the_engine_refuses_is_told():
    with pytest.raises(ModelRefusedError, match="the engine refuses the model"):
        World(ModelText("<mujoco><worldbody><geom/></worldbody>", (), ()))


def test_without_the_engine_it_says_how_it_is_had(monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    library.engine.cache_clear()
    with pytest.raises(EngineMissingError, match=r"pip install hil-bench\[world\]"):
        library.engine()
    library.engine.cache_clear()


def test_shapes_are_those_of_the_document():
    robot = documented("robot_a")
    world = a_world(robot)
    for number, body in placed_bodies(robot).items():
        if body.shape is BodyShape.NONE:
            continue
        geom = world._model.geom(f"g{number}")
        volume = {2: lambda r, *_: 4 / 3 * math.pi * r**3,
                  3: lambda r, h, *_: math.pi * r**2 * (2 * h + 4 / 3 * r),
                  5: lambda r, h, *_: math.pi * r**2 * 2 * h,
                  6: lambda a, b, c: 8 * a * b * c}[int(geom.type[0])](*geom.size)  # fmt: skip
        density = next(one.density_kg_m3 for one in robot.links if one.number == number)
        assert body.mass.mass_kg == pytest.approx(density * volume, rel=1e-12)
