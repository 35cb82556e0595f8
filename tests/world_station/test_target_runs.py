"""A robot's place goes to a point and angles of the world, frame by frame as it is measured."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from hil.config.errors import ConfigError, RefusedError
from hil.recording.reader import Recording
from hil.stations.world.cycle.bench import open_bench
from hil.stations.world.plan.scenario_reader import load_world_plan
from hil.stations.world.run.rerun import rerun
from hil.stations.world.run.session import run_world
from hil.stations.world.sources.target_source import TargetSource

SCENARIO = """
station = "world"
name = "to_target"
robot = "{robot}"
control = "torque"
settle_s = 0.2

[motion]
kind = "target"
point_m = {point}
step_m = 0.02
step_deg = 6.0
"""
TURNED = "angles_deg = [170.0, 10.0, 20.0]\n"


@pytest.fixture
def scenario(tmp_path):
    def written(robot="robot_b", point=(0.6, 0.2, 0.7), more=TURNED):
        path = tmp_path / "to_target.toml"
        path.write_text(SCENARIO.format(robot=robot, point=list(point)) + more)
        return path

    return written


def measured_ends(recording):
    rows = recording.column("tool_pose")
    poses = np.tile(np.eye(4), (len(rows), 1, 1))
    poses[:, :3, :3] = Rotation.from_quat(np.roll(rows[:, 3:], -1, axis=1)).as_matrix()
    poses[:, :3, 3] = rows[:, :3]
    return poses


@pytest.mark.parametrize("inverse", ["dls", "ccd"])
def test_every_frame_is_met_in_turn_by_what_is_measured(scenario, inverse, tmp_path):
    path = scenario(more=TURNED + f'inverse = "{inverse}"\n')
    result = run_world(load_world_plan(path), tmp_path / "runs")
    assert result.ok, result.figures
    recording = Recording.open(result.recorder.path)
    ends, source = measured_ends(recording), open_bench(load_world_plan(path)).source
    assert isinstance(source, TargetSource)
    row = 0
    for number in range(1, source.frames.count + 1):
        apart = ends[row:] - source.frames.at(number)
        near = np.linalg.norm(apart[:, :3, 3], axis=1) <= 1e-3
        near &= np.linalg.norm(apart[:, :3, :3], axis=(1, 2)) <= 5e-3
        assert near.any(), number
        row += int(np.argmax(near))
    np.testing.assert_allclose(ends[-1][:3, 3], (0.6, 0.2, 0.7), atol=1e-3)
    wanted = Rotation.from_euler("xyz", (170.0, 10.0, 20.0), degrees=True).as_matrix()
    np.testing.assert_allclose(ends[-1][:3, :3], wanted, atol=5e-3)
    assert any("frames to the target are met" in event.message for event in recording.events)
    if inverse == "dls":
        assert rerun(result.recorder.path, tmp_path / "again").same


def test_without_angles_it_keeps_its_axes(scenario, tmp_path):
    path = scenario("seven_r", (0.35, 0.1, 0.5), "")
    start = open_bench(load_world_plan(path)).tool_pose()
    assert start is not None
    point = [round(float(one) + 0.05, 3) for one in start[:3, 3]]
    result = run_world(load_world_plan(scenario("seven_r", point, "")), tmp_path / "runs")
    assert result.ok, result.figures
    end = measured_ends(Recording.open(result.recorder.path))[-1]
    np.testing.assert_allclose(end[:3, 3], point, atol=1e-3)
    np.testing.assert_allclose(end[:3, :3], start[:3, :3], atol=5e-3)


def test_a_law_that_does_not_meet_a_frame_fails_by_it(scenario, tmp_path):
    path = scenario(more=TURNED + "sigma_1_m = 1e-12\nwait_s = 0.5\n")
    result = run_world(load_world_plan(path, ('law="gravity"',)), tmp_path / "runs")
    assert (result.ok, result.figures.ended) == (False, "failed")
    assert "to the target is not met within 0.5 s" in result.figures.reason
    assert "sigma_1_m is 1e-09 mm" in result.figures.reason
    speeds = Recording.open(result.recorder.path).column("speed_rad_s")
    assert np.abs(speeds[-1]).max() < 0.05


def fed(scenario, measure):
    """A source whose measured end is made up, and the setpoints that it gives in 2 s."""
    plan = load_world_plan(scenario(more=TURNED + "wait_s = 1.0\n"))
    bench = open_bench(plan)
    source = bench.source
    assert isinstance(source, TargetSource)
    source._measured_end = lambda: measure(source)
    return source, [source.setpoint(index).positions for index in range(1000)]


@pytest.mark.parametrize("fault", ["still", "beside", "turned", "nan"])
def test_no_frame_opens_unless_the_measured_end_meets_it(scenario, fault):
    def measure(source):
        pose = source.frames.at(0 if fault == "still" else 1)
        if fault == "beside":
            pose[2, 3] += 1.1e-3
        elif fault == "turned":
            pose[:3, :3] = Rotation.from_rotvec([0.0, 0.0, 0.0037]).as_matrix() @ pose[:3, :3]
        elif fault == "nan":
            pose[0, 3] = math.nan
        return pose

    source, positions = fed(scenario, measure)
    assert f"frame 1 of {source.frames.count} to the target is not met" in source.fault
    np.testing.assert_allclose(positions[-1], source._targets[0], atol=1e-4)
    assert not source.ended
    assert source.duration_s is None


def test_frames_open_as_soon_as_they_are_met(scenario):
    state = SimpleNamespace(calls=0)

    def measure(source):
        state.calls += 1
        return source.frames.at(min(state.calls // 10, source.frames.count))

    source, positions = fed(scenario, measure)
    assert source.fault == ""
    assert source.ended
    assert source.duration_s == pytest.approx(0.02 * source.frames.count, abs=0.003)
    assert np.abs(np.array(positions[-1]) - source._targets[-1]).max() < 0.3


@pytest.mark.parametrize(
    ("robot", "point", "more", "words"),
    [
        ("robot_b", (5.0, 0.0, 0.7), TURNED, "a target within reach and joint limits"),
        ("robot_b", (0.6, 0.2, 0.7), TURNED + "k_1 = 5\nk_2 = 4000\n", "0 < k_1 < k_2 <"),
        ("four_bar", (0.1, 0.2, 0.3), "", "a robot with loops has no inverse kinematics here"),
        ("robot_b", (0.6, 0.2, 0.7), "end = 99\n", "motion.end: end 99: no such place"),
    ],
)  # fmt: skip
def test_a_target_that_cannot_be_is_refused(scenario, robot, point, more, words):
    with pytest.raises(RefusedError) as refused:
        open_bench(load_world_plan(scenario(robot, point, more)))
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("k_1 = 5\n", "k_1 and k_2 go together"),
        ("sigma_1_m = 0.0\n", "sigma_1_m"),
        ('\n[[edit]]\nat_s = 1.0\ndocument = "robot_b"\n', "cannot be edited"),
    ],
)
def test_a_target_that_says_nothing_good_is_refused(scenario, more, words):
    with pytest.raises(ConfigError) as refused:
        load_world_plan(scenario(more=more))
    assert words in str(refused.value)
