"""Forces of the mathematics against the engine: the paper's rig as a closed chain of bodies."""

import numpy as np
import pytest
from plant_rigs import CENTRE_M, FREE, GEOMETRY, TUBE_M, paper_plant

from hil.machines.world.rig_document import ACTUATOR
from hil_common.arrays.pose import Pose
from platform6dof import PlatformSetpoint, leg_lengths
from platform6dof.dynamics.inverse_dynamics import forces, loads_of_setpoints
from platform6dof.dynamics.machine import LegBodies, Machine, PlatformBody
from platform6dof.dynamics.stiffness import mass_matrix
from platform6dof.dynamics.stops import braked
from platform6dof.forward import forward
from platform6dof.jacobian import leg_jacobian

LOAD_KG = 300.0


def solid(mass_kg, radius_m):
    return mass_kg * (3.0 * radius_m**2 + TUBE_M**2) / 12.0, 0.5 * mass_kg * radius_m**2


def machine(load_kg=LOAD_KG) -> Machine:
    """What `rig_robot` makes of the rig, in numbers: a disc on six legs of ordinary cylinders."""
    radius_m = float(np.linalg.norm(GEOMETRY.platform_joints_m, axis=1).max())
    across = load_kg * (3.0 * radius_m**2 + ACTUATOR.plate_m**2) / 12.0
    plate = np.diag([across, across, 0.5 * load_kg * radius_m**2])
    tube, rod = (
        solid(ACTUATOR.cylinder_kg, ACTUATOR.cylinder_radius_m),
        solid(ACTUATOR.rod_kg, ACTUATOR.rod_radius_m),
    )
    legs = LegBodies(
        ACTUATOR.cylinder_kg, CENTRE_M, tube[0], ACTUATOR.rod_kg, CENTRE_M, rod[0],
        tube[1] + rod[1], ACTUATOR.rotor_kg,
    )  # fmt: skip
    return Machine(GEOMETRY, (PlatformBody("plate", load_kg, np.zeros(3), plate),), legs)


def poses(count, seed):
    """Random poses within the travel of the rods."""
    rng, found = np.random.default_rng(seed), []
    while len(found) < count:
        q = np.array([0.0, 0.0, 0.935, 0.0, 0.0, 0.0])
        q += rng.uniform(-1.0, 1.0, 6) * (0.1, 0.1, 0.15, 0.15, 0.15, 0.15)
        lengths = leg_lengths(GEOMETRY, Pose.from_coordinates(q))
        stroke = lengths - GEOMETRY.closed_length_m
        if (stroke > 0.05).all() and (stroke < GEOMETRY.stroke_m - 0.05).all():
            found.append((Pose.from_coordinates(q), stroke))
    return found


def test_at_rest_the_drives_hold_what_the_engine_says():
    """617.30 N each at neutral; anywhere within a thousandth of the largest."""
    plant, model = paper_plant(LOAD_KG), machine()
    level = Pose.from_coordinates(np.array([0.0, 0.0, 0.935, 0.0, 0.0, 0.0]))
    for X_BP, stroke in [
        (level, leg_lengths(GEOMETRY, level) - GEOMETRY.closed_length_m),
        *poses(12, 1),
    ]:
        plant.place_at(stroke.tolist())
        seen = plant.inertia()
        theirs = np.linalg.solve(seen.J.T, seen.weight)
        ours = forces(model, PlatformSetpoint.at_rest(X_BP)).sum(axis=0)
        np.testing.assert_allclose(ours, theirs, atol=1e-3 * np.abs(theirs).max())
        if X_BP is level:
            np.testing.assert_allclose(theirs, 617.30, rtol=1e-3)


def test_the_mass_that_the_legs_move_is_the_engines():
    plant, model = paper_plant(LOAD_KG), machine()
    for X_BP, stroke in poses(6, 2):
        plant.place_at(stroke.tolist())
        seen = plant.inertia()
        turn = np.eye(6)
        turn[3:, 3:] = X_BP.rotation.T  # the engine's turning is in the platform's axes
        theirs = turn.T @ seen.H @ turn
        np.testing.assert_allclose(
            mass_matrix(model, X_BP), theirs, atol=1e-3 * np.abs(theirs).max()
        )


@pytest.mark.parametrize("seed", range(4))
def test_random_stops_need_what_the_engine_needs(seed):
    """25 stops each: the platform is thrown, then braked by our forces alone.

    What the engine's rods lack of the deceleration that was asked for, times the mass that they
    move, is the error of the force: at most 5 % of the largest of that stop.
    """
    plant, model, rng = paper_plant(LOAD_KG), machine(), np.random.default_rng(40 + seed)
    guess = GEOMETRY.neutral_pose
    for X_BP, stroke in poses(25, 50 + seed):
        plant.begin(stroke.tolist())
        hold = forces(model, PlatformSetpoint.at_rest(X_BP)).sum(axis=0)
        push = rng.uniform(-1500.0, 1500.0, 6)
        plant.advance((hold + push).tolist(), FREE, 0.06)
        for step in range(3):
            lengths = GEOMETRY.closed_length_m + plant.extensions_m()
            speeds = np.array(plant.speeds_m_s())
            guess = forward(GEOMETRY, lengths, X_BP if step == 0 else guess).X_BP
            if step == 0:
                stop_s = float(np.abs(speeds).max()) / 4.0
                wanted = -speeds / stop_s
            twist = np.linalg.solve(leg_jacobian(GEOMETRY, guess), speeds)
            setpoint = PlatformSetpoint(guess, twist, np.zeros(6))
            braking = braked(model, setpoint.packed[None], wanted[None])
            force = braking.force_n[0]
            plant.advance(force.tolist(), FREE, 0.002)
            lacking = wanted - (np.array(plant.speeds_m_s()) - speeds) / 0.002
            J = leg_jacobian(GEOMETRY, guess)
            H = mass_matrix(model, guess)
            error = np.linalg.solve(J @ np.linalg.solve(H, J.T), lacking)
            assert np.abs(error).max() < 0.05 * np.abs(force).max()
            at_rest = loads_of_setpoints(model, PlatformSetpoint.at_rest(guess).packed[None])
            if step == 0:  # a stop is not a hold: the check sees something
                assert np.abs(force - at_rest.force_n[0]).max() > 0.1 * np.abs(force).max()
