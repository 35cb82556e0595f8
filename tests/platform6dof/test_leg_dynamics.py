"""Forces of the drives, judged by Newton and Euler body by body, by energy and by hand."""

from dataclasses import replace

import numpy as np
import pytest
from newton_euler import LegNumbers, PlatformNumbers, drive_forces

from hil_common.arrays.pose import Pose
from platform6dof import HexapodGeometry, PlatformSetpoint, leg_setpoint
from platform6dof.dynamics.inverse_dynamics import (
    expected_force_n,
    forces,
    loads_of_coordinates,
)
from platform6dof.dynamics.machine import BodyError, LegBodies, Machine, PlatformBody
from platform6dof.dynamics.stops import Decelerations, braked_along, controlled, quick
from platform6dof.forward import forward

GRAVITY = np.array([0.0, 0.0, -9.81])
PAPER = HexapodGeometry.from_circles(1.0, np.radians(14.0), 0.7, 0.0, 0.64, 0.74)
CENTRE_M = 0.04 + 0.26
"""Of tube and rod of 0.52 m, each 0.04 m from its joint."""


def cylinder(mass, radius, long=0.52):
    """Moment across of a solid cylinder about its centre, and about its axis."""
    return mass * (3.0 * radius**2 + long**2) / 12.0, 0.5 * mass * radius**2


OWN = LegNumbers(
    25.0, CENTRE_M, *cylinder(25.0, 0.05), 8.0, CENTRE_M, *cylinder(8.0, 0.03), rotor_kg=20.0
)
LEGS = LegBodies(
    tube_kg=25.0,
    tube_centre_m=CENTRE_M,
    tube_inertia_kg_m2=OWN.tube_across,
    rod_kg=8.0,
    rod_centre_m=CENTRE_M,
    rod_inertia_kg_m2=OWN.rod_across,
    spin_inertia_kg_m2=OWN.tube_along + OWN.rod_along,
    rotor_kg=20.0,
)


def body(name, mass, centre, moments, products=(0.0, 0.0, 0.0)):
    tensor = np.diag(moments).astype(float)
    tensor[0, 1] = tensor[1, 0] = products[0]
    tensor[0, 2] = tensor[2, 0] = products[1]
    tensor[1, 2] = tensor[2, 1] = products[2]
    return PlatformBody(name, mass, np.array(centre, dtype=float), tensor)


PLATE = body("platform", 60.0, (0.0, 0.0, -0.02), (7.0, 7.5, 14.0))
CABIN = body("cabin", 300.0, (0.05, -0.03, 0.35), (40.0, 45.0, 30.0), (1.0, -2.0, 0.5))


def skewed_geometry(seed):
    """Joints about those of the paper's, none like another."""
    rng = np.random.default_rng(seed)
    return HexapodGeometry(
        PAPER.base_joints_m + rng.uniform(-0.12, 0.12, (6, 3)),
        PAPER.platform_joints_m + rng.uniform(-0.12, 0.12, (6, 3)),
        np.full(6, 0.64),
        np.full(6, 0.74),
    )


class Sines:
    """Coordinates as sums of sines about a pose, with their derivatives."""

    def __init__(self, seed, size=1.0, z_m=0.95):
        rng = np.random.default_rng(seed)
        self.middle = np.array([0.02, -0.03, z_m, 0.05, -0.03, 0.02])
        self.amplitude = size * rng.uniform(0.01, 0.06, (3, 6))
        self.rate = 2.0 * np.pi * rng.uniform(0.3, 1.6, (3, 6))
        self.phase = rng.uniform(0.0, 6.0, (3, 6))

    def __call__(self, t):
        return self.middle + (self.amplitude * np.sin(self.rate * t + self.phase)).sum(axis=0)

    def first(self, t):
        return (self.amplitude * self.rate * np.cos(self.rate * t + self.phase)).sum(axis=0)

    def second(self, t):
        return -(self.amplitude * self.rate**2 * np.sin(self.rate * t + self.phase)).sum(axis=0)


def judged(machine, legs, coordinates, t):
    load = PlatformNumbers([(b.mass_kg, b.centre_m, b.inertia_kg_m2) for b in machine.bodies])
    return drive_forces(
        machine.geometry.base_joints_m,
        machine.geometry.platform_joints_m,
        machine.geometry.neutral_axes[0],
        load,
        [legs] * 6,
        coordinates,
        t,
        machine.gravity_m_s2,
    )


def rest(geometry, *coordinates):
    return PlatformSetpoint.at_rest(Pose.from_coordinates(np.array(coordinates)))


@pytest.mark.parametrize("seed", range(6))
def test_a_motion_of_any_geometry_needs_what_newton_and_euler_say(seed):
    geometry, path = skewed_geometry(seed), Sines(seed)
    machine = Machine(geometry, (PLATE, CABIN), LEGS)
    times = np.linspace(0.1, 2.0, 7)
    rows = [np.array([one(t) for t in times]) for one in (path, path.first, path.second)]
    found = loads_of_coordinates(machine, *rows).force_n
    for t, force in zip(times, found, strict=True):
        wanted = judged(machine, OWN, path, t)
        np.testing.assert_allclose(force, wanted, atol=2e-5 * np.abs(wanted).max())


def test_thick_tubes_wind_as_newton_and_euler_say():
    """Tubes that turn much about themselves, on legs that lean much: the joint's third axis."""
    geometry, path = skewed_geometry(3), Sines(3, size=2.0)
    machine = Machine(geometry, (PLATE,), replace(LEGS, spin_inertia_kg_m2=4.0))
    heavy = replace(OWN, tube_along=3.0, rod_along=1.0)
    t = 0.7
    found = loads_of_coordinates(machine, [path(t)], [path.first(t)], [path.second(t)])
    wanted = judged(machine, heavy, path, t)
    np.testing.assert_allclose(found.force_n[0], wanted, atol=2e-5 * np.abs(wanted).max())
    light = loads_of_coordinates(
        Machine(geometry, (PLATE,), LEGS), [path(t)], [path.first(t)], [path.second(t)]
    )
    assert np.abs(light.force_n[0] - wanted).max() > 1e-3 * np.abs(wanted).max()


def test_at_rest_the_papers_rig_bears_what_statics_say():
    """526.12 of the platform's weight, 73.17 of the rod along the leg, 18.01 of what pushes across
    it: 617.30 N each (see also the world's, which holds them in its engine)."""
    machine = Machine(PAPER, (body("plate", 300.0, (0, 0, 0), (37.0, 37.0, 73.0)),), LEGS)
    parts = forces(machine, rest(PAPER, 0, 0, 0.935, 0, 0, 0))
    np.testing.assert_allclose(parts[0], 526.121, atol=2e-3)
    np.testing.assert_allclose(parts[1], 18.013, atol=2e-3)
    np.testing.assert_allclose(parts[2], 73.167, atol=2e-3)
    assert not parts[3].any()
    np.testing.assert_allclose(
        judged(machine, OWN, lambda _t: np.array([0, 0, 0.935, 0, 0, 0]), 0.0),
        parts.sum(axis=0),
        rtol=1e-9,
    )


def test_one_row_is_the_batchs():
    machine = Machine(skewed_geometry(1), (PLATE, CABIN), LEGS)
    path, t = Sines(5), 0.4
    batch = loads_of_coordinates(machine, [path(t)], [path.first(t)], [path.second(t)])
    setpoint = PlatformSetpoint.from_coordinates(path(t), path.first(t), path.second(t))
    np.testing.assert_allclose(forces(machine, setpoint), batch.parts_n[0], rtol=1e-12)
    np.testing.assert_allclose(expected_force_n(machine, setpoint), batch.force_n[0], rtol=1e-12)


def test_power_over_a_closed_motion_sums_to_nothing():
    """Without friction what the drives give they get back: less than a thousandth of what flows."""
    machine = Machine(skewed_geometry(2), (PLATE, CABIN), LEGS)
    path = Sines(7)
    path.rate = 2.0 * np.pi * np.round(path.rate / (2.0 * np.pi) * 2.0).clip(1.0) / 2.0
    times = np.linspace(0.0, 2.0, 4001)  # whole periods of 0.5 Hz
    rows = [np.array([one(t) for t in times]) for one in (path, path.first, path.second)]
    found = loads_of_coordinates(machine, *rows)
    power = (found.force_n * found.speed_m_s).sum(axis=1)
    flowing = np.trapezoid(np.abs(power), times)
    assert abs(np.trapezoid(power, times)) < 1e-6 * flowing
    assert flowing > 100.0


def test_only_the_row_that_is_no_number_has_none():
    machine = Machine(PAPER, (PLATE,), LEGS)
    rows = np.tile([0.0, 0.0, 0.935, 0.0, 0.0, 0.0], (3, 1))
    rows[1, 2] = np.nan
    found = loads_of_coordinates(machine, rows, 0.0 * rows[[0, 0, 0]], 0.0 * rows[[0, 0, 0]])
    assert np.isfinite(found.force_n[[0, 2]]).all()
    assert np.isnan(found.force_n[1]).all()


def test_a_singular_pose_has_no_forces():
    flat = Machine(PAPER, (PLATE,), LEGS)
    found = forces(flat, rest(PAPER, 0, 0, 0.0, 0, 0, 0))
    assert not (np.abs(found) < 1e9).all()


@pytest.mark.parametrize(
    ("mass", "tensor", "reason"),
    [
        (10.0, np.diag([1.0, 1.0, 2.5]), "above the sum of the others"),
        (10.0, np.diag([1.0, -0.1, 1.0]), "none may be below 0"),
        (10.0, np.array([[1.0, 0.1, 0], [0, 1, 0], [0, 0, 1]]), "not symmetrical"),
        (0.0, np.eye(3), "0 kg has no moments"),
        (-1.0, np.zeros((3, 3)), "0 or more"),
        (float("nan"), np.zeros((3, 3)), "0 or more"),
        (1.0, np.full((3, 3), np.nan), "inertia_kg_m2"),
    ],
)
def test_what_no_body_has_is_refused(mass, tensor, reason):
    with pytest.raises(BodyError, match=reason):
        PlatformBody("cabin", mass, np.zeros(3), tensor)


def test_a_point_and_a_plate_are_bodies():
    for tensor in (np.zeros((3, 3)), np.diag([1.0, 1.0, 2.0])):
        body = PlatformBody("point or plate", 5.0, np.zeros(3), tensor)
        assert (body.inertia_kg_m2 == tensor).all()


def test_a_stop_begins_with_the_deceleration_of_its_legs():
    geometry = skewed_geometry(4)
    machine, path = Machine(geometry, (PLATE, CABIN), LEGS), Sines(4)
    t = 0.9
    setpoint = PlatformSetpoint.from_coordinates(path(t), path.first(t), path.second(t))
    limits = Decelerations(np.full(6, 4.0), np.full(6, 8.0))
    speeds = leg_setpoint(geometry, setpoint).speed_m_s
    slowed = controlled(speeds[None], limits)
    assert np.abs(slowed).max() == pytest.approx(4.0)
    np.testing.assert_allclose(slowed[0] / speeds, (slowed[0] / speeds)[0])  # together
    assert np.abs(quick(speeds[None], limits)) == pytest.approx(8.0)
    along = braked_along(machine, setpoint, limits)
    stop_s = -(speeds / slowed[0])[0]

    def stopping(time_s):
        """Pose of the legs' lengths in the stop: what the judge differentiates."""
        lengths = leg_setpoint(geometry, setpoint).length_m
        lengths = lengths + speeds * (time_s - 0.5 * time_s**2 / stop_s)
        found = forward(geometry, lengths, setpoint.X_BP, tolerance_m=1e-14)
        return found.X_BP.coordinates()

    for share, force in zip((0.0, 0.25, 0.5, 0.75, 1.0), along, strict=True):
        wanted = judged(machine, OWN, stopping, share * stop_s)
        np.testing.assert_allclose(force, wanted, atol=3e-4 * np.abs(wanted).max())


def test_nothing_brakes_a_platform_at_rest():
    limits = Decelerations(np.full(6, 4.0), np.full(6, 8.0))
    still = np.zeros((2, 6))
    assert not controlled(still, limits).any()
    assert not quick(still, limits).any()
