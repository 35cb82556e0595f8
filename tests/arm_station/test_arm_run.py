"""Both arms through a motion, in virtual time, against the emulated robot on its bytes."""

import json
import math
import signal
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from arm_driver.link_states import StreamResult
from hil.cli.main import app
from hil.config.errors import RefusedError
from hil.config.settings import ConfigError
from hil.recording.recorder import RecorderStatus
from hil.stations.arm.plan.scenario import arm_plan_from_table
from hil.stations.arm.run.bench import prepare_plan, run_arm
from sim.devices.arm.faults import parse_arm_words

# Motions that several tests share are prepared once, all of them in one worker.
pytestmark = pytest.mark.xdist_group("both arms")

runner = CliRunner()
SHORT = {
    "station": "arm",
    "name": "short",
    "space_arm": {"model": "b"},
    "source": {
        "kind": "profile",
        "frame": "base",
        "segment": [
            {"duration_s": 4.0, "velocity_m_s": [0.0, 0.02, 0.03]},
            {"duration_s": 3.0, "velocity_m_s": [0.02, 0.0, -0.02], "rate_rad_s": [0, 0, 0.02]},
        ],
    },
}


def plan_of(*overrides, table=SHORT):
    return arm_plan_from_table(json.loads(json.dumps(table)), Path("short.toml"), overrides)


@pytest.fixture(scope="module")
def prepared():
    return prepare_plan(plan_of())


def run_with(prepared, tmp_path, *faults):
    faults = tuple(parse_arm_words(fault.split()) for fault in faults)
    return run_arm(prepared, tmp_path, faults=faults)


def test_a_dry_run_completes_and_every_waypoint_is_answered_in_time(prepared, tmp_path):
    result = run_with(prepared, tmp_path)
    assert result.ok
    assert result.end.result is StreamResult.COMPLETED
    assert result.end.reason == ""
    assert result.end.waypoints == len(prepared.steps)
    counts = result.end.report.counts
    assert (counts.repeats, counts.empty_slot, counts.late_answers, counts.checksum_errors) == (
        0, 0, 0, 0,
    )  # fmt: skip
    assert result.recorder.status is RecorderStatus.DONE
    assert "SIMULATED" in result.robot


@pytest.mark.usefixtures("searched_anew")
def test_two_dry_runs_are_the_same_bit_for_bit(prepared, tmp_path):
    first = run_with(prepared, tmp_path)
    again = run_with(prepare_plan(plan_of()), tmp_path)
    assert first.recorder.sha256 == again.recorder.sha256 is not None


def test_the_robot_does_what_the_space_arm_does(prepared):
    """Ways and turns from the start, each in its gripper's own axes, are equal but for the fit."""
    mapping = prepared.mapping
    assert np.abs(prepared.offset_m).max() < 1e-3
    assert not prepared.offset_m[[0, -1]].any(), "the start and the end are those of the motion"
    for step in prepared.steps[::5]:
        moved = mapping.X_RT0.inverse() @ step.X_RT
        simulated = mapping.X_WG0.inverse()
        rotation = simulated.rotation @ step.snapshot.rotation_BG
        place = step.snapshot.position_BG_m + prepared.offset_m[step.index]
        position = simulated.rotation @ place + simulated.position_m
        np.testing.assert_allclose(moved.position_m, position, atol=1e-12)
        np.testing.assert_allclose(moved.rotation, rotation, atol=1e-12)


def test_the_emulated_robot_ends_where_it_should(prepared, tmp_path):
    result = run_with(prepared, tmp_path)
    measured = result.end.report.measured
    assert measured is not None
    last = prepared.steps[-1].X_RT
    assert math.dist(measured.X_RT.position_m, last.position_m) < 5e-4


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("source.segment.0.velocity_m_s=[0,0,0.09]", r"0\.09 m/s, more than 0\.05 m/s"),
        ("mapping.start_joints_deg=[0,45,-135,0,45,0]", "belong together"),
        ("space_arm.payload=moon", "light, heavy"),
        (
            "space_arm.start_deg=[10,145.1,-90,25,20,0]",
            r"short.*space_arm\.start_deg\.1 = 145\.1 deg: shoulder_pitch of bkm moves from -2 to "
            "145 deg",
        ),
        ("devices.arm=serial:/dev/ttyS0", "real"),
        ("devices.arm=carrier-pigeon:", "devices.arm"),
        ("source.segment.0.duration_s=nan", "duration_s"),
    ],
)
def test_what_cannot_be_is_refused_with_what_would_be_right(override, words):
    with pytest.raises((RefusedError, ConfigError), match=words):
        prepare_plan(plan_of(override))


def test_a_place_out_of_reach_is_refused_before_the_first_byte():
    table = SHORT | {
        "mapping": {
            "start": {"position_m": [0.95, 0.15, 0.9], "oat_deg": [90.0, 0.0, 0.0]},
            "start_joints_deg": [0.0, 45.0, -135.0, 0.0, 45.0, 0.0],
        }
    }
    with pytest.raises(RefusedError, match=r"rm01.*(out of reach|outside)"):
        prepare_plan(plan_of(table=table))


def test_a_motion_into_a_limit_of_the_space_arm_never_gets_there_or_is_refused():
    """The programmed rates slow down before a limit, so the motion ends early, at rest."""
    far = plan_of("source.segment.0.duration_s=80", "source.segment.0.velocity_m_s=[0,0,0.045]",
                  "longest_s=30")  # fmt: skip
    with pytest.raises(RefusedError, match="not come to rest after 86 waypoints"):
        prepare_plan(far)


def test_the_operators_wish_brings_both_arms_to_rest(prepared, tmp_path, monkeypatch):
    from hil.timing.stop import StopSignals

    class AtThree(StopSignals):
        def __init__(self):
            super().__init__()
            self.looks = 0

        @property
        def asked(self):
            self.looks += 1
            return signal.SIGINT if self.looks > 300 else None

    monkeypatch.setattr("hil.run.run.StopSignals", AtThree)
    result = run_with(prepared, tmp_path)
    assert result.end.result is StreamResult.CANCELLED
    assert "operator" in result.end.reason
    assert 0 < result.end.waypoints < len(prepared.steps)


def test_the_command_line(tmp_path):
    answer = runner.invoke(
        app, ["run", "bkm_on_rm01", "--out", str(tmp_path), "--json",
              "--set", "source.segment.1.duration_s=3"],
    )  # fmt: skip
    told = json.loads(answer.stdout)
    assert answer.exit_code == 0, answer.output
    assert told["result"] == "completed"
    assert told["sent"] == told["waypoints"]
    assert "SIMULATED" in told["robot"]
    checked = runner.invoke(app, ["check", "bkm_on_rm01", "--json"])
    assert json.loads(checked.stdout)["ok"]
    lost = runner.invoke(
        app, ["run", "bkm_on_rm01", "--out", str(tmp_path), "--arm-link", "serial:/dev/nothing"]
    )
    assert lost.exit_code == 1
    assert "--fallback sim" in lost.output
