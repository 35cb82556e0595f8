"""A robot that does otherwise: its own result within a second, status 1, and a page that is red.

As a user has it, with `hil run --report`; the fault is the emulated robot's, on the virtual clock.
"""

import json
import re
import sys
from functools import partial
from pathlib import Path

import pytest
from line_bench import PERIOD_S, TABLE
from typer.testing import CliRunner

sys.path.insert(0, str(Path(__file__).parents[1] / "report"))

from html_samples import parsed

import hil.report.page
import hil.stations.arm.run.runner
from arm_driver.link_states import StreamResult
from hil.cli.main import app
from hil.report.run_verdict import Ending, Verdict
from hil.stations.arm.report.recording import ArmRecording
from hil.stations.arm.report.view import ArmView
from sim.devices.arm.faults import parse_arm_words

pytestmark = pytest.mark.xdist_group("both arms")

FAULT_S = 3.0
RED = re.compile(r"header\.tripped \{ background: #(..)(..)(..); \}")


def scenario_file(folder):
    """The motion of `line_bench` as a file."""
    start, segment = TABLE["mapping"]["start"], TABLE["source"]["segment"][0]
    path = folder / "rows.toml"
    path.write_text(
        f'station = "arm"\nname = "rows"\n[space_arm]\nmodel = "b"\n[mapping]\n'
        f"start = {{ position_m = {start['position_m']}, oat_deg = {start['oat_deg']} }}\n"
        f"start_joints_deg = {TABLE['mapping']['start_joints_deg']}\n"
        f'[source]\nkind = "profile"\nframe = "base"\n[[source.segment]]\n'
        f"duration_s = {segment['duration_s']}\nvelocity_m_s = {segment['velocity_m_s']}\n"
    )
    return path


@pytest.fixture
def run(prepared, line, tmp_path, monkeypatch):
    """Run the motion from the command line: exit status, what is told, and the parsed page."""
    monkeypatch.setattr(hil.stations.arm.run.runner, "prepare_plan", lambda plan: prepared)
    monkeypatch.setattr(hil.report.page, "made", lambda section, run: None)
    plain = hil.stations.arm.run.runner.play_arm

    def invoke(*faults):
        meant = tuple(parse_arm_words(fault.split()) for fault in faults)
        monkeypatch.setattr(hil.stations.arm.run.runner, "play_arm", partial(plain, faults=meant))
        words = ["run", str(scenario_file(tmp_path)), "--report", "--json", "--out", str(tmp_path)]
        answer = CliRunner().invoke(app, words)
        told = json.loads(answer.stdout)
        now_s = line.places[-1][0]
        for step in range(1, 301):  # the robot alone, for three seconds more
            line.robot.advance(now_s + 0.01 * step)
        return answer.exit_code, told, parsed(Path(told["report"]))

    return invoke


def told_events(told):
    """Times and texts of what happened, from the recording."""
    recording = ArmRecording.open(Path(told["recording"])).recording
    return [(event.t_s, event.message) for event in recording.events]


def judge_page(page, result, words):
    """The banner: red, TRIPPED, and why in one sentence."""
    classes = [attrs.get("class") for tag, attrs in page.tags if tag == "header"]
    assert classes == ["tripped"], f"the page is {classes}"
    assert "TRIPPED: rows" in page.text
    reason = next(one for one in page.text.splitlines() if "the stream ended" in one).strip()
    assert f"the stream ended: {result}: " in reason
    assert words in reason
    assert len(re.findall(r"[.!?](?:\s|$)", reason)) == 1, "one sentence"
    assert f"result: {result}" in page.text


def judge_status(status, told, result, words):
    assert (status, told["ok"]) == (1, False)
    assert told["result"] == result
    assert words in told["reason"]
    assert "\n" not in told["reason"]


ENDS = [
    ("slow value=0", StreamResult.NOT_FOLLOWING, "the robot does not follow: "),
    ("slow value=0.5", StreamResult.NOT_FOLLOWING, "the robot does not follow: "),
    ("beside value=0.02", StreamResult.NOT_FOLLOWING, "(most in z, +1"),
    ("period value=0.25", StreamResult.OFF_PERIOD, "faster than its period"),
    ("period value=0.7", StreamResult.OFF_PERIOD, "slower than its period"),
]


@pytest.mark.parametrize(("fault", "result", "words"), ENDS)
def test_a_robot_that_does_otherwise_is_ended_at_once_with_its_own_result(
    run, line, fault, result, words
):
    status, told, page = run(f"{fault} at_s={FAULT_S}")
    judge_status(status, told, result.value, words)
    judge_page(page, result.value, words)
    ended_s = next(at_s for at_s, one in line.answers if one.startswith(b"-1,1,"))
    latest_s = 1.0 if "0.7" not in fault else 1.8  # that one asks only every 0.7 s
    assert FAULT_S < ended_s < FAULT_S + PERIOD_S + latest_s, "a second after the first request"
    assert not line.after(ended_s)
    assert line.at_rest


def test_a_robot_that_misses_its_last_waypoint_has_run_dry(run, line, prepared):
    last = len(prepared.steps)
    status, told, page = run(f"drop_answer value=1 at_s={PERIOD_S * last - 0.2:g}")
    missed = f"waypoint {last} (number {last - 1} on the line)"
    words = f"did not take {missed} in time and is at rest at waypoint {last - 1} "
    judge_status(status, told, StreamResult.RAN_DRY.value, words)
    judge_page(page, StreamResult.RAN_DRY.value, words)
    assert told["sent"] == last, "it was sent, and did not come"
    over_s = next(t_s for t_s, text in told_events(told) if text.startswith("the stream is over"))
    assert over_s < PERIOD_S * last + 1.0 + PERIOD_S, "a second after it was to be there"
    assert line.at_rest


def test_without_a_fault_status_and_page_are_good(run):
    """The control: what ends the others is the fault, and no page is red by itself."""
    status, told, page = run()
    assert (status, told["ok"], told["result"]) == (0, True, "completed")
    with pytest.raises(AssertionError, match=r"the page is \['good'\]"):
        judge_page(page, "completed", "")


def test_the_banner_of_such_an_end_is_red():
    style = (Path(hil.__file__).parent / "report" / "page.css.j2").read_text()
    red, green, blue = (int(part, 16) for part in RED.search(style).groups())
    assert red > 4 * max(green, blue)


def test_a_page_that_calls_every_end_good_is_found(run, monkeypatch):
    made = ArmView.of.__func__

    def kind(cls, recording):
        view = made(cls, recording)
        object.__setattr__(view, "verdict", Verdict(Ending.COMPLETED, view.verdict.reason))
        return view

    monkeypatch.setattr(ArmView, "of", classmethod(kind))
    _, _, page = run(f"slow value=0 at_s={FAULT_S}")
    with pytest.raises(AssertionError, match="the page is"):
        judge_page(page, "not following", "")
