"""Rigs as jointed robots: their files by hand, geometry and statics in closed form."""

import math
import tomllib
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from hil.config.file_search import configs_dir
from hil.machines.rig.machine import geometry_of, load_rig
from hil.machines.world.documents import machine_robot
from hil.machines.world.rig_document import ORIGIN, PLATFORM, rig_robot, stroke_joint
from hil_common.arrays.pose import Pose
from platform6dof.inverse import leg_lengths
from sim.world.engine.mjcf import Stepping, model_text
from sim.world.engine.mjcf_robot import PlacedRobot
from sim.world.engine.world import World
from sim.world.robots.tree import spanning_tree

CONFIGS = configs_dir()
TEST_POSE = (0.05, -0.03, 0.9, *np.radians([4.0, -6.0, 8.0]))
TEST_LENGTHS_M = (1.023692732, 1.037681671, 1.023920363, 0.901603299, 0.838927058, 1.032428721)
"""Of the paper's platform there."""


def table_of(folder, name):
    return tomllib.loads((CONFIGS / folder / f"{name}.toml").read_text(encoding="utf-8"))


def a_world(robot, **stepping):
    return World(model_text([PlacedRobot(robot)], Stepping(**stepping)))


def paper_lengths_m(position_m, rotation):
    """|p + M b - a| of the paper's two circles, written out."""
    half = math.radians(14.0)
    corners = [math.radians(one) for one in (0.0, 120.0, 120.0, 240.0, 240.0, 0.0)]
    found = []
    for leg, corner in enumerate(corners):
        base = corner + (half if leg % 2 == 0 else -half)
        a = np.array([math.cos(base), math.sin(base), 0.0])
        b = 0.7 * np.array([math.cos(corner), math.sin(corner), 0.0])
        found.append(np.linalg.norm(position_m + rotation @ b - a))
    return np.array(found)


def held(rig, platform_kg, pose, seconds, step_s=0.001, shaken=(0.0, 0.0, 0.0)):
    """A rig whose drives have held its strokes where it started.

    Its world, mean forces [N] and greatest gap [m] of the last 0.2 s; its base is shaken by some
    acceleration [m/s2] at 5 Hz.
    """
    robot, _ = rig_robot(rig, platform_kg=platform_kg, X_BP=pose)
    world = a_world(robot, step_s=step_s)
    (one,) = world.robots
    wanted_m, whole_n, forces_n, gaps_m = one.positions().copy(), np.zeros(6), [], []
    for index in range(round(seconds / step_s)):
        swing = math.sin(10.0 * math.pi * index * step_s)
        world.pull(np.array((0.0, 0.0, -9.81)) - swing * np.array(shaken))
        error_m = wanted_m - one.positions()
        whole_n += 3e6 * step_s * error_m
        one.command(1e6 * error_m - 2e4 * one.speeds() + whole_n)
        world.step()
        if index * step_s >= seconds - 0.2:
            forces_n.append(one.efforts().copy())
            gaps_m.append(world.gap_max_m)
    return world, np.mean(forces_n, axis=0), max(gaps_m)


def test_a_rigs_values_are_its_files():
    machine, table = machine_robot("rig:training_simulator"), table_of("rigs", "training_simulator")
    cylinders, limits = table["cylinders"], table["limits"]
    joints = {joint.number: joint for joint in machine.robot.joints}
    cone = math.radians(limits["joint_cone_base_deg"])
    for leg, drive in enumerate(machine.robot.drives):
        slide = joints[drive.joint]
        assert (drive.control, drive.effort_max) == ("torque", cylinders["force_max_n"])
        assert slide.number == stroke_joint(leg)
        assert slide.limits == ((0.0, pytest.approx(cylinders["stroke_m"])),)
        assert slide.armature == 20.0
        assert joints[slide.parent].limits == ((-cone, cone),) * 2
    assert machine.robot.machine is not None
    for bounds in machine.robot.machine.joints:
        assert bounds.speed == limits["speed_max_m_s"]
        assert bounds.acceleration == limits["acceleration_max_m_s2"]
        assert bounds.effort == cylinders["force_max_n"]
    masses = [link.mass_kg for link in machine.robot.links]
    assert masses == [None, 6 * cylinders["moving_mass_kg"], *(25.0, 8.0) * 6]
    told = {loss.field for loss in machine.losses}
    assert {"cylinder_kg", "rod_kg", "rotor_kg", "limits.joint_cone_platform_deg"} <= told


@pytest.mark.parametrize("name", ["paper", "training_simulator"])
def test_strokes_of_a_rig_are_its_inverse_kinematics(name):
    rig = load_rig(CONFIGS / "rigs" / f"{name}.toml")
    geometry, box = geometry_of(rig), rig.pose_box.box()
    rng = np.random.default_rng(5)
    for _ in range(20):
        pose = Pose.from_coordinates(rng.uniform(box.lower, box.upper))
        robot, _ = rig_robot(rig, X_BP=pose)
        tree = spanning_tree(robot)
        poses, coordinates = tree.poses(), tree.coordinates({})
        np.testing.assert_allclose(poses[PLATFORM][:3, 3], pose.position_m, atol=1e-14)
        np.testing.assert_allclose(tree.end_poses(poses)[ORIGIN][:3, :3], pose.rotation, atol=1e-14)
        strokes = [coordinates[stroke_joint(leg)][0] for leg in range(6)]
        lengths_m = geometry.closed_length_m + strokes
        np.testing.assert_allclose(lengths_m, leg_lengths(geometry, pose), atol=1e-12)
        for loop in tree.loops:
            first = poses[loop.parent] @ [*loop.at_parent_m, 1.0]
            np.testing.assert_allclose(
                first, poses[loop.child] @ [*loop.at_child_m, 1.0], atol=1e-12
            )


def test_legs_of_the_paper_rig_touch_no_floor_at_their_joints():
    """Tubes begin above the base's joints, so that those may lie in the floor."""
    rig = load_rig(CONFIGS / "rigs" / "paper.toml")
    box, rng = rig.pose_box.box(), np.random.default_rng(6)
    floor = '<worldbody><geom type="plane" size="0 0 0.1" contype="1" conaffinity="1" />'
    for _ in range(20):
        robot, _ = rig_robot(rig, X_BP=Pose.from_coordinates(rng.uniform(box.lower, box.upper)))
        made = model_text([PlacedRobot(robot)])
        world = World(replace(made, text=made.text.replace("<worldbody>", floor)))
        assert world._data.ncon == 0


def test_the_held_paper_rig_is_where_its_lengths_say():
    rig, pose = load_rig(CONFIGS / "rigs" / "paper.toml"), Pose.from_coordinates(TEST_POSE)
    world, _, _ = held(rig, 300.0, pose, 4.0)
    (one,) = world.robots
    lengths_m = 0.64 + one.positions()
    np.testing.assert_allclose(lengths_m, TEST_LENGTHS_M, atol=20e-6)
    np.testing.assert_allclose(lengths_m, leg_lengths(geometry_of(rig), pose), atol=20e-6)
    at = one.pose(PLATFORM)
    np.testing.assert_allclose(paper_lengths_m(at[:3, 3], at[:3, :3]), lengths_m, atol=20e-6)
    np.testing.assert_allclose(at[:3, 3], TEST_POSE[:3], atol=20e-6)
    turned = Rotation.from_euler("ZYX", TEST_POSE[3:]).as_matrix()
    np.testing.assert_allclose(at[:3, :3], turned, atol=20e-6)


def test_held_legs_bear_what_statics_say():
    """Weight of the platform, of the rod along the leg, and of both across it, about the base."""
    rig = load_rig(CONFIGS / "rigs" / "paper.toml")
    length_m, height_m, g = 1.002901283, 0.935, 9.81
    cosine = height_m / length_m
    sine = math.sqrt(1.0 - cosine**2)
    weight = 300.0 * g / 6.0 / cosine
    along = 8.0 * g * cosine
    moments = 25.0 * 0.3 + 8.0 * (length_m - 0.3)  # centres 0.3 m from their joints
    across = moments * g * sine / length_m * sine / cosine
    assert (weight, along, across) == pytest.approx((526.12, 73.17, 18.01), abs=0.005)
    _, forces_n, gap_m = held(rig, 300.0, Pose.from_coordinates([0, 0, height_m, 0, 0, 0]), 4.0)
    np.testing.assert_allclose(forces_n, 617.30, rtol=1e-3)
    np.testing.assert_allclose(forces_n, weight + along + across, rtol=1e-4)
    assert gap_m < 1e-6


@pytest.mark.parametrize("axis", [0, 2])
def test_loops_of_a_held_rig_stay_closed_while_its_base_is_shaken(axis):
    """±1 g at 5 Hz, steps of 2 ms."""
    rig = load_rig(CONFIGS / "rigs" / "paper.toml")
    shaken = 9.81 * np.eye(3)[axis]
    _, _, gap_m = held(rig, 300.0, rig.neutral.pose(), 1.0, 0.002, shaken)
    assert 0.0 < gap_m <= 20e-6
