"""Runs in the panel's space, and what is left to limits: by a D-H product and by the rows."""

from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest
from edited_robots import without_last
from edited_runs import timed
from scene_robots import SCENARIOS, with_sensors
from scipy.spatial.transform import Rotation
from test_robot_runs import ROBOTS

from hil.config.file_search import configs_dir
from hil.panel.scene.models.build import SceneError, scenes_of
from hil.recording.header import RunHeader
from hil.recording.reader import Recording
from hil.run.registry import station_or_none
from hil.stations.world.plan.scenario_reader import load_world_plan
from hil.stations.world.run.session import run_world
from hil.stations.world.view.recorded_world import RecordedWorld, world_text
from hil.stations.world.view.scene import WorldScene
from sim.world.engine.world import World

CHANGES = ['scene="table"', "motion.duration_s=2.0", "motion.goal=[{joint=1, by_deg=60.0}]",
           "settle_s=0.02"]  # fmt: skip


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    plan = load_world_plan(SCENARIOS / "joint_move.toml", CHANGES)
    result = run_world(plan, tmp_path_factory.mktemp("runs"))
    return Recording.open(result.recorder.path)


def frames(recording):
    """All rows as a panel has them: numbers, a row each."""
    places = recording.header.signals.places
    table = np.full((recording.cycles, recording.header.signals.values), np.nan)
    for name in places:
        table[:, places[name]] = recording.column(name).reshape(recording.cycles, -1)
    return table


def links_of(robot, q_rad):
    """Frames of links 1 to 6 by a product of D-H matrices of our own, the tool left out."""
    pose, found = np.eye(4), {}
    for number, ((alpha, d, theta, r), q) in enumerate(zip(ROBOTS[robot], q_rad, strict=True), 1):
        one, two = np.eye(4), np.eye(4)
        one[:3, :3], one[0, 3] = Rotation.from_euler("x", alpha).as_matrix(), d
        two[:3, :3] = Rotation.from_euler("z", theta + q).as_matrix()
        two[2, 3] = r if number < 6 else 0.0
        pose = pose @ one @ two
        found[f"robot/link {number}"] = pose
    return found


def test_links_and_bodies_are_where_the_newest_row_has_them(recording):
    (scene,) = scenes_of(recording.header)
    assert scene.title == "Robot robot_a in table"
    rows = frames(recording)
    scene.take(rows[:1], 0.0)
    scene.take(rows[-1:], 100.0)
    figure = scene.figure(200.0)
    placed = dict(zip([part.name for part in scene.build.parts], figure.transforms, strict=True))
    for name, pose in links_of("robot_a", recording.column("position_rad")[-1]).items():
        np.testing.assert_allclose(placed[name], pose, atol=1e-9)
    names = recording.header.signals["world_coordinates"].parts
    cube = [at for at, name in enumerate(names) if name.startswith("cube_joint")]
    coordinates = recording.column("world_coordinates")[-1][cube]
    np.testing.assert_allclose(placed["cube"][:3, 3], coordinates[:3], atol=1e-12)
    np.testing.assert_allclose(placed["table"][:3, 3], (0.9, 0.0, 0.68), atol=1e-12)
    np.testing.assert_allclose(figure.trace_m[-1], recording.column("tool_pose")[-1, :3])


def test_between_two_frames_everything_is_on_its_way(recording):
    (scene,) = scenes_of(recording.header)
    rows = frames(recording)[[400, 500]]
    scene.take(rows[:1], 0.0)
    scene.take(rows[1:], 1.0)
    q = recording.column("position_rad")[[400, 500]]
    halfway = links_of("robot_a", q.mean(axis=0))["robot/link 6"]
    figure = scene.figure(1.1)  # of 0.2 s
    at = [part.name for part in scene.build.parts].index("robot/link 6")
    np.testing.assert_allclose(figure.transforms[at], halfway, atol=1e-9)


def half_sizes(kind, size):
    """Of the box about a shape of the engine."""
    kinds = mujoco.mjtGeom
    return {
        int(kinds.mjGEOM_BOX): size,
        int(kinds.mjGEOM_SPHERE): np.full(3, size[0]),
        int(kinds.mjGEOM_CYLINDER): size[[0, 0, 1]],
        int(kinds.mjGEOM_CAPSULE): size[[0, 0, 1]] + np.array((0.0, 0.0, size[0])),
    }[kind]


@pytest.mark.parametrize("name", ["robot_a", "delta", "mf4"])
def test_what_is_drawn_is_as_large_as_what_the_engine_has(name):
    """Extents of each link's solids in its frame, against the engine's shapes of the same text."""
    robot = (configs_dir() / "world" / "robots" / f"{name}.toml").read_text()
    text, _ = world_text(
        {"scenario": {"step_s": 0.002, "integrator": "implicitfast", "seed": 0,
                      "gravity_m_s2": [0.0, 0.0, -9.81]},
         "robot": robot, "robot_file": "own.toml"}
    )  # fmt: skip
    nothing = {"t_s": slice(0, 1), "tool_pose": slice(1, 8), "world_coordinates": slice(8, 9)}
    scene = WorldScene(World(text), name, nothing, [])
    model = mujoco.MjModel.from_xml_string(text.text)
    compared = 0
    for part in scene.build.parts:
        body = model.body(part.name.replace("link ", "l"))
        geoms = range(body.geomadr[0], body.geomadr[0] + body.geomnum[0])
        seen = [geom for geom in geoms if model.geom_rgba[geom, 3] > 0.0]
        assert bool(part.pieces) == bool(seen)
        if not seen or len(seen) > 1:
            continue
        (geom,) = seen
        turned = np.zeros(9)
        mujoco.mju_quat2Mat(turned, model.geom_quat[geom])
        points = np.vstack([piece.solid.vertices_m for piece in part.pieces])
        local = (points - model.geom_pos[geom]) @ turned.reshape(3, 3)
        size, kind = model.geom_size[geom], model.geom_type[geom]
        half = half_sizes(int(kind), size)
        assert (np.abs(local).max(axis=0) <= half + 1e-9).all()
        assert (np.abs(local).max(axis=0) >= 0.9 * half).all()
        compared += 1
    assert compared >= 5


def test_a_header_that_describes_no_world_says_so(recording):
    bare = RunHeader(recording.header.signals, recording.header.metadata, {"scenario": {}})
    with pytest.raises(SceneError, match="nothing can be drawn"):
        scenes_of(bare)


def test_margins_are_those_of_limited_joints_and_of_drives(tmp_path):
    file = Path(with_sensors(tmp_path))
    text = file.read_text()
    file.write_text(text.replace("start_rad = [0]", "start_rad = [0]\nlimits_rad = [[-1, 2]]", 1))
    plan = load_world_plan(SCENARIOS / "joint_move.toml", [f'robot="{file}"'])
    station = station_or_none("world")
    assert station is not None
    assert station.views.margins is not None
    joints, drives = station.views.margins(plan.to_table())
    assert (joints.names, joints.field, drives.field) == (
        ("Joint 1",), "position_rad", "effort_n_m"
    )  # fmt: skip
    left, share, ends = joints.of(np.array([1.7, 9.0, 9.0, 9.0, 9.0, 9.0]))
    assert (left[0], share[0]) == (pytest.approx(0.3), pytest.approx(0.2))
    assert ends == ["{left} to the upper end"]
    most = np.array([drive.effort_max for drive in plan.robot.drives])
    _, share, _ = drives.of(0.75 * most)
    np.testing.assert_allclose(share, 0.25)


def test_what_an_edit_took_away_stays_where_it_was_last(tmp_path):
    plan = load_world_plan(SCENARIOS / "joint_move.toml", [*CHANGES[1:2], "settle_s=0.02",
        "motion.goal=[{joint=6, by_deg=60.0}]"])  # fmt: skip
    plan = replace(plan, edits=timed((300, without_last(plan.robot))))
    recording = Recording.open(run_world(plan, tmp_path).recorder.path)
    told = recording.column("world_coordinates")
    gone = ~np.isfinite(told[-1])
    assert (gone.sum(), np.isfinite(told[:300]).all()) == (1, True)
    first = int(np.argmin(np.isfinite(told[:, gone][:, 0])))
    shown = RecordedWorld.of(recording).positions
    np.testing.assert_array_equal(shown[:first], told[:first])
    np.testing.assert_array_equal(shown[:, ~gone], told[:, ~gone])
    assert (shown[first:, gone] == told[first - 1, gone]).all()
    (scene,) = scenes_of(recording.header)
    scene.take(frames(recording)[-1:], 0.0)
    assert np.isfinite(np.array(scene.figure(100.0).transforms)).all()
