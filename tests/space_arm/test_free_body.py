"""Bodies that drift near the arm: their motion, drawn fields, and how they come into a gripper."""

import math
from typing import Any

import numpy as np
import pytest
import trace_form
from arms import jacobian, random_inertia, shipped
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from sim.world.space_arm.arm import Body, SpaceArmError
from sim.world.space_arm.drift_field import DriftField
from sim.world.space_arm.drive import DriveModel
from sim.world.space_arm.free_body import ForbiddenBall, FreeBody
from sim.world.space_arm.simulator import SpaceArm

Array = NDArray[np.float64]

FIELD = DriftField((8.0, -3.0, -3.0), (14.0, 3.0, 3.0))


def tumbling(seed: int, rate_rad_s: float = 0.4) -> FreeBody:
    rng = np.random.default_rng((8, seed))
    body = Body(500.0, rng.uniform(-1.0, 1.0, 3), random_inertia(rng, 400.0))
    spin = rng.normal(size=3)
    twist = np.concatenate([rng.uniform(-0.1, 0.1, 3), rate_rad_s * spin / np.linalg.norm(spin)])
    turn = Rotation.random(random_state=rng).as_matrix()
    return FreeBody(body, turn, rng.uniform(-5.0, 5.0, 3), twist)


def eulers_motion(one: FreeBody, span_s: float) -> tuple[Array, Array]:
    """Attitude and angular rate in base axes by Euler's equations in the body's own axes."""
    inertia = one.body.inertia_kg_m2

    def slope(_: float, y: Array) -> Array:
        w, turn = y[:3], y[3:].reshape(3, 3)
        x = np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])
        faster = np.linalg.solve(inertia, -np.cross(w, inertia @ w))
        return np.concatenate([faster, (turn @ x).ravel()])

    begun = np.concatenate([one.rotation_BF.T @ one.twist[3:], one.rotation_BF.ravel()])
    end = solve_ivp(slope, (0.0, span_s), begun, method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    turn = end[3:].reshape(3, 3)
    return turn, turn @ end[:3]


@pytest.mark.parametrize("seed", range(4))
def test_a_tumbling_body_goes_as_eulers_equations_say(seed: int) -> None:
    one = tumbling(seed)
    turn, rate = eulers_motion(one, 30.0)
    centre = one.position_BF_m + one.rotation_BF @ one.body.com_m
    drift = one.twist[:3] + np.cross(one.twist[3:], one.rotation_BF @ one.body.com_m)
    for _ in range(30):
        one.advance(1.0)
    assert np.abs(one.rotation_BF - turn).max() < 1e-8
    assert np.abs(one.twist[3:] - rate).max() < 1e-9
    there = one.position_BF_m + one.rotation_BF @ one.body.com_m
    assert np.abs(there - centre - 30.0 * drift).max() < 1e-12


@settings(max_examples=30)
@given(st.integers(0, 1000), st.floats(0.0, 1.0), st.floats(0.0, 8.0))
def test_momentum_and_energy_stay(seed: int, rate_rad_s: float, span_s: float) -> None:
    one = tumbling(seed, rate_rad_s)
    momentum, energy = one.momentum, one.energy_j
    one.advance(span_s)
    assert np.abs(one.momentum - momentum).max() < 1e-10 * (1.0 + np.abs(momentum).max())
    assert one.energy_j == pytest.approx(energy, rel=1e-7)
    assert np.abs(one.rotation_BF.T @ one.rotation_BF - np.eye(3)).max() < 1e-14


def test_a_body_that_stands_stays_to_the_last_bit() -> None:
    one = tumbling(1)
    still = FreeBody(one.body, np.eye(3), one.position_BF_m, np.zeros(6))
    still.advance(100.0)
    assert np.array_equal(still.rotation_BF, np.eye(3))
    assert np.allclose(still.position_BF_m, one.position_BF_m, atol=1e-15)


def test_what_may_not_be_touched_turns_with_the_body() -> None:
    quarter = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.5 * math.pi])
    body = Body(100.0, np.zeros(3), 10.0 * np.eye(3))
    ball = ForbiddenBall(np.array([2.0, 0.0, 0.0]), 0.5)
    one = FreeBody(body, np.eye(3), np.zeros(3), quarter, (ball,))
    point = np.array([0.0, 2.0, 0.0])
    assert one.clearance_m(point) == pytest.approx(math.sqrt(8.0) - 0.5)
    one.advance(1.0)
    assert one.clearance_m(point) == pytest.approx(-0.5)
    assert tumbling(1).clearance_m(point) == math.inf


def test_a_catch_keeps_the_generalised_momentum() -> None:
    bkm = shipped("bkm")
    arm, q = bkm.arm(), np.array(bkm.home_rad())
    pose = trace_form.gripper_pose(arm, q)
    for one in FIELD.draw(8, seed=5):
        offset = np.array([0.03, -0.02, 0.01])  # the fixture is not quite where the gripper is
        there = FreeBody(one.body, one.rotation_BF, pose[:3, 3] + offset, one.twist)
        held, twist = there.in_gripper(pose[:3, :3], pose[:3, 3])
        space = SpaceArm(arm, DriveModel.D, q)
        space.advance(np.radians([0.2, -0.3, 0.2, 0.4, 0.1, 0.3]))
        there_now = trace_form.gripper_pose(arm, space.state[0])
        v = space.state[1]
        linear = held.mass_kg * (twist[:3] + np.cross(twist[3:], there_now[:3, :3] @ held.com_m))
        spin = there_now[:3, :3] @ held.inertia_kg_m2 @ there_now[:3, :3].T @ twist[3:]
        spin = spin + np.cross(there_now[:3, :3] @ held.com_m, linear)
        slope = jacobian(arm, space.state[0])
        before = trace_form.mass_matrix(arm, space.state[0]) @ v
        before = before + slope.T @ np.concatenate([linear, spin])
        space.grapple(held, twist)
        after = trace_form.mass_matrix(space.arm, space.state[0]) @ space.state[1]
        assert np.abs(after - before).max() < 1e-9 * np.abs(before).max()


def test_a_body_in_the_gripper_has_its_own_momentum() -> None:
    one = tumbling(3)
    turn, place = Rotation.random(random_state=4).as_matrix(), one.position_BF_m + 0.2
    held, twist = one.in_gripper(turn, place)
    lever = turn @ held.com_m
    linear = held.mass_kg * (twist[:3] + np.cross(twist[3:], lever))
    spin = turn @ held.inertia_kg_m2 @ turn.T @ twist[3:]
    found = np.concatenate([linear, np.cross(place + lever, linear) + spin])
    assert np.abs(found - one.momentum).max() < 1e-10 * np.abs(one.momentum).max()


def test_a_field_is_its_seed() -> None:
    bodies, again, other = FIELD.draw(12, 7), FIELD.draw(12, 7), FIELD.draw(12, 8)
    for one, same, different in zip(bodies, again, other, strict=True):
        assert np.array_equal(one.position_BF_m, same.position_BF_m)
        assert np.array_equal(one.twist, same.twist)
        assert not np.array_equal(one.position_BF_m, different.position_BF_m)
    few = FIELD.draw(5, 7)
    assert np.array_equal(few[-1].twist, bodies[4].twist)


def test_bodies_of_a_field_are_within_its_bounds_and_apart() -> None:
    bodies = FIELD.draw(20, 3)
    for one in bodies:
        assert (one.position_BF_m >= FIELD.low_m).all()
        assert (one.position_BF_m <= FIELD.high_m).all()
        assert 300.0 <= one.body.mass_kg <= 3000.0
        assert np.linalg.norm(one.twist[:3]) <= 0.03
        assert np.linalg.norm(one.twist[3:]) <= 0.005
        assert one.clearance_m(one.position_BF_m) > 0.0  # the fixture may be touched
    centres = np.array([one.position_BF_m + one.rotation_BF @ one.body.com_m for one in bodies])
    apart = np.linalg.norm(centres[:, None] - centres[None], axis=2) + 10.0 * np.eye(len(bodies))
    assert apart.min() > 2.0
    assert max(one.body.mass_kg for one in bodies) > 1000.0


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: DriftField((0, 0, 0), (1, 1, 1)).draw(50, 1), "of 50 bodies"),
        (lambda: DriftField((0, 0, 1), (1, 1, 0)), "below low_m"),
        (lambda: DriftField((0, 0, 0), (1, 1, math.nan)), "high_m"),
        (lambda: DriftField((0, 0, 0), (1, 1, 1), (0.0, 1.0)), "masses"),
        (lambda: DriftField((0, 0, 0), (1, 1, 1), speed_m_s=math.inf), "speed_m_s"),
        (lambda: ForbiddenBall(np.zeros(3), 0.0), "radius_m"),
        (lambda: tumbling(1).advance(math.nan), "nan s"),
        (lambda: tumbling(1).advance(-1.0), "-1.0 s"),
        (lambda: tumbling(1).advance(1e9), "shorter spans"),
        (
            lambda: FreeBody(Body(1.0, np.zeros(3), np.zeros((3, 3))), *3 * [np.eye(3)]),
            "least moment",
        ),
        (
            lambda: FreeBody(tumbling(1).body, np.eye(3), np.zeros(3), np.full(6, np.nan)),
            "twist",
        ),
    ],
)
def test_numbers_that_are_no_body_are_refused(make: Any, says: str) -> None:
    with pytest.raises(SpaceArmError, match=says):
        make()
