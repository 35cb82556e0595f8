"""Panel blocks of a diagram that moves a robot: their page, what may be asked, what is recorded."""

import json
from pathlib import Path

import numpy as np
import orjson
import pytest
from desk_run import desk_run

from hil.config.errors import ConfigError
from hil.config.file_search import configs_dir
from hil.desk import messages as m
from hil.desk.client import DeskClient
from hil.diagram.file.read import read_text
from hil.diagram.run.live import Version
from hil.diagram.run.panel_page import PanelInbox, change_of_table, pages, version_from_table
from hil.diagram.run.prover_program import PanelJudge
from hil.panel.live.models.feed import LiveFeed
from hil.panel.live.models.page import PageModel
from hil.recording.reader import Recording
from hil.run.pages import PageButton, PageFlag, PageNumber, PageSlider, PageSwitch
from hil.stations.world.editing.plans import plan_from_header
from hil.stations.world.plan.scenario_reader import load_world_plan
from hil.stations.world.run.session import run_world

LAW = (configs_dir() / "diagrams" / "robot_a.toml").read_text()
BLOCKS = """[block]
"share" = { kind = "PanelSlider", value = 1.0, low = 0.5, high = 1.5, label = "Share of it" }
"soft" = { kind = "PanelSwitch" }
"count" = { kind = "PanelButton" }
"times" = { kind = "Counter" }
"times_real" = { kind = "IntegerToReal" }
"half" = { kind = "Constant", value = 0.5 }
"whole" = { kind = "Constant", value = 1.0 }
"chosen" = { kind = "Switch" }
"both" = { kind = "Multiply" }
"scaled" = { kind = "Scale" }
"lamp" = { kind = "PanelLamp" }
"text" = { kind = "PanelText", on = "gently", off = "as usual" }
"number" = { kind = "PanelNumber", digits = 1 }
"""
WIRES = """[wire]
"times.up" = "count.y"
"times_real.u" = "times.y"
"number.u" = "times_real.y"
"lamp.u" = "soft.y"
"text.u" = "soft.y"
"chosen.condition" = "soft.y"
"chosen.u1" = "half.y"
"chosen.u2" = "whole.y"
"both.u1" = "chosen.y"
"both.u2" = "share.y"
"scaled.k" = "both.y"
"scaled.u" = "sum.y"
"torque.u" = "scaled.y"
"""
TEXT = (
    LAW.replace("[block]\n", BLOCKS).replace("[wire]\n", WIRES)
    .replace('"torque.u" = "sum.y"\n', "")
)  # fmt: skip


@pytest.fixture
def scenario(tmp_path):
    (tmp_path / "law.toml").write_text(TEXT)
    text = (configs_dir() / "scenarios" / "diagram_move.toml").read_text()
    path = tmp_path / "move.toml"
    path.write_text(text.replace('file = "robot_a"', 'file = "law.toml"\njump = 1e6'))
    return path


def told_of(scenario):
    """A plan as a header's JSON has it."""
    return orjson.loads(orjson.dumps(load_world_plan(scenario).to_table()))


def version():
    return Version.of(read_text(TEXT, Path("law.toml")), {})


def test_the_page_has_a_widget_for_each_block(scenario):
    (page,) = pages(told_of(scenario))
    found = {one.label: one for one in page.widgets}
    assert found == {
        "Share of it": PageSlider(
            label="Share of it", key="set.share", low=0.5, high=1.5, step=0.005, value=1.0
        ),
        "soft": PageSwitch(label="soft", key="set.soft"),
        "count": PageButton(label="count", counts="presses.count"),
        "lamp": PageFlag(label="lamp", column="panel_lamp"),
        "text": PageFlag(label="text", column="panel_text", on="gently", off="as usual"),
        "number": PageNumber(label="number", column="panel_number", digits=1),
    }
    plain = configs_dir() / "scenarios" / "diagram_move.toml"
    assert pages(told_of(plain)) == ()
    assert pages(told_of(configs_dir() / "scenarios" / "joint_move.toml")) == ()


def test_what_the_scenario_sets_stays_set_in_header_page_and_later_changes(scenario):
    text = scenario.read_text().replace(
        "jump = 1e6", 'jump = 1e6\nset = [{ parameter = "share.value", value = 0.75 }]'
    )
    scenario.write_text(text)
    used = load_world_plan(scenario).diagram
    after, told = used.version.changed({("soft", "on"): True})
    assert (after.value("share", "value"), told) == (0.75, (("soft.on", False, True),))
    assert version_from_table(told_of(scenario)).value("share", "value") == 0.75
    (page,) = pages(told_of(scenario))
    assert next(one.value for one in page.widgets if one.label == "Share of it") == 0.75


def test_the_judge_lets_through_what_is_within_limits_and_no_more(scenario):
    used = plan_from_header(told_of(scenario)).diagram
    judge = PanelJudge(Version.of(used.file, used.changes))
    good = {"kind": "diagram", "set": {"share": 1.25, "soft": True}, "presses": {"count": 2}}
    why, table = judge.motion(good)
    assert (why, json.loads(table)) == ("", good)
    for wrong, words in (
        ({"set": {"share": 1.75}}, "0.5 to 1.5"),
        ({"set": {"share": "much"}}, "share"),
        ({"set": {"share": float("nan")}}, "share"),
        ({"set": {"soft": 2}}, "soft"),
        ({"set": {"count": 1}}, "there are share, soft"),
        ({"presses": {"share": 1}}, "there are count"),
        ({"presses": {"count": -1}}, "whole number"),
        ({"presses": {"count": True}}, "whole number"),
        ({"set": {"kp": [1.0] * 6}}, "no such panel block"),
        ({"text": "format = 1"}, "kind = 'diagram'"),
        ({"kind": "hold"}, "kind = 'diagram'"),
    ):
        why, table = judge.motion({"kind": "diagram"} | wrong)
        assert words in why
        assert table == b""
    assert judge.target((0.0,) * 6)


def test_what_nobody_has_moved_is_not_asked_for_and_a_wish_may_be_repeated():
    inbox = PanelInbox(version())
    assert inbox.next() is None

    def ask(**table):
        inbox.take(json.dumps({"kind": "diagram", **table}).encode())

    ask(set={"share": 1.0, "soft": False}, presses={"count": 0})
    assert inbox.next() is None  # as it is
    ask(set={"share": 1.25, "soft": False})
    ask(set={"share": 1.25, "soft": True}, presses={"count": 1})
    ask(set={"share": 1.0, "soft": True}, presses={"count": 1})
    inbox.take(b"{")
    assert inbox.next().set == {"share.value": 1.25}
    moved = {"share.value": 1.25, "soft.on": True, "count.presses": 1}
    assert inbox.next().set == moved
    back = moved | {"share.value": 1.0}  # where it began: it was moved, and is moved back
    assert inbox.next().set == back
    assert inbox.next() is None
    ask(set={"share": 1.0, "soft": True}, presses={"count": 1})  # the run may have refused it
    assert inbox.next().set == back
    with pytest.raises(ConfigError):
        change_of_table(version(), {"kind": "diagram", "set": {"nothing": 1}})


@pytest.mark.parametrize("table", [1, "diagram", None, [], 1.5, [["kind", "diagram"]]])
def test_what_is_no_table_is_refused(table):
    inbox = PanelInbox(version())
    inbox.take(json.dumps(table).encode())
    assert inbox.next() is None
    with pytest.raises(ConfigError, match="a table with kind = 'diagram' is needed"):
        change_of_table(version(), table)


def test_what_blocks_show_is_recorded(scenario, tmp_path):
    plan = load_world_plan(scenario, ["motion.duration_s=2.5", "settle_s=0.1"])
    from dataclasses import replace

    from hil.diagram.run.change import DiagramChange
    from hil.diagram.run.changer import TimedChange

    acts = ({"count.presses": 1}, {"count.presses": 2}, {"soft.on": True})
    changes = [TimedChange(100 * n + 100, DiagramChange(one)) for n, one in enumerate(acts)]
    result = run_world(replace(plan, changes=tuple(changes)), tmp_path / "runs")
    recording = Recording.open(result.recorder.path)
    number, lamp = recording.column("panel_number"), recording.column("panel_lamp")
    steps = np.flatnonzero(np.diff(number)) + 1
    assert steps.tolist() == [101, 201]
    assert sorted(set(number.tolist())) == [0.0, 1.0, 2.0]
    assert np.flatnonzero(lamp)[0] == 301
    assert np.array_equal(recording.column("panel_text"), lamp)


def shown_page(run, client):
    """The page of a panel that has heard and read what a client has."""
    feed = LiveFeed(client)
    (page,) = pages(feed.facts.header.scenario)
    model = PageModel(feed.facts, page, lambda: 1)
    for one, message in run.heard:
        if one is client:
            model.take_message(message)
    if (operation := feed.poll().operation) is not None:
        model.refused(operation.refused)
    return model


@pytest.mark.real_time
def test_what_the_run_does_not_take_goes_back_on_every_panel(scenario, tmp_path):
    scenario.write_text(scenario.read_text().replace("jump = 1e6", "jump = 1e-3"))
    with desk_run(tmp_path, scenario, "--set", "motion.duration_s=60.0") as run:
        for client in run.connected("Anna", "Bert"):
            assert shown_page(run, client).wanted["set.share"] == 1.0
        table = {"kind": "diagram", "set": {"share": 1.25}}
        assert run.answer(run.clients[0], m.Motion, table=table, id=2).ok
        run.wait(1.5)
        for client in run.clients:
            model = shown_page(run, client)
            assert model.wanted["set.share"] == 1.0
            assert "at most 0.001" in model.said
        recording, errors = run.ended(run.clients[1])
    assert [one.name for one in recording.events if one.data.get("taken") is False] == ["diagram"]
    assert any("jumps by" in one.message for one in recording.events), errors


@pytest.mark.real_time
def test_the_owner_alone_sets_and_presses_while_it_runs(scenario, tmp_path):
    with desk_run(tmp_path, scenario, "--set", "motion.duration_s=60.0") as run:
        owner, other = run.connected("Anna", "Bert")
        table = {"kind": "diagram", "set": {"share": 1.25}, "presses": {"count": 1}}
        assert not run.answer(other, m.Motion, table=table | {"set": {"share": 0.75}}, id=2).ok
        beyond = run.answer(owner, m.Motion, table=table | {"set": {"share": 9.0}}, id=3)
        assert "0.5 to 1.5" in beyond.error
        assert run.answer(owner, m.Motion, table=table, id=4).ok
        run.clients.append(late := DeskClient.connect(owner.path, "Carl"))
        run.wait(2.5)
        again = PageButton(label="count", counts="presses.count")
        for client in run.clients:  # whoever owns it next goes on from there
            asked = shown_page(run, client).press(again).table
            assert asked == table | {"set": {"share": 1.25, "soft": False}, "presses": {"count": 2}}
        assert late in run.clients
        recording, errors = run.ended(other)
    changes = [one for one in recording.events if one.name == "diagram" and "set" in one.data]
    assert [one.data["set"] for one in changes] == [
        "share.value: 1.0 -> 1.25, count.presses: 0 -> 1"
    ], errors
    assert recording.column("panel_number")[-1] == 1.0
