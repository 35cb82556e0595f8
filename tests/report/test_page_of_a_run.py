"""The page of runs that the bench itself has made: what it records is what the page reads."""

from pathlib import Path

import pytest

from hil.config.file_search import configs_dir
from hil.recording.reader import Recording
from hil.report.page import write_report
from hil.stations.platform.bench.bench import run
from hil.stations.platform.plan.scenario import Plan, plan_from_table
from hil.stations.platform.report.view import RunView

HEAVE = {
    "kind": "multi_sine",
    "duration_s": 1.0,
    "fade_s": 0.5,
    "terms": [{"axis": "z", "amplitude_m": 0.02, "frequency_hz": 0.8}],
}


def short_plan(**keys: object) -> Plan:
    rig = str(configs_dir() / "rigs" / "paper.toml")
    table = {"name": "short", "rig": rig, "motion": HEAVE, "rate_hz": 250.0}
    return plan_from_table(table | keys, Path("short.toml"))


@pytest.mark.usefixtures("unpainted")
def test_a_run_that_completes(tmp_path: Path) -> None:
    result = run(short_plan(), tmp_path)
    assert result.ok
    recording = Recording.open(result.recorder.path)
    view = RunView.of(recording)
    assert view.notes == ()
    assert {phase.mode for phase in view.phases} >= {"HOMING", "ENGAGING", "ENGAGED", "PARKING"}
    text = write_report(recording, tmp_path).read_text(encoding="utf-8")
    assert "COMPLETED: short on paper" in text
    assert "SIMULATED paper (sim:)" in text
    assert "not as it should be" not in text
    assert result.recorder.sha256 is not None
    assert result.recorder.sha256 in text


@pytest.mark.usefixtures("coarse")
def test_a_run_that_trips_gives_the_gates_reason_and_the_stop(tmp_path: Path) -> None:
    fault = {"kind": "drive_fault", "leg": 1, "value": 12816.0, "start_s": 5.6}
    result = run(short_plan(faults=[fault]), tmp_path)
    assert not result.ok
    recording = Recording.open(result.recorder.path)
    verdict = RunView.of(recording).verdict
    assert verdict.ending.name == "TRIPPED"
    assert result.reason in verdict.reason
    write_report(recording, tmp_path)
    assert (tmp_path / "pictures" / "stop.png").stat().st_size > 2000
