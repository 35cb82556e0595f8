"""An FMU as a block of a diagram: in time, judged by fmpy's own simulation; never run unasked."""

import csv
import json
import math
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import fmpy
import numpy as np
import pytest
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.errors import ConfigError, RefusedError
from hil.config.named_files import EmbeddedPath
from hil.desk.velocity.source import SourceError
from hil.diagram.check.diagram import check
from hil.diagram.check.flatten import flatten
from hil.diagram.check.whole_text import whole_text
from hil.diagram.file.read import read_text
from hil.diagram.run.change import DiagramChange
from hil.diagram.run.diagram_use import DiagramUse, diagram_of_text
from hil.diagram.run.fault import ModelFailedError
from hil.diagram.run.live import Version
from hil.diagram.run.models import ALONE_WAIT_S, DiagramModels, RunningModel
from hil.fmu.wire import StepAnswer, StepStatus
from hil.panel.diagram.models.live_run import LiveRun
from hil.stations.arm.sources.diagram import velocity_diagram
from hil.stations.arm.sources.source import SourceLimits
from hil.stations.platform.plan.motion_build import motion_of_table

sys.path.append(str(Path(__file__).parents[1] / "fmu"))
from fmu_vehicles import c_vehicle

FREE = 'canHandleVariableCommunicationStepSize="true"'
W = 2.0 * math.pi * 0.25
LAW = """format = 1
base_s = 0.01
[block]
"t" = { kind = "Clock" }
"steer" = { kind = "In", unit = "rad" }
"car" = { kind = "FMU", file = "vehicle2.fmu", takes = "steer", gives = "f_x; turn = r; echo" }
"f" = { kind = "Out", unit = "m/s^2" }
"r" = { kind = "Out", unit = "rad/s" }
"echo" = { kind = "Out" }
[wire]
"car.steer" = "steer.y"
"f.u" = "car.f_x"
"r.u" = "car.turn"
"echo.u" = "car.echo"
"""


@pytest.fixture(scope="module")
def fmus(tmp_path_factory):
    """Vehicles in C, of any step, and of a fixed one of 50 ms."""
    folder = tmp_path_factory.mktemp("fmus")
    c_vehicle(folder, 2, attributes=FREE)
    c_vehicle(folder, 3, name="fixed", attributes='fixedInternalStepSize="0.05"')
    return folder


def law_of(fmus, text=LAW, name="law.toml"):
    path = fmus / name
    path.write_text(text)
    return path


def rows_of(path, folder, *options, seconds=2.0, trust="--trust"):
    """What `hil diagram run` writes, by columns."""
    table = folder / f"{path.stem}.csv"
    line = ["diagram", "run", str(path), "--for", str(seconds), "--out", str(table), *options]
    done = CliRunner().invoke(app, [*line, *([trust] if trust else [])])
    assert done.exit_code == 0, done.output
    with table.open() as file:
        rows = list(csv.DictReader(file))
    return {key: np.array([float(row[key]) for row in rows]) for key in rows[0]}


def test_its_outputs_are_the_models_in_step_with_the_diagram(fmus, tmp_path):
    """Judge: fmpy's own co-simulation of the same file, with the same input."""
    t = np.arange(0.0, 2.0, 0.01)
    steer = np.round(np.sin(3.0 * t), 6)
    table = tmp_path / "steer.csv"
    rows = zip(t, steer, strict=True)
    table.write_text("t_s,steer\n" + "".join(f"{a:.3f},{b}\n" for a, b in rows))
    found = rows_of(law_of(fmus), tmp_path, "--input", f"steer={table}")
    given = np.array(list(zip(t, steer, strict=True)), dtype=[("time", float), ("steer", float)])
    wanted = fmpy.simulate_fmu(
        str(fmus / "vehicle2.fmu"), stop_time=1.99, step_size=0.01, output_interval=0.01,
        input=given, output=["f_x", "r", "echo"], fmi_type="CoSimulation",
    )  # fmt: skip
    for name, of in (("f", "f_x"), ("r", "r"), ("echo", "echo")):
        np.testing.assert_allclose(found[name][1:], wanted[of][1:200], atol=1e-12)
    np.testing.assert_allclose(found["f"], 1.5 * np.sin(W * t), atol=1e-12)


@pytest.mark.parametrize("between", ["hold", "line"])
def test_a_step_of_several_ticks_is_held_or_a_line(fmus, tmp_path, between):
    """Step 50 ms, tick 10 ms; judge: the closed form of the model."""
    block = f'"fixed3.fmu", between = "{between}"'
    text = LAW.replace('"vehicle2.fmu"', block).replace("f_x;", "f_x = force[1];")
    path = law_of(fmus, text, f"{between}.toml")
    found = rows_of(path, tmp_path, "--input", "steer=0", seconds=1.0)
    k = np.arange(100)
    step, share = k // 5, (k % 5) / 5.0
    at = 1.5 * np.sin(W * 0.05 * step)
    before = 1.5 * np.sin(W * 0.05 * np.maximum(step - 1, 0))
    wanted = at if between == "hold" else before + share * (at - before)
    np.testing.assert_allclose(found["f"], wanted, atol=1e-12)


def test_it_runs_at_the_rate_of_its_block(fmus, tmp_path):
    text = LAW.replace("gives =", "rate = 4, gives =").replace(
        '"car.steer" = "steer.y"', '"into.u" = "steer.y"\n"car.steer" = "into.y"'
    )
    text = text.replace("[wire]", '"into" = { kind = "RateTransition", rate = 4 }\n[wire]')
    found = rows_of(law_of(fmus, text, "slow.toml"), tmp_path, "--input", "steer=0.5")
    wanted = 1.5 * np.sin(W * 0.04 * (np.arange(200) // 4))
    np.testing.assert_allclose(found["f"], wanted, atol=1e-12)


REFUSED = {
    "no trust": (LAW, None, "add --trust"),
    "other file": (LAW.replace("gives =", f'sha256 = "{"0" * 64}", gives ='), True, "sha256"),
    "step": (LAW.replace("gives =", "step_s = 0.003, gives ="), True, "does not divide"),
    "between": (LAW.replace("gives =", "step_s = 0.05, gives ="), True, "between ="),
    "variable": (LAW.replace('"f_x;', '"f_xx;'), True, "no such variable"),
    "name": (LAW.replace('"f_x;', '"force[1];'), True, "write NAME = force"),
    "causality": (LAW.replace('takes = "steer"', 'takes = "steer = echo"'), True, "is a output"),
    "unit": (LAW.replace('"f" = { kind = "Out", unit = "m/s^2" }',
                         '"f" = { kind = "Out", unit = "V" }'), True, "V"),
    "start": (LAW.replace("gives =", 'start = "mass", gives ='), True, "mass = 1200"),
    "fault": (LAW.replace("gives =", 'start = "fault = 1; at_s = 0.5", gives ='), True,
              "the model failed"),
    "missing": (LAW.replace("vehicle2", "nowhere"), True, "nowhere"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_is_refused_with_what_would_be_right(fmus, case):
    text, trust, says = REFUSED[case]
    path = law_of(fmus, text, f"refused_{case.replace(' ', '_')}.toml")
    line = ["diagram", "run", str(path), "--input", "steer=0", "--for", "1"]
    done = CliRunner().invoke(app, [*line, *(["--trust"] if trust else [])])
    assert done.exit_code in (1, 2)
    assert says in done.output.replace("\n", " ")


def test_an_fmu_of_another_folder_is_not_opened(fmus, tmp_path):
    path = tmp_path / "law.toml"
    path.write_text(LAW.replace("vehicle2.fmu", str(fmus / "vehicle2.fmu")))
    with pytest.raises(ConfigError, match="outside"):
        flatten(read_text(path.read_text(), path))


def test_nothing_but_a_trusted_run_loads_its_code(fmus, monkeypatch, tmp_path):
    """Each way in which a diagram is opened: no process of a model is begun."""
    from hil.diagram.run import models

    def never(*_):
        raise AssertionError("its code was loaded")

    monkeypatch.setattr(models, "ModelProcess", never)
    path = law_of(fmus)
    file = read_text(path.read_text(), path)
    sound = check(file)
    assert set(sound.flat.models) == {"car"}
    with pytest.raises(ConfigError, match="which nothing steps here"):
        Version.of(file, {})
    _ = diagram_of_text(DiagramUse(file=str(path)), path.read_text(), path, {}).version
    with pytest.raises(RefusedError, match="--trust"):
        DiagramModels(sound.flat, trusted=False, wait_s=ALONE_WAIT_S)
    with pytest.raises(RefusedError, match="--trust"):
        LiveRun(file)
    run = CliRunner().invoke
    picture = tmp_path / "law.svg"
    verbs = [["check", str(path)], ["explain", str(path)],
             ["draw", str(path), "--out", str(picture)]]  # fmt: skip
    for verb in verbs:
        done = run(app, ["diagram", *verb])
        assert done.exit_code == 0, done.output
    assert "--trust loads its native code" in run(app, ["diagram", "bench", str(path)]).output
    for more in ([], ["--loop", "car.steer"]):
        ends = [] if more else ["--from", "steer", "--to", "f"]
        told = run(app, ["diagram", "linear", str(path), *more, *ends]).output.replace("\n", " ")
        assert "state cannot be put back" in told
        assert "an In in place" in told
    words = {one.text for one in ET.parse(picture).iter() if one.text}
    assert {"car", "FMU"} <= words or any("FMU" in one for one in words)


SLID = LAW.replace('"steer" = { kind = "In", unit = "rad" }',
                   '"steer" = { kind = "PanelSlider", value = 0.2, unit = "rad" }')  # fmt: skip


def test_what_is_slid_goes_on_with_the_same_model(fmus, tmp_path):
    """Judge: fmpy's own simulation with the same steps of its input."""
    found = rows_of(law_of(fmus, SLID, "slid.toml"), tmp_path, "--slide", "steer=0.7@0.5")
    k = np.arange(200)
    pairs = list(zip(0.01 * k, np.where(k < 50, 0.2, 0.7), strict=True))
    given = np.array(pairs, dtype=[("time", float), ("steer", float)])
    wanted = fmpy.simulate_fmu(
        str(fmus / "vehicle2.fmu"), stop_time=1.99, step_size=0.01, output_interval=0.01,
        input=given, output=["f_x", "echo"], fmi_type="CoSimulation",
    )  # fmt: skip
    for name, of in (("f", "f_x"), ("echo", "echo")):
        np.testing.assert_allclose(found[name][1:], wanted[of][1:200], atol=1e-12)


def test_bench_times_ticks_with_it(fmus):
    line = ["diagram", "bench", str(law_of(fmus)), "--trust", "--ticks", "200", "--json"]
    told = json.loads(CliRunner().invoke(app, line).output)
    assert told["with_models"]["median_us"] > told["kernel"]["median_us"]


def test_the_editor_runs_it_forward_alone(fmus):
    path = law_of(fmus)
    live = LiveRun(read_text(path.read_text(), path), trusted=True)
    try:
        live.set("steer", "0.3")
        live.go(on=True)
        live.watch([("car", "f_x")])
        for _ in range(4):
            live.advance(0.1)
        assert live.tick == 40
        assert live.values("car", "f_x")[0] == pytest.approx(1.5 * math.sin(W * 0.39), abs=1e-12)
        assert live.values("car", "echo")[0] == 0.6  # twice its input
        trace = live.trace("car", "f_x")
        np.testing.assert_allclose(trace.rows[:, 0], 1.5 * np.sin(W * 0.01 * np.arange(40)))
        assert not live.goes_back
        with pytest.raises(RefusedError, match="begin anew"):
            live.back(0.1)
        other = LAW.replace('"t" = { kind = "Clock" }', '"t" = { kind = "Constant", value = 2.0 }')
        live.edited(read_text(other, path))  # goes into what runs, and the model with it
        assert not live.notice
        live.step()
        assert live.values("car", "f_x")[0] == pytest.approx(1.5 * math.sin(W * 0.40), abs=1e-12)
        live.edited(read_text(LAW.replace("gives =", 'start = "at_s = 1", gives ='), path))
        assert "an FMU stays what it is while it runs" in live.notice
    finally:
        live.release()


def test_a_model_that_fails_stops_the_editor_s_run_there(fmus):
    path = law_of(fmus)
    text = LAW.replace("gives =", 'start = "fault = 1; at_s = 0.05", gives =')
    live = LiveRun(read_text(text, path), trusted=True)
    try:
        live.go(on=True)
        live.advance(0.1)
        assert live.stopped_at == "car"
        assert "the model failed" in live.words
    finally:
        live.release()


class _Late:
    """Answers to some steps come so many ticks after they are due; nothing may wait for them."""

    def __init__(self, late):
        self.late, self.asked, self.polls, self.given_up = late, [], 0, None

    def ask(self, index, inputs):
        self.asked.append(inputs)
        self.polls = 0

    def take(self):
        self.polls += 1
        index = len(self.asked)
        if self.polls <= self.late.get(index, 0):
            return None
        return StepAnswer(StepStatus.OK, index, (10.0 * index, 0.0, 0.0), "")

    def wait(self, longest_s):
        raise AssertionError("a cycle in real time waited")

    def give_up(self, after_s):
        self.given_up = after_s
        return StepAnswer(StepStatus.HUNG, 0, (), f"gave no answer within {after_s:g} s")


def _ticked(fmus, late, ticks):
    """Outputs f_x of so many ticks of 10 ms in real time, with answers late by so many."""
    path = law_of(fmus)
    version = Version.of(read_text(path.read_text(), path), {}, models=True)
    engine, steps = version.engine, _Late(late)
    model = RunningModel(version.sound.flat.models["car"], steps, (0.0, 0.0, 0.0), 1, 0.01, None)
    engine.set_input("steer", [0.25])
    rows = []
    for _ in range(ticks):
        model.before(engine)
        engine.step()
        model.after(engine)
        rows.append(float(engine.output("f")[0]))
    return rows, model, steps


def test_in_real_time_a_late_answer_is_gone_on_without(fmus):
    rows, model, steps = _ticked(fmus, {2: 3}, 8)
    assert rows == [0.0, 10.0, 10.0, 10.0, 10.0, 20.0, 30.0, 40.0]
    assert model.late == 3
    assert steps.given_up is None
    assert steps.asked == [(0.25,)] * 5


def test_in_real_time_an_answer_after_its_deadline_stops_the_diagram(fmus):
    """50 ms are five ticks."""
    rows, _, _ = _ticked(fmus, {2: 5}, 9)
    assert rows[6:] == [10.0, 20.0, 30.0]
    with pytest.raises(ModelFailedError, match=r"car does not go on.*within 0.05 s, tick 7"):
        _ticked(fmus, {2: 6}, 9)


def test_in_real_time_a_model_that_hangs_is_not_waited_for(fmus):
    """Its own process: all its ticks are turned in less than a step of it would take."""
    path = law_of(fmus, LAW.replace("gives =", 'start = "fault = 2; at_s = 0.0", gives ='),
                  "hangs.toml")  # fmt: skip
    version = Version.of(read_text(path.read_text(), path), {}, models=True)
    with DiagramModels(version.sound.flat, trusted=True, wait_s=None) as models:

        def turn(ticks):
            for _ in range(ticks):
                models.before(version.engine)
                version.engine.step()
                models.after(version.engine)

        with pytest.raises(ModelFailedError, match="gave no answer"):
            turn(8)
        assert version.engine.tick == 6
        assert models.late == {"car": 5}


def test_a_recording_s_text_tells_its_ports_without_the_file(fmus):
    path = law_of(fmus)
    file = read_text(path.read_text(), path)
    carried = read_text(whole_text(file, path.read_text()), EmbeddedPath("/nowhere/law.toml"))
    sound, own = check(carried), check(file)
    assert {end: one.unit for end, one in sound.types.items()} == {
        end: one.unit for end, one in own.types.items()
    }
    with pytest.raises(RefusedError, match="not in the recording"):
        DiagramModels(sound.flat, trusted=True, wait_s=ALONE_WAIT_S)


def test_motions_that_are_computed_ahead_say_what_to_do_instead(fmus, tmp_path):
    """And what they say works: the table's numbers are the model's."""
    text = LAW.replace('kind = "In",', 'kind = "Constant", value = 0.1,')
    path = law_of(fmus, text, "ahead.toml")
    table = {"kind": "diagram", "diagram": str(path), "duration_s": 2.0}
    with pytest.raises(ConfigError, match="put a File block of that table in its place"):
        motion_of_table({"rig": "paper", "name": "one", "motion": table}, fmus / "scenario.toml")
    for is_operated, says in ((False, "File block"), (True, "begin anew each time")):
        with pytest.raises(SourceError, match=says):
            velocity_diagram(
                path, DiagramChange({}), SourceLimits(0.1, 0.1, 0.1, 0.1), is_operated=is_operated
            )
    wanted = rows_of(path, fmus)["f"]
    block = '{ kind = "File", file = "ahead.csv", column = "f", unit = "m/s^2" }'
    tabled = 'format = 1\nbase_s = 0.01\n[block]\n"car" = BLOCK\n'.replace("BLOCK", block)
    tabled += '"f" = { kind = "Out" }\n[wire]\n"f.u" = "car.y"\n'
    found = rows_of(law_of(fmus, tabled, "tabled.toml"), tmp_path, trust="")["f"]
    np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_it_is_in_the_palette_and_told_by_the_verb():
    from hil.panel.diagram.models.palette import Palette

    file = read_text('format = 1\n[block]\n"u" = { kind = "In" }\n[wire]\n', Path("law.toml"))
    assert "FMU" in [one.name for one in Palette(file).groups()["models"]]
    told = CliRunner().invoke(app, ["diagram", "blocks", "FMU", "--json"])
    assert json.loads(told.output)["kinds"][0]["group"] == "models"


def test_the_document_s_car_keeps_its_speed(tmp_path):
    """Judge: the car's own Python, stepped here in a loop of its own."""
    from pythonfmu.builder import FmuBuilder

    root = Path(__file__).parents[2]
    page = (root / "docs" / "diagrams.md").read_text()
    text = next(one for one in page.split("```toml\n") if '"FmuCar.fmu"' in one).split("```")[0]
    FmuBuilder.build_FMU(str(root / "examples" / "fmu_car.py"), dest=str(tmp_path))
    found = rows_of(law_of(tmp_path, text), tmp_path, seconds=20.0)
    sys.path.append(str(root / "examples"))
    from fmu_car import FmuCar

    car, wanted, integral, last = FmuCar(instance_name="car"), [], 0.0, None
    for k in range(2000):
        wanted.append((car.speed, car.yaw_rate))
        error = 15.0 - car.speed
        integral += 0.0 if last is None else 0.005 * (last + error)
        last = error
        car.throttle = min(1.0, max(-1.0, 0.5 * error + 0.05 * integral))
        car.do_step(0.01 * k, 0.01)
    speed, turn = np.array(wanted).T
    np.testing.assert_allclose(found["speed"], speed, atol=1e-9)
    np.testing.assert_allclose(found["turn"], turn, atol=1e-9)
    assert abs(speed[-1] - 15.0) < 2.0
