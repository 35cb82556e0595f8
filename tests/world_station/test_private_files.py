"""Files outside a robot's folder stay there: whatever a document names, none of it goes on.

The judge looks through all that a run, its page, its table, its copies and its repetition leave
behind, and unpacks what is packed in there; it knows the private bytes and nothing of the readers.
"""

import base64
import io
import json
import os
import re
import zipfile
import zlib

import numpy as np
import pytest
from mesh_bodies import PAINTED, QUADS, binary_stl, box
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.file_search import configs_dir
from hil.recording.reader import Recording
from sim.world.pictures.png import png
from sim.world.robots.robot_toml_reader import read_toml
from sim.world.robots.urdf_writer import write_urdf

COLOUR = b"0.1357913579"
PIXELS = np.random.default_rng(7).integers(0, 256, (16, 16, 3), np.uint8)
CORNER = b"0.2468246824"
SHORT = ["motion.duration_s=0.35", "settle_s=0.0", "motion.goal=[{ joint = 1, by_deg = -0.5 }]"]
WORDS = re.compile(rb"[A-Za-z0-9+/]{24,}={0,2}")


def private_files(folder):
    """Files of all kinds that nobody is to see, by their names."""
    folder.mkdir(exist_ok=True)
    held = {
        "key.mtl": b"newmtl steel\nKd " + COLOUR + b" 0 0\nnewmtl painted\nmap_Kd key.png\n",
        "key.png": png(PIXELS),
        "key.obj": QUADS.replace("v -1 -1 -1", "v -1 -1 -" + CORNER.decode()).encode(),
        "key.stl": binary_stl(box((0.2468, 0.1, 0.1))),
        "key": b"-----BEGIN PRIVATE KEY-----\n" + COLOUR,
    }
    for name, data in held.items():
        (folder / name).write_bytes(data)
    (picture,) = re.findall(rb"IDAT(.*)....IEND", held["key.png"], re.DOTALL)
    return [COLOUR, picture[:24], CORNER, held["key.stl"][90:130]]


def unpacked(data):
    """A text, what is in its words, and what is in an archive."""
    yield data
    for word in WORDS.findall(data):
        try:
            found = base64.b64decode(word)
            yield zlib.decompressobj().decompress(found)
        except (ValueError, zlib.error):
            continue
    if data[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for name in archive.namelist():
                yield archive.read(name)


def seen(folder, private):
    """Private bytes in all that lies in a folder."""
    found = []
    for path in sorted(folder.rglob("*")):
        if not path.is_file():
            continue
        parts = [path.read_bytes()]
        if path.suffix == ".mcap":
            parts.append(json.dumps(Recording.open(path).header.scenario).encode())
        for part in parts:
            for text in unpacked(part):
                found += [(path.name, one) for one in private if one in text]
                found += [(path.name, one) for one in private if repr(one)[2:-1].encode() in text]
    return found


def said(*arguments):
    done = CliRunner().invoke(app, [str(one) for one in arguments])
    assert not isinstance(done.exception, Exception) or isinstance(done.exception, SystemExit)
    return done


def robot_text(mesh):
    """Robot A with a mesh for the body of a link."""
    text = (configs_dir() / "world" / "robots" / "robot_a.toml").read_text("utf-8")
    begin = text.index("[[link]]\nnumber = 3")
    end = text.index("[[link]]", begin + 1)
    link = re.sub(r"size_m = .*\n", "", text[begin:end])
    told = f'shape = "mesh"\nmesh = {{ file = "{mesh}", scale = [0.5, 0.5, 0.5] }}'
    return text[:begin] + re.sub(r"shape = .*", told, link) + text[end:]


def all_that_is_made(document, out, *page):
    """What every verb makes of a robot's document; whether it can be run."""
    out.mkdir()
    sets = [word for one in SHORT for word in ("--set", one)]
    ran = said("run", "joint_move", "--robot", document, "--out", out, *page, *sets)
    for form in ("toml", "urdf", "mjcf"):
        new = out / f"copy_{form}" / f"a.{form.replace('mjcf', 'xml')}"
        new.parent.mkdir()
        said("world", "convert", document, "--to", form, "-o", new)
    for recording in sorted(out.rglob("*.mcap")):
        said("export", recording, "--out", out)
        said("world", "rerun", recording, "--out", out / "again")
    return ran


@pytest.fixture
def place(tmp_path):
    """A stranger's folder, and a private one beside it."""
    robot = tmp_path / "robot"
    robot.mkdir()
    return robot, tmp_path / "private"


def with_obj(robot, text, looks="", name="part.obj"):
    (robot / "part.obj").write_text(text)
    if looks:
        (robot / "look.mtl").write_text(looks)
    path = robot / "a.toml"
    path.write_text(robot_text(name))
    return path


PAINT = "newmtl steel\nKd 0 1 1\nnewmtl painted\n"
LOOK = PAINTED
ATTACKS = {
    "library above": lambda r, p: with_obj(r, LOOK.replace("look.mtl", "../private/key.mtl")),
    "library of several": lambda r, p: with_obj(
        r, LOOK.replace("look.mtl", "look.mtl ../private/key.mtl"), PAINT),
    "library by an absolute path": lambda r, p: with_obj(
        r, LOOK.replace("look.mtl", f"{p}/key.mtl")),
    "library with backslashes": lambda r, p: with_obj(
        r, LOOK.replace("look.mtl", "..\\private\\key.mtl")),
    "library in quotes": lambda r, p: with_obj(
        r, LOOK.replace("look.mtl", '"../private/key.mtl"')),
    "library that is no library": lambda r, p: with_obj(
        r, LOOK.replace("look.mtl", "../private/key")),
    "texture above": lambda r, p: with_obj(r, LOOK, PAINT + "map_Kd ../private/key.png\n"),
    "texture after options": lambda r, p: with_obj(
        r, LOOK, PAINT + f"map_Kd -o 1 1 1 -s 1 1 1 -clamp on {p}/../private/key.png\n"),
    "texture by a file's address": lambda r, p: with_obj(
        r, LOOK, PAINT + f"map_Kd file://{p}/key.png\n"),
    "texture as bump": lambda r, p: with_obj(
        r, LOOK, PAINT + "map_bump ../private/key.png\nbump ../private/key.png\n"),
    "texture of reflections": lambda r, p: with_obj(
        r, LOOK, PAINT + "refl -type sphere ../private/key.png\n"),
    "mesh above": lambda r, p: with_obj(r, LOOK, name="../private/key.obj"),
    "mesh by an absolute path": lambda r, p: with_obj(r, LOOK, name=f"{p}/key.obj"),
    "mesh by a file's address": lambda r, p: with_obj(r, LOOK, name=f"file://{p}/key.stl"),
    "mesh of a package": lambda r, p: with_obj(r, LOOK, name="package://private/key.obj"),
    "mesh out of a package": lambda r, p: with_obj(
        r, LOOK, name="package://robot/../private/key.obj"),
    "mesh through the program": lambda r, p: with_obj(
        r, LOOK, name=f"{configs_dir()}/../{os.path.relpath(p, configs_dir().parent)}/key.obj"),
}  # fmt: skip


def linked(name, to):
    def made(robot, private):
        path = with_obj(robot, LOOK, PAINT + "map_Kd paint.png\n")
        (robot / name).unlink(missing_ok=True)
        (robot / name).symlink_to(private / to)
        return path

    return made


def linked_folder(robot, private):
    path = with_obj(robot, LOOK.replace("look.mtl", "inner/key.mtl"))
    (robot / "inner").symlink_to(private)
    return path


ATTACKS |= {
    "link for the library": linked("look.mtl", "key.mtl"),
    "link for the texture": linked("paint.png", "key.png"),
    "link for the mesh": linked("part.obj", "key.obj"),
    "link for a folder": linked_folder,
}


@pytest.mark.parametrize("name", ATTACKS)
def test_nothing_of_a_private_file_goes_on(name, place, tmp_path):
    robot, private = place
    secret = private_files(private)
    document = ATTACKS[name](robot, private)
    done = all_that_is_made(document, tmp_path / "out")
    assert seen(tmp_path / "out", secret) == []
    checked = said("world", "check", document)
    if done.exit_code:
        assert "lies outside" in done.stderr or "no folder above the document has it" in done.stderr
        assert done.exit_code == checked.exit_code == 2
    else:  # what is left out is told by its name, and what says nothing is not asked for
        wanted = {"bump", "reflections"} & {*name.split()} or "is not there" in checked.output
        assert wanted, checked.output


def test_what_lies_in_the_folder_does_go_on(place, tmp_path):
    """So the judge sees what there is to be seen."""
    robot, _ = place
    secret = private_files(robot / "inner")
    document = with_obj(robot, LOOK.replace("look.mtl", "inner/key.mtl"))
    done = all_that_is_made(document, tmp_path / "out", "--report")
    assert done.exit_code == 0, done.output
    found = {one for _, one in seen(tmp_path / "out", secret)}
    assert found == {*secret[:2]}
    assert {path for path, _ in seen(tmp_path / "out", secret)} >= {"key.mtl", "key.png"}


@pytest.mark.parametrize("form", ["urdf", "xml"])
@pytest.mark.parametrize("how", ["above", "absolute", "address", "package", "link"])
def test_other_forms_of_documents_name_no_more(form, how, place, tmp_path):
    robot, private = place
    secret = private_files(private)
    name = {
        "above": "../private/key.obj", "absolute": f"{private}/key.obj",
        "address": f"file://{private}/key.obj", "package": "package://robot/../private/key.obj",
        "link": "part.obj",
    }[how]  # fmt: skip
    if how == "link":
        (robot / "part.obj").symlink_to(private / "key.obj")
    (robot / "package.xml").write_text("<package/>")
    if form == "urdf":
        mesh = f'<mesh filename="{name}"/>'
        text = f'<robot name="r"><link name="a"><visual><geometry>{mesh}</geometry></visual>'
        text += "</link></robot>"
    else:
        text = f'<mujoco><asset><mesh name="m" file="{name}"/></asset><worldbody><body name="a">'
        text += '<geom type="mesh" mesh="m"/></body></worldbody></mujoco>'
    document = robot / f"a.{form}"
    document.write_text(text)
    new = tmp_path / "out" / "a.toml"
    new.parent.mkdir()
    done = said("world", "convert", document, "--to", "toml", "-o", new)
    assert done.exit_code == 0, "a foreign document is read without it, and that is told"
    assert "lies outside" in done.stderr, done.stderr
    assert seen(tmp_path / "out", secret) == []
    assert [one.name for one in new.parent.rglob("*")] == ["a.toml"]


def test_a_recording_names_no_files(place, tmp_path):
    """A stranger's recording says where its robot was; nothing is looked for there."""
    _, private = place
    private_files(private)
    text = robot_text("key.obj")
    from hil.stations.world.view.recorded_world import recorded_robot
    from sim.world.robots.faults import RobotDocumentError

    with pytest.raises(RobotDocumentError, match="stands in no folder"):
        recorded_robot({
            "robot": text, "robot_file": str(private / "a.toml"), "scenario": {},
            "scenario_file": "run.toml",
        })  # fmt: skip


def test_contents_that_a_document_holds_are_judged_as_files_are(place, tmp_path):
    """Of what nothing asks for, nothing goes on; what is no picture is none."""
    from sim.world.robots.robot_toml_writer import write_toml
    from sim.world.robots.toml_keys import packed

    held = {"part.obj": LOOK.encode(), "look.mtl": (PAINT + "map_Kd paint.png\n").encode(),
            "paint.png": b"\x89PNG\r\n\x1a\n" + COLOUR, ".profile": b"rm -r /"}  # fmt: skip
    told = ", ".join(f'"{name}" = "{packed(data)}"' for name, data in held.items())
    text = robot_text("part.obj").replace("scale = [0.5", f"contents = {{ {told} }}, scale = [0.5")
    robot = read_toml(text, "a.toml")
    kept = dict(robot.links[3].mesh.contents)
    assert sorted(kept) == ["look.mtl", "part.obj"]
    assert b"map_Kd" not in kept["look.mtl"]
    assert ".profile" not in write_toml(robot, whole=True)
    assert write_urdf(robot)
