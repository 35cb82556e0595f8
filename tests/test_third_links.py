"""Links to robots of somebody else's distribution: a run, what is recorded, and what fails."""

import json
from pathlib import Path

import numpy as np
import pytest
import third_party
from scipy.spatial.transform import Rotation
from third_bench import hil, installed, program
from typer.testing import CliRunner

from arm_driver.kinematics.puma import forward
from hil.cli.main import app
from hil.config.errors import ConfigError
from hil.config.file_search import configs_dir
from hil.machines.robot.offered_links import OWN, link_kind
from hil.machines.robot.settings import RobotSettings
from hil.recording.reader import Recording
from hil.stations.arm.plan.scenario import load_arm_plan
from hil.stations.arm.run.bench import prepare_plan, run_arm
from hil.timing.realtime import RealClock

SCENARIO = """
station = "arm"
name = "theirs"
clock = "{clock}"
[space_arm]
model = "a"
[source]
kind = "profile"
[[source.segment]]
duration_s = 1.5
velocity_m_s = [0.0, 0.02, 0.0]
rate_rad_s = [0.0, 0.0, 0.03]
[mapping.start]
position_m = [0.45, 0.15, 0.75]
oat_deg = [90.0, 0.0, 0.0]
[mapping]
start_joints_deg = [46.4, 78.1, -218.3, 53.8, 63.8, -31.1]
corrected = false
[devices]
arm = "{url}"
"""


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """The distribution, installed for this module."""
    folder = tmp_path_factory.mktemp("parts")
    with pytest.MonkeyPatch.context() as patch, installed(folder, patch):
        yield folder


pytestmark = pytest.mark.usefixtures("parts")


def written(folder, url, clock="virtual"):
    path = folder / "theirs.toml"
    path.write_text(SCENARIO.format(url=url, clock=clock))
    return path


def numbers(pose):
    """A pose as the protocol has it, by scipy."""
    turn = Rotation.from_matrix(pose.rotation).as_quat(scalar_first=True, canonical=True)
    return [*pose.position_m.tolist(), *turn.tolist()]


@pytest.fixture(scope="module")
def planned(tmp_path_factory, parts):
    return prepare_plan(load_arm_plan(written(tmp_path_factory.mktemp("plan"), "sim:")))


@pytest.fixture(scope="module")
def served(planned):
    """The emulated robot where the motion begins, on a port of its own."""
    from parts_robot import PoseRobot, Server

    with Server(PoseRobot(numbers(planned.mapping.X_RT0))) as server:
        yield server


@pytest.fixture(scope="module")
def ride(served, tmp_path_factory):
    """A run of the station on it, and what came of it."""
    folder = tmp_path_factory.mktemp("ride")
    path = written(folder, f"poses-sim://127.0.0.1:{served.port}")
    checked = hil("check", path)
    ridden = hil("run", path, "--out", folder)
    return checked, ridden, served.robot


def test_a_robot_that_takes_poses_is_checked_and_led_to_the_end(ride):
    (status, checked), (ended, told), robot = ride
    assert (status, checked["ok"]) == (0, True)
    assert (ended, told["result"]) == (0, "completed"), told
    assert told["sent"] == checked["waypoints"] == len(robot.taken)
    assert told["robot"].startswith("SIMULATED rm01 (poses-sim://")


def test_what_it_was_sent_are_the_poses_of_the_proof_to_the_last_bit_that_matters(ride, planned):
    wanted = [numbers(step.X_RT) for step in planned.steps]
    np.testing.assert_allclose(ride[2].taken, wanted, rtol=0.0, atol=1e-9)


def test_its_recording_says_whose_link_it_was_and_where_the_robot_said_that_it_is(ride):
    recording = Recording.open(Path(ride[1][1]["recording"]))
    facts = recording.metadata["run"]
    assert facts["arm_link_code"].startswith("poses-sim of hil-parts 1.0 ")
    assert facts["simulated"] == "robot"
    assert np.isnan(recording.columns["sent_location"]).all(), "its wire has no counts"
    measured = recording.columns["measured_pose"]
    assert np.isfinite(measured).all()
    np.testing.assert_allclose(measured[-1, :3], ride[2].taken[-3][:3], atol=2e-2)


def test_a_link_that_does_not_watch_its_robot_is_said_not_to(served, tmp_path):
    path = written(tmp_path, f"poses-sim://127.0.0.1:{served.port}")
    shown = CliRunner().invoke(app, ["check", str(path)]).output
    assert "does not say that it watches whether the robot follows" in " ".join(shown.split())


def test_a_robot_on_a_line_needs_the_real_clock_whoever_brought_its_link(tmp_path):
    with pytest.raises(ConfigError, match='needs clock = "real"'):
        load_arm_plan(written(tmp_path, "poses://127.0.0.1:1"))


def test_it_is_moved_alone_over_it_too(tmp_path):
    from parts_robot import PoseRobot, Server

    robot = RobotSettings.load(configs_dir() / "robots" / "rm01.toml")
    begin_deg = (0.0, 45.0, -180.0, 0.0, 45.0, 0.0)
    begins = forward(robot.geometry(), np.radians(begin_deg))
    with Server(PoseRobot(numbers(begins))) as server:
        status, told = hil(
            "arm", "goto", "rm01", "--arm-link", f"poses-sim://127.0.0.1:{server.port}",
            "--at-joints=0,45,-180,0,45,0", "--joints=4,45,-180,0,45,0", "--out", tmp_path,
        )  # fmt: skip
    assert (status, told["result"]) == (0, "completed"), told
    arrived = forward(robot.geometry(), np.radians((4.0, *begin_deg[1:])))
    np.testing.assert_allclose(server.robot.at, numbers(arrived), atol=1e-9)


@pytest.mark.real_time
def test_in_real_time_it_is_led_over_its_own_clock(parts, planned, tmp_path):
    from parts_robot import PoseRobot, Server

    robot = PoseRobot(numbers(planned.mapping.X_RT0))
    with Server(robot, RealClock().now_s) as server:
        path = written(tmp_path, f"poses://127.0.0.1:{server.port}", clock="real")
        done = program(parts, "run", path, "--json", "--out", tmp_path)
    told = json.loads(done.stdout)
    assert (done.returncode, told["result"]) == (0, "completed"), told
    assert len(robot.taken) == told["sent"] == len(planned.steps)
    assert told["robot"].startswith("rm01 (poses://"), "nobody says that it is simulated"


def test_one_that_is_not_there_is_refused(tmp_path):
    status, told = hil("run", written(tmp_path, "poses-sim://127.0.0.1:1"), "--out", tmp_path)
    assert status == 1
    assert "nothing has moved: the robot at poses-sim://127.0.0.1:1 is not there" in told["error"]


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("pose://h:1", r"begins like none of serial:.*, socket://HOST:PORT, planted:FAULT, "
                       r"poses://HOST:PORT, poses-sim://HOST:PORT"),
        ("poses-sim://h", "is no poses-sim://HOST:PORT"),
        ("lost:x", r"'lost' of hil-parts 1\.0 cannot be used: parts_nowhere:KIND does not load"),
        ("number:x", "own_link:LINE_MOST is a int, no LinkKind"),
        ("planted:unchecked", "is not planted:FAULT: IndexError: no such row"),
        ("sim:x", "begins like none of"),
    ],
)  # fmt: skip
def test_a_url_of_nobody_or_of_a_broken_part_is_refused_with_what_would_have_been_right(
    url, words, tmp_path
):
    with pytest.raises(ConfigError, match=words):
        load_arm_plan(written(tmp_path, url))


def test_two_of_one_scheme_are_both_named_and_neither_is_used(tmp_path, monkeypatch):
    rival = tmp_path / "rival.toml"
    rival.write_text(
        '[project]\nname = "rival"\nversion = "2"\n'
        '[project.entry-points."hil.arm_links"]\nposes-sim = "own_link:EMULATED"\n'
    )
    third_party.metadata(rival, tmp_path / "rivals")
    monkeypatch.syspath_prepend(str(tmp_path / "rivals"))
    with pytest.raises(ConfigError, match=r"hil-parts 1\.0 and rival 2 both have it"):
        load_arm_plan(written(tmp_path, "poses-sim://h:1"))


def test_the_bench_s_own_schemes_are_its_own():
    assert link_kind("serial:/dev/ttyS0") is OWN["serial"]


@pytest.mark.parametrize(
    ("fault", "outcome", "words"),
    [
        ("obedient", "completed", ""),
        ("closes", "completed", ""),
        ("polls", "faulted", "failed in poll(): KeyError: 'at'"),
        ("leaves", "faulted", "failed in poll(): SystemExit: 7"),
        ("text", "faulted", "poll() returned str, a LinkReport is needed"),
        ("offers", "faulted", "failed in offer(): ZeroDivisionError: no way"),
        ("nothing", "faulted", "offer() returned NoneType, an Offer is needed"),
        ("starts", "not begun", "failed in start(): AttributeError: no start"),
        ("ends", "faulted", "failed in end(): RuntimeError: no end"),
    ],
)
def test_an_error_of_a_link_ends_the_stream_with_its_words(
    fault, outcome, words, planned, monkeypatch, tmp_path
):
    import parts_links

    monkeypatch.setattr(parts_links.Obedient, "begins", planned.mapping.X_RT0)
    plan = load_arm_plan(written(tmp_path, f"planted:{fault}"))
    end = run_arm(prepare_plan(plan), tmp_path).end
    assert end.in_words()[0] == outcome, end
    assert words in end.reason


def test_a_link_that_cannot_be_opened_is_refused(tmp_path):
    status, told = hil("run", written(tmp_path, "planted:unopened"), "--out", tmp_path)
    assert status == 1
    assert "planted:unopened cannot be opened: RuntimeError: no licence" in told["error"]
