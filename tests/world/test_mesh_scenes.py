"""Meshes of COLLADA, PLY and binary glTF: where their triangles are, and what is refused.

Judges: closed forms, files written by hand from the formats' own words, and assimp (by coal).
"""

import json
import struct
import sys

import numpy as np
import pytest
from mesh_bodies import DOCUMENT, files_of
from mesh_scene_files import AWAY, CORNERS, FACES, HEAD, NODE, dae, glb, painted, ply

from sim.world.meshes.glb import check_glb
from sim.world.meshes.mass import open_edges, volume_m3
from sim.world.meshes.mesh_reader import filled, surface_of
from sim.world.meshes.surface import MeshError
from sim.world.meshes.trimesh_reader import read_scene
from sim.world.robots.bodies import placed_bodies
from sim.world.robots.body import LinkMesh
from sim.world.robots.robot_toml_reader import read_toml
from sim.world.robots.urdf_reader import read_urdf


def placed(surface):
    """Triangles as sets of places, each with its way round, in one order."""
    rolled = [min(np.roll(one, -turn, axis=0).tolist() for turn in range(3))
              for one in surface.corners]  # fmt: skip
    return np.array(sorted(rolled))


def of(corners, faces=FACES):
    rolled = [min(np.roll(corners[one], -turn, axis=0).tolist() for turn in range(3))
              for one in faces]  # fmt: skip
    return np.array(sorted(rolled))


def alike(surface, corners, faces=FACES):
    np.testing.assert_allclose(placed(surface), of(np.asarray(corners), faces), atol=1e-6)
    assert open_edges(surface) == 0


def test_collada_is_in_its_unit_and_in_the_axes_of_its_numbers():
    surface = read_scene(dae(), ".dae")
    alike(surface, (CORNERS + AWAY) * 0.01)
    assert volume_m3(surface) == pytest.approx(1e-6)
    alike(read_scene(dae(asset=""), ".dae"), CORNERS + AWAY)


@pytest.fixture
def written(tmp_path):
    def write(data, name):
        path = tmp_path / name
        path.write_bytes(data)
        return path

    return write


TURNED = """<node><rotate>0 0 1 90</rotate><node><translate>1 2 3</translate>
<scale>2 3 4</scale><instance_geometry url="#g"/></node></node>"""


def test_nodes_of_collada_are_where_assimp_has_them(written):
    coal = pytest.importorskip("coal", reason="the judge is assimp, which comes with pinocchio")
    data = dae(TURNED, asset="<up_axis>Y_UP</up_axis>")
    judge = coal.MeshLoader().load(str(written(data, "a.dae")), np.ones(3))
    there = np.array(judge.vertices())
    ours = read_scene(data, ".dae").vertices
    np.testing.assert_allclose(
        ours[np.lexsort(ours.round(6).T)], there[np.lexsort(there.round(6).T)], atol=1e-6
    )


def test_a_node_of_a_library_stands_wherever_it_is_named_and_a_mirrored_one_keeps_its_outside():
    library = f"<library_nodes>{NODE}</library_nodes>"
    nodes = """<node><instance_node url="#n"/></node>
<node><scale>-1 1 1</scale><instance_node url="#n"/></node>"""
    surface = read_scene(dae(nodes, library, asset=""), ".dae")
    assert len(surface.triangles) == 8
    assert volume_m3(surface) == pytest.approx(2.0)
    assert np.unique(surface.groups).tolist() == [0, 1]
    assert surface.vertices[:, 0].min() == -11.0


def test_colours_are_taken_and_materials_that_are_damaged_leave_the_shape():
    assert read_scene(painted(), ".dae").materials[0].colour == pytest.approx((1, 0.5, 0), abs=0.01)
    assert read_scene(glb(), ".glb").materials[0].colour == pytest.approx((1, 0.5, 0), abs=0.01)
    damaged = painted('<texture texture="sam" texcoord="uv"/>').replace(
        b"<technique sid",
        b'<newparam sid="sam"><sampler2D><source>absent</source></sampler2D></newparam>'
        b"<technique sid",
    )
    surface = read_scene(damaged, ".dae")
    alike(surface, CORNERS * 0.01)
    assert surface.notes == ("materials: they are damaged",)


@pytest.mark.parametrize("words", [True, False])
def test_ply_of_words_and_of_bytes_is_one_surface(words):
    alike(read_scene(ply(words), ".ply"), CORNERS)


def test_gltf_nodes_turn_and_scale_and_a_mirror_keeps_its_outside():
    half = np.sqrt(0.5)
    nodes = [
        {"children": [1], "rotation": [0, 0, half, half], "translation": [0, 0, 5]},
        {"mesh": 0, "scale": [-1, 2, 1]},
    ]
    surface = read_scene(glb(nodes), ".glb")
    scaled = CORNERS * (-1, 2, 1)
    turned = np.stack([-scaled[:, 1], scaled[:, 0], scaled[:, 2] + 5.0], axis=1)
    alike(surface, turned, FACES[:, ::-1])
    assert volume_m3(surface) == pytest.approx(2.0)


def test_a_strip_of_gltf_goes_round_as_its_first_triangle():
    """glTF 2.0, 3.7.2.1: every second triangle has its first two corners changed."""
    strip = [0, 2, 1, 3, 0, 2]
    surface = read_scene(glb(mode=5, faces=strip), ".glb")
    alike(surface, CORNERS, np.array([[0, 2, 1], [1, 2, 3], [1, 3, 0], [0, 3, 2]]))
    assert volume_m3(surface) == pytest.approx(1.0)


def bomb(levels=40):
    """Nodes that stand twice in the next each: a trillion triangles."""
    nodes = [NODE.replace('"n"', '"n0"')]
    for one in range(1, levels):
        twice = f'<instance_node url="#n{one - 1}"/>' * 2
        nodes.append(f'<node id="n{one}">{twice}</node>')
    named = f'<node><instance_node url="#n{levels - 1}"/></node>'
    return dae(named, f"<library_nodes>{''.join(nodes)}</library_nodes>")


SELF = '<library_nodes><node id="a"><instance_node url="#a"/></node></library_nodes>'
CIRCLE = dae('<node><instance_node url="#a"/></node>', SELF)
ENTITY = dae().replace(b"<COLLADA", b'<!DOCTYPE a [<!ENTITY b SYSTEM "/etc/passwd">]><COLLADA')
DRACO = {"extensionsRequired": ["KHR_draco_mesh_compression"]}
REFUSED = {
    "bomb": (bomb(), ".dae", "its nodes stand for"),
    "circle": (CIRCLE, ".dae", "a node stands in itself"),
    "entity": (ENTITY, ".dae", "line 2"),
    "other root": (b"<a/>", ".dae", "the outermost element is <a>; <COLLADA>"),
    "unit": (dae(asset='<unit meter="0"/>'), ".dae", "unit meter = 0; metres per unit"),
    "beyond": (dae().replace(b"<p>0 2", b"<p>9 2"), ".dae", "trimesh does not read it"),
    "strips": (dae().replace(b"<triangles", b"<tristrips").replace(b"</triangles", b"</tristrips"),
        ".dae", "<tristrips> is not read; triangles"),
    "no node": (dae(""), ".dae", "it has no triangles"),
    "absent": (dae(NODE.replace("#g", "#h")), ".dae", "trimesh does not read it"),
    "count": (dae().replace(b'count="4" m', b'count="400000000" m'), ".dae",
        "400000000 faces; at most 200000: reduce"),
    "count of words": (dae().replace(b'count="4" m', b'count="many" m'), ".dae",
        "triangles count = many; a whole number, at most 200000"),
    "buffer elsewhere": (glb(told={"buffers": [{"byteLength": 1, "uri": "/etc/passwd"}]}), ".glb",
        "its numbers are in another file"),
    "packed": (glb(told=DRACO), ".glb", "it needs the extension KHR_draco_mesh_compression"),
    "sparse": (glb(sparse={"count": 1}), ".glb", "an accessor that is sparse"),
    "many": (glb(count=10**12), ".glb", "an accessor of 1000000000000"),
    "beyond its end": (glb(count=4000), ".glb", "4000 numbers, which lie beyond its end"),
    "below 0": (glb(byteOffset=-4), ".glb", "a view of another buffer, or of no place in it"),
    "two above": (glb([{"children": [1, 2]}, {"children": [2]}, {"mesh": 0}]), ".glb",
        "node 2 is in two others"),
    "in itself": (glb([{"children": [0], "mesh": 0}]), ".glb", "a node that is in itself"),
    "no index": (glb([{"mesh": "0"}]), ".glb", "'0' is no index"),
    "a corner more": (glb(faces=[0, 2, 1, 0]), ".glb", "4 corners of triangles"),
    "no corner": (glb(faces=[0, 2, 7]), ".glb", "a corner of 4 that are there"),
    "cut": (glb()[:-4], ".glb", "version 2"),
    "more than there is": (ply(head=HEAD.replace("vertex 4", "vertex 999999999")), ".ply",
        "element vertex 999999999; a whole number, at most 1000000"),
    "no head": (b"ply\n", ".ply", "no PLY; a file that begins with ply and has end_header"),
    "cut ply": (ply(words=False)[:-3], ".ply", "trimesh does not read it"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_mesh_is_refused_with_what_would_be_right(case):
    data, ending, told = REFUSED[case]
    with pytest.raises(MeshError) as caught:
        read_scene(data, ending)
    assert told in str(caught.value)


@pytest.mark.parametrize(("whole", "ending"), [
    (dae(), ".dae"), (painted(), ".dae"), (glb(), ".glb"), (ply(), ".ply"), (ply(False), ".ply"),
])  # fmt: skip
def test_a_file_that_is_cut_anywhere_is_refused(whole, ending):
    rng = np.random.default_rng(31)
    for end in rng.integers(0, len(whole) - 2, 40).tolist():
        with pytest.raises(MeshError):
            read_scene(whole[:end], ending)


WATCHED = {"on": False, "opened": []}


def _watch(event, arguments):
    if WATCHED["on"] and event in ("open", "os.listdir", "socket.connect", "subprocess.Popen"):
        WATCHED["opened"].append((event, arguments[0]))


LEFT_OUT = (
    "texture look.png: pictures are laid on meshes of .obj alone; export it as .obj with its .mtl"
)
IMAGE = '<library_images><image id="i"><init_from>look.png</init_from></image></library_images>'


def with_pictures(image=IMAGE):
    """Files of each form that name a picture."""
    textured = painted('<texture texture="sam" texcoord="uv"/>', image).replace(
        b"<technique sid",
        b'<newparam sid="sur"><surface type="2D"><init_from>i</init_from></surface></newparam>'
        b'<newparam sid="sam"><sampler2D><source>sur</source></sampler2D></newparam>'
        b"<technique sid",
    )
    pictures = {"images": [{"uri": "look.png"}], "textures": [{"source": 0}]}
    pictures["materials"] = [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}]
    named = HEAD.replace("element vertex", "comment TextureFile look.png\nelement vertex")
    return [(textured, ".dae"), (glb(told=pictures), ".glb"), (ply(head=named), ".ply")]


def test_a_part_that_is_placed_as_cameras_are_is_refused_and_a_camera_is_not():
    moved = "<lookat>0 0 1 0 0 0 0 1 0</lookat>"
    part = f'<node>{moved}<node><instance_geometry url="#g"/></node></node>'
    with pytest.raises(MeshError, match=r"line \d+: <\w+> places a part; translate, rotate, scale"):
        read_scene(dae(part), ".dae")
    assert len(read_scene(dae(f"<node>{moved}</node>{NODE}"), ".dae").triangles) == 4


def test_a_picture_that_is_not_laid_on_is_told_by_its_name():
    for data, ending in with_pictures():
        assert read_scene(data, ending).notes == (LEFT_OUT,), ending
    for inside, name in [
        ("<init_from>\n  tex/a b.jpg </init_from>", "tex/a b.jpg"),
        ("<init_from><ref>c.png</ref></init_from>", "c.png"), ("<data>89504e47</data>", "skin"),
    ]:  # fmt: skip
        image = f'<library_images><image id="i" name="skin">{inside}</image></library_images>'
        ((data, ending), *_) = with_pictures(image)
        assert read_scene(data, ending).notes[0].startswith(f"texture {name}: ")
    many = glb(told={"images": [{"bufferView": 0, "mimeType": "image/png"}] * 70})
    notes = read_scene(many, ".glb").notes
    assert (len(notes), notes[0].split(": ")[0]) == (65, "texture 1")
    assert notes[-1].startswith("6 textures more: ")


def test_nothing_that_a_mesh_names_is_opened(tmp_path, monkeypatch):
    """By the interpreter's own audit, files that are there and would be pictures."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "look.png").write_bytes(b"\x89PNG\r\n")
    files = with_pictures()
    for data, ending in files:
        read_scene(data, ending)  # its libraries are loaded
    sys.addaudithook(_watch)
    WATCHED["on"] = True
    try:
        for data, ending in files:
            assert len(read_scene(data, ending).triangles) == 4
        own = [path for path in (tmp_path / "look.png",) if path.read_bytes()]
    finally:
        WATCHED["on"] = False
    assert own
    assert WATCHED["opened"] == [("open", str(tmp_path / "look.png"))]  # the test's own


def test_the_other_reader_sees_no_name_of_a_file_and_no_extension():
    told = {
        "images": [{"uri": "look.png"}], "extensions": {"x": {}}, "extras": {"secret": 1},
        "extensionsUsed": ["x"], "cameras": [{}], "skins": [{}],
    }  # fmt: skip
    data, notes = check_glb(glb(told=told))
    (length,) = struct.unpack_from("<I", data, 12)
    assert set(json.loads(data[20 : 20 + length])) == {
        "asset", "buffers", "bufferViews", "accessors", "meshes", "materials", "nodes", "scenes",
        "scene",
    }  # fmt: skip
    assert notes == (LEFT_OUT,)


@pytest.mark.parametrize(("data", "file", "volume"), [
    (dae(asset=""), "part.dae", 1.0), (glb(), "part.glb", 1.0), (ply(), "part.PLY", 1.0),
])  # fmt: skip
def test_a_link_weighs_what_its_mesh_bounds(data, file, volume):
    text = DOCUMENT.replace("part.obj", file)
    robot = read_toml(text, "a.toml", {file: data}.__getitem__)
    assert placed_bodies(robot)[1].mass.mass_kg == pytest.approx(1000.0 * volume, rel=1e-6)


def test_urdf_takes_meshes_of_these_forms_and_tells_those_that_it_cannot():
    text = """<robot name="r"><link name="a">
  <visual><geometry><mesh filename="skin.dae"/></geometry></visual>
  <collision><geometry><mesh filename="part.glb" scale="2 2 2"/></geometry></collision>
  </link></robot>"""
    files = {"skin.dae": dae(), "part.glb": glb()}
    robot, losses = read_urdf(text, "r.urdf", files.__getitem__)
    assert losses == ()
    assert robot.links[0].mesh == filled(LinkMesh("part.glb", (2.0, 2.0, 2.0)), files.__getitem__)
    assert volume_m3(surface_of(robot.links[0].mesh)) == pytest.approx(8.0)
    _, losses = read_urdf(text, "r.urdf", files_of(part_glb="no"))
    assert [str(one) for one in losses] == [
        "2:3: link a <visual>: its mesh skin.dae: skin.dae cannot be read: No such file or "
        "directory; a file that is there",
        "3:3: link a <collision>: its mesh part.glb: no binary glTF; a file that begins with glTF",
    ]


def test_without_trimesh_it_is_told_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.raises(MeshError, match=r'not installed; pip install "hil-bench\[world\]"'):
        read_scene(ply(), ".ply")
