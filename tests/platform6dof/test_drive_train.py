"""Screws and motors: by hand, and by energy, which goes nowhere but where it is lost."""

from dataclasses import replace

import numpy as np
import pytest
from test_leg_dynamics import CABIN, LEGS, PLATE, Sines, skewed_geometry

from platform6dof.dynamics.drive_train import DriveTrain, DriveTrainError
from platform6dof.dynamics.inverse_dynamics import LegLoads, loads_of_coordinates
from platform6dof.dynamics.machine import Machine

TRAIN = DriveTrain(
    lead_m=0.02, rotor_kg_m2=2.026e-4, efficiency=0.9, efficiency_back=0.8, coulomb_n=130.0,
    viscous_n_s_m=300.0, torque_constant_nm_a=1.0, winding_ohm=1.5, stribeck_n=60.0,
    stribeck_m_s=0.005,
)  # fmt: skip


def one(force_n, speed_m_s, rotor_n=0.0):
    parts = np.zeros((1, 4, 6))
    parts[0, 0], parts[0, 3] = force_n, rotor_n
    flat = np.full((1, 6), float(speed_m_s))
    return LegLoads(flat, flat, np.zeros((1, 6)), parts)


def test_a_motor_that_lifts_pays_for_screw_and_friction():
    found = TRAIN.motor(one(1000.0, 0.2))
    friction = 130.0 + 300.0 * 0.2  # Stribeck's part has gone by 0.2 m/s
    torque = (1000.0 + friction) / 0.9 * 0.02 / (2.0 * np.pi)
    np.testing.assert_allclose(found.torque_nm, torque, rtol=1e-12)
    np.testing.assert_allclose(found.shaft_w, torque * 0.2 * 2.0 * np.pi / 0.02, rtol=1e-12)
    np.testing.assert_allclose(found.copper_w, 3.0 * 1.5 * torque**2, rtol=1e-12)
    assert not found.fed_back_w.any()


def test_a_load_that_sinks_feeds_back_what_is_left():
    found = TRAIN.motor(one(1000.0, -0.2))
    torque = (1000.0 - 190.0) * 0.8 * 0.02 / (2.0 * np.pi)
    np.testing.assert_allclose(found.torque_nm, torque, rtol=1e-12)
    back = 810.0 * 0.8 * 0.2 - 3.0 * 1.5 * torque**2
    np.testing.assert_allclose(found.fed_back_w, back, rtol=1e-9)
    locking = replace(TRAIN, efficiency_back=0.0).motor(one(1000.0, -0.2))
    assert not locking.torque_nm.any()


def test_at_rest_a_motor_holds_what_an_ideal_screw_needs():
    found = TRAIN.motor(one(1000.0, 0.0))
    np.testing.assert_allclose(found.torque_nm, 1000.0 * 0.02 / (2.0 * np.pi), rtol=1e-12)
    assert not found.shaft_w.any()
    assert not found.friction_n.any()


def test_friction_falls_from_stribecks_to_coulombs():
    speeds = np.array([0.0, 1e-5, 0.005, 0.1, -1e-5])
    wanted = [0.0, 190.0, 130.0 + 60.0 / np.e + 1.5, 160.0, -190.0]
    np.testing.assert_allclose(TRAIN.friction_n(speeds), wanted, atol=0.01)
    alone = [TRAIN.friction_at(speed) for speed in speeds.tolist()]
    np.testing.assert_allclose(alone, TRAIN.friction_n(speeds), rtol=1e-12)


def test_rotor_and_screw_are_a_mass_at_the_rod():
    assert TRAIN.rotor_kg == pytest.approx(20.0, rel=1e-3)
    torque = TRAIN.motor(one(0.0, 0.0, rotor_n=TRAIN.rotor_kg * 5.0)).torque_nm
    np.testing.assert_allclose(torque, 2.026e-4 * 5.0 * 2.0 * np.pi / 0.02, rtol=1e-12)


def test_energy_of_a_closed_motion_goes_where_it_is_lost():
    """What is drawn less what is fed back is the loss in windings, by friction and in screws."""
    machine, path = Machine(skewed_geometry(2), (PLATE, CABIN), LEGS), Sines(7)
    path.rate = 2.0 * np.pi * np.round(path.rate / (2.0 * np.pi) * 2.0).clip(1.0) / 2.0
    times = np.linspace(0.0, 2.0, 20001)
    loads = loads_of_coordinates(
        machine, *[np.array([f(t) for t in times]) for f in (path, path.first, path.second)]
    )
    motor = TRAIN.motor(loads)

    def total(power):
        return np.trapezoid(power.sum(axis=1), times)

    electrical = total(np.maximum(0.0, motor.power_w)) - total(motor.fed_back_w)
    friction = total(motor.friction_n * loads.speed_m_s)
    before = (loads.thrust_n + motor.friction_n) * loads.speed_m_s
    screws = total(np.where(before > 0.0, before / 0.9 - before, 0.8 * before - before))
    lost = total(motor.copper_w) + friction + screws
    assert electrical == pytest.approx(lost, rel=1e-3)
    assert friction > 0.1 * lost
    assert screws > 0.05 * lost


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("efficiency", 1.1, "at most 1"),
        ("efficiency", 0.0, "above 0"),
        ("efficiency_back", -0.1, "0 to 1"),
        ("efficiency_back", 1.2, "0 to 1"),
        ("lead_m", 0.0, "more than 0"),
        ("rotor_kg_m2", -1.0, "0 or more"),
        ("coulomb_n", float("nan"), "finite"),
    ],
)
def test_what_no_drive_has_is_refused(key, value, reason):
    with pytest.raises(DriveTrainError, match=rf"{key} = .*{reason}"):
        replace(TRAIN, **{key: value})
