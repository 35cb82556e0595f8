"""The diagram that is edited runs in the editor: its values, its past, what stops it."""

import pytest
from diagram_samples import LEVEL, NESTED, editor_window
from hypothesis import given
from hypothesis import strategies as st

from hil.config.errors import ConfigError, RefusedError
from hil.diagram.check.types import FoundType
from hil.diagram.file.read import read_text
from hil.panel.diagram.models.line_edits import SetParameter
from hil.panel.diagram.models.live_run import AHEAD_MOST_S, LiveRun
from hil.panel.diagram.models.live_values import (
    active_states,
    path_into,
    port_words,
    value_words,
    visible_ports,
)

OPERATED = """format = 1

[block]
"more" = { kind = "PanelSlider", high = 2.0, unit = "m" }
"on" = { kind = "PanelSwitch" }
"go" = { kind = "PanelButton" }
"mode" = { kind = "StateMachine", names = "idle run", transitions = "idle -> run: go", gives = "y", values = [[0.0], [1.5]] }
"out" = { kind = "Out" }
"m" = { kind = "Out" }
"o" = { kind = "Out" }

[wire]
"mode.go" = "go.y"
"out.u" = "mode.y"
"m.u" = "more.y"
"o.u" = "on.y"
"""  # noqa: E501


def file(text, path="law.toml"):
    from pathlib import Path

    return read_text(text, Path(path))


def pi_after(ticks, level, kp=2.0, ki=0.5, step_s=0.002):
    """Output of LEVEL's law in closed form: the integral's share before the last tick's input."""
    error = 0.5 - level
    return kp * error + ki * error * (ticks - 1) * step_s


def test_values_are_those_of_the_law_and_time_goes_with_the_clock():
    run = LiveRun(file(LEVEL))
    assert not run.going
    run.advance(1.0)
    assert run.tick == 0
    run.set("level", "0.25")
    run.go(on=True)
    run.advance(0.05)
    assert run.tick == 25
    assert run.values("pi", "y")[0] == pytest.approx(pi_after(25, 0.25), rel=1e-12)
    run.advance(0.003)
    run.advance(0.003)
    assert run.tick == 28  # 56 ms: what is left of a tick is not lost
    run.advance(100.0)
    assert run.tick == 28 + round(AHEAD_MOST_S / 0.002)
    assert port_words(run, ("error", "y")) == "0.25 m"
    run.step()
    assert not run.going
    assert run.words == "t = 0.158 s, tick 79"
    run.back(0.1)
    assert run.tick == 29
    run.back(0.0)
    assert run.tick == 28
    run.back(1e9)
    assert run.tick == 0


def test_it_stays_when_a_condition_begins_to_hold():
    run = LiveRun(file(LEVEL))
    run.stop_when("pi.y > 1.002")
    run.go(on=True)
    for _ in range(20):
        run.advance(0.05)
    assert not run.going
    assert "the condition holds" in run.words
    assert pi_after(run.tick - 1, 0.0) <= 1.002 < pi_after(run.tick, 0.0)
    run.step()
    assert "holds" not in run.words
    with pytest.raises(RefusedError, match="no such output"):
        run.stop_when("none.y > 1")
    run.stop_when(" ")


def test_an_edit_goes_into_what_runs_and_one_that_cannot_run_is_told():
    run = LiveRun(file(LEVEL))
    run.go(on=True)
    run.advance(0.1)
    before = run.values("pi", "y")[0]
    run.edited(file(LEVEL.replace("kp = 2.0", "kp = 3.0")))
    assert run.values("pi", "y")[0] == before
    run.advance(0.002)
    assert run.values("pi", "y")[0] == pytest.approx(pi_after(51, 0.0, kp=3.0), rel=1e-12)
    run.edited(file(LEVEL.replace('"error.u2" = "level.y"\n', "")))
    assert "error.u2" in run.notice
    assert "does not run" in run.words
    run.advance(0.002)
    assert run.tick == 52
    run.edited(file(LEVEL.replace('"error" = [100, 0]', '"error" = [140, 20]')))
    assert run.notice == ""
    with pytest.raises(ConfigError):
        LiveRun(file(LEVEL.replace('"error.u2" = "level.y"\n', "")))


@pytest.mark.parametrize(
    ("name", "text"),
    [("level", "nan"), ("level", "much"), ("level", "[1, 2]"), ("no", "1"), ("level", "'a'"),
     ("level", "1\nb = 2"), ("level", "{a = 1}"), ("level", "1" + 400 * "0"), ("level", 9000 * "["),
     ("level", "inf"), ("level", "1" + 5000 * "0")],
)  # fmt: skip
def test_what_is_no_input_is_refused(name, text):
    run = LiveRun(file(LEVEL))
    with pytest.raises(RefusedError):
        run.set(name, text)
    assert run.values("level", "y")[0] == 0.0


def test_sliders_switches_and_buttons_work_and_the_active_state_is_seen():
    drawn = file(OPERATED)
    run = LiveRun(drawn)
    assert [(one.path, one.value) for one in run.panel_blocks()] == [
        ("go", 0), ("more", 0.0), ("on", False),
    ]  # fmt: skip
    run.step()
    assert list(active_states(run, drawn, "", "")) == [("mode", "idle")]
    run.set("go", "true")
    run.set("more", "1.25")
    run.set("on", "true")
    run.step()
    assert list(active_states(run, drawn, "", "")) == [("mode", "run")]
    assert port_words(run, ("more", "y")) == "1.25 m"
    assert port_words(run, ("on", "y")) == "true"
    with pytest.raises(ConfigError, match="0 to 2 m"):
        run.set("more", "2.5")
    assert [one.value for one in run.panel_blocks()] == [1, 1.25, True]
    run.back(0.001)
    run.back(0.001)
    run.step()
    assert list(active_states(run, drawn, "", "")) == [("mode", "idle")]


def test_inside_a_sub_diagram_values_are_those_of_the_block_that_was_opened():
    drawn = file(NESTED)
    run = LiveRun(drawn)
    for _ in range(6):
        run.step()
    assert path_into(drawn, "Law") == "law"
    assert path_into(drawn, "Other") == ""
    ends = {(block, port): end for block, port, end in visible_ports(drawn, "Law", "law")}
    inputs = [one for one, end in ends.items() if end[0] == "law"]
    assert inputs
    for one in inputs:
        assert port_words(run, ends[one]) == "1"
    assert all(port_words(run, end) for end in ends.values())


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40))
def test_values_are_written_in_few_characters(values):
    import numpy as np

    words = value_words(np.array(values), FoundType("real", (len(values),), "N", ""))
    assert len(words) <= 34
    assert words.endswith(" N")
    first = words.strip("[").split()[0].strip(",]")
    if first == "~0":
        assert 0.0 < abs(values[0]) < 1e-3 * max(map(abs, values))
    else:
        assert float(first) == pytest.approx(values[0], rel=6e-3)


def test_a_pose_tells_its_place_and_a_wrench_its_two_vectors():
    import numpy as np

    standing = FoundType("pose", (12,), "1", "base")
    assert value_words(np.array([*standing.start[:9], 1.0, 0.25, 0.0]), standing) == (
        "at [1, 0.25, 0] m"
    )
    pull = FoundType("wrench", (6,), "1", "wrist")
    assert value_words(np.arange(6.0), pull) == "[0, 1, 2] N, [3, 4, 5] N*m"


def test_where_room_is_small_less_is_written():
    import numpy as np

    three, newton = np.array([-0.1234, 0.5, 12.0]), FoundType("real", (3,), "N*m", "")
    assert value_words(three, newton) == "[-0.123, 0.5, 12] N*m"
    assert value_words(three, newton, 15) == "[-0.123 …3] N*m"
    assert value_words(three, newton, 12) == "[-0.123 …3]"
    assert value_words(three[:1], FoundType("real", (), "V", ""), 8) == "-0.123 V"


# The window.


@pytest.fixture
def window(app, tmp_path, monkeypatch):
    pytest.importorskip("PySide6")
    with editor_window(app, tmp_path, monkeypatch) as made:
        yield made


def press(window, name):
    window.live.actions_by_name[name].trigger()


def test_a_law_runs_in_the_window_and_its_wires_have_values(window):
    press(window, "Step")
    live, scene = window.live, window.scene
    assert live.status_label.text() == "t = 0.002 s, tick 1"
    assert scene.values["error", "y"].words == "0.5 m"
    rows = {live.inputs.item(row, 0).text(): row for row in range(live.inputs.rowCount())}
    live.inputs.item(rows["level"], 1).setText("0.25")
    press(window, "Step")
    assert scene.values["error", "y"].words == "0.25 m"
    live.inputs.item(rows["level"], 1).setText("wet")
    assert "level = 'wet'" in window.statusBar().currentMessage()
    assert live.inputs.item(rows["level"], 1).text() == "0.25"
    scene.wires["pi.e"].setSelected(True)
    assert "error.y" in live.plot.legend.text()
    for _ in range(8):
        press(window, "Step")
    assert live.source.trace("error", "y").rows[:, 0].tolist() == [0.5] + 9 * [0.25]
    press(window, "Step back")
    assert live.source.tick == 9
    press(window, "Back 10 s")
    assert live.source.tick == 0
    press(window, "Step")
    assert scene.values["error", "y"].words == "0.5 m"
    assert scene.do(SetParameter("", "wanted", "value", 0.75))
    press(window, "Step")
    assert scene.values["error", "y"].words == "0.5 m"  # 0.75 - 0.25: what was set then is set
    press(window, "Stop")
    assert not any(item.words for item in scene.values.values())
    assert live.source is None


def test_it_goes_with_the_clock_and_stays_at_a_condition(window, pump):
    window.live.condition.setText("pi.y >= 1.001")
    window.live.condition.returnPressed.emit()
    press(window, "Run")
    assert window.live.source.going
    pump(lambda: not window.live.source.going)
    assert "the condition holds" in window.live.status_label.text()
    assert window.scene.values["pi", "y"].words == "1.001 V"
    window.live.condition.setText("pi > 1")
    window.live.condition.returnPressed.emit()
    assert "block.port" in window.statusBar().currentMessage()


def test_what_cannot_run_is_told_and_what_stops_is_marked(window):
    window.scene.choose(frozenset({"wanted"}))
    window.delete()
    press(window, "Run")
    assert window.live.source is None
    assert "it cannot run: " in window.statusBar().currentMessage()
    window.undo()
    assert window.scene.do(SetParameter("", "pi", "kp", 1e300))
    press(window, "Step")
    rows = window.live.inputs.rowCount()
    assert rows == 1
    window.live.inputs.item(0, 1).setText("-1e300")
    press(window, "Step")
    assert "pi" in window.live.status_label.text()
    assert window.scene.blocks["pi"].stop == window.live.status_label.text()
    assert window.scene.blocks["error"].stop == ""
    press(window, "Step back")
    assert window.scene.blocks["pi"].stop == ""


def test_only_the_actions_that_would_change_something_are_on(window):
    def on():
        return {name for name, one in window.live.actions_by_name.items() if one.isEnabled()}

    begin = {"Run", "Step", "Watch a run"}
    assert on() == begin
    press(window, "Run")
    assert on() == {"Pause", "Step", "Step back", "Back 10 s", "Stop", "Watch a run"}
    press(window, "Pause")
    assert on() == {"Run", "Step", "Step back", "Back 10 s", "Stop", "Watch a run"}
    press(window, "Stop")
    assert on() == begin


def test_the_value_of_a_block_with_one_output_hides_no_block(window):
    def name_box(item):
        return item.sceneBoundingRect().adjusted(8, 8, -8, -8)  # without its ports

    press(window, "Step")
    blocks = window.scene.blocks.values()
    alone = {one.shape_of.name for one in blocks if len(one.shape_of.outputs) == 1}
    seen = [one for end, one in window.scene.values.items() if one.words and end[0] in alone]
    assert len(seen) > 2
    for value in seen:
        box = value.sceneBoundingRect()
        assert not any(box.intersects(name_box(one)) for one in blocks), value.words
