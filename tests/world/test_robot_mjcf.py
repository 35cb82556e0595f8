"""MJCF read as a robot: our own models come back, those of others are judged by the engine."""

import math
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest
from mesh_bodies import QUADS, files_of
from robot_documents import coordinates, furnished, generated
from scipy.spatial.transform import Rotation

from hil.machines.world.mesh_files import files_beside
from hil.machines.world.robot_documents import robot_of, shipped_robots
from sim.world.engine.mjcf import model_text, robot_text
from sim.world.engine.mjcf_robot import PlacedRobot
from sim.world.engine.world import World
from sim.world.mjcf.mjcf_reader import read_mjcf
from sim.world.robots.body import BodyShape
from sim.world.robots.driven_universals import with_hinges
from sim.world.robots.faults import RobotDocumentError
from sim.world.robots.model import REST, JointType
from sim.world.robots.tree import spanning_tree

FOLDER = Path(__file__).parent / "mjcf"
FOREIGN = {"arm": "arm.xml", "linkage": "linkage.mjcf", "mistaken": "mistaken.xml"}
STEPPED = "a scene says how a world is stepped"
PICTURES = "how pictures are made"
LOSSES = {
    "arm": [
        f"4:3: mujoco timestep = 0.001: {STEPPED}",
        f"4:3: mujoco integrator = RK4: {STEPPED}",
        "4:45: mujoco contact = disable: <flag> has none of this name that is read; those that "
        "are read: class",
        f"5:3: mujoco <statistic>: {PICTURES}",
        "9:7: joint stiffness = 3: joints have no springs",
        "14:9: mujoco forcerange = -20 20: <position> has none of this name that is read; those "
        "that are read: none",
        f"23:5: mujoco shininess = 0.5: {PICTURES}",
        "24:5: mujoco <texture> = sky: textures are those of a mesh's own materials",
        "27:5: mujoco <light>: lights are a scene's",
        "28:5: geom floor <geom> = plane: floors and bodies of the world are a scene's",
        "34:9: body shoulder friction = 0.6: what touches is as hard and rough as the world has it",
        "44:15: body lower <geom> = ellipsoid: no link has a body of this type",
        "45:15: site tool quat: a place on a link is not turned",
        "49:17: body ball <camera> = eye: cameras are a scene's, or a sensor of a document",
        "58:5: position a1 <position> = a1: a servo of positions is a drive by torque; a law gives "
        "its command",
        "61:5: muscle a4 <muscle> = a4: <muscle> is no drive that is read: general, motor, "
        "velocity, position",
        "63:11: jointpos <jointpos> = pan: sensors are not read from MJCF",
        "64:13: mujoco ctrl = 0 0 0 0: commands are a run's",
        "64:82: mujoco <key> = other: a model begins at its first",
    ],
    "linkage": [
        "29:5: weld <weld>: a tie that is switched off closes nothing",
        "31:5: joint <joint> = tilt: a joint that is held has no word here; its type could be "
        "fixed",
        "35:5: motor <motor>: its greatest effort is not told: forcerange, ctrlrange, "
        "or actuatorfrcrange of the joint",
        "36:5: general <general>: drives have no dynamics of their own",
    ],
    "mistaken": [
        "1:1: mujoco modle = x: <mujoco> has none of this name that is read; those that are read: "
        "model",
        "3:12: joint dampng = 2: <joint> has none of this name that is read; those that are read: "
        "armature, axis, damping, frictionloss, limited, name, pos, range, ref, type",
        "6:7: body a denstiy = 500: <geom> has none of this name that is read; those that are "
        "read: axisangle, class, conaffinity, contype, density, euler, fromto, group, mass, "
        "material, mesh, name, pos, quat, rgba, size, type, xyaxes, zaxis",
        "7:7: body b mocap = false: every link is moved by its joint",
        "8:9: joint j rnage = -1 1: <joint> has none of this name that is read; those that are "
        "read: armature, axis, class, damping, frictionloss, limited, name, pos, range, ref, type",
        "10:9: body b <goem>: <body> has no such element",
        "14:3: mujoco <actuators>: <mujoco> has no such element",
    ],
}


def read(name):
    path = FOLDER / FOREIGN[name]
    return read_mjcf(path.read_text(encoding="utf-8"), path.name, files_beside(path))


def judge(name):
    """The engine's own model of a document."""
    text = (FOLDER / FOREIGN[name]).read_text(encoding="utf-8")
    meshes = {"meshes/cover.obj": (FOLDER / "meshes" / "cover.obj").read_bytes()}
    return mujoco.MjModel.from_xml_string(text, meshes)


@pytest.mark.parametrize("name", FOREIGN)
def test_every_loss_is_told_with_its_line(name):
    _, losses = read(name)
    assert [str(one) for one in losses] == LOSSES[name]


def posed(model, robot, rng):
    """Any state of the engine's model, and the same as coordinates of the document."""
    data, found = mujoco.MjData(model), {}
    numbers = {joint.name: joint.number for joint in robot.joints}
    for index in range(model.njnt):
        joint = model.joint(index)
        at, rest = joint.qposadr[0], model.qpos0
        name = joint.name or f"{model.body(int(joint.bodyid[0])).name}_joint1"
        if len(joint.qpos0) == 7:
            turned = Rotation.random(random_state=rng)
            data.qpos[at : at + 3] = rng.normal(size=3)
            data.qpos[at + 3 : at + 7] = turned.as_quat(scalar_first=True)
            own = data.qpos[at : at + 3] - rest[at : at + 3]
            found[numbers[name]] = (*own.tolist(), *data.qpos[at + 3 : at + 7].tolist())
        elif len(joint.qpos0) == 4:
            data.qpos[at : at + 4] = Rotation.random(random_state=rng).as_quat(scalar_first=True)
            found[numbers[name]] = tuple(data.qpos[at : at + 4].tolist())
        else:
            data.qpos[at] = rng.uniform(-2.0, 2.0)
            found[numbers[name]] = (float(data.qpos[at] - rest[at]),)
    mujoco.mj_forward(model, data)
    return data, found


@pytest.mark.parametrize("name", ["arm", "linkage"])
def test_links_are_where_the_engine_has_the_bodies(name):
    """A link's frame lies on the last joint of its body."""
    (robot, _), model = read(name), judge(name)
    tree, rng = spanning_tree(robot), np.random.default_rng(3)
    followers = {joint.number: joint.mimic for joint in robot.joints if joint.mimic}
    for _ in range(5):
        data, wanted = posed(model, robot, rng)
        for number, mimic in followers.items():
            (leader,) = wanted[mimic.joint]
            joint = model.joint(next(one.name for one in robot.joints if one.number == number))
            data.qpos[joint.qposadr[0]] = mimic.ratio * leader + mimic.offset
        mujoco.mj_forward(model, data)
        poses, judged = tree.poses(wanted), 0
        for link in robot.links:
            if link.name in {model.body(one).name for one in range(1, model.nbody)}:
                body = data.body(link.name)
                axes = body.xmat.reshape(3, 3)
                count = model.body(link.name).jntnum[0]
                last = model.body(link.name).jntadr[0] + count - 1
                offset = model.jnt_pos[last] if count else np.zeros(3)
                np.testing.assert_allclose(poses[link.number][:3, :3], axes, atol=1e-12)
                np.testing.assert_allclose(
                    poses[link.number][:3, 3], body.xpos + axes @ offset, atol=1e-12
                )
                judged += 1
        assert judged == model.nbody - 1


@pytest.mark.parametrize("name", ["arm", "linkage"])
def test_the_mass_matrix_is_the_engines(name):
    (robot, _), model = read(name), judge(name)
    data, wanted = posed(model, robot, np.random.default_rng(5))
    full = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, full)
    world = World(model_text([PlacedRobot(robot)]))
    world.robots[0].move_to(wanted)
    world.settle()
    order = []
    names = {joint.name: joint.number for joint in robot.joints}
    for index in range(model.njnt):
        joint = model.joint(index)
        name = joint.name or f"{model.body(int(joint.bodyid[0])).name}_joint1"
        order += world.robots[0].freedoms(names[name]).tolist()
    assert sorted(order) == list(range(model.nv))
    np.testing.assert_allclose(world.mass_matrix()[np.ix_(order, order)], full, atol=1e-9)


def test_drives_loops_limits_and_starts_are_those_of_the_models():
    arm, _ = read("arm")
    drives = [(one.joint, one.control, one.effort_max, one.speed_gain) for one in arm.drives]
    assert drives == [(1, "torque", 80.0, None), (2, "torque", 100.0, None),
                      (3, "speed", 20.0, 30.0)]  # fmt: skip
    pan, lift, bend = arm.joints[1:4]
    assert pan.limits[0] == pytest.approx(np.radians((-130.0, 110.0)))
    assert pan.start == pytest.approx((0.5 - math.radians(10.0),))
    assert (lift.damping, lift.armature, lift.friction, bend.damping) == (2.0, 0.1, 0.5, 0.4)
    assert arm.joints[5].limits == ((0.0, pytest.approx(math.radians(40.0))),)
    upper = arm.links[2]
    assert upper.visual.shape is BodyShape.MESH
    assert upper.visual.mesh.file == "meshes/cover.obj"
    assert (arm.links[5].colour, upper.colour) == ((0.8, 0.1, 0.1), (0.2, 0.4, 0.6))
    linkage, _ = read("linkage")
    (drive,) = linkage.drives
    assert (drive.control, drive.effort_max, drive.speed_max) == ("voltage", 40.0, 5.0)
    slider = next(joint for joint in linkage.joints if joint.name == "slider")
    assert slider.limits == ((pytest.approx(-0.15), pytest.approx(0.35)),)
    assert slider.start == (pytest.approx(-0.03),)
    plate = next(joint for joint in linkage.joints if joint.type is JointType.FREE)
    assert plate.start == pytest.approx((0.5, -0.1, 0.2, 0.6, 0.0, 0.8, 0.0))
    follower = next(joint for joint in linkage.joints if joint.mimic)
    assert (follower.name, follower.mimic.ratio, follower.mimic.offset) == ("rocker", -2.0, 0.1)
    loops = [joint for joint in linkage.joints if joint.closes]
    assert [(one.type, one.parent, one.child) for one in loops] == [
        (JointType.BALL, 2, 5), (JointType.BALL, 7, 0),
    ]  # fmt: skip
    model, data = judge("linkage"), None
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    rest = {joint.number: REST[joint.type] for joint in linkage.joints if not joint.closes}
    alone = tuple(replace(joint, mimic=None) for joint in linkage.joints)
    poses = spanning_tree(replace(linkage, joints=alone)).poses(rest)
    anchors = [(data.body("rod"), 0.5), (data.body("plate"), 0.2)]
    for one, (body, way) in zip(loops, anchors, strict=True):  # where the engine has them
        at = body.xpos + way * body.xmat.reshape(3, 3)[:, 0]
        ends = [poses[link] @ (*at, 1.0) for link, at in
                ((one.parent, one.at_parent_m), (one.child, one.at_child_m))]  # fmt: skip
        for end in ends:
            np.testing.assert_allclose(end[:3], at, atol=1e-12)


OURS = [*shipped_robots(), *range(40)]


def mass_matrix(robot):
    world = World(model_text([PlacedRobot(robot)]))
    return [world._model.joint(i).name for i in world._model.dof_jntid], world.mass_matrix()


@pytest.mark.parametrize("name", OURS)
def test_our_own_models_come_back_with_their_numbers(name):
    if isinstance(name, str):
        robot = with_hinges(robot_of(name)[0])
    else:
        robot = furnished(name) if name % 2 else generated(name)
    found, losses = read_mjcf(robot_text(robot), "written.xml")
    apart = robot.machine is not None and robot.machine.own_bodies  # pairs that touch
    reasons = {"sensors are not read from MJCF", "cameras are a scene's, or a sensor of a document"}
    reasons |= {"links of one robot do not touch each other"} if apart else set()
    assert {one.reason for one in losses} <= reasons
    wanted = coordinates(robot, 7)
    one, other = (spanning_tree(each).poses(wanted) for each in (robot, found))
    for number, pose in one.items():
        np.testing.assert_allclose(other[number], pose, atol=1e-12)
    (names, mass), (others, found_mass) = mass_matrix(robot), mass_matrix(found)
    assert names == others
    scale = max(1.0, float(np.abs(mass).max(initial=0.0)))
    np.testing.assert_allclose(found_mass, mass, atol=1e-9 * scale)
    assert len(found.drives) == len(robot.drives)
    for drive, again in zip(robot.drives, found.drives, strict=True):
        assert (again.joint, again.control) == (drive.joint, drive.control)
        assert again.effort_max == pytest.approx(drive.effort_max, rel=1e-15)
        if drive.control == "voltage":
            assert again.speed_max == pytest.approx(drive.speed_max, rel=1e-15)
    joints = {joint.number: joint for joint in found.joints}
    for joint in robot.joints:
        again = joints.get(joint.number)
        if joint.type not in (JointType.FIXED, JointType.FREE) or joint.closes:
            assert again is not None
            assert (again.type, again.limits, again.at_parent_m, again.at_child_m) == (
                joint.type, joint.limits if not joint.closes else (), joint.at_parent_m,
                joint.at_child_m,
            )  # fmt: skip
            assert again.mimic == joint.mimic


MODEL = """<mujoco>
  <compiler angle="radian"/>
  <default><default class="c"><joint axis="1 0 0"/></default></default>
  <worldbody>
    <body name="a">
      <geom type="box" size="1 1 1"/>
      <body name="b">
        <joint name="j" class="c"/>
        <geom type="sphere" size="1"/>
        <site name="s"/>
      </body>
    </body>
  </worldbody>
  <equality><connect body1="a" body2="b" anchor="0 0 0"/></equality>
</mujoco>"""
FAULTS = {
    "no number": ('size="1"', 'size="one"',
        '9:9: one: geom size is not read; finite numbers up to 1e+12, 1 of them: size="0"'),
    "not finite": ('size="1"', 'size="nan"',
        '9:9: nan: geom size is not read; finite numbers up to 1e+12, 1 of them: size="0"'),
    "size 0": ('size="1"', 'size="0"', "9:9: 0: a sphere has 1 sizes; above 0 m"),
    "sizes missing": ('size="1 1 1"', 'size="1 1"', "6:7: 1 1: a box has 3 sizes; above 0 m"),
    "no such type": ('type="sphere"', 'type="ball"',
        "9:9: ball: geom type: no such word; one of sphere, capsule, cylinder, box, mesh, plane, "
        "hfield, ellipsoid, sdf"),
    "no such class": ('class="c"/>', 'class="d"/>',
        "8:9: d: no such class of defaults; one of: c, main"),
    "no such child class": ('name="b"', 'name="b" childclass="d"',
        "7:7: d: no such class of defaults; one of: c, main"),
    "two of a name": ('name="b"', 'name="a"', "7:7: a: told twice; a name that no other has"),
    "no such body": ('body2="b"', 'body2="c"', "14:13: c: no such body; a body that is there"),
    "no such site": ('body1="a" body2="b" anchor="0 0 0"', 'site1="s" site2="t"',
        "14:13: t: no such site; a site that is there"),
    "no axis": ('axis="1 0 0"', 'axis="0 0 0"',
        "8:9: joint j axis = (0.0, 0.0, 0.0): it has no direction; "
        "a length of 1e-6 … 1e6, 1 is usual"),
    "turned by nothing": ('name="b"', 'name="b" quat="0 0 0 0"',
        "7:7: 0 0 0 0: quat turns nothing; directions of a length above 0, two of them not "
        "parallel"),
    "limits turned over": ('class="c"/>', 'class="c" range="1 -1"/>',
        "8:9: joint j limits = ((1.0, -1.0)): 1.0 is not below -1.0; least first"),
    "no moments": ('<site name="s"/>', '<inertial pos="0 0 0" mass="1"/>',
        "10:9: an inertial has no moments; diaginertia or fullinertia"),
    "other files": ("<worldbody>", '<include file="b.xml"/><worldbody>',
        "4:3: b.xml: cannot be read: No such file or directory; a file that is there"),
    "no model": ("mujoco", "robot",
        "1:1: <robot>: no MJCF; <mujoco> is the outermost element; the name of a file of URDF ends "
        "in .urdf"),
    "no world": ("worldbody", "world", "1:1: no <worldbody>; one, with all bodies"),
    "no XML": ("</equality>", "", "15:3: no XML: mismatched tag; elements that open and close"),
    "axes of Euler": ('angle="radian"', 'eulerseq="xyw"',
        "2:3: xyw: eulerseq is not read; three of x, y, z, X, Y, Z"),
    "a key of another model": ("</equality>", '</equality><keyframe><key qpos="1 2"/></keyframe>',
        "14:79: 2: so many coordinates of another model; 1 of all joints in their order"),
    "a mesh absent": ("<worldbody>",
        '<asset><mesh name="m" file="m.stl"/></asset><worldbody>',
        "4:10: m.stl: m.stl cannot be read: No such file or directory; a file that is there"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_told_with_its_place(name):
    old, new, wanted = FAULTS[name]
    assert old in MODEL
    with pytest.raises(RobotDocumentError) as caught:
        read_mjcf(MODEL.replace(old, new), "a.xml", files_of())
    assert f"a.xml:{wanted}" in str(caught.value).splitlines()


def test_meshes_of_the_text_and_of_files_come_back():
    mesh = '<asset><mesh name="m" file="m.obj" scale="1 2 3"/></asset><worldbody>'
    text = MODEL.replace("<worldbody>", mesh)
    text = text.replace('type="sphere" size="1"', 'type="mesh" mesh="m"')
    robot, losses = read_mjcf(text, "a.xml", files_of(m_obj=QUADS))
    assert [str(one) for one in losses] == []
    found, losses = read_mjcf(robot_text(robot), "again.xml")
    assert [str(one) for one in losses] == []
    one, other = mass_matrix(robot), mass_matrix(found)
    np.testing.assert_allclose(one[1], other[1], rtol=1e-14)
    assert found.links[1].mesh.file == "mesh1.obj"


@pytest.mark.parametrize("kind", ["capsule", "cylinder", "box"])
def test_a_geom_from_point_to_point_is_the_engines(kind):
    size = "0.1 0.2" if kind == "box" else "0.1"
    geom = f'type="{kind}" fromto="0.1 0.2 0.3 -0.4 0.1 0.9" size="{size}"'
    text = MODEL.replace('type="sphere" size="1"', geom)
    robot, _ = read_mjcf(text, "a.xml")
    model = mujoco.MjModel.from_xml_string(text)
    data, _ = posed(model, robot, np.random.default_rng(1))
    full = np.zeros((1, 1))
    mujoco.mj_fullM(model, data, full)
    np.testing.assert_allclose(mass_matrix(robot)[1], full, rtol=1e-12)
    ours = World(model_text([PlacedRobot(robot)]))._model
    np.testing.assert_allclose(ours.geom("g1").size, model.geom(1).size, atol=1e-15)
