"""Motions of somebody else's distribution, whose code is that of an example."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import third_party
from third_bench import SWING, hil, plan_of, scenario, table_of
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.errors import ConfigError
from hil.panel.scenarios.models.form import FormModel
from hil.recording.reader import Recording
from hil.run import registry
from hil.stations.platform.plan.motion_build import motion_of
from hil.stations.platform.plan.scenario import Plan

pytestmark = pytest.mark.usefixtures("third_parts")


def test_its_motion_is_played_and_the_recording_tells_whose_and_how(tmp_path):
    status, told = hil("run", scenario(tmp_path, SWING), "--out", tmp_path)
    assert (status, told["outcome"]) == (0, "completed")
    recording = Recording.open(Path(told["recording"]))
    assert recording.scenario["scenario"]["motion"] == SWING | {"swings": 3}
    code = recording.metadata["run"]["motion_code"]
    assert code.startswith("swing of hil-parts 1.0 ")
    assert "sha256:" in code
    inside = recording.column("mode") == recording.modes.index("ENGAGED")
    t_s = recording.t_s[inside][1:] - recording.t_s[inside][1]  # of the first cycle asks the rise
    up_m = recording.column("wanted_pose")[inside][1:, 2]
    played = t_s < 2.0
    s = np.sin(np.pi * t_s[played] / 2.0)
    law_m = 0.03 * s**4 * np.sin(3.0 * np.pi * t_s[played])
    assert np.abs(law_m).max() > 0.02
    assert up_m[played] - up_m[0] == pytest.approx(law_m, abs=1e-9)


def test_it_is_proved_like_ours(tmp_path):
    assert hil("check", scenario(tmp_path, SWING))[0] == 0
    status, told = hil("check", scenario(tmp_path, SWING | {"height_m": 0.5}))
    assert (status, told["ok"], told["fit"]) == (1, False, None)
    said = CliRunner().invoke(app, ["check", str(scenario(tmp_path, SWING | {"height_m": 0.5}))])
    assert said.stdout.splitlines()[-1].startswith("what would make it fit is not looked for")


@pytest.mark.parametrize(
    ("motion", "words"),
    [
        (SWING | {"height": 0.1}, "motion.height = 0.1: unknown key"),
        (SWING | {"height_m": 0.6}, "motion.height_m = 0.6: should be less than or equal to 0.5"),
        (SWING | {"swings": True}, "motion.swings = True"),
        ({"kind": "swing"}, "motion.height_m is left out"),
        (SWING | {"swings": 11}, "'swing' of hil-parts 1.0 cannot be made: MotionError: swings"),
        ({"kind": "swin"}, "'legs', 'rubbish', 'swing'"),
        ({"kind": "absent"}, "'absent' of hil-parts 1.0 cannot be used: parts_rubbish:NOWHERE"),
        ({"kind": "swung"}, "SwingSettings needs a field kind: Literal['swung']"),
        ({"kind": "text"}, "is a str; it must be a"),
        ({"kind": "hold"}, "motion.duration_s is left out"),
    ],
)  # fmt: skip
def test_its_parameters_are_checked_by_its_own_model(motion, words):
    with pytest.raises(ConfigError) as caught:
        motion_of(plan_of(motion))
    assert words in str(caught.value)


def test_a_plan_with_it_round_trips_and_its_schema_is_ours():
    one = plan_of(SWING)
    assert Plan.build(json.loads(one.model_dump_json()), "again") == one
    schema = json.loads(CliRunner().invoke(app, ["schema", "scenario"]).stdout)
    assert schema["$defs"]["SwingSettings"]["properties"]["height_m"]["unit"] == "m"
    assert "swing" in json.dumps(schema["properties"]["motion"])


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("none", "at t = 1.252 s returned None; it must be a PlatformSetpoint"),
        ("text", "at t = 1.252 s returned 'up'"),
        ("array", "at t = 1.252 s returned array([0., 0."),
        ("list", "at t = 1.252 s returned [0.0, 0.0"),
        ("nan", "at t = 1.252 s returned no sound setpoint: PoseError: [0.0, 0.0, 0.9, 1.0, "),
        ("infinite", "at t = 1.252 s returned no sound setpoint: PoseError: [0.0, 0.0, 0.9, 1.0, "),
        ("stretched", "at t = 1.252 s returned no sound setpoint: PoseError: rotation"),
        (
            "short",
            "at t = 1.252 s returned no sound setpoint: PoseError: packed has the shape (18,)",
        ),
        ("hollow", "at t = 1.252 s returned no sound setpoint: AttributeError"),
        ("raises", "at t = 1.252 s raised KeyError: 'no such row'"),
        ("leaves", "at t = 1.252 s raised SystemExit: 3"),
        ("coordinates", "at t = 1.252 s raised PoseError: coordinates: shapes [(5,)"),
        ("moving", "at t = 0 s moves at 0.01 m/s"),
        ("endless", "has duration_s = inf; it must be a finite number of at least 0 s"),
        ("backwards", "has duration_s = -1.0"),
        ("timeless", "has duration_s = None"),
        ("unmade", "cannot be made: RuntimeError: cannot be built today"),
        ("nothing", "cannot be made: AttributeError"),
    ],
)
@pytest.mark.parametrize("verb", ["run", "check"])
def test_rubbish_is_refused_by_name_and_time_before_anything_moves(tmp_path, verb, what, words):
    file = scenario(tmp_path, {"kind": "rubbish", "what": what})
    folder = ["--out", tmp_path / "runs"] if verb == "run" else []
    status, told = hil(verb, file, *folder)
    assert status == 2
    assert told["error"].startswith(f"{file}: motion 'rubbish' of hil-parts 1.0 ")
    assert words in told["error"]
    assert not (tmp_path / "runs").exists()


def test_rubbish_that_hides_from_the_trial_stops_the_run_with_its_words(tmp_path):
    file = scenario(tmp_path, {"kind": "rubbish", "what": "once"})
    status, told = hil("run", file, "--set", "rate_hz=200.0", "--out", tmp_path)
    assert (status, told["outcome"], told["mode"]) == (1, "failed", "HOLD")
    assert (
        "motion 'rubbish' of hil-parts 1.0 at t = 1.25 s returned 'late rubbish'"
        in (told["reason"])
    )


def test_a_recording_of_its_motion_is_read_where_it_is_not_installed(tmp_path):
    _, told = hil("run", scenario(tmp_path, SWING), "--out", tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "hil.cli", "report", told["recording"], "--json"],
        env=third_party.environment(), capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    page = Path(json.loads(done.stdout)["report"]).read_text("utf-8")
    assert "kind = &#39;swing&#39;: must be one of" in page
    assert "COMPLETED" in page


def test_a_form_shows_its_keys_and_refuses_what_its_model_refuses():
    kind = registry.station_named("platform", "here").scenarios
    form = FormModel(kind, table_of(SWING))
    motion = next(one for one in form.children(form.root) if one.key == "motion")
    keys = {one.key: one for one in form.children(motion)}
    assert {*keys} == {"kind", "height_m", "swings", "duration_s"}
    assert (keys["height_m"].value, keys["height_m"].unit) == (0.03, "m")
    assert "swing" in keys["kind"].options
    kind.check(table_of(SWING), Path("theirs.toml"))
    with pytest.raises(ConfigError, match="'rubbish' of hil-parts"):
        kind.check(table_of({"kind": "rubbish", "what": "nan"}), Path("theirs.toml"))
