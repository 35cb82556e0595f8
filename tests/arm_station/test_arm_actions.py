"""Clutch, brake, power and payload as actions: on the wire, by buttons, and what is refused."""

import json
from pathlib import Path

import numpy as np
import pytest
from live_bench import live_plan, source_maker, typed
from test_arm_run import SHORT
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.errors import RefusedError
from hil.config.file_search import configs_dir
from hil.config.settings import ConfigError
from hil.run.pages import PageButton
from hil.stations.arm.lead.action_page import ActionJudge, PressCounter, buttons_in, pages
from hil.stations.arm.plan.scenario import arm_plan_from_table, load_arm_plan
from hil.stations.arm.report.recording import ArmRecording
from hil.stations.arm.report.view import ArmView
from hil.stations.arm.run.bench import prepare_plan, run_arm

pytestmark = pytest.mark.xdist_group("both arms")

runner = CliRunner()
PROMISED_M = 0.5e-3
"""Largest distance of both grippers that the other tests of a run allow."""
LIMIT_NM = 250.0
TABLE = SHORT | {"name": "slips", "space_arm": {"model": "d", "payload": "light"}}


def plan_of(actions, *overrides, **source):
    table = json.loads(json.dumps(TABLE))
    table["source"] |= {"actions": actions, **source}
    return arm_plan_from_table(table, Path("slips.toml"), overrides)


SHIPPED = configs_dir() / "scenarios" / "clutch_on_rm01.toml"


def shipped_plan(*overrides):
    return load_arm_plan(SHIPPED, overrides)


@pytest.fixture(scope="module")
def prepared():
    return prepare_plan(shipped_plan())


@pytest.fixture(scope="module")
def driven(prepared, tmp_path_factory):
    result = run_arm(prepared, tmp_path_factory.mktemp("slips"))
    return result, ArmRecording.open(result.recorder.path)


def test_a_run_with_a_slipping_clutch_completes_and_both_grippers_agree(driven):
    result, run = driven
    assert result.ok
    counts = result.end.report.counts
    assert (counts.repeats, counts.empty_slot, counts.late_answers) == (0, 0, 0)
    view = ArmView.of(run)
    assert view.accuracy.in_time.largest_m < PROMISED_M
    assert view.accuracy.in_space.largest_m < PROMISED_M


def test_the_clutch_has_slipped_at_its_limit_and_the_brakes_hold(prepared, driven):
    _, run = driven
    torque, motor = run.column("space_torque")[:, 1], run.column("space_motor")
    slipping = (run.t_s > 4.0) & (run.t_s <= 7.0 + 1e-9)
    assert np.abs(torque[slipping]).max() == pytest.approx(LIMIT_NM, rel=1e-9)
    assert np.abs(torque[~slipping]).max() > 2.0 * LIMIT_NM
    braked = motor[run.t_s > 10.4][:, :3]
    assert np.abs(np.diff(braked, axis=0)).max() < 1e-4 < np.abs(np.diff(motor, axis=0)).max()
    without = prepare_plan(shipped_plan("source.actions=[]"))
    ends = [one.steps[-1].snapshot.position_BG_m for one in (prepared, without)]
    assert np.linalg.norm(ends[0] - ends[1]) > 0.01, "the gripper goes elsewhere"


def test_the_run_takes_the_steps_of_the_proof(prepared, driven):
    _, run = driven
    proved = np.array([step.snapshot.q_rad for step in prepared.steps])
    np.testing.assert_array_equal(run.column("space_q"), proved)


def test_recording_report_and_check_know_the_actions(prepared, driven, tmp_path):
    _, run = driven
    told = [(one.data["at_s"], one.data["joint"], one.data["action"]) for one in run.actions()]
    brakes = [(10.0, joint, "brake closed") for joint in (1, 2, 3)]
    assert told == [(4.0, 2, "clutch slips"), (7.0, 2, "clutch closed"), *brakes]
    assert run.actions()[0].data["limit_nm"] == LIMIT_NM
    view = ArmView.of(run)
    (first_s, first), (_, second), (last_s, last) = view.actions
    assert (first, second) == ("clutch slips (2)", "clutch closed (2)")
    assert last == "brake closed (1, 2, 3)"
    assert last_s - first_s == pytest.approx(6.0, abs=0.02)
    path = tmp_path / "slips.toml"
    source = "[source]\nkind = 'profile'\nframe = 'base'\n"
    source += "actions = [{at_s = 1, power = 'off', joint = 3}, {at_s = 2, brake = [3]}]\n"
    segment = "[[source.segment]]\nduration_s = 4.0\nvelocity_m_s = [0.0, 0.02, 0.03]\n"
    path.write_text("station = 'arm'\nname = 's'\n[space_arm]\nmodel = 'b'\n" + source + segment)
    found = runner.invoke(app, ["check", str(path), "--json"])
    assert found.exit_code == 0, found.output
    assert json.loads(found.stdout)["actions"] == [
        {"at_s": 1.0, "joint": 3, "action": "power off"},
        {"at_s": 2.0, "joint": 3, "action": "brake closed"},
    ]
    shown = runner.invoke(app, ["check", str(path)])
    assert "2.000 s  joint 3: brake closed" in shown.output


def test_a_button_of_the_scenario_is_pressed_at_its_time():
    button = [{"button": "stop", "brake": [1]}, {"at_s": 1.0, "power": "off", "joint": 1}]
    placed = prepare_plan(plan_of(button, press=["stop@2.5"])).steps
    done = [(one.at_s, str(one.action)) for step in placed for one in step.actions]
    assert done == [(1.0, "joint 1: power off"), (2.5, "joint 1: brake closed")]


def slip(**values):
    return {"at_s": 2.0, "clutch": "slip", "joint": 2, **values}


@pytest.mark.parametrize(
    ("actions", "words"),
    [
        ([slip(joint=0)], r"source\.actions\.0\.joint = 0.*1"),
        ([slip(joint=7)], r"source\.actions\.0: joint 7: bkm has 1 to 6"),
        ([slip(limit_nm=2000.0)], r"slips at 2000 N m; its own slips at 1962\.5 N m"),
        ([{"at_s": 2.0, "brake": [1, 9]}], r"source\.actions\.0: joint 9: bkm has 1 to 6"),
        ([slip(), slip()], r"actions\.1: joint 2: clutch slips at 2 s, when also joint 2: clutch"),
        ([slip(), slip(clutch="open")], r"source\.actions\.1: joint 2: clutch open at 2 s, when"),
        ([slip(), slip(at_s=3.0)], r"source\.actions\.1: .* at 3 s: it is so since 2 s"),
        ([slip(clutch="closed")], r"joint 2: clutch closed at 2 s: it is so from the start"),
        ([{"at_s": 2.0, "brake": [1, 1]}], r"brake closed at 2 s, when also .* is asked for"),
        ([{"at_s": 2.0, "clutch": "slip"}], "joint belongs to a clutch or to power"),
        ([{"at_s": 2.0, "joint": 2}], "must have one of clutch, power, brake, open_brake, release"),
        ([slip(brake=[1])], "must have one of"),
        ([slip(button="b")], "either at_s or button"),
        ([slip(clutch="open", limit_nm=1.0)], "limit_nm belongs to clutch"),
        ([slip(at_s=700.0)], r"actions\.0: at_s = 700 s: the motion ends by 600 s \(longest_s\)"),
        ([slip(at_s=-1.0)], r"source\.actions\.0\.at_s = -1"),
        ([slip(clutch="half")], "half"),
    ],
)
def test_what_cannot_be_done_is_refused_with_its_place(actions, words):
    with pytest.raises(ConfigError, match=words) as found:
        plan_of(actions)
    assert len(str(found.value).splitlines()) == 1


def test_a_release_of_nothing_is_refused():
    release = [{"at_s": 2.0, "release": True}]
    with pytest.raises(ConfigError, match=r"actions\.0: release: the gripper holds no payload"):
        plan_of(release, 'space_arm.payload=""')
    twice = [*release, {"at_s": 3.0, "release": True}]
    with pytest.raises(ConfigError, match=r"actions\.1: payload released at 3 s: it is so since 2"):
        plan_of(twice)


def test_a_clutch_on_a_joint_without_one_is_refused_with_joint_and_arm(tmp_path):
    lines = (configs_dir() / "arms" / "bkm.toml").read_text().splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("clutch_nm"))
    bare = "\n".join([*lines[:first], *lines[first + 1 :]])
    (tmp_path / "bare.toml").write_text(bare.replace('name = "bkm"', 'name = "bare"'))
    words = r"source\.actions\.0: joint 1 has no clutch \(shoulder_yaw of bare, drive\.clutch_nm\)"
    with pytest.raises(ConfigError, match=words):
        plan_of([slip(joint=1)], f'space_arm.arm="{tmp_path / "bare.toml"}"')
    plan_of([slip(joint=2)], f'space_arm.arm="{tmp_path / "bare.toml"}"')


def test_an_action_after_the_end_and_a_gripper_that_is_not_at_rest_are_refused():
    late = r"source\.actions\.0: joint 2: clutch slips at 60 s, after the end of the motion at "
    with pytest.raises(RefusedError, match=late):
        prepare_plan(plan_of([slip(at_s=60.0)]))
    coasts = [{"at_s": 3.0, "power": "off", "joint": joint} for joint in range(1, 7)]
    with pytest.raises(RefusedError, match=r"nothing stops joint 1, .* more than 0\.001 rad/s"):
        prepare_plan(plan_of(coasts))


def test_what_the_gripper_does_by_an_action_is_proved():
    """14.5 t are let go behind gears that they have wound up: the light arm leaps."""
    let_go = [{"at_s": 2.0, "release": True}]
    with pytest.raises(
        RefusedError, match=r"(?s)waypoint \d+ .*nothing has been sent.*, more than"
    ):
        prepare_plan(plan_of(let_go, 'space_arm.payload="heavy"', 'space_arm.model="e"'))


def test_presses_need_a_button():
    with pytest.raises(ConfigError, match=r"source\.press = 'go': .* there are stop"):
        plan_of([{"button": "stop", "brake": [1]}], press=["go@1"])
    with pytest.raises(ConfigError, match=r"press stop@soon|press 'stop@soon': NAME@S is needed"):
        plan_of([{"button": "stop", "brake": [1]}], press=["stop@soon"])
    bad = runner.invoke(app, ["check", "bkm_on_rm01", "--press", "go@1"])
    assert bad.exit_code == 2
    assert "nothing to press" in bad.output


# --- live motions ---------------------------------------------------------------------------------

LIVE = {
    "kind": "keyboard",
    "frame": "base",
    "actions": [{"button": "stop", "brake": [1, 2, 3]}, {"button": "let_go", "release": True}],
}


@pytest.fixture
def board():
    import os
    import pty

    ours, theirs = pty.openpty()
    yield ours, theirs
    for fd in (ours, theirs):
        os.close(fd)


def held(board, key, begin_s, end_s):
    times = np.arange(begin_s, end_s, 0.03)
    return [(float(t_s), typed(*board, key)) for t_s in times]


def run_live(monkeypatch, tmp_path, board, acts):
    maker = source_maker(lambda *_: acts, keyboard_fd=board[1])
    monkeypatch.setattr("hil.stations.arm.run.bench.source_of", maker)
    plan = live_plan(LIVE, 'space_arm.payload="light"')
    result = run_arm(prepare_plan(plan), tmp_path)
    return result, ArmRecording.open(result.recorder.path)


def test_a_number_key_presses_a_button_while_a_motion_is_held(board, monkeypatch, tmp_path):
    acts = [
        *held(board, b"r", 1.0, 3.0),
        (3.0, typed(*board, b"1")),
        *held(board, b"r", 3.03, 5.0),
        (5.0, typed(*board, b"2")),
        *held(board, b"r", 5.03, 6.0),
        (6.0, typed(*board, b"2")),
        (7.5, typed(*board, b"1")),
        (9.0, typed(*board, b"q")),
    ]
    result, run = run_live(monkeypatch, tmp_path, board, acts)
    assert result.ok
    assert [one.data["joint"] for one in run.actions()] == [1, 2, 3, 0]
    at_s = run.actions()[0].data["at_s"]
    assert 3.0 <= at_s + 0.35 <= 3.8
    notes = [one.message for one in run.recording.events]
    assert "pressed, nothing done: the gripper holds no payload" in notes
    assert "stop pressed, nothing done: hold-to-run is released" in notes
    after = run.t_s > at_s + 1.0
    assert np.abs(run.column("space_v")[after][:, :3]).max() < 1e-6, "the brakes hold"


def test_a_panel_has_buttons_for_a_live_motion_and_none_for_a_planned_one():
    header = {"scenario": {"source": LIVE}}
    (page,) = pages(header)
    buttons = [one for one in page.widgets if isinstance(one, PageButton)]
    assert [one.counts for one in buttons] == ["presses.stop", "presses.let_go"]
    assert [one.label for one in buttons] == ["stop: brake [1, 2, 3]", "let_go: release"]
    assert page.asks == {"kind": "actions"}
    assert pages({"scenario": {"source": LIVE | {"kind": "profile"}}}) == ()
    assert pages({"scenario": {"source": {"kind": "keyboard"}}}) == ()
    assert list(buttons_in(header)) == ["stop", "let_go"]


def test_the_judge_of_presses_lets_through_what_is_there_and_no_more():
    judge = ActionJudge(("stop",), None)
    good = {"kind": "actions", "presses": {"stop": 1}}
    why, table = judge.motion(good)
    assert (why, json.loads(table)) == ("", good)
    for wrong, words in (
        ({"presses": {"go": 1}}, "there are stop"),
        ({"presses": {"stop": -1}}, "whole number"),
        ({"presses": {"stop": True}}, "whole number"),
        ({"set": {}}, "the table presses"),
        ({"presses": 3}, "the table presses"),
    ):
        why, table = judge.motion({"kind": "actions"} | wrong)
        assert words in why
        assert table == b""
    assert judge.target((0.0,) * 6)


def test_a_count_that_has_grown_is_one_press():
    pressed, other = [], []
    counter = PressCounter(("stop", "let_go"), pressed.append, other.append)

    def take(**presses):
        counter.take(json.dumps({"kind": "actions", "presses": presses}).encode())

    take(stop=0)
    take(stop=1, let_go=0)
    take(stop=1, let_go=1)
    take(stop=1, let_go=1)
    counter.take(b'{"kind": "diagram"}')
    assert pressed == ["stop", "let_go"]
    assert other == [b'{"kind": "diagram"}']
