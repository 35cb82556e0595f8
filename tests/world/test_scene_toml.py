"""Scenes written and read again; each fault of a document with its place and remedy."""

from dataclasses import replace

import pytest

from hil.config.file_search import configs_dir
from sim.world.robots.body import BodyPlace, BodyShape, LinkInertia
from sim.world.robots.faults import RobotDocumentError
from sim.world.scenes.checks import SceneError, check_scene
from sim.world.scenes.model import (
    BodyField,
    BodyMotion,
    Floor,
    Light,
    Scene,
    SceneBody,
    SceneCamera,
    SceneRobot,
    Stepping,
)
from sim.world.scenes.scene_reader import read_scene
from sim.world.scenes.scene_writer import write_scene

FILES = sorted((configs_dir() / "world" / "scenes").glob("*.toml"))
THIRD = 1.0 / 3.0
TURNED = (0.5, -0.5, 0.5, 0.5)


def whole():
    """A scene with every field of every value away from where it is without being told."""
    triples = ((0.1, THIRD, -2.0), (1e-17, 3.0, 12345678.9))
    inertia = LinkInertia(2.0, (0.1, 0.0, THIRD), (0.1, 0.11, 0.12, 0.01, 0.0, -0.01))
    bodies = (
        SceneBody("wall", BodyShape.BOX, (THIRD, 1.0, 2.0), on="arm", link=3,
                  position_m=triples[0], quaternion=TURNED, friction=0.1,
                  friction_torsion_m=0.01, friction_rolling_m=1e-3, contact_time_s=0.2,
                  contact_damping=THIRD, colour=(0.1, 0.2, THIRD)),
        SceneBody("wheel", BodyShape.CYLINDER, (0.12, 0.02), on="wall", motion=BodyMotion.HINGE,
                  axis=(0.0, THIRD, 0.0), start=0.3, limits=(-1.0, THIRD), joint_friction=4.0,
                  damping=2.0, armature=0.1, place=BodyPlace((0.0, 0.0, THIRD), TURNED),
                  density_kg_m3=7850.0),
        SceneBody("drawer", BodyShape.CAPSULE, (0.1, 0.2), motion=BodyMotion.SLIDE,
                  axis=(1.0, 0.0, 0.0), start=-0.1, limits=(-0.2, 0.5), joint_friction=THIRD,
                  damping=1.5, armature=0.5, mass_kg=THIRD),
        SceneBody("ball", BodyShape.SPHERE, (0.1,), motion=BodyMotion.FREE, inertia=inertia),
    )  # fmt: skip
    kind = SceneBody("barrel", BodyShape.CYLINDER, (0.3, 0.9), motion=BodyMotion.FREE,
                     density_kg_m3=200.0, quaternion=TURNED)  # fmt: skip
    box = ((-1.0, -1.0, 0.0), (THIRD, 1.0, 0.5))
    field = BodyField("heap", 7, box, (kind, replace(kind, name="other")), 3, 0.1,
                      ((0.1, THIRD, 0.5), (1e-17, 3.0, THIRD)))  # fmt: skip
    return Scene(
        'a "scene" # 1',
        Stepping(0.001, "RK4", (0.0, THIRD, -1.62), (2e-5, 0.0, -4.8e-5)),
        Floor(0.3, (0.1, 0.2, 0.3), (0.3, 0.2, THIRD), 0.25),
        (SceneRobot("arm", "robot_a", "ball", 0, triples[0], TURNED, ((1, 60.0), (3, THIRD))),
         SceneRobot("second", "robot_b", "arm", 2)),
        bodies,
        (field,),
        (Light((1.0, 2.0, THIRD), (1.0, 0.0, -1.0), (0.1, 0.1, 0.1), True, False),),
        (SceneCamera("eye", triples[0], (0.0, 0.0, 0.5), THIRD, "arm", 6),),
    )  # fmt: skip


def test_what_is_written_is_read_bit_by_bit():
    scene = whole()
    assert read_scene(write_scene(scene), "a.toml") == scene


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_shipped_scenes_come_back(path):
    scene = read_scene(path.read_text(encoding="utf-8"), str(path))
    assert scene.name == path.stem
    assert read_scene(write_scene(scene), "again") == scene


FAULTS = {
    "no name": ('scene = "table"', "", ":0:0: scene: not told"),
    "no such key": ('name = "table"', 'name = "table"\nweight_kg = 3', "weight_kg: no such key"),
    "no such shape": ('shape = "box"', 'shape = "cone"', 'shape = cone: no such word; one of'),
    "no such motion": ('motion = "free"', 'motion = "swims"', "motion = swims: no such word"),
    "name twice": ('name = "leg_1"', 'name = "table"', "the name stands twice"),
    "no name for a body": ('name = "leg_1"', 'name = "a/b"', "name = a/b: no name"),
    "reserved": ('name = "leg_1"', 'name = "floor"', "name = floor: no name"),
    "nobody bears": ('on = "table"', 'on = "desk"', "on = desk: nothing of this name"),
    "bears itself": ('on = "table"', 'on = "leg_1"', "it bears itself in the end"),
    "link of no robot": ('on = "table"', 'on = "table"\nlink = 2', "no robot bears it"),
    "size": ("size_m = [0.8, 1.2, 0.04]", "size_m = [0.8, 1.2]", "2 numbers; width"),
    "negative size": ("size_m = [0.8, 1.2, 0.04]", "size_m = [0.8, -1.2, 0.04]", "height is -1.2"),
    "friction": ("friction = 0.6", "friction = -0.6", "friction = -0.6: below 0"),
    "no mass": ("mass_kg = 0.2", "mass_kg = 0", "a moving body has no mass"),
    "free on a body": ('motion = "free"', 'motion = "free"\non = "table"', "stands in the world"),
    "limits": ('motion = "free"', 'motion = "free"\nlimits_rad = [0, 1]', "no joint"),
    "hinge without an axis": ('motion = "free"', 'motion = "hinge"', "axis = (): 0 numbers"),
    "quaternion": ('motion = "free"', 'motion = "free"\nquaternion = [1, 1, 0, 0]', "1.41"),
    "not finite": ("position_m = [0.9, 0, 0.68]", "position_m = [0.9, nan, 0.68]", "finite"),
    "colour": ("colour = [0.62, 0.47, 0.33]", "colour = [62, 47, 33]", "outside 0 … 1"),
    "camera sees itself": ("looks_at_m = [0.9, 0, 0.7]", "looks_at_m = [0.9, 0, 3]", "where"),
    "camera twice": ('name = "from_above"', 'name = "aslant"', "no name of its own"),
    "light": ("direction = [-2, 3, -6]", "direction = [0, 0, 0]", "no direction"),
    "yes or no": ("parallel = true", "parallel = 1", "not a yes or no; true or false"),
    "step": ("[floor]", "[floor]\n[stepping]\nstep_s = 0.5", "step_s = 0.5: no step"),
    "floor": ("[floor]", "[floor]\nsquare_m = 0", "square_m = 0.0: not above 0"),
    "count": ("[floor]", "[floor]\n[[field]]\nname = 'f'\ncount = 0\nbox_m = [[0,0,0],[1,1,0]]",
              "count = 0: no bodies"),
    "no kinds": ("[floor]", "[floor]\n[[field]]\nname = 'f'\ncount = 2\nbox_m = [[0,0,0],[1,1,0]]",
                 "it has no kinds of bodies"),
    "corners": ("[floor]", "[floor]\n[[field]]\nname = 'f'\ncount = 2\nbox_m = [[0,0,0],[0,1,0]]",
                "its corners span no area"),
    "no TOML": ("[floor]", "[floor", "not valid TOML"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_told_where_it_stands(name):
    old, new, wanted = FAULTS[name]
    good = (configs_dir() / "world" / "scenes" / "table.toml").read_text(encoding="utf-8")
    text = good.replace(old, new, 1)
    assert text != good
    with pytest.raises(RobotDocumentError) as caught:
        read_scene(text, "a.toml")
    found = [fault for fault in caught.value.faults if wanted in f":{fault}"]
    assert found, caught.value
    if old != 'scene = "table"':
        changed = [k for k, line in enumerate(text.splitlines(), 1) if line not in good.split("\n")]
        block = range(changed[0] - 10, changed[-1] + 10) if changed else range(1, 1000)
        assert found[0].line in block


def test_all_faults_are_told_at_once():
    text = 'scene = 3\n[[body]]\nname = "b"\nshape = "box"\nsize_m = [1]\nfriction = "x"\n'
    with pytest.raises(RobotDocumentError) as caught:
        read_scene(text, "a.toml")
    assert [(one.line, one.column) for one in caught.value.faults] == [(1, 9), (5, 10), (6, 12)]


def test_links_that_are_not_there_are_told_of_a_scene_in_code():
    from robot_documents import shipped

    arm = SceneRobot("arm", "robot_a", link_mass_kg=((44, 1.0),))
    box = SceneBody("box", BodyShape.BOX, (1.0, 1.0, 1.0), on="arm", link=9)
    scene = Scene("test", robots=(arm,), bodies=(box,))
    with pytest.raises(SceneError) as caught:
        check_scene(scene, {"arm": shipped("robot_a")})
    assert str(caught.value).splitlines() == [
        "body box link = 9: arm has no such link; one of 0, 1, 2, 3, 4, 5, 6",
        "robot arm link_mass_kg = 44: it has no such link; a link that is there",
    ]
