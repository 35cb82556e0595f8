"""Hangars of the container task: drawn by settings and seed alone, within their bounds."""

import math

import numpy as np
import pytest
from task_runs import drawn, robot, settings

from hil.config.errors import ConfigError
from hil.stations.task.container.draw import draw
from sim.world.robots.sensors import SensorKind

SEEDS = range(12)


def outline(body):
    """Points on a body's outline from above, by its shape alone."""
    x, y, _ = body.position_m
    if body.shape.value == "box":
        w, _, _, z = body.quaternion
        turn = 2.0 * math.atan2(z, w)
        a, b = 0.5 * body.size_m[0], 0.5 * body.size_m[1]
        side = np.linspace(-1.0, 1.0, 41)
        edge = [*((s * a, b) for s in side), *((s * a, -b) for s in side),
                *((a, s * b) for s in side), *((-a, s * b) for s in side)]  # fmt: skip
        cos, sin = math.cos(turn), math.sin(turn)
        return np.array([(x + cos * u - sin * v, y + sin * u + cos * v) for u, v in edge])
    angles = np.linspace(0.0, math.tau, 120)
    radius = body.size_m[0]
    return np.stack([x + radius * np.cos(angles), y + radius * np.sin(angles)], axis=1)


def nearest(one, other):
    return float(np.sqrt(((one[:, None] - other[None]) ** 2).sum(axis=2)).min())


def goods(scene):
    return [one for one in scene.bodies if one.name.startswith("goods")]


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_drawn_is_within_its_bounds(seed):
    found = drawn(seed)
    values, scene = found.values, found.scene.scene
    assert 4 <= len(goods(scene)) == values["obstacles"] <= 12
    assert 0.8 <= values["gap_m"] <= 1.6
    assert 0.3 <= values["container_kg"] <= 2.0
    assert 0.5 <= values["container_friction"] <= 1.0
    assert 0.9 <= values["left_side"] <= 1.1
    told = found.reported["container_m"]
    true = (values["container_x_m"], values["container_y_m"])
    assert math.dist(told[:2], true) <= 0.2 + 1e-12
    shapes = [outline(one) for one in goods(scene)]
    for index, one in enumerate(shapes):
        assert np.abs(one[:, 0]).max() <= 6.0
        assert np.abs(one[:, 1]).max() <= 4.5
        for other in shapes[index + 1 :]:
            assert nearest(one, other) >= values["gap_m"] - 0.02


def test_the_weight_of_the_container_is_the_drawn_one():
    found = drawn(3)
    parts = ("container", "grip", "grip_post_1", "grip_post_2")
    masses = [one.mass_kg for one in found.scene.scene.bodies if one.name in parts]
    assert sum(masses) == pytest.approx(found.values["container_kg"])


def test_the_same_seed_draws_the_same_and_another_one_another():
    assert drawn(5).values == drawn(5).values
    assert drawn(5).scene.scene == drawn(5).scene.scene
    assert drawn(5).values != drawn(6).values


def test_what_is_judged_draws_nothing():
    assert drawn(5).values == drawn(5, slip_max_mm=1.0, time_limit_s=7.0).values


def test_sensors_have_noise_and_sides_are_unequal():
    plain, found = robot(), drawn(5)
    beams = [one for one in found.robot.sensors if one.name in ("left", "front", "right")]
    assert all(one.dropout == 0.02 and one.defects[0].noise == 0.01 for one in beams)
    places = next(one for one in found.robot.sensors if one.kind is SensorKind.JOINT_PLACE)
    assert places.defects[0].noise == 0.005
    ratios = [
        new.speed_max / old.speed_max
        for old, new in zip(plain.drives, found.robot.drives, strict=True)
    ]
    assert ratios[:2] == [found.values["left_side"], found.values["right_side"]]
    assert set(ratios[2:]) == {1.0}


def test_a_container_that_the_jaws_do_not_hold_is_refused():
    with pytest.raises(
        ConfigError, match=r"container_kg: 5 kg, and jaws of 80 N hold at most 2.72"
    ):
        drawn(container_kg=[0.3, 5.0])


def test_a_gap_that_the_body_does_not_fit_through_is_refused():
    with pytest.raises(ConfigError, match=r"gap_m: 0.5 m, and the body is 0.56 m wide"):
        drawn(gap_m=[0.5, 1.0])


def test_a_goal_inside_an_obstacle_is_refused_with_its_distance():
    places = {"container_at_m": [2.0, 1.0], "bin_at_m": [-3.0, -1.0], "start_at_m": [-2.0, 2.0]}
    crate = {"kind": "crate", "at_m": [2.1, 1.0]}
    with pytest.raises(ConfigError, match=r"container at 2.00, 1.00 m is -0\.\d+ m from the near"):
        drawn(**places, obstacle=[crate])


@pytest.mark.parametrize(("gap_m", "passes"), [(0.5, False), (1.1, True)])
def test_a_wall_of_obstacles_is_passed_only_where_the_body_fits(gap_m, passes):
    at = [0.5 * gap_m + 0.6 + number * 1.2 for number in range(4)]
    rows = [{"kind": "pallet", "at_m": [0.0, sign * y], "turn_deg": 90.0}
            for y in at for sign in (-1.0, 1.0)]  # fmt: skip
    places = {"container_at_m": [3.0, 1.0], "bin_at_m": [3.0, -2.0], "start_at_m": [-3.0, 0.0]}
    if passes:
        assert draw(settings(**places, obstacle=rows), robot(), 1).values["obstacles"] == 8.0
        return
    with pytest.raises(ConfigError, match=r"no way of 0.76 m width leads from the start"):
        draw(settings(**places, obstacle=rows), robot(), 1)
    assert draw(settings(**places, obstacle=rows, passage=False), robot(), 1)
