"""What the dynamics must obey, whoever computes them: definiteness, energy, derivatives."""

import math

import numpy as np
import pytest
from arms import (
    gripper_pose,
    jacobian,
    laden_arms,
    mass_and_bias,
    random_states,
    relative_error,
    twist,
)
from hypothesis import given
from hypothesis import strategies as st
from numba import njit
from numba.core.runtime import _nrt_python, rtsys
from trace_form import link_pose

from sim.world.space_arm.arm import Arm
from sim.world.space_arm.kernels import dynamics
from sim.world.space_arm.kernels.trigonometry import sine_cosine

ARMS = laden_arms()

arms = st.sampled_from(list(ARMS))
angles = st.lists(st.floats(-6.3, 6.3), min_size=8, max_size=8).map(np.array)
rates = st.lists(st.floats(-2.0, 2.0), min_size=8, max_size=8).map(np.array)


def mass_of(arm: Arm, q: np.ndarray) -> np.ndarray:
    return mass_and_bias(arm, q, np.zeros(len(q)))[0]


def energy(arm: Arm, q: np.ndarray, v: np.ndarray) -> float:
    """Kinetic and potential energy [J]."""
    total = 0.5 * v @ mass_of(arm, q) @ v
    for i, link in enumerate(arm.links):
        com = link_pose(arm, q, i) @ np.append(link.com_m, 1.0)
        total -= link.mass_kg * (arm.gravity_m_s2 @ com[:3])
    return float(total)


def test_sine_and_cosine_are_right_to_two_units_in_the_last_place() -> None:
    some = np.random.default_rng(1).uniform(-1.0, 1.0, 20_000)
    near_and_far = [*(some * 4.0), *(some * 1e5), *some**9]
    for angle in [n * math.pi / 4 for n in range(-200, 201)] + near_and_far:
        sine, cosine = sine_cosine(float(angle))
        assert abs(sine - math.sin(angle)) <= 2.0 * math.ulp(math.sin(angle)), angle
        assert abs(cosine - math.cos(angle)) <= 2.0 * math.ulp(math.cos(angle)), angle


@pytest.mark.parametrize("angle", [math.nan, math.inf, -math.inf])
def test_no_angle_has_no_sine(angle: float) -> None:
    assert np.isnan(sine_cosine(angle)).all()


@given(arms, angles)
def test_mass_matrix_is_symmetric_and_positive_definite(name: str, q: np.ndarray) -> None:
    arm = ARMS[name]
    mass = mass_of(arm, q[: arm.joints])
    assert np.array_equal(mass, mass.T)
    np.linalg.cholesky(mass)  # raises if it is not definite


@given(arms, angles, rates)
def test_coriolis_torques_give_the_power_that_the_mass_matrix_takes(
    name: str, q: np.ndarray, v: np.ndarray
) -> None:
    """v . h = v . D' v / 2, without gravity's torque in h (D' - 2C is skew)."""
    arm = ARMS[name]
    q, v = q[: arm.joints], v[: arm.joints]
    step = 1e-5
    slope = (mass_of(arm, q + step * v) - mass_of(arm, q - step * v)) / (2.0 * step)
    moving, resting = mass_and_bias(arm, q, v)[1], mass_and_bias(arm, q, np.zeros(len(q)))[1]
    scale = np.abs(mass_of(arm, q)).max() * (1e-9 + float(v @ v)) ** 1.5
    assert v @ (moving - resting) == pytest.approx(0.5 * v @ slope @ v, abs=1e-6 * scale)


def swing(arm: Arm, torque: np.ndarray, steps: int, step_s: float) -> tuple[float, float]:
    """Energy won in a free swing, and work done by a constant torque [J] (RK4)."""
    q, v = random_states(1, seed=7)[0]
    before = energy(arm, q, v)
    start = q.copy()

    def slope(y: np.ndarray) -> np.ndarray:
        mass, bias = mass_and_bias(arm, y[:6], y[6:])
        return np.concatenate([y[6:], np.linalg.solve(mass, torque - bias)])

    y = np.concatenate([q, v])
    for _ in range(steps):
        a = slope(y)
        b = slope(y + 0.5 * step_s * a)
        c = slope(y + 0.5 * step_s * b)
        d = slope(y + step_s * c)
        y = y + (step_s / 6.0) * (a + 2.0 * b + 2.0 * c + d)
    return energy(arm, y[:6], y[6:]) - before, float(torque @ (y[:6] - start))


@pytest.mark.parametrize("name", ["bkm", "bkm_14500_kg", "bkm_14500_kg_on_earth", "skew"])
def test_energy_is_kept_without_torque(name: str) -> None:
    arm = ARMS[name]
    q, v = random_states(1, seed=7)[0]
    kinetic = 0.5 * v @ mass_of(arm, q) @ v
    coarse = abs(swing(arm, np.zeros(6), 200, 2e-3)[0])
    fine = abs(swing(arm, np.zeros(6), 400, 1e-3)[0])
    assert fine < 1e-7 * kinetic
    assert fine < coarse / 8.0 or fine < 1e-12 * kinetic  # what is left is the integrator's


@pytest.mark.parametrize("name", ["bkm_1000_kg", "bkm_14500_kg_on_earth", "skew"])
def test_energy_won_is_the_work_of_the_torque(name: str) -> None:
    torque = np.array([300.0, -200.0, 150.0, 40.0, -30.0, 5.0])
    won, work = swing(ARMS[name], torque, 400, 1e-3)
    assert won == pytest.approx(work, rel=1e-6)
    assert abs(work) > 1.0


@given(arms, angles, rates)
def test_jacobian_is_the_slope_of_the_pose(name: str, q: np.ndarray, v: np.ndarray) -> None:
    arm = ARMS[name]
    q, v = q[: arm.joints], v[: arm.joints]
    step = 1e-5
    (after, there), (before, here) = (gripper_pose(arm, q + s * v) for s in (step, -step))
    rotation, _ = gripper_pose(arm, q)
    speed = (there - here) / (2.0 * step)
    spin = (after - before) @ rotation.T / (2.0 * step)
    expected = np.array([*speed, spin[2, 1], spin[0, 2], spin[1, 0]])
    assert jacobian(arm, q) @ v == pytest.approx(expected, abs=2e-7)
    assert twist(arm, q, v) == pytest.approx(jacobian(arm, q) @ v, abs=1e-12)


@given(arms, angles)
def test_gripper_axes_are_a_rotation(name: str, q: np.ndarray) -> None:
    arm = ARMS[name]
    rotation, _ = gripper_pose(arm, q[: arm.joints])
    assert rotation @ rotation.T == pytest.approx(np.eye(3), abs=1e-13)
    assert np.linalg.det(rotation) == pytest.approx(1.0)


def test_bias_grows_with_the_square_of_the_rates() -> None:
    for q, v in random_states(10):
        slow, fast = (mass_and_bias(ARMS["bkm"], q, k * v)[1] for k in (1.0, 3.0))
        assert relative_error(fast, 9.0 * slow) < 1e-13


def test_joint_1_never_changes_the_mass_matrix() -> None:
    """Turning the whole arm changes nothing but where it points."""
    for q, v in random_states(10):
        turned = q + np.array([1.7, 0.0, 0.0, 0.0, 0.0, 0.0])
        one, other = (
            mass_and_bias(ARMS["bkm_1000_kg"], q, v),
            mass_and_bias(ARMS["bkm_1000_kg"], turned, v),
        )
        assert relative_error(other[0], one[0]) < 1e-13
        assert relative_error(other[1], one[1]) < 1e-12


def test_results_do_not_depend_on_what_the_scratch_held() -> None:
    arm = ARMS["skew"].arrays()
    q, v = random_states(1)[0]
    results = []
    for filling in (np.nan, 1e300):
        scratch = dynamics.make_scratch()
        scratch[:] = filling
        mass, bias, still = np.zeros((6, 6)), np.zeros(6), np.zeros(6)
        rotation, position, slopes = np.zeros((3, 3)), np.zeros(3), np.zeros((6, 6))
        dynamics.gravity_torque(arm, q, scratch, still)
        dynamics.gripper_pose(arm, q, scratch, rotation, position)
        dynamics.gripper_jacobian(arm, q, scratch, slopes)
        dynamics.mass_and_bias(arm, q, v, scratch, mass, bias)
        everything = (mass, bias, still, rotation, position, slopes)
        results.append(np.concatenate([array.ravel() for array in everything]))
    assert np.isfinite(results[0]).all()
    assert np.array_equal(*results)


@njit
def _evaluate(count, arm, q, v, scratch, mass, bias):
    for _ in range(count):
        dynamics.mass_and_bias(arm, q, v, scratch, mass, bias)
        dynamics.gripper_jacobian(arm, q, scratch, mass)
        dynamics.gripper_twist(arm, q, v, scratch, bias)
        dynamics.gravity_torque(arm, q, scratch, bias)


def test_kernels_allocate_nothing() -> None:
    q, v = random_states(1)[0]
    scratch, mass, bias = dynamics.make_scratch(), np.zeros((6, 6)), np.zeros(6)
    arm = ARMS["bkm"].arrays()

    def allocations(count: int) -> int:
        before = rtsys.get_allocation_stats().alloc
        _evaluate(count, arm, q, v, scratch, mass, bias)
        return rtsys.get_allocation_stats().alloc - before

    _nrt_python.memsys_enable_stats()
    try:
        allocations(1)
        assert allocations(1000) == allocations(1)
    finally:
        _nrt_python.memsys_disable_stats()


def test_arrays_of_an_arm_cannot_be_written() -> None:
    kept = ARMS["bkm"].arrays()
    for array in (kept.links, kept.tool_rotation, kept.tool_offset, kept.gravity):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0.0
