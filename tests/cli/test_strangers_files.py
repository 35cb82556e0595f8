"""A stranger's documents, checked and reported by a person who says nothing else: no file outside.

The judge is the kernel's: every file that this process opens is told by an audit hook.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from fmu_vehicles import OUTPUTS, c_vehicle
from typer.testing import CliRunner

import hil.stations.simulator.sources.fmu as fmu_source
from hil.cli.main import app
from hil.config.file_search import configs_dir
from hil.recording.reader import Recording
from hil.stations.platform.bench.bench import run
from hil.stations.platform.plan.recording_scenario import recorded_table
from hil.stations.platform.plan.scenario import plan_from_table
from hil.stations.platform.report.acceleration_figure import acceleration
from hil.stations.platform.report.view import RunView

ARM = """
station = "arm"
name = "stranger"
clock = "virtual"
{more}
[space_arm]
model = "b"
[mapping]
start = {{ position_m = [0.45, 0.15, 0.75], oat_deg = [90.0, 0.0, 0.0] }}
start_joints_deg = [46.4, 78.1, -218.3, 53.8, 63.8, -31.1]
[source]
frame = "base"
"""
RECORDED = 'kind = "recorded"\nfile = "{}"\n'
RIDING = 'world = "arm_on_platform"\nride = "{}"'
UP = 'kind = "profile"\n[[source.segment]]\nduration_s = 1.0\nvelocity_m_s = [0.0, 0.0, 0.01]\n'
OPENED: list[str] = []


def _hook(event, arguments):
    if event == "open":
        OPENED.append(str(arguments[0]))


sys.addaudithook(_hook)


def said(*arguments):
    """What the program answers, and which files it opened meanwhile."""
    OPENED.clear()
    done = CliRunner().invoke(app, list(map(str, arguments)))
    return done.exit_code, " ".join(done.output.split()), list(OPENED)


@pytest.fixture
def places(tmp_path):
    """A stranger's folder, and a private one beside it."""
    own, private = tmp_path / "own", tmp_path / "private"
    own.mkdir()
    private.mkdir()
    return own, private


@pytest.fixture(scope="module")
def quaked(tmp_path_factory):
    """A recorded run of accelerations, and the file that they were in."""
    folder = tmp_path_factory.mktemp("quaked")
    file, t_s = folder / "secret.csv", np.arange(200) / 100.0
    a = 0.5 * np.sin(np.pi * t_s / t_s[-1]) ** 2 * np.sin(2.0 * np.pi * 1.5 * t_s)
    rows = [f"{t:.2f},{value:.8f}" for t, value in zip(t_s, a, strict=True)]
    file.write_text("\n".join(["t_s,acc_m_s2", *rows]))
    table = recorded_table("paper", file, ["x=acc_m_s2:m_s2"])
    table["motion"]["file"] = file.name
    plan = plan_from_table(
        table,
        folder / "scenario.toml",
        ["rate_hz=100.0", "motion.highpass_hz=0.6", "motion.fade_s=0.5"],
    )
    return run(plan, folder / "runs").recorder.path, file


def velocities(file, speed_m_s=0.01):
    head = "t_s,vx_m_s,vy_m_s,vz_m_s,wx_rad_s,wy_rad_s,wz_rad_s"
    rows = [f"{t},0,0,{v},0,0,0" for t, v in ((0, 0), (1, speed_m_s), (2, speed_m_s), (3, 0))]
    file.write_text("\n".join([head, *rows]))


def test_a_recorded_velocity_is_beside_its_scenario_or_named_by_a_person(places):
    own, private = places
    velocities(private / "key.csv")
    velocities(own / "mine.csv")
    (own / "link.csv").symlink_to(private / "key.csv")
    document = own / "arm.toml"
    for name in ("../private/key.csv", str(private / "key.csv"), "link.csv"):
        document.write_text(ARM.format(more="") + RECORDED.format(name))
        status, text, opened = said("check", document)
        assert status == 2, text
        assert "source.file" in text
        assert "lies outside" in text
        assert not [one for one in opened if "key.csv" in one or "link.csv" in one]
    document.write_text(ARM.format(more="") + RECORDED.format("mine.csv"))
    assert "mine.csv" in said("check", document)[2]  # in its folder, by a descriptor of that
    given = str(private / "key.csv")
    assert "key.csv" in said("check", document, "--set", f"source.file={given}")[2]


def test_a_ride_is_beside_its_scenario(places, quaked):
    own, private = places
    recorded, _ = quaked
    (private / "run").mkdir()
    there = private / "run" / "recording.mcap"
    there.write_bytes(recorded.read_bytes())
    (own / "link").symlink_to(private / "run")
    document = own / "ride.toml"
    for name in ("../private/run", str(there), "link"):
        document.write_text(ARM.format(more=RIDING.format(name)) + UP)
        status, text, opened = said("check", document)
        assert status == 2, text
        assert "ride" in text
        assert "lies outside" in text
        assert not [one for one in opened if "recording.mcap" in one]
    (own / "run").mkdir()
    (own / "run" / "recording.mcap").symlink_to(there)
    document.write_text(ARM.format(more=RIDING.format("run")) + UP)
    status, text, opened = said("check", document)
    assert status == 2
    assert str(there) not in opened


@pytest.mark.parametrize("key", ["listen", "token_file"])
def test_a_run_listens_where_its_document_is(places, key):
    """What is made elsewhere, or read there, is refused before anything is made."""
    own, private = places
    for folder in places:
        (folder / "token").write_text("a" * 64)
        (folder / "token").chmod(0o600)
    by = {"listen": "s.sock", "token_file": "token"} | {key: str(private / "token")}
    source = f'kind = "remote"\nlisten = "{by["listen"]}"\ntoken_file = "{by["token_file"]}"\n'
    (own / "arm.toml").write_text(ARM.format(more="") + source)
    jog = f'{{ kind = "jog", by = {{ {source.strip().replace(chr(10), ", ")} }} }}'
    (own / "jog.toml").write_text(
        f'station = "world"\nname = "jog"\nrobot = "robot_a"\nclock = "real"\nmotion = {jog}\n'
    )
    for name in ("arm", "jog"):
        status, text, opened = said("run", own / f"{name}.toml", "--clock", "real",
                                    "--out", own / "runs")  # fmt: skip
        assert status == 2, text
        assert f"{key} = " in text
        assert "lies outside" in text
        assert str(private / "token") not in opened
        assert not [one for folder in places for one in folder.rglob("*.sock")]


def test_a_digest_in_a_scenario_is_no_trust(places, monkeypatch):
    own, _ = places
    free = 'canHandleVariableCommunicationStepSize="true"'
    path = c_vehicle(own, 2, attributes=free)
    digest = fmu_source.read_description(path).sha256
    outputs = "\n".join(f'{one} = "{one}"' for one in OUTPUTS)
    text = 'name = "fmu"\nstation = "simulator"\nrig = "training_simulator"\nduration_s = 1.0\n'
    text += f'[source]\nkind = "fmu"\nfile = "{path.name}"\nsha256 = "{digest}"\n'
    document = own / "ride.toml"
    document.write_text(f'{text}[source.outputs]\n{outputs}\n[cueing]\npreset = "tight"\n')
    begun = []
    monkeypatch.setattr(fmu_source, "ModelProcess", begun.append)
    for more in ((), ("--set", f"source.sha256={digest}")):
        status, told, _ = said("check", document, *more)
        assert status == 1, told
        assert "--trust" in told
        assert not begun


def test_the_changes_of_a_part_open_nothing_outside_when_they_are_checked(places):
    own, private = places
    shipped = configs_dir() / "motions" / "ground_motion.csv"
    (private / "key.csv").write_bytes(shipped.read_bytes())
    changes = [f"motion.file={private / 'key.csv'}"]
    (own / "both.toml").write_text(
        'station = "together"\nname = "both"\n'
        f'[[part]]\nname = "a"\nscenario = "ground_motion"\nchanges = {json.dumps(changes)}\n'
        '[[part]]\nname = "b"\nscenario = "demo"\n'
    )
    status, text, opened = said("check", own / "both.toml")
    assert status == 2, text
    assert "lies outside" in text
    assert str(private / "key.csv") not in opened


def test_what_everybody_says_of_a_clock_opens_no_link_of_that_name(places):
    own, private = places
    shipped = configs_dir() / "scenarios" / "ground_motion.toml"
    (private / "key.csv").write_bytes(
        (configs_dir() / "motions" / "ground_motion.csv").read_bytes()
    )
    (own / "virtual").symlink_to(private / "key.csv")
    text = shipped.read_text().replace("../motions/ground_motion.csv", "virtual")
    (own / "quake.toml").write_text(text.replace("../rigs/paper.toml", "paper"))
    status, told, opened = said("check", own / "quake.toml", "--set", "clock=virtual")
    assert status == 2, told
    assert "lies outside" in told
    assert str(private / "key.csv") not in opened


def test_a_report_opens_nothing_where_the_recording_says_that_it_lay(places, quaked):
    own, _ = places
    recorded, file = quaked
    (own / "recording.mcap").write_bytes(Path(recorded).read_bytes())
    view = RunView.of(Recording.open(own))
    OPENED.clear()
    picture = acceleration(view)
    assert picture is not None
    assert "secret.csv, is not beside the recording" in picture.caption
    assert not [one for one in OPENED if "secret.csv" in one]
    (own / file.name).write_bytes(file.read_bytes())
    beside = acceleration(view)
    assert beside is not None
    assert "before anything was taken from it" in beside.caption
