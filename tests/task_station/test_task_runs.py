"""Runs of a task by a stand-in diagram: exit status, reasons, what is refused, what is recorded."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from recounted_contacts import forbidden
from task_runs import STAND_IN, drawn, hil, stand_in, told

from hil.recording.reader import Recording
from hil.stations.task.plan.reasons import REASONS
from hil.stations.task.run.observer import TaskObserver
from hil.stations.task.run.refusal import CHECKS, WITHOUT_VALUE
from hil.stations.world.cycle.figures import WorldFigures
from safety.robot_limits import RobotCheck, RobotViolation


def run(folder, *words, status=1):
    return told("run", "container", *words, "--out", folder, status=status)


def test_one_that_gives_up_says_its_reason_and_exits_with_1(tmp_path):
    found = run(tmp_path, "--seed", "7", *stand_in(said=5.0))
    assert (found["succeeded"], found["reason"], found["ok"]) == (False, "blocked", False)
    assert found["failure"]["at_s"] == pytest.approx(found["time_s"])
    assert list(found["phases"]) == ["wait", "drive", "done"]
    assert found["drawn"] == drawn(7).values
    plan = Recording.open(tmp_path / found["recording"]).header.scenario
    assert plan["task"]["drawn"] == found["drawn"]


def test_one_that_is_done_and_has_done_nothing_has_not_found_it(tmp_path):
    found = run(tmp_path, *stand_in())
    assert found["reason"] == "not_found"


def test_time_runs_out(tmp_path):
    found = run(tmp_path, "--set", "task.time_limit_s=0.3", *stand_in(until_s=9.0))
    assert (found["reason"], found["time_s"]) == ("time_out", pytest.approx(0.3, abs=0.003))
    assert (found["failure"]["limit"], found["failure"]["unit"]) == (0.3, "s")


WALL = ('task.container_at_m=[3.0,3.0]', 'task.bin_at_m=[3.0,-3.0]', 'task.start_at_m=[-4.0,0.0]',
        'task.start_heading_deg=0.0')  # fmt: skip
CRATE = 'task.obstacle=[{kind="crate", at_m=[-3.2, 0.0]}]'


def changes(*given):
    return [word for one in given for word in ("--set", one)]


def test_a_chassis_that_strikes_a_crate_has_collided_and_the_recording_shows_it(tmp_path):
    found = run(tmp_path, *changes(*WALL, CRATE), *stand_in(0.5, 0.5, 20.0))
    assert found["reason"] == "collision"
    assert found["contacts"] >= 1
    assert found["failure"]["place_m"][0] == pytest.approx(-3.5, abs=0.05)
    assert "goods_1" in found["failure"]["text"]
    pairs = forbidden(Recording.open(tmp_path / found["recording"]))
    assert any("goods_1" in pair for pair in pairs)


def test_a_free_way_has_no_collision_and_the_recording_shows_none(tmp_path):
    found = run(tmp_path, *changes(*WALL, "task.obstacle=[]"), *stand_in(0.3, 0.3, 2.0))
    assert (found["reason"], found["contacts"]) == ("not_found", 0)
    assert found["path_m"] > 0.3
    assert forbidden(Recording.open(tmp_path / found["recording"])) == []


def test_a_rerun_of_a_task_is_the_same(tmp_path):
    found = run(tmp_path, "--seed", 7, *stand_in(left=0.3, right=0.3, said=4.0), status=1)
    words = ("world", "rerun", tmp_path / found["recording"], "--out", tmp_path / "again")
    again = told(*words, status=0)
    assert (again["ok"], again["differs"]) == (True, [])
    assert again["rows"][0] == again["rows"][1] > 100


def test_the_same_seed_gives_the_same_recording(tmp_path):
    one, other = (run(tmp_path / name, "--seed", "9", *stand_in()) for name in ("a", "b"))
    assert one["recording_sha256"] == other["recording_sha256"]


def test_a_diagram_without_the_tasks_ports_is_refused_with_all_that_are_missing(tmp_path):
    text = STAND_IN.read_text().splitlines()
    bare = [one for one in text if not one.startswith(('"bin_m"', '"reason', '"done'))]
    file = tmp_path / "bare.toml"
    file.write_text("\n".join(bare))
    said = hil("check", "container", "--set", f"diagram.file={file}", status=2).stderr
    assert "lacks ports of the task container: input bin_m, output reason, output done" in said


def test_a_navigator_that_there_is_not_is_refused_with_those_that_are():
    said = hil("check", "container", "--navigator", "robst", status=2).stderr
    assert "navigator = 'robst': there are 'robust', 'classic'" in said
    assert "did you mean robust" in said


def test_an_unknown_task_is_refused(tmp_path):
    file = tmp_path / "odd.toml"
    file.write_text('station = "task"\nname = "odd"\n[task]\nkind = "odd"\n')
    assert "'container'" in hil("check", file, status=2).stderr


def test_names_of_bodies_change_no_row(tmp_path):
    """The diagram has sensors only: a renamed scene gives the same rows but for names."""
    from hil.config.file_search import configs_dir
    from hil.stations.task.plan.task_plan import load_task_plan
    from hil.stations.task.run.runner import extension_of, started
    from hil.stations.world.run.session import run_world

    file = configs_dir() / "scenarios" / "container.toml"
    rows = '[{parameter="left", value=0.3},{parameter="right", value=0.2}]'
    given = ["seed=11", "task.time_limit_s=0.2", f"diagram.file={STAND_IN}", f"diagram.set={rows}"]
    plan = started(load_task_plan(file, given))
    found = [run_world(one, tmp_path) for one in (plan.world, renamed(plan.world))]
    first, second = (Recording.open(one.recorder.path) for one in found)
    for signal in first.header.signals.fields:
        if signal.name in second.columns:
            assert np.array_equal(
                first.column(signal.name), second.column(signal.name), equal_nan=True
            ), signal.name
    assert extension_of(plan).station == "task"


def renamed(plan):
    """The same plan, all bodies of its scene called otherwise."""
    scene = plan.scene.scene
    new = {one.name: f"body_{index}" for index, one in enumerate(scene.bodies)}
    bodies = tuple(replace(one, name=new[one.name], on=new.get(one.on, one.on))
                   for one in scene.bodies)  # fmt: skip
    touched = tuple(new.get(one, one) for one in plan.scenario.may_touch)
    scenario = plan.scenario.model_copy(update={"may_touch": touched})
    placed = replace(plan.scene, scene=replace(scene, bodies=bodies))
    return replace(plan, scenario=scenario, scene=placed)


class Quiet:
    """Judge who finds nothing."""

    at_rest = True

    def look(self, t_s):
        return ()

    def conclude(self, t_s):
        return None

    def measures(self):
        return {}

    def values(self):
        return ()


def failure_of(**ended):
    observer = TaskObserver(Quiet(), lambda name: math.nan, 1.0)
    return observer.failed_by(WorldFigures(**ended))


def test_a_run_that_is_refused_has_a_reason_of_the_set():
    found = failure_of(ended="failed", reason="the diagram stopped")
    assert (found.reason, found.text) == ("sensor", "the diagram stopped")
    assert json.dumps(found.to_table())


@pytest.mark.parametrize(("check", "reason"), [
    (RobotCheck.EFFORT, "force"), (RobotCheck.OWN_BODIES, "collision"),
    (RobotCheck.POSITION, "unreachable"), (RobotCheck.BRAKING, "unreachable"),
    (RobotCheck.BOX, "unreachable"), (RobotCheck.SPEED, "saturated"),
    (RobotCheck.ACCELERATION, "saturated"), (RobotCheck.FOLLOWING, "saturated"),
    (RobotCheck.COUNT, "sensor"), (RobotCheck.FINITE, "sensor"), (RobotCheck.FEEDBACK, "sensor"),
    (RobotCheck.ASKED, "time_out"),
])  # fmt: skip
def test_a_refusal_of_the_gate_has_the_reason_of_the_rule_that_was_broken(check, reason):
    broken = RobotViolation(check, "joint 3", 2.1, 1.5, "rad/s")
    found = failure_of(ended="refused", reason=broken.message, ended_by=broken)
    assert (found.reason, found.text) == (reason, broken.message)
    wanted = (None, None) if check in (RobotCheck.OWN_BODIES, RobotCheck.ASKED) else (2.1, 1.5)
    assert (found.value, found.limit) == wanted


def test_every_rule_of_the_gate_has_a_reason():
    assert set(CHECKS) == set(RobotCheck)
    assert set(CHECKS.values()) <= set(REASONS)


@pytest.mark.parametrize("check", [one for one in RobotCheck if one not in WITHOUT_VALUE])
def test_a_value_that_is_no_number_is_a_fault_of_a_sensor_whatever_it_breaks(check):
    broken = RobotViolation(check, "joint 3", math.nan, 1.5, "rad")
    found = failure_of(ended="refused", reason=broken.message, ended_by=broken)
    assert (found.reason, found.value) == ("sensor", None)
    assert "NaN" not in json.dumps(found.to_table())
