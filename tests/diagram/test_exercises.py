"""Exercises: each fault fails, its repair by hand passes, outputs that stand still pass none."""

import json
import math
from dataclasses import replace

import pytest
from campaign import count
from repairs import REPAIRS, Bench
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.errors import ConfigError
from hil.diagram.check.diagram import check
from hil.diagram.exercises import catalogue
from hil.diagram.exercises.catalogue import (
    EXERCISES,
    FAMILIES,
    draw_exercise,
    draw_fault,
    file_for_student,
    file_without_fault,
    found_exercises,
)  # fmt: skip
from hil.diagram.exercises.exercise import Measure
from hil.diagram.exercises.exercise_judge import SCENES, Attempt, judge, play_scene, read_attempt
from hil.diagram.file.model import Diagram, DiagramFile, DrawnBlock
from hil.diagram.file.write import save, text_of

FAULTS = [(name, fault.name) for name, one in EXERCISES.items() for fault in one.faults]
SEEDS = 10
FEWER = {"mobile": 3}
"""Seeds of an exercise whose scenes take seconds."""
MARGIN = 0.85
"""A law that works stays below this part of what a measure may be."""


def attempt_of(exercise, file):
    return Attempt(exercise, file.seed, check(file))


def passed(exercise, file, scenes=SCENES):
    attempt = attempt_of(exercise, file)
    return all(play_scene(attempt, number).ok for number in range(1, scenes + 1))


def fault_of(exercise, name):
    return next(one for one in exercise.faults if one.name == name)


def seeds(name, exercise="motor"):
    """Those of a full campaign; of a share the first, another for each fault."""
    most = FEWER.get(exercise, SEEDS)
    first = sum(map(ord, name)) % most
    return [(first + number) % most for number in range(count(most, 1))]


def exercise_verb(*arguments, status=0):
    done = CliRunner().invoke(app, ["diagram", "exercise", *map(str, arguments), "--json"])
    assert done.exit_code == status, done.output
    return json.loads(done.stdout)


def test_there_are_twenty_faults_and_more_and_each_has_its_repair():
    assert len(FAULTS) >= 20
    assert set(FAULTS) == {(name, fault) for name, found in REPAIRS.items() for fault in found}
    for exercise in EXERCISES.values():
        for fault in exercise.faults:
            assert len(set(fault.hints)) == 3
            assert all(len(one) > 20 for one in fault.hints)


@pytest.mark.campaign
@pytest.mark.parametrize(("exercise", "fault"), FAULTS)
def test_a_fault_fails_as_it_comes_and_passes_repaired_by_hand(exercise, fault):
    found = EXERCISES[exercise]
    for seed in seeds(fault, exercise):
        file = file_for_student(found, seed, fault_of(found, fault))
        assert not passed(found, file), seed
        bench = Bench(file)
        REPAIRS[exercise][fault](bench)
        scenes = count(SCENES) if exercise in FEWER else SCENES
        assert passed(found, bench.repaired(), scenes), seed


@pytest.mark.campaign
@pytest.mark.parametrize("name", EXERCISES)
def test_a_law_that_works_passes_with_room(name):
    most = 10 * FEWER[name] if name in FEWER else 4 * SEEDS
    for seed in range(100, 100 + count(most, 1 if name in FEWER else 2)):
        for scene in judge(attempt_of(EXERCISES[name], file_without_fault(EXERCISES[name], seed))):
            assert not scene.stopped
            assert all(one.value <= MARGIN * one.most for one in scene.measures), (seed, scene)


@pytest.mark.parametrize("name", EXERCISES)
def test_outputs_that_stand_still_pass_none(name):
    exercise = EXERCISES[name]
    for value in (0.0, 1e-3, 0.05, 1.0, 20.0, 45.0):
        assert not passed(exercise, constant(exercise, value)), value


def constant(exercise, value):
    """A law that gives the same numbers at all times, whatever it is told."""
    blocks, wires = {}, {}
    for one in exercise.inputs:
        parameters = {"shape": one.shape, "type": one.type}
        if one.type == "real":
            parameters |= {"unit": one.unit, "frame": one.frame}
        blocks[one.name] = DrawnBlock("In", parameters)
    for one in exercise.outputs:
        numbers = value if not one.shape else tuple(value for _ in range(one.shape[0]))
        blocks[f"c_{one.name}"] = DrawnBlock("Constant", {"value": numbers, "unit": one.unit})
        blocks[one.name] = DrawnBlock("Out", {"unit": one.unit})
        wires[f"{one.name}.u"] = f"c_{one.name}.y"
    return DiagramFile(Diagram(blocks, wires, note=f"exercise {exercise.name}"), exercise.base_s, 5)


def test_the_seed_draws_exercise_fault_names_and_numbers():
    texts = {text_of(file_for_student(EXERCISES["valve"], seed)) for seed in range(20)}
    assert len(texts) == 20
    assert len({draw_fault(EXERCISES["wall"], seed).name for seed in range(60)}) == 9
    assert {draw_exercise("force", seed).name for seed in range(20)} == {"valve", "wall"}
    assert FAMILIES == ("force", "loops", "robot")
    one, other = (file_for_student(EXERCISES["motor"], 3) for _ in range(2))
    assert text_of(one) == text_of(other)
    for name, exercise in EXERCISES.items():
        for seed in range(30):
            names = file_for_student(exercise, seed).top.blocks.keys()
            working = file_without_fault(exercise, seed).top.blocks
            assert len(working) == len(exercise.law(draw_nothing()).blocks), (name, seed)
            assert not any("fault" in one or "wrong" in one for one in names)


def draw_nothing():
    from hil.diagram.exercises.exercise import draw_of

    return draw_of("any")


def test_scenes_hang_on_the_seed_and_differ():
    exercise = EXERCISES["wall"]
    file = file_without_fault(exercise, 4)
    values = [[m.value for m in one.measures] for one in judge(attempt_of(exercise, file))]
    assert len({tuple(one) for one in values}) == SCENES
    again = [[m.value for m in one.measures] for one in judge(attempt_of(exercise, file))]
    assert values == again
    practice = play_scene(attempt_of(exercise, file), "practice")
    assert [m.value for m in practice.measures] not in values


def test_a_number_that_is_not_finite_ends_a_scene_and_is_told():
    exercise = EXERCISES["motor"]
    bench = Bench(file_without_fault(exercise, 1))
    bench.add("zero", "Constant", {}, value=0.0)
    bench.add("one_over", "Divide", {"u1": "zero.y", "u2": "zero.y"})
    bench.add("n", "Abs", {"u": "one_over.y"})
    scene = play_scene(attempt_of(exercise, bench.repaired()), 1)
    assert not scene.ok
    assert "one_over made a number that is not finite" in scene.stopped


def test_a_measure_that_is_no_number_is_above_what_it_may_be():
    assert not Measure("m", math.nan, 1.0, "N").ok
    assert Measure("m", 1.0, 1.0, "N").ok


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda text: 'library = ["more"]\n' + text, "an exercise stands alone"),
        (lambda text: text.replace("base_s = 0.002", "base_s = 0.001"), "0.002 s, as it was"),
        (lambda text: text.replace("exercise motor", "exercise nothing"), '"exercise NAME" is'),
        (lambda text: text.replace("exercise motor", "exercise wall"), "no output 'force'"),
        (lambda text: text.replace('"voltage"', '"volts"').replace("voltage.u", "volts.u"),
         "no output 'voltage'"),
        (lambda text: text.replace('unit = "rpm"', 'unit = "rad/s"', 1), "measured"),
        (lambda text: text[:200], "motor.toml"),
        (lambda text: "", "format"),
    ],
)  # fmt: skip
def test_what_is_no_attempt_is_refused_with_the_reason(tmp_path, change, told):
    path = tmp_path / "motor.toml"
    path.write_text(change(text_of(file_without_fault(EXERCISES["motor"], 2))))
    with pytest.raises(ConfigError) as caught:
        read_attempt(path)
    assert told in str(caught.value)


def test_a_law_of_too_many_blocks_is_refused(tmp_path):
    file = file_without_fault(EXERCISES["motor"], 2)
    more = {f"more{number}": DrawnBlock("Constant", {"value": 1.0}) for number in range(2001)}
    path = tmp_path / "motor.toml"
    save(replace(file, top=replace(file.top, blocks={**file.top.blocks, **more})), path)
    with pytest.raises(ConfigError, match="at most 2000 are judged"):
        read_attempt(path)


def test_new_check_repair_and_check_again(tmp_path):
    path = tmp_path / "my.toml"
    told = exercise_verb("new", "motor", "--seed", 7, "--out", path)
    assert (told["exercise"], told["seed"]) == ("motor", 7)
    fault = draw_fault(EXERCISES["motor"], 7)
    told = exercise_verb("check", path, status=1)
    assert not told["ok"]
    assert not told["hint"]
    assert len(told["scenes"]) == SCENES
    for step in (1, 2, 3):
        hint = exercise_verb("check", path, "--hint", step, status=1)["hint"]
        assert hint == fault.hints[step - 1]
    bench = Bench(file_for_student(EXERCISES["motor"], 7))
    REPAIRS["motor"][fault.name](bench)
    save(bench.repaired(), path)
    told = exercise_verb("check", path, "--hint", 3)
    assert told["ok"]
    assert told["hint"] == ""


def test_new_keeps_what_is_there_and_offers_near_names(tmp_path):
    path = tmp_path / "my.toml"
    path.write_text("mine")
    told = exercise_verb("new", "motor", "--out", path, status=2)
    assert "is there already; --overwrite replaces it" in told["error"]
    assert path.read_text() == "mine"
    exercise_verb("new", "motor", "--out", path, "--overwrite")
    assert "exercise motor" in path.read_text()
    told = exercise_verb("new", "moter", "--out", tmp_path / "b.toml", status=2)
    assert "did you mean motor or mobile?" in told["error"]
    told = exercise_verb("new", "motor", "--out", tmp_path / "b.txt", status=2)
    assert "ends with .toml" in told["error"]
    told = exercise_verb("new", "motor", "--out", tmp_path / "no" / "b.toml", status=2)
    assert "No such file or directory" in told["error"]


def test_a_class_is_judged_although_one_file_is_broken(tmp_path):
    (tmp_path / "a").mkdir()
    save(file_without_fault(EXERCISES["motor"], 1), tmp_path / "a" / "well.toml")
    save(file_for_student(EXERCISES["wall"], 1), tmp_path / "fault.toml")
    (tmp_path / "broken.toml").write_text("format = ")
    bench = Bench(file_without_fault(EXERCISES["wall"], 1))
    bench.add("zero", "Constant", {}, value=0.0)
    bench.add("one_over", "Divide", {"u1": "zero.y", "u2": "zero.y"})
    bench.add("n", "Abs", {"u": "one_over.y"})
    save(bench.repaired(), tmp_path / "stops.toml")
    told = exercise_verb("check", tmp_path, status=1)
    rows = {one["file"]: one for one in told["files"]}
    assert told["passed"] == 1
    assert rows["a/well.toml"]["ok"]
    assert rows["a/well.toml"]["worst"] == ""
    assert rows["fault.toml"]["scenes_passed"] < SCENES
    assert "at most" in rows["fault.toml"]["worst"]
    assert "broken.toml" in rows["broken.toml"]["error"]
    assert "one_over made a number" in rows["stops.toml"]["worst"]
    shown = CliRunner().invoke(app, ["diagram", "exercise", "check", str(tmp_path)])
    assert "1 of 4 passed" in shown.output


def test_a_folder_without_laws_and_a_hint_for_one_are_refused(tmp_path):
    assert "no file there" in exercise_verb("check", tmp_path, status=2)["error"]
    save(file_without_fault(EXERCISES["wall"], 1), tmp_path / "a.toml")
    assert "for one file" in exercise_verb("check", tmp_path, "--hint", 1, status=2)["error"]


def test_practice_writes_what_was_seen(tmp_path):
    path, table = tmp_path / "my.toml", tmp_path / "seen.csv"
    save(file_without_fault(EXERCISES["valve"], 2), path)
    told = exercise_verb("run", path, "--out", table)
    assert told["scene"]["ok"]
    lines = table.read_text().splitlines()
    names = lines[0].split(",")
    assert names == [
        "t_s", "goal", "angle", "speed", "moment", "side_1", "side_2", "side_3",
        "velocity_1", "velocity_2", "velocity_3", "voltage",
    ]  # fmt: skip
    assert len(lines) == 7001
    last = dict(zip(names, map(float, lines[-1].split(",")), strict=True))
    assert last["t_s"] == pytest.approx(13.998)
    assert abs(last["goal"] - last["angle"]) < math.radians(1.5)


METADATA = "Metadata-Version: 2.1\nName: {}\nVersion: 1.2\n"
OFFERED = """
from dataclasses import replace

from hil.diagram.exercises.motor import MOTOR

PUMP = replace(MOTOR, name="pump")
NUMBER = 3
"""


def test_exercises_of_other_packages_are_found_and_a_broken_one_says_why(tmp_path, monkeypatch):
    told = tmp_path / "others-1.2.dist-info"
    told.mkdir()
    (told / "METADATA").write_text(METADATA.format("others"))
    lines = ["pump = foreign_exercise:PUMP", "fan = foreign_exercise:PUMP",
             "number = foreign_exercise:NUMBER", "motor = foreign_exercise:PUMP"]  # fmt: skip
    (told / "entry_points.txt").write_text("\n".join(["[hil.exercises]", *lines]))
    (tmp_path / "foreign_exercise.py").write_text(OFFERED)
    monkeypatch.syspath_prepend(str(tmp_path))
    found, broken = found_exercises()
    assert found["pump"].faults == EXERCISES["motor"].faults
    assert found["motor"] is EXERCISES["motor"]
    assert found.keys() == EXERCISES.keys() | {"pump"}
    assert "is called 'pump'" in broken["fan"]
    assert "is no Exercise" in broken["number"]
    assert "a name of the bench itself" in broken["motor"]
    monkeypatch.setattr(catalogue, "BROKEN", broken)
    with pytest.raises(ConfigError, match="is called 'pump'"):
        draw_exercise("fan", 1)


def test_all_exercises_are_listed():
    told = exercise_verb("list")
    assert {one["name"] for one in told["exercises"]} == {
        "grip",
        "mobile",
        "motor",
        "valve",
        "wall",
    }
    assert sum(one["faults"] for one in told["exercises"]) == len(FAULTS)
