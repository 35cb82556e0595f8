"""Documents with meshes, as the verbs take them: files beside them, packages, conversions."""

import json
import re

import mujoco
import pytest
from mesh_bodies import DOCUMENT, LOOKS, PAINT, PAINTED, channel, obj_of
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.file_search import configs_dir
from hil.machines.world.robot_documents import robot_of
from hil.stations.world.plan.scenario_reader import load_world_plan
from sim.world.pictures.png import png
from sim.world.robots.robot_toml_reader import read_toml


def said(*arguments, status=0):
    done = CliRunner().invoke(app, ["world", *map(str, arguments)])
    assert done.exit_code == status, done.output
    return done


@pytest.fixture
def document(tmp_path):
    folder = tmp_path / "there"
    (folder / "meshes").mkdir(parents=True)
    (folder / "meshes" / "part.obj").write_text(PAINTED)
    (folder / "meshes" / "look.mtl").write_text(LOOKS)
    (folder / "meshes" / "paint.png").write_bytes(png(PAINT))
    path = folder / "a.toml"
    path.write_text(DOCUMENT.replace("part.obj", "meshes/part.obj"))
    return path


@pytest.mark.parametrize("form", ["toml", "urdf"])
def test_files_of_meshes_go_with_a_converted_document(document, tmp_path, form):
    new = tmp_path / "new" / f"b.{form}"
    new.parent.mkdir()
    said("convert", document, "--to", form, "-o", new)
    found = [path.relative_to(new.parent) for path in new.parent.rglob("*") if path.is_file()]
    assert sorted(map(str, found)) == [
        f"b.{form}", "meshes/look.mtl", "meshes/paint.png", "meshes/part.obj",
    ]  # fmt: skip
    assert robot_of(str(new))[0].links[1].mesh == robot_of(str(document))[0].links[1].mesh
    said("convert", document, "--to", form, "-o", new)  # the same files are there
    (new.parent / "meshes" / "paint.png").write_bytes(b"another")
    done = said("convert", document, "--to", form, "-o", new, status=2)
    assert "paint.png: another file is there; write into a new folder" in done.stderr


def test_mjcf_is_loaded_by_the_engine_with_its_pictures(document, tmp_path):
    new = tmp_path / "new.xml"
    said("convert", document, "--to", "mjcf", "-o", new)
    model = mujoco.MjModel.from_xml_path(str(new))
    assert (model.nmesh, model.ntex) == (3, 1)


def test_a_path_that_leads_out_of_the_folder_is_refused(document, tmp_path):
    (document.parent / "deep").mkdir()
    moved = document.parent / "deep" / "a.toml"
    moved.write_text(document.read_text().replace("meshes/", "../meshes/"))
    new = tmp_path / "b.toml"
    done = said("convert", moved, "--to", "toml", "-o", new, status=2)
    where = f"lies outside {moved.parent}, the folder of the document that names it"
    assert f"{moved}: 10:8: mesh = ../meshes/part.obj: ../meshes/part.obj {where}" in done.stderr
    assert "copy it into the folder of the document" in done.stderr
    assert not new.exists()
    assert not (tmp_path / "meshes").exists()


def test_a_package_is_found_in_a_folder_above_the_document(document):
    (document.parent / "urdf").mkdir()
    mesh = '<mesh filename="package://there/meshes/part.obj"/>'
    body = f"<collision><geometry>{mesh}</geometry></collision>"
    text = f'<robot name="r"><link name="a">{body}</link></robot>'
    path = document.parent / "urdf" / "r.urdf"
    path.write_text(text)
    told = json.loads(said("check", path, "--json").stdout)
    assert "no folder above the document has it" in told["losses"][0]
    (document.parent / "package.xml").write_text("<package/>")  # which makes it one
    robot, _ = robot_of(str(path))
    assert len(robot.links[0].mesh.contents) == 3
    checked = json.loads(said("check", path, "--json").stdout)
    assert (checked["losses"], checked["engine"]) == ([], "ok")
    path.write_text(text.replace("there/", "elsewhere/"))
    (lost,) = json.loads(said("check", path, "--json").stdout)["losses"]
    assert lost.endswith("is not there: no folder above the document has it")


def test_check_tells_faults_by_place_and_what_a_hull_costs(document):
    part = document.parent / "meshes" / "part.obj"
    part.write_bytes(obj_of(channel()))
    (told,) = json.loads(said("check", document, "--json").stdout)["losses"]
    assert "its convex hull touches others, of 1.200 times its volume" in told
    part.unlink()
    done = said("check", document, status=2)
    assert "10:8: mesh = meshes/part.obj: meshes/part.obj cannot be read: No such" in done.stderr


def test_a_model_of_the_engine_is_taken_where_a_robot_is_named(tmp_path):
    path = tmp_path / "a.xml"
    body = '<body name="a"><geom type="box" size="1 1 1"/><body name="b"><joint name="j"/>'
    body += '<geom type="sphere" size="0.1" condim="4"/></body></body>'
    path.write_text(f"<mujoco>\n<worldbody>{body}</worldbody></mujoco>")
    new = tmp_path / "b.toml"
    done = said("convert", path, "--to", "toml", "-o", new)
    place = "2:90: body b condim = 4: what touches is as hard and rough as the world has it"
    assert f"lost: {path}:{place}" in done.stderr
    assert [link.name for link in robot_of(str(new))[0].links] == ["a", "b"]
    done = said("convert", path, "--to", "toml", "--strict", status=1)
    assert f"{path}:{place}" in done.stderr
    path.write_text(path.read_text().replace(' condim="4"', ""))
    said("convert", path, "--to", "toml", "--strict")
    assert json.loads(said("check", path, "--json").stdout)["engine"] == "ok"
    path.write_text("<robot/>")
    assert "1:1: <robot>: no MJCF" in said("check", path, status=2).stderr


def test_a_run_keeps_the_meshes_so_that_its_recording_needs_no_files(document):
    """Report, film and repetition read the robot from what the recording holds."""
    text = (configs_dir() / "world" / "robots" / "robot_a.toml").read_text(encoding="utf-8")
    begin = text.index("[[link]]\nnumber = 3")
    end = text.index("[[link]]", begin + 1)
    link = re.sub(r"size_m = .*\n", "", text[begin:end])
    mesh = 'shape = "mesh"\nmesh = { file = "meshes/part.obj", scale = [0.5, 0.5, 0.5] }'
    text = text[:begin] + re.sub(r"shape = .*", mesh, link) + text[end:]
    document.write_text(text, encoding="utf-8")
    scenario = configs_dir() / "scenarios" / "joint_move.toml"
    plan = load_world_plan(scenario, [f'robot="{document}"'])
    for path in (document.parent / "meshes").iterdir():
        path.unlink()
    kept = read_toml(plan.robot_text, "recording")
    assert kept.links == plan.robot.links
    assert len(kept.links[3].mesh.contents) == 3
