"""What `hil check` tells of a planned motion, and what it refuses before a place is looked for."""

import dataclasses
import functools
import itertools
import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from arm_driver.contour.place import location_of
from arm_driver.kinematics.path_report import PathFinding
from arm_driver.kinematics.puma import forward
from hil.cli.main import app
from hil.config.errors import RefusedError
from hil.config.file_search import configs_dir
from hil.config.settings import ConfigError
from hil.machines.robot.settings import RobotSettings
from hil.stations.arm.plan.nodes import KIND, worst_corner
from hil.stations.arm.plan.scenario import WorkingPoint, load_arm_plan
from hil.stations.arm.proof import prepare as arm_prepare
from hil.stations.arm.proof.findings import findings_table
from hil.stations.arm.proof.prepare import prepare
from hil.stations.arm.run.bench import play_arm, prepare_plan, source_of
from hil.timing.clock import VirtualClock
from hil_common.arrays.pose import Pose
from sim.devices.arm.faults import parse_arm_words
from sim.world.space_arm.simulator import TICK_S

pytestmark = pytest.mark.xdist_group("both arms")

SHIPPED = configs_dir() / "scenarios" / "bkm_on_rm01.toml"
LIMITS = RobotSettings.load(configs_dir() / "robots" / "rm01.toml").gate_limits()


def path_of(*velocities_m_s):
    """Poses of two waypoints at each velocity in turn."""
    places, ways = [np.zeros(3)], np.repeat(np.array(velocities_m_s), 2, axis=0)
    for way in ways:
        places.append(places[-1] + TICK_S * way)
    return [Pose(place, np.eye(3)) for place in places]


def cells(table, column):
    return list(table.columns[column].cells)


@pytest.fixture(scope="module")
def shipped():
    return prepare_plan(load_arm_plan(SHIPPED))


def test_the_shipped_motion_keeps_some_room_to_every_limit(shipped):
    shares = {one.kind: one.margin for one in shipped.path.findings if one.kind != "reach"}
    assert KIND in shares
    assert min(shares.values()) > 0.1, shares


def test_the_worst_corner_is_the_sharpest_of_the_robot_s_own_path(shipped):
    (found,) = [one for one in shipped.path.findings if one.kind == KIND]
    poses = [shipped.mapping.X_RT0, *(step.X_RT for step in shipped.steps)]
    ways = np.diff([pose.position_m for pose in poses], axis=0) / TICK_S
    corners = LIMITS.corners
    assert corners is not None
    off_m = [corners.deviation_m(tuple(a), tuple(b)) for a, b in itertools.pairwise(ways)]
    assert found.value == pytest.approx(max(off_m), rel=1e-6)
    assert found.index == int(np.argmax(off_m)) + 1
    assert found.t_s == pytest.approx(found.index * TICK_S)
    assert found.margin == pytest.approx(1.0 - found.value / 0.5e-3)


@pytest.mark.parametrize("place", ["given", "computed"])
def test_a_corner_too_sharp_is_refused_before_a_place_is_looked_for(monkeypatch, place):
    """No place on the bench would help, so none is searched: what has to change is the speed."""
    start = [
        "mapping.start={position_m=[0.45,0.15,0.75],oat_deg=[90.0,0.0,0.0]}",
        "mapping.start_joints_deg=[46.4,78.1,-218.3,53.8,63.8,-31.1]",
    ]
    plan = load_arm_plan(SHIPPED, start if place == "given" else [])
    strict = plan.robot.model_copy(update={"path_deviation_max_mm": 0.3})
    monkeypatch.setattr(arm_prepare, "best_reference", None)
    with pytest.raises(RefusedError) as refusal:
        prepare_plan(plan.model_copy(update={"robot": strict}))
    text = str(refusal.value)
    assert re.search(r"waypoint \d+ \(\d+\.\d\d s\), nothing has been sent", text)
    assert re.search(r"rm01: path deviation at a corner .* it fits at \d+\.\d and", text)
    assert "the same at every place" in text
    assert "speed" in text


def test_corners_count_with_the_scale_of_the_ways():
    path = path_of((0.05, 0.0, 0.0), (0.0, 0.05, 0.0))
    half, whole = (worst_corner(LIMITS, path, TICK_S, scale) for scale in (0.5, 1.0))
    assert half is not None
    assert whole is not None
    assert whole.index == 2
    assert 0.0 < half.value < whole.value < 0.5e-3
    with pytest.raises(RefusedError, match=r"waypoint 3 \(1\.05 s\)"):
        worst_corner(LIMITS, path_of((0.1, 0.0, 0.0), (0.0, 0.1, 0.0)), TICK_S)


def test_without_a_limit_or_a_corner_there_is_nothing_to_find():
    path = path_of((0.05, 0.0, 0.0), (0.0, 0.05, 0.0))
    assert worst_corner(LIMITS, path[:2], TICK_S) is None
    assert worst_corner(dataclasses.replace(LIMITS, corners=None), path, TICK_S) is None


def test_people_read_degrees_millimetres_and_the_room_that_is_left():
    def found(kind, value, limit, unit, margin):
        return PathFinding("rm01", kind, "there", 7, value, limit, unit, True, margin)

    table = findings_table(
        [
            found("reach", 0.0, 0.0, "m", 0.0),
            found("joint position", np.pi / 2, np.pi, "rad", 0.5),
            found("joint acceleration", -np.pi / 18, np.pi, "rad/s²", 0.94),
            found("gripper speed", 0.07, 0.1, "m/s", 0.3),
            found("wrist singularity", 0.4, 0.1, "1", 0.3),
            found("clearance", 0.3, 0.01, "m", 0.29),
            found(KIND, 0.4e-3, 0.5e-3, "m", 0.2),
        ]
    )
    assert "reach" not in cells(table, 0)
    assert cells(table, 3) == ["90 deg", "-10 deg/s²", "0.07 m/s", "0.4", "0.3 m", "0.4 mm"]
    assert cells(table, 4) == ["180 deg", "180 deg/s²", "0.1 m/s", "0.1", "0.01 m", "0.5 mm"]
    assert cells(table, 5) == ["50 %", "94 %", "30 %", "0.3", "0.29 m", "20 %"]


def test_the_command_shows_the_corner_and_no_radians():
    answer = CliRunner().invoke(app, ["check", "bkm_on_rm01"])
    assert answer.exit_code == 0, answer.output
    assert re.search(rf"{KIND}.* mm +0\.5 mm +\d+ %", answer.stdout), answer.stdout
    assert "rad" not in answer.stdout
    assert "reach" not in answer.stdout


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("robot=bkm.toml", "is a space arm; robot must be a robot"),
        ("robot=rm02", "did you mean rm01"),
        ("space_arm.arm=rm01", "is a robot; space_arm.arm must be a space arm"),
    ],
)
def test_a_machine_of_another_kind_is_called_by_its_name(override, words):
    with pytest.raises(ConfigError, match=words):
        load_arm_plan(SHIPPED, [override])


def test_a_robot_beside_the_scenario_goes_before_the_shipped_one(tmp_path):
    robot = (configs_dir() / "robots" / "rm01.toml").read_text()
    (tmp_path / "rm01.toml").write_text(
        re.sub(r"^description = .*$", 'description = "the one beside"', robot, flags=re.MULTILINE)
    )
    scenario = tmp_path / "mine.toml"
    scenario.write_text(SHIPPED.read_text())
    assert load_arm_plan(scenario, ["robot=rm01.toml"]).robot.description == "the one beside"
    assert load_arm_plan(Path(SHIPPED)).robot.description != "the one beside"


def test_a_run_that_ends_badly_says_so_once_and_its_events_in_order(monkeypatch, tmp_path):
    silent = (parse_arm_words(["silence", "at_s=4"]),)
    monkeypatch.setattr(
        "hil.stations.arm.run.runner.play_arm", functools.partial(play_arm, faults=silent)
    )
    quick = ["--set", "space_arm.model=b", "--set", "source.segment.0.duration_s=6"]
    answer = CliRunner().invoke(app, ["run", "bkm_on_rm01", "--out", str(tmp_path), *quick])
    assert answer.exit_code == 1
    assert "\nlink lost: no request for 1.05 s" in "\n" + answer.stdout
    assert "link lost: link lost" not in answer.stdout.split("recording:")[0]
    times = [float(t) for t in re.findall(r"^ *(\d+\.\d+) s  ", answer.stdout, re.MULTILINE)]
    assert len(times) >= 3
    assert times == sorted(times)


def near_wrist(least_wrist):
    """A live motion that begins 4 degrees from the wrist's singularity: |sin q5| = 0.07."""
    joints = [0.0, 45.0, -135.0, 10.0, 4.0, 0.0]
    plan = load_arm_plan(SHIPPED)
    robot = plan.robot.model_copy(update={"least_wrist": least_wrist})
    convention = robot.oat_convention()
    place = location_of(forward(robot.geometry(), np.radians(joints)), convention)
    oat_deg = tuple(np.degrees(place.oat_rad).tolist())
    start = WorkingPoint(position_m=place.position_m, oat_deg=oat_deg)
    change = {"start": start, "start_joints_deg": tuple(joints)}
    mapping = plan.scenario.mapping.model_copy(update=change)
    scenario = plan.scenario.model_copy(update={"mapping": mapping})
    plan = plan.model_copy(update={"scenario": scenario, "robot": robot})

    def source():
        return source_of(plan, VirtualClock())

    return prepare(plan, None).station(source())


def test_how_near_a_singularity_the_robot_may_go_is_its_file_s():
    step = near_wrist(0.05).step()
    assert step.violations == ()
    assert 0.05 < step.margins[0] < 0.1
    with pytest.raises(RefusedError, match=r"start is refused: rm01: .*wrist singularity 0\.0"):
        near_wrist(0.1)
