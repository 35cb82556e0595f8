"""Inverse dynamics of the space arm: judged by Newton and Euler in link frames, engines, energy."""

import numpy as np
import pytest
from arms import (
    mixed_arm,
    mujoco_model,
    pinocchio_model,
    relative_error,
    shipped,
    skew_arm,
    skew_body,
)
from scipy.spatial.transform import Rotation
from trace_form import gripper_pose, link_pose, mass_matrix

from sim.world.space_arm.arm import Arm, Body, SpaceArmError
from sim.world.space_arm.inverse_dynamics import TERMS, InverseDynamics
from sim.world.space_arm.kernels import dynamics
from sim.world.space_arm.motion_torques import (
    PARTS,
    CommandedMotion,
    motion_torques,
    root_mean_square,
)
from sim.world.space_arm.simulator import TICK_S

ARMS = 200
EQUAL = 1e-10
THERE_AND_BACK = 1e-11


def random_arm(seed: int) -> Arm:
    """Three to eight joints of both kinds; one of six has six revolute ones."""
    return mixed_arm(3 + seed % 6, seed)


def random_motion(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Angles, rates, accelerations and a wrench."""
    rng, joints = np.random.default_rng((36, seed)), 3 + seed % 6
    return (
        rng.uniform(-np.pi, np.pi, joints),
        rng.uniform(-2.0, 2.0, joints),
        rng.uniform(-3.0, 3.0, joints),
        rng.uniform(-500.0, 500.0, 6),
    )


def body_of(seed: int) -> Body | None:
    """A payload for two arms of three."""
    return None if seed % 3 == 0 else skew_body(10.0 * (1 + seed), seed)


def newton_euler(
    arm: Arm, body: Body | None, q: np.ndarray, v: np.ndarray, a: np.ndarray, wrench: np.ndarray
) -> np.ndarray:
    """Torques through the gears: each link in its own frame, the payload as one more body.

    Nothing is shared with the kernels, which work in base axes and merge the payload.
    """
    spin, speed_up = np.zeros(3), np.zeros(3)  # of the link before, in its axes
    pull, turns, moments, levers = -arm.gravity_m_s2, [], [], []
    whole = np.eye(3)
    for i, link in enumerate(arm.links):
        angle, travel = (0.0, q[i]) if link.prismatic else (q[i], 0.0)
        turn = link.rotation @ Rotation.from_rotvec(angle * link.axis).as_matrix()
        whole = whole @ turn
        lever = link.offset_m + travel * link.rotation @ link.axis
        levers.append(lever)
        pull = pull + np.cross(speed_up, lever) + np.cross(spin, np.cross(spin, lever))
        pull, spin, speed_up = turn.T @ pull, turn.T @ spin, turn.T @ speed_up
        rate, gain = v[i] * link.axis, a[i] * link.axis
        if link.prismatic:  # the Coriolis acceleration 2 w x v, and its own
            pull = pull + 2.0 * np.cross(spin, rate) + gain
        else:
            speed_up = speed_up + np.cross(spin, rate) + gain
            spin = spin + rate
        bodies = [(link.mass_kg, link.com_m, link.inertia_kg_m2)]
        force, torque = np.zeros(3), np.zeros(3)
        if i == arm.joints - 1:
            R, p = arm.tool_rotation, arm.tool_offset_m
            if body is not None:
                com, inertia = p + R @ body.com_m, R @ body.inertia_kg_m2 @ R.T
                bodies.append((body.mass_kg, com, inertia))
            push, moment = whole.T @ wrench[:3], whole.T @ wrench[3:]
            force -= push
            torque -= moment + np.cross(p, push)
        for mass, com, inertia in bodies:
            swept = np.cross(speed_up, com) + np.cross(spin, np.cross(spin, com))
            own = mass * (pull + swept)
            force += own
            torque += np.cross(com, own)
            torque += inertia @ speed_up + np.cross(spin, inertia @ spin)
        turns.append(turn)
        moments.append((force, torque))
    out, force, torque = np.zeros(arm.joints), np.zeros(3), np.zeros(3)
    for i in range(arm.joints - 1, -1, -1):
        force, torque = force + moments[i][0], torque + moments[i][1]
        out[i] = arm.links[i].axis @ (force if arm.links[i].prismatic else torque)
        force = turns[i] @ force
        torque = turns[i] @ torque + np.cross(levers[i], force)
    return out


def test_two_hundred_arms_agree_with_newton_and_euler() -> None:
    for seed in range(ARMS):
        arm, body, (q, v, a, wrench) = random_arm(seed), body_of(seed), random_motion(seed)
        found = InverseDynamics(arm, body).torques(q, v, a, wrench)
        expected = newton_euler(arm, body, q, v, a, wrench)
        drag = np.array([drive.drag_nm_s for drive in arm.drives]) * v
        assert relative_error(found.gear_nm - drag, expected) < EQUAL, seed


def test_two_hundred_arms_agree_with_pinocchio() -> None:
    pin = pytest.importorskip("pinocchio", reason="pinocchio is a test extra")
    for seed in range(ARMS):
        arm, body, (q, v, a, wrench) = random_arm(seed), body_of(seed), random_motion(seed)
        inverse = InverseDynamics(arm, body)
        model, data, frame = pinocchio_model(inverse.arm)
        found = inverse.torques(q, v, a, wrench)
        pin.computeJointJacobians(model, data, q)
        pin.updateFramePlacements(model, data)
        axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        pushed = pin.getFrameJacobian(model, data, frame, axes).T @ wrench
        expected = pin.rnea(model, data, q, v, a) - pushed
        drag = found.drag_nm
        assert relative_error(found.gear_nm - drag, expected) < EQUAL, seed


def test_arms_agree_with_mujoco() -> None:
    mujoco = pytest.importorskip("mujoco", reason="mujoco is a test extra")
    for seed in range(0, ARMS, 5):
        arm, body, (q, v, a, _) = random_arm(seed), body_of(seed), random_motion(seed)
        inverse = InverseDynamics(arm, body)
        model, data = mujoco_model(inverse.arm)
        data.qpos[:], data.qvel[:], data.qacc[:] = q, v, a
        mujoco.mj_inverse(model, data)
        found = inverse.torques(q, v, a)
        assert relative_error(found.gear_nm - found.drag_nm, data.qfrc_inverse) < EQUAL, seed


def test_forward_and_inverse_undo_each_other() -> None:
    for seed in range(ARMS):
        inverse, (q, v, a, wrench) = (
            InverseDynamics(random_arm(seed), body_of(seed)),
            random_motion(seed),
        )
        torque = 1000.0 * a
        there = inverse.accelerations(q, v, torque, wrench)
        back = inverse.torques(q, v, there, wrench).motor_nm
        assert relative_error(back, torque) < THERE_AND_BACK, seed


def test_the_compiled_recursion_is_the_sum_of_the_terms() -> None:
    for seed in range(0, ARMS, 4):
        inverse, (q, v, a, _) = (
            InverseDynamics(random_arm(seed), body_of(seed)),
            random_motion(seed),
        )
        found, out = inverse.torques(q, v, a), np.full(inverse.arm.joints, np.nan)
        dynamics.inverse_torque(inverse.arm.arrays(), q, v, a, dynamics.make_scratch(), out)
        assert relative_error(out, found.gear_nm - found.drag_nm) < EQUAL


def energy(arm: Arm, body: Body | None, rotors: np.ndarray, q: np.ndarray, v: np.ndarray) -> float:
    """Kinetic and potential energy of links, payload and rotors [J], by the trace form."""
    held = arm if body is None else arm.with_payload(body)
    total = 0.5 * v @ mass_matrix(held, q) @ v + 0.5 * v @ (rotors * v)
    for i, link in enumerate(held.links):
        com = link_pose(held, q, i) @ np.append(link.com_m, 1.0)
        total -= link.mass_kg * (arm.gravity_m_s2 @ com[:3])
    return float(total)


@pytest.mark.parametrize("seed", range(1, 9))
def test_work_of_the_torques_is_energy_won_and_lost(seed: int) -> None:
    """Motors and wrench put in what links, payload and rotors win and drag and friction lose."""
    arm, body, (q0, v0, a, wrench) = random_arm(seed), body_of(seed), random_motion(seed)
    inverse = InverseDynamics(arm, body)
    rotors = np.array([d.gear_ratio**2 * d.motor_inertia_kg_m2 for d in arm.drives])
    end_s = 0.4 * np.abs(v0 / a).min()  # no joint turns back: friction keeps its sign
    nodes, weights = np.polynomial.legendre.leggauss(24)
    work = 0.0
    for s, weight in zip(0.5 * end_s * (nodes + 1.0), 0.5 * end_s * weights, strict=True):
        q, v = q0 + v0 * s + 0.5 * a * s * s, v0 + a * s
        found = inverse.torques(q, v, a, wrench)
        jacobian = np.zeros((6, arm.joints))
        dynamics.gripper_jacobian(arm.arrays(), q, dynamics.make_scratch(), jacobian)
        lost = found.drag_nm + found.friction_nm
        work += weight * ((found.motor_nm - lost) @ v + wrench @ (jacobian @ v))
    v1, q1 = v0 + a * end_s, q0 + v0 * end_s + 0.5 * a * end_s**2
    before, after = (
        energy(arm, body, rotors, *state) for state in ((q0, v0), (q1, v1))
    )  # fmt: skip
    assert work == pytest.approx(after - before, rel=1e-9, abs=1e-9 * abs(before))


def test_each_term_is_what_it_says() -> None:
    arm, (q, v, a, wrench) = skew_arm(), random_motion(3)
    inverse, none = InverseDynamics(arm), np.zeros(6)
    found = inverse.torques(q, v, a, wrench)
    started = inverse.torques(q, none, a).motor_nm - found.gravity_nm
    assert relative_error(found.inertia_nm + found.rotor_nm, started) < EQUAL
    alone = inverse.torques(q, none, none)
    assert relative_error(alone.motor_nm, found.gravity_nm) < EQUAL
    doubled = inverse.torques(q, 2.0 * v, none)
    assert relative_error(doubled.coriolis_nm, 4.0 * found.coriolis_nm) < EQUAL
    assert np.array_equal(doubled.drag_nm, 2.0 * found.drag_nm)
    assert np.array_equal(doubled.friction_nm, found.friction_nm)
    assert np.array_equal(inverse.torques(q, v, a, 2.0 * wrench).wrench_nm, 2.0 * found.wrench_nm)
    assert np.array_equal(found.terms().sum(axis=0), found.motor_nm)
    assert len(found.terms()) == len(TERMS)


def test_a_force_on_the_gripper_is_held_by_its_lever() -> None:
    """1 N on a stretched arm: each joint holds its lever about its axis."""
    arm, q = shipped("bkm").arm(), np.radians([10.0, 20.0, -30.0, 15.0, 25.0, 35.0])
    push, end = np.array([1.0, -2.0, 3.0]), gripper_pose(arm, q)[:3, 3]
    found = InverseDynamics(arm).torques(q, np.zeros(6), np.zeros(6), np.array([*push, 0, 0, 0]))
    for i, link in enumerate(arm.links):
        pose = link_pose(arm, q, i)
        lever, axis = end - pose[:3, 3], pose[:3, :3] @ link.axis
        assert found.wrench_nm[i] == pytest.approx(-axis @ np.cross(lever, push), abs=1e-12)


def test_a_rate_of_rounding_meets_no_friction() -> None:
    bkm, none = shipped("bkm"), np.zeros(6)
    inverse = InverseDynamics(bkm.arm())
    for rate, share in ((1e-17, 0.0), (-1e-17, 0.0), (1e-6, 1.0), (-1e-6, -1.0)):
        found = inverse.torques(bkm.home_rad(), np.full(6, rate), none).friction_nm
        assert found.tolist() == [share * drive.friction_nm for drive in bkm.arm().drives]


def test_nothing_weighs_in_orbit() -> None:
    bkm = shipped("bkm")
    found = InverseDynamics(bkm.arm(), bkm.payloads()["heavy"]).torques(
        bkm.home_rad(), np.zeros(6), np.zeros(6)
    )
    assert not found.terms().any()
    assert not np.signbit(found.terms()).any()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((np.zeros(5), np.zeros(6), np.zeros(6)), "q_rad: shape"),
        ((np.zeros(6), np.zeros(7), np.zeros(6)), "v_rad_s: shape"),
        ((np.zeros(6), np.zeros(6), [0, 0, 0, 0, 0, np.nan]), "a_rad_s2.*finite"),
        ((np.zeros(6), np.zeros(6), np.zeros(6), np.zeros(5)), "wrench: shape"),
        ((np.zeros(6), np.zeros(6), np.zeros(6), np.full(6, np.inf)), "wrench.*finite"),
    ],
)
def test_wrong_numbers_are_refused(given, said) -> None:
    with pytest.raises(SpaceArmError, match=said):
        InverseDynamics(shipped("bkm").arm()).torques(*given)


@pytest.mark.parametrize("mass_kg", [-1.0, np.nan])
def test_a_payload_that_is_no_body_is_refused(mass_kg: float) -> None:
    with pytest.raises(SpaceArmError, match="mass_kg"):
        Body(mass_kg, np.zeros(3), np.eye(3))


RATES = np.random.default_rng(2).uniform(-0.05, 0.05, (8, 6))


def test_a_commanded_motion_is_smooth() -> None:
    motion = CommandedMotion(np.arange(6.0), RATES)
    t, q, v, a = motion.states()
    assert motion.duration_s == pytest.approx(t[-1])
    assert np.array_equal(q[0], np.arange(6.0))
    assert not v[0].any()
    assert v[-1] == pytest.approx(RATES[-1])
    for k in range(1, len(t)):
        step = t[k] - t[k - 1]
        if step < 1e-9:  # an instant between two ticks: the same place, another acceleration
            assert q[k] == pytest.approx(q[k - 1], abs=1e-14)
            assert v[k] == pytest.approx(v[k - 1], abs=1e-14)
            continue
        assert v[k] - v[k - 1] == pytest.approx(a[k] * step, abs=1e-12)
        assert q[k] - q[k - 1] == pytest.approx(0.5 * (v[k] + v[k - 1]) * step, abs=1e-12)
    assert len(t) == len(RATES) * (PARTS + 1)


@pytest.mark.parametrize("rates", [np.zeros((0, 6)), np.zeros((3, 5)), np.full((2, 6), np.nan)])
def test_a_motion_of_wrong_rates_is_refused(rates) -> None:
    with pytest.raises(SpaceArmError):
        CommandedMotion(np.zeros(6), rates)


def test_root_mean_squares_are_of_time() -> None:
    """A ramp from 0 to 1 in one tick, then three ticks of 2: (1/3 + 12) / 4 and its root."""
    ramp = np.linspace(0.0, 1.0, PARTS + 1)
    values = np.concatenate([ramp, np.full(3 * (PARTS + 1), 2.0)])[:, None]
    exact = np.sqrt((1.0 / 3.0 + 12.0) / 4.0)
    assert root_mean_square(values)[0] == pytest.approx(exact, rel=1e-3)


def test_torques_of_a_motion_are_those_of_its_moments() -> None:
    arm = shipped("bkm").arm()
    inverse, motion = InverseDynamics(arm), CommandedMotion(shipped("bkm").home_rad(), RATES)
    wrench = np.arange(6.0)
    found = motion_torques(inverse, motion, wrench)
    t, q, v, a = motion.states()
    k = 3 * (PARTS + 1) + 4
    assert found.t_s[k] == pytest.approx(3.4 * TICK_S)
    assert np.array_equal(found.motor_nm[k], inverse.torques(q[k], v[k], a[k], wrench).motor_nm)
    assert found.terms_nm().shape == (len(t), len(TERMS), 6)
