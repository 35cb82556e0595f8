"""An operator's diagram while the arm moves: what is changed, by whom, and what never is."""

import itertools
import math
import re
from contextlib import ExitStack
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from desk_run import desk_run
from hypothesis import given, settings
from hypothesis import strategies as st
from live_bench import TOKEN, live_plan, live_toml, source_maker, typed
from test_diagram_source import HANDLES, LIMITS, Asked, of_handles, push
from typer.testing import CliRunner

from arm_driver.link_states import StreamResult
from hil.cli.main import app
from hil.config.errors import ConfigError, RefusedError
from hil.config.named_files import GIVEN
from hil.desk import messages as m
from hil.desk.velocity.panel_operator import PanelOperator
from hil.desk.velocity.source import SourceError
from hil.diagram.run.change import DiagramChange
from hil.diagram.run.changer import TimedChange, changes_of
from hil.diagram.run.panel_page import pages
from hil.recording.reader import Recording
from hil.run.pages import PageButton, PageNumber, PageSlider
from hil.stations.arm.plan.scenario import load_arm_plan
from hil.stations.arm.run.bench import prepare_plan, run_arm, source_of
from hil.stations.arm.run.diagram_run import diagram_run, edited
from hil.stations.arm.run.wire import emulated_robot
from hil.stations.arm.sources.diagram import OperatedSource
from hil.timing.clock import VirtualClock
from sim.world.space_arm.simulator import TICK_S

FIXED = "the robot at socket://here:1 has power; only parameters change then"
SCALED = HANDLES.read_text().replace(
    '"scaled" = { kind = "Gain", k = "$share" }',
    '"scaled" = { kind = "Scale" }\n'
    '"pace" = { kind = "PanelSlider", value = 1.0, low = 0.0, high = 1.0, label = "Pace" }\n'
    '"again" = { kind = "PanelButton" }\n"times" = { kind = "Counter" }\n'
    '"times_real" = { kind = "IntegerToReal" }\n"number" = { kind = "PanelNumber" }',
).replace('"scaled.u" = "smooth.y"', '"scaled.u" = "smooth.y"\n"scaled.k" = "pace.y"\n'
          '"times.up" = "again.y"\n"times_real.u" = "times.y"\n'
          '"number.u" = "times_real.y"')  # fmt: skip
"""`handles` with a slider for a part of what is asked, and a button that is counted."""


@pytest.fixture
def scaled(tmp_path):
    path = tmp_path / "scaled.toml"
    path.write_text(SCALED)
    return path


def ticked(source, ticks, begin=0):
    """What it wants along x, a sample a tick of 5 ms."""
    return [source.sample(0.005 * tick).linear_m_s[0] for tick in range(begin, begin + ticks)]


def test_a_parameter_changes_what_is_wanted_in_the_next_tick_and_nothing_else():
    inner, made = Asked(), of_handles()
    source = OperatedSource(inner, made)
    push(inner, 0.021)
    found = ticked(source, 200)
    made.diagram.offer(made.diagram.prepare(DiagramChange({"share": 0.95})))
    found += ticked(source, 200, 200)
    part = 0.02 * (1.0 - np.exp(-0.005 * np.arange(400) / 0.15))  # the lag remembers
    wanted = np.where(np.arange(400) < 200, part, 0.95 * part)
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-15)
    assert made.diagram.outcome.refused == ""
    assert made.diagram.outcome.jump == pytest.approx(0.05 * part[200], rel=1e-9)


def test_a_jump_beyond_a_twentieth_of_the_limits_is_refused_with_value_limit_and_unit():
    inner, made = Asked(), of_handles()
    source = OperatedSource(inner, made)
    push(inner, 0.05)
    before = ticked(source, 400)[-1]
    made.diagram.offer(made.diagram.prepare(DiagramChange({"share": 0.5})))
    after = ticked(source, 1, 400)[0]
    assert after == pytest.approx(before, rel=1e-3)
    assert made.diagram.outcome.refused == (
        f"the command jumps by {0.5 * before:.4g} m/s, at most 0.0025 m/s"
    )


def test_what_is_changed_while_nobody_holds_it_is_taken_at_once_and_moves_nothing():
    inner, made = Asked(), of_handles()
    source = OperatedSource(inner, made)
    for share in (0.5, 0.25):
        made.diagram.offer(made.diagram.prepare(DiagramChange({"share": share})))
        assert source.sample(0.0).at_rest
        assert made.diagram.outcome == replace(made.diagram.outcome, refused="", jump=0.0)
    push(inner, 0.021)
    assert ticked(source, 2)[1] == pytest.approx(0.25 * 0.02 * (1.0 - math.exp(-0.005 / 0.15)))


def test_what_makes_no_number_is_refused_at_rest_and_in_motion():
    both = '"per" = { kind = "Reciprocal" }\n"back" = { kind = "Reciprocal" }\n"scaled" = {'
    broken = HANDLES.read_text().replace('"scaled" = {', both)
    wires = '"per.u" = "smooth.y"\n"back.u" = "per.y"\n"scaled.u" = "back.y"'
    broken = broken.replace('"scaled.u" = "smooth.y"', wires)
    for held in (False, True):
        inner, made = Asked(), of_handles()
        source = OperatedSource(inner, made)
        push(inner, 0.021)
        before = ticked(source, 10)[-1]
        inner.held = held
        made.diagram.offer(made.diagram.prepare(DiagramChange({}, broken, "broken.toml")))
        after = source.sample(0.05)
        assert "per" in made.diagram.outcome.refused
        assert (after.linear_m_s[0] > before) == held
        push(inner, 0.021)
        assert source.sample(0.055) is not None


CHANGES = st.one_of(
    st.builds(lambda share: DiagramChange({"share": share}), st.floats(0.0, 1.0)),
    st.builds(lambda width: DiagramChange({"smooth_s": width}), st.floats(0.01, 5.0)),
    st.just(DiagramChange({"share": 2.0})),
    st.just(DiagramChange({}, HANDLES.read_text(), "same.toml")),
    st.just(DiagramChange({"share": 0.5}, SCALED, "other.toml", forced=True)),
    st.just(DiagramChange({}, "", "none.toml", forced=True)),
)


@given(st.lists(st.tuples(CHANGES, st.booleans(), st.integers(1, 20)), min_size=1, max_size=12))
@settings(max_examples=40, deadline=None)
def test_with_power_on_no_sequence_of_changes_ever_changes_the_structure(acts):
    inner, made = Asked(), of_handles(fixed=FIXED)
    source, blocks = OperatedSource(inner, made), set(made.version.sound.flat.blocks)
    drivers, tick = dict(made.version.sound.flat.drivers), itertools.count()
    for change, held, ticks in acts:
        push(inner, 0.02)
        inner.held = held
        if change.text or change.set.get("share", 0.0) > 1.0:
            with pytest.raises(ConfigError, match=FIXED if change.text else "0 to 1"):
                made.diagram.prepare(change)
        else:
            made.diagram.offer(made.diagram.prepare(change))
        for _ in range(ticks):
            source.sample(0.005 * next(tick))
        flat = made.diagram.now.version.sound.flat
        assert (set(flat.blocks), dict(flat.drivers)) == (blocks, drivers)
        assert made.diagram.now.version.file == made.version.file


def test_with_power_on_a_parameter_changes_numbers_and_no_more(tmp_path):
    """An expression is a parameter too, and so is how many numbers a table holds."""
    text = SCALED.replace(
        '"pace" = {',
        '"own" = { kind = "Expression", text = "y = u*k", names = "k", values = [1.0] }\n'
        '"error" = { kind = "Sum", signs = "+-" }\n'
        '"table" = { kind = "TimeTable", times_s = [0.0, 1.0], values = [1.0, 1.0] }\n"pace" = {',
    ).replace(
        '"scaled.k" = "pace.y"',
        '"scaled.k" = "own.y"\n"own.u" = "table.y"\n"error.u1" = "table.y"\n"error.u2" = "table.y"',
    )
    path = tmp_path / "own.toml"
    path.write_text(text)
    numbers = ({"own.values": (0.9,)}, {"table.values": (0.9, 0.8)}, {"share": 0.7},
               {"again.presses": 1})  # fmt: skip
    structure = (
        {"own.text": "y = u*k*k"}, {"own.text": "y = u*k; x' = u"}, {"error.signs": "-+"},
        {"table.times_s": (0.0, 1.0, 2.0), "table.values": (1.0, 1.0, 1.0)},
        {"again.presses": 1, "own.text": "y = k*u"},
    )  # fmt: skip
    for power in ("", FIXED):
        made = of_handles(path, power)
        for one in numbers:
            made.diagram.prepare(DiagramChange(one))
        for one in structure:
            change = DiagramChange(one, forced=True)
            if power:
                with pytest.raises(ConfigError, match=r"structure stays as it is.*has power"):
                    made.diagram.prepare(change)
            else:
                made.diagram.prepare(change)


def operated_plan(path, *overrides, **keys):
    source = {"kind": "diagram", "file": str(path), "frame": "base",
              "by": {"kind": "keyboard", "frame": "base"}, **keys}  # fmt: skip
    GIVEN.take(source)  # as on the command line
    return live_plan(source, *overrides)


def test_a_robot_on_a_line_says_where_its_power_is_and_a_simulated_one_may_change(scaled):
    on_line = diagram_run(operated_plan(scaled, "devices.arm=socket://here:1", "clock=real"))
    other = DiagramChange({}, HANDLES.read_text(), "handles.toml", forced=True)
    with pytest.raises(ConfigError, match=r"handles\.toml: its structure stays as it is: the robot "
                       "at socket://here:1 has power"):  # fmt: skip
        on_line.made.diagram.prepare(other)
    on_line.made.diagram.prepare(DiagramChange({"pace.value": 0.5}))
    for simulated in ((), ("devices.arm=socket://here:1", "devices.in_place_of=serial:x")):
        diagram_run(operated_plan(scaled, *simulated, "clock=real")).made.diagram.prepare(other)


def held(board, begin_s, end_s):
    times = np.arange(begin_s, end_s, 0.03)
    return [(float(t_s), typed(*board, b"r")) for t_s in times]


@pytest.fixture
def ran(board, monkeypatch, tmp_path, scaled):
    """A run in which the key of one direction is held from 1 to 10 s, recorded."""

    def run(inbox=(), led=None, **keys):
        acts = [*held(board, 1.0, 10.0), (13.0, typed(*board, b"q"))]
        made = source_maker(lambda *_: acts, keyboard_fd=board[1])
        monkeypatch.setattr("hil.stations.arm.run.bench.source_of", made)
        asked = iter(inbox)

        def with_inbox(plan):
            found = diagram_run(plan)
            found.inbox = lambda: next(asked, None)
            found._led = led
            return found

        if inbox:
            monkeypatch.setattr("hil.stations.arm.run.bench.diagram_run", with_inbox)
        result = run_arm(prepare_plan(operated_plan(scaled, **keys)), tmp_path)
        assert result.end.result is StreamResult.COMPLETED
        return Recording.open(result.recorder.path)

    return run


def test_what_the_scenario_slides_and_presses_is_recorded_and_seen_in_the_motion(ran):
    recording = ran(slide=["pace=0.95@5"], press=["again@2", "again@6"])
    taken = [one for one in recording.events if one.name == "diagram" and "set" in one.data]
    assert [one.data["set"] for one in taken] == [
        "again.presses: 0 -> 1", "pace.value: 1.0 -> 0.95", "again.presses: 1 -> 2",
    ]  # fmt: skip
    steps = [one.data["step"] for one in taken]
    assert steps == [round(t_s / TICK_S) for t_s in (2.0, 5.0, 6.0)]
    shown = recording.column("panel_number").tolist()
    assert [one for one, _ in itertools.groupby(shown)] == [0.0, 1.0, 2.0, 0.0]  # let go: anew
    wanted = np.abs(recording.column("wanted_twist")[:, 2])
    before, after = wanted[steps[1] - 2], wanted[steps[1] + 6]
    assert before == pytest.approx(0.049, rel=1e-3)
    assert after == pytest.approx(0.95 * before, rel=1e-3)
    assert changes_of(recording) == tuple(
        TimedChange(step, DiagramChange(set_)) for step, set_ in zip(steps, (
            {"again.presses": 1}, {"pace.value": 0.95}, {"again.presses": 2}), strict=True)
    )  # fmt: skip
    (page,) = pages(recording.header.scenario)
    assert page.widgets == (
        PageButton(label="again", counts="presses.again"),
        PageSlider(label="Pace", key="set.pace", low=0.0, high=1.0, step=0.005, value=1.0),
        PageNumber(label="number", column="panel_number", digits=3),
    )


def test_another_structure_is_taken_in_a_dry_run_and_one_that_jumps_is_refused(ran):
    plain = DiagramChange({}, HANDLES.read_text(), "plain.toml")
    halved = DiagramChange({"share": 0.5}, HANDLES.read_text(), "halved.toml")
    recording = ran(inbox=[None] * 600 + [halved] + [None] * 100 + [plain])
    heads = [one for one in recording.events if one.name == "diagram" and "taken" in one.data]
    assert [(one.data["source"], one.data["taken"]) for one in heads] == [
        ("halved.toml", False), ("plain.toml", True),
    ]  # fmt: skip
    assert any("the command jumps by 0.0245 m/s, at most 0.0025" in one.message
               for one in recording.events)  # fmt: skip
    shown = recording.column("panel_number")
    assert shown[0] == 0.0
    assert np.isnan(shown[-1])  # the block is gone


def test_panels_hear_why_what_they_asked_for_was_not_taken(ran):
    """Of a jump, which the desk cannot know of; of others' changes they hear nothing."""
    heard = []
    jumps = [DiagramChange({"pace.value": 0.2}, source=one) for one in ("somebody", "panel")]
    calm = DiagramChange({"pace.value": 0.96}, source="panel")
    ran(inbox=[None] * 600 + jumps + [calm], led=SimpleNamespace(refuse_table=heard.append))
    assert len(heard) == 1
    assert re.fullmatch(r"the command jumps by 0\.0392 m/s, at most 0\.0025 m/s", heard[0])


def test_a_refusal_is_told_with_the_number_of_what_was_asked():
    told = []
    order = SimpleNamespace(owner="Anna", motion_serial=7, motion_json=b"{}", presser="")
    wish = SimpleNamespace(order=order, held=False, pressed=(), stale=())
    led = PanelOperator(SimpleNamespace(), SimpleNamespace(publish=lambda _, one: told.append(one)),
                      lambda: 1.0, station="arm", live=True)  # fmt: skip
    led._operator = SimpleNamespace(poll=lambda: wish, seen=(), rule="hold")
    led.poll()
    led.refuse_table("too much")
    led.poll()
    order.motion_serial = 8  # what is asked for next is not refused
    led.poll()
    assert [str(one.refused) for one in told] == ["", "motion 7: too much", ""]


def test_without_a_diagram_there_is_nothing_to_edit_press_or_slide():
    plan = live_plan({"kind": "keyboard"})
    assert diagram_run(plan) is None
    with pytest.raises(ConfigError, match="an operator's diagram is needed"):
        edited(plan, None, print)


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        ({"press": ["pace@1"]}, "no PanelButton 'pace'.*there are again"),
        ({"slide": ["pace=0.5"]}, "NAME=VALUE@SECONDS"),
        ({"set": [{"parameter": "nobody", "value": 1.0}]}, "nobody"),
    ],
)
def test_what_is_no_act_is_refused_before_anything_moves(scaled, keys, why):
    with pytest.raises(RefusedError, match=why):
        diagram_run(operated_plan(scaled, **keys))


def test_a_check_looks_at_the_operators_diagram(scaled, tmp_path):
    live = """kind = "diagram"
file = "scaled.toml"
by = { kind = "keyboard" }"""
    found = {}
    for acts in ('slide = ["pace=0.5@2"]', 'slide = ["peace=0.5@2"]'):
        path = live_toml(tmp_path / "live.toml", f"{live}\n{acts}")
        found[acts] = CliRunner().invoke(app, ["check", str(path)])
    good, bad = found.values()
    assert good.exit_code == 0, good.output
    assert bad.exit_code != 0
    assert "no PanelSlider or PanelSwitch 'peace'; did you mean pace?" in bad.output + bad.stderr


def test_a_motion_by_itself_takes_a_persons_acts_where_they_are_due(tmp_path):
    path = tmp_path / "drawn.toml"
    path.write_text("""format = 1
base_s = 0.01
[block]
"go" = { kind = "PanelSlider", value = 0.0, low = 0.0, high = 0.04, unit = "m/s" }
"ramp" = { kind = "RateLimit", fall = 0.02, rise = 0.02, unit = "m/s" }
"all" = { kind = "Mux", width = 3 }
"none" = { kind = "Constant", unit = "m/s", value = 0.0 }
"still" = { kind = "Constant", value = [0.0, 0.0, 0.0], unit = "rad/s" }
"linear" = { kind = "Out", unit = "m/s" }
"angular" = { kind = "Out", unit = "rad/s" }
[wire]
"ramp.u" = "go.y"
"all.u1" = "none.y"
"all.u2" = "none.y"
"all.u3" = "ramp.y"
"linear.u" = "all.y"
"angular.u" = "still.y"
""")
    source = {"kind": "diagram", "file": str(path), "duration_s": 8.0,
              "slide": ["go=0.04@1", "go=0.0@5"]}  # fmt: skip
    GIVEN.take(source)
    made = source_of(live_plan(source), VirtualClock())
    for t_s, wanted in ((0.5, 0.0), (2.0, 0.02), (4.0, 0.04), (6.0, 0.02), (7.5, 0.0)):
        assert made.sample(t_s).linear_m_s[2] == pytest.approx(wanted, abs=2.1e-4)
    never = source | {"slide": ["go=0.04@1"]}
    with pytest.raises((RefusedError, SourceError), match="begin and end at rest"):
        source_of(live_plan(never), VirtualClock())
    with pytest.raises((RefusedError, SourceError), match=r"0 to 0\.04"):
        source_of(live_plan(source | {"slide": ["go=0.05@1"]}), VirtualClock())
    assert LIMITS.linear_m_s == 0.05


@pytest.mark.real_time
@pytest.mark.parametrize("on_line", [False, True])
def test_the_owner_alone_sets_and_a_saved_file_is_taken_without_power_alone(
    scaled, tmp_path, on_line
):
    (tmp_path / "token").write_text(TOKEN)
    (tmp_path / "token").chmod(0o600)
    scenario = live_toml(
        tmp_path / "live.toml",
        """kind = "diagram"
file = "scaled.toml"
by = { kind = "remote", listen = "s.sock", token_file = "token" }""",
        longest_s=120.0,
    )
    with ExitStack() as stack:
        link = ()
        if on_line:
            prepared = prepare_plan(load_arm_plan(scenario, ["clock=real"]))
            link = ("--arm-link", stack.enter_context(emulated_robot(prepared)))
        run = stack.enter_context(desk_run(tmp_path, scenario, "--edit", *link))
        owner, other = run.connected("Anna", "Bert")
        table = {"kind": "diagram", "set": {"pace": 0.75}, "presses": {"again": 1}}
        assert not run.answer(other, m.Motion, table=table, id=2).ok
        assert "0 to 1" in run.answer(owner, m.Motion, table=table | {"set": {"pace": 2.0}},
                                      id=3).error  # fmt: skip
        assert run.answer(owner, m.Motion, table=table, id=4).ok
        run.wait(2.5)
        more = '"more" = { kind = "Constant", value = 1.0 }\n"number" = {'
        (tmp_path / "part").write_text(SCALED.replace('"number" = {', more))
        (tmp_path / "part").replace(scaled)  # as editors save
        run.wait(2.5)
        recording, errors = run.ended(other)
    heads = [one.data for one in recording.events if one.name == "diagram" and "taken" in one.data]
    assert [(one["source"], one["taken"]) for one in heads] == [
        ("panel", True), (str(scaled), not on_line),
    ], errors  # fmt: skip
    assert heads[0]["set"] == "pace.value: 1.0 -> 0.75, again.presses: 0 -> 1"
    power = [one for one in recording.events if "has power" in one.message]
    assert len(power) == on_line
