"""Documents changed while a run goes, judged by the run that was not edited and by geometry."""

import json
import math
import re
import select
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from alike import rounds_alike
from campaign import count
from edited_robots import longer, moved_closing, randomly, retyped, with_link, without_last
from edited_runs import EditedRun, Pushing, timed
from robot_documents import furnished
from scene_robots import SCENARIOS, scenario, with_sensors
from test_robot_runs import ROBOTS, said, tool_of
from test_scene_runs import two_robots

from hil.config.errors import ConfigError
from hil.recording.reader import Recording
from hil.run.edit_texts import EditRefusedError, EditText, TimedEdit, edits_of
from hil.stations.world.editing.builder import BuilderProcess
from hil.stations.world.editing.wire import EditWireError, MessageReader, robot_from, robot_json
from hil.stations.world.plan.scenario_reader import load_world_plan
from hil.stations.world.run.session import run_world
from sim.world.robots.model import JointType
from sim.world.robots.robot_checks import findings_of
from sim.world.robots.robot_toml_reader import read_toml
from sim.world.robots.robot_toml_writer import write_toml

NOISY = ('[[sensor]]\nkind = "joint_angle"\nname = "angle"\nnoise_rad = 0.001\ndelay_s = 0.013\n'
         'cutoff_hz = 30.0\nrate_hz = 90.0\ndropout = 0.05\n')  # fmt: skip
SHORT = ("motion.duration_s=2.5", "settle_s=0.1")


def plan_of(name, *changes):
    return load_world_plan(SCENARIOS / f"{name}.toml", changes)


def edited(plan, *edits):
    return EditedRun(replace(plan, edits=timed(*edits))).play()


def heads(one):
    return [data for _, _, data in one.kept.events if "taken" in data]


@pytest.mark.parametrize("place", ["alone", "among others"])
def test_an_edit_that_changes_nothing_leaves_every_row(place, tmp_path):
    """Sensors with noise and delay, contacts and robots that stand beside are in the rows."""
    file = with_sensors(tmp_path, NOISY)
    scene = [] if place == "alone" else [f'scene="{two_robots(tmp_path)}"']
    plan = plan_of("joint_move", f'robot="{file}"', *SHORT, *scene)
    edits = timed((0, plan.robot_text), (431, plan.robot_text), (432, Path(file).read_text()))
    plain = EditedRun(plan, None, Pushing(400)).play()
    again = EditedRun(replace(plan, edits=edits), None, Pushing(400)).play()
    assert again.editor.taken == 3
    assert len(plain.kept.rows) > 1000
    assert again.kept.rows == plain.kept.rows
    assert again.run.figures.steps == plain.run.figures.steps


def test_closed_loops_and_a_free_platform_take_an_edit_of_nothing(tmp_path):
    text = (
        'robot = "rig:paper"\nscene = "paper_cabin"\nsettle_s = 0.1\n[motion]\nkind = "joints"\n'
        "goal = [{ joint = 3, by_m = 0.01 }, { joint = 9, by_m = 0.02 }]\nduration_s = 1.0"
    )
    plan = load_world_plan(scenario(tmp_path, text))
    plain, again = EditedRun(plan).play(), edited(plan, (250, plan.robot_text))
    assert again.editor.taken == 1
    assert again.kept.rows == plain.kept.rows


def test_a_link_30_percent_longer_reaches_further_and_the_joints_go_on():
    plan = plan_of("joint_move", *SHORT)
    one = edited(plan, (600, longer(plan.robot, 4, 1.3)))
    assert one.run.figures.ok, one.run.figures
    positions, tools = one.column("position_rad"), one.column("tool_pose")[:, :3]
    np.testing.assert_allclose(tools[600], tool_of("robot_a", positions[600]), atol=1e-9)
    rows = list(ROBOTS["robot_a"])
    alpha, d, theta, r = rows[3]
    try:
        ROBOTS["longer"] = [*rows[:3], (alpha, 1.3 * d, theta, 1.3 * r), *rows[4:]]
        np.testing.assert_allclose(tools[601], tool_of("longer", positions[601]), atol=1e-9)
    finally:
        del ROBOTS["longer"]
    speeds = one.column("speed_rad_s")
    assert np.abs(np.diff(positions[598:604], axis=0)).max() < 0.002
    assert np.abs(np.diff(speeds[598:640], axis=0)).max() < 0.02
    turned = np.degrees(positions[-1] - positions[0])
    np.testing.assert_allclose(turned, (-90, 0, 0, -45, 0, 0), atol=0.01)


def test_a_link_that_is_added_is_held_where_its_document_has_it_and_one_removed_leaves_holes():
    plan = plan_of("joint_move", *SHORT)
    more = with_link(plan.robot, 2)
    one = EditedRun(replace(plan, edits=timed((300, more), (900, without_last(plan.robot)))))
    found = []
    for tick in one.run.clock.ticks(one.run.period_s):
        if one.run.turn(tick):
            break
        found.append(one.run.bench.robot.coordinates())
    one.run.close()
    assert one.run.figures.ok, one.run.figures
    new = more.drives[-1].joint
    assert [new in row for row in (found[299], found[300], found[899], found[900])] == [
        False, True, True, False,
    ]  # fmt: skip
    np.testing.assert_allclose([row[new][0] for row in found[300:900]], 0.1, atol=2e-3)
    positions, wanted = one.column("position_rad"), one.column("wanted_rad")
    assert np.isfinite(positions[:901]).all()
    assert np.isnan(positions[901:, 5]).all()
    assert np.isfinite(positions[901:, :5]).all()
    assert np.abs(np.diff(wanted[:, :5], axis=0)).max() < 0.0021  # no step where it was edited
    assert np.abs(positions - wanted)[1:901].max() < math.radians(0.2)
    taken = heads(one)
    assert [(one["fresh"], one["gone"]) for one in taken] == [
        (f"j{new}", ""), ("", f"j6, j{new}"),
    ]  # fmt: skip


def test_a_joint_of_another_type_begins_where_its_document_has_it():
    plan = plan_of("joint_move", *SHORT)
    slides = retyped(plan.robot, 5, JointType.SLIDE)
    one = edited(plan, (500, slides))
    assert one.run.figures.ok, one.run.figures
    positions = one.column("position_rad")
    assert positions[500, 4] == pytest.approx(math.radians(60), abs=1e-3)
    np.testing.assert_allclose(positions[502:, 4], 0.0, atol=1e-3)
    assert heads(one)[0]["fresh"] == heads(one)[0]["gone"] == "j5"


def test_a_hexapods_joint_moved_by_10_mm_in_a_run(tmp_path):
    text = (
        'robot = "rig:paper"\nbandwidth_rad_s = 10.0\nsettle_s = 0.3\n[motion]\nkind = "joints"\n'
        "goal = [{ joint = 3, by_m = 0.01 }, { joint = 9, by_m = 0.02 }]\nduration_s = 1.2"
    )
    plan = load_world_plan(scenario(tmp_path, text))
    one = edited(plan, (300, moved_closing(plan.robot, 1, (0.006, 0.008, 0.0))))
    assert one.run.figures.ok, one.run.figures
    (told,) = heads(one)
    assert told["gap_m"] == pytest.approx(0.01, abs=2e-5)
    assert told["left_m"] < 1e-9
    gaps, speeds = one.column("loop_gap_m"), one.column("speed_m_s")
    assert gaps[302] <= 20e-6  # of the end of the first step
    assert gaps[300:].max() <= 50e-6
    assert np.abs(speeds[301] - speeds[300]).max() <= 0.05


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("density_kg_m3 = 1500", "density_kg_m3 = -1500", r"own.toml:\d+:\d+: .*-1500"),
        ("number = 4", "numbr = 4", r"own.toml:\d+:\d+: .*numbr"),
        ("child = 3", "child = 33", r"own.toml:\d+:\d+: .*33"),
        ('name = "robot_a"', 'name = "robot_a', r"own.toml:\d+:\d+: "),
        ("joint = 1\n", "joint = 77\n", r"own.toml:\d+:\d+: .*77"),
    ],
)
def test_what_cannot_be_taken_is_refused_whole_and_the_run_goes_on(old, new, fault):
    plan = plan_of("joint_move", *SHORT)
    assert old in plan.robot_text
    plain = EditedRun(plan).play()
    one = edited(plan, (200, plan.robot_text.replace(old, new, 1)))
    assert (one.editor.taken, one.editor.refused) == (0, 1)
    assert one.kept.rows == plain.kept.rows
    faults = [text for index, text, data in one.kept.events if "fault" in data and index == 200]
    assert any(re.search(fault, text) for text in faults), faults


def test_what_the_state_forbids_is_refused_too(tmp_path):
    plan = plan_of("joint_move", *SHORT)
    narrow = replace(plan.robot, joints=tuple(
        replace(one, limits=((-0.1, 0.1),)) if one.number == 1 else one
        for one in plan.robot.joints))  # fmt: skip
    one = edited(plan, (900, narrow), (950, replace(plan.robot, drives=())))
    assert (one.editor.taken, one.editor.refused) == (0, 2)
    told = [text for _, text, data in one.kept.events if "fault" in data]
    assert "joint j1 is at -" in told[0]
    assert "no drive" in told[1]
    bar = load_world_plan(scenario(tmp_path, (
        'robot = "four_bar"\nsettle_s = 0.2\n[motion]\nkind = "joints"\n'
        "goal = [{ joint = 1, by_deg = 10.0 }]\nduration_s = 1.0")))  # fmt: skip
    plain = EditedRun(bar).play()
    one = edited(bar, (100, moved_closing(bar.robot, 0, (0.3, 0.2, 0.0))))
    assert one.editor.refused == 1
    assert one.kept.rows == plain.kept.rows
    told = [text for _, text, data in one.kept.events if "fault" in data]
    assert any("50 mm and 5 deg" in text or "out of reach" in text for text in told), told


def test_a_body_that_would_be_in_another_is_refused(tmp_path):
    plan = plan_of("joint_move", 'scene="table"', *SHORT)
    links = [replace(one, size_m=(0.9,)) if one.number == 5 else one for one in plan.robot.links]
    large = replace(plan.robot, links=tuple(links))
    one = edited(plan, (100, large))
    assert one.editor.refused == 1
    assert any("mm in each other" in text for _, text, _ in one.kept.events)
    assert one.run.figures.ok


def test_edits_stand_in_the_recording_whole_and_are_repeated_from_there(tmp_path):
    good = tmp_path / "long.toml"
    plan = plan_of("joint_move", *SHORT)
    good.write_text("# größer\n" + write_toml(longer(plan.robot, 4, 1.2)))
    bad = tmp_path / "bad.toml"
    bad.write_text(good.read_text().replace("density_kg_m3 = 1200", "density_kg_m3 = nan"))
    file = tmp_path / "own.toml"
    asked = ((1.0, "long.toml"), (1.2, "bad.toml"), (1.5, "robot_a"), (77.0, "long.toml"))
    tables = (f'\n[[edit]]\nat_s = {at_s}\ndocument = "{name}"\n' for at_s, name in asked)
    file.write_text((SCENARIOS / "joint_move.toml").read_text() + "".join(tables))
    run = ("run", str(file), "--json", "--out", str(tmp_path))
    told = json.loads(said(*run).stdout)
    assert (told["edits"], told["edits_refused"], told["edit_pause_max_ms"]) == (2, 1, 0.0)
    recording = Recording.open(Path(told["recording"]))
    found = edits_of(recording)
    assert [one.step for one in found] == [500, 600, 750]
    assert [one.edit.text for one in found[:2]] == [good.read_text(), bad.read_text()]
    again = json.loads(said(*run, "--edits", told["recording"]).stdout)
    assert again["recording_sha256"] == told["recording_sha256"]
    plain = ("run", str(SCENARIOS / "joint_move.toml"), "--json", "--out", str(tmp_path))
    third = json.loads(said(*plain, "--edits", told["recording"]).stdout)
    assert (third["edits"], third["edits_refused"]) == (2, 1)
    fourth = json.loads(said(*plain, "--edits", third["recording"]).stdout)
    assert fourth["recording_sha256"] == third["recording_sha256"] == told["recording_sha256"]
    alone = json.loads(said(*plain).stdout)
    assert alone["recording_sha256"] != told["recording_sha256"]
    shown = said("run", str(file), "--out", str(tmp_path)).stdout
    assert "edits: 2 taken, 1 refused" in shown
    assert "edit at t = 77.000 s" in shown


def test_a_text_that_is_not_there_as_a_whole_is_not_repeated(tmp_path):
    plan = replace(plan_of("joint_move", *SHORT), edits=(
        TimedEdit(10, EditText(plan_of("joint_move").robot_text, "own.toml")),))  # fmt: skip
    result = run_world(plan, tmp_path)
    recording = Recording.open(result.recorder.path)
    whole = [one for one in recording.events if one.data.get("part") != 2]
    with pytest.raises(ConfigError, match="edit 1 at row 10: its text is not there as a whole"):
        edits_of(replace(recording, events=tuple(whole)))


@pytest.mark.campaign
@pytest.mark.parametrize("name", ["robot_a", "four_bar"])
def test_any_edits_break_nothing(name):
    """All are taken or refused; every number of a joint that is there is a number."""
    joint = 1 if name == "four_bar" else 4
    plan = plan_of("joint_move", f'robot="{name}"', "motion.duration_s=2.5", "settle_s=0.5",
                   f"motion.goal=[{{joint={joint}, by_deg=12.0}}]")  # fmt: skip
    taken = refused = 0
    for seed in range(count(20, 2)):
        rng = np.random.default_rng(seed)
        robot, edits = plan.robot, []
        for row in range(5):
            changed = randomly(robot, rng)
            edits.append((40 + 60 * row, changed))
            robot = robot if findings_of(changed) or rng.random() < 0.5 else changed
        one = edited(plan, *edits)
        figures = one.run.figures
        assert figures.ended in ("completed", "refused"), (seed, figures)
        there = np.isfinite(one.column("position_rad"))
        for name_ in ("wanted_rad", "speed_rad_s"):
            assert np.array_equal(np.isfinite(one.column(name_)), there), (seed, name_)
        assert np.nanmax(np.abs(one.column("speed_rad_s"))) < 50.0, seed
        taken, refused = taken + one.editor.taken, refused + one.editor.refused
    print(f"{name}: {taken} taken, {refused} refused")
    assert taken > 0
    assert refused > 0


def answer_of(builder, limit_s=60.0):
    """The next answer of the process; waits for its bytes, not for time."""
    while (found := builder.due(0)) is None:
        ready, _, _ = select.select([builder._answers], [], [], limit_s)
        assert ready, "no answer"
        assert not builder.left()[: 1 if builder._lost else 0], builder.left()
    return found


class Offering:
    """Offers documents at rows, and holds up the run until each is built: on the virtual clock."""

    def __init__(self, builder, edits):
        self.builder, self.waiting = builder, dict(edits)

    def due(self, index):
        if (edit := self.waiting.pop(index, None)) is None:
            return None
        self.builder.offer(edit)
        return answer_of(self.builder)

    def left(self):
        return ()

    def rehearse(self, bench):
        self.builder.rehearse(bench)

    def close(self):
        self.builder.close()


@rounds_alike
def test_a_process_beside_the_run_builds_what_is_taken_bit_by_bit(tmp_path):
    file = with_sensors(tmp_path, NOISY)
    plan = plan_of("joint_move", f'robot="{file}"', *SHORT, 'scene="table"')
    reach = write_toml(longer(plan.robot, 4, 1.1))
    edits = {200: EditText(reach, file), 300: EditText(reach.replace("number", "numbr", 1), file),
             420: EditText(plan.robot_text, file)}  # fmt: skip
    inline = EditedRun(replace(plan, edits=tuple(TimedEdit(*one) for one in edits.items()))).play()
    queue = Offering(BuilderProcess(plan), edits)
    live = EditedRun(plan, queue)
    live.editor.rehearse(live.run.bench)
    live.play()
    assert (live.editor.taken, live.editor.refused) == (2, 1)
    assert live.kept.rows == inline.kept.rows
    assert live.kept.events == inline.kept.events


def test_a_document_is_built_each_time_that_it_is_saved(tmp_path):
    file = tmp_path / "own.toml"
    plan = plan_of("joint_move", *SHORT)
    file.write_text(plan.robot_text)
    scene = scenario(tmp_path, (
        f'robot = "{file}"\nsettle_s = 0.1\n[motion]\nkind = "joints"\ngoal = []'))  # fmt: skip
    plan = load_world_plan(scene)
    with BuilderProcess(plan, plan.scenario.robot) as builder:
        assert builder.due(0) is None
        changed = write_toml(longer(plan.robot, 4, 1.1))
        part = tmp_path / "part"
        part.write_text(changed)
        part.replace(file)  # as editors save: one that is half written is read, and refused
        assert (found := answer_of(builder)).built is not None
        assert found.edit == EditText(changed, str(file))
        part.write_text("[[link]]\n")
        part.replace(file)
        found = answer_of(builder)
        assert found.built is None
        assert any(str(file) in one for one in found.faults)
        file.unlink()
        shutil.copy(SCENARIOS.parent / "world" / "robots" / "robot_a.toml", part)
        part.replace(file)
        assert answer_of(builder).built is not None


def test_a_process_that_is_gone_leaves_the_run_to_go_on():
    plan = plan_of("joint_move", *SHORT)
    builder = BuilderProcess(plan)
    builder._child.kill()
    builder._child.wait()
    builder.offer(EditText(plan.robot_text, "own.toml"))
    one = EditedRun(plan, builder).play()
    assert one.run.figures.ok
    assert "their process ended" in one.editor.missed[0]
    assert "before it was built" in one.editor.missed[1]


def test_editing_needs_time_that_passes():
    told = said("run", "joint_move", "--edit", status=2).stderr
    assert "--clock real" in told


@pytest.mark.parametrize("seed", range(6))
def test_robots_come_through_the_wire_with_all_digits(seed):
    robot = furnished(seed)
    assert robot_from(robot_json(robot)) == robot
    again = read_toml(write_toml(robot), "own")
    assert robot_from(robot_json(again)) == again


def test_bytes_that_are_no_message_are_refused():
    reader = MessageReader()
    reader.feed(b"HTTP/1.1 200 OK\r\n")
    with pytest.raises(EditWireError, match="no message"):
        reader.next()


def test_a_refusal_has_a_line_for_each_fault():
    assert str(EditRefusedError("one", "two")) == "one\ntwo"
