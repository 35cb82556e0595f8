"""Laws of force in a world: judged by the engine's contact force, and by eqs. (8) and (13) anew."""

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from hil.config.file_search import configs_dir
from hil.recording.reader import Recording
from hil.stations.world.cycle.bench import open_bench
from hil.stations.world.plan.scenario_reader import load_world_plan, world_plan_from_table
from hil.stations.world.run.session import run_world

SCENARIOS = configs_dir() / "scenarios"
F_D, MU_D = np.array([0.0, 0.0, 20.0]), np.array([0.15, -0.2, 0.0])


def pressed(name, folder, *changes):
    result = run_world(load_world_plan(SCENARIOS / f"{name}.toml", changes), folder)
    assert result.ok, result.figures
    assert not result.figures.violations
    return Recording.open(result.recorder.path)


@pytest.mark.parametrize("name", ["press", "press_joint"])
@pytest.mark.parametrize("gains", ["tuned", "printed"])
def test_a_tool_pressed_on_a_wall_reaches_force_and_moment(name, gains, tmp_path):
    changes = ["diagram.set=[]"] if gains == "printed" else []
    recording = pressed(name, tmp_path, "motion.duration_s=6.0", *changes)
    late = recording.column("t_s") >= 3.0
    on_wall = recording.column("contact_force_n")[late]
    force, moment = (recording.column(f"wrist_{one}")[late] for one in ("force_n", "torque_n_m"))
    assert late.sum() > 1400
    error_n = np.linalg.norm(force - F_D, axis=1).mean()
    error_nm = np.linalg.norm(moment - MU_D, axis=1).mean()
    assert np.abs(on_wall - 20.0).mean() <= 0.1
    assert error_n <= 0.1
    assert error_nm <= 0.03
    assert np.abs(recording.column("position_rad")[late] - recording.column("wanted_rad")[0]).max(
    ) < np.radians(0.1)  # fmt: skip


FEED = [
    {"input": "f_d", "value": [1.0, 0.0, 2.0]},
    {"input": "mu_d", "value": [0.0, 0.3, 0.0]},
    {"input": "tau_c", "signal": "effort_n_m"},
    {"input": "omega", "signal": "speed_rad_s"},
    {"input": "rotation", "signal": "joint_to_end"},
    {"input": "position", "signal": "end_in_joint_m"},
]
ARMS = {
    "anthropomorph": ("anthropomorph", [4, 5, 6, 7, 8, 9, 10], 49),
    "puma560": ("puma.toml", [1, 2, 3, 4, 5, 6], 7),
    "seven_r": ("seven_r", [1, 2, 3, 4, 5, 6, 7], 8),
}


def puma_with_motors(folder):
    """The machine as a document, with idle speeds of its motors, which it does not tell."""
    from hil.machines.world.robot_documents import robot_of
    from sim.world.robots.robot_toml_writer import write_toml

    robot, _ = robot_of("arm:puma560", key="robot", beside=folder / "x.toml")
    text = write_toml(robot).replace('control = "torque"\n', 'control = "voltage"\n'
                                     "speed_max_rad_s = 1.5\n")  # fmt: skip
    (folder / "puma.toml").write_text(text)


@pytest.mark.parametrize("name", ARMS)
def test_one_unchanged_law_runs_on_arms_of_six_and_seven_joints(name, tmp_path):
    robot, joints, end = ARMS[name]
    puma_with_motors(tmp_path)
    table = {
        "station": "world", "name": "arm", "robot": robot, "control": "voltage", "law": "diagram",
        "gravity_m_s2": [0.0, 0.0, 0.0], "following_deg": 90.0, "settle_s": 0.0,
        "diagram": {"file": "force_joint", "output": "U", "feed": FEED, "joints": joints,
                    "end": end},
        "motion": {"kind": "hold", "duration_s": 0.3},
    }  # fmt: skip
    plan = world_plan_from_table(table, Path(tmp_path / "arm.toml"))
    result = run_world(plan, tmp_path)
    assert result.ok, result.figures
    recording = Recording.open(result.recorder.path)
    driven = [drive.joint for drive in plan.robot.drives]
    places = [driven.index(joint) for joint in joints]
    command, speed, effort, position = (
        recording.column(one) for one in ("command", "speed_rad_s", "effort_n_m", "position_rad")
    )
    sums, before = np.zeros(len(joints)), None
    chain = chain_to(plan, end)
    for row in range(len(command)):
        wanted = by_virtual_work(chain, position[row], places)
        error = wanted - effort[row][places]
        if before is not None:
            sums += 0.001 * (before + error)
        before = error
        voltage = speed[row][places] / 1.047 + (wanted + 0.2 * error + 0.1 * sums) / 200.0
        np.testing.assert_allclose(command[row][places], np.clip(voltage, -1, 1), atol=1e-8)
    assert np.abs(command[:, places]).max() > 0.005


def chain_to(plan, end):
    from sim.world.motion.chain import Chain

    return Chain(plan.tree, end, held=open_bench(plan).robot.coordinates())


def by_virtual_work(chain, q, places):
    """Torques of f_d and mu_d of `FEED`, by differences of the end's pose."""
    f, mu = np.array([1.0, 0.0, 2.0]), np.array([0.0, 0.3, 0.0])
    own = list(chain.places)
    turn = chain.pose(q[own])[:3, :3]
    torques = []
    for place in places:
        h = np.zeros(len(q))
        h[place] = 1e-5
        one, other = (chain.pose((q + sign * h)[own]) for sign in (1, -1))
        turned = Rotation.from_matrix(one[:3, :3] @ other[:3, :3].T).as_rotvec()
        way = one[:3, 3] - other[:3, 3]
        torques.append(((turn @ f) @ way + (turn @ mu) @ turned) / 2e-5)
    return np.array(torques)


def test_the_law_of_the_first_lesson_presses_as_the_page_says(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "diagrams.md").read_text("utf-8")
    lesson = page.split("## From an empty file to a running force law")[1].split("\n## ")[0]
    law, scenario = (part.split("```")[0] for part in lesson.split("```toml\n")[1:])
    (tmp_path / "my_force.toml").write_text(law)
    (tmp_path / "my_press.toml").write_text(scenario)
    result = run_world(load_world_plan(tmp_path / "my_press.toml"), tmp_path / "runs")
    assert result.ok
    recording = Recording.open(result.recorder.path)
    late = recording.column("t_s") > 3.0
    assert np.abs(recording.column("contact_force_n")[late] - 20.0).mean() < 0.01
