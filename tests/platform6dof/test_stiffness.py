"""Stiffness and swinging of the platform on its screws, by differences and by hand."""

from dataclasses import replace

import numpy as np
import pytest
from test_leg_dynamics import CABIN, LEGS, PAPER, PLATE, body, skewed_geometry

from hil_common.arrays.pose import Pose
from platform6dof import leg_lengths
from platform6dof.dynamics.machine import Machine
from platform6dof.dynamics.stiffness import (
    deflection,
    mass_matrix,
    stiffness_matrix,
    swinging_modes,
)

K_N_M = 2.5e7


def test_a_small_shift_stores_the_energy_of_the_legs():
    geometry = skewed_geometry(1)
    machine, rng = Machine(geometry, (PLATE, CABIN), LEGS), np.random.default_rng(2)
    at = np.array([0.02, 0.01, 0.93, 0.0, 0.0, 0.0])
    K = stiffness_matrix(machine, Pose.from_coordinates(at), K_N_M)
    for _ in range(5):
        twist = rng.uniform(-1.0, 1.0, 6) * 1e-6
        turned = at + np.array([*twist[:3], *twist[:2:-1]])  # small angles add about axes
        longer = leg_lengths(geometry, Pose.from_coordinates(turned))
        longer = longer - leg_lengths(geometry, Pose.from_coordinates(at))
        assert twist @ K @ twist == pytest.approx(K_N_M * float(longer @ longer), rel=1e-4)


def test_a_weight_sinks_by_the_springs_of_six_legs():
    machine = Machine(PAPER, (PLATE,), LEGS)
    X_BP = Pose.from_coordinates(np.array([0.0, 0.0, 0.935, 0.0, 0.0, 0.0]))
    cos = 0.935 / 1.002901283
    bent = deflection(stiffness_matrix(machine, X_BP, K_N_M), [0, 0, -1000.0, 0, 0, 0])
    np.testing.assert_allclose(bent, [0, 0, -1000.0 / (6.0 * K_N_M * cos**2), 0, 0, 0], atol=1e-15)


def test_heave_swings_as_one_mass_on_six_springs():
    """With massless legs; rotors are locked and count nothing."""
    plate = body("plate", 300.0, (0.0, 0.0, 0.0), (37.0, 37.0, 73.5))
    light = replace(LEGS, tube_kg=0.0, tube_inertia_kg_m2=0.0, rod_kg=0.0, rod_inertia_kg_m2=0.0)
    X_BP = Pose.from_coordinates(np.array([0.0, 0.0, 0.935, 0.0, 0.0, 0.0]))
    modes = swinging_modes(Machine(PAPER, (plate,), light), X_BP, K_N_M)
    cos = 0.935 / 1.002901283
    wanted = np.sqrt(6.0 * K_N_M * cos**2 / 300.0) / (2.0 * np.pi)
    (heave,) = [one.frequency_hz for one in modes if one.axis == "heave"]
    assert heave == pytest.approx(wanted, rel=1e-6)
    found = [one.frequency_hz for one in modes]
    assert found == sorted(found)


def test_the_mass_of_a_body_is_that_of_the_matrix():
    machine = Machine(PAPER, (CABIN,))
    X_BP = Pose.from_coordinates(np.array([0.0, 0.0, 0.9, 0.2, -0.1, 0.1]))
    H = mass_matrix(machine, X_BP)
    np.testing.assert_allclose(H[:3, :3], 300.0 * np.eye(3), atol=1e-6)
    r = X_BP.rotation @ CABIN.centre_m
    np.testing.assert_allclose(
        H[3:, :3],
        300.0 * np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]]),
        atol=1e-6,
    )
