"""A machine in the place of a scene's: what stays there, what goes, what is refused."""

import pytest

from hil.config.errors import ConfigError
from hil.config.file_search import configs_dir
from hil.machines.rig.machine import load_rig
from hil.machines.world.rig_document import rig_robot
from hil.machines.world.scene_documents import scene_of
from hil.machines.world.scene_machine import scene_around
from sim.world.engine.world import World

RIG = load_rig(configs_dir() / "rigs" / "training_simulator.toml")
ARM = '\n[[robot]]\nname = "arm"\ndocument = "robot_a"\non = "rig"\nlink = 1\n'
ON_THE_ARM = (
    '\n[[body]]\nname = "cup"\nshape = "sphere"\nsize_m = [0.03]\non = "arm"\nmass_kg = 0.1\n'
    '\n[[body]]\nname = "lid"\nshape = "sphere"\nsize_m = [0.01]\non = "cup"\nmass_kg = 0.1\n'
    '\n[[camera]]\nname = "at_it"\nposition_m = [1, 0, 0]\nlooks_at_m = [0, 0, 0]\non = "arm"\n'
)


@pytest.fixture
def scene(tmp_path):
    def written(more="", name="paper_cabin", **changes):
        text = (configs_dir() / "world" / "scenes" / f"{name}.toml").read_text(encoding="utf-8")
        for old, new in changes.items():
            text = text.replace(old, new)
        file = tmp_path / "scene.toml"
        file.write_text(text + more, encoding="utf-8")
        return scene_of(str(file))

    return written


def test_a_rig_takes_the_place_of_the_scenes(scene):
    place = scene_around(scene(), "rig", RIG.name)
    (robot,) = place.scene.robots
    assert (place.robot, robot.name, robot.document) == ("rig", "rig", f"rig:{RIG.name}")
    assert robot.link_mass_kg == ((1, 60.0),)
    assert place.left_out == ()
    world = World(place.text(rig_robot(RIG)[0], 1e-3))
    assert world.step_s == 1e-3
    assert len(world.robots[0].drives) == 6
    assert set(world.bodies) == {"cabin"}
    stroke_m = world._model.joint("rig/j3").range[1]
    assert stroke_m == pytest.approx(RIG.cylinders.stroke_m[0], rel=1e-15)


def test_what_nobody_moves_is_left_out_and_told(scene):
    place = scene_around(scene(ARM + ON_THE_ARM), "rig", RIG.name)
    assert place.left_out == ("arm", "cup", "lid")
    assert [body.name for body in place.scene.bodies] == ["cabin"]
    assert [camera.name for camera in place.scene.cameras] == ["aslant"]
    World(place.text(rig_robot(RIG)[0], 1e-3))


def test_a_scene_without_one_gets_it_in_its_origin_by_a_free_name(scene):
    body = '\n[[body]]\nname = "rig"\nshape = "sphere"\nsize_m = [0.1]\nposition_m = [3, 0, 1]\n'
    place = scene_around(scene(body, name="empty"), "rig", RIG.name)
    (robot,) = place.scene.robots
    assert place.robot == robot.name == "rig_0"
    assert robot.position_m == (0.0, 0.0, 0.0)


def test_which_machine_is_meant_must_be_clear(scene):
    two = '\n[[robot]]\nname = "second"\ndocument = "rig:paper"\nposition_m = [4, 0, 0]\n'
    with pytest.raises(ConfigError, match="rig, second: one rig: is needed, not several"):
        scene_around(scene(two), "rig", RIG.name)
    carried = '\n[[robot]]\nname = "arm"\ndocument = "robot_a"\n'
    on_it = {'document = "rig:paper"\n': 'document = "rig:paper"\non = "arm"\nlink = 2\n'}
    with pytest.raises(ConfigError, match="rig stands on arm, which nobody moves here"):
        scene_around(scene(carried, **on_it), "rig", RIG.name)


def test_a_finer_step_of_a_scene_is_kept(scene):
    fine = scene(**{"[floor]": "[stepping]\nstep_s = 0.0005\n\n[floor]"})
    world = World(scene_around(fine, "rig", RIG.name).text(rig_robot(RIG)[0], 1e-3))
    assert world.step_s == 0.0005
