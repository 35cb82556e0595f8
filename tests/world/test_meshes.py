"""Meshes of links: what files say, what bodies weigh, how they touch and look."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from mesh_bodies import (
    DOCUMENT,
    LOOKS,
    PAINT,
    PAINTED,
    QUADS,
    binary_stl,
    box,
    channel,
    files_of,
    obj_of,
    painted_files,
    words_stl,
)
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from sim.world.engine.hulls import hulls_volume_m3, mesh_losses
from sim.world.engine.mjcf import model_text
from sim.world.engine.mjcf_losses import mjcf_losses
from sim.world.engine.mjcf_robot import PlacedRobot
from sim.world.engine.world import World
from sim.world.meshes import mesh_reader as reading
from sim.world.meshes.mass import open_edges, solid_mesh, volume_m3
from sim.world.meshes.mesh_reader import FILE_MAX, filled, parts_of, surface_of
from sim.world.meshes.obj import read_obj
from sim.world.meshes.stl import read_stl
from sim.world.meshes.surface import TRIANGLES_MAX, MeshError
from sim.world.pictures.png import png
from sim.world.robots.bodies import placed_bodies
from sim.world.robots.body import BodyShape, LinkMesh, LinkVisual
from sim.world.robots.faults import RobotDocumentError
from sim.world.robots.robot_checks import findings_of
from sim.world.robots.robot_toml_reader import read_toml
from sim.world.robots.robot_toml_writer import write_toml
from sim.world.robots.text import read_text, text_losses, write_text
from sim.world.robots.urdf_reader import read_urdf
from sim.world.robots.urdf_writer import urdf_losses, write_urdf


def nothing(_path):
    return None


def the_robot(files, text=DOCUMENT):
    return read_toml(text, "a.toml", files)


def body_of(robot):
    return placed_bodies(robot)[1].mass


def judged(corners, density=1.0):
    """Mass, centre and inertia about it by a sum over the boxes' own closed forms: see callers."""
    return solid_mesh(read_stl(words_stl(corners)), None, density)


def of_boxes(boxes):
    """Mass, centre, inertia about it of boxes (edges, centre, sign of the density 1)."""
    mass = sum(sign * np.prod(size) for size, _, sign in boxes)
    centre = sum(sign * np.prod(size) * np.array(at) for size, at, sign in boxes) / mass
    inertia = np.zeros((3, 3))
    for size, at, sign in boxes:
        own, arm, squares = sign * np.prod(size), np.array(at) - centre, np.square(size)
        inertia += own * np.diag((squares.sum() - squares) / 12.0)
        inertia += own * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return mass, centre, inertia


SIZE, AT = (0.3, 0.2, 0.5), (3.0, -1.0, 0.25)
CHANNEL = [
    ((0.3, 0.1, 0.4), (0.15, 0.05, 0.2), 1),
    ((0.1, 0.1, 0.4), (0.05, 0.15, 0.2), 1),
    ((0.1, 0.1, 0.4), (0.25, 0.15, 0.2), 1),
]
CAVITY = (*SIZE[:2], 0.3)
BODIES = {
    "a box far away": (box(SIZE, AT), [(SIZE, AT, 1)]),
    "inside out": (box(SIZE, AT, inside_out=True), [(SIZE, AT, 1)]),
    "hollow": (
        np.concatenate([box((0.4, 0.4, 0.4)), box(CAVITY, (0, 0, 0.02), inside_out=True)]),
        [((0.4, 0.4, 0.4), (0, 0, 0), 1), (CAVITY, (0, 0, 0.02), -1)],
    ),
    "a channel": (channel(), CHANNEL),
}  # fmt: skip


@pytest.mark.parametrize("name", BODIES)
def test_closed_meshes_weigh_what_their_boxes_do(name):
    corners, boxes = BODIES[name]
    surface = read_stl(words_stl(corners))
    assert open_edges(surface) == 0
    mass, centre, inertia = of_boxes(boxes)
    turn = Rotation.from_euler("xyz", (0.3, -1.0, 2.0)).as_matrix()
    for R in (np.eye(3), turn):
        found = solid_mesh(read_stl(words_stl(corners @ R.T)), None, 1.0)
        assert found.mass_kg == pytest.approx(mass, rel=1e-12)
        np.testing.assert_allclose(found.centre_m, R @ centre, atol=1e-12)
        np.testing.assert_allclose(found.inertia_kg_m2, R @ inertia @ R.T, atol=1e-13)
    told = solid_mesh(surface, 7.0, 0.0)
    np.testing.assert_allclose(told.inertia_kg_m2, 7.0 / mass * inertia, atol=1e-11)


def test_a_tetrahedron_has_the_inertia_of_its_closed_form():
    """Corners at the origin and at a on each axis: m = a3/6, I about the origin m a2/5 and -/20."""
    text = b"v 0 0 0\nv 0.6 0 0\nv 0 0.6 0\nv 0 0 0.6\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
    found = solid_mesh(read_obj(text, "a.obj", nothing), None, 10.0)
    mass = 10.0 * 0.6**3 / 6.0
    assert found.mass_kg == pytest.approx(mass, rel=1e-14)
    c = np.full(3, 0.15)
    about = 0.36 * mass * (0.2 * np.eye(3) - 0.05 * (np.ones((3, 3)) - np.eye(3)))
    wanted = about - mass * (c @ c * np.eye(3) - np.outer(c, c))
    np.testing.assert_allclose(found.centre_m, c, rtol=1e-13)
    np.testing.assert_allclose(found.inertia_kg_m2, wanted, atol=1e-15)


def test_the_engines_own_exact_inertia_is_ours():
    """Its vertices have 24 bits."""
    surface = read_stl(words_stl(channel()))
    made = mujoco.MjSpec()
    mesh = made.add_mesh(name="m", uservert=surface.vertices.ravel(),
                         userface=surface.triangles.ravel())  # fmt: skip
    mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_EXACT
    made.worldbody.add_body().add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname="m", density=1.0)
    model = made.compile()
    found = solid_mesh(surface, None, 1.0)
    assert model.body_mass[1] == pytest.approx(found.mass_kg, rel=1e-6)
    np.testing.assert_allclose(model.body_ipos[1], found.centre_m, atol=1e-7)
    own = np.sort(np.linalg.eigvalsh(found.inertia_kg_m2))
    np.testing.assert_allclose(np.sort(model.body_inertia[1]), own, rtol=1e-5)


@pytest.mark.parametrize("data", [
    binary_stl(box(SIZE)), words_stl(box(SIZE)), words_stl(box(SIZE)).replace(b"\n", b"\r\n"),
    binary_stl(box(SIZE), b"another head"),
], ids=["binary", "words", "words of Windows", "binary, without solid"])  # fmt: skip
def test_stl_of_both_forms_is_the_same_box(data):
    surface = read_stl(data)
    assert surface.vertices.shape == (8, 3)
    assert surface.triangles.shape == (12, 3)
    assert open_edges(surface) == 0
    assert volume_m3(surface) == pytest.approx(np.prod(SIZE), rel=1e-6)


def test_obj_of_a_modelling_program_is_read_with_groups_looks_and_places():
    held = painted_files()
    surface = surface_of(filled(LinkMesh("part.obj"), held))
    assert len(surface.triangles) == 12
    assert open_edges(surface) == 0
    assert volume_m3(surface) == pytest.approx(0.2 * 0.2 * 0.4, rel=1e-14)
    assert np.bincount(surface.groups).tolist()[-2:] == [8, 4]
    looks = [
        surface.materials[look] for look in (surface.material_ids[0], surface.material_ids[-1])
    ]
    assert [(one.colour, one.texture) for one in looks] == [
        ((1.0, 1.0, 1.0), "paint.png"), ((0.0, 1.0, 1.0), ""),
    ]  # fmt: skip
    assert surface.notes == ()
    # The corner at the bottom right of the first side, of the picture too.
    corner = surface.vertices[surface.triangles[0, 1]], surface.laid[0, 1]
    assert [one.tolist() for one in corner] == [[0.1, -0.1, 0.0], [1.0, 0.0]]


def test_a_scale_turns_units_and_a_mirror_keeps_the_outside_out():
    files = files_of(part_obj=QUADS)
    for scale in ((0.1, 0.2, 0.3), (-0.1, 0.2, 0.3)):
        surface = surface_of(filled(LinkMesh("part.obj", scale), files))
        assert volume_m3(surface) == pytest.approx(0.2 * 0.4 * 0.6, rel=1e-14)


ABSENT = "cannot be read: No such file or directory; a file that is there"
FAULTS = {
    "absent": ({}, "", "", f"a.toml:10:8: mesh = part.obj: part.obj {ABSENT}"),
    "empty": ({"part_obj": ""}, "", "",
        "a.toml:10:8: mesh = part.obj: part.obj is empty; a file with a mesh"),
    "no faces": ({"part_obj": "v 0 0 0\n"}, "", "",
        "a.toml:10:8: link 1 mesh = part.obj: it has no triangles; a mesh with faces"),
    "not finite": ({"part_obj": QUADS.replace("v 1 1 1", "v 1 nan 1")}, "", "",
        "a.toml:10:8: link 1 mesh = part.obj: a coordinate is not finite; finite numbers"),
    "no number": ({"part_obj": QUADS.replace("v 1 1 1", "v 1 one 1")}, "", "",
        "a.toml:10:8: link 1 mesh = part.obj: line 7: v 1 one 1: not read; v and 3 numbers"),
    "no such vertex": ({"part_obj": QUADS.replace("f 5 6", "f 9 6")}, "", "",
        "a.toml:10:8: link 1 mesh = part.obj: line 10: 9: of 8 vertices so far; "
        "1 to 8, or -1 to -8 from the last"),
    "index 0": ({"part_obj": QUADS.replace("f 5 6", "f 0 6")}, "", "",
        "a.toml:10:8: link 1 mesh = part.obj: line 10: 0: of 8 vertices so far; "
        "1 to 8, or -1 to -8 from the last"),
    "curves": ({"part_obj": QUADS + "cstype bezier\n"}, "", "",
        "a.toml:10:8: link 1 mesh = part.obj: line 15: cstype: no such statement; a mesh of "
        "vertices and faces; convert curves and surfaces to one"),
    "too many triangles": ({"part_obj": QUADS + "f 1 2 3\n" * TRIANGLES_MAX}, "", "",
        "a.toml:10:8: link 1 mesh = part.obj: more than 200000 triangles; at most 200000: "
        "reduce (decimate) it in a modelling program"),
    "too large a file": ({"part_obj": bytes(FILE_MAX + 1)}, "", "",
        "a.toml:10:8: mesh = part.obj: part.obj has 64000001 bytes; at most 64 MB: reduce "
        "(decimate) it in a modelling program"),
    "too large": ({"part_obj": QUADS.replace("v 1 1 1", "v 1 1e7 1")}, "", "",
        "a.toml:10:8: link 1 mesh = part.obj: a coordinate of 1e+07; at most 1e+06"),
    "not closed": ({"part_obj": QUADS.replace("f 4 1 5 8\n", "")}, "", "",
        "a.toml:10:8: link 1 mesh = part.obj: it is not closed, so it has no volume: 4 edges join "
        "no two triangles; close it in a modelling program, or tell mass and inertia outright"),
    "a face turned over": ({"part_obj": QUADS.replace("f 4 1 5 8\n", "f 8 5 1 4\n")}, "", "",
        "a.toml:10:8: link 1 mesh = part.obj: it is not closed, so it has no volume: 4 edges join "
        "no two triangles; close it in a modelling program, or tell mass and inertia outright"),
    "flat": ({"part_obj": "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\nf 4 3 2 1\n"},
        "density_kg_m3 = 1000", "mass_kg = 0",
        "a.toml:10:8: link 1 mesh = part.obj: it is flat, and nothing can touch it; a body with "
        "thickness; what is seen only is a visual"),
    "no scale": ({"part_obj": QUADS}, '"part.obj"', '"part.obj", scale = [1, 0, 1]',
        "a.toml:10:8: link 1 mesh = (1.0, 0.0, 1.0): no scale; three finite numbers that are not "
        "0, such as 0.001"),
    "another form": ({"part_fbx": "Kaydara"}, "part.obj", "part.fbx",
        "a.toml:10:8: mesh = part.fbx: part.fbx: no mesh that is read; a file .stl, .obj, .dae, "
        ".ply, .glb; export it as one of them"),
    "a part absent": ({"part_obj": QUADS}, '"part.obj"', '"part.obj", parts = ["b.stl"]',
        f"a.toml:10:8: mesh = part.obj: b.stl {ABSENT}"),
    "no file": ({}, 'mesh = { file = "part.obj" }', "",
        "a.toml:6:1: link 1 mesh: the shape is a mesh, of no file; "
        'mesh = { file = "part.stl" }'),
    "another shape": ({"part_obj": QUADS}, '"mesh"', '"none"',
        'a.toml:10:8: link 1 mesh = part.obj: a mesh is told, and the shape is none; '
        'shape = "mesh"'),
    "a size": ({"part_obj": QUADS}, '"mesh"', '"mesh"\nsize_m = [1]',
        "a.toml:10:10: link 1 size_m = (1.0): 1 numbers; mesh has none"),
    "keys": ({"part_obj": QUADS}, "file = ", "flie = ",
        "a.toml:10:8: mesh = {'flie': 'part.obj'}: not the keys that it has; file; if wanted "
        "scale, parts, contents"),
    "STL cut short": ({"part_stl": binary_stl(box(SIZE), b"head")[:-1]}, "part.obj", "part.stl",
        "a.toml:10:8: link 1 mesh = part.stl: 683 bytes, and 12 triangles take 684; an STL file "
        "that is whole"),
    "no STL": ({"part_stl": "v 0 0 0\n"}, "part.obj", "part.stl",
        "a.toml:10:8: link 1 mesh = part.stl: no STL; a binary file, or words that begin with "
        "solid"),
    "STL without a corner": ({"part_stl": words_stl(box(SIZE)).replace(b"vertex", b"vortex", 1)},
        "part.obj", "part.stl",
        "a.toml:10:8: link 1 mesh = part.stl: 35 corners of 12 triangles; three of each"),
    "a visual absent": ({"part_obj": QUADS}, "density",
        'visual = { shape = "mesh", mesh = { file = "b.obj" } }\ndensity',
        f"a.toml:11:10: visual = b.obj: b.obj {ABSENT}"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_told_with_place_value_and_remedy(name):
    held, old, new, wanted = FAULTS[name]
    assert old in DOCUMENT
    with pytest.raises(RobotDocumentError) as caught:
        the_robot(files_of(**held), DOCUMENT.replace(old, new, 1) if old else DOCUMENT)
    assert wanted in str(caught.value).splitlines()


def test_mass_and_inertia_outright_need_no_closed_mesh():
    told = ("inertia = { mass_kg = 2, centre_m = [0, 0, 0.1], "
            "inertia_kg_m2 = [0.1, 0.1, 0.1, 0, 0, 0] }")  # fmt: skip
    text = DOCUMENT.replace("density_kg_m3 = 1000", told)
    robot = the_robot(files_of(part_obj=QUADS.replace("f 4 1 5 8\n", "")), text)
    assert body_of(robot).mass_kg == 2.0
    (loss,) = mesh_losses(robot)
    assert "its convex hull touches others, as it is not closed" in str(loss)


def test_what_is_beside_a_mesh_may_be_absent_and_is_told():
    cases = {
        "materials: look.mtl is not there; put it beside the mesh": {},
        "texture paint.png of material painted: it is not there; put it beside the mesh": {
            "look_mtl": LOOKS
        },
        "texture paint.png of material painted: it is no PNG; convert it": {
            "look_mtl": LOOKS, "paint_png": b"\xff\xd8\xff\xe0 a JPEG"
        },
        "texture paint.png of material painted: it has 9000 x 1 pixels; at most 8192 each way": {
            "look_mtl": LOOKS, "paint_png": png(np.zeros((1, 9000, 3), np.uint8))
        },
        "material painted: in no library of it": {
            "look_mtl": LOOKS.replace("painted", "other"), "paint_png": png(PAINT)
        },
    }  # fmt: skip
    for wanted, held in cases.items():
        robot = the_robot(files_of(part_obj=PAINTED, **held))
        assert [str(one) for one in mesh_losses(robot)] == [f"link 1 mesh = part.obj: {wanted}"]
        assert model_text([PlacedRobot(robot)]).files == {}
        World(model_text([PlacedRobot(robot)]))


def test_the_engine_weighs_the_mesh_where_the_document_has_it():
    files = files_of(part_obj=obj_of(channel()))
    placed = "place = { position_m = [0.1, 0.2, 0.3], quaternion = [0, 1, 0, 0] }\ndensity"
    robot = the_robot(files, DOCUMENT.replace("density", placed))
    world = World(model_text([PlacedRobot(robot)]))
    mass, centre, inertia = of_boxes(CHANNEL)
    R = np.diag([1.0, -1.0, -1.0])
    at = np.array([0.1, 0.2, 0.3]) + R @ centre
    about_z = 1000.0 * ((R @ inertia @ R.T)[2, 2] + mass * (at[0] ** 2 + at[1] ** 2))
    assert world.mass_matrix()[0, 0] == pytest.approx(about_z, rel=1e-9)


def test_a_hollow_mesh_tells_how_much_larger_its_hull_is():
    mesh = filled(LinkMesh("part.obj"), files_of(part_obj=obj_of(channel())))
    hull = ConvexHull(surface_of(mesh).vertices).volume
    assert hulls_volume_m3(mesh) == pytest.approx(hull, rel=1e-5)
    robot = the_robot(files_of(part_obj=obj_of(channel())))
    ratio = hull / (0.05 * 0.4)
    told = f"its convex hull touches others, of {ratio:.3f} times its volume; parts = [...] names"
    assert [told in str(one) for one in mesh_losses(robot)] == [True]
    assert any(told in str(one) for one in mjcf_losses(robot))
    assert not list(mesh_losses(the_robot(files_of(part_obj=QUADS))))


def three_parts():
    """The channel's three boxes, as groups of one file, as programs that decompose write them."""
    lines, count = [], 0
    for index, (size, at, _) in enumerate(CHANNEL):
        text = obj_of(box(size, at)).decode().splitlines()
        lines.append(f"o part_{index}")
        for row in text:
            word, *values = row.split()
            values = [str(int(one) + count) for one in values] if word == "f" else values
            lines.append(" ".join([word, *values]))
        count += 8
    return "\n".join(lines)


def dropped_ball(robot):
    """Height at which a ball that falls into the channel's mouth comes to rest."""
    text = model_text([PlacedRobot(robot)])
    ball = ('<worldbody><body name="ball" pos="0.15 0.3 0.2"><freejoint/><inertial pos="0 0 0" '
            'mass="0.1" diaginertia="1e-4 1e-4 1e-4"/><geom type="sphere" size="0.03" condim="6" '
            'friction="1 0.1 0.1" contype="1" conaffinity="2"/></body>')  # fmt: skip
    made = text.text.replace("<worldbody>", ball, 1)
    made = made.replace('gravity="0.0 0.0 -9.81"', 'gravity="0.0 -9.81 0.0"')
    model = mujoco.MjModel.from_xml_string(made)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 1000)
    return float(data.body("ball").xpos[1])


def test_parts_let_a_ball_into_the_channel_and_a_hull_does_not():
    files = files_of(part_obj=obj_of(channel()), parts_obj=three_parts())
    text = DOCUMENT.replace('type = "hinge"\naxis = [0, 0, 1]', 'type = "fixed"')
    closed = the_robot(files, text)
    open_ = the_robot(files, text.replace('"part.obj"', '"part.obj", parts = ["parts.obj"]'))
    assert len(parts_of(open_.links[1].mesh)) == 3
    assert dropped_ball(closed) == pytest.approx(0.23, abs=2e-3)
    assert dropped_ball(open_) == pytest.approx(0.13, abs=2e-3)
    assert not list(mesh_losses(open_))
    assert body_of(open_).mass_kg == body_of(closed).mass_kg


def test_visual_and_collision_shape_are_apart():
    files = files_of(part_obj=QUADS, skin_obj=PAINTED, look_mtl=LOOKS, paint_png=png(PAINT))
    seen = ('visual = { shape = "mesh", mesh = { file = "skin.obj" }, position_m = [0, 0, 1] }\n'
            "density")  # fmt: skip
    robot = the_robot(files, DOCUMENT.replace("density", seen))
    text = model_text([PlacedRobot(robot)])
    assert text.files == {"paint.png": png(PAINT)}
    model = World(text)._model
    assert [model.geom(one).name for one in range(model.ngeom)] == ["g1", "v1", "v1_1"]
    assert model.geom("g1").rgba[3] == 0.0
    assert model.geom("g1").contype != 0
    for name in ("v1", "v1_1"):
        assert (model.geom(name).contype, model.geom(name).conaffinity) == (0, 0)
    colours = [model.mat_rgba[model.geom(name).matid[0]].tolist() for name in ("v1", "v1_1")]
    assert colours == [[1.0, 1.0, 1.0, 1.0], [0.0, 1.0, 1.0, 1.0]]
    assert model.ntex == 1


def test_the_same_mesh_of_two_links_is_there_once_and_of_two_robots_each_its_own():
    text = DOCUMENT.replace('shape = "mesh"', 'shape = "mesh"', 1)
    robot = the_robot(painted_files(), text)
    link = replace(robot.links[1], number=2, dh=(0.0, 0.5, 0.0, 0.0), leaving=())
    joint = replace(robot.joints[1], number=2, parent=0, child=2)
    base = replace(robot.links[0], leaving=(1, 2))
    two = replace(robot, links=(base, robot.links[1], link), joints=(*robot.joints, joint))
    assert findings_of(two) == ()
    assert World(model_text([PlacedRobot(two)]))._model.nmesh == 3
    other = read_toml(DOCUMENT, "b", files_of(part_obj=PAINTED, look_mtl=LOOKS,
                                             paint_png=png(PAINT[::-1].copy())))  # fmt: skip
    both = model_text([PlacedRobot(robot, "a/"), PlacedRobot(other, "b/", group=1)])
    assert sorted(both.files) == ["paint.png", "picture2.png"]
    assert World(both)._model.ntex == 2


def test_meshes_go_there_and_back_in_toml_and_urdf_and_not_in_the_text():
    files = files_of(part_obj=PAINTED, look_mtl=LOOKS, paint_png=png(PAINT), b_obj=QUADS)
    told = 'mesh = { file = "part.obj", scale = [1, 1, 0.5], parts = ["b.obj"] }\n'
    told += 'visual = { shape = "mesh", mesh = { file = "b.obj" }, position_m = [0, 0, 1] }'
    robot = the_robot(files, DOCUMENT.replace('mesh = { file = "part.obj" }', told))
    assert read_toml(write_toml(robot), "again", files) == robot
    found, losses = read_urdf(write_urdf(robot), "again.urdf", files)
    assert losses == ()
    assert [str(one) for one in urdf_losses(robot)] == [
        "link 1 density_kg_m3 = 1000.0: its mass and inertia are written instead"
    ]
    assert (found.links[1].mesh, found.links[1].visual) == (
        robot.links[1].mesh, robot.links[1].visual,
    )  # fmt: skip
    np.testing.assert_array_equal(body_of(found).inertia_kg_m2, body_of(robot).inertia_kg_m2)
    again = read_text(write_text(robot), "again.txt")
    assert (again.links[1].shape, again.links[1].size_m) == (BodyShape.BOX, (0.2, 0.2, 0.2))
    assert body_of(again).mass_kg == pytest.approx(body_of(robot).mass_kg, rel=1e-14)
    told = "a box of its extents stands instead; its mass and inertia are kept"
    assert f"link 1 shape = part.obj: {told}" in map(str, text_losses(robot))


def test_a_whole_document_needs_no_files():
    """As recordings have it."""
    robot = the_robot(painted_files())
    text = write_toml(robot, whole=True)
    assert read_toml(text, "recording") == robot
    packed = text[text.index('"part.obj" = "') + 14 :]
    for wrong in ("AAAA", "%%%%", packed[:40]):
        with pytest.raises(RobotDocumentError, match="bytes that cannot be had"):
            read_toml(text.replace(packed[: packed.index('"')], wrong), "recording")


def test_urdf_tells_what_of_its_meshes_it_leaves_out():
    text = """<robot name="r"><link name="a">
  <visual><geometry><mesh filename="package://p/skin.obj"/></geometry></visual>
  <visual><geometry><mesh filename="skin.fbx"/></geometry></visual>
  <visual><geometry><mesh filename="part.obj" scale="2 2 2" sacle="1"/></geometry></visual>
  <collision><geometry><mesh filename="part.obj"/></geometry></collision>
  </link></robot>"""
    files = files_of(part_obj=QUADS)
    robot, losses = read_urdf(text, "r.urdf", files)
    assert [str(one) for one in losses] == [
        "2:3: link a <visual>: its mesh package://p/skin.obj is not there: no folder above the "
        "document has it",
        "3:3: link a <visual>: its mesh skin.fbx is not read; read are .stl, .obj, .dae, "
        ".ply, .glb",
        "4:21: link a sacle = 1: <mesh> has no such attribute; those that are read: filename, "
        "scale",
    ]
    assert robot.links[0].mesh == filled(LinkMesh("part.obj"), files)
    assert robot.links[0].visual == LinkVisual(
        BodyShape.MESH, mesh=filled(LinkMesh("part.obj", (2.0, 2.0, 2.0)), files)
    )
    with pytest.raises(RobotDocumentError, match=r"r.urdf:5:24: part.obj: part.obj cannot be read"):
        read_urdf(text, "r.urdf")


def test_a_picture_and_a_library_by_many_names_are_read_once(monkeypatch):
    decoded = []
    checked = reading.check_texture
    monkeypatch.setattr(reading, "check_texture", lambda data: decoded.append(1) or checked(data))
    looks = "".join(f"newmtl m{n}\nmap_Kd {'./' * n}paint.png\n" for n in range(60))
    looks += "newmtl last\nmap_Kd ../here/paint.png\n"
    part = "".join(f"mtllib {'./' * n}look.mtl\n" for n in range(60)) + QUADS
    held = {"part.obj": part.encode(), "look.mtl": looks.encode(), "paint.png": png(PAINT)}
    held["../here/paint.png"] = held["paint.png"]
    mesh = filled(LinkMesh("part.obj"), held.__getitem__)
    assert len(decoded) == 1
    assert [name for name, _ in mesh.contents] == [
        "part.obj", "paint.png", "../here/paint.png", "look.mtl",
    ]  # fmt: skip


def test_a_picture_that_is_not_there_is_looked_for_once_and_told_of_a_few_materials():
    looks = "".join(f"newmtl m{n}\nmap_Kd paint.png\n" for n in range(500))
    held = {"part.obj": ("mtllib look.mtl\n" + QUADS).encode(), "look.mtl": looks.encode()}
    asked = []

    def had(path):
        asked.append(path)
        if path not in held:
            raise OSError("it is not there")
        return held[path]

    mesh = filled(LinkMesh("part.obj"), had)
    assert asked == ["part.obj", "look.mtl", "paint.png"]
    assert len(mesh.left_out) == 64 + 1
    assert mesh.left_out[63].startswith("texture paint.png of material m63: it is not there")
    assert mesh.left_out[64] == "textures of 436 more materials"


def test_a_mesh_of_too_many_files_of_materials_is_refused():
    held = {"part.obj": "".join(f"mtllib {n}.mtl\n" for n in range(64)) + QUADS}
    held |= {f"{n}.mtl": f"newmtl {n}\nKd 1 0 0\nmap_Kd {n}.png\n" for n in range(64)}
    files = {name: text.encode() for name, text in held.items()}
    files |= {f"{n}.png": png(PAINT) for n in range(64)}
    with pytest.raises(MeshError, match="66 files of materials; at most 64"):
        filled(LinkMesh("part.obj"), files.__getitem__)
