"""Design over motions: wrenches against points of mass, and the few setpoints against all."""

from dataclasses import replace

import numpy as np
import pytest
from design_judge import at_pose, joints, rotation
from test_design import LOWER, PAPER, UPPER, problem

from platform6dof.design import motion_poses
from platform6dof.design.motion_poses import binding_rows, moving_poses, worst_rows
from platform6dof.design.search import NoDesignError, find_front
from platform6dof.dynamics.machine import PlatformBody
from platform6dof.kernels import design as kernel
from platform6dof.pose import PlatformSetpoint

DEG = np.pi / 180.0
CENTRE = np.array([0.05, -0.03, 0.35])
POINTS = CENTRE + np.array([
    [0.4, 0.0, 0.0], [-0.4, 0.0, 0.0], [0.0, 0.3, 0.1], [0.0, -0.3, -0.1], [0.1, 0.0, 0.2],
    [-0.1, 0.0, -0.2],
])  # fmt: skip
MASSES = np.array([40.0, 40.0, 60.0, 60.0, 50.0, 50.0])
MIDDLE = np.array([0.01, -0.02, 0.935])
SMALL = np.array([0.01, 0.01, 0.02, 1 * DEG, 1 * DEG, 1 * DEG])
HELD = np.array([300.0, 0.0, 0.0, 0.35, 0.0, 0.0, 9.81])
AMPLITUDES = np.array([0.07, 0.06, 0.09, 7 * DEG, 6 * DEG, 8 * DEG])
RATES = 2.0 * np.pi * np.array([0.9, 0.7, 1.1, 0.5, 1.3, 0.6])
PHASES = np.array([0.3, 1.9, 0.0, 2.5, 1.0, 4.0])


def coordinates(t):
    return np.array([*MIDDLE, 0.0, 0.0, 0.0]) + AMPLITUDES * np.sin(RATES * t + PHASES)


def setpoint(t):
    speed = AMPLITUDES * RATES * np.cos(RATES * t + PHASES)
    push = -AMPLITUDES * RATES**2 * np.sin(RATES * t + PHASES)
    return np.array(PlatformSetpoint.from_coordinates(coordinates(t), speed, push).packed)


def body():
    """Six points as one body."""
    arms = POINTS - CENTRE
    assert MASSES @ arms == pytest.approx(0.0, abs=1e-12)
    tensor = sum(
        m * (a @ a * np.eye(3) - np.outer(a, a)) for m, a in zip(MASSES, arms, strict=True)
    )
    return PlatformBody("points", float(MASSES.sum()), CENTRE, tensor)


def moving(count=400, length_s=8.0):
    rows = np.array([setpoint(t) for t in np.linspace(0.0, length_s, count)])
    return moving_poses(rows, MIDDLE, body())


def in_motion(**changes):
    given = {"box_lower": -SMALL, "box_upper": SMALL, "load": HELD} | changes
    return problem(**{"moving": moving()} | given)


def judged_wrench(t):
    """Force and moment on six points about the origin, accelerations by differences of places."""

    def places(at):
        q = coordinates(at)
        return q[:3] + POINTS @ rotation(q[3:]).T

    h = 1e-3
    second = (-places(t - 2 * h) + 16 * places(t - h) - 30 * places(t) + 16 * places(t + h)
              - places(t + 2 * h)) / (12 * h * h)  # fmt: skip
    forces = MASSES[:, None] * (second + np.array([0.0, 0.0, 9.81]))
    arms = places(t) - coordinates(t)[:3]
    return np.concatenate([forces.sum(axis=0), np.cross(arms, forces).sum(axis=0)])


def judged_figures(sizes, times):
    """Shortest and longest leg, error and force of a machine over a motion."""
    base, top = joints(sizes[0], sizes[1], 0.0), joints(sizes[2], sizes[3], sizes[4])
    lengths, errors, forces = [], [], []
    for t in times:
        q = coordinates(t)
        place = q[:3] - MIDDLE + np.array([0.0, 0.0, sizes[5]])
        length, rows = at_pose(base, top, place, rotation(q[3:]))
        lengths.append(length)
        errors.append(np.linalg.norm(np.linalg.inv(rows)[:3]))
        forces.append(np.linalg.solve(rows.T, judged_wrench(t)))
    return np.min(lengths), np.max(lengths), np.max(errors), np.abs(forces).max()


def test_a_wrench_moves_six_points_of_mass():
    times = [0.0, 0.31, 1.7, 4.4]
    rows = moving_poses(np.array([setpoint(t) for t in times]), MIDDLE, body())
    for row, t in zip(rows, times, strict=True):
        q = coordinates(t)
        assert row[:3] == pytest.approx(q[:3] - MIDDLE, abs=1e-12)
        assert row[3:12].reshape(3, 3) == pytest.approx(rotation(q[3:]), abs=1e-12)
        assert row[12:] == pytest.approx(judged_wrench(t), rel=1e-6, abs=1e-4)


def test_figures_over_a_motion_alone():
    """With a box that is a point: what a judge finds who knows nothing of the product."""
    times = np.linspace(0.0, 8.0, 60)
    rows = np.array([setpoint(t) for t in times])
    point = in_motion(
        box_lower=np.zeros(6), box_upper=np.zeros(6), moving=moving_poses(rows, MIDDLE, body()),
        load=np.array([1e-3, *HELD[1:]]),
    )  # fmt: skip
    generator = np.random.default_rng(3)
    for sizes in [PAPER, *(generator.uniform(LOWER + 0.05, UPPER) for _ in range(4))]:
        row = point.figures(sizes).raw[0]
        assert row[:4] == pytest.approx(judged_figures(sizes, times), rel=1e-6)


def test_a_box_and_a_motion_are_both_in_the_figures():
    generator = np.random.default_rng(4)
    machines = generator.uniform(LOWER + 0.05, UPPER, (30, 6))
    task = in_motion()
    both, box = task.figures(machines).raw, task.figures_in_box(machines).raw
    alone = in_motion(box_lower=np.zeros(6), box_upper=np.zeros(6), load=HELD * 1e-9)
    motion = alone.figures(machines).raw
    least = [kernel.SHORTEST, kernel.SINGULAR, kernel.CLEARANCE]
    expected = np.maximum(box, motion)
    expected[:, least] = np.minimum(box, motion)[:, least]
    assert both == pytest.approx(expected, rel=1e-12)
    assert (task.widened(task.figures_in_box(machines), task.moving).raw == both).all()


def test_worst_setpoints_are_those_of_the_figures():
    generator = np.random.default_rng(6)
    machines = generator.uniform(LOWER + 0.05, UPPER, (6, 6))
    task = in_motion(box_lower=np.zeros(6), box_upper=np.zeros(6), load=HELD * 1e-9)
    rows = worst_rows(task, machines, task.moving)
    alone = np.array([
        [replace(task, moving=task.moving[[row]]).figures(one).raw[0, k]
         for k, row in enumerate(of_machine)]
        for one, of_machine in zip(machines, rows, strict=True)
    ])  # fmt: skip
    known = task.figures(machines).raw
    assert alone == pytest.approx(known, rel=1e-12, abs=1e-12)


def test_few_setpoints_are_kept_and_the_ends_are_among_them():
    task = in_motion(moving=moving(4000))
    rows = binding_rows(task, 1)
    assert len(rows) <= motion_poses.KEPT
    assert (np.diff(rows) > 0).all()
    ends = np.concatenate([task.moving.argmin(axis=0), task.moving.argmax(axis=0)])
    assert np.isin(ends, rows).all()
    assert (binding_rows(task, 1) == rows).all(), "the same seed keeps the same"
    few = replace(task, moving=task.moving[rows])
    machines = np.random.default_rng(7).uniform(LOWER, UPPER, (200, 6))
    holds = few.figures(machines).kept
    seen, known = few.figures(machines).raw[holds], task.figures(machines).raw[holds]
    missed = np.abs(seen[:, :4] / known[:, :4] - 1.0)
    assert np.quantile(missed, 0.95) < 0.01, "the rest, near singular poses, is judged anew"
    assert (binding_rows(few, 1) == np.arange(len(rows))).all(), "of a few, all"


def test_a_front_is_judged_with_every_setpoint(monkeypatch):
    """Also if the search had hardly any of them."""
    monkeypatch.setattr(motion_poses, "KEPT", 8)
    task = in_motion(moving=moving(1500))
    front = find_front(task, 1, 12, generations=6)
    whole = task.figures(front.figures.sizes)
    assert (front.figures.raw == whole.raw).all()
    assert whole.kept.all()
    values = whole.objectives
    for one in values:
        assert not ((values <= one).all(axis=1) & (values < one).any(axis=1)).any()
    of_box = task.figures_in_box(front.figures.sizes).objectives
    assert (values[:, 0] > of_box[:, 0]).all(), "the motion needs more stroke than the box"
    assert (values[:, 2] > of_box[:, 2]).all(), "and more force than to hold it"
    again = find_front(task, 1, 12, generations=6)
    assert (again.figures.sizes == front.figures.sizes).all()


def test_what_only_all_setpoints_show_is_no_design(monkeypatch):
    """A single pose that no machine reaches, which the few leave out."""
    task = in_motion(moving=moving(1500))
    far = task.moving.copy()
    far[700, 2] = 2.5
    monkeypatch.setattr("platform6dof.design.search.binding_rows", lambda *_: np.array([0, 9]))
    with pytest.raises(NoDesignError, match=r"closed length is \d+ mm shorter"):
        find_front(replace(task, moving=far), 1, 5, generations=4)


def test_poses_in_motion_are_numbers():
    with pytest.raises(ValueError, match="moving"):
        in_motion(moving=moving() * np.nan)
