"""Sizing of cylinders: cases computed by hand, and a judge of energies for the forces."""

import math

import numpy as np
import pytest
from hexapods import lopsided, paper

from platform6dof.dynamics.machine import Machine, PlatformBody
from platform6dof.kernels.rotation import setpoints_of_coordinates
from platform6dof.sizing.demand import Demand
from platform6dof.sizing.motor import (
    hardest_mean,
    motor_torque_nm,
    returned_power_w,
    root_mean_square,
)
from platform6dof.sizing.screw import (
    FIXED,
    FIXED_FREE,
    FIXED_PINNED,
    buckling_force_n,
    critical_speed_rpm,
    cubic_mean_force_n,
    life_m,
)

TENSOR = np.array([[40.0, 2.0, -1.0], [2.0, 45.0, 3.0], [-1.0, 3.0, 30.0]])
LOAD = PlatformBody("load", 300.0, np.array([0.05, -0.03, 0.35]), TENSOR)


def point(mass_kg):
    """The paper's rig with a mass in the platform's origin."""
    return Machine(paper(), (PlatformBody("point", mass_kg, np.zeros(3), np.zeros((3, 3))),))


def forces_of(mass_kg, setpoints):
    return Demand.of(point(mass_kg), setpoints, 0.01).force_n


def test_cubic_mean_by_hand():
    """1 kN over 0.3 m, 2 kN over 0.1 m: cube root of (0.3 + 0.8) / 0.4 · 10⁹."""
    assert cubic_mean_force_n([1000, -2000], [0.3, 0.1]) == pytest.approx(1401.02, abs=0.01)
    assert cubic_mean_force_n([500, 500], [1.0, 2.0]) == pytest.approx(500.0)
    assert cubic_mean_force_n([500, 900], [0.0, 0.0]) == 0.0


def test_life_by_hand():
    """20 kN on 2 kN: 1000 · 10⁶ turns of 10 mm are 10 000 km."""
    assert life_m(20e3, 2e3, 0.010) == pytest.approx(1e7)
    assert life_m(20e3, 0.0, 0.010) == math.inf


def test_buckling_by_hand():
    """A rod of 20 mm and 1 m: I = 7.854e-9 m⁴, pi² · 206e9 · I = 15.97 kN between pins."""
    assert buckling_force_n(0.020, 1.0) == pytest.approx(15968, abs=1)
    assert buckling_force_n(0.020, 0.5) == pytest.approx(4 * 15968, abs=4)
    assert buckling_force_n(0.020, 1.0, FIXED_FREE) == pytest.approx(3992, abs=1)
    assert buckling_force_n(0.020, 1.0, FIXED) == pytest.approx(63873, abs=2)
    assert buckling_force_n(0.020, 1.0, FIXED_PINNED) == pytest.approx(32667, abs=2)


def test_critical_speed_by_hand():
    """20 mm, 1 m, fixed and supported: 60 · 3.9266² / 2 pi · 5122.7 · 0.005 = 3771."""
    assert critical_speed_rpm(0.020, 1.0) == pytest.approx(3771, abs=1)
    # Makers write 15.1 · d / L² · 10⁷ with d and L in mm, their safety of 0.8 within it.
    assert 0.8 * critical_speed_rpm(0.020, 1.0) == pytest.approx(15.1 * 20 / 1e6 * 1e7, rel=2e-3)
    assert critical_speed_rpm(0.020, 2.0) == pytest.approx(3771 / 4, abs=1)


def test_torque_by_hand():
    """1 kN on a lead of 10 mm is 1.5915 N m: 1.768 driving at 0.9, 1.432 driven."""
    torque = motor_torque_nm([1000, 1000, -1000], [0.1, -0.1, -0.1], 0.010, 0.9)
    assert torque == pytest.approx([1.76839, 1.43239, -1.76839], abs=1e-5)
    of_rotor = motor_torque_nm(0.0, 0.1, 0.010, 0.9, acceleration_m_s2=2.0, rotor_kg_m2=1e-3)
    assert float(of_rotor) == pytest.approx(2.0 * 2.0 * math.pi / 0.010 * 1e-3)
    assert root_mean_square([[3.0, 0.0], [-4.0, 2.0]]) == pytest.approx([12.5**0.5, 2.0**0.5])


def test_power_that_flows_back_and_its_hardest_window():
    back = returned_power_w([1000.0, 1000.0], [0.1, -0.2], 0.9)
    assert back == pytest.approx([0.0, 180.0])
    row = [0.0] * 5 + [100.0] * 10 + [0.0] * 20
    assert hardest_mean(row, 1.0) == pytest.approx(100.0)
    assert hardest_mean(row, 1.0, 20.0) == pytest.approx(50.0)
    assert hardest_mean([100.0] * 5, 1.0) == pytest.approx(50.0), "nothing comes after it"


def test_a_mass_at_rest_weighs_on_six_legs():
    """300 kg on the origin of the paper's platform at 0.935 m: m g l / 6 z of each leg."""
    coordinates = np.array([[0.0, 0.0, 0.935, 0.0, 0.0, 0.0]])
    still = setpoints_of_coordinates(coordinates, np.zeros((1, 6)), np.zeros((1, 6)))
    assert forces_of(300.0, still) == pytest.approx(
        300.0 * 9.81 * 1.002901283 / (6.0 * 0.935), rel=1e-9
    )
    flat = setpoints_of_coordinates(np.zeros((1, 6)), np.zeros((1, 6)), np.zeros((1, 6)))
    assert np.isnan(forces_of(300.0, flat)).all()


def motion(t):
    """Coordinates and both derivatives of a motion in six axes."""
    middle = np.array([0.01, -0.02, 0.95, 0.0, 0.02, -0.01])
    size = np.array([0.06, 0.05, 0.07, 0.12, 0.1, 0.15])
    w = 2.0 * np.pi * np.array([0.7, 0.9, 1.1, 0.8, 1.3, 0.6])
    phase = w * t[:, None] + np.arange(6)
    return (
        middle + size * np.sin(phase), size * w * np.cos(phase), -size * w * w * np.sin(phase)
    )  # fmt: skip


def energy(coordinates, rates):
    """Kinetic and potential energy of the load, by points that make its mass and tensor."""
    (z, a, b, c), (*v, da, db, dc) = coordinates[2:], rates
    turns = [
        np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]]),
        np.array([[np.cos(b), 0, np.sin(b)], [0, 1, 0], [-np.sin(b), 0, np.cos(b)]]),
        np.array([[1, 0, 0], [0, np.cos(c), -np.sin(c)], [0, np.sin(c), np.cos(c)]]),
    ]
    m = turns[0] @ turns[1] @ turns[2]
    omega = np.array([0, 0, da]) + turns[0] @ [0, db, 0] + turns[0] @ turns[1] @ [dc, 0, 0]
    arm = m @ LOAD.centre_m
    own = m.T @ omega
    speed = np.array(v) + np.cross(omega, arm)
    kinetic = 0.5 * LOAD.mass_kg * speed @ speed + 0.5 * own @ TENSOR @ own
    return kinetic + LOAD.mass_kg * 9.81 * (z + arm[2])


@pytest.mark.parametrize("geometry", [paper, lopsided])
def test_power_of_the_legs_is_the_growth_of_energy(geometry):
    step, t = 1e-5, np.linspace(0.0, 3.0, 40)
    at, rates, second = motion(t)
    found = Demand.of(
        Machine(geometry(), (LOAD,)), setpoints_of_coordinates(at, rates, second), 3.0 / 39
    )
    power = (found.force_n * found.speed_m_s).sum(axis=1)
    later, before = motion(t + step), motion(t - step)
    growth = [
        (energy(later[0][n], later[1][n]) - energy(before[0][n], before[1][n])) / (2 * step)
        for n in range(len(t))
    ]
    assert power == pytest.approx(np.array(growth), rel=1e-5, abs=1e-3)


def test_demand_of_a_simple_lift():
    """The paper's platform is lifted by 0.2 m at 0.1 m/s: the rods do the work of the weight."""
    z = np.linspace(0.9, 1.1, 201)
    coordinates, rates = np.zeros((201, 6)), np.zeros((201, 6))
    coordinates[:, 2], rates[:, 2] = z, 0.1
    still = setpoints_of_coordinates(coordinates, rates, np.zeros((201, 6)))
    found = Demand.of(point(60.0), still, 0.01)
    assert found.duration_s == pytest.approx(2.0)
    work = (0.5 * (found.force_n[1:] + found.force_n[:-1]) * found.path_m).sum()
    assert work == pytest.approx(60.0 * 9.81 * 0.2, rel=1e-5)
    assert found.push_n == pytest.approx(found.peak_n)
    assert found.rms_n < found.cubic_mean_n * 1.01 < found.peak_n * 1.01
    assert found.mean_speed_m_s == pytest.approx(found.path_m.sum(axis=0).max() / 2.0)


def test_the_hardest_window_may_lie_anywhere():
    rng = np.random.default_rng(3)
    values, steps = rng.uniform(1.0, 2.0, 500), 40
    for begin in (0, 137, 460):
        values[begin : begin + steps] += 5.0
        windows = [values[k : k + steps].mean() for k in range(461)]
        assert np.argmax(windows) == begin
        assert hardest_mean(values, 0.01, 0.4) == pytest.approx(max(windows))
        values[begin : begin + steps] -= 5.0
