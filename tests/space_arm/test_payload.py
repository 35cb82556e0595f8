"""Taking hold of bodies and letting them go; the arm's simplifications of 1993."""

from dataclasses import replace

import numpy as np
import pytest
from arms import (
    jacobian,
    mass_and_bias,
    pinocchio_model,
    random_states,
    relative_error,
    shipped,
    skew_arm,
    skew_body,
)
from hypothesis import given
from hypothesis import strategies as st
from trace_form import gripper_pose, link_pose, momentum, pseudo_inertia

from sim.world.space_arm.arm import Arm, Body, SpaceArmError
from sim.world.space_arm.kernels import dynamics
from sim.world.space_arm.links import merged
from sim.world.space_arm.payload import grapple_rates, inertia_at_gripper
from sim.world.space_arm.simplified_arms import MassModel, historical, simplified

BKM = shipped("bkm")
ROTORS = np.array([d.gear_ratio**2 * d.motor_inertia_kg_m2 for d in BKM.arm().drives])
TWIST = np.array([0.05, -0.02, 0.03, 0.004, -0.01, 0.02])


def payload_twist(arm: Arm, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Velocity of the gripper's origin [m/s], then angular [rad/s], base axes, shape (6,)."""
    twist = np.zeros(6)
    dynamics.gripper_twist(arm.arrays(), q, v, dynamics.make_scratch(), twist)
    return twist


masses = st.sampled_from([0.1, 50.0, 1000.0, 14_500.0])
twists = st.lists(st.floats(-0.4, 0.4), min_size=6, max_size=6).map(np.array)
seeds = st.integers(0, 1000)


def mass_of(arm: Arm, q: np.ndarray) -> np.ndarray:
    return mass_and_bias(arm, q, np.zeros(6))[0]


def body_momentum(arm: Arm, q: np.ndarray, body: Body, twist: np.ndarray) -> np.ndarray:
    """Linear, and angular about the base's origin, of a body that moves with ``twist`` at G."""
    pose = gripper_pose(arm, q)
    lever = pose[:3, :3] @ body.com_m
    linear = body.mass_kg * (twist[:3] + np.cross(twist[3:], lever))
    spin = pose[:3, :3] @ body.inertia_kg_m2 @ pose[:3, :3].T @ twist[3:]
    return np.concatenate([linear, np.cross(pose[:3, 3] + lever, linear) + spin])


def beyond(arm: Arm, joint: int) -> Arm:
    """The arm with only those links that joint ``joint`` moves."""
    nothing = [
        replace(link, mass_kg=0.0, inertia_kg_m2=np.zeros((3, 3))) for link in arm.links[:joint]
    ]
    return arm.with_links((*nothing, *arm.links[joint:]))


def test_merged_masses_are_the_sum_of_both() -> None:
    arm, body = skew_arm(), skew_body(70.0)
    tool = np.eye(4)
    tool[:3, :3], tool[:3, 3] = arm.tool_rotation, arm.tool_offset_m
    both = merged(arm.links[-1], arm.tool_rotation, arm.tool_offset_m, body)
    expected = pseudo_inertia(arm.links[-1]) + tool @ pseudo_inertia(body) @ tool.T
    assert relative_error(pseudo_inertia(both), expected) < 1e-14
    assert arm.with_payload(body).links[-1].mass_kg == arm.links[-1].mass_kg + 70.0


def test_payload_adds_its_inertia_at_the_gripper() -> None:
    arm, body = skew_arm(), skew_body(300.0)
    for q, _ in random_states(20):
        slopes = jacobian(arm, q)
        added = slopes.T @ inertia_at_gripper(arm, q, body) @ slopes
        assert relative_error(mass_of(arm.with_payload(body), q), mass_of(arm, q) + added) < 1e-13


def test_momentum_agrees_with_pinocchio() -> None:
    pin = pytest.importorskip("pinocchio", reason="pinocchio is a test extra")
    arm = skew_arm()
    model, data, _ = pinocchio_model(arm)
    for q, v in random_states(10):
        about_com = pin.computeCentroidalMomentum(model, data, q, v)
        angular = about_com.angular + np.cross(data.com[0], about_com.linear)
        expected = np.concatenate([about_com.linear, angular])
        assert relative_error(momentum(arm, q, v), expected) < 1e-12


@pytest.mark.parametrize("rotors", [None, ROTORS], ids=["elastic", "firm"])
def test_each_joint_keeps_its_momentum_in_a_grapple(rotors: np.ndarray | None) -> None:
    """Angular momentum about each joint's axis of all that lies beyond it, and of its rotor."""
    arm, body = skew_arm(), skew_body(500.0)
    geared = np.zeros(6) if rotors is None else rotors
    for q, v in random_states(3):
        after = grapple_rates(arm, q, v, body, TWIST, rotors)
        held = payload_twist(arm, q, after)
        for joint in range(6):
            part = beyond(arm, joint)
            frame = link_pose(arm, q, joint)
            axis, origin = frame[:3, :3] @ arm.links[joint].axis, frame[:3, 3]

            def about_axis(total: np.ndarray, axis=axis, origin=origin) -> float:
                return float(axis @ (total[3:] - np.cross(origin, total[:3])))

            before_joint = about_axis(momentum(part, q, v) + body_momentum(arm, q, body, TWIST))
            after_joint = about_axis(momentum(part, q, after) + body_momentum(arm, q, body, held))
            before_joint += geared[joint] * v[joint]
            after_joint += geared[joint] * after[joint]
            assert after_joint == pytest.approx(before_joint, rel=1e-10, abs=1e-8)
        assert np.abs(after - v).max() > 1e-3


@given(masses, twists, seeds, st.booleans())
def test_a_grapple_never_wins_energy(
    mass_kg: float, twist: np.ndarray, seed: int, firm: bool
) -> None:
    arm, body = BKM.arm(), skew_body(mass_kg, seed)
    q, v = random_states(1, seed)[0]
    v *= 0.1
    rotors = ROTORS if firm else np.zeros(6)
    after = grapple_rates(arm, q, v, body, twist, rotors)
    before_j = 0.5 * v @ (mass_of(arm, q) + np.diag(rotors)) @ v
    before_j += 0.5 * twist @ inertia_at_gripper(arm, q, body) @ twist
    both = mass_of(arm.with_payload(body), q) + np.diag(rotors)
    assert 0.5 * after @ both @ after <= before_j * (1.0 + 1e-12)


@given(masses, seeds)
def test_letting_go_and_taking_hold_again_changes_nothing(mass_kg: float, seed: int) -> None:
    arm, body = BKM.arm(), skew_body(mass_kg, seed)
    q, v = random_states(1, seed)[0]
    released = payload_twist(arm.with_payload(body), q, v)
    assert grapple_rates(arm, q, v, body, released) == pytest.approx(v, abs=1e-12)


@pytest.mark.parametrize("mass_kg", [1000.0, 14_500.0])
def test_letting_go_keeps_the_momentum(mass_kg: float) -> None:
    arm, body = skew_arm(), skew_body(mass_kg)
    for q, v in random_states(5):
        laden = arm.with_payload(body)
        apart = momentum(arm, q, v) + body_momentum(arm, q, body, payload_twist(laden, q, v))
        assert relative_error(apart, momentum(laden, q, v)) < 1e-13


def test_a_light_body_takes_the_speed_of_the_gripper_and_a_heavy_one_gives_its_own() -> None:
    arm, q = BKM.arm(), BKM.home_rad()
    grain, ship = skew_body(1e-6), skew_body(1e12)
    assert grapple_rates(arm, q, np.zeros(6), grain, TWIST) == pytest.approx(np.zeros(6), abs=1e-6)
    after = grapple_rates(arm, q, np.zeros(6), ship, TWIST)
    assert payload_twist(arm, q, after) == pytest.approx(TWIST, abs=1e-6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"q_rad": np.zeros(5)}, r"q_rad: shape \(5,\), must be \(6,\)"),
        ({"v_rad_s": np.full(6, np.nan)}, "v_rad_s: .* finite"),
        ({"twist": np.full(6, np.inf)}, "twist: .* finite"),
        ({"rotor_inertia_kg_m2": np.full(6, -1.0)}, "rotor_inertia_kg_m2: .* 0 or more"),
    ],
)
def test_absurd_grapples_are_refused(change: dict, message: str) -> None:
    arguments = {"q_rad": np.zeros(6), "v_rad_s": np.zeros(6), "twist": TWIST} | change
    with pytest.raises(SpaceArmError, match=message):
        grapple_rates(BKM.arm(), body=skew_body(1.0), **arguments)


def test_the_model_of_1993_follows_the_payloads_mass() -> None:
    arm = BKM.arm()
    limit = 3.0 * arm.mass_kg
    assert historical(arm, None) is MassModel.POINT_MASSES
    assert historical(arm, skew_body(limit)) is MassModel.POINT_MASSES
    assert historical(arm, skew_body(limit * 1.000001)) is MassModel.MASSLESS_LINKS
    assert historical(arm, BKM.payloads()["heavy"]) is MassModel.MASSLESS_LINKS


def test_point_masses_lack_exactly_the_links_own_inertia() -> None:
    arm, body = skew_arm(), skew_body(100.0)
    only_spin = [replace(link, mass_kg=0.0) for link in arm.links[:-1]]
    last = replace(arm.links[-1], mass_kg=0.0, inertia_kg_m2=np.zeros((3, 3)))
    lacking = arm.with_links((*only_spin, last))
    for payload in (None, body):
        full = simplified(arm, payload, MassModel.FULL)
        points = simplified(arm, payload, MassModel.POINT_MASSES)
        for q, _ in random_states(5):
            assert (
                relative_error(mass_of(points, q) + mass_of(lacking, q), mass_of(full, q)) < 1e-13
            )
            assert np.abs(mass_of(lacking, q)).max() > 1.0
            np.linalg.cholesky(mass_of(points, q))


def test_massless_links_carry_the_arms_mass_in_the_payload() -> None:
    arm, body = BKM.arm(), BKM.payloads()["heavy"]
    light = simplified(arm, body, MassModel.MASSLESS_LINKS)
    heavier = replace(body, mass_kg=body.mass_kg + arm.mass_kg)
    q = BKM.home_rad()
    slopes = jacobian(arm, q)
    expected = slopes.T @ inertia_at_gripper(arm, q, heavier) @ slopes
    assert relative_error(mass_of(light, q), expected) < 1e-13
    assert light.mass_kg == pytest.approx(arm.mass_kg + body.mass_kg)
    with pytest.raises(SpaceArmError, match="need a payload"):
        simplified(arm, None, MassModel.MASSLESS_LINKS)
