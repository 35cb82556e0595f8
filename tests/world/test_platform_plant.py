"""A platform on six rods in the engine, judged by statics, Newton and the bench's kinematics."""

from dataclasses import replace

import numpy as np
import pytest
from plant_rigs import (
    FREE,
    GEOMETRY,
    HEIGHT_M,
    HELD,
    RIG,
    heave_mass_kg,
    paper_plant,
    paper_robot,
    plant_of,
    weight_forces_n,
)

from hil.machines.world.rig_document import ACTUATOR, PLATFORM
from hil_common.arrays.pose import Pose
from platform6dof.envelope import home_pose
from platform6dof.forward import forward
from platform6dof.jacobian import leg_jacobian
from sim.world.plants.platform_plant import PlantPlaceError
from sim.world.robots.robot_checks import findings_of

STROKE_M = RIG.cylinders.stroke_m[0]


def test_its_document_has_no_findings():
    assert findings_of(paper_robot()) == ()


def test_at_rest_each_rod_bears_what_statics_say():
    force_n = weight_forces_n(300.0)
    assert force_n == pytest.approx(617.30, abs=0.005)
    plant = paper_plant(300.0)
    before = np.array(plant.extensions_m())
    plant.advance([force_n] * 6, FREE, 0.1)
    np.testing.assert_allclose(plant.extensions_m(), before, atol=5e-8)
    plant = paper_plant(300.0)
    plant.advance([force_n + 10.0] * 6, FREE, 0.1)
    way_m = 0.5 * 10.0 / heave_mass_kg(300.0) * 0.1**2
    np.testing.assert_allclose(np.array(plant.extensions_m()) - before, way_m, rtol=0.03)


@pytest.mark.parametrize("payload_kg", [100.0, 300.0, 1200.0])
def test_let_go_it_falls_as_newton_says(payload_kg):
    plant = paper_plant(payload_kg)
    before = np.array(plant.extensions_m())
    plant.advance([0.0] * 6, FREE, 0.02)
    acceleration = -weight_forces_n(payload_kg) / heave_mass_kg(payload_kg)
    np.testing.assert_allclose(plant.speeds_m_s(), acceleration * 0.02, rtol=3e-3)
    way_m = 0.5 * acceleration * 0.02 * (0.02 + 0.001)  # semi-implicit Euler
    np.testing.assert_allclose(np.array(plant.extensions_m()) - before, way_m, rtol=3e-3)


def test_locked_rods_hold_a_load_for_a_minute():
    plant = paper_plant(600.0)
    before = np.array(plant.extensions_m())
    plant.advance([4000.0] * 6, HELD, 60.0)  # motors without power do nothing
    sag_m = before - plant.extensions_m()
    assert 0.0 < sag_m.max() < 50e-6
    assert plant.speeds_m_s() == [0.0] * 6
    assert plant.world.gap_max_m < 10e-6


def test_one_unlocked_rod_falls_and_the_platform_tilts_on_the_others():
    plant = paper_plant(300.0)
    before = np.array(plant.extensions_m())
    held = (False, True, True, True, True, True)
    plant.advance([0.0] * 6, held, 0.05)
    moved = np.array(plant.extensions_m()) - before
    assert moved[0] < -0.5e-3
    assert np.abs(moved[1:]).max() < 100e-6
    found = forward(
        GEOMETRY, GEOMETRY.closed_length_m + plant.extensions_m(), home_pose(GEOMETRY, 1.0)
    ).X_BP
    plant.world.settle()
    np.testing.assert_allclose(_pose(plant)[:3, 3], found.position_m, atol=2e-5)


def _pose(plant):
    return plant.world.robots[0].pose(PLATFORM)


def test_it_begins_where_the_rods_say():
    rods = 0.028 + np.random.default_rng(3).uniform(-0.01, 0.01, 6)
    plant = paper_plant()
    plant.advance([900.0] * 6, FREE, 0.03)
    plant.begin(rods.tolist())
    np.testing.assert_allclose(plant.extensions_m(), rods, atol=1e-9)
    assert plant.speeds_m_s() == [0.0] * 6
    found = forward(GEOMETRY, GEOMETRY.closed_length_m + rods, home_pose(GEOMETRY, 0.67))
    assert found.converged
    np.testing.assert_allclose(_pose(plant)[:3, 3], found.X_BP.position_m, atol=1e-8)
    np.testing.assert_allclose(_pose(plant)[:3, :3], found.X_BP.rotation, atol=1e-8)
    plant.advance([0.0] * 6, HELD, 0.1)
    np.testing.assert_allclose(plant.extensions_m(), rods, atol=5e-6)


def test_rods_that_no_platform_fits_are_refused():
    with pytest.raises(PlantPlaceError, match="the least gap"):
        paper_plant().begin([0.0, 0.74, 0.0, 0.74, 0.0, 0.74])


def test_a_brake_slows_a_moving_rod_down_and_then_locks_it():
    plant = paper_plant(300.0)
    plant.advance([1800.0] * 6, FREE, 0.05)
    speed = plant.speeds_m_s()[0]
    assert speed > 0.5
    before = np.array(plant.extensions_m())
    slowing = (RIG.cylinders.force_max_n[0] + weight_forces_n(300.0)) / heave_mass_kg(300.0)
    plant.advance([0.0] * 6, HELD, 0.5 * speed / slowing)
    np.testing.assert_allclose(plant.speeds_m_s(), 0.5 * speed, rtol=0.1)
    plant.advance([0.0] * 6, HELD, speed / slowing)
    assert plant.speeds_m_s() == [0.0] * 6
    stopped = np.array(plant.extensions_m())
    np.testing.assert_allclose(stopped - before, 0.5 * speed**2 / slowing, rtol=0.1)
    plant.advance([0.0] * 6, HELD, 5.0)
    np.testing.assert_allclose(plant.extensions_m(), stopped, atol=20e-6)
    plant.advance([weight_forces_n(300.0)] * 6, FREE, 0.01)
    assert any(plant.speeds_m_s())  # it is let go again


def test_time_passes_to_the_last_fraction():
    whole, parts = paper_plant(), paper_plant()
    whole.advance([700.0] * 6, FREE, 0.0125)
    assert whole.world.time_s == pytest.approx(0.0125, abs=1e-12)
    for dt_s in (0.0003, 0.0027, 0.00005, 0.0, -1.0, 0.00945):
        parts.advance([700.0] * 6, FREE, dt_s)
    assert parts.world.time_s == pytest.approx(0.0125, abs=1e-12)
    np.testing.assert_allclose(parts.speeds_m_s(), whole.speeds_m_s(), rtol=2e-3)
    np.testing.assert_allclose(parts.extensions_m(), whole.extensions_m(), atol=2e-6)


@pytest.mark.parametrize(("force_n", "end_m"), [(3000.0, STROKE_M), (0.0, 0.0)])
def test_rods_stop_at_their_ends(force_n, end_m):
    plant = paper_plant(300.0)
    plant.advance([force_n] * 6, FREE, 2.0)
    np.testing.assert_allclose(plant.extensions_m(), end_m, atol=1e-3)
    np.testing.assert_allclose(plant.speeds_m_s(), 0.0, atol=1e-3)


def test_its_rods_move_with_the_platform_as_the_jacobian_says():
    seen = paper_plant(300.0, (0.0, 0.0, 0.2)).inertia()
    J, H = seen.J, seen.H
    level = Pose.from_coordinates(np.array([0.0, 0.0, HEIGHT_M, 0.0, 0.0, 0.0]))
    np.testing.assert_allclose(J, leg_jacobian(GEOMETRY, level), atol=1e-12)
    heave = 1.0 / (J[0, 2] ** 2) * H[2, 2] / 6.0
    assert heave == pytest.approx(heave_mass_kg(300.0), rel=1e-9)
    empty = paper_plant(150.0, (0.0, 0.0, 0.2)).inertia()
    plate = H - empty.H  # of 150 kg more, whose legs have cancelled out
    np.testing.assert_allclose(np.diag(plate)[:3], 150.0, rtol=1e-9)
    radius_m = float(np.linalg.norm(GEOMETRY.platform_joints_m, axis=1).max())
    across = 150.0 * ((3.0 * radius_m**2 + ACTUATOR.plate_m**2) / 12.0 + 0.2**2)
    wanted = (across, across, 75.0 * radius_m**2)
    np.testing.assert_allclose(np.diag(plate)[3:], wanted, rtol=1e-9)
    assert seen.load_kg == pytest.approx(300.0, rel=1e-12)
    np.testing.assert_allclose(seen.H_load, 2.0 * plate, atol=1e-8)
    np.testing.assert_allclose(seen.with_load(150.0), empty.H, atol=1e-8)


def test_other_drives_are_refused():
    robot = paper_robot()
    fast = replace(robot.drives[0], control="speed", speed_gain=100.0)
    with pytest.raises(ValueError, match=r"drive of joint 3 \(speed\): a plant's drives are force"):
        plant_of(replace(robot, drives=(fast, *robot.drives[1:])))
