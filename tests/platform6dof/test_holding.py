"""Forces at rest, least stiffness and error as maps have them, and forces as limits of maps."""

from pathlib import Path

import numpy as np
import pose_judge
import pytest
from hexapods import lopsided
from newton_euler import LegNumbers, PlatformNumbers, drive_forces
from test_leg_dynamics import CABIN, LEGS, OWN, PLATE, skewed_geometry

from hil.machines.rig.machine import envelope_of, geometry_of, load_rig
from hil.stations.platform.machine.accuracy import AccuracyTask
from hil.stations.platform.proof.workspace_quantities import holding_limits
from platform6dof.accuracy.place_error import place_errors_m
from platform6dof.accuracy.tolerances import Tolerances
from platform6dof.dynamics.inverse_dynamics import loads_of_coordinates
from platform6dof.dynamics.machine import Machine
from platform6dof.dynamics.stiffness import least_stiffness_n_m
from platform6dof.jacobian import inverse_jacobians
from platform6dof.workspace.grid import PLACES, PoseGrid
from platform6dof.workspace.holding_limits import HoldingLimits
from platform6dof.workspace.map_figures import find_range
from platform6dof.workspace.pose_map import FORCE, KINDS, map_poses
from platform6dof.workspace.quantities import FORCE as GREATEST_FORCE

RIGS = Path(__file__).parents[2] / "configs" / "rigs"
AT = np.array([0.02, -0.03, 0.95, 0.05, -0.03, 0.02])


@pytest.fixture(scope="module")
def cabin():
    rig = load_rig(RIGS / "paper_cabin.toml")
    geometry = geometry_of(rig)
    return rig, envelope_of(rig, geometry), holding_limits(rig, geometry)


def poses_about(seed, count, size=0.1):
    return AT + np.random.default_rng(seed).uniform(-size, size, (count, 6))


def judged(machine, own, q):
    load = PlatformNumbers([(b.mass_kg, b.centre_m, b.inertia_kg_m2) for b in machine.bodies])
    g = machine.geometry
    return drive_forces(
        np.array(g.base_joints_m), np.array(g.platform_joints_m), np.array(g.neutral_axes[0]),
        load, [own] * 6, lambda _: q, 0.0, np.array(machine.gravity_m_s2),
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_forces_at_rest_are_those_of_newton_and_euler(seed):
    machine = Machine(skewed_geometry(seed), (PLATE, CABIN), LEGS)
    limits = HoldingLimits(machine, np.full(6, 1e4))
    q = poses_about(seed, 12)
    expected = [judged(machine, OWN, one) for one in q]
    np.testing.assert_allclose(limits.forces_n(q), expected, rtol=1e-8, atol=1e-6)


def test_a_map_shows_the_greatest_force_and_the_limit_that_it_passes(cabin):
    rig, envelope, holding = cabin
    drive, neutral = rig.cylinders.drive, rig.neutral.coordinates()
    grid = PoseGrid(PLACES, neutral, [-0.6, -0.5, 0.6], [0.6, 0.5, 1.3], 12)
    found = map_poses(envelope, grid, neutral, GREATEST_FORCE, holding=holding)
    own = LegNumbers(
        drive.tube_kg, drive.tube_centre_m, drive.tube_inertia_kg_m2, 0.0, drive.rod_kg,
        drive.rod_centre_m, drive.rod_inertia_kg_m2, 0.0, 0.0,
    )  # fmt: skip
    number = {"inside": 0, "outside": 0}
    for cell in np.argwhere(found.inside | (found.limit == FORCE))[::7]:
        forces = np.abs(judged(holding.machine, own, grid.pose(cell)))
        cell = tuple(cell)
        if found.inside[cell]:
            assert found.values[cell] == pytest.approx(forces.max(), rel=1e-7)
            assert forces.max() <= 3600.0
        elif found.limit[cell] == FORCE:
            assert forces.max() > 3600.0
            assert found.leg[cell] == int(np.argmax(forces)) + 1
            assert found.share[cell] == pytest.approx(1.0 - forces.max() / 3600.0, abs=1e-7)
        number["inside" if found.inside[cell] else "outside"] += 1
    assert min(number.values()) > 20, number
    assert KINDS[FORCE] == "leg force"


def test_a_map_without_bodies_is_as_it_was(cabin):
    _, envelope, holding = cabin
    grid = PoseGrid(PLACES, AT, [-0.6, -0.5, 0.6], [0.6, 0.5, 1.3], 12)
    loose = HoldingLimits(holding.machine, np.full(6, 1e12))
    plain, loaded = map_poses(envelope, grid, AT), map_poses(envelope, grid, AT, holding=loose)
    for name in ("inside", "limit", "leg", "share", "values"):
        np.testing.assert_array_equal(getattr(plain, name), getattr(loaded, name))


def test_where_no_pose_is_held_the_force_is_named(cabin):
    _, envelope, holding = cabin
    weak = HoldingLimits(holding.machine, np.full(6, 300.0))
    found = find_range(envelope, PLACES, AT, holding=weak)
    assert found.nearest.violation.quantity == "holding force"
    assert found.nearest.violation.limit == 300.0
    assert found.nearest.violation.unit == "N"


@pytest.mark.parametrize("limits", [[0.0] * 6, [np.nan] * 6, [1.0] * 5])
def test_limits_that_are_none_are_refused(cabin, limits):
    with pytest.raises(ValueError, match="limit_n"):
        HoldingLimits(cabin[2].machine, np.array(limits))


@pytest.mark.parametrize("lead", [0.0, 0.03])
def test_forces_with_a_lead_are_those_of_the_inverse_dynamics(lead):
    machine = Machine(lopsided(lead), (PLATE, CABIN), LEGS)
    q = poses_about(3, 50)
    zero = np.zeros_like(q)
    expected = loads_of_coordinates(machine, q, zero, zero).force_n
    found = HoldingLimits(machine, np.full(6, 1e4)).forces_n(q)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-8)


def sunk(geometry, stiffness, q, force):
    """Shift of the origin by a force there, six springs in balance: Newton on their own lengths."""
    base, top = np.array(geometry.base_joints_m), np.array(geometry.platform_joints_m)
    rest = np.linalg.norm(pose_judge.legs_of(base, top, q[None])[2], axis=2)[0]
    x = np.zeros(6)

    def slopes(x):
        """Energy's gradient less the force's work, by differences of lengths."""
        steps = np.concatenate([1e-5 * np.eye(6), -1e-5 * np.eye(6), np.zeros((1, 6))])
        ends = np.linalg.norm(pose_judge.legs_of(base, top, q + x + steps)[2], axis=2)
        by_x = (ends[:6] - ends[6:12]) / 2e-5
        return by_x @ (stiffness * (ends[12] - rest)) - np.array([*force, 0, 0, 0]), by_x

    for _ in range(4):
        value, by_x = slopes(x)
        x -= np.linalg.solve(by_x @ (stiffness[:, None] * by_x.T), value)
    return x[:3]


@pytest.mark.parametrize("seed", range(4))
def test_the_least_stiffness_is_that_of_springs_pulled_in_the_worst_direction(seed):
    geometry, q = skewed_geometry(seed), poses_about(seed, 3)
    stiffness = np.random.default_rng(seed).uniform(1e7, 4e7, 6)
    found = least_stiffness_n_m(geometry, stiffness, q)
    for pose, least in zip(q, found, strict=True):
        shifts = np.array([sunk(geometry, stiffness, pose, 10.0 * one) for one in np.eye(3)]) / 10.0
        worst = np.linalg.svd(shifts)[0][:, 0]
        moved = np.linalg.norm(sunk(geometry, stiffness, pose, 10.0 * worst)) / 10.0
        assert least == pytest.approx(1.0 / moved, rel=1e-4)
        for one in np.random.default_rng(7).normal(size=(20, 3)):
            force = 10.0 * one / np.linalg.norm(one)
            assert np.linalg.norm(sunk(geometry, stiffness, pose, force)) < 10.001 * moved


@pytest.mark.parametrize("lead", [0.0, 0.02])
def test_the_error_is_what_accuracy_says_at_each_pose(lead):
    geometry, q = lopsided(lead), poses_about(1, 40)
    task = AccuracyTask(geometry, None, None, Tolerances(), np.zeros(3), 10, 0)
    found = place_errors_m(geometry, task.tolerances, q)
    np.testing.assert_allclose(found, task.place_errors(q), rtol=1e-9)
    odd = Tolerances(0.1e-3, 80e-6, 0.2e-3, 0.5e-3, 0.3e-3, 25.0, 9.0, 20e-6, 3e-6)
    expected = task._replace(tolerances=odd).place_errors(q)
    np.testing.assert_allclose(place_errors_m(geometry, odd, q), expected, rtol=1e-9)


def test_a_singular_pose_among_others_is_not_a_number(monkeypatch):
    geometry, q = lopsided(), poses_about(1, 5)
    _, plain = inverse_jacobians(geometry, q)
    inverted = np.linalg.inv

    def singular(matrices):
        if matrices.ndim == 3 or np.array_equal(matrices, jacobian):
            raise np.linalg.LinAlgError
        return inverted(matrices)

    jacobian = inverse_jacobians(geometry, q)[0][2, 1:]
    monkeypatch.setattr(np.linalg, "inv", singular)
    _, found = inverse_jacobians(geometry, q)
    np.testing.assert_array_equal(np.isnan(found).any(axis=(1, 2)), np.arange(5) == 2)
    np.testing.assert_allclose(np.delete(found, 2, 0), np.delete(plain, 2, 0), rtol=1e-12)
