"""A robot that is stopped is stopped by the gate's own law, whatever its user's law has become.

Judged by the measured speeds of the rows: before the stop none is beyond what is tolerated of its
bound; from the cycle on in which it begins none grows beyond that, or beyond what it was found at.
"""

import math
import random
from dataclasses import replace

import numpy as np
import pytest
from campaign import count
from edited_runs import EditedRun, Pushing, timed
from scene_robots import ROBOTS, SCENARIOS

from hil.diagram.run.change import DiagramChange
from hil.diagram.run.changer import DiagramChanger, TimedChange
from hil.stations.world.cycle.bench import open_bench
from hil.stations.world.cycle.gated_robot import GatedRobot
from hil.stations.world.plan.scenario_reader import load_world_plan
from hil.stations.world.run.law_changes import LawChanges
from hil.stations.world.signals import MODES

SPEED = 0.6
"""Bound of each axis [rad/s]; the motion asks for 0.51 at most."""
TOLERATED = 1.1 * SPEED
MOVE = "motion.goal=[{joint=1, by_deg=-25.0}, {joint=4, by_deg=-25.0}]"
STOPPED = {MODES.index("stopping"), MODES.index("stopped")}


SWING = 0.02
"""What is left to the coupling of the axes while all of them brake [rad/s]."""


def text_of(*, effort_nm=None, speed=SPEED, joints=range(1, 7), box_m=None, own_bodies=False):
    """robot_a with bounds of a machine in metal."""
    told = ["[machine]", f"own_bodies = {str(own_bodies).lower()}"]
    told += [] if box_m is None else [f"box_m = {box_m}"]
    for joint in joints:
        told += ["[[machine.joint]]", f"joint = {joint}", f"speed_rad_s = {speed}"]
        told += [] if effort_nm is None else [f"effort_nm = {effort_nm}"]
    text = (ROBOTS / "robot_a.toml").read_text()
    return text.replace("\n[[link]]\n", "\n" + "\n".join(told) + "\n\n[[link]]\n", 1)


def plan_of(folder, scenario, seconds=1.6, **bounds):
    file = folder / "own.toml"
    file.write_text(text_of(**bounds))
    changes = [f'robot="{file}"', MOVE, f"motion.duration_s={seconds}", "settle_s=0.2"]
    return load_world_plan(SCENARIOS / f"{scenario}.toml", changes)


def ride(folder, *between, changes=(), **bounds):
    """A run of robot_a by a diagram, whose parameters change."""
    plan = plan_of(folder, "diagram_move", **bounds)
    changer = LawChanges(DiagramChanger(changes, plan.scenario.step_s))
    return EditedRun(plan, None, changer, *between).play()


def wild(step, value=1e6, name="kp"):
    return TimedChange(step, DiagramChange({name: (value,) * 6}))


def excess(run):
    """By how much the speeds go beyond what the stop permits [rad/s]; NaN for no stop."""
    speeds, modes = np.abs(run.column("speed_rad_s")), run.column("mode")
    rows = np.flatnonzero(np.isin(modes, list(STOPPED)))
    if not len(rows):
        assert speeds.max() <= TOLERATED
        return math.nan
    begun = rows[0]
    assert speeds[:begun].max(initial=0.0) <= TOLERATED
    return float((speeds[begun:] - np.maximum(speeds[begun], TOLERATED)).max())


@pytest.mark.parametrize("name", ["kp", "ki"])
def test_a_gain_of_a_million_does_not_go_on_in_the_stop(tmp_path, monkeypatch, name):
    run = ride(tmp_path, changes=[wild(200, name=name)])
    assert run.run.figures.ended == "refused"
    assert "(measured)" in run.run.figures.reason
    assert excess(run) <= 0.0
    assert np.abs(run.column("speed_rad_s")[-1]).max() < 0.02

    # As it was: who asked goes on leading.
    followed = GatedRobot._followed
    monkeypatch.setattr(
        GatedRobot, "_followed", lambda self, allowed, law: followed(self, allowed, self.law)
    )
    assert excess(ride(tmp_path, changes=[wild(200, name=name)])) > 5.0


def test_an_effort_beyond_the_machine_is_refused_before_a_drive_makes_it(tmp_path):
    run = ride(tmp_path, changes=[wild(300)], effort_nm=60.0)
    assert "joint 4: effort" in run.run.figures.reason
    assert "limit 60 N m (asked for by its law)" in run.run.figures.reason
    assert np.abs(run.column("effort_n_m")).max() <= 1.1 * 60.0
    assert np.abs(run.column("speed_rad_s")).max() <= TOLERATED


def test_whatever_happens_while_it_runs_no_stop_makes_an_axis_faster(tmp_path):
    """Gains of every size at any time, efforts bounded or not, and forces from outside."""
    draw, stops = random.Random(11), 0
    for _ in range(count(60, 5)):
        changes = [
            wild(step, 10.0 ** draw.uniform(2, 6), draw.choice(("kp", "ki", "kd")))
            for step in sorted(draw.sample(range(20, 700), 3))
        ]
        push = Pushing(draw.randrange(50, 700), body=draw.choice(("l2", "l3", "l6")))
        run = ride(tmp_path, push, changes=changes, effort_nm=draw.choice((None, 150.0)))
        over = excess(run)
        stops += over == over
        assert not over > SWING, (changes, over)
    assert stops > 0


# -- edits ------------------------------------------------------------------------------------


def edited(folder, *edits, **bounds):
    plan = replace(plan_of(folder, "joint_move", **bounds), edits=timed(*edits))
    return EditedRun(plan).play()


BOX = "[[-3, -3, -1], [3, 3, 3]]"


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ({}, {"speed": 0.7}, "joint 1: speed bound 0.7, it was 0.6"),
        ({}, {"joints": range(2, 7)}, "joint 1: its speed bound of 0.6 would be gone"),
        ({"effort_nm": 60}, {"effort_nm": 61}, "joint 1: effort bound 61, it was 60"),
        ({"effort_nm": 60}, {}, "joint 1: its effort bound of 60 would be gone"),
        ({"box_m": BOX}, {}, "box_m None is not within"),
        ({"box_m": BOX}, {"box_m": BOX.replace("-1]", "-1.01]")}, "is not within"),
        ({"own_bodies": True}, {}, "own bodies might touch each other"),
    ],
)
def test_an_edit_takes_no_bound_of_the_machine_away(tmp_path, before, after, told):
    run = edited(tmp_path, (200, text_of(**after)), **before)
    assert (run.editor.taken, run.editor.refused) == (0, 1)
    assert told in str(run.kept.events)
    assert run.run.bench.gated.limits.axes[0].speed == SPEED


def test_a_bound_that_became_narrower_stays_so_and_is_held(tmp_path):
    run = edited(tmp_path, (100, text_of(speed=0.5)), (150, text_of()))
    assert (run.editor.taken, run.editor.refused) == (1, 1)
    assert "joint 1: speed" in run.run.figures.reason
    assert "limit 0.5 rad/s" in run.run.figures.reason
    assert np.abs(run.column("speed_rad_s")).max() <= 1.1 * 0.5


def test_a_machine_may_be_added_while_it_runs(tmp_path):
    plan = plan_of(tmp_path, "joint_move")
    (tmp_path / "own.toml").write_text((ROBOTS / "robot_a.toml").read_text())
    plan = load_world_plan(SCENARIOS / "joint_move.toml", [f'robot="{tmp_path}/own.toml"', MOVE])
    run = EditedRun(replace(plan, edits=timed((200, text_of())))).play()
    assert run.editor.taken == 1


def test_no_edit_is_asked_of_the_machine_once_the_drives_are_off(tmp_path):
    plan = plan_of(tmp_path, "joint_move")
    limits = open_bench(plan).gated.limits
    assert limits.widened(limits) == ()
    assert limits.widened(replace(limits, axes=limits.axes[1:])) != ()
    turned = (limits.axes[0]._replace(unit="m"), *limits.axes[1:])
    assert limits.widened(replace(limits, axes=turned)) == (
        "joint 1: its speed bound of 0.6 would be gone",
    )
