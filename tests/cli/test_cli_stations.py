"""The verbs of the arm station and of stations together, and files of the wrong kind."""

import json
import math
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hil.cli.main import app
from hil.recording.header import RecordingError
from hil.recording.reader import Recording
from hil.run.part_process import PartResult

runner = CliRunner()
JOINTS = "0,45,-180,0,45,0"
PLACE = [
    "--set", "mapping.start={position_m=[0.696303149, -0.15005, 0.657645732], oat_deg=[90, 0, 0]}",
    "--set", f"mapping.start_joints_deg=[{JOINTS}]",
    "--set", "space_arm.model=b",
]  # fmt: skip
"""Given, it is not searched for."""


def segment(duration_s, speed_m_s):
    return [
        "--set",
        f"source.segment=[{{duration_s={duration_s}, velocity_m_s=[0,0,{speed_m_s}]}}]",
    ]


SLOW = """
station = "arm"
name = "slow"
[space_arm]
model = "b"
[mapping]
start = { position_m = [0.646303149, -0.15005, 0.657645732], oat_deg = [90, 0, 0] }
start_joints_deg = [0, 49.3, -188.8, 0, 49.5, 0]
[source]
kind = "profile"
frame = "base"
segment = [{ duration_s = 30, velocity_m_s = [0, 0, 0.004] }]
"""
QUICK = [*PLACE, *segment(3, 0.02)]


def parts_of(*options):
    """Two parts: a platform, and an arm with the changes that options would make."""
    changes = json.dumps([option for option in options if option != "--set"])
    one = '{name="one", scenario="heave", changes=["motion.duration_s=1", "rate_hz=125"]}'
    return ["--set", f'part=[{one}, {{name="two", scenario="bkm_on_rm01", changes={changes}}}]']


pytestmark = pytest.mark.usefixtures("unpainted")


def hil(*arguments, status=0):
    result = runner.invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == status, result.output + repr(result.exception)
    return result


def as_json(*arguments, status=0):
    """Exactly one JSON object on standard output, nothing else."""
    (line,) = hil(*arguments, "--json", status=status).stdout.splitlines()
    return json.loads(line)


def test_arm_run_is_the_run_of_the_bench(tmp_path):
    told = as_json("arm", "run", "bkm_on_rm01", "--out", tmp_path / "a", "--report", *QUICK)
    other = as_json("run", "bkm_on_rm01", "--out", tmp_path / "b", *QUICK)
    assert told["result"] == other["result"] == "completed"
    assert told["recording_sha256"] == other["recording_sha256"]
    assert told["report"].endswith("report.html")
    assert other["report"] is None


def test_arm_check_tells_where_the_robot_has_to_stand():
    told = as_json("arm", "check", "bkm_on_rm01", *QUICK)
    assert told == as_json("check", "bkm_on_rm01", *QUICK)
    assert told["start_deg"] == pytest.approx([float(q) for q in JOINTS.split(",")], abs=1e-5)


def test_fk_of_a_robot_and_ik_are_each_others_inverse():
    joints = [20.0, 40.0, -160.0, 30.0, 50.0, -70.0]
    text = ",".join(map(str, joints))
    place = as_json("arm", "fk", "rm01", f"--q={text}")
    assert place["kind"] == "robot"
    pose = [1e3 * value for value in place["position_m"]] + place["oat_deg"]
    told = as_json("arm", "ik", "rm01", "--pose=" + ",".join(map(repr, pose)), f"--near={text}")
    first = told["solutions"][0]
    assert first["q_deg"] == pytest.approx(joints, abs=1e-6)
    assert first["branch"] == place["posture"]
    assert len(told["solutions"]) == 8


def test_the_pose_that_fk_prints_can_be_given_to_ik():
    line = next(x for x in hil("arm", "fk", "rm01").stdout.splitlines() if x.startswith("--pose"))
    pose = line.split()[1]
    shown = hil("arm", "ik", "rm01", f"--pose={pose}", "--near=0,45,-180,0,45,0").stdout
    nearest = shown.splitlines()[1].split()[-7:-1]
    assert [float(q) for q in nearest] == pytest.approx([0, 45, -180, 0, 45, 0], abs=0.01)


@pytest.mark.parametrize(
    ("arm", "joints", "words"),
    [
        ("rm01", "170,45,-180,0,45,0", "joint 1: 170.000 deg is above its limit of 160.000 deg"),
        ("rm01", "0,45,-180,0,-101,0", "joint 5: -101.000 deg is below its limit of -100.000 deg"),
        ("puma560", "0,230,-180,0,45,0", "shoulder: 230.000 deg is above its limit of 225.000 deg"),
    ],
)
def test_a_joint_beyond_its_range_is_told_and_refused(arm, joints, words):
    told = as_json("arm", "fk", arm, f"--q={joints}", status=1)
    assert (told["ok"], told["violations"]) == (False, [words])
    assert words in hil("arm", "fk", arm, f"--q={joints}", status=1).stdout


def test_a_robot_and_its_space_arm_of_the_same_lengths_agree():
    """Two programs that share nothing: the driver's kinematics and the simulator's."""
    joints = "--q=10,30,-150,20,40,60"
    robot = as_json("arm", "fk", "rm01", joints)
    space = as_json("arm", "fk", "puma560", joints)
    tool = [0.1 * row[2] for row in robot["rotation"]]
    there = [a + b for a, b in zip(space["position_m"], tool, strict=True)]
    assert robot["position_m"] == pytest.approx(there, abs=1e-9)
    for one, other in zip(robot["rotation"], space["rotation"], strict=True):
        assert one == pytest.approx(other, abs=1e-9)
    assert math.isclose(math.hypot(*tool), 0.1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "rm01"], "is a robot; SCENARIO must be a platform scenario or an arm scenario"),
        (["check", "paper"], "is a rig; SCENARIO must be"),
        (["arm", "run", "demo"], "is a platform scenario; SCENARIO must be an arm scenario"),
        (["arm", "check", "platform_and_arm"], "is a together scenario; SCENARIO must be"),
        (["arm", "ik", "paper", "--pose=600,150,900,90,0,0"], "is a rig; ARM must be a robot or"),
        (["arm", "fk", "paper"], "is a rig; ARM must be a robot or a space arm (shipped: rm01"),
        (["arm", "advance", "rm01", "--rates=0,0,0,0,0,0"], "is a robot; ARM must be a space arm"),
        (["arm", "table", "--arm", "rm01"], "is a robot; --arm must be a space arm"),
        (["arm", "fk", "rm02"], "did you mean rm01?"),
        (["arm", "run", "bkm_on_rm1"], "did you mean bkm_on_rm01?"),
        (["run", "qqqq"], "shipped: arm_rides_platform, bkm_on_rm01"),
    ],
)
def test_a_file_of_another_kind_is_called_by_its_name(arguments, words):
    told = " ".join(hil(*arguments, status=2).stderr.split())
    assert words in told
    assert "unknown key" not in told


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("bkm_on_rm01", ["--drives", "sim:"], "--drives means nothing for this arm scenario"),
        ("bkm_on_rm01", ["--rig", "paper"], "--rig means nothing"),
        ("platform_and_arm", ["--clock", "real"], "--clock means nothing for this together"),
        ("platform_and_arm", ["--arm-link", "sim:"], "part.0.changes"),
        (
            "demo",
            ["--arm-link", "sim:"],
            "a platform scenario has --clock, --fallback, --set, --rig,",
        ),
    ],
)
def test_an_option_that_would_do_nothing_is_refused(name, options, words, tmp_path):
    result = hil("run", name, *options, "--out", tmp_path, status=2)
    assert words in " ".join(result.stderr.split())
    assert list(tmp_path.iterdir()) == []


def test_a_station_that_there_is_not(tmp_path):
    path = tmp_path / "x.toml"
    path.write_text('station = "armm"\nname = "x"\n')
    told = hil("run", path, status=2).stderr
    known = "'arm', 'platform', 'simulator', 'task', 'world'"
    assert f"'armm' is not installed; installed are {known}; 'together' is for" in told
    path.write_text("station = 3\n")
    assert "station = 3" in hil("check", path, status=2).stderr


def test_a_file_that_shows_no_kind_is_told_what_it_lacks(tmp_path):
    path = tmp_path / "x.toml"
    path.write_text('name = "x"\n')
    told = hil("run", path, status=2).stderr
    assert "motion is left out" in told
    assert "a2_m is left out" in hil("arm", "fk", path, status=2).stderr


def test_check_of_stations_together_proves_each_part():
    told = as_json("check", "platform_and_arm", *parts_of(*QUICK))
    assert told["ok"] is True
    assert told["parts"]["one"]["violations"] == []
    assert told["parts"]["two"]["waypoints"] > 8
    shown = hil("check", "platform_and_arm", *parts_of(*QUICK)).stdout
    assert "one: ok: heave on " in shown
    assert "two: ok: bkm_on_rm01" in shown


def test_check_of_stations_together_says_which_is_refused():
    down = parts_of(*PLACE, *segment(60, -0.05))
    told = as_json("check", "platform_and_arm", *down, status=1)
    assert (told["ok"], told["parts"]["one"]["ok"], told["parts"]["two"]["ok"]) == (0, 1, 0)
    assert "the motion was refused, nothing has been sent" in told["parts"]["two"]["error"]
    shown = hil("check", "platform_and_arm", *down, status=1).stdout
    assert "two: refused" in shown


def test_reports_of_stations_together(tmp_path, monkeypatch):
    """Of every part that has recorded something; one that was refused has no page."""
    told = as_json("run", "bkm_on_rm01", *QUICK, "--out", tmp_path / "both" / "two")
    results = (
        PartResult("one", ok=False, values={"ok": False, "error": "refused"}, asked_to_stop=""),
        PartResult("two", ok=True, values=told, asked_to_stop="one came to a bad end"),
    )
    monkeypatch.setattr("hil.run.together.run_together", lambda *_: results)
    parts = as_json("run", "platform_and_arm", "--report", status=1)["parts"]
    page = Path(parts["two"]["report"])
    assert page.is_file()
    assert page.parent == Path(told["recording"]).parent
    assert parts["one"]["report"] is None
    shown = hil("run", "platform_and_arm", "--report", status=1).stdout
    assert "one: ended: refused" in shown
    assert "two: completed (asked to stop: one came to a bad end)" in shown
    assert str(page) in shown
    words = hil("report", tmp_path / "both", status=2).stderr.replace("\n", "")
    assert "several stations ran there" in words
    assert str(page.parent) in words


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--start", "1,2"], "--start: 2 numbers; 6 are needed"),
        (["--start=500,0,0,0,0,0"], "joint 1: 500.00 deg outside"),
        (["--baud", "7"], "baud = 7"),
        (["--for", "demo"], "is a platform scenario; --for must be an arm scenario"),
        (["--for", "bkm_on_rm01", "--tool", "50"], "leave --start and --tool out"),
        (["--script", "nowhere.toml"], "--script: nowhere.toml: cannot be read"),
        (["--world", "nowhere"], "--world = 'nowhere'"),
        (["--world", "table"], "robot/wrist_roll would be 12.6 mm inside table"),
        (["--robot", "rm01"], "--robot: is for a world: --world SCENE"),
        (["--for", "bkm_on_rm01", "--robot", "rm01"], "leave --robot out"),
        (["--window", "1,2"], "--window: 2 numbers; 6 are needed"),
        (["--overload", "0"], "overload_s = 0.0: a time above 0 s"),
    ],
)
def test_what_cannot_be_emulated_is_bad_usage(options, words):
    assert words in " ".join(hil("arm", "emulate", *options, status=2).stderr.split())


@pytest.mark.parametrize("verb", ["run", "check", "emulate", "fk", "ik", "advance", "table"])
def test_every_option_of_the_arms_verbs_is_explained(verb):
    import typer.main

    command = typer.main.get_command(app).commands["arm"].commands[verb]
    for option in command.params:
        if not getattr(option, "hidden", False):
            assert option.help, option.name
    assert command.help


@pytest.mark.real_time
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the real clock needs Linux")
def test_a_robot_that_dies_leaves_a_whole_recording_of_a_lost_link(tmp_path):
    scenario = tmp_path / "slow.toml"
    scenario.write_text(SLOW)
    program = [sys.executable, "-m", "hil.cli"]
    robot = subprocess.Popen(
        [*program, "arm", "emulate", "--pty", "--for", str(scenario), "--end-with-input"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    url = robot.stdout.readline().strip()
    command = [*program, "arm", "run", str(scenario), "--arm-link", url, "--out", str(tmp_path)]
    run = subprocess.Popen([*command, "--json"], stdout=subprocess.PIPE, text=True)
    try:
        assert waypoints(tmp_path, run) > 0
        robot.kill()
        told = json.loads(run.communicate(timeout=60)[0])
    finally:
        for process in (run, robot):
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    stream.close()
    assert run.returncode == 1
    assert (told["ok"], told["result"]) == (False, "link lost")
    recording = Recording.open(next(tmp_path.glob("*/recording.mcap")))
    assert not recording.truncated
    assert any("link lost" in event.message for event in recording.events)


def waypoints(folder, process):
    """How many waypoints the run has recorded, as soon as there are some."""
    for _ in range(1000):
        for file in folder.glob("*/recording.mcap"):
            with suppress(RecordingError):  # it is there, and nothing is in it yet
                if cycles := Recording.open(file).cycles:
                    return cycles
        try:
            process.wait(timeout=0.05)
        except subprocess.TimeoutExpired:
            continue
        break
    raise AssertionError("the run sent no waypoint")
