"""``<attach>`` of MJCF: parts of other models, as the engine itself attaches them."""

import mujoco
import numpy as np
import pytest
from mesh_bodies import QUADS

from hil.config.errors import ConfigError
from hil.machines.world.robot_documents import document_of
from sim.world.mjcf.mjcf_reader import read_mjcf
from sim.world.robots.bodies import placed_bodies
from sim.world.robots.faults import RobotDocumentError
from sim.world.robots.tree import spanning_tree

MESH = '<mesh file="part.obj" scale="0.05 0.05 0.05"/>'
HAND = """<mujoco model="hand"><compiler angle="{angle}" meshdir="meshes"/>
<option gravity="0 0 -1"/>
<default><joint damping="2" armature="0.1"/>
<default class="thin"><geom size="0.03"/></default></default>
<asset>{mesh}</asset>
<worldbody><body name="palm" pos="0.1 0 0.2" childclass="thin"><joint name="turn" range="-40 50"/>
<geom name="ball"/><body name="tip" pos="0.3 0 0" euler="0 0 30"><joint name="bend" axis="0 1 0"/>
<geom {shape}/><site name="end"/></body></body>
<body name="other" pos="0 0 3"><geom size="0.1"/></body></worldbody>
<equality><joint joint1="bend" joint2="turn" polycoef="0 2 0 0 0"/></equality>
<actuator><motor joint="turn" ctrlrange="-3 3"/></actuator>
<keyframe><key qpos="0.1 0.2"/></keyframe></mujoco>"""
ARM = """<mujoco><asset><model name="h" file="parts/hand.xml"/></asset>
<default><joint damping="5"/></default>
<worldbody><body name="arm" pos="0 0 1"><joint name="lift" axis="1 0 0"/><geom size="0.1"/>
<frame pos="0.5 0 0" euler="0 90 0"><attach model="h" {body} prefix="left_"/></frame>
<frame pos="-0.5 0 0" euler="0 -90 0"><attach model="h" {body} prefix="right_"/></frame>
</body></worldbody></mujoco>"""
BESIDE = HAND.format(angle="degree", mesh="", shape='size="0.1"').encode()


@pytest.fixture
def arm(tmp_path):
    def write(body='body="palm"', angle="degree"):
        (tmp_path / "parts/meshes").mkdir(parents=True, exist_ok=True)
        (tmp_path / "parts/meshes/part.obj").write_text(QUADS)
        hand = HAND.format(angle=angle, mesh=MESH, shape='type="mesh" mesh="part"')
        (tmp_path / "parts/hand.xml").write_text(hand)
        path = tmp_path / "arm.xml"
        path.write_text(ARM.format(body=body))
        return path

    return write


@pytest.mark.parametrize("body", ['body="palm"', 'body="tip"', ""])
def test_attached_parts_are_where_and_as_heavy_as_the_engine_has_them(arm, body):
    path = arm(body)
    robot = document_of(str(path)).robot
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    tree, bodies = spanning_tree(robot), placed_bodies(robot)
    hinges = {one.name: one for one in robot.joints if one.type.value == "hinge"}
    poses = tree.poses({one.number: (0.0,) for one in hinges.values()})
    number = {one.name: one.number for one in robot.links}
    for index in range(1, model.nbody):
        name = model.body(index).name
        found = bodies[number[name]].mass
        np.testing.assert_allclose(found.mass_kg, model.body_mass[index], rtol=1e-6)
        at = poses[number[name]][:3, :3] @ found.centre_m + poses[number[name]][:3, 3]
        np.testing.assert_allclose(at, data.xipos[index], atol=1e-6)
    for index in range(model.njnt):
        joint = hinges[model.joint(index).name]
        assert joint.damping == pytest.approx(model.dof_damping[index])
        assert joint.armature == pytest.approx(model.dof_armature[index])
        limits = joint.limits[0] if joint.limits else (0.0, 0.0)
        np.testing.assert_allclose(limits, model.jnt_range[index], atol=1e-12)
    assert len(hinges) == model.njnt
    assert len(robot.drives) == model.nu
    assert sum(one.mimic is not None for one in robot.joints) == model.neq
    assert robot.gravity_m_s2 is None


def test_what_is_not_taken_of_an_attached_model_is_told(arm):
    lost = document_of(str(arm())).lost
    assert any("attached model <keyframe>: that of the model counts" in one for one in lost)
    assert any("attached model <option>: that of the model counts" in one for one in lost)


OWN = """<mujoco><compiler {compiler}/><default><joint range="-0.5 0.7"/>
<default class="turned"><geom euler="0.3 0.2 0.1"/></default></default>
<worldbody><body name="palm" pos="0.1 0 0.2" euler="0.3 0.2 0.5"><joint name="turn" ref="0.2"/>
<geom type="box" size="0.1 0.2 0.3" class="turned"/><geom size="0.2" group="3"/>
<body name="tip" pos="0.3 0 0" axisangle="0 0 1 0.5">
<inertial pos="0.1 0 0" mass="3" fullinertia="1 1.1 1.2 0.1 0.2 0.05" euler="0 0 0"/>
<joint name="slide" type="slide" range="-1 2"/><joint name="bend" axis="0 1 0" range="0 0.4"/>
<geom size="0.1"/><replicate count="2" euler="0 0 1" sep="_"><body name="copy" pos="0.1 0 0.2">
<geom size="0.05" pos="0.1 0 0"/></body></replicate></body></body></worldbody></mujoco>"""
OUTER = """<mujoco><compiler {compiler}/><asset><model name="h" file="own.xml"/></asset>
<worldbody><body name="arm" pos="0 0 1" euler="0.1 0.2 0.3">
<joint name="lift" axis="1 0 0" range="-0.3 0.4"/><geom size="0.1"/><geom size="0.1" group="2"/>
<frame euler="0.3 0 0.7"><attach model="h" body="palm" prefix="own_"/></frame></body></worldbody>
</mujoco>"""
COMPILERS = ['angle="radian"', "", 'angle="radian" eulerseq="ZYX"', 'eulerseq="zxz"',
             'inertiafromgeom="true"', 'inertiagrouprange="0 2"', 'settotalmass="7"',
             'angle="radian" autolimits="true" inertiagrouprange="0 0"']  # fmt: skip


@pytest.mark.parametrize("outer", COMPILERS)
@pytest.mark.parametrize("own", COMPILERS)
def test_each_model_is_read_by_its_own_compiler_as_the_engine_does(tmp_path, outer, own):
    own = own.replace('inertiafromgeom="true"', 'inertiafromgeom="true" angle="radian"')
    (tmp_path / "own.xml").write_text(OWN.replace(' euler="0 0 0"/>', "/>").format(compiler=own))
    path = tmp_path / "outer.xml"
    path.write_text(OUTER.format(compiler=outer))
    like_the_engine(document_of(str(path)).robot, mujoco.MjModel.from_xml_path(str(path)))


def like_the_engine(robot, model):
    """Masses, centres, moments and limits of a model whose names the robot has."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    tree, bodies = spanning_tree(robot), placed_bodies(robot)
    moving = {one.name: one for one in robot.joints if one.type.value in ("hinge", "slide")}
    poses = tree.poses({one.number: (0.0,) for one in moving.values()})
    number = {one.name: one.number for one in robot.links}
    for index in range(1, model.nbody):
        name = model.body(index).name
        found, pose = bodies[number[name]].mass, poses[number[name]]
        np.testing.assert_allclose(found.mass_kg, model.body_mass[index], rtol=1e-6)
        at = pose[:3, :3] @ found.centre_m + pose[:3, 3]
        np.testing.assert_allclose(at, data.xipos[index], atol=1e-6)
        R = data.ximat[index].reshape(3, 3)
        wanted = R @ np.diag(model.body_inertia[index]) @ R.T
        own = pose[:3, :3] @ found.inertia_kg_m2 @ pose[:3, :3].T
        np.testing.assert_allclose(own, wanted, atol=1e-5 * wanted.max())
    assert len(moving) == model.njnt
    for index in range(model.njnt):
        joint, zero = moving[model.joint(index).name], model.qpos0[index]
        limits = joint.limits[0] if joint.limits else (-zero, -zero)
        np.testing.assert_allclose(np.add(limits, zero), model.jnt_range[index], atol=1e-12)


REFUSED = {
    "no model": (ARM.replace('model="h"', 'model="g"', 1), "g: no such model among the assets"),
    "no body": (ARM.replace("{body}", 'body="thumb"', 1), "thumb: no such body in that model"),
    "no file": (ARM.replace("hand.xml", "foot.xml"), "parts/foot.xml: cannot be read"),
    "many": (
        ARM.replace("</worldbody>", "".join(
            f'<attach model="h" body="palm" prefix="p{number}_"/>' for number in range(65)
        ) + "</worldbody>"),
        "more than 64 attachments",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_an_attachment_that_cannot_be_is_refused(case):
    text, told = REFUSED[case]

    def files(path):
        if path != "parts/hand.xml":
            raise FileNotFoundError(2, "No such file or directory")
        return BESIDE

    with pytest.raises(RobotDocumentError) as caught:
        read_mjcf(text.format(body='body="palm"'), "arm.xml", files)
    assert told in str(caught.value)


def test_a_model_outside_the_folder_is_refused(arm, tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    text = arm().read_text().replace("parts/hand.xml", "../parts/hand.xml")
    (inside / "arm.xml").write_text(text)
    with pytest.raises(ConfigError, match="lies outside"):
        document_of(str(inside / "arm.xml"))


def test_attached_models_are_bounded_all_together():
    """Eight million characters, of which two files have five each."""
    models = "".join(f'<model name="{one}" file="{one}.xml"/>' for one in "ab")
    places = "".join(f'<attach model="{one}" prefix="{one}"/>' for one in "ab")
    text = f"<mujoco><asset>{models}</asset><worldbody>{places}</worldbody></mujoco>"
    large = BESIDE + b"<!--" + b" " * 5_000_000 + b"-->"
    with pytest.raises(RobotDocumentError, match=r"b\.xml.*characters"):
        read_mjcf(text, "arm.xml", files={"a.xml": large, "b.xml": large}.__getitem__)
