"""How a run of a world is put together: its pace, the world that is shown, what comes before it."""

from dataclasses import replace

import numpy as np
import pytest
from edited_runs import timed
from scene_robots import ROBOTS, SCENARIOS
from test_robot_runs import said

from hil.config.errors import RefusedError
from hil.stations.world.cycle.bench import open_bench
from hil.stations.world.cycle.diagram_ends import ends_of
from hil.stations.world.plan.scenario_reader import load_world_plan
from hil.stations.world.run import session
from hil.stations.world.run.session import run_world
from hil.stations.world.run.world_output import show_losses
from hil.timing.clock import VirtualClock

SHORT = ("motion.duration_s=2.5", "settle_s=0.1")


def plan_of(name, *changes):
    return load_world_plan(SCENARIOS / f"{name}.toml", changes)


@pytest.mark.parametrize(("clock", "paced"), [("virtual", False), ("real", True)])
def test_models_are_waited_for_on_the_virtual_clock_alone(monkeypatch, tmp_path, clock, paced):
    asked = []

    def refuse(plan, law=None, live=None, *, paced=False):
        asked.append(paced)
        raise RefusedError("seen enough")

    monkeypatch.setattr(session, "open_bench", refuse)
    with pytest.raises(RefusedError, match="seen enough"):
        run_world(plan_of("joint_move", f'clock="{clock}"'), tmp_path)
    assert asked == [paced]


class Watched(VirtualClock):
    """A clock of a run that is watched; its window stays open."""

    closed, failure = False, ""

    def __init__(self, bench):
        super().__init__()
        self.first = bench.world
        self.world = lambda: self.first
        self.ends = bool


def test_who_watches_sees_the_world_of_the_edited_document(tmp_path):
    plan, clocks = plan_of("joint_move", *SHORT), []
    plan = replace(plan, edits=timed((100, plan.robot_text)))

    def watch(bench, _journal):
        clocks.append(Watched(bench))
        return clocks[0]

    result = run_world(plan, tmp_path, watch=watch)
    (clock,) = clocks
    assert result.editor.taken == 1
    assert clock.world() is not clock.first
    assert clock.world().time_s == pytest.approx(result.figures.steps * plan.scenario.step_s)
    assert clock.first.time_s == pytest.approx(100 * plan.scenario.step_s)


def test_the_tool_is_told_to_the_gate_as_its_base_sees_it(tmp_path):
    """Turned by 90 degrees about z and moved: x of the base is y of the world."""
    mount = "mount={position_m=[0.4, -0.7, 0.2], turn_deg=[0.0, 0.0, 90.0]}"
    file = tmp_path / "own.toml"
    text = (ROBOTS / "robot_a.toml").read_text()
    box = "\n[machine]\nbox_m = [[-2, -2, -2], [2, 2, 2]]\n\n[[link]]\n"
    file.write_text(text.replace("\n[[link]]\n", box, 1))
    alone = open_bench(plan_of("joint_move", f'robot="{file}"'))
    placed = open_bench(plan_of("joint_move", f'robot="{file}"', 'scene="table"', mount))
    own_m = np.array(alone.gated._tool())
    np.testing.assert_allclose(own_m, alone.tool_pose()[:3, 3], atol=1e-12)
    np.testing.assert_allclose(placed.gated._tool(), own_m, atol=1e-12)


def test_a_diagram_of_a_scenario_is_offered_its_robots_signals():
    ends = ends_of(SCENARIOS / "joint_move.toml")
    assert {one.name for one in ends.offered} >= {"position_rad", "wanted_rad"}
    (setpoint,) = ends.accepted
    assert setpoint.name == "torque"
    assert ends.step_s == plan_of("joint_move").scenario.step_s


@pytest.mark.parametrize("flag", ["--press", "--slide"])
def test_nothing_is_pressed_where_no_diagram_moves_the_robot(flag):
    told = said("check", "joint_move", flag, "start@1", status=2).output
    assert "no diagram moves the robot, so there is nothing to press or slide" in told


@pytest.mark.parametrize(("count", "more"), [(1, ""), (20, ""), (21, "lost: 1 more; hil world")])
def test_losses_are_told_a_line_each_and_of_many_the_first(capsys, count, more):
    lines = [f"{number}: {'a long loss ' * 12}" for number in range(count)]
    show_losses(lines)
    told = capsys.readouterr().err.splitlines()
    shown = min(count, 20)
    assert [one.rstrip() for one in told[:shown]] == [
        f"lost: {one}".rstrip() for one in lines[:shown]
    ]
    assert len(told) == shown + bool(more)
    assert told[-1].startswith(more)
