"""What a recording lists of the files that its run took in, for each station and kind of file.

The judges are the kernel, which reports what was opened in the stranger's folder, and SHA-256 over
the files as they are on the disk.
"""

import hashlib
import json
import re
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from campaign import count
from hypothesis import given, settings
from hypothesis import strategies as st
from mcap.records import Metadata
from mesh_bodies import LOOKS, PAINT, PAINTED, binary_stl, box
from opened_files import opened_files
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.file_search import configs_dir
from hil.config.files import open_regular, read_regular
from hil.config.inputs import InputFile, collected, name_input
from hil.config.tables import read_table
from hil.recording.collector import Facts
from hil.recording.reader import Recording
from sim.world.pictures.png import png

DIAGRAM = """\
format = 1
base_s = {base_s}
library = ["lib"]
[block]
t = {{ kind = "File", file = "column.csv", column = "y", unit = "{unit}" }}
s = {{ kind = "sub", of = "through" }}
{ends}
[wire]
"s.u" = "t.y"
{wires}
"""
SUB = """\
format = 1
base_s = 0.002
[sub.through.block]
u = { kind = "In" }
y = { kind = "Out" }
[sub.through.wire]
"y.u" = "u.y"
"""
HOLD = """\
name = "hold"
rig = "training_simulator"
rate_hz = 100
[motion]
kind = "hold"
duration_s = 0.1
"""
HOST = """\
station = "simulator"
name = "ride"
rig = "own_rig.toml"
rate_hz = 100
duration_s = 0.1
[cueing]
preset = "own_cueing.toml"
[source]
"""


def put(folder, name, *parts):
    """A copy of a shipped file, told from it by a remark."""
    text = configs_dir().joinpath(*parts).read_text(encoding="utf-8")
    (folder / name).write_text(f"{text}\n# {name}\n", encoding="utf-8")


def table(folder, name, seconds, step_s, **columns):
    """A CSV file with constant columns."""
    rows = [",".join(["t_s", *columns])]
    for t_s in np.arange(0.0, seconds + step_s / 2, step_s):
        rows.append(",".join(f"{value:.6f}" for value in (t_s, *columns.values())))
    (folder / name).write_text("\n".join(rows) + "\n", encoding="utf-8")


def drawn(folder, ends, wires, unit="m", base_s=0.002):
    """A diagram with a library in a folder and a table of its own."""
    (folder / "lib").mkdir()
    (folder / "lib" / "through.toml").write_text(SUB)
    text = DIAGRAM.format(ends=ends, wires=wires, unit=unit, base_s=base_s)
    (folder / "own_diagram.toml").write_text(text)
    table(folder, "column.csv", 2.0, 0.5, y=0.0)


def platform(folder):
    put(folder, "own_rig.toml", "rigs", "paper.toml")
    table(folder, "motion.csv", 1.0, 0.02, z_m=0.0)
    put(folder, "own_scene.toml", "world", "scenes", "paper_cabin.toml")
    scene = folder / "own_scene.toml"
    scene.write_text(scene.read_text().replace('"rig:paper"', '"rig:own_rig.toml"'))
    return """\
name = "recorded"
rig = "own_rig.toml"
rate_hz = 100
world = "own_scene.toml"
[motion]
kind = "recorded"
file = "motion.csv"
[motion.map]
z = { column = "z_m", unit = "m" }
"""


def platform_diagram(folder):
    put(folder, "own_rig.toml", "rigs", "paper.toml")
    drawn(folder, 'z = { kind = "Out", unit = "m" }', '"z.u" = "s.y"')
    return """\
name = "drawn"
rig = "own_rig.toml"
rate_hz = 100
[motion]
kind = "diagram"
diagram = "own_diagram.toml"
duration_s = 0.5
"""


def robot(folder):
    """Robot a with two meshes, one of them painted; its document is in a folder of its own."""
    place = folder / "robots"
    (place / "meshes").mkdir(parents=True)
    (place / "meshes" / "part.obj").write_text(PAINTED)
    (place / "meshes" / "look.mtl").write_text(LOOKS)
    (place / "meshes" / "paint.png").write_bytes(png(PAINT))
    (place / "meshes" / "block.stl").write_bytes(binary_stl(box((0.1, 0.1, 0.1))))
    text = (configs_dir() / "world" / "robots" / "robot_a.toml").read_text(encoding="utf-8")
    for number, file in ((3, "part.obj"), (4, "block.stl")):
        begin = text.index(f"[[link]]\nnumber = {number}")
        end = text.find("[[link]]", begin + 1)
        end = end if end > 0 else text.index("[[joint]]")
        link = re.sub(r"size_m = .*\n", "", text[begin:end])
        mesh = f'shape = "mesh"\nmesh = {{ file = "meshes/{file}", scale = [0.5, 0.5, 0.5] }}'
        text = text[:begin] + re.sub(r"shape = .*", mesh, link) + text[end:]
    (place / "own_robot.toml").write_text(text, encoding="utf-8")


def world(folder):
    robot(folder)
    put(folder, "own_scene.toml", "world", "scenes", "empty.toml")
    put(folder, "robot_b.txt", "world", "robots", "robot_b.txt")
    scene = folder / "own_scene.toml"
    beside = '[[robot]]\nname = "beside"\ndocument = "robot_b.txt"\nposition_m = [9, 9, 0]\n'
    scene.write_text(f"{scene.read_text()}\n{beside}")
    put(folder, "own_diagram.toml", "diagrams", "robot_a.toml")
    put(folder, "changed.toml", "diagrams", "robot_a.toml")
    (folder / "lib").mkdir()
    (folder / "lib" / "through.toml").write_text(SUB)
    drawing = folder / "own_diagram.toml"
    drawing.write_text('library = ["lib"]\n' + drawing.read_text())
    return """\
station = "world"
name = "drawn"
robot = "robots/own_robot.toml"
scene = "own_scene.toml"
law = "diagram"
[diagram]
file = "own_diagram.toml"
change = [{ at_s = 0.1, file = "changed.toml" }]
[motion]
kind = "joints"
goal = [{ joint = 1, by_deg = -1.0 }]
duration_s = 0.5
"""


def world_copy(folder):
    put(folder, "own_robot.toml", "world", "robots", "robot_a.toml")
    put(folder, "edited_robot.toml", "world", "robots", "robot_a.toml")
    table(folder, "frames.csv", 0.5, 0.02, turn=0.0)
    return """\
station = "world"
name = "copy"
robot = "own_robot.toml"
edit = [{ at_s = 0.2, document = "edited_robot.toml" }]
[motion]
kind = "copy"
file = "frames.csv"
values = ["turn"]
map = [{ joint = 1, value = "turn" }]
"""


def arm(folder):
    put(folder, "own_robot.toml", "robots", "rm01.toml")
    put(folder, "own_arm.toml", "arms", "bkm.toml")
    put(folder, "own_rig.toml", "rigs", "training_simulator.toml")
    put(folder, "own_scene.toml", "world", "scenes", "arm_on_platform.toml")
    scene = folder / "own_scene.toml"
    text = scene.read_text().replace("rig:training_simulator", "rig:own_rig.toml")
    scene.write_text(text.replace("robot:rm01", "robot:own_robot.toml"))
    table(folder, "velocity.csv", 2.0, 0.1, vx_m_s=0.0, vy_m_s=0.0, vz_m_s=0.0,
          wx_rad_s=0.0, wy_rad_s=0.0, wz_rad_s=0.0)  # fmt: skip
    (folder.parent / "hold.toml").write_text(HOLD)
    done = CliRunner().invoke(app, ["run", str(folder.parent / "hold.toml"), "--json",
                                    "--out", str(folder.parent / "rides")])  # fmt: skip
    Path(json.loads(done.stdout)["recording"]).parent.rename(folder / "ridden")
    return """\
station = "arm"
name = "recorded"
robot = "own_robot.toml"
world = "own_scene.toml"
ride = "ridden"
[space_arm]
arm = "own_arm.toml"
[source]
kind = "recorded"
file = "velocity.csv"
"""


def simulator(folder):
    put(folder, "own_rig.toml", "rigs", "training_simulator.toml")
    put(folder, "own_cueing.toml", "cueing", "tight.toml")


def ride_record(folder):
    simulator(folder)
    table(folder, "ride.csv", 2.0, 0.02, f_x=0.0, f_y=0.0, f_z=-9.80665, p=0.0, q=0.0, r=0.0)
    columns = [f'{name} = {{ column = "{name}", unit = "m_s2" }}' for name in ("f_x", "f_y", "f_z")]
    columns += [f'{name} = {{ column = "{name}", unit = "rad_s" }}' for name in "pqr"]
    text = 'name = "own"\nabout = "own"\nsource = "own"\n[columns]\n' + "\n".join(columns)
    (folder / "own_map.toml").write_text(text + "\n")
    return HOST + 'kind = "recording"\nfile = "ride.csv"\nmap = "own_map.toml"\n'


def ride_host(folder):
    simulator(folder)
    put(folder, "own_host.toml", "hosts", "flightgear_ascii.toml")
    text = (configs_dir() / "hosts" / "hil_ascii.xml").read_text(encoding="utf-8")
    (folder / "own_ascii.xml").write_text(f"{text}<!-- own -->\n", encoding="utf-8")
    host = folder / "own_host.toml"
    host.write_text(host.read_text().replace("hil_ascii.xml", "own_ascii.xml"))
    columns = {"f_x_m_s2": 0.0, "f_y_m_s2": 0.0, "f_z_m_s2": -9.80665}
    columns |= {"p_rad_s": 0.0, "q_rad_s": 0.0, "r_rad_s": 0.0}
    table(folder, "feed.csv", 5.0, 0.05, **columns)
    return HOST + 'kind = "host"\nmap = "own_host.toml"\n[source.emulated]\nfeed = "feed.csv"\n'


def ride_signed(folder):
    simulator(folder)
    put(folder, "own_host.toml", "hosts", "hcu1.toml")
    (folder / "own.key").write_bytes(b"k" * 32)
    source = 'kind = "host"\nmap = "own_host.toml"\nkey_file = "own.key"\n'
    return HOST + source + '[source.emulated]\nfeed = "flight"\n'


MADE = {
    "platform": platform, "platform_diagram": platform_diagram, "world": world,
    "world_copy": world_copy, "arm": arm, "ride_record": ride_record, "ride_host": ride_host,
    "ride_signed": ride_signed,
}  # fmt: skip


@pytest.fixture
def stranger(tmp_path, request):
    """A folder with a scenario, what that names, and things that nobody names."""
    folder = tmp_path / "stranger"
    folder.mkdir()
    (folder / "own.toml").write_text(MADE[request.param](folder), encoding="utf-8")
    for name in ("notes.txt", "private.csv", "other.toml", "look.mtl"):
        (folder / name).write_text(f"nothing of {name} goes anywhere\n")
    return folder


def run(folder, out, *options):
    """The recording of a run, and which files of the folder were opened for it."""
    opened = set()
    places = [folder, *(one for one in folder.rglob("*") if one.is_dir())]
    with ExitStack() as stack:
        seen = {one: stack.enter_context(opened_files(one)) for one in places}
        arguments = ["run", str(folder / "own.toml"), "--json", "--out", str(out), *options]
        done = CliRunner().invoke(app, arguments)
    assert done.exit_code in (0, 1), done.output
    told = json.loads(done.stdout)
    assert "recording" in told, told
    for place, names in seen.items():
        opened |= {place / name for name in names if (place / name).is_file()}
    return Recording.open(Path(told["recording"])), opened


def check(folder, recording, opened):
    """Whether all that was opened in a folder is listed with its digest, and nothing else there."""
    digests = {
        path: hashlib.sha256(path.read_bytes()).hexdigest() for path in opened
        if path.suffix != ".key"
    }  # fmt: skip
    shipped = [path for path in configs_dir().rglob("*") if path.is_file()]
    known = {hashlib.sha256(path.read_bytes()).hexdigest() for path in shipped}
    listed = {one.sha256: one for one in recording.files if one.kind != "key"}
    assert set(listed) - known == set(digests.values())
    for path, digest in digests.items():
        one = listed[digest]
        assert one.bytes == path.stat().st_size
        assert str(path).endswith(one.name.removeprefix("rig:"))
        in_scene = recording.signals.station == "arm" and path.name == "own_rig.toml"
        assert one.kind == ("scene robot" if in_scene else KINDS[path.name])
    keys = [one for one in recording.files if one.kind == "key"]
    assert len(recording.files) == len(listed) + len(keys)
    has_key = folder / "own.key" in opened
    assert keys == [InputFile("own.key", "key", None, "")] * has_key


KINDS = {
    "own.toml": "scenario", "own_rig.toml": "rig", "motion.csv": "table", "own_scene.toml": "scene",
    "own_diagram.toml": "diagram", "changed.toml": "diagram", "through.toml": "library",
    "column.csv": "diagram table", "own_robot.toml": "robot", "edited_robot.toml": "robot",
    "robot_b.txt": "scene robot", "part.obj": "mesh", "block.stl": "mesh", "look.mtl": "materials",
    "paint.png": "texture", "frames.csv": "table", "own_arm.toml": "arm", "velocity.csv": "table",
    "own_cueing.toml": "cueing", "ride.csv": "table", "own_map.toml": "ride",
    "own_host.toml": "host", "own_ascii.xml": "host", "feed.csv": "table", "vehicle3.fmu": "fmu",
    "recording.mcap": "recording",
}  # fmt: skip


HELD = {
    "platform": {"own.toml", "own_rig.toml"},
    "platform_diagram": {"own.toml", "own_rig.toml"},
    "world": {"own.toml", "robots/own_robot.toml", "own_scene.toml", "robot_b.txt",
              "own_diagram.toml", "lib/through.toml", "changed.toml", "meshes/part.obj",
              "meshes/look.mtl", "meshes/paint.png", "meshes/block.stl"},
    "world_copy": {"own.toml", "own_robot.toml", "edited_robot.toml"},
    "arm": {"own.toml", "own_robot.toml", "own_arm.toml"},
    "ride_record": {"own.toml", "own_rig.toml", "own_cueing.toml"},
    "ride_host": {"own.toml", "own_rig.toml", "own_cueing.toml"},
    "ride_signed": {"own.toml", "own_rig.toml", "own_cueing.toml"},
}  # fmt: skip
"""Names of files of which the recording has what the run takes."""


@pytest.mark.parametrize("stranger", list(MADE), indirect=True)
def test_a_recording_lists_what_was_opened_for_it_and_nothing_else(stranger, tmp_path, request):
    recording, opened = run(stranger, tmp_path / "runs")
    assert stranger / "own.toml" in opened
    check(stranger, recording, opened)
    held = {one.name.removeprefix(f"{stranger}/") for one in recording.files if one.held}
    assert held == HELD[request.node.callspec.params["stranger"]]


@pytest.mark.parametrize("stranger", ["world"], indirect=True)
def test_a_run_made_again_lists_its_recording_and_what_that_held(stranger, tmp_path):
    """It needs nothing that is held: the folder is gone."""
    recording, _ = run(stranger, tmp_path / "runs", "--report")
    page = (recording.path.parent / "report.html").read_text(encoding="utf-8")
    assert all(one.sha256 in page for one in recording.files)
    for path in [*stranger.rglob("*")]:
        if path.is_file():
            path.unlink()
    arguments = ["world", "rerun", str(recording.path), "--out", str(tmp_path / "again"), "--json"]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    again = Recording.open(Path(json.loads(done.stdout)["recording"]))
    assert {one for one in again.files if one.held} == {one for one in recording.files if one.held}
    (own,) = (one for one in again.files if not one.held)
    digest = hashlib.sha256(recording.path.read_bytes()).hexdigest()
    assert own == InputFile(str(recording.path), "recording", recording.path.stat().st_size, digest)


def test_a_digest_is_of_the_bytes_that_were_handed_out(tmp_path):
    """The file is opened once, and what is put in its place meanwhile is not noted."""
    path = tmp_path / "a.csv"
    path.write_text("t_s,y\n" + "0,1\n1,2\n" * 20_000 + "2,3\n")
    first = path.read_bytes()
    for text in (first, first.replace(b"1,2", b'"1",2')):  # the second is read from its start anew
        path.write_bytes(text)
        with collected() as inputs, opened_files(tmp_path) as opened:
            read_table(path, ["y"])
        assert opened[path.name] == 1
        (file,) = inputs.rows(())
        assert (file.bytes, file.sha256) == (len(text), hashlib.sha256(text).hexdigest())
    with collected() as inputs, open_regular(path) as file:
        file.read(100)
        other = tmp_path / "other"
        other.write_bytes(b"another")
        other.replace(path)
    (found,) = inputs.rows(())
    assert found.sha256 == hashlib.sha256(text).hexdigest()


@given(
    st.binary(max_size=200_000),
    st.lists(st.tuples(st.integers(0, 250_000), st.integers(0, 90_000))),
)
@settings(max_examples=count(200, 20), deadline=None, derandomize=True)
def test_a_digest_does_not_depend_on_how_a_file_is_read(data, reads):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.bin"
        path.write_bytes(data)
        with collected() as inputs, open_regular(path) as file:
            for at, size in reads:
                file.seek(at)
                assert file.read(size) == data[at : at + size]
        (found,) = inputs.rows(())
        assert (found.bytes, found.sha256) == (len(data), hashlib.sha256(data).hexdigest())


def test_nothing_goes_from_one_run_to_the_next(tmp_path):
    for name in ("a.toml", "b.toml", "c.toml"):
        (tmp_path / name).write_text(f"name = {name!r}\n")
    with collected() as first:
        read_regular(tmp_path / "a.toml", 100)
        with collected() as second:
            read_regular(tmp_path / "b.toml", 100)
        first.closed = True  # as a run does once it has begun
        read_regular(tmp_path / "c.toml", 100)
    read_regular(tmp_path / "c.toml", 100)
    with collected() as third:
        pass
    names = [[Path(one.name).name for one in inputs.rows(())] for inputs in (first, second, third)]
    assert names == [["a.toml"], ["b.toml"], []]


def test_a_file_that_changes_between_two_readings_is_listed_twice(tmp_path):
    path = tmp_path / "a.toml"
    with collected() as inputs:
        for text in ("a = 1", "a = 22", "a = 22"):
            path.write_text(text)
            read_regular(path, 100)
    assert [one.bytes for one in sorted(inputs.rows(()), key=lambda one: one.bytes)] == [5, 6]


@pytest.mark.parametrize(
    "rows",
    ["[", "{}", "[1]", '[{"name": "a"}]', '[{"name": 1, "kind": "a", "bytes": 1, "sha256": ""}]',
     '[{"name": "a", "kind": "a", "bytes": -1, "sha256": ""}]',
     '[{"name": "a", "kind": "a", "bytes": 1, "sha256": "<script>"}]',
     '[{"name": "a", "kind": "a", "bytes": 1, "sha256": "", "held": "yes"}]'],
)  # fmt: skip
def test_a_list_that_is_none_is_told_as_damage(rows):
    facts = Facts.of([Metadata("files", {"files": rows})])
    assert facts.files is None
    (problem,) = facts.problems
    assert problem.startswith("files is not of this bench")


@pytest.mark.parametrize("ending", ["csv", "AT2", "VT2", "DT2"])
def test_each_kind_of_table_is_listed_as_one(tmp_path, ending):
    path = tmp_path / f"motion.{ending}"
    path.write_bytes(b"0 1")
    with collected() as inputs:
        name_input(path, path.name, "motion")
        read_regular(path, 100)
        (found,) = inputs.rows(())
    assert (found.name, found.kind, found.bytes) == (path.name, "table", 3)


def test_nothing_is_digested_once_the_run_has_begun(tmp_path, monkeypatch):
    """An edit that comes while it goes is read in the time of its cycles."""
    path = tmp_path / "late.toml"
    path.write_bytes(b"a = 1")
    with collected() as inputs:
        inputs.closed = True
        monkeypatch.setattr("hil.config.files.hashlib", None)
        assert read_regular(path, 100) == b"a = 1"
        assert inputs.rows(()) == ()
