"""What a person presses and slides without a window, judged by what comes out, tick by tick."""

import csv
import json

import pytest
from typer.testing import CliRunner

from hil.cli.main import app

LAW = """format = 1
base_s = 0.01
[block]
"gain" = { kind = "PanelSlider", value = 0.1, high = 2.0 }
"start" = { kind = "PanelButton", presses = 4 }
"lit" = { kind = "PanelSwitch" }
"lamp" = { kind = "PanelLamp" }
"shown" = { kind = "PanelNumber" }
"word" = { kind = "PanelText", on = "running" }
"state" = { kind = "StateMachine", names = "idle run", transitions = "idle -> run: go; run -> idle: go" }
"number" = { kind = "IntegerToReal" }
"at" = { kind = "BooleanToReal" }
"flag" = { kind = "BooleanToReal" }
"g" = { kind = "Out" }
"s" = { kind = "Out" }
"b" = { kind = "Out" }
"l" = { kind = "Out" }
[wire]
"state.go" = "start.y"
"number.u" = "state.state"
"at.u" = "start.y"
"flag.u" = "lit.y"
"lamp.u" = "lit.y"
"shown.u" = "gain.y"
"word.u" = "lit.y"
"g.u" = "gain.y"
"s.u" = "number.y"
"b.u" = "at.y"
"l.u" = "flag.y"
"""  # noqa: E501


def ran(tmp_path, *arguments, status=0):
    path, table = tmp_path / "law.toml", tmp_path / "out.csv"
    path.write_text(LAW)
    words = ["diagram", "run", str(path), "--for", "5", "--out", str(table), "--json", *arguments]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == status, done.output
    if status:
        return json.loads(done.stdout)["error"]
    return [{key: float(value) for key, value in row.items()}
            for row in csv.DictReader(table.read_text().splitlines())]  # fmt: skip


def test_presses_and_slides_come_at_their_ticks(tmp_path):
    rows = ran(tmp_path, "--press", "start@2", "--press", "start@3.5", "--slide", "gain=0.4@3",
               "--slide", "lit=true@1", "--slide", "lit=false@4")  # fmt: skip
    assert len(rows) == 500
    pressed = {200, 350}  # the 4 of the file were before the start
    for tick, row in enumerate(rows):
        assert row["b"] == (tick in pressed), tick
        assert row["g"] == (0.4 if tick >= 300 else 0.1), tick
        assert row["l"] == (100 <= tick < 400), tick
        assert row["s"] == 1 + sum(tick >= one for one in pressed) % 2, tick


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--press", "strt@2"), "no PanelButton 'strt'; did you mean start?"),
        (("--press", "start"), "write it as NAME@SECONDS"),
        (("--press", "start@-1"), "write it as NAME@SECONDS"),
        (("--press", "start@nan"), "write it as NAME@SECONDS"),
        (("--press", "gain@2"), "no PanelButton 'gain'"),
        (("--press", "a/start@2"), "a: no sub-diagram"),
        (("--slide", "gain=2@x"), "write it as NAME=VALUE@SECONDS"),
        (("--slide", "gain=much@1"), "'much' is no number, true or false"),
        (("--slide", "gain=2.5@1"), "value = 2.5: 0 to 2 1 is needed"),
        (("--slide", "gain=true@1"), "a number is needed"),
        (("--slide", "lit=0.5@1"), "true or false is needed"),
        (("--slide", "start=1@1"), "no PanelSlider or PanelSwitch 'start'"),
    ],
)  # fmt: skip
def test_an_act_that_is_none_is_refused(tmp_path, arguments, told):
    assert told in ran(tmp_path, *arguments, status=2)


def test_a_slider_that_stands_beyond_its_ends_is_refused(tmp_path):
    assert "gain: value = 0.1: 0.5 to 2 1" in ran(tmp_path, "--set", "gain.low=0.5", status=2)
    assert "low = 3 is not below high = 2" in ran(tmp_path, "--set", "gain.low=3.0", status=2)


def test_a_robot_is_moved_by_what_is_slid_and_the_run_is_done_again(tmp_path, monkeypatch):
    from hil.config.file_search import configs_dir

    monkeypatch.chdir(tmp_path)
    text = (configs_dir() / "diagrams" / "robot_a.toml").read_text()
    text = text.replace("[block]", '[block]\n"soft" = { kind = "PanelSlider", value = 1.0 }\n'
                        '"weaker" = { kind = "Scale" }', 1)  # fmt: skip
    text = text.replace('"torque.u" = "sum.y"', '"torque.u" = "weaker.y"\n"weaker.u" = "sum.y"\n'
                        '"weaker.k" = "soft.y"')  # fmt: skip
    (tmp_path / "law.toml").write_text(text)
    words = ["run", "diagram_move", "--set", f'diagram.file="{tmp_path / "law.toml"}"', "--set",
             "motion.duration_s=2.5", "--slide", "soft=0.99@1", "--json"]  # fmt: skip
    done = CliRunner().invoke(app, words)
    assert json.loads(done.stdout)["changes"] == 1, done.output
    run = next((tmp_path / "runs").iterdir())
    done = CliRunner().invoke(app, ["world", "rerun", str(run), "--json"])
    assert json.loads(done.stdout)["ok"]
    done = CliRunner().invoke(app, ["run", "joint_move", "--slide", "soft=0.5@1"])
    assert done.exit_code == 2
    assert "nothing to press or slide" in done.output
