"""What was touched in a simulated world: in the recording, on the report's page, from the gate."""

import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from rack_bench import shown, told

from drives.bank import BankEnd
from hil.config.file_search import find_file
from hil.ipc.ring import Ring
from hil.machines.rig.machine import gate_limits
from hil.recording.reader import Recording
from hil.run.station import Request
from hil.stations.platform.bench.bench import run
from hil.stations.platform.cycle.supervisor import Outcome
from hil.stations.platform.cycle.touches import touch_events, touch_line, touches_of
from hil.stations.platform.drives.setup import bank_spec
from hil.stations.platform.fit.command import command_line
from hil.stations.platform.gate.process import _push_end
from hil.stations.platform.gate.remote import RemoteGate
from hil.stations.platform.gate.status import STATUS_SLOT_BYTES, STATUS_SLOTS
from hil.stations.platform.plan.motion_build import motion_of
from hil.stations.platform.plan.scenario import plan_from_table
from hil.stations.platform.proof.check import check_plan
from hil.stations.platform.report.touch_figure import _forces, touches
from hil.stations.platform.report.view import RunView
from hil.timing.clock import Tick

FREE_M = 0.09
"""Between the platform at its neutral height and the beam."""
TOUCHED = (
    ("beam on rig/platform", 1.25, 0.01, (0.0, 812.5, 90.0)),
    ("beam on rig/platform", 3.0, 0.02, (4.5,) * 100),
)


def plan(frequency_hz, world="beam_over_platform", amplitude_m=0.12):
    term = {"axis": "z", "amplitude_m": amplitude_m, "frequency_hz": frequency_hz}
    motion = {"kind": "multi_sine", "duration_s": 6.0, "terms": [term]}
    table = {"name": "tap", "rig": "paper", "motion": motion, "rate_hz": 250.0, "world": world}
    return plan_from_table(table, Path("test"))


@pytest.fixture(scope="module")
def stopped(tmp_path_factory):
    """A heave under a beam, and its recording."""
    result = run(plan(0.4), tmp_path_factory.mktemp("beam"))
    return result, Recording.open(result.recorder.path)


def test_the_gate_stops_all_six_and_names_the_beams_two_legs(stopped):
    result, _ = stopped
    assert result.outcome is Outcome.TRIPPED
    assert {found.leg for _, found in result.violations} == {1, 6}
    assert result.mode.name in ("OFF", "FAULT")


def test_the_recording_tells_force_and_time_of_the_touch(stopped):
    _, recording = stopped
    ((between, start_s, step_s, forces_n),) = touches_of(recording.events)
    assert (between, step_s) == ("beam on rig/platform", 0.01)
    # The row of a cycle has its beginning as time, and what was measured at its end.
    ends_s, height_m = recording.column("t_s") + 0.004, recording.column("reached_pose")[:, 2]
    seen = np.isfinite(height_m)
    at_m = np.interp(start_s, ends_s[seen], height_m[seen])
    assert at_m == pytest.approx(0.935 + FREE_M, abs=4e-4)  # it rises by 0.8 mm in a cycle
    # Once it stands, the drives press with what is left of their commands; the beam takes it all.
    assert 1000.0 < max(forces_n) < 2.0 * 6 * 4000.0


def test_the_report_shows_the_force_over_time(stopped):
    _, recording = stopped
    picture = touches(RunView.of(recording))
    assert picture is not None
    assert "beam on rig/platform: up to" in picture.caption
    axes = Figure().subplots()
    _forces(axes, list(TOUCHED))
    assert [patch.get_data().values.tolist() for patch in axes.patches] == [
        list(forces) for *_, forces in TOUCHED
    ]
    np.testing.assert_allclose(axes.patches[0].get_data().edges, [1.25, 1.26, 1.27, 1.28])
    assert axes.get_legend_handles_labels()[1] == ["beam on rig/platform"]


def test_a_person_and_a_program_are_told(tmp_path):
    run_it = ["run", "heave", "--world", "beam_over_platform", "--out", str(tmp_path)]
    run_it += ["--set", "motion.terms.0.amplitude_m=0.12", "--set", "rate_hz=250"]
    answer = told(*run_it, status=1)
    (line,) = answer["touched"]
    assert re.fullmatch(r"beam on rig/platform: up to \d{4} N from \d+.\d\d to \d+.\d\d s", line)
    assert answer["verdicts"][0]["leg"] in (1, 6)
    assert line in " ".join(shown(*run_it, status=1).stdout.split())


def test_a_proof_finds_the_beam_ahead_of_the_run():
    for height_m, legs in ((0.12, {1, 6}), (0.085, set())):
        tried = plan(0.4, "beam_over_platform", height_m)
        assert {one.leg for one in check_plan(tried, motion_of(tried)).violations} == legs


def test_a_command_to_paste_has_the_world_that_was_asked_for():
    request = Request(scenario=Path("heave.toml"), options={"--world": "beam_over_platform"})
    words = shlex.split(command_line("check", request, plan(0.2)))
    assert words == ["hil", "check", "heave.toml", "--world", "beam_over_platform"]


def test_a_run_that_touches_nothing_tells_nothing(tmp_path):
    result = run(plan(0.2, "paper_cabin"), tmp_path)
    assert result.outcome is Outcome.COMPLETED, result.reason
    recording = Recording.open(result.recorder.path)
    assert touches_of(recording.events) == []
    assert touches(RunView.of(recording)) is None


def test_touches_come_back_from_events_and_from_the_gates_process():
    events = list(touch_events(TOUCHED, Tick(7, 0.028, 0.004, 0.0)))
    assert [event.to_bytes() == type(event).from_bytes(event.to_bytes()).to_bytes()
            for event in events] == [True, True]  # fmt: skip
    assert touches_of(type(event).from_bytes(event.to_bytes()) for event in events) == [*TOUCHED]
    assert touch_line(TOUCHED[0]) == "beam on rig/platform: up to 812 N from 1.25 to 1.28 s"
    some = plan(0.2, "")
    gate = RemoteGate(bank_spec(some), gate_limits(some.rig, 0.004), lambda: 0.0)
    gate._ring = Ring.shared(STATUS_SLOTS, STATUS_SLOT_BYTES)
    try:
        _push_end(gate._ring, BankEnd({"cycles": 3}, touched=TOUCHED))
        gate._read_ring([])
    finally:
        gate._ring.release()
    assert gate._end == BankEnd({"cycles": 3}, touched=TOUCHED)


def test_a_scene_is_the_same_by_name_and_by_file(tmp_path):
    file = find_file("beam_over_platform", folder="world/scenes", key="world")
    by_name, by_file = bank_spec(plan(0.2)), bank_spec(plan(0.2, str(file)))
    assert by_name.settings["world"] == by_file.settings["world"]
