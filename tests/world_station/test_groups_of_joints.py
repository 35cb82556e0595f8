"""A diagram that commands groups of joints: wheels, arm and jaws; arm and hand of a torso."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from hil.config.errors import ConfigError, RefusedError
from hil.config.file_search import configs_dir
from hil.machines.world.robot_documents import document_of
from hil.recording.reader import Recording
from hil.stations.world.cycle.bench import open_bench
from hil.stations.world.cycle.control_laws import signals_to_diagram
from hil.stations.world.cycle.diagram_ends import ends_of
from hil.stations.world.plan.scenario_reader import load_world_plan
from hil.stations.world.run.session import run_world
from sim.world.control.laws import JointMotion
from sim.world.robots.robot_toml_writer import write_toml

SCENARIO = """
station = "world"
name = "grouped"
robot = "mf4_wheels"
scene = "empty"
may_touch = ["floor"]
control = "voltage"
law = "diagram"
settle_s = 0.0

[diagram]
file = "law.toml"

[[diagram.group]]
name = "jaws"
joints = [11]

[[diagram.group]]
name = "wheels"
joints = [2, 1]

[[diagram.group]]
name = "arm"
joints = [5, 6, 7, 8, 9, 10]
end = 13

[motion]
kind = "free"
duration_s = 1.5
"""
LAW = """
format = 1
base_s = 0.002

[block]
"arm" = { kind = "Out" }
"arm_needed_n_m" = { kind = "In", shape = [6], type = "real", unit = "N*m" }
"arm_position_rad" = { kind = "In", shape = [6], type = "real", unit = "rad" }
"arm_speed_rad_s" = { kind = "In", shape = [6], type = "real", unit = "rad/s" }
"back" = { kind = "Gain", k = 1.0, unit = "s/rad" }
"error" = { kind = "Sum", signs = "+-" }
"goal" = { kind = "Constant", value = [0.2, -0.7, 0.8, 0.1, 0.9, 0.1], unit = "rad" }
"jaws" = { kind = "Out" }
"jaws_u" = { kind = "Constant", value = [-0.5] }
"spring" = { kind = "Gain", k = 8.0, unit = "1/rad" }
"sum" = { kind = "Sum", signs = "+-+" }
"weight" = { kind = "Gain", k = [0.025, 0.016667, 0.025, 0.1, 0.1, 0.166667], unit = "1/(N*m)" }
"wheels" = { kind = "Out" }
"wheels_u" = { kind = "Constant", value = [0.6, 0.3] }

[wire]
"arm.u" = "sum.y"
"back.u" = "arm_speed_rad_s.y"
"error.u1" = "goal.y"
"error.u2" = "arm_position_rad.y"
"jaws.u" = "jaws_u.y"
"spring.u" = "error.y"
"sum.u1" = "spring.y"
"sum.u2" = "back.y"
"sum.u3" = "weight.y"
"weight.u" = "arm_needed_n_m.y"
"wheels.u" = "wheels_u.y"
"""
GOAL = (0.2, -0.7, 0.8, 0.1, 0.9, 0.1)
TORSO = configs_dir() / "world" / "robots" / "anthropomorph.toml"


@pytest.fixture
def scenario(tmp_path):
    (tmp_path / "law.toml").write_text(LAW)
    path = tmp_path / "grouped.toml"
    path.write_text(SCENARIO)
    return path


def test_wheels_arm_and_jaws_of_one_robot_are_commanded_by_one_diagram(scenario, tmp_path):
    result = run_world(load_world_plan(scenario), tmp_path)
    assert result.ok, result.figures
    recording = Recording.open(result.recorder.path)
    last, commands = recording.column("position_joints")[-1], recording.column("command")
    np.testing.assert_array_equal(commands[:, :2], [[0.3, 0.6]] * len(commands))
    np.testing.assert_array_equal(commands[:, 8], -0.5)
    assert 1.7 < last[1] / last[0] < 2.2  # joint 2 is first in its group
    np.testing.assert_allclose(last[2:8], GOAL, atol=0.06)
    assert abs(last[8]) < 0.002


def test_drives_in_no_group_are_held_where_they_start(scenario, tmp_path):
    text = SCENARIO.replace('name = "jaws"\njoints = [11]', 'name = "wheels"\njoints = [2, 1]')
    scenario.write_text(
        text.replace('[[diagram.group]]\nname = "wheels"\njoints = [2, 1]\n', "", 1)
    )
    lines = LAW.splitlines()
    kept = [one for one in lines if "jaws" not in one]
    scenario.with_name("law.toml").write_text("\n".join(kept))
    result = run_world(load_world_plan(scenario), tmp_path)
    assert result.ok, result.figures
    jaw = Recording.open(result.recorder.path).column("position_joints")[:, 8]
    np.testing.assert_allclose(jaw, 0.03, atol=1e-4)


def read(signals, name):
    """Value of a signal at this tick."""
    ((_, value),) = signals.feeds([(slice(0, 0), name)])
    return value()


def test_each_group_has_the_geometry_of_its_own_end(scenario):
    """Oracle: the work of a wrench at the end while a joint turns, by differences of its pose."""
    plan = load_world_plan(scenario)
    bench = open_bench(plan)
    assert plan.scenario.diagram is not None
    signals = signals_to_diagram(
        plan, bench.robot, plan.scenario.diagram, bench.chain, bench.sensors
    )
    arm = next(one for one in signals.groups if one.name == "arm")
    assert arm.chain is not None
    names = {one.name for one in signals.offered}
    assert {"jaws_position_m", "wheels_speed_rad_s", "arm_end_error_m", "left_seen"} <= names
    assert not {"position_rad", "wheels_joint_to_end", "jaws_joint_to_end"} & names
    rng, still = np.random.default_rng(3), np.zeros(9)
    for _ in range(20):
        q = rng.uniform(-0.04, 0.04, 9)
        q[2:8] = rng.uniform(-1.0, 1.0, 6)
        at = JointMotion(q, still, still)
        signals.now(at, at, still)
        turns, places = (read(signals, f"arm_{name}")
                         for name in ("joint_to_end", "end_in_joint_m"))  # fmt: skip
        f, tool, h = rng.normal(size=3), arm.chain.pose(q[2:8]), 1e-6
        for joint in range(6):
            torque = f @ (turns[joint] @ np.cross([0, 0, 1], places[joint]))
            moved = [arm.chain.pose(q[2:8] + sign * h * np.eye(6)[joint]) for sign in (1, -1)]
            way = (moved[0][:3, 3] - moved[1][:3, 3]) / (2 * h)
            assert math.isclose(torque, tool[:3, :3] @ f @ way, abs_tol=1e-7)


def test_signals_of_a_group_are_those_of_its_joints(scenario):
    plan = load_world_plan(scenario)
    bench = open_bench(plan)
    assert plan.scenario.diagram is not None
    signals = signals_to_diagram(
        plan, bench.robot, plan.scenario.diagram, bench.chain, bench.sensors
    )
    rows = [np.arange(9.0) + 10.0 * part for part in range(7)]
    signals.now(JointMotion(*rows[:3]), JointMotion(*rows[3:6]), rows[6])
    places = {"jaws": [8], "wheels": [1, 0], "arm": [2, 3, 4, 5, 6, 7]}
    for name, own in places.items():
        unit, force = ("m", "n") if name == "jaws" else ("rad", "n_m")
        for signal, row in (
            (f"wanted_{unit}", 0), (f"wanted_{unit}_s", 1), (f"wanted_{unit}_s2", 2),
            (f"position_{unit}", 3), (f"speed_{unit}_s", 4), (f"needed_{force}", 6),
        ):  # fmt: skip
            assert read(signals, f"{name}_{signal}").tolist() == rows[row][own].tolist()


def test_arm_and_hand_of_a_torso_are_led_together(tmp_path):
    groups = """
[[diagram.group]]
name = "arm"
joints = [4, 5, 6, 7, 8, 9, 10]
end = 49
[[diagram.group]]
name = "hand"
joints = [11, 14, 17, 20, 23, 24]
"""
    text = SCENARIO[: SCENARIO.index("[[diagram.group]]")] + groups
    text += SCENARIO[SCENARIO.index("[motion]") :]
    path = tmp_path / "torso.toml"
    path.write_text(text.replace('"mf4_wheels"', '"anthropomorph"'))
    ends = ends_of(path)
    shapes = {one.name: one.shape for one in ends.offered}
    assert shapes["arm_position_rad"] == (7,)
    assert shapes["arm_joint_to_end"] == (7, 3, 3)
    assert shapes["hand_position_rad"] == (6,)
    assert "hand_joint_to_end" not in shapes
    assert [(one.name, one.shape) for one in ends.accepted] == [("arm", (7,)), ("hand", (6,))]


def test_facts_of_a_group_are_parameters_of_its_name(scenario, tmp_path):
    law = scenario.with_name("law.toml")
    text = LAW.replace("[block]", '[parameter]\n"arm_dh" = { value = [[0.0, 0.0, 0.0, 0.0]] }\n'
                       '[block]\n"end" = { kind = "ForwardKinematics", dh = "$arm_dh" }\n'
                       '"parts" = { kind = "PoseParts" }\n"place" = { kind = "Demux", width = 3 }\n'
                       '"x" = { kind = "PanelNumber" }')  # fmt: skip
    wires = '"end.q" = "arm_position_rad.y"\n"parts.pose" = "end.pose"\n'
    wires += '"place.u" = "parts.position"\n"x.u" = "place.y1"\n'
    law.write_text(text.replace("[wire]\n", "[wire]\n" + wires))
    result = run_world(load_world_plan(scenario), tmp_path)
    recording = Recording.open(result.recorder.path)
    chassis, tool = recording.column("world_coordinates"), recording.column("tool_pose")
    turned, chassis = chassis[:, 3:7], chassis[:, :3]
    own = np.array([_into(q, t - p) for q, t, p in zip(turned, tool[:, :3], chassis, strict=True)])
    np.testing.assert_allclose(recording.column("panel_x"), own, atol=2e-3)
    assert np.ptp(own) > 0.02


def _into(q, way):
    """Part along x of a way, in axes with this quaternion w, x, y, z."""
    return Rotation.from_quat(np.roll(q, -1)).inv().apply(way)[0]


def test_joints_in_another_order_than_the_drives_get_their_own_commands(tmp_path):
    text = SCENARIO[: SCENARIO.index("[[diagram.group]]")] + "joints = [6, 5, 4, 3, 2, 1]\n"
    text += '[motion]\nkind = "hold"\nduration_s = 0.1\n'
    text = text.replace('"mf4_wheels"', '"robot_a"').replace('scene = "empty"\n', "")
    text = text.replace('may_touch = ["floor"]\n', "")
    path = tmp_path / "order.toml"
    path.write_text(text)
    (tmp_path / "law.toml").write_text("""
format = 1
base_s = 0.002
[block]
"u" = { kind = "Constant", value = [0.06, 0.05, 0.04, 0.03, 0.02, 0.01] }
"voltage" = { kind = "Out" }
[wire]
"voltage.u" = "u.y"
""")
    result = run_world(load_world_plan(path, ("following_deg=90.0",)), tmp_path)
    commands = Recording.open(result.recorder.path).column("command")
    np.testing.assert_array_equal(commands[0], [0.01, 0.02, 0.03, 0.04, 0.05, 0.06])


def test_all_that_is_wrong_with_groups_is_told_at_once(scenario):
    text = SCENARIO.replace('file = "law.toml"', 'file = "law.toml"\njoints = [1]\nend = 13')
    text = text.replace("joints = [2, 1]", "joints = [2, 1, 40, 11]")
    scenario.write_text(text.replace('"arm"', '"jaws"'))
    with pytest.raises(ConfigError) as refused:
        load_world_plan(scenario)
    told = str(refused.value)
    for words in (
        "diagram.joints: means nothing beside [[diagram.group]]; say joints of each group",
        "diagram.end: means nothing beside [[diagram.group]]",
        "diagram.group.1.joints: joint 40 is not driven; there are 1, 2, 5",
        "diagram.group.1.joints: joint 11 is in diagram.group.0.joints already",
        "diagram.group.1: joints of group 'wheels' turn and slide; put each kind into a group",
        "diagram.group.2: group 0 is called 'jaws' too; a name of its own is needed",
    ):
        assert words in told


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('name = "arm"', 'name = "Arm"', "diagram.group.2.name = 'Arm': must be written as"),
        ("joints = [11]", "joints = []", "at least 1 item"),
    ],
)
def test_a_group_that_is_none_is_refused(scenario, old, new, words):
    scenario.write_text(SCENARIO.replace(old, new))
    with pytest.raises(ConfigError, match=words):
        load_world_plan(scenario)


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        ("grouped.toml", "end = 13", "end = 99", "diagram.group arm: end: end 99: no such place"),
        ("law.toml", '"jaws" = { kind = "Out" }\n', "", "the diagram has no output 'jaws'"),
        ("grouped.toml", 'name = "jaws"', 'name = "jaws"\noutput = "wheels"',
         "output wheels: is a vector of 2; jaws is a vector of 1"),
    ],
)  # fmt: skip
def test_a_diagram_that_does_not_fit_its_groups_is_refused(scenario, file, old, new, words):
    path = scenario.with_name(file)
    path.write_text(path.read_text().replace(old, new, 1).replace('"jaws.u" = "jaws_u.y"\n',
                    "" if new == "" else '"jaws.u" = "jaws_u.y"\n'))  # fmt: skip
    with pytest.raises(RefusedError) as refused:
        open_bench(load_world_plan(scenario))
    assert words in str(refused.value)


def test_a_signal_of_a_group_that_is_called_as_a_sensor_s_is_refused(scenario):
    robot = document_of("mf4_wheels", key="robot", beside=scenario).robot
    sensor = '\n[[sensor]]\nkind = "joint_speed"\nname = "wheels"\njoint = [1]\n'
    scenario.with_name("own.toml").write_text(write_toml(robot, whole=True) + sensor)
    with pytest.raises(RefusedError, match="signal wheels_speed_rad_s is there twice; call the"):
        open_bench(load_world_plan(scenario, ("robot='own.toml'",)))
