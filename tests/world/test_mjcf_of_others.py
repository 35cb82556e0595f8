"""Small models as others write them: each is what the engine's own reader makes of it, or is told.

Judge: the engine itself, of the same file: mass matrix, weight, places, limits, damping, forces.
"""

import mujoco
import numpy as np
import pytest
from mesh_bodies import QUADS

from hil.machines.world.robot_documents import document_of
from sim.world.engine.mjcf import model_text, stepping_of
from sim.world.engine.mjcf_robot import PlacedRobot
from sim.world.engine.world import World
from sim.world.robots.losses import rank

BALL = '<geom size="0.1" pos="0.3 0.1 0"/>'
BOUNDED = '<compiler boundmass="5" boundinertia="0.1"/>'
MESH = '<asset><mesh name="m" file="b.obj" {}/></asset>'
GENERAL = """<default><general ctrlrange="-1 1" forcerange="-30 30" gear="10" gainprm="4"
biastype="affine" biasprm="0 0 -3"/></default>"""


def jointed(inside, joint=""):
    return f'<body name="a" pos="0 0 1"><joint name="j" axis="0 1 0" {joint}/>{inside}</body>'


def inertial(numbers, mass=1.0):
    return jointed(f'<inertial pos="0.1 0 0.2" mass="{mass}" diaginertia="{numbers}"/>')


MODELS = {
    "an ellipsoid": jointed('<geom type="ellipsoid" size="0.1 0.2 0.3" pos="0.3 0 0"/>'),
    "shapes from point to point": jointed(
        '<geom type="cylinder" fromto="0 0 0 0.5 0.1 0.2" size="0.03"/>'
        '<geom type="box" fromto="0 0 0 0 0.5 0" size="0.03"/>'
    ),
    "a geom that weighs nothing": jointed(BALL + '<geom size="0.3" mass="0"/>'),
    "classes in classes": (
        '<default><geom size="0.1"/><joint damping="1" axis="0 1 0"/><default class="A">'
        '<joint damping="2" frictionloss="0.1"/><default class="B"><joint armature="0.3"/>'
        '<geom type="box" size="0.1 0.2 0.3"/></default><default class="C">'
        '<joint range="-20 20" axis="1 0 0"/></default></default></default>',
        '<body name="a" childclass="B"><joint name="j"/><geom/><body name="b" pos="1 0 0" '
        'childclass="A"><joint name="k" class="C"/><geom class="C"/></body></body>',
    ),
    "a class of a frame": (
        '<default><default class="q"><geom size="0.2"/><joint axis="0 1 0" damping="3"/></default>'
        "</default>",
        '<frame childclass="q" pos="0 0 1" euler="0 20 0"><body name="a"><joint name="j"/>'
        '<geom pos="0.3 0 0"/></body></frame>',
    ),
    "coordinates from elsewhere": jointed(BALL, 'ref="30" range="-60 60"'),
    "all of an inertia, turned": jointed(
        '<inertial pos="0.1 0.02 0.03" mass="2" fullinertia="0.02 0.03 0.04 0.003 0.002 0.001"/>'
    ),
    "an inertia in a frame": jointed(
        '<frame pos="0.1 0 0" euler="0 0 90"><inertial pos="0.1 0 0" mass="1" '
        'diaginertia="1 2 2.5"/></frame>'
    ),
    "balanced": ('<compiler balanceinertia="true"/>', inertial("1 1 3")),
    "bounded": (BOUNDED, inertial("1e-6 2 2")),
    "bounded and balanced": (BOUNDED[:-2] + ' balanceinertia="true"/>', inertial("1e-6 2 3")),
    "bounded, of shapes": (BOUNDED, jointed('<geom size="0.1" pos="0 0.2 0"/>')),
    "bounded, of nothing": (BOUNDED, jointed('<body name="b" pos="0.5 0 0"/>')),
    "bounded, then scaled": (BOUNDED[:-2] + ' settotalmass="2"/>', jointed(BALL)),
    "weighed by some groups": (
        '<compiler inertiagrouprange="0 2"/>', jointed(BALL + '<geom size="0.2" group="3"/>'),
    ),
    "equal limits": jointed(BALL, 'range="5 5"'),
    "limits that do not count": jointed(BALL, 'limited="false" range="-10 10"'),
    "a gravity of its own": ('<option gravity="0 -3 -1"/>', jointed(BALL)),
    "a mesh in mm": (MESH.format('scale="0.001 0.001 0.001"'),
                     jointed('<geom type="mesh" mesh="m" pos="0.3 0 0"/>')),
    "a mirrored mesh": (MESH.format('scale="-0.1 0.2 0.3"'),
                        jointed('<geom type="mesh" mesh="m" pos="0.3 0 0" euler="0 30 0"/>')),
    "a mesh from another frame": (
        MESH.format('scale="0.1 -0.2 0.3" refpos="1 0.3 0" refquat="1 0.3 0.2 1"'),
        jointed('<geom type="mesh" mesh="m" pos="0.3 0 0"/>'),
    ),
    "names of any letters": (
        "", '<body name="плечо 1/x"><joint name="関節" axis="0 1 0"/><geom size="0.1" '
        'pos="0.3 0 0"/></body>',
    ),
    "a body, its joint and geom of one name": (
        "", '<body name="a"><joint name="a" axis="0 1 0"/><geom name="a" size="0.1"/></body>',
    ),
}  # fmt: skip


@pytest.fixture
def both(tmp_path):
    def read(before, bodies, after=""):
        (tmp_path / "b.obj").write_text(QUADS)
        path = tmp_path / "a.xml"
        text = f"<mujoco>{before}<worldbody>{bodies}</worldbody>{after}</mujoco>"
        path.write_text(text, "utf-8")
        return document_of(str(path)), mujoco.MjModel.from_xml_path(str(path))

    return read


@pytest.mark.parametrize("name", MODELS)
def test_a_model_moves_as_the_engine_moves_it(both, name):
    model = MODELS[name]
    found, theirs = both(*(("", model) if isinstance(model, str) else model))
    robot = found.robot
    world = World(model_text([PlacedRobot(robot)], stepping_of(robot)))
    data = mujoco.MjData(theirs)
    mujoco.mj_forward(theirs, data)
    names = [theirs.joint(index).name for index in range(theirs.njnt)]
    joints = [next(one for one in robot.joints if one.name == name) for name in names]
    dofs = [int(world._model.joint(f"j{joint.number}").dofadr[0]) for joint in joints]
    mass = np.zeros((theirs.nv, theirs.nv))
    for column in range(theirs.nv):
        mujoco.mj_mulM(theirs, data, mass[column], np.eye(theirs.nv)[column])
    ours = world.mass_matrix()[np.ix_(dofs, dofs)]
    np.testing.assert_allclose(ours, mass, rtol=1e-5, atol=1e-6 * mass.max())
    bias = world._data.qfrc_bias[dofs]
    np.testing.assert_allclose(bias, data.qfrc_bias, rtol=1e-5, atol=1e-6 * np.abs(mass).max())
    weighed = world._model.body_mass.sum()
    np.testing.assert_allclose(weighed, theirs.body_mass.sum(), rtol=1e-6)
    for index, joint in enumerate(joints):
        zero, freedom = theirs.qpos0[index], theirs.jnt_dofadr[index]
        limits = np.add(joint.limits[0], zero) if joint.limits else None
        assert (limits is not None) == bool(theirs.jnt_limited[index])
        if limits is not None:
            np.testing.assert_allclose(limits, theirs.jnt_range[index], atol=1e-12)
        assert (joint.damping, joint.armature, joint.friction) == (
            theirs.dof_damping[freedom], theirs.dof_armature[freedom],
            theirs.dof_frictionloss[freedom],
        )  # fmt: skip
    assert [one.field for one in found.losses if rank(one) == 0] == (
        ["range"] if name == "equal limits" else []
    )


DRIVES = {
    "of its joint": ("", 'actuatorfrcrange="-5 5"', '<motor joint="j" gear="3"/>', "torque", 5.0),
    "of its joint, less": ("", 'actuatorfrcrange="-5 5"',
                           '<position joint="j" forcerange="-50 50"/>', "torque", 5.0),
    "motor by general": (GENERAL, "", '<motor joint="j"/>', "torque", 10.0),
    "velocity by general": (GENERAL, "", '<velocity joint="j"/>', "speed", 300.0),
    "general by general": (GENERAL, "", '<general joint="j"/>', "voltage", 40.0),
    "motor by position": ('<default><position kp="7" gear="3" forcerange="-5 5"/></default>', "",
                          '<motor joint="j"/>', "torque", 15.0),
}  # fmt: skip


@pytest.mark.parametrize("name", DRIVES)
def test_a_drive_has_what_its_joint_and_all_actuators_of_its_class_say(both, name):
    """The engine has one default of all actuators; its greatest force at rest is the judge."""
    before, joint, drive, control, effort = DRIVES[name]
    found, theirs = both(before, jointed(BALL, joint), f"<actuator>{drive}</actuator>")
    (ours,) = found.robot.drives
    assert (ours.control, ours.effort_max) == (control, pytest.approx(effort))
    data = mujoco.MjData(theirs)
    data.ctrl[:] = theirs.actuator_ctrlrange[0, 1] or 1e3
    mujoco.mj_forward(theirs, data)
    if control != "speed":  # of which a command bounds the speed
        assert data.qfrc_actuator[0] == pytest.approx(effort)


def test_a_drive_of_unequal_bounds_and_a_hinge_of_many_turns_are_told(both):
    motor = '<actuator><motor joint="j" ctrlrange="0 10" forcerange="-9 9"/></actuator>'
    found, _ = both("", jointed(BALL, 'ref="90" range="-720 720"'), motor)
    (ours,) = found.robot.drives
    assert ours.effort_max == 9.0
    assert found.robot.joints[1].limits == ((-2 * np.pi, 2 * np.pi),)
    assert [(rank(one), one.field) for one in found.losses] == [(0, "range"), (0, "ctrlrange")]


def test_a_shape_that_weighs_as_a_shell_is_a_loss_of_the_first_rank(both):
    found, _ = both("", jointed('<geom size="0.1" shellinertia="true"/>'))
    (loss,) = found.losses
    assert (rank(loss), loss.field, loss.reason) == (0, "shellinertia", "a geom weighs as a solid")
