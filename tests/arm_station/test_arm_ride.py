"""A run of the arm on a recorded platform: the recording's poses, and what is told of it."""

from pathlib import Path

import numpy as np
import pytest
from test_arm_world import TABLE

from hil.config.errors import ConfigError
from hil.config.file_search import configs_dir
from hil.config.named_files import GIVEN
from hil.recording.mcap_scan import Caps
from hil.recording.reader import Recording
from hil.run.part_process import RECORDING_MARK
from hil.run.together import TogetherScenario
from hil.stations.arm.plan.scenario import arm_plan_from_table, load_arm_plan
from hil.stations.arm.run import bench, ride
from hil.stations.arm.run.bench import prepare_plan, run_arm
from hil.stations.arm.run.ride import ride_of
from hil.stations.arm.run.wire import emulated_controller, emulated_robot
from hil.stations.arm.run.world import check_world, in_world, plant_of
from hil.stations.platform.bench.bench import run as run_platform
from hil.stations.platform.plan.scenario import plan_from_table
from hil_common.arrays.pose import Pose
from safety.modes import Mode

pytestmark = pytest.mark.xdist_group("both arms")

SWAYS = {
    "kind": "multi_sine",
    "duration_s": 8.0,
    "terms": [
        {"axis": "y", "amplitude_m": 0.06, "frequency_hz": 0.5},
        {"axis": "beta", "amplitude_deg": 3.0, "frequency_hz": 0.4},
    ],
}
SLOWLY = TABLE["source"] | {"segment": [{"duration_s": 9.0, "velocity_m_s": [0.0, 0.0, 0.01]}]}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory) -> Path:
    """A platform that sways."""
    table = {"name": "sways", "rig": "training_simulator", "motion": SWAYS}
    found = run_platform(plan_from_table(table, Path("sways")), tmp_path_factory.mktemp("platform"))
    assert found.recorder.path is not None
    return found.recorder.path


def plan_on(recording, **keys):
    world = {"world": "arm_on_platform", "ride": str(recording), "source": SLOWLY}
    GIVEN.take(str(recording), "ride")  # as on the command line
    return arm_plan_from_table(TABLE | world | keys, Path("rides.toml"))


def test_its_poses_are_those_that_the_platform_reached(recorded):
    """Between the samples that are kept, too; what came before homing was over is left out."""
    columns = Recording.open(recorded).columns
    run_s = np.cumsum(columns["dt_s"])
    ride = ride_of(str(recorded.parent))
    homing = [one.name for one in Mode].index("HOMING")
    last = np.flatnonzero(columns["mode"] == homing)[-1]
    told = np.flatnonzero(np.isfinite(columns["reached_pose"]).all(axis=1))
    for row in told[told > last][::37]:
        wanted = Pose.from_coordinates(columns["reached_pose"][row])
        pose = ride.pose(run_s[row])
        np.testing.assert_allclose(pose[:3, 3], wanted.position_m, atol=2e-5)
        np.testing.assert_allclose(pose[:3, :3], wanted.rotation, atol=2e-5)
    first = ride.pose(0.0)
    np.testing.assert_array_equal(ride.pose(run_s[last]), first)
    np.testing.assert_allclose(
        first[:3, 3], columns["reached_pose"][told[told > last][0]][:3], atol=1e-12
    )
    np.testing.assert_array_equal(ride.pose(1e4), ride.pose(run_s[-1]))
    assert abs(columns["reached_pose"][told[0]][:2]).max() > 0.01  # what would be wrong


def test_a_long_recording_is_ridden_as_a_short_one_and_one_that_is_too_long_refused(
    recorded, monkeypatch
):
    whole, opened = ride_of(str(recorded)), Recording.open
    monkeypatch.setattr(Recording, "open", lambda path: opened(path, Caps(kept=0, piece=60_000)))
    pieces = ride_of(str(recorded))
    assert pieces._ends_s == whole._ends_s
    for t_s in np.linspace(*whole._ends_s, 50):
        np.testing.assert_array_equal(pieces.pose(t_s), whole.pose(t_s))
    monkeypatch.setattr(ride, "MOST_S", 5.0)
    with pytest.raises(ConfigError, match="a ride of more than 5 s; the recording of a shorter"):
        ride_of(str(recorded))


def test_the_robot_is_carried_along_and_the_recording_says_so(recorded, tmp_path):
    prepared = prepare_plan(plan_on(recorded))
    check_world(prepared)
    robots = []

    def keep(*told, **more):
        robots.append(emulated_controller(*told, **more))
        return robots[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bench, "emulated_controller", keep)
        found = run_arm(prepared, tmp_path)
    assert found.ok, found.end.reason
    (note,) = [one.message for one in found.events if "rides on rig" in one.message]
    assert "feels nothing of the robot" in note
    assert Recording.open(recorded).sha256 in note
    assert Recording.open(found.recorder.path).metadata["run"]["ride"] == str(recorded)
    world = robots[0].servos._plant.world
    world.settle()
    wanted = ride_of(str(recorded)).pose(world.time_s)
    np.testing.assert_allclose(world.robots[0].pose(1), wanted, atol=2e-5)
    np.testing.assert_allclose(  # the base stands 50 mm over the platform's origin
        world.robots[1].pose(0)[:3, 3], wanted[:3, 3] + 0.05 * wanted[:3, 2], atol=2e-5
    )


def test_a_platform_in_motion_pulls_at_the_gripper(recorded, tmp_path):
    """Its places in the robot's own base differ from those on a platform at rest, and by little."""
    apart = []
    for name in (str(recorded), ""):
        world = {"ride": name} if name else {"ride": "", "world": "empty"}
        found = run_arm(prepare_plan(plan_on(recorded, **world)), tmp_path)
        assert found.ok
        apart.append(Recording.open(found.recorder.path).columns["measured_pose"][:, :3])
    off_m = np.nanmax(np.linalg.norm(apart[0] - apart[1], axis=1))
    assert 0.02e-3 < off_m < 0.5e-3


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"ride": "nowhere.mcap"}, r"ride = 'nowhere\.mcap': no such file"),
        ({"ride": ""}, "robot stands on rig, which nobody moves here"),
        ({"world": "table"}, "a robot: on a robot is needed, for there is a ride"),
        ({"world": ""}, "ride = .*: needs a world in which the robot stands on a platform"),
    ],
)
def test_what_makes_no_ride_is_refused(recorded, keys, words):
    with pytest.raises(ConfigError, match=words):
        plant_of(plan_on(recorded, **keys))


def test_a_recording_of_an_arm_is_no_ride(tmp_path):
    prepared = prepare_plan(plan_on("", world=""))
    found = run_arm(prepared, tmp_path)
    with pytest.raises(ConfigError, match="a recording of station arm has no reached_pose"):
        ride_of(str(found.recorder.path))


def test_what_is_still_to_be_recorded_is_not_looked_for():
    check_world(prepare_plan(plan_on(RECORDING_MARK)))


def test_the_shipped_one_is_sound():
    file = configs_dir() / "scenarios" / "arm_rides_platform.toml"
    first, second = TogetherScenario.load(file).part
    assert second.after == first.name
    plan = load_arm_plan(second.file(file), second.changes)
    assert (plan.scenario.world, plan.scenario.ride) == ("arm_on_platform", RECORDING_MARK)


@pytest.mark.real_time
def test_an_emulator_of_its_own_takes_the_ride(recorded):
    devices = {"arm": "socket://localhost:4001", "fallback": "sim"}
    prepared = prepare_plan(plan_on(recorded, clock="real", devices=devices))
    assert in_world(prepared.plan)[2:] == ["--ride", str(recorded)]
    with emulated_robot(prepared) as url:
        assert url.startswith("serial:")
