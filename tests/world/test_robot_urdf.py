"""URDF there and back, judged by pinocchio's own reader, and damaged."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import at_least
from robot_documents import SHIPPED, coordinates, furnished, generated, shipped_text
from scipy.spatial.transform import Rotation

from sim.world.engine.mjcf import model_text
from sim.world.engine.mjcf_robot import PlacedRobot, joint_names
from sim.world.engine.world import World
from sim.world.robots.body import BodyShape, LinkVisual
from sim.world.robots.faults import RobotDocumentError
from sim.world.robots.losses import Loss
from sim.world.robots.model import JointType, Robot
from sim.world.robots.robot_toml_reader import read_toml
from sim.world.robots.robot_toml_writer import write_toml
from sim.world.robots.rotations import quaternion_of, rotation_of_rpy, rpy_of
from sim.world.robots.tree import spanning_tree
from sim.world.robots.urdf_reader import read_urdf
from sim.world.robots.urdf_writer import urdf_losses, write_urdf

pin = pytest.importorskip("pinocchio", reason="the judge of URDF is pinocchio")
seeds = st.integers(0, 2**32 - 1)
DOCUMENTS = [*SHIPPED, *range(60)]
FLAT = "0.0 0.0 0.0"


def the_robot(name) -> Robot:
    if isinstance(name, str):
        return read_toml(shipped_text(name, "toml"), name)
    return furnished(name) if name % 2 else generated(name)


def again(robot) -> Robot:
    found, losses = read_urdf(write_urdf(robot), "written.urdf")
    assert losses == ()
    return found


def mass_matrix(robot) -> tuple[list[str], np.ndarray]:
    """Of the engine where the robot starts, and the joint of each freedom."""
    world = World(model_text([PlacedRobot(robot)]))
    names = [world._model.joint(i).name for i in world._model.dof_jntid]
    return names, world.mass_matrix()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_there_and_back_moves_and_weighs_the_same(name):
    robot = the_robot(name)
    found = again(robot)
    wanted = coordinates(robot, 7)
    one, other = (spanning_tree(each).poses(wanted) for each in (robot, found))
    assert one.keys() == other.keys()
    for number, pose in one.items():
        np.testing.assert_allclose(other[number], pose, atol=1e-12)
    (names, mass), (others, found_mass) = mass_matrix(robot), mass_matrix(found)
    order = [others.index(one) + (names[:i].count(one)) for i, one in enumerate(names)]
    scale = max(1.0, float(np.abs(mass).max(initial=0.0)))
    np.testing.assert_allclose(found_mass[np.ix_(order, order)], mass, atol=1e-9 * scale)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_there_and_back_says_the_same(name):
    """All but what a URDF does not have is the same value, digit by digit."""
    robot = the_robot(name)
    found = again(robot)
    assert (found.name, found.drives, found.machine) == (robot.name, robot.drives, robot.machine)
    for one, other in zip(robot.joints, found.joints, strict=True):
        axis = one.axis if one.type not in (JointType.FIXED, JointType.FREE) else other.axis
        assert replace(other, axis=axis) == replace(one, axis=axis)
    for one, other in zip(robot.links, found.links, strict=True):
        assert (one.number, one.name, one.shape) == (other.number, other.name, other.shape)
        assert one.colour == other.colour or one.shape is BodyShape.NONE
        assert sorted(one.leaving) == sorted(other.leaving)
    told = {(loss.subject.split()[0], loss.field) for loss in urdf_losses(robot)}
    assert told <= {("link", "density_kg_m3"), ("sensor", "kind"), ("joint", "damping")}
    assert (("sensor", "kind") in told) == bool(robot.sensors)
    assert (("link", "density_kg_m3") in told) == any(one.density_kg_m3 for one in robot.links)


def pinocchio_state(robot, model, wanted):
    """Positions for pinocchio's model: three angles about x, y, z for a ball."""
    q = pin.neutral(model)
    for joint in robot.joints:
        if joint.closes or joint.type in (JointType.FIXED, JointType.END):
            continue
        name = joint.name or f"joint{joint.number}"
        parts = {JointType.BALL: 3, JointType.UNIVERSAL: 2}.get(joint.type, 1)
        names = [*(f"{name}_{k}" for k in range(1, parts)), name]
        values = wanted[joint.number]
        if joint.type is JointType.FREE:
            at = model.joints[model.getJointId(name)]
            q[at.idx_q : at.idx_q + 7] = (*values[:3], *values[4:], values[3])
            continue
        if joint.type is JointType.BALL:
            values = Rotation.from_quat(values, scalar_first=True).as_euler("XYZ")
        for one, value in zip(names, values, strict=True):
            at = model.joints[model.getJointId(one)]
            q[at.idx_q : at.idx_q + at.nq] = (
                (math.cos(value), math.sin(value)) if at.nq == 2 else value
            )
    return q


@pytest.mark.filterwarnings("ignore:The angle:UserWarning")
@pytest.mark.parametrize("name", DOCUMENTS)
def test_pinocchio_finds_the_links_where_the_document_has_them(name):
    robot = the_robot(name)
    model = pin.buildModelFromXML(write_urdf(robot))
    wanted = coordinates(robot, 11)
    wanted = spanning_tree(robot).coordinates(wanted)
    data = model.createData()
    pin.framesForwardKinematics(model, data, pinocchio_state(robot, model, wanted))
    for number, pose in spanning_tree(robot).poses(wanted).items():
        link = next(one for one in robot.links if one.number == number)
        frame = data.oMf[model.getFrameId(link.name or f"link{number}", pin.FrameType.BODY)]
        np.testing.assert_allclose(frame.homogeneous, pose, atol=1e-12)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_pinocchio_weighs_what_the_engine_weighs(name):
    """Mass matrix of the hinges, slides and universal joints; its rotors are added."""
    robot = the_robot(name)
    model = pin.buildModelFromXML(write_urdf(robot))
    tree = spanning_tree(robot)
    mass = pin.crba(model, model.createData(), pinocchio_state(robot, model, tree.coordinates({})))
    mass = np.triu(mass) + np.triu(mass, 1).T
    world = World(model_text([PlacedRobot(robot)]))
    world.robots[0].move_to(tree.coordinates({}))
    world.settle()
    wanted = world.mass_matrix()
    theirs, ours = [], []
    for joint in tree.drivers.values():
        if joint.type in (JointType.HINGE, JointType.SLIDE, JointType.UNIVERSAL):
            label = joint.name or f"joint{joint.number}"
            names = joint_names(joint)
            labels = [f"{label}_1", label][-len(names) :]
            theirs += [model.joints[model.getJointId(one)].idx_v for one in labels]
            freedoms = [int(world._model.joint(one).dofadr[0]) for one in names]
            ours += freedoms
            wanted[freedoms, freedoms] -= joint.armature
    scale = max(1.0, float(np.abs(wanted).max(initial=0.0)))
    np.testing.assert_allclose(mass[np.ix_(theirs, theirs)], wanted[np.ix_(ours, ours)],
                               atol=1e-9 * scale)  # fmt: skip


def test_what_is_seen_may_be_another_shape():
    robot = the_robot("robot_a")
    seen = LinkVisual(BodyShape.BOX, (0.1, 0.2, 0.3), (0.0, 0.1, 1.0 / 3.0))
    hidden = LinkVisual(BodyShape.NONE)
    first, second, *others = robot.links
    robot = replace(robot, links=(replace(first, visual=seen), replace(second, visual=hidden),
                                  *others))  # fmt: skip
    found = again(robot)
    assert [one.visual for one in found.links[:3]] == [seen, hidden, None]
    assert read_toml(write_toml(robot), "t") == robot
    model = World(model_text([PlacedRobot(robot)]))._model
    assert model.geom("v0").size.tolist() == [0.05, 0.1, 0.15]
    assert (model.geom("v0").contype, model.geom("v0").conaffinity) == (0, 0)
    assert model.geom("g1").rgba[3] == 0.0


def test_axes_that_are_almost_parallel_lose_nothing():
    """Half a turn as exporters round it: D-H numbers alone would be off by 1e-7."""
    text, half = "", math.pi
    for digits in range(3, 10):
        half = round(math.pi, digits)
        text = (f'<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>'
                f'<inertia ixx="1" iyy="1" izz="1"/></inertial></link><joint name="j" '
                f'type="continuous"><origin xyz="1 2 3" rpy="{half} 0.3 {half}"/>'
                '<parent link="a"/><child link="b"/></joint></robot>')  # fmt: skip
        robot, losses = read_urdf(text, "r.urdf")
        assert losses == ()
        wanted = np.eye(4)
        wanted[:3, :3] = Rotation.from_euler("xyz", (half, 0.3, half)).as_matrix()
        wanted[:3, 3] = 1.0, 2.0, 3.0
        number = next(one.number for one in robot.links if one.name == "b")
        np.testing.assert_allclose(spanning_tree(robot).poses()[number], wanted, atol=1e-12)
    text = text.replace(f"{half} 0.3 {half}", "1e-8 0 0")
    robot, _ = read_urdf(text, "r.urdf")
    assert len(robot.links) == 3
    assert abs(spanning_tree(robot).poses()[1][2, 1] - 1e-8) < 1e-16


@at_least(200)
@given(seeds, st.floats(-1e-9, 1e-9))
def test_roll_pitch_and_yaw_hold_at_a_right_angle(seed, near):
    rng = np.random.default_rng(seed)
    for pitch in (0.5 * math.pi + near, -0.5 * math.pi + near, float(rng.uniform(-1.5, 1.5))):
        rpy = (float(rng.uniform(-3, 3)), pitch, float(rng.uniform(-3, 3)))
        wanted = Rotation.from_euler("xyz", rpy).as_matrix()
        np.testing.assert_allclose(rotation_of_rpy(rpy), wanted, atol=2e-15)
        np.testing.assert_allclose(rotation_of_rpy(rpy_of(wanted)), wanted, atol=2e-15)
        found = Rotation.from_quat(quaternion_of(wanted), scalar_first=True).as_matrix()
        np.testing.assert_allclose(found, wanted, atol=2e-15)


@at_least(200)
@given(seeds, st.lists(st.tuples(st.floats(0.0, 1.0), st.integers(0, 6),
                                 st.text(st.sampled_from('<>/"=& 019.-eé\0\nlink'), max_size=6)),
                       min_size=1, max_size=3))  # fmt: skip
def test_a_damaged_document_is_read_or_refused_with_its_place(seed, damages):
    text = write_urdf(furnished(seed % 50))
    for where, count, put in damages:
        at = int(where * len(text))
        text = text[:at] + put + text[at + count :]
    try:
        (robot, losses), faults = read_urdf(text, "damaged.urdf"), ()
    except RobotDocumentError as error:
        robot, losses, faults = None, (), error.faults
    if robot is None:
        assert faults
        assert all(0 <= one.line <= len(text.splitlines()) + 1 for one in faults)
    else:
        assert all(isinstance(one, Loss) and one.line > 0 for one in losses)
        assert again(robot).joints


ARM = """<robot name="arm">
  <link name="a"/>
  <link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
  <joint name="j" type="revolute">
    <parent link="a"/><child link="b"/>
    <limit lower="-1" upper="1" effort="0" velocity="0"/>
  </joint>
</robot>"""
FAULTS = {
    "type misspelt": ('type="rev', 'tpye="rev', '4:3: <joint> has no type, but tpye; type="..."'),
    "no such type": ("revolute", "helical",
        "4:3: helical: joint type: no such word; one of revolute, continuous, prismatic, fixed, "
        "floating, planar"),
    "no number": ('upper="1"', 'upper="one"',
        '6:5: one: limit upper is not read; finite numbers up to 1e+12, 1 of them: upper="0"'),
    "not finite": ('upper="1"', 'upper="nan"',
        '6:5: nan: limit upper is not read; finite numbers up to 1e+12, 1 of them: upper="0"'),
    "limits turned over": ('upper="1"', 'upper="-2"',
        "4:3: joint j limits = ((-1.0, -2.0)): -1.0 is not below -2.0; least first"),
    "no such link": ('parent link="a"', 'parent link="c"',
        "4:3: c: no such link; a link that is there"),
    "two of a name": ('name="a"', 'name="b"', "3:3: b: told twice; a name that no other has"),
    "no child": ('<child link="b"/>', "", '4:3: joint j has no <child>; <child link="..."/>'),
    "no XML": ("</joint>", "", "8:3: no XML: mismatched tag; elements that open and close"),
    "no mass": ('<mass value="1"/>', "", '3:18: <inertial> has no <mass>; <mass .../>'),
    "mass below 0": ('<mass value="1"/>', '<mass value="-1"/>',
        "3:3: link b inertia = -1.0: its mass is not above 0 kg; above 0 kg"),
    "no robot": ("robot", "sdf", "1:1: <sdf>: no URDF; <robot> is the outermost element"),
    "macros": ("</robot>", "<xacro:arm/></robot>",
        "8:1: <xacro:arm>: macros are not expanded; run xacro first, and read what it wrote: "
        "xacro in.xacro > out.urdf"),
    "a cycle": ("</robot>",
        '<joint name="k" type="fixed"><parent link="b"/><child link="a"/></joint></robot>',
        "8:1: joint k child = 0: joint 0 moves link 0 as well; one that closes a loop has a "
        "point on both links"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_told_with_its_place(name):
    old, new, wanted = FAULTS[name]
    assert old in ARM
    with pytest.raises(RobotDocumentError) as caught:
        read_urdf(ARM.replace(old, new), "a.urdf")
    assert f"a.urdf:{wanted}" in str(caught.value).splitlines()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('<!DOCTYPE a [<!ENTITY b "c">]><robot name="&b;"/>', "1:13: a: document types"),
        ('<!DOCTYPE robot SYSTEM "file:///etc/passwd"><robot/>', "robot: document types"),
        ("<a>" * 300 + "</a>" * 300, "more than 200 elements in each other"),
        ("<a>" + "<b/>" * 200_001 + "</a>", "more than 200000 elements"),
        ("<!--" + "x" * 8_000_000 + "-->", "the document is too long"),
        ("<robot/>", "no links"),
        ("", "no XML"),
    ],
    ids=["entity", "external", "deep", "wide", "long", "empty robot", "empty"],
)
def test_a_document_of_strangers_is_bounded(text, wanted):
    with pytest.raises(RobotDocumentError, match=wanted):
        read_urdf(text, "a.urdf")
