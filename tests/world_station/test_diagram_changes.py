"""A diagram changed while it moves a robot; judged by the interpreter, which carries states itself.

The recording holds what the law was told (wanted and measured positions, measured speeds; the rest
is fed with numbers that stay) and what it commanded. So the whole run is computed again in plain
Python, version by version, from nothing but the recording's rows and events.
"""

import json
import math
import random
from dataclasses import replace
from types import SimpleNamespace

import campaign
import numpy as np
import pytest
from interpreter.interpreter import Interpreter
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.errors import ConfigError
from hil.config.file_search import configs_dir
from hil.diagram.check.diagram import check
from hil.diagram.file.read import read_text
from hil.diagram.run import changer
from hil.diagram.run.change import DiagramChange
from hil.diagram.run.changer import DiagramChanger, TimedChange, changes_of
from hil.diagram.run.diagram_use import diagram_of_text
from hil.diagram.run.saved_file import DiagramFileWatch
from hil.recording.reader import Recording
from hil.run.edit_texts import EditText
from hil.stations.world.cycle.bench import open_bench
from hil.stations.world.cycle.diagram_law import DiagramLaw
from hil.stations.world.plan.scenario_reader import load_world_plan
from hil.stations.world.run.rerun import plan_of_recording, rerun
from hil.stations.world.run.session import run_world
from sim.world.control.laws import JointMotion

ROBOT_A = configs_dir() / "diagrams" / "robot_a.toml"
TEXT = ROBOT_A.read_text()
ZEROS = [0.0] * 6
FEED = (
    "diagram.feed=[{input='needed_n_m', value=[0, 0, 0, 0, 0, 0]}, "
    "{input='wanted_rad_s', value=[0, 0, 0, 0, 0, 0]}]"
)
JUMP_N_M = 2.0
NAMES = ("kp", "ki", "kd")
SHARE = campaign.count(100, least=30) / 100
CHANGES, SWAPS = round(200 * SHARE), round(20 * SHARE)
"""In one run, of 200 and 20 in the whole campaign."""
SECONDS = 4.0 if SHARE == 1.0 else 2.4
ROWS = round((SECONDS + 0.2) / 0.002) + 1
LAST = ROWS - 201


def variant(number):
    """Robot_a's law, drawn otherwise: the same command by more blocks, some with states."""
    text = TEXT
    if number & 4:  # hangs on the time since the start
        text = text.replace('"torque.u" = "sum.y"', '"torque.u" = "s.y"\n"s.u" = "sum.y"\n'
                            '"s.k" = "wave.y"').replace('[block]', '[block]\n"s" = { kind = '
                            '"Scale" }\n"wave" = { kind = "Sine", bias = 1.0, amplitude = 1e-3, '
                            'frequency_hz = 7.0 }', 1)  # fmt: skip
    elif number & 1:
        text = text.replace('"torque.u" = "sum.y"', '"torque.u" = "unity.y"\n"unity.u" = "sum.y"')
        text = text.replace("[block]", '[block]\n"unity" = { kind = "Gain", k = 1.0 }', 1)
    if number & 2:
        text = text.replace('[block]', '[block]\n"slow" = { kind = "Lag", time_s = 0.2 }\n'
                            '"held" = { kind = "RateTransition", rate = 5 }\n'
                            '"much" = { kind = "Abs", rate = 5 }', 1)  # fmt: skip
        text = text.replace('[wire]', '[wire]\n"slow.u" = "error.y"\n"held.u" = "slow.y"\n'
                            '"much.u" = "held.y"', 1)  # fmt: skip
    return text


def plan_of(*changes, seconds=2.4):
    given = (FEED, f"diagram.jump={JUMP_N_M}", f"motion.duration_s={seconds}", "settle_s=0.2")
    plan = load_world_plan(configs_dir() / "scenarios" / "diagram_move.toml", given)
    return replace(plan, changes=tuple(changes))


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """The recording of a run without changes."""
    return recorded(plan_of(), tmp_path_factory.mktemp("plain"))[1]


def at(time_s, change):
    return TimedChange(round(time_s / 0.002), change)


def recorded(plan, folder):
    result = run_world(plan, folder)
    assert result.ok, result.figures
    return result, Recording.open(result.recorder.path)


def told(recording):
    """What came of each change: step at which it was offered, row of the answer, data."""
    return [
        (int(one.data["step"]), one.index, one.data)
        for one in recording.events
        if one.name == "diagram" and "sha256" in one.data
    ]


class Judge:
    """The law, version by version, in plain Python."""

    def __init__(self):
        self.text, self.set = TEXT, {}
        self.runs = self.made(TEXT, {})

    @staticmethod
    def made(text, changes):
        return Interpreter(check(read_text(text, ROBOT_A), changes))

    def follower(self, change):
        """What a change makes of it, with what it has; None if it is none."""
        text = change.text or self.text
        changes = change.changes if change.text else {**self.set, **change.changes}
        try:
            runs = self.made(text, changes)
        except ConfigError:
            return None
        runs.tick = self.runs.tick
        for path, one in runs.blocks.items():
            before = self.runs.blocks.get(path)
            if before is None or before.block.kind is not one.block.kind:
                continue
            if len(before.all_states()) == len(one.all_states()):
                one.load(before.all_states())
            if len(before.values) == len(one.values):
                one.values[:] = before.values
        return runs, text, changes

    @staticmethod
    def command(runs, row):
        for name, values in row.items():
            runs.set_input(name, list(values))
        runs.step()
        torque = runs.port(*runs.sound.flat.drivers["torque", "u"])
        return np.array(torque)


def judged(recording):
    """The commands that the rows and changes of a recording make, and the jumps at changes."""
    wanted, position, speed = (
        recording.column(name) for name in ("wanted_rad", "position_rad", "speed_rad_s")
    )
    changes = changes_of(recording)
    offered = {one.step + 1: one.change for one in changes}
    assert len(offered) == len(changes)
    judge, commands, jumps = Judge(), [], {}
    for number in range(len(wanted)):
        row = {
            "wanted_rad": wanted[number], "position_rad": position[number],
            "speed_rad_s": speed[number], "needed_n_m": ZEROS, "wanted_rad_s": ZEROS,
        }  # fmt: skip
        follower = judge.follower(offered[number]) if number in offered else None
        command = judge.command(judge.runs, row)
        if follower is not None:
            other = judge.command(follower[0], row)
            jump = float(np.abs(other - command).max())
            if jump <= JUMP_N_M or offered[number].forced:
                judge.runs, judge.text, judge.set = follower
                command = other
                jumps[number] = jump
        commands.append(command)
    return np.array(commands), jumps


def drawn_changes(draw, parameters, swaps):
    """Parameters of every size, some beyond their limits or with a great jump; other drawings."""
    whole = read_text(TEXT, ROBOT_A).top.parameters
    steps = sorted(draw.sample(range(20, LAST), parameters + swaps))
    swapping = set(draw.sample(range(parameters + swaps), swaps))
    for number, step in enumerate(steps):
        name = draw.choice(NAMES)
        scale = draw.choice((0.9, 0.99, 1.01, 1.1, -1.0, 0.2))
        value = tuple(scale * one for one in whole[name].value)
        if number in swapping:
            text = variant(draw.randint(0, 7))
            given = {} if draw.random() < 0.5 else {name: value}
            yield TimedChange(step, DiagramChange(given, text, "drawn.toml"))
        else:
            yield TimedChange(step, DiagramChange({name: value}))


@pytest.mark.campaign
def test_200_changes_and_20_swaps_lose_no_tick_and_jump_by_no_more_than_they_may(tmp_path):
    changes = list(drawn_changes(random.Random(5), CHANGES, SWAPS))
    result, recording = recorded(plan_of(*changes, seconds=SECONDS), tmp_path)
    assert result.changer.taken + result.changer.refused == CHANGES + SWAPS
    assert result.changer.taken > 0.55 * (CHANGES + SWAPS)
    assert result.changer.refused > 0.1 * (CHANGES + SWAPS)
    assert result.changer.missed == ()
    index = recording.column("index")
    np.testing.assert_array_equal(index, np.arange(len(index)))
    assert len(index) == result.figures.steps + 1 == ROWS
    commands, jumps = judged(recording)
    assert len(jumps) == result.changer.taken
    np.testing.assert_array_equal(recording.column("command_n_m"), commands)
    assert max(jumps.values()) <= JUMP_N_M
    answers = {row: data for _, row, data in told(recording) if data["taken"]}
    assert {row: data["jump"] for row, data in answers.items()} == pytest.approx(jumps, abs=1e-9)
    again = rerun(recording.path, tmp_path)
    assert again.same, again
    events = [
        [(one.index, one.message, one.data) for one in each.events if one.name == "diagram"]
        for each in (recording, Recording.open(again.recording))
    ]
    assert events[0] == events[1]
    assert len(events[0]) > 2 * (CHANGES + SWAPS)


@pytest.mark.campaign
def test_200_changes_and_20_swaps_are_all_taken_where_all_are_calm(tmp_path):
    draw, whole = random.Random(6), read_text(TEXT, ROBOT_A).top.parameters
    steps = sorted(draw.sample(range(20, LAST), CHANGES + SWAPS))
    swaps, changes = set(draw.sample(range(CHANGES + SWAPS), SWAPS)), []
    for number, step in enumerate(steps):
        name, scale = draw.choice(NAMES), draw.choice((0.995, 1.0, 1.005))
        change = DiagramChange({name: tuple(scale * one for one in whole[name].value)})
        if number in swaps:
            change = DiagramChange(text=variant(draw.randint(0, 3)), source="drawn.toml")
        changes.append(TimedChange(step, change))
    result, recording = recorded(plan_of(*changes, seconds=SECONDS), tmp_path)
    assert (result.changer.taken, result.changer.refused) == (CHANGES + SWAPS, 0)
    np.testing.assert_array_equal(recording.column("index"), np.arange(ROWS))
    commands, jumps = judged(recording)
    np.testing.assert_array_equal(recording.column("command_n_m"), commands)
    assert len(jumps) == CHANGES + SWAPS
    assert max(jumps.values()) <= JUMP_N_M
    assert rerun(recording.path, tmp_path).same


def test_one_of_three_that_is_wrong_leaves_all_three_undone(tmp_path, plain):
    kp, ki = ([0.99 * one for one in read_text(TEXT, ROBOT_A).top.parameters[name].value]
              for name in ("kp", "ki"))  # fmt: skip
    wrong = DiagramChange({"kp": kp, "ki": ki, "kd": [-1.0] * 6})
    _, changed = recorded(plan_of(at(1.0, wrong)), tmp_path)
    np.testing.assert_array_equal(changed.column("command_n_m"), plain.column("command_n_m"))
    ((step, row, data),) = told(changed)
    assert (step, row, data["taken"]) == (500, 500, False)
    faults = [one.message for one in changed.events if "fault" in one.data]
    assert "kd = -1.0: 0.0 to 1000000.0 N*m*s is needed" in faults[0]
    assert changed.events
    assert not [one for one in plain.events if one.name == "diagram"]


def lost_integral():
    return TEXT.replace('"integral"', '"sum_of_it"').replace("integral.", "sum_of_it.")


def test_a_jump_is_refused_unless_it_is_forced(tmp_path):
    calm = DiagramChange(text=lost_integral(), source="other.toml")
    result, recording = recorded(plan_of(at(1.0, calm)), tmp_path)
    assert (result.changer.taken, result.changer.refused) == (0, 1)
    faults = [one.message for one in recording.events if "fault" in one.data]
    assert "the command jumps by" in faults[0]
    assert "at most 2 N*m" in faults[0]
    plan = plan_of(at(1.0, replace(calm, forced=True)), seconds=4.0)
    plan = replace(plan, scenario=plan.scenario.model_copy(update={"following_deg": 90.0}))
    result, recording = recorded(plan, tmp_path)
    assert (result.changer.taken, result.changer.refused) == (1, 0)
    commands, jumps = judged(recording)
    np.testing.assert_array_equal(recording.column("command_n_m"), commands)
    assert jumps[501] > 10.0


def test_a_change_that_was_prepared_before_another_was_taken_is_refused():
    law = open_bench(plan_of()).gated.law
    motion = JointMotion(*np.zeros((3, 6)))
    first, second = (law.diagram.prepare(DiagramChange({"kp": [one] * 6})) for one in (1.0, 2.0))
    law.diagram.offer(first)
    law.command(motion, motion, np.zeros(6))
    assert law.diagram.outcome.refused == ""
    law.diagram.offer(second)
    assert law.diagram.outcome.refused == "another change came first"


@pytest.mark.parametrize("carried", [False, True])
def test_a_change_that_a_recording_holds_names_no_file_of_whoever_does_it_again(tmp_path, carried):
    """What a run records of its changes is whole; a stranger may have written another one."""
    (tmp_path / "private.csv").write_text("t_s,x\n0,41\n1,42\n")
    law = open_bench(plan_of()).gated.law
    table = '"private" = { kind = "File", file = "private.csv", column = "x" }'
    text = TEXT.replace("[block]", f"[block]\n{table}", 1)
    change = DiagramChange(text=text, source=str(tmp_path / "a.toml"))
    written = EditText(change.json(), change.source)
    events = SimpleNamespace(path="recording.mcap")
    with pytest.MonkeyPatch.context() as patch:
        held = {changer.WHO: [(written, {"step": 3}, 0)]}
        patch.setattr(changer, "texts_of", lambda _, who: held.get(who, []))
        (again,) = changes_of(events)
    given = again.change if carried else change
    if carried:
        with pytest.raises(ConfigError, match="named by a document of a recording"):
            law.diagram.prepare(given)
    else:
        assert "private.csv" not in law.diagram.prepare(given).change.text, "it is whole"


def test_a_drive_without_a_bound_may_not_jump_at_all():
    """Of a speed that has no limit there is no twentieth; `jump` says then how much it may."""
    for given, taken in ((None, False), (0.5, True)):
        plan = plan_of()
        law = open_bench(plan).gated.law
        drives = [replace(one, speed_max=None) for one in plan.robot.drives]
        use = plan.scenario.diagram.model_copy(update={"jump": given, "feed": ()})
        used = diagram_of_text(use, SPEEDS, ROBOT_A, {})
        made = DiagramLaw(used, use, law._robot_signals, "speed", drives, law._built_in, 0.002)
        motion = JointMotion(np.full(6, 0.1), np.zeros(6), np.zeros(6))
        still = JointMotion(*np.zeros((3, 6)))
        made.command(motion, still, np.zeros(6))
        made.diagram.offer(made.diagram.prepare(DiagramChange({"k.value": 2.0})))
        made.command(motion, still, np.zeros(6))
        assert (made.diagram.outcome.refused == "") == taken, made.diagram.outcome
        assert made.diagram.outcome.jump == pytest.approx(0.1)


SPEEDS = """format = 1
[block]
k = { kind = "Constant", value = 1.0, unit = "1/s" }
m = { kind = "Scale" }
e = { kind = "Sum", signs = "+-" }
wanted_rad = { kind = "In", shape = [6], unit = "rad" }
position_rad = { kind = "In", shape = [6], unit = "rad" }
speed = { kind = "Out", unit = "rad/s" }
[wire]
"e.u1" = "wanted_rad.y"
"e.u2" = "position_rad.y"
"m.u" = "e.y"
"m.k" = "k.y"
"speed.u" = "m.y"
"""
"""A law that gives speeds: k times the way to go."""


UNFIT = [
    (DiagramChange(text=TEXT.replace("base_s = 0.002", "base_s = 0.004")),
     "base_s = 0.004 s: 0.002 s, while it runs"),
    (DiagramChange(text=TEXT.replace('"torque', '"force')), "no output 'torque'"),
    (DiagramChange(text=TEXT.replace("shape = [6]", "shape = [5]", 1)), "vector of 5"),
    (DiagramChange(text="format = "), "diagram.toml"),
    (DiagramChange(text=TEXT + '"nowhere.u" = "sum.y"\n'), "nowhere"),
    (DiagramChange({"kx": 1.0}), "kx"),
    (DiagramChange({"sum.signs": "+++"}), "sum"),
    (DiagramChange({"kp": [1.0, 2.0]}), "a vector of 6 into a vector of 2"),
    (DiagramChange({"kp": [math.inf] * 6}), "kp"),
    (DiagramChange(text=TEXT.replace('"torque.u" = "sum.y"', '"torque.u" = "s.y"\n"s.u" = '
                   '"sum.y"\n"s.k" = "p.y"\n"p.u" = "z.y"').replace('[block]', '[block]\n'
                   '"s" = { kind = "Scale" }\n"p" = { kind = "Reciprocal" }\n"z" = { kind = '
                   '"Constant", value = 0.0 }', 1)), "p made a number that is not finite"),
]  # fmt: skip
"""Changes, and what is said of each."""


def test_what_does_not_fit_is_refused_and_the_run_goes_on(tmp_path, plain):
    plan = plan_of(*(at(0.5 + 0.05 * n, change) for n, (change, _) in enumerate(UNFIT)))
    result, recording = recorded(plan, tmp_path)
    assert (result.changer.taken, result.changer.refused) == (0, len(UNFIT))
    answers = [row for _, row, _ in told(recording)]
    faults = dict.fromkeys(answers, "")
    for one in recording.events:
        if "fault" in one.data:
            faults[one.index] += one.message
    assert all(words in faults[row] for row, (_, words) in zip(answers, UNFIT, strict=True)), faults
    commands = [one.column("command_n_m") for one in (recording, plain)]
    np.testing.assert_array_equal(*commands)


def test_a_scenario_says_when_and_its_check_proves_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other.toml").write_text(lost_integral())
    scenario = tmp_path / "s.toml"
    scenario.write_text(
        'station = "world"\nname = "s"\nrobot = "robot_a"\nlaw = "diagram"\n[diagram]\n'
        'file = "robot_a"\nchange = [{ at_s = 0.5, set = [{ parameter = "integral.start", value '
        '= [0.0, 0.0, 0.0, 0.0, 0.0, 0.0] }] }, { at_s = 0.7, file = "other.toml", force = true '
        '}]\n[motion]\nkind = "joints"\ngoal = [{ joint = 1, by_deg = -9.0 }]\nduration_s = 1.0\n'
    )
    done = CliRunner().invoke(app, ["run", str(scenario), "--json"])
    found = json.loads(done.stdout)
    assert found["changes"] + found["changes_refused"] == 2
    assert found["changes"] >= 1
    run = next((tmp_path / "runs").iterdir())
    done = CliRunner().invoke(app, ["world", "rerun", str(run), "--json"])
    assert json.loads(done.stdout)["ok"], done.output
    done = CliRunner().invoke(app, ["run", "diagram_move", "--edits", str(run), "--json",
                                    "--set", "motion.duration_s=3"])  # fmt: skip
    assert json.loads(done.stdout)["changes"] == found["changes"]


def test_a_change_without_anything_and_one_later_than_the_end_are_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["run", "diagram_move", "--set", "diagram.change=[{at_s=1}]"])
    assert done.exit_code == 2
    assert "diagram.change.0: set or file is needed" in done.output
    late = at(900.0, DiagramChange({"kp": ZEROS}))
    result, _ = recorded(plan_of(late), tmp_path)
    assert "change at t = 900.000 s" in result.changer.missed[0]


def test_a_rerun_that_is_not_the_same_names_signal_and_row(tmp_path, monkeypatch):
    calm = DiagramChange({"kp": [0.99 * one for one in
                                 read_text(TEXT, ROBOT_A).top.parameters["kp"].value]})  # fmt: skip
    _, recording = recorded(plan_of(at(1.0, calm)), tmp_path)
    plan = plan_of_recording(recording)
    assert [one.step for one in plan.changes] == [500]
    monkeypatch.setattr("hil.stations.world.run.rerun.changes_of", lambda _: ())
    again = rerun(recording.path, tmp_path)
    assert not again.same
    assert {one.name: one.row for one in again.differs}["command_n_m"] == 501
    done = CliRunner().invoke(app, ["world", "rerun", str(recording.path), "--out", str(tmp_path)])
    assert done.exit_code == 1
    assert "command_n_m: from row 501 on" in done.output


def test_a_saved_file_is_a_change_that_keeps_the_scenarios_parameters(tmp_path):
    path = tmp_path / "law.toml"
    path.write_text(TEXT)
    told = []
    saved = DiagramFileWatch(path, TEXT, {"kp": 1.0}, told.append)
    saved.poll()
    assert saved.next() is None
    path.write_text(variant(1))
    saved.poll()
    saved.poll()
    assert saved.next() == DiagramChange({"kp": 1.0}, variant(1), str(path))
    assert saved.next() is None
    assert told == []
    path.unlink()
    saved.poll()
    saved.poll()
    assert saved.next() is None
    assert len(told) == 1
    assert "the law goes on as it is" in told[0]
    path.write_bytes(b"\xff\xfe")
    saved.poll()
    assert len(told) == 2
    path.write_text(variant(2))
    saved.poll()
    assert saved.next().text == variant(2)
    path.unlink()
    saved.poll()
    assert len(told) == 3  # told anew after it could be read


def test_what_is_built_beside_is_taken_when_it_is_ready(tmp_path, monkeypatch):
    """The loop turns on while a thread builds; the recording says at which step it was taken."""
    asked = iter([DiagramChange(text=variant(2), source="v.toml")])
    changers = []

    class Beside(DiagramChanger):
        def __init__(self, changes, step_s, inbox, *, beside):
            assert not beside
            super().__init__(changes, step_s, inbox, beside=True)
            changers.append(self)

        def act(self, diagram, journal, tick):
            super().act(diagram, journal, tick)
            if tick.index == 300 and self._building is not None:
                self._building[1].exception()  # ready now, at the latest

    monkeypatch.setattr("hil.stations.world.run.session.DiagramChanger", Beside)
    result = run_world(plan_of(), tmp_path, changes=lambda: next(asked, None))
    assert (changers[0].taken, changers[0].refused) == (1, 0)
    recording = Recording.open(result.recorder.path)
    np.testing.assert_array_equal(recording.column("command_n_m"), judged(recording)[0])
    assert rerun(recording.path, tmp_path).same


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"set": 1, "text": "", "source": ""}',
     '{"set": {}, "text": 1, "source": "", "forced": false}'],
)  # fmt: skip
def test_a_text_that_is_no_change_is_refused(text):
    with pytest.raises(ConfigError, match="change of a diagram"):
        DiagramChange.from_json(text)


def test_a_change_survives_its_text():
    change = DiagramChange(
        {"a/b.k": [[1.0, 2.0], [3.0, 4.0]], "c": True}, "format = 1\n", "f", True
    )
    assert DiagramChange.from_json(change.json()) == change
    assert change.changes == {("a/b", "k"): ((1.0, 2.0), (3.0, 4.0)), ("", "c"): True}


def test_a_rerun_needs_no_library_and_no_table_of_then(tmp_path, plain):
    """What lies beside the diagram may be another, or gone, when its recording is run again."""
    for name in ("whole", "changed"):
        (tmp_path / f"{name}.csv").write_text("t_s,k\n0,1.0\n2,0.9\n")
    (tmp_path / "lib.toml").write_text("""format = 1
[sub.Part.block]
k = { kind = "In" }
u = { kind = "In" }
s = { kind = "Scale" }
y = { kind = "Out" }
[sub.Part.wire]
"s.k" = "k.y"
"s.u" = "u.y"
"y.u" = "s.y"
""")
    blocks = """[block]
"k" = { kind = "File", file = "whole.csv", column = "k" }
"part" = { kind = "sub", of = "Part" }"""
    text = TEXT.replace("format = 1", 'format = 1\nlibrary = ["lib.toml"]', 1)
    text = text.replace("[block]", blocks, 1)
    wires = '"torque.u" = "part.y"\n"part.u" = "sum.y"\n"part.k" = "k.y"'
    text = text.replace('"torque.u" = "sum.y"', wires)
    path = tmp_path / "law.toml"
    path.write_text(text)
    changed = DiagramChange({}, text.replace("whole.csv", "changed.csv"), str(path))
    plan = plan_of(at(1.0, changed))
    use = plan.scenario.diagram
    plan = replace(plan, diagram=diagram_of_text(use, text, path, {}))
    result, recording = recorded(plan, tmp_path)
    assert (result.changer.taken, result.changer.refused) == (1, 0)
    for name in ("lib.toml", "whole.csv", "changed.csv", "law.toml"):
        (tmp_path / name).unlink()
    assert rerun(recording.path, tmp_path).same
    commands = recording.column("command_n_m")
    assert not np.array_equal(commands, plain.column("command_n_m"))
