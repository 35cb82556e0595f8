"""The command line as a user or a script meets it."""

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest
from bench_plans import PAPER
from campaign import share_of
from typer.testing import CliRunner

from hil.cli import main as main_module
from hil.cli.main import app
from hil.config.file_search import configs_dir
from hil.machines.rig.machine import gate_limits, load_rig
from hil.recording.reader import Recording
from hil.run.end import Ran
from hil.stations.platform.run import runner as runner_module

runner = CliRunner()
SLOWLY = ["--set", "rate_hz=125"]
QUICK = ["--set", "motion.duration_s=1", "--set", "motion.fade_s=0.5", *SLOWLY]
RUN_KEYS = {
    "ok", "mode", "verdicts", "stroke_min_m", "stroke_max_m", "length_min_m", "length_max_m",
    "leg_speed_max_m_s", "tracking_error_max_m", "lateness_us", "overruns", "recording",
    "recording_sha256", "link",
}  # fmt: skip


pytestmark = pytest.mark.usefixtures("unpainted")


def hil(*arguments, status=0):
    result = runner.invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == status, result.output + repr(result.exception)
    return result


def as_json(*arguments, status=0):
    """Exactly one JSON object on standard output, nothing else."""
    lines = hil(*arguments, "--json", status=status).stdout.splitlines()
    assert len(lines) == 1, lines
    return json.loads(lines[0])


def test_run_report_export(tmp_path):
    told = as_json("run", "heave", "--out", tmp_path, "--report", *QUICK)
    assert set(told) >= RUN_KEYS
    assert told["ok"] is True
    assert told["verdicts"] == []
    assert told["link"] == {}, "there is none"
    assert 0.9 < told["length_min_m"] < told["length_max_m"] < 1.1
    assert told["length_min_m"] - told["stroke_min_m"] == pytest.approx(0.64)
    assert set(told["lateness_us"]) == {"p50", "p99", "max"}
    assert len(told["recording_sha256"]) == 64
    folder = Path(told["recording"]).parent
    page = folder / "report.html"
    assert told["report"] == str(page)
    assert "completed" in page.read_text().lower()

    assert as_json("report", folder)["report"] == str(page)
    exported = as_json("export", folder, "--to", "csv")
    rows = Path(exported["csv"]).read_text().splitlines()
    assert len(rows) == exported["rows"] + 1 == told["cycles"] + 1


@pytest.mark.parametrize(
    ("words", "clock"),
    [
        (("--operator",), "real"),
        (("--operator", "--clock", "virtual"), "virtual"),
        ((), None),
    ],
)
def test_an_operator_takes_the_real_clock_if_none_is_named(monkeypatch, words, clock):
    asked = []
    end = SimpleNamespace(ok=True, recorder=SimpleNamespace(path="", parts=1), losses=(),
                          warnings=(), reason="", outcome="completed")  # fmt: skip
    ran = Ran(end=end, values={}, show=lambda: None)
    monkeypatch.setattr("hil.service.run", lambda station, request: asked.append(request) or ran)
    monkeypatch.setattr(main_module, "station_of_kind", lambda kind: SimpleNamespace(options=()))
    monkeypatch.setattr(main_module, "refuse_foreign", lambda *others: None)
    assert runner.invoke(app, ["run", "demo", *words]).exit_code == 0
    assert [one.clock for one in asked] == [clock]
    assert asked[0].operator == bool(words)


def test_a_ctrl_c_once_the_run_is_over_does_not_take_its_result_away(tmp_path, monkeypatch):
    gathered = runner_module.evidence_of

    def impatient(*arguments):
        os.kill(os.getpid(), signal.SIGINT)
        return gathered(*arguments)

    monkeypatch.setattr(runner_module, "evidence_of", impatient)
    # A suite started in the background inherits a Ctrl-C that is ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        told = as_json("run", "heave", "--out", tmp_path, *QUICK)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert (told["ok"], told["outcome"]) == (True, "completed")


def test_two_runs_tell_the_same_hash(tmp_path):
    first, second = (as_json("run", "circle", "--out", tmp_path, *QUICK) for _ in range(2))
    assert first["recording_sha256"] == second["recording_sha256"]
    assert first["recording"] != second["recording"]


def test_a_tripped_run_says_why_and_exits_1(tmp_path):
    told = as_json("run", "leaves_envelope", "--out", tmp_path, *SLOWLY, status=1)
    assert told["ok"] is False
    assert told["mode"] == "FAULT"
    assert told["verdicts"][0]["check"] == "braking"
    assert {"t_s", "leg", "value", "limit", "unit", "message"} <= set(told["verdicts"][0])


def test_check_tells_all_that_is_wrong(tmp_path):
    told = as_json("check", "leaves_envelope", *SLOWLY, status=1)
    assert told["ok"] is False
    assert {violation["leg"] for violation in told["violations"]} >= {3, 4}
    assert all(violation["quantity"] == "length" for violation in told["violations"])
    assert as_json("check", "heave", *QUICK)["violations"] == []


def test_check_names_what_a_faster_motion_breaks():
    faster = ["--set", "motion.terms.0.frequency_hz=1.2"]
    told = as_json("check", "heave", *faster, *SLOWLY, status=1)
    assert {"speed", "acceleration"} >= {v["quantity"] for v in told["violations"]} != set()


@pytest.fixture
def rig_with_stop(tmp_path):
    """The shipped rig with its emergency stop wired to the drives' inputs."""
    text = Path(PAPER).read_text(encoding="utf-8")
    assert text.count("estop_fitted = false") == 1
    path = tmp_path / "stoppable.toml"
    path.write_text(text.replace("estop_fitted = false", "estop_fitted = true"), encoding="utf-8")
    return path


def test_a_rig_with_an_emergency_stop_can_be_checked_and_tried_without_its_drives(
    rig_with_stop, tmp_path
):
    """Simulated cylinders have no inputs to read it from; drives on a wire have, and must."""
    on_rig = ["--set", f"rig={rig_with_stop}", *QUICK]
    assert as_json("check", "heave", *on_rig)["violations"] == []
    wired = ["--set", "devices.drives=modbus-tcp://127.0.0.1:9", "--set", "clock=real"]
    assert as_json("check", "heave", *on_rig, *wired)["violations"] == []
    told = as_json("run", "heave", "--out", tmp_path / "runs", *on_rig)
    assert (told["outcome"], told["verdicts"]) == ("completed", [])
    rig = load_rig(rig_with_stop)
    assert not gate_limits(rig, 0.004, wired=False).estop_fitted
    assert gate_limits(rig, 0.004).estop_fitted


def test_the_real_clock_refuses_an_unproved_motion_before_it_moves(tmp_path):
    result = hil("run", "leaves_envelope", "--clock", "real", "--out", tmp_path, status=1)
    assert "nothing has moved" in result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "nowhere"], "no such file"),
        (["run"], "SCENARIO is needed"),
        (["run", "demo", "--rig", "paper"], "not both"),
        (["run", "demo", "--set", "rate_hz"], "key=value"),
        (["run", "demo", "--set", "rate_hz=5"], "rate_hz = 5"),
        (["run", "demo", "--clock", "wall"], "clock = 'wall'"),
        (["check", "--rig", "paper", "--motion", "nowhere.csv", "--map", "x=a_m"], "no such file"),
        (["platform", "ik", "paper", "--pose", "1,2,3"], "6 are needed"),
        (["platform", "ik", "paper", "--pose", "nan,0,1,0,0,0"], "no finite number"),
        (["platform", "ik", "paper", "--pose", "50,0,900,0,0,0"], "in metres"),
        (["platform", "fk", "paper", "--lengths", "1,1,1,1,1,x"], "no finite number"),
        (["export", ".", "--to", "xlsx"], "there is csv"),
        (["schema", "roboter"], "rig, drive, cylinders, design, robot, arm, cueing, host, ride"),
    ],
)
def test_bad_usage_exits_2_with_a_reason(arguments, words):
    result = hil(*arguments, status=2)
    assert words in " ".join(result.stderr.split())
    assert "Traceback" not in result.output


def test_bad_usage_with_json_is_one_json_object():
    told = as_json("run", "nowhere", status=2)
    assert told["ok"] is False
    assert "no such file" in told["error"]


def test_usage_that_is_not_understood_is_one_json_object_too():
    command = [sys.executable, "-m", "hil.cli", "platform", "fk", "paper", "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert json.loads(done.stdout)["ok"] is False
    assert "--lengths" in done.stderr


def test_a_path_is_printed_as_it_is(tmp_path):
    told = as_json("run", "circle", "--out", tmp_path / "a[bold]b", *QUICK)
    assert Path(told["recording"]).is_file()
    assert "a[bold]b" in hil("export", Path(told["recording"]).parent).stdout.replace("\n", "")


COALINGA = Path(__file__).parents[3] / "shared" / "data" / "quake_coalinga1983_3axis.csv"


@pytest.mark.skipif(not COALINGA.is_file(), reason="the Coalinga record is not here")
def test_the_coalinga_record_is_replayed_one_to_one(tmp_path):
    arguments = ["--rig", PAPER, "--motion", COALINGA]
    arguments += ["--map", "x=disp_north_m,y=disp_east_m,z=disp_up_m"]
    arguments += ["--set", "rate_hz=125"]  # the record has 50 values a second
    checked = as_json("check", *arguments)
    assert checked["ok"] is True
    assert checked["violations"] == []
    told = as_json("run", *arguments, "--out", tmp_path, "--set", "check_first=false")
    assert told["ok"] is True
    for figures in (checked, told):
        assert round(figures["length_min_m"], 3) == 0.947
        assert round(figures["length_max_m"], 3) == 1.041
        assert figures["leg_speed_max_m_s"] <= 0.21


def test_a_run_folder_that_is_none_is_refused(tmp_path):
    assert "cannot be read" in hil("report", tmp_path, status=2).stderr


def test_out_that_cannot_be_written_is_refused(tmp_path):
    place = tmp_path / "file"
    place.write_text("")
    result = hil("run", "heave", "--out", place, *QUICK, status=2)
    assert "nothing has moved" in result.stderr


def test_ik_and_fk_are_each_others_inverse():
    pose = "0.05,-0.03,0.9,4,-6,8"
    lengths = as_json("platform", "ik", "paper", "--pose", pose)["lengths_m"]
    assert lengths[0] == pytest.approx(1.023692732, abs=1e-9)
    text = ",".join(repr(length) for length in lengths)
    told = as_json("platform", "fk", PAPER, "--lengths", text)
    assert told["converged"] is True
    assert list(told["pose"].values()) == pytest.approx([0.05, -0.03, 0.9, 4, -6, 8], abs=1e-9)
    assert told["residual_m"] < 1e-9


def test_ik_gives_speeds_and_what_is_outside():
    told = as_json("platform", "ik", "paper", "--rates", "0,0,0.1,0,0,0")
    assert told["speeds_m_s"] == pytest.approx([0.1 * 0.935 / 1.002901283] * 6, abs=1e-9)
    far = as_json("platform", "ik", "paper", "--pose", "0,0,1.5,0,0,0", status=1)
    assert "length 1.5" in far["violations"][0]


def test_impossible_lengths_are_no_pose():
    told = as_json("platform", "fk", "paper", "--lengths", "0.1,5,0.1,5,0.1,5", status=1)
    assert told["converged"] is False
    assert told["pose"] is None
    assert told["reason"]


def test_extremes_and_sample(tmp_path):
    told = as_json("platform", "extremes", "paper")
    assert told["min_m"] == pytest.approx(0.596954602, abs=1e-6)
    assert told["max_m"] == pytest.approx(1.436976831, abs=1e-6)
    drawn = as_json("platform", "sample", "paper", "--seed", "3", "--out", tmp_path)
    assert drawn["min_m"] == pytest.approx(0.64, abs=0.05)
    assert drawn["max_m"] == pytest.approx(1.38, abs=0.05)
    assert drawn["written"]
    assert all(Path(path).is_file() for path in drawn["written"])
    assert as_json("platform", "sample", "paper", "--seed", "3")["min_m"] == drawn["min_m"]


def test_a_recorded_file_needs_no_scenario(tmp_path):
    path = configs_dir() / "motions" / "street_ride.csv"
    maps = "t=time_ms,x=surge_mm,y=sway_mm::0:-1,gamma=roll_deg"
    told = as_json("check", "--rig", "paper", "--motion", path, "--map", maps, *SLOWLY)
    assert told["ok"] is True
    assert told["duration_s"] == pytest.approx(19.0, abs=0.2)


SLOW = [
    "--set", "rig_settings.slow_moves.speed_m_s=0.4",
    "--set", "rig_settings.slow_moves.acceleration_m_s2=1.0",
    "--set", "rig_settings.slow_moves.jerk_m_s3=10",
    "--set", "motion.duration_s=600",
    "--set", "recording.min_free_mb=1",
    "--set", "check_first=false",
    # The lateness of a busy test machine is not what is tested here.
    "--set", "rig_settings.supervision.late_cycles_max=10",
]  # fmt: skip


@pytest.fixture
def real_run(tmp_path):
    """A run against the real clock in a process of its own, with its recording begun."""
    command = [sys.executable, "-m", "hil.cli", "run", "real_time", "--out", str(tmp_path), *SLOW]
    command += ["--set", "rate_hz=100"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ
    )
    assert process.stderr is not None
    while "running for about" not in (line := process.stderr.readline()):
        assert line, "the run ended early"
    yield process, tmp_path
    process.kill()
    process.communicate()


def wait_for(process, folder: Path, wanted) -> Recording:
    """The recording, once `wanted(recording)` holds; it is read again while it is being written."""
    for _ in range(1000):
        for file in folder.glob("*/recording.mcap"):
            recording = Recording.open(file)
            if wanted(recording):
                return recording
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=0.05)
    raise AssertionError("waited in vain")


def engaged(recording: Recording) -> bool:
    return any(event.data.get("mode") == "ENGAGED" for event in recording.events)


@pytest.mark.real_time
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the real clock needs Linux")
@pytest.mark.campaign
@pytest.mark.parametrize("number", share_of((signal.SIGTERM, signal.SIGHUP, signal.SIGINT)))
def test_a_signal_in_mid_motion_parks_then_exits(real_run, number):
    process, folder = real_run
    file = wait_for(process, folder, engaged).path
    process.send_signal(number)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 0, output
    assert "stopped" in output
    recording = Recording.open(file)
    assert not recording.truncated
    modes = [event.data["mode"] for event in recording.events if "mode" in event.data]
    # A platform that just stands still goes to parking without a stop first.
    after = modes[modes.index("ENGAGED") + 1 :]
    assert after in (
        ["CSTOP", "HOLD", "PARKING", "STANDBY", "OFF"],
        ["PARKING", "STANDBY", "OFF"],
    )


@pytest.mark.real_time
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the real clock needs Linux")
def test_after_kill_9_the_recording_is_whole_up_to_the_end(real_run):
    process, folder = real_run
    wait_for(process, folder, engaged)
    process.kill()
    process.wait()
    # The recorder outlives its parent and finishes the file.
    idle = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        recording = wait_for(idle, folder, lambda recording: not recording.truncated)
    finally:
        idle.kill()
        idle.communicate()
    assert recording.cycles > 100
    assert recording.gaps == ()


def recorder_of(process) -> int:
    """The recorder among the children of a run."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    for child in children:
        if b"hil.recording.process" in Path(f"/proc/{child}/cmdline").read_bytes():
            return int(child)
    raise AssertionError("no recorder")


@pytest.mark.real_time
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the real clock needs Linux")
def test_a_killed_recorder_is_succeeded_and_the_end_of_all_is_among_the_first_lines(real_run):
    process, folder = real_run
    wait_for(process, folder, engaged)
    session = recorder_of(process)
    os.kill(session, signal.SIGKILL)
    goes_on = "the recorder was killed; recording-2.mcap goes on"
    recording = wait_for(
        process, folder, lambda run: any(event.message == goes_on for event in run.events)
    )
    assert [part.name for part in recording.parts] == ["recording.mcap", "recording-2.mcap"]
    assert recording.column("index").tolist() == list(range(recording.cycles)), "nothing is lost"
    assert (recording.gaps, recording.losses) == ((), ())

    os.killpg(session, signal.SIGKILL)  # the second one, and whoever would come after it
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    first, second, *_, last = output.splitlines()
    assert first.startswith("stopped")
    assert second.startswith("recording failed: recorder process ended early")
    assert last.startswith("exit status 1: recording failed")
    assert "recording.mcap (and 1 more" in output
    assert process.returncode == 1
