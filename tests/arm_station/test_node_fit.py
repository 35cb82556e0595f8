"""Waypoints fitted to a motion: nearer by far, never too fast; and what a live motion gets."""

from __future__ import annotations

import controller_model
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import dear
from scipy.spatial.transform import Rotation

from arm_driver.fit.blended_path import BlendModel
from arm_driver.fit.node_fit import LiveNodes, fit_nodes
from hil.config.file_search import configs_dir
from hil.machines.robot.settings import BlendSettings, RobotSettings

PERIOD_S = 0.35
LOOKS = 10
STEP_MAX_M = 0.035
MODEL: BlendModel = RobotSettings.load(configs_dir() / "robots" / "rm01.toml").blend.model(PERIOD_S)


def circle(count: int = 50, radius_m: float = 0.15, speed_m_s: float = 0.1) -> np.ndarray:
    """Round at constant speed, from rest to rest, at ten places a period."""
    t = PERIOD_S / LOOKS * np.arange(LOOKS * count + 1)
    edge = 3.0

    def gone(t):
        u = np.clip(t / edge, 0.0, 1.0)
        return edge * u**3 * (1.0 - 0.5 * u) + np.maximum(t - edge, 0.0)

    way = speed_m_s * np.where(t < t[-1] / 2, gone(t), t[-1] - edge - gone(t[-1] - t))
    angle = way / radius_m
    return radius_m * np.column_stack([np.cos(angle), np.sin(angle), np.zeros(len(t))])


def wander(seed: int, count: int = 30, speed_m_s: float = 0.06) -> np.ndarray:
    """A smooth motion from rest to rest that shakes at up to 0.8 Hz."""
    rng = np.random.default_rng(seed)
    t = PERIOD_S / LOOKS * np.arange(LOOKS * count + 1)
    waves, phases = rng.uniform(0.05, 0.8, (5, 3)), rng.uniform(0.0, 6.0, (5, 3))
    shape = np.sin(2.0 * np.pi * t[:, None, None] * waves + phases) / waves
    window = np.clip(np.minimum(t, t[-1] - t) / 2.0, 0.0, 1.0)[:, None]
    path = shape.sum(axis=1) * window**2 * (3.0 - 2.0 * window)
    fastest = np.linalg.norm(np.diff(path[::LOOKS], axis=0), axis=1).max() / PERIOD_S
    return path * speed_m_s / fastest


@pytest.mark.parametrize("bandwidth_rad_s", [50.0, 85.0, 120.0, 180.0])
def test_the_path_at_a_corner_is_the_second_model_s_however_slow_the_servos(
    bandwidth_rad_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a robot's file has it, lag and all; a servo is late into a corner and long out of it."""
    known = RobotSettings.load(configs_dir() / "robots" / "rm01.toml").blend.model_dump()
    monkeypatch.setattr(controller_model, "SERVO_RAD_S", bandwidth_rad_s)
    for half_s in (0.05, 0.14):
        monkeypatch.setattr(controller_model, "LONGEST_S", half_s)
        mine = {"longest_s": 2.0 * half_s, "lag_s": 2.0 / bandwidth_rad_s}
        model = BlendSettings(**(known | mine)).model(PERIOD_S)
        for turn_deg in (10.0, 30.0, 90.0, 180.0):
            turn = np.radians(turn_deg)
            steps = np.array([[1.0, 0.0, 0.0]] * 4 + [[np.cos(turn), np.sin(turn), 0.0]] * 4)
            nodes = STEP_MAX_M * np.cumsum(np.vstack([np.zeros(3), steps]), axis=0)
            t = np.arange(2.0 * PERIOD_S, 6.0 * PERIOD_S, 0.002)
            told, judged = model.path_m(nodes, t), controller_model.robot_path(nodes, t)
            chords = [np.interp(t, PERIOD_S * np.arange(9), nodes[:, k]) for k in range(3)]
            off = np.linalg.norm(judged - np.column_stack(chords), axis=1).max()
            assert off > 0.2e-3
            assert np.linalg.norm(told - judged, axis=1).max() < 0.005 * off


def test_a_file_without_a_lag_takes_what_its_rounding_leaves_for_the_servos() -> None:
    known = RobotSettings.load(configs_dir() / "robots" / "rm01.toml").blend
    told = known.model_copy(update={"lag_s": None})
    assert told.servo_lag_s == pytest.approx(known.servo_lag_s, rel=0.1)
    for servo_s, lag_s in ((0.01, 0.001), (5.0, 0.1)):
        assert told.model_copy(update={"servo_s": servo_s}).servo_lag_s == lag_s


def off_m(nodes: np.ndarray, way: np.ndarray) -> float:
    """Greatest distance in time of the second model's path from a motion."""
    t = PERIOD_S / LOOKS * np.arange(len(way))
    rested = np.vstack([nodes, nodes[-1]])
    return float(np.linalg.norm(controller_model.robot_path(rested, t) - way, axis=1).max())


def steps_m(nodes: np.ndarray) -> np.ndarray:
    return np.linalg.norm(np.diff(nodes, axis=0), axis=1)


@given(st.integers(0, 10_000))
@dear
def test_both_models_of_the_controller_drive_the_same_path(seed: int) -> None:
    nodes = wander(seed, speed_m_s=0.095)[::LOOKS]
    t = np.arange(0.0, PERIOD_S * (len(nodes) - 1), 0.007)
    apart = MODEL.path_m(nodes, t) - controller_model.robot_path(nodes, t)
    assert np.linalg.norm(apart, axis=1).max() < 0.07e-3


def test_a_chord_leaves_what_it_must() -> None:
    """Waypoints on a circle: a T² / 8 in the middle of each chord."""
    way = circle()
    left = 0.1**2 / 0.15 * PERIOD_S**2 / 8.0
    assert off_m(way[::LOOKS], way) == pytest.approx(left, rel=0.03)
    assert left == pytest.approx(1.02e-3, abs=1e-5)


def test_fitted_waypoints_halve_the_error_of_a_circle_at_full_speed() -> None:
    """With the speed that the correction takes; its own step is within the limit by 0.23 %."""
    way = circle()
    nodes = fit_nodes(way, LOOKS, MODEL, 1.01 * STEP_MAX_M)
    assert off_m(nodes, way) < 0.41e-3
    held = fit_nodes(way, LOOKS, MODEL, STEP_MAX_M)
    assert steps_m(held).max() <= STEP_MAX_M + 2e-6
    assert off_m(held, way) < 0.7e-3


@given(st.integers(0, 10_000), st.sampled_from([0.03, 0.06, 0.1]))
@dear
def test_fitted_waypoints_keep_speed_and_both_ends_and_are_never_worse(
    seed: int, speed_m_s: float
) -> None:
    way = wander(seed, speed_m_s=speed_m_s)
    nodes = fit_nodes(way, LOOKS, MODEL, STEP_MAX_M)
    np.testing.assert_array_equal(nodes[[0, -1]], way[[0, -1]])
    assert steps_m(nodes).max() <= STEP_MAX_M + 2e-6
    assert off_m(nodes, way) <= off_m(way[::LOOKS], way) + 0.02e-3


@given(st.integers(0, 10_000))
@dear
def test_where_the_motion_is_does_not_matter(seed: int) -> None:
    way, turn = wander(seed), Rotation.random(random_state=seed).as_matrix()
    nodes = fit_nodes(way, LOOKS, MODEL, STEP_MAX_M)
    moved = fit_nodes(way @ turn.T + [0.4, -0.2, 0.9], LOOKS, MODEL, STEP_MAX_M)
    np.testing.assert_allclose(moved, nodes @ turn.T + [0.4, -0.2, 0.9], atol=2e-6)


def test_a_hard_place_spoils_no_other() -> None:
    """A sudden stop that nothing can follow, and a shake far from it."""
    calm = wander(3, 40, 0.05)
    way = np.vstack([calm, calm[-1] + np.linspace([0, 0, 0], [0.11, 0, 0], 41)[1:],
                     np.tile(calm[-1] + [0.11, 0, 0], (40, 1))])  # fmt: skip
    t = PERIOD_S / LOOKS * np.arange(len(calm))
    alone = fit_nodes(calm, LOOKS, MODEL, STEP_MAX_M)
    both = fit_nodes(way, LOOKS, MODEL, STEP_MAX_M)
    errors = [
        np.linalg.norm(MODEL.path_m(nodes, t) - calm, axis=1)[: 10 * 30].max()
        for nodes in (alone, both)
    ]
    assert errors[1] <= 1.05 * errors[0]


def live(way: np.ndarray, step_max_m: float = STEP_MAX_M) -> np.ndarray:
    """Waypoints of a live motion, from the velocity at the end of each period."""
    velocity = np.gradient(way, PERIOD_S / LOOKS, axis=0)[::LOOKS]
    nodes = LiveNodes(way[0], PERIOD_S, step_max_m)
    rest = [nodes.node_m(p, v) for p, v in zip(way[LOOKS::LOOKS], velocity[1:], strict=True)]
    return np.vstack([way[0], rest])


@pytest.mark.parametrize("seed", range(4))
def test_a_live_motion_gets_a_part_of_it_without_waiting(seed: int) -> None:
    way = wander(seed)
    plain, helped = off_m(way[::LOOKS], way), off_m(live(way), way)
    assert helped < 0.75 * plain
    other = way.copy()
    other[200:] += 1.0  # what comes later changes nothing before
    np.testing.assert_array_equal(live(other)[:20], live(way)[:20])


def test_a_live_motion_ends_where_it_rests_and_is_never_too_fast() -> None:
    way = np.vstack([circle(40), np.tile(circle(40)[-1], (20, 1))])
    nodes = live(way)
    assert steps_m(nodes).max() <= STEP_MAX_M + 1e-12
    np.testing.assert_allclose(nodes[-1], way[-1], atol=1e-12)
    limit = 0.6 * STEP_MAX_M  # a motion beyond the limit itself is for the gate to refuse
    assert steps_m(live(way, limit)).max() == pytest.approx(steps_m(way[::LOOKS]).max(), rel=1e-6)
