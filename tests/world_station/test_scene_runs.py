"""Runs in scenes, with sensors: judged by closed forms, a D-H product and what was placed."""

import json
import math

import numpy as np
import pytest
from scene_robots import BALL_KG, BALL_M, HIGH_M, SCENARIOS, dipper, scenario, with_sensors
from scipy.spatial.transform import Rotation
from test_robot_runs import said, tool_of

from hil.config.errors import ConfigError, RefusedError
from hil.recording.reader import Recording
from hil.stations.world.cycle.bench import open_bench
from hil.stations.world.plan.recorded_plan import RecordedScene
from hil.stations.world.plan.scenario_reader import load_world_plan
from hil.stations.world.plan.scene_placement import placed_of
from hil.stations.world.run.session import prove, run_world

SHORT = ("motion.duration_s=2.5", "settle_s=0.1")
NOISY = '[[sensor]]\nkind = "joint_angle"\nname = "noisy"\nnoise_rad = 0.001\n'
PLAIN = '[[sensor]]\nkind = "joint_angle"\nname = "plain"\n'
PLACE = '[[sensor]]\nkind = "link_pose"\nname = "flange"\nend = 7\n'


def plan_of(name, *changes):
    return load_world_plan(SCENARIOS / f"{name}.toml", changes)


def recorded(plan, folder):
    result = run_world(plan, folder)
    return result, Recording.open(result.recorder.path)


def dip(tmp_path, *changes):
    """The ball goes 20 mm into the floor's place, slowly."""
    by_m = -(HIGH_M - BALL_M + 0.02)
    text = (
        f'robot = "{dipper(tmp_path)}"\nscene = "empty"\nbandwidth_rad_s = 10.0\nsettle_s = 2.0\n'
        f'law = "gravity"\n[motion]\nkind = "joints"\ngoal = [{{ joint = 1, by_m = {by_m!r} }}]\n'
        "duration_s = 4.0"
    )
    return load_world_plan(scenario(tmp_path, text), changes)


def test_readings_of_sensors_stand_in_the_rows_with_units_and_frames(tmp_path):
    file = with_sensors(tmp_path, PLAIN, NOISY, PLACE)
    _, found = recorded(plan_of("joint_move", f'robot="{file}"', *SHORT), tmp_path)
    signals = found.header.signals
    assert (signals["noisy_angle_rad"].unit, signals["noisy_angle_rad"].count) == ("rad", 6)
    assert signals["noisy_angle_rad"].parts == tuple(f"joint{n}" for n in range(1, 7))
    assert (signals["flange_pose"].frame, signals["flange_pose"].child) == ("world", "e7")
    positions, plain = found.column("position_rad"), found.column("plain_angle_rad")
    assert np.array_equal(plain[1:], positions[:-1])  # measured as a step begins, read after it
    tools = [tool_of("robot_a", q) for q in positions[:-1:50]]
    np.testing.assert_allclose(found.column("flange_pose")[1::50, :3], tools, atol=1e-9)
    noise = found.column("noisy_angle_rad") - plain
    assert noise.std() == pytest.approx(0.001, rel=0.03)
    assert abs(noise.mean()) < 5 * 0.001 / math.sqrt(noise.size)


def test_a_scene_with_fields_and_noise_is_the_same_for_a_seed_and_another_for_another(tmp_path):
    file = with_sensors(tmp_path, NOISY)
    common = (f'robot="{file}"', 'scene="hangar"', "motion.duration_s=2.5", "settle_s=0.05")
    runs = [recorded(plan_of("joint_move", *common, f"seed={n}"), tmp_path) for n in (5, 5, 6)]
    digests = [result.recorder.sha256 for result, _ in runs]
    assert None not in digests
    assert digests[0] == digests[1] != digests[2]
    names = runs[0][1].header.signals["world_coordinates"].parts
    goods = [at for at, name in enumerate(names) if name.startswith("goods_")]
    assert len(goods) == 9 * 7
    first, other = (found.column("world_coordinates")[0][goods] for _, found in (runs[0], runs[2]))
    assert np.abs(first - other).max() > 0.1
    noises = [found.column("noisy_angle_rad")[:100] for _, found in runs]
    assert np.array_equal(noises[0], noises[1])
    assert not np.array_equal(noises[0], noises[2])


def test_a_contact_is_told_with_pair_time_and_a_force_that_balances_the_weight(tmp_path):
    plan = dip(tmp_path)
    result, found = recorded(plan, tmp_path)
    assert (result.figures.ended, result.figures.contacts) == ("completed", 1)
    positions, times = found.column("position_m"), found.column("t_s")
    crossing_s = times[np.argmax(positions <= -(HIGH_M - BALL_M))]
    (event,) = [one for one in found.events if one.name == "contact"]
    assert (event.data["contact"], event.data["with"]) == ("link 1", "floor")
    assert 0.0 <= event.t_s - crossing_s <= 0.0041
    force_n = found.column("contact_force_n")
    row = int(np.flatnonzero(times == event.t_s)[0])
    assert event.data["force_n"] == force_n[row] > 0.0
    assert not force_n[:row].any()
    resting = slice(-200, None)
    assert np.abs(found.column("speed_m_s")[resting]).max() < 1e-3
    balance = force_n[resting] + found.column("effort_n")[resting] - BALL_KG * 9.81
    assert np.abs(balance).max() < 0.5
    assert force_n[resting].min() > 3 * BALL_KG * 9.81  # it presses besides
    assert set(found.column("contacts").tolist()) == {0, 1}


def test_a_check_names_the_first_contact_and_a_run_tells_it(tmp_path):
    file = dip(tmp_path).scenario_file
    refused = json.loads(said("check", file, "--json", status=1).stdout)
    assert refused["reason"] == refused["violations"][0]
    assert "link 1 touches floor" in refused["reason"]
    assert refused["contacts"] == 1
    told = json.loads(said("run", file, "--json", "--out", str(tmp_path)).stdout)
    assert (told["contacts"], told["edits"], told["ended"]) == (1, 0, "completed")
    allowed = said("check", file, "--json", "--set", 'may_touch=["floor"]').stdout
    assert json.loads(allowed)["contacts"] == 0


def test_a_robot_stands_where_it_is_mounted_and_lines_keep_to_the_worlds_axes():
    mount = "mount={on='table', position_m=[0.1, -0.2, 0.02], turn_deg=[0.0, 0.0, 90.0]}"
    changes = ("motion.by_m=[0.0, 0.1, 0.05]", "motion.goal=[]", "motion.duration_s=2.0")
    plan = plan_of("straight_line", 'scene="table"', mount, *changes, 'may_touch=["table"]')
    bench, figures = prove(plan)
    assert figures.ok, figures
    q = bench.robot.positions()
    turned = Rotation.from_euler("z", 90, degrees=True)
    wanted = np.add(turned.apply(tool_of("robot_b", q)), (0.9 + 0.1, -0.2, 0.68 + 0.02))
    pose = bench.tool_pose()
    assert pose is not None
    np.testing.assert_allclose(pose[:3, 3], wanted, atol=1e-9)
    assert bench.line is not None
    np.testing.assert_allclose(pose[:3, 3] - bench.line.start[:3, 3], [0, 0.1, 0.05], atol=1e-5)


def two_robots(tmp_path):
    scene = tmp_path / "two.toml"
    scene.write_text(
        'scene = "two"\n[floor]\n[stepping]\nstep_s = 0.001\n'
        '[[robot]]\nname = "left"\ndocument = "robot_a"\nposition_m = [0, 2, 0]\n'
        '[[robot]]\nname = "right"\ndocument = "robot_b"\nposition_m = [0, -2, 0]\n'
    )
    return str(scene)


def test_other_robots_of_a_scene_stand_unmoved_under_gravity(tmp_path):
    plan = plan_of("joint_move", f'scene="{two_robots(tmp_path)}"', *SHORT)
    assert plan.scenario.step_s == 0.001  # the scene's, as the scenario tells none
    assert plan.scene is not None
    assert plan.scene.moved == "left"  # which has the same document
    result, found = recorded(plan, tmp_path)
    assert result.figures.ok, result.figures
    names = found.header.signals["world_coordinates"].parts
    others = [at for at, name in enumerate(names) if name.startswith("right_")]
    assert len(others) == 6
    coordinates = found.column("world_coordinates")
    assert np.ptp(coordinates[:, others], axis=0).max() < 1e-3
    tool_m = tool_of("robot_a", found.column("position_rad")[0])
    np.testing.assert_allclose(
        found.column("tool_pose")[0, :3], np.add(tool_m, (0, 2, 0)), atol=1e-9
    )
    own = [at for at, name in enumerate(names) if name.startswith("left_")]
    assert np.array_equal(coordinates[:, own], found.column("position_rad"))


def test_a_pushed_neighbour_is_told_by_name(tmp_path):
    bench = open_bench(plan_of("joint_move", f'scene="{two_robots(tmp_path)}"', *SHORT))
    (standing,) = bench.held_robots
    bench.world.push("right/l3", (0.0, 4000.0, 0.0), 1.0)
    told: list[str] = []
    for _ in range(600):
        told += standing.step()
        bench.world.step()
    assert standing.name == "right"
    assert "following error" in told[0]


def test_a_platform_of_a_scene_is_moved_where_it_stands(tmp_path):
    text = (
        'robot = "rig:paper"\nscene = "paper_cabin"\nsettle_s = 0.2\n[motion]\nkind = "joints"\n'
        "goal = [{ joint = 9, by_m = 0.0 }]\nduration_s = 0.5"
    )
    plan = load_world_plan(scenario(tmp_path, text))
    assert plan.scene is not None
    assert plan.scene.moved == "rig"
    result, found = recorded(plan, tmp_path)
    assert result.figures.ok, result.figures
    again = placed_of(RecordedScene.build(found.header.scenario["scene"], "header"))
    assert again.scene == plan.scene.scene
    assert again.robots == plan.scene.robots


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (("mount={on='table'}",), "means nothing without scene"),
        (('may_touch=["floor"]',), "may_touch means nothing without scene"),
        (('scene="nowhere"',), "scene = 'nowhere': no such file"),
        (('scene="table"', "mount={on='chair'}"), "nothing of this name"),
    ],
)
def test_scenes_and_mounts_that_cannot_be_are_refused(changes, message):
    with pytest.raises(ConfigError, match=message):
        plan_of("joint_move", *changes)


def test_a_robot_in_the_cube_is_refused_with_pair_and_depth():
    plan = plan_of("joint_move", 'scene="table"', "mount={position_m=[0.9, 0.1, 0.5]}")
    with pytest.raises(RefusedError, match=r"link 0 and cube: 25\.0 mm in each other"):
        open_bench(plan)


def test_a_sensor_that_has_the_name_of_a_field_is_refused(tmp_path):
    file = with_sensors(tmp_path, PLACE.replace("flange", "tool"))
    with pytest.raises(RefusedError, match=r"'tool_[a-z_]*' is there twice"):
        run_world(plan_of("joint_move", f'robot="{file}"'), tmp_path)
