"""Valves: drawn by settings and seed alone, within their bounds; what cannot be done is refused."""

import math
from functools import cache

import numpy as np
import pytest

from hil.config.errors import ConfigError
from hil.machines.world.robot_documents import document_of
from hil.stations.task.valve import airlock
from hil.stations.task.valve.draw import draw
from hil.stations.task.valve.settings import ValveSettings
from sim.world.robots.sensors import SensorKind
from sim.world.scenes.scene_reader import read_scene
from sim.world.scenes.scene_writer import write_scene


@cache
def robot(name="torso_claw"):
    return document_of(name, key="robot").robot


def drawn(seed, **changes):
    settings = ValveSettings.build({"kind": "valve", **changes}, "test")
    return draw(settings, robot(), seed)


@pytest.mark.parametrize("seed", range(20))
def test_what_is_drawn_is_within_its_bounds(seed):
    found = drawn(seed)
    values = found.values
    assert 30.0 <= abs(math.degrees(values["angle_rad"])) <= 720.0
    assert 2.0 <= values["friction_nm"] <= 8.0
    assert 0.0 <= values["damping_nm_s"] <= 3.0
    assert 0.6 <= values["finger_friction"] <= 1.0
    assert 0.06 <= values["rim_radius_m"] <= 0.09
    at_m = np.array([values["wheel_x_m"], values["wheel_y_m"], values["wheel_z_m"]])
    assert (np.abs(at_m - airlock.NOMINAL_M) <= (0.10, 0.15, 0.15)).all()
    axis = np.array([values["axis_x"], values["axis_y"], values["axis_z"]])
    assert axis[0] >= math.cos(math.radians(20.0)) - 1e-12
    said_m = np.array(found.reported["valve_m"]) + airlock.BASE_M
    assert np.linalg.norm(said_m - at_m) == pytest.approx(values["report_error_m"])
    assert values["report_error_m"] <= 0.03
    said = np.array(found.reported["valve_axis"])
    assert math.acos(min(1.0, said @ axis)) == pytest.approx(values["report_error_rad"], abs=1e-7)
    assert found.period_s == values["period_s"]
    assert found.period_s in {number / 1000 for number in range(1, 11)}


def test_both_directions_are_drawn():
    assert {math.copysign(1.0, drawn(seed).values["angle_rad"]) for seed in range(20)} == {-1, 1}


def test_the_same_seed_draws_the_same_and_another_one_another():
    assert drawn(5).values == drawn(5).values
    assert drawn(5).scene.scene == drawn(5).scene.scene
    assert drawn(5).values != drawn(6).values


def test_what_is_judged_draws_nothing():
    assert drawn(5).values == drawn(5, slip_deg=1.0, time_limit_s=7.0).values


def test_the_wheel_stands_as_it_was_drawn():
    found = drawn(4, gravity_m_s2=9.81)
    scene, values = found.scene.scene, found.values
    bodies = {one.name: one for one in scene.bodies}
    hub = bodies[airlock.WHEEL]
    w, x, y, z = hub.quaternion
    axis = (1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y))
    assert axis == pytest.approx((values["axis_x"], values["axis_y"], values["axis_z"]))
    assert (hub.joint_friction, hub.damping) == (values["friction_nm"], values["damping_nm_s"])
    rim = [one for one in scene.bodies if one.name.startswith("rim_")]
    assert len(rim) == airlock.SEGMENTS
    for one in rim:
        assert math.hypot(*one.position_m) == pytest.approx(values["rim_radius_m"])
        assert one.friction == values["finger_friction"]
        assert one.contact_time_s == 0.004
    assert scene.stepping.gravity_m_s2 == (0.0, 0.0, -9.81)
    assert scene.stepping.step_s == 0.001


def test_sensors_of_forces_have_noise_and_are_late_by_a_period():
    found = drawn(7)
    for one in found.robot.sensors:
        assert one.delay_s == found.period_s
        noise = {each.unit: each.noise for each in one.defects}
        expected = {SensorKind.WRENCH: {"n": 0.5, "nm": 0.05}, SensorKind.TOUCH: {"n": 0.5},
                    SensorKind.JOINT_TORQUE: {"nm": 0.05}}  # fmt: skip
        assert noise == expected[one.kind]


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        ({"angle_deg": 200.0, "travel_deg": 90.0}, ("200 deg", "90 deg", "smaller angle")),
        ({"rim_radius_m": (0.06, 0.14)}, ("0.14 m", "0.095 m", "another hand")),
        ({"friction_nm": (2.0, 30.0)}, ("30 N m", "11 N m", "lighter valve")),
        ({"wheel_at_m": (1.3, 0.8, 1.7)}, ("from the shoulder", "0.69 m", "nearer wheel")),
    ],
)
def test_what_cannot_be_done_is_refused_with_value_limit_and_remedy(changes, parts):
    with pytest.raises(ConfigError) as refused:
        drawn(1, **changes)
    for part in parts:
        assert part in str(refused.value)


def test_a_robot_without_fingers_is_refused():
    settings = ValveSettings.build({"kind": "valve"}, "test")
    with pytest.raises(ConfigError, match="no link has 'finger' in its name"):
        draw(settings, robot("seven_r"), 1)


def test_pairs_out_of_order_are_refused():
    with pytest.raises(ConfigError, match="turn_deg"):
        ValveSettings.build({"kind": "valve", "turn_deg": (90.0, 30.0)}, "test")


@pytest.mark.parametrize("seed", range(5))
def test_the_scene_of_a_recording_is_the_drawn_one(seed):
    scene = drawn(seed).scene.scene
    again = read_scene(write_scene(scene), "test")
    assert again.bodies == scene.bodies
