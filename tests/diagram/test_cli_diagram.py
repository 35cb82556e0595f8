"""`hil diagram` from the command line; what it prints as JSON is judged by docs/formats.md."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.file_search import configs_dir
from hil.diagram.library.registry import kinds

LAW = """format = 1
base_s = 0.01
[parameter]
k = { value = 2.0, low = 0.0, high = 10.0 }
[block]
u = { kind = "In", unit = "m" }
v = { kind = "In", unit = "m", shape = [] }
gain = { kind = "Gain", k = "$k", unit = "1/s" }
integral = { kind = "Integral" }
delay = { kind = "UnitDelay" }
y = { kind = "Out" }
late = { kind = "Out" }
[wire]
"gain.u" = "u.y"
"integral.u" = "gain.y"
"delay.u" = "v.y"
"y.u" = "integral.y"
"late.u" = "delay.y"
"""


@pytest.fixture
def law(tmp_path):
    path = tmp_path / "law.toml"
    path.write_text(LAW)
    return path


def diagram(*arguments, status=0):
    done = CliRunner().invoke(app, ["diagram", *map(str, arguments), "--json"])
    assert done.exit_code == status, done.output
    return json.loads(done.stdout)


def shown(*arguments, status=0):
    done = CliRunner().invoke(app, ["diagram", *map(str, arguments)])
    assert done.exit_code == status, done.output
    return done.output


def test_check_tells_ports_with_their_units_and_the_cost(law):
    told = diagram("check", law)
    assert [(one["name"], one["unit"], one["shape"]) for one in told["inputs"]] == [
        ("u", "m", []), ("v", "m", [])]  # fmt: skip
    assert [(one["name"], one["unit"]) for one in told["outputs"]] == [("late", "m"), ("y", "m")]
    assert told["blocks"] == 3
    assert 0.0 < told["cost_us"] < 1e4
    assert told["period_part"] == pytest.approx(told["cost_us"] / 1e4)
    assert "y: real, scalar [m]" in shown("check", law)


def test_check_of_a_wrong_diagram_names_file_and_wire(law):
    law.write_text(LAW.replace('unit = "1/s"', 'unit = "1/(s*A)"').replace(
        'y = { kind = "Out" }', 'y = { kind = "Out", unit = "m" }'))  # fmt: skip
    told = diagram("check", law, status=2)
    assert f"{law}: line 17: y.u = integral.y: m/A into m" in told["error"]


def test_run_integrates_numbers_and_tables(law, tmp_path):
    told = diagram("run", law, "--for", "1", "--input", "u=3", "--input", "v=7", "--set", "k=4")
    assert told["ticks"] == 100
    assert told["outputs"]["y"] == [pytest.approx(4.0 * 3.0 * 0.99)]
    assert told["outputs"]["late"] == [7.0]
    steps, out = tmp_path / "steps.csv", tmp_path / "out.csv"
    steps.write_text("t_s,u\n0,1\n0.5,-1\n")
    told = diagram("run", law, "--for", "1", "--input", f"u={steps}", "--input", "v=0",
                   "--out", out)  # fmt: skip
    rows = np.loadtxt(out, delimiter=",", skiprows=1)
    assert out.read_text().splitlines()[0] == "t_s,late,y"
    assert rows.shape == (100, 3)
    u = np.where(np.arange(100) < 50, 1.0, -1.0)
    wanted = np.concatenate([[0.0], np.cumsum(0.01 * (u[1:] + u[:-1]))])
    np.testing.assert_allclose(rows[:, 2], wanted, atol=1e-13)
    assert told["written"] == str(out)


def test_a_run_that_stops_names_block_and_time_and_ends_with_1(law):
    law.write_text(LAW.replace('kind = "UnitDelay"', 'kind = "Reciprocal"'))
    told = diagram("run", law, "--for", "1", "--input", "u=1", "--input", "v=0", status=1)
    assert told["stop"] == {"block": "delay", "tick": 0, "time_s": 0.0}
    text = shown("run", law, "--for", "1", "--input", "u=1", "--input", "v=0", status=1)
    assert "delay made a number that is not finite, tick 0 (0 s)" in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--input", "u=1"], "v: left out; write NAME=NUMBER"),
        (["--input", "w=1"], "'w': no such input; it has u, v"),
        (["--input", "u=1,2", "--input", "v=1"], "2 numbers; 1 are needed"),
        (["--input", "u=none.csv", "--input", "v=1"], "none.csv"),
        (["--set", "k"], "write it as path.name=value"),
        (["--set", "k=20"], "k = 20: 0.0 to 10.0 1 is needed"),
        (["--set", "gian.k=2"], "gian.k: no such parameter to set; did you mean gain?"),
    ],
)
def test_wrong_options_of_a_run_are_told(law, arguments, words):
    assert words in diagram("run", law, "--for", "1", *arguments, status=2)["error"]


def test_explain_tells_the_order_and_the_pairs_with_feed_through(law):
    told = diagram("explain", law)
    assert [one["block"] for one in told["order"]] == ["delay", "gain", "integral"]
    assert told["feed_through"] == [
        {"output": "late", "inputs": []}, {"output": "y", "inputs": ["u"]}]  # fmt: skip
    assert "late hangs within a tick on no input" in shown("explain", law)


def test_blocks_tells_every_kind_with_equation_ports_and_example():
    told = diagram("blocks")["kinds"]
    assert len(told) == len(kinds()) >= 90
    assert all(one["equation"] and (one["outputs"] or one["group"] == "panel") for one in told)
    assert diagram("blocks", "PID")["kinds"][0]["name"] == "PID"
    assert "did you mean PI" in diagram("blocks", "PJ", status=2)["error"]
    for kind in kinds():
        text = shown("blocks", kind)
        assert kinds()[kind].equation in text


@pytest.mark.parametrize(
    ("scenario", "signals", "setpoints", "step_s"),
    [
        ("press", {"wrist_force_n": ([3], "N", "wrist"), "speed_rad_s": ([7], "rad/s", ""),
                   "joint_to_end": ([7, 3, 3], "1", "")}, {"voltage": ([7], "1", "")}, 0.002),
        ("joint_move", {"needed_n_m": ([6], "N*m", "")}, {"torque": ([6], "N*m", "")}, 0.002),
        ("diagram_heave", {}, {"z": ([], "m", ""), "gamma_rate": ([], "rad/s", "")}, None),
        ("circle_on_rm01", {}, {"linear": ([3], "m/s", "")}, None),
    ],
)  # fmt: skip
def test_a_scenario_tells_what_its_diagram_may_take_and_has_to_give(
    scenario, signals, setpoints, step_s
):
    told = diagram("signals", scenario)
    for key, wanted in (("signals", signals), ("setpoints", setpoints)):
        found = {one["name"]: (one["shape"], one["unit"], one["frame"]) for one in told[key]}
        assert wanted.items() <= found.items()
        assert bool(found) == bool(wanted)
    assert told["step_s"] == step_s
    assert told["some"] == (scenario == "diagram_heave")


def test_signals_of_a_scenario_whose_diagram_is_not_drawn_yet_are_told(tmp_path):
    text = (configs_dir() / "scenarios" / "press.toml").read_text()
    (tmp_path / "mine.toml").write_text(text.replace('"force_wrist"', '"not_drawn_yet.toml"'))
    told = shown("signals", tmp_path / "mine.toml")
    assert "in  wrist_force_n: 3 [N], axes wrist" in told
    assert "out voltage: 7 [1]" in told
    assert "a whole multiple of 0.002 s" in told


@pytest.mark.parametrize(
    ("scenario", "words"),
    [("live_demo", "scenarios of station simulator take no diagrams"),
     ("platform_and_arm", "a scenario of one station is needed"), ("nowhere", "no such file")],
)  # fmt: skip
def test_what_takes_no_diagram_says_so(scenario, words):
    assert words in shown("signals", scenario, status=2)


@pytest.mark.parametrize(
    ("station", "more", "status", "words"),
    [
        ("arm", "source = 3", 2, "source"), ("arm", '[source]\nkind = "none"', 2, "source"),
        ("world", 'robot = "robot_a"\nlaw = "diagram"\ndiagram = 3\n[motion]\nkind = "hold"\n'
         "duration_s = 1.0", 0, "out torque"),
        ("world", 'robot = "robot_a"\n[diagram]\nfile = "x"\njoints = [77]\n[motion]\nkind = '
         '"hold"\nduration_s = 1.0', 1, "joint 77 is not driven"),
    ],
)  # fmt: skip
def test_a_scenario_that_is_none_is_told_and_raises_nothing_else(
    tmp_path, station, more, status, words
):
    path = tmp_path / "s.toml"
    path.write_text(f'station = "{station}"\nname = "s"\n{more}\n')
    assert words in shown("signals", path, status=status)
