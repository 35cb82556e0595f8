"""What presses on a platform: forces by statics, and a log that forgets no peak."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from plant_rigs import GEOMETRY, HEIGHT_M, HELD, paper_robot

from sim.world.engine.mjcf_scene import scene_text
from sim.world.plants.platform_plant import PlantPlaceError, PlatformPlant
from sim.world.plants.touch_log import FURTHER, TOUCHES_MAX, VALUES_MAX, TouchLog
from sim.world.robots.body import BodyShape
from sim.world.scenes.model import BodyMotion, Scene, SceneBody, SceneRobot, Stepping

TOP_M = HEIGHT_M + 0.025
"""Of the platform's plate where it starts."""
CRATE = SceneBody(
    "crate", BodyShape.BOX, (0.2, 0.2, 0.1), position_m=(0.1, 0.0, TOP_M + 0.0501),
    motion=BodyMotion.FREE, mass_kg=7.0,
)  # fmt: skip
NEUTRAL_M = (np.linalg.norm(
    GEOMETRY.platform_joints_m + np.array((0.0, 0.0, HEIGHT_M)) - GEOMETRY.base_joints_m, axis=1
) - GEOMETRY.closed_length_m).tolist()  # fmt: skip


def plant_among(*bodies):
    scene = Scene("test", Stepping(step_s=1e-3), None, (SceneRobot("rig", "rig:"),), bodies)
    return PlatformPlant(scene_text(scene, {"rig": paper_robot()}))


def test_a_crate_at_rest_presses_with_its_weight():
    plant = plant_among(CRATE)
    plant.begin(NEUTRAL_M)
    plant.advance([0.0] * 6, HELD, 2.0)
    ((between, start_s, step_s, forces_n),) = plant.touches()
    assert between == "crate on rig/platform"
    assert 0.0 < start_s < 0.02
    assert start_s + step_s * len(forces_n) == pytest.approx(2.0, abs=2.0 * step_s)
    np.testing.assert_allclose(forces_n[-20:], 7.0 * 9.81, atol=0.1)


def test_what_a_borne_body_touches_counts_and_strangers_do_not():
    stranger = replace(CRATE, name="other", position_m=(3.0, 0.0, 0.051))
    ground = SceneBody("ground", BodyShape.BOX, (1.0, 1.0, 0.2), position_m=(3.0, 0.0, -0.1))
    shelf = SceneBody(
        "shelf", BodyShape.BOX, (0.4, 0.4, 0.1), on="rig", link=1, mass_kg=5.0,
        position_m=(0.1, 0.0, 0.5),
    )  # fmt: skip
    on_it = replace(CRATE, position_m=(0.1, 0.0, HEIGHT_M + 0.6001))
    plant = plant_among(stranger, ground, shelf, on_it)
    plant.begin(NEUTRAL_M)
    plant.advance([0.0] * 6, HELD, 0.5)
    assert [between for between, *_ in plant.touches()] == ["crate on shelf"]
    assert plant.world._data.ncon > 4


def test_a_body_in_the_way_at_the_beginning_is_refused():
    stuck = SceneBody("beam", BodyShape.BOX, (0.1, 1.9, 0.1), position_m=(0.62, 0.0, TOP_M + 0.04))
    plant = plant_among(stuck)
    with pytest.raises(PlantPlaceError, match="beam is 10 mm inside rig/platform, at most 1 mm"):
        plant.begin(NEUTRAL_M)
    plant_among(replace(stuck, position_m=(0.62, 0.0, TOP_M + 0.0501))).begin(NEUTRAL_M)


@pytest.mark.parametrize("seed", range(20))
def test_the_log_keeps_every_peak_where_it_was(seed):
    rng = np.random.default_rng(seed)
    count, log = int(rng.integers(5, 5000)), TouchLog()
    times_s = np.cumsum(rng.uniform(0.0005, 0.02, count)) + 3.0
    forces_n = np.round(rng.exponential(100.0, count) + 0.1, 1)
    for time_s, force_n in zip(times_s.tolist(), forces_n.tolist(), strict=True):
        log.note(time_s, {("beam", "platform"): force_n})
    ((_, start_s, step_s, told_n),) = log.rows()
    assert len(told_n) <= VALUES_MAX
    assert max(told_n) == forces_n.max()
    windows = np.floor((times_s - times_s[0]) / step_s + 1e-9).astype(int)
    for window, told in enumerate(told_n):
        inside = forces_n[windows == window]
        assert told == (inside.max() if len(inside) else 0.0)
    assert start_s == pytest.approx(times_s[0], abs=1e-6)


def test_touches_are_apart_after_a_while_and_bounded_in_number():
    log = TouchLog()
    for at, pair in itertools.product(range(3), ("a", "b")):
        log.note(at + 0.001, {(pair, "platform"): 5.0})
        log.note(at + 0.05, {(pair, "platform"): 7.0, ("c", "platform"): 0.0})
    assert [(name, len(forces)) for name, _, _, forces in log.rows()] == [
        ("a on platform", 5), ("b on platform", 5),
    ] * 3  # fmt: skip
    for at in range(200):
        log.note(10.0 + at, {(f"body {at}", "platform"): 5.0 + at})
    told = log.rows()
    assert len(told) == TOUCHES_MAX
    names = ["a on platform", "b on platform"] * 3 + [f"body {at} on platform" for at in range(43)]
    assert [between for between, *_ in told] == [*names, FURTHER]
    assert max(told[-1][3]) == 204.0
