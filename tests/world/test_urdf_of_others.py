"""Small URDFs as others write them: what is taken is pinocchio's, refusals name a remedy."""

import struct

import numpy as np
import pytest
from mesh_bodies import binary_stl, box

from hil.config.errors import ConfigError
from hil.machines.world.robot_documents import document_of
from sim.world.engine.hulls import mesh_losses
from sim.world.engine.mjcf import model_text
from sim.world.engine.mjcf_robot import PlacedRobot
from sim.world.engine.world import World
from sim.world.meshes.mesh_reader import surface_of
from sim.world.robots.bodies import placed_bodies
from sim.world.robots.tree import spanning_tree

pin = pytest.importorskip("pinocchio", reason="the judge of URDF is pinocchio")
INERTIAL = (
    '<inertial><origin xyz="0.1 0 0.2" rpy="0.3 0.4 0.5"/><mass value="2"/><inertia ixx="0.02" '
    'iyy="0.03" izz="0.04" ixy="0.001" ixz="0.002" iyz="0.003"/></inertial>'
)
LIMIT = '<limit lower="-1" upper="1" effort="10" velocity="1"/>'
PLACE = 'xyz="0 0 0.3" rpy="0.1 0.2 0.3"'


def arm(inside="", joint=LIMIT, kind="revolute", axis="0 1 0", inertial=INERTIAL, after="",
        name="j", link="a", place=PLACE):  # fmt: skip
    return (
        f'<robot name="r"><link name="base"/><link name="{link}">{inertial}{inside}</link>'
        f'<joint name="{name}" type="{kind}"><parent link="base"/><child link="{link}"/>'
        f'<origin {place}/><axis xyz="{axis}"/>{joint}</joint>{after}</robot>'
    )


def body(geometry, tag="collision", more=""):
    return f"<{tag}><geometry>{geometry}</geometry>{more}</{tag}>"


def mesh(file, scale="", tag="collision"):
    return body(f'<mesh filename="{file}"{scale and f" scale={chr(34)}{scale}{chr(34)}"}/>', tag)


@pytest.fixture
def read(tmp_path):
    def document(text, **files):
        path = tmp_path / "r.urdf"
        path.write_text(text, "utf-8")
        for name, data in files.items():
            place = tmp_path / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        return document_of(str(path))

    return document


TAKEN = {
    "continuous, with limits": (arm(kind="continuous"), []),
    "an axis of any length": (arm(axis="0 3 4"), []),
    "names of any letters": (arm(name="сустав 1", link="my link/é"), []),
    "a point of exponents": (arm(place='xyz="0 0 3.0E-01"'), []),
    "of very little mass": (
        arm(inertial='<inertial><mass value="1e-6"/><inertia ixx="1e-9" iyy="1e-9" izz="1e-9" '
            'ixy="0" ixz="0" iyz="0"/></inertial>'), []),
    "of very much mass": (
        arm(inertial='<inertial><mass value="1e7"/><inertia ixx="1e9" iyy="1e9" izz="1e9" '
            'ixy="0" ixz="0" iyz="0"/></inertial>'), []),
    "a capsule": (arm(body('<capsule radius="0.1" length="0.5"/>')), []),
    "a frame that is a box of nothing": (
        arm(body('<box size="0 0 0"/>')), ["its box has a size of 0 m: there is nothing of it"]),
    "a body that is seen, turned over": (
        arm(body('<cylinder radius="-1" length="1"/>', "visual")),
        ["its cylinder has a size of -1 m: there is nothing of it"]),
    "a colour of 255": (
        arm(body('<sphere radius="1"/>', "visual", '<material name="m">'
                 '<color rgba="255 0 -1 1"/></material>')),
        ["red, green and blue are 0 to 1 each: the nearest stand instead"]),
    "a mesh of no name": (arm(mesh("")), ["its mesh has no name of a file"]),
    "gazebo's own macros": (
        arm(after='<gazebo><plugin filename="$(find x)/y.so"/></gazebo>'),
        ["another simulator's"]),
}  # fmt: skip


@pytest.mark.parametrize("name", TAKEN)
def test_a_document_weighs_and_stands_as_pinocchio_has_it(read, name):
    text, told = TAKEN[name]
    found = read(text)
    assert [one.reason for one in found.losses] == told
    robot = found.robot
    model = pin.buildModelFromXML(text)
    data, q = model.createData(), pin.neutral(model)
    pin.framesForwardKinematics(model, data, q)
    joint = robot.joints[1]
    for number, pose in spanning_tree(robot).poses({joint.number: (0.0,)}).items():
        link = next(one.name for one in robot.links if one.number == number)
        at = data.oMf[model.getFrameId(link, pin.FrameType.BODY)]
        np.testing.assert_allclose(pose, at.homogeneous, atol=1e-12)
    world = World(model_text([PlacedRobot(robot)]))
    np.testing.assert_allclose(world.mass_matrix(), pin.crba(model, data, q), rtol=1e-6)
    weighed = sum(one.mass.mass_kg for one in placed_bodies(robot).values())
    assert weighed == pytest.approx(sum(one.mass for one in model.inertias))
    bounded = model.joints[1].nq == 1
    assert bool(joint.limits) == bounded
    if bounded:
        pair = (model.lowerPositionLimit[0], model.upperPositionLimit[0])
        assert joint.limits[0] == pytest.approx(pair)


MACROS = "macros are not expanded; run xacro first, and read what it wrote: xacro in.xacro > out."
REFUSED = {
    "a macro of a link": (arm("<xacro:inertia m='1'/>"), f"<xacro:inertia>: {MACROS}"),
    "a macro beside links": (arm(after="<xacro:x/>"), f"<xacro:x>: {MACROS}"),
    "an expression": (arm(joint=LIMIT.replace('"1"', '"${pi/2}"', 1)), f"${{pi/2}}: {MACROS}"),
    "an argument": (arm(place='xyz="$(arg x) 0 0"'), f"$(arg x) 0 0: {MACROS}"),
    "an effort below 0": (arm(joint=LIMIT.replace("10", "-10")),
                          "-10.0: joint j effort: below 0; above 0, or 0 where none is known"),
    "a velocity below 0": (arm(joint=LIMIT.replace('velocity="1', 'velocity="-1')),
                           "-1.0: joint j velocity: below 0; above 0, or 0 where none is known"),
    "damping below 0": (arm(joint=LIMIT + '<dynamics damping="-1"/>'),
                        "joint j damping = -1.0: below 0; 0 or more"),
    "a pointer": (arm(mesh("lfs.stl")), "lfs.stl is not there, but a pointer of Git LFS to it; "
                  "git lfs pull, in its repository, gets the file itself"),
    "words that are bytes": (arm(mesh("long.stl")),
                             "686 bytes, and 12 triangles take 684; an STL file that is whole"),
}  # fmt: skip
FILES = {
    "lfs.stl": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
    "long.stl": b"solid of bytes".ljust(80) + binary_stl(box((1, 1, 1)), b"")[80:] + b"xx",
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_names_line_value_and_remedy(read, name):
    text, told = REFUSED[name]
    with pytest.raises(ConfigError, match=r"r\.urdf: 1:\d+: ") as caught:
        read(text, **FILES)
    assert told in str(caught.value)


@pytest.mark.parametrize(("file", "name"), [
    ("meshes\\a.stl", "meshes/a.stl"), ("package://my_robot/my%20mesh.stl", "my_robot/my mesh.stl"),
    ("A.STL", "A.STL"), ("my mesh.stl", "my mesh.stl"),
])  # fmt: skip
@pytest.mark.parametrize("head", [b"solid", b"any"])
def test_a_mesh_is_found_however_its_path_is_written(read, file, name, head):
    data = head.ljust(80) + binary_stl(box((1, 2, 3)), b"")[80:]
    assert struct.unpack_from("<I", data, 80) == (12,)
    found = read(arm(mesh(file, "-0.1 0.1 0.1")), **{name: data}).robot
    (link,) = [one for one in found.links if one.mesh is not None]
    extents = np.ptp(surface_of(link.mesh).vertices, axis=0)
    np.testing.assert_allclose(extents, (0.1, 0.2, 0.3), rtol=1e-6)


def test_a_mesh_of_a_kilometre_is_asked_about(read):
    data = binary_stl(box((1000, 1000, 1000)), b"x")
    ours = read(arm(mesh("a.stl")), **{"a.stl": data}).robot
    (loss,) = mesh_losses(ours)
    assert loss.reason == "it is 1000 m long; if its numbers are mm, its scale is 0.001"
    assert not list(mesh_losses(read(arm(mesh("a.stl", "0.001 0.001 0.001"))).robot))
