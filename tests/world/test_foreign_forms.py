"""Documents of others that leave out what ours must say: defaults that are told, not faults."""

import math
import re
from pathlib import Path

import mujoco
import numpy as np
import pytest

from hil.config.errors import ConfigError
from hil.machines.world.robot_documents import document_of
from hil.stations.world.plan.scenario_reader import scenario_table, world_plan_from_table
from sim.world.engine.mjcf import model_text, robot_text, stepping_of
from sim.world.engine.mjcf_robot import PlacedRobot
from sim.world.engine.world import World
from sim.world.mjcf.mjcf_reader import read_mjcf
from sim.world.robots.bodies import placed_bodies
from sim.world.robots.faults import RobotDocumentError
from sim.world.robots.losses import rank
from sim.world.robots.robot_toml_reader import read_toml
from sim.world.robots.robot_toml_writer import write_toml
from sim.world.robots.tree import spanning_tree
from sim.world.robots.urdf_reader import read_urdf
from sim.world.robots.urdf_writer import urdf_losses

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases"
LINK = '<inertial><origin xyz="0 0 0.2"/><mass value="{mass}"/><inertia {inertia}/></inertial>'
GOOD = 'ixx="0.02" iyy="0.02" izz="0.004"'
MORE = '<link name="{name}">{inside}</link>'
FIXED = ('<joint name="of_{name}" type="fixed"><parent link="arm"/><child link="{name}"/>'
         '<origin xyz="0 0 0.4"/></joint>')  # fmt: skip


def arm(limit='lower="-1.5" upper="1.5" effort="50" velocity="2"', inertia=GOOD, mass=2.0,
        kind="revolute", more=""):  # fmt: skip
    inside = LINK.format(mass=mass, inertia=inertia)
    told = "" if limit is None else f"<limit {limit}/>"
    return (
        f'<robot name="r"><link name="base"/>\n<link name="arm">{inside}</link>\n'
        f'<joint name="shoulder" type="{kind}"><parent link="base"/><child link="arm"/>'
        f'<origin xyz="0 0 0.3"/><axis xyz="0 1 0"/>{told}</joint>\n{more}</robot>'
    )


def read(text):
    robot, losses = read_urdf(text, "r.urdf")
    return robot, [str(one) for one in losses]


def stepped(robot, seconds=0.2):
    world = World(model_text([PlacedRobot(robot)]))
    world.step(round(seconds / world.step_s))
    return world


@pytest.mark.parametrize(
    ("ends", "start"), [((-3.0, -0.1), -0.1), ((0.3, 1.9), 0.3), ((1e-6, 1.0), 1e-6)]
)
@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_a_joint_starts_at_the_nearest_place_within_its_limits(ends, start, kind):
    robot, lost = read(arm(f'lower="{ends[0]}" upper="{ends[1]}"', kind=kind))
    assert robot.joints[1].start == (start,)
    (line,) = lost
    assert f"joint shoulder start = 0: outside [{ends[0]:.9g}, {ends[1]:.9g}]" in line
    assert f"it starts at {start:.9g}, the nearest" in line
    stepped(robot)


@pytest.mark.parametrize("limit", [
    'effort="1000" velocity="1000"', 'lower="0" upper="0"', 'lower="0.2" upper="0.2"',
    'lower="-1e+16" upper="1e+16"', 'lower="-inf" upper="inf" effort="0" velocity="0"', None,
])  # fmt: skip
@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_limits_that_are_left_out_equal_or_beyond_all_are_none_and_told(limit, kind):
    robot, lost = read(arm(limit, kind=kind))
    assert robot.joints[1].limits == ()
    assert len(lost) == 1
    assert "no limits" in lost[0]
    assert "joint shoulder" in lost[0]
    stepped(robot)


def test_an_effort_or_a_velocity_beyond_all_is_no_bound():
    robot, lost = read(arm('lower="-1" upper="1" effort="1e16" velocity="inf"'))
    assert robot.drives == ()
    assert robot.machine is None
    assert [line.partition(": ")[2].partition(":")[0] for line in lost] == [
        "joint shoulder effort = 1e16", "joint shoulder velocity = inf"]  # fmt: skip


@pytest.mark.parametrize("word", ["nan", "1e", "-"])
def test_what_is_no_number_is_no_default(word):
    with pytest.raises(RobotDocumentError, match="limit upper is not read"):
        read(arm(f'lower="-1" upper="{word}"'))


def test_a_point_that_is_fixed_to_a_body_needs_no_moments():
    camera = LINK.format(mass=0.01, inertia='ixx="0" iyy="0" izz="0"').replace("0 0 0.2", "0 0 0")
    more = MORE.format(name="camera", inside=camera) + FIXED.format(name="camera")
    robot, lost = read(arm(more=more))
    assert lost == []
    world = stepped(robot, 0.0)
    about_shoulder = 0.02 + 2.0 * 0.2**2 + 0.01 * 0.4**2
    assert world.mass_matrix()[0, 0] == pytest.approx(about_shoulder, rel=1e-9)
    assert sum(world._model.body_mass) == pytest.approx(2.01, rel=1e-12)


@pytest.mark.parametrize("inertia", [
    'ixx="0" iyy="0" izz="0"', 'ixx="-1e-3" iyy="-1e-3" izz="-1e-3"',
])  # fmt: skip
def test_a_body_that_moves_and_has_no_moments_gets_those_of_a_ball(inertia):
    robot, lost = read(arm(inertia=inertia))
    assert any("those of a ball of its mass" in line for line in lost)
    body = placed_bodies(robot)[1].mass
    radius_m = (2.0 / 1000.0 / (4.0 / 3.0 * math.pi)) ** (1 / 3)
    np.testing.assert_allclose(body.inertia_kg_m2, 0.4 * 2.0 * radius_m**2 * np.eye(3), rtol=1e-12)
    stepped(robot)


def test_moments_that_are_left_out_are_told():
    robot, lost = read(arm().replace(f"<inertia {GOOD}/>", ""))
    assert any("<inertia>: none is told: its mass is at a point" in line for line in lost)
    stepped(robot)


def test_a_joint_that_moves_nothing_that_weighs_gets_a_rotor():
    text = arm().replace(LINK.format(mass=2.0, inertia=GOOD), "")
    robot, lost = read(text)
    assert robot.joints[1].armature == 1e-3
    assert [line for line in lost if "a rotor of 0.001 kg m2 stands instead" in line]
    assert sum(stepped(robot)._model.body_mass) < 1e-9


@pytest.mark.parametrize("seed", range(8))
def test_what_is_moved_to_the_nearest_inertia_is_taken_by_the_engine(seed):
    """Random tensors, most of them no body's; rods and plates whose bounds hold exactly."""
    rng = np.random.default_rng(seed)
    for case in range(12):
        Q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        moments = rng.uniform(-0.2, 1.0, 3) * 10.0 ** rng.uniform(-7, 1)
        if case % 3 == 1:
            moments = np.array([0.0, 1.0, 1.0]) * 10.0 ** rng.uniform(-7, 1)
        elif case % 3 == 2:
            moments = np.array([0.3, 0.7, 1.0]) * 10.0 ** rng.uniform(-7, 1)
        xx, xy, xz, _, yy, yz, _, _, zz = (Q @ np.diag(moments) @ Q.T).ravel().tolist()
        told = f'ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="{xy}" ixz="{xz}" iyz="{yz}"'
        robot, _ = read(arm(inertia=told))
        found = np.sort(stepped(robot, 0.0)._model.body_inertia[-1])
        if case % 3:
            np.testing.assert_allclose(found, np.sort(moments), atol=3e-9 * moments.max() + 2e-13)


def test_what_does_not_move_follows_nobody():
    more = MORE.format(name="tip", inside="") + FIXED.format(name="tip").replace(
        "</joint>", '<mimic joint="shoulder"/></joint>')  # fmt: skip
    robot, lost = read(arm(more=more))
    assert all(joint.mimic is None for joint in robot.joints)
    assert any("a fixed joint does not follow" in line for line in lost)


TWO = """<mujoco model="two"><worldbody>{first}<body name="upper" pos="0 0 1">
<joint name="j" type="hinge" axis="0 1 0"/>
<geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.02"/>
<body pos="0 0 -0.3"><joint type="hinge" axis="0 1 0"/>
<geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.02"/></body></body></worldbody></mujoco>"""


def test_bodies_without_names_do_not_meet_those_that_have_them():
    robot, _ = read_mjcf(TWO.format(first='<body name="upper_body" pos="1 0 0"/>'), "two.xml")
    masses = sorted(body.mass.mass_kg for body in placed_bodies(robot).values())
    wanted = [math.pi * 0.02**2 * (length + 4 / 3 * 0.02) * 1000 for length in (0.2, 0.3)]
    np.testing.assert_allclose(masses[-2:], wanted, rtol=1e-9)


PART = '<mujocoinclude><body name="a"><joint name="j"/><geom size="0.1" dampng="1"/>{more}</body>'
WHOLE = '<mujoco><worldbody>\n<include file="part.xml"/></worldbody></mujoco>'


def included(more=""):
    part = (PART.format(more=more) + "</mujocoinclude>").encode()
    return read_mjcf(WHOLE, "whole.xml", {"part.xml": part}.__getitem__)


def test_an_included_file_stands_in_its_place_and_is_named_with_its_own_lines():
    robot, losses = included()
    assert [link.name for link in robot.links] == ["world", "a"]
    assert str(losses[0]).startswith("2:1: part.xml:1:48: body a dampng = 1")


@pytest.mark.parametrize(("more", "wanted"), [
    ('<include file="part.xml"/>', "part.xml: part.xml:1:88: it is included already"),
    ('<geom type="cube"/>', "cube: part.xml:1:88: geom type: no such word"),
    ("<geom", "part.xml:1:89: no XML"),
])  # fmt: skip
def test_a_fault_of_an_included_file_has_both_places(more, wanted):
    with pytest.raises(RobotDocumentError, match=r"^whole\.xml:2:1: ") as caught:
        included(more)
    assert wanted.split(":")[-1] in str(caught.value)


def test_files_in_files_are_not_deeper_than_one_file_may_be():
    """Each of them has 190 elements in each other, of 200."""
    inner = [*(f'<include file="{number}.xml"/>' for number in range(1, 12)), '<geom size="1"/>']
    files = {f"{number}.xml": f"<a>{'<frame>' * 190}{one}{'</frame>' * 190}</a>".encode()
             for number, one in enumerate(inner)}  # fmt: skip
    text = '<mujoco><worldbody><body name="a">\n<include file="0.xml"/></body></worldbody></mujoco>'
    wanted = r"^deep\.xml:2:1: <frame>: 1\.xml:1:\d+: more than 200 elements in each other; fewer"
    with pytest.raises(RobotDocumentError, match=wanted):
        read_mjcf(text, "deep.xml", files.__getitem__)


def test_a_file_that_is_not_there_or_outside_is_named_with_its_line(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "part.xml").write_text(PART.format(more="") + "</mujocoinclude>")
    path = tmp_path / "in" / "whole.xml"
    for name, wanted in (("part.xml", "cannot be read"), ("../part.xml", "lies outside")):
        path.write_text(WHOLE.replace("part.xml", name))
        with pytest.raises(ConfigError, match=f"2:1: {re.escape(name)}: {wanted}"):
            document_of(str(path))


REPLICA = """<mujoco><compiler angle="{unit}"/><worldbody><body name="hub">
<replicate count="{count}" offset="0.3 0.1 0" euler="0 0 {turn}" sep="_">
<body name="arm" pos="1 0 1">
<joint name="j" axis="0 1 0"/><geom type="box" size="0.05 0.02 0.1"/>
<replicate count="2" offset="0 0 0.2">
<body><joint axis="1 0 0"/><geom size="0.02"/></body></replicate>
</body></replicate></body></worldbody></mujoco>"""


@pytest.mark.parametrize(("unit", "turn"), [("degree", "30"), ("radian", "0.4")])
@pytest.mark.parametrize("count", [1, 3, 11])
def test_copies_are_where_the_engine_has_them(unit, turn, count):
    text = REPLICA.format(unit=unit, turn=turn, count=count)
    robot, _ = read_mjcf(text, "r.xml")
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    poses = spanning_tree(robot).poses()
    by_name = {link.name: poses[link.number] for link in robot.links}
    assert sum(joint.type.value == "hinge" for joint in robot.joints) == model.njnt == 3 * count
    for body in range(1, model.nbody):
        if name := model.body(body).name:
            np.testing.assert_allclose(by_name[name][:3, 3], data.xpos[body], atol=1e-12)
            turned = data.xmat[body].reshape(3, 3)
            np.testing.assert_allclose(by_name[name][:3, :3], turned, atol=1e-12)


def test_copies_are_bounded_before_they_are_made():
    text = REPLICA.format(unit="degree", turn="1", count=900_000)
    with pytest.raises(RobotDocumentError, match="more than 200000 elements"):
        read_mjcf(text, "r.xml")


def test_a_mesh_that_is_not_closed_weighs_as_the_engine_has_it():
    """By its own rule for meshes, which asks for no closed surface."""
    rng = np.random.default_rng(3)
    points = rng.normal(size=(30, 3)) * (1.0, 2.0, 0.5)
    corners = rng.permutation(30).reshape(-1, 3)
    vertex, face = (" ".join(map(repr, one.ravel().tolist())) for one in (points, corners))
    text = (f'<mujoco><asset><mesh name="m" vertex="{vertex}" face="{face}"/></asset><worldbody>'
            '<body name="b"><joint/><geom type="mesh" mesh="m"/></body></worldbody>'
            "</mujoco>")  # fmt: skip
    robot, _ = read_mjcf(text, "m.xml")
    model = mujoco.MjModel.from_xml_string(text)
    (body,) = (one for one in placed_bodies(robot).values() if one.mass.mass_kg)
    assert body.mass.mass_kg == pytest.approx(model.body_mass[1], rel=1e-6)
    found = np.linalg.eigvalsh(body.mass.inertia_kg_m2)
    np.testing.assert_allclose(found, np.sort(model.body_inertia[1]), rtol=1e-5)


def test_losses_that_change_the_motion_come_first(tmp_path):
    path = tmp_path / "a.xml"
    path.write_text('<mujoco><visual/><option density="1.2"/><worldbody><body name="a"><joint '
                    'stiffness="3"/><geom size="1" friction="2"/></body></worldbody>'
                    "</mujoco>")  # fmt: skip
    document = document_of(str(path))
    assert [rank(one) for one in sorted(document.losses, key=rank)] == [0, 0, 1, 2]
    assert "density = 1.2: a scene says how a world is stepped" in document.lost[0]


FALLING = """<mujoco><option {}/><worldbody><body name="a"><freejoint/><geom size="0.1"/></body>
</worldbody></mujoco>"""


@pytest.mark.parametrize(("option", "kept"), [
    ('gravity="0 0 -1.62"', (0.0, 0.0, -1.62)), ('gravity="1 -2 0"', (1.0, -2.0, 0.0)),
    ('gravity="0 0 -9.81"', None), ('timestep="0.002"', None),
    ('timestep="0.002"><flag gravity="disable"/></option><option', (0.0, 0.0, 0.0)),
])  # fmt: skip
def test_gravity_of_a_model_is_kept_by_every_form_that_can_say_it(option, kept, tmp_path):
    """Judge: how the engine's own reading of the text falls."""
    text = FALLING.format(option)
    robot, losses = read_mjcf(text, "a.xml")
    assert (robot.gravity_m_s2, losses) == (kept, ())
    assert read_toml(write_toml(robot), "a.toml") == robot
    assert read_mjcf(robot_text(robot), "b.xml")[0].gravity_m_s2 == kept
    told = [str(one) for one in urdf_losses(robot) if one.field == "gravity_m_s2"]
    assert told == ([f"robot gravity_m_s2 = {kept}: URDF has no gravity"] if kept else [])
    path = tmp_path / "a.xml"
    path.write_text(text)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data)
    pulled = data.qvel[:3] / model.opt.timestep
    stepping = stepping_of(document_of(str(path)).robot)
    np.testing.assert_allclose(stepping.gravity_m_s2, pulled, atol=1e-9)


def test_a_run_of_a_model_has_its_gravity_unless_the_scenario_tells_another(tmp_path):
    path = tmp_path / "a.xml"
    path.write_text("""<mujoco><option gravity="0 0 -1.62"/><worldbody><body name="a">
<joint name="j"/><geom size="0.1"/></body></worldbody>
<actuator><motor joint="j" ctrlrange="-5 5"/></actuator></mujoco>""")
    plan = world_plan_from_table(scenario_table(path), path)
    assert plan.stepping.gravity_m_s2 == (0.0, 0.0, -1.62)
    plan = world_plan_from_table(scenario_table(path), path, ["gravity_m_s2=[0, 0, -3.7]"])
    assert plan.stepping.gravity_m_s2 == (0.0, 0.0, -3.7)


def test_a_fault_does_not_hide_what_was_left_out_before(tmp_path):
    path = tmp_path / "a.xml"
    path.write_text('<mujoco><asset><mesh name="m" file="m.msh"/></asset><worldbody><body name="a">'
                    '<joint range="2 1"/><geom type="mesh" mesh="m"/></body></worldbody>'
                    "</mujoco>")  # fmt: skip
    with pytest.raises(ConfigError) as caught:
        document_of(str(path))
    assert "left out before: 1:" in str(caught.value)
    assert "m.msh is not read" in str(caught.value)


JUDGED = (
    "urdf_start_outside", "urdf_zero_inertia_on_fixed_link", "urdf_inertia_repaired",
    "urdf_limits_none", "mjcf_include", "mjcf_replicate", "mjcf_unnamed_body",
)  # fmt: skip


@pytest.mark.skipif(not CASES.is_dir(), reason="the folder of cases is not here")
@pytest.mark.parametrize("case", JUDGED)
def test_the_cases_are_read_and_taken_by_the_engine(case):
    documents = [one for one in sorted((CASES / case).iterdir()) if one.suffix in (".urdf", ".xml")]
    assert documents
    joints = []
    for path in documents:
        if path.name != "part.xml":
            robot = document_of(str(path)).robot
            stepped(robot)
            joints.append(sum(joint.type.value == "hinge" for joint in robot.joints))
    assert joints == {"mjcf_include": [1, 1], "mjcf_replicate": [3], "mjcf_unnamed_body": [2],
                      "urdf_zero_inertia_on_fixed_link": [1]}.get(case, [1, 1])  # fmt: skip
