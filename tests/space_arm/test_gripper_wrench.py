"""A wrench on the gripper in every drive model, against other engines and closed forms."""

from typing import Any

import numpy as np
import pytest
import trace_form
from arms import jacobian, laden_arms, mass_and_bias, mujoco_model, random_states, shipped
from numpy.typing import NDArray

from sim.world.space_arm.arm import Arm
from sim.world.space_arm.drive import DriveModel
from sim.world.space_arm.inverse_dynamics import InverseDynamics
from sim.world.space_arm.kernels import dynamics
from sim.world.space_arm.simulator import SpaceArm

Array = NDArray[np.float64]

BKM = shipped("bkm")
WRENCHES = np.random.default_rng(39).uniform(-400.0, 400.0, (6, 6))
COMMAND = np.radians([0.3, -0.4, 0.5, 0.6, -0.7, 0.8])


def bias_with(arm: Arm, q: Array, v: Array, wrench: Array) -> Array:
    n = arm.joints
    mass, bias = np.empty((n, n)), np.empty(n)
    loaded = arm.arrays()._replace(wrench=wrench)
    loaded.wrench.setflags(write=False)
    dynamics.mass_and_bias(loaded, q, v, dynamics.make_scratch(), mass, bias)
    return bias


def gripper_slopes(arm: Arm, q: Array) -> Array:
    """Jacobian of the gripper from derivatives of homogeneous matrices, none of the kernels'."""
    n, tool = arm.joints, np.append(arm.tool_offset_m, 1.0)
    slopes, turn = np.zeros((6, n)), trace_form.gripper_pose(arm, q)[:3, :3]
    for j in range(n):
        change = trace_form.link_pose(arm, q, n - 1, j)
        slopes[:3, j] = (change @ tool)[:3]
        spin = change[:3, :3] @ arm.tool_rotation @ turn.T
        slopes[3:, j] = spin[2, 1], spin[0, 2], spin[1, 0]
    return slopes


@pytest.mark.parametrize("name", ["bkm_1000_kg", "skew", "mixed_3", "mixed_6", "mixed_8"])
def test_each_joint_feels_the_wrench(name: str) -> None:
    arm = laden_arms()[name]
    for (q, v), wrench in zip(random_states(6, joints=arm.joints), WRENCHES, strict=True):
        expected = mass_and_bias(arm, q, v)[1] - gripper_slopes(arm, q).T @ wrench
        assert np.abs(bias_with(arm, q, v, wrench.copy()) - expected).max() < 1e-10 * max(
            1.0, np.abs(expected).max()
        )


def test_mujoco_feels_the_same_wrench() -> None:
    mujoco: Any = pytest.importorskip("mujoco", reason="mujoco is a test extra")
    arm = laden_arms()["bkm_1000_kg"]
    model, data = mujoco_model(arm)
    for (q, v), wrench in zip(random_states(6), WRENCHES, strict=True):
        data.qpos[:], data.qvel[:] = q, v
        mujoco.mj_forward(model, data)
        place, felt = trace_form.gripper_pose(arm, q)[:3, 3], np.zeros(model.nv)
        last = int(model.jnt_bodyid[model.njnt - 1])
        mujoco.mj_applyFT(model, data, wrench[:3], wrench[3:], place, last, felt)
        expected = data.qfrc_bias - felt
        found = bias_with(arm, q, v, wrench.copy())
        assert np.abs(found - expected).max() < 1e-9 * np.abs(expected).max()


@pytest.mark.parametrize("model", list(DriveModel))
def test_no_wrench_changes_nothing_to_the_last_bit(model: DriveModel) -> None:
    plain, zero, pushed = (
        SpaceArm(BKM.arm(), model, BKM.home_rad(), payload=BKM.payloads()["light"])
        for _ in range(3)
    )
    for _ in range(2):
        torques = plain.advance(COMMAND).torque_nm
        assert np.array_equal(torques, zero.advance(COMMAND, wrench=np.zeros(6)).torque_nm)
        pushed.advance(COMMAND, wrench=[150.0, 0.0, 0.0, 0.0, 0.0, 50.0])
        assert np.array_equal(plain.state, zero.state)
    assert np.abs(plain.state[0] - pushed.state[0]).max() > 1e-5


def test_a_wrench_moves_the_arm_as_the_inverse_dynamics_say() -> None:
    arm, wrench = BKM.arm(), np.array([20.0, -30.0, 10.0, 5.0, 0.0, 8.0])
    space, home = SpaceArm(arm, DriveModel.A, BKM.home_rad()), np.array(BKM.home_rad())
    span_s = 2e-6
    space.advance(np.zeros(6), span_s, wrench=wrench)
    rotors = np.array([d.gear_ratio**2 * d.motor_inertia_kg_m2 for d in arm.drives])
    felt = -InverseDynamics(arm).torques(home, np.zeros(6), np.zeros(6), wrench).wrench_nm
    expected = np.linalg.solve(mass_and_bias(arm, home, np.zeros(6))[0] + np.diag(rotors), felt)
    assert np.abs(space.state[1] / span_s - expected).max() < 0.01 * np.abs(expected).max()


def test_static_deflection_is_that_of_play_and_springs() -> None:
    """Motors held by their brakes: each gear gives its half gap and its torque over stiffness."""
    arm, wrench = BKM.arm(), np.array([40.0, -60.0, 50.0, 25.0, -20.0, 40.0])
    space, home = SpaceArm(arm, DriveModel.D, BKM.home_rad()), np.array(BKM.home_rad())
    space.brakes = (True,) * 6
    spans_s = np.random.default_rng(5).uniform(0.05, 0.5, 60)
    for span_s in spans_s:  # energy is taken away until nothing moves
        space.advance(np.zeros(6), span_s, wrench=wrench)
        space.state = space.state * np.array([1.0, 0.0, 0.0, 1.0, 1.0, 1.0])[:, None]
    torque = jacobian(arm, home).T @ wrench
    gap = np.array([d.half_gap_rad for d in arm.drives])
    stiffness = np.array([d.stiffness_nm_rad for d in arm.drives])
    expected = np.sign(torque) * gap + torque / stiffness
    moved = space.state[0] - home
    assert np.abs(moved - expected).max() < 0.005 * np.abs(expected).min()
    place = space.snapshot().position_BG_m - trace_form.gripper_pose(arm, home)[:3, 3]
    closed_form = (jacobian(arm, home) @ expected)[:3]
    assert np.linalg.norm(place - closed_form) < 0.005 * np.linalg.norm(closed_form)


@pytest.mark.parametrize("wrench", [[0.0] * 5, [np.nan] + [0.0] * 5, [0.0] * 5 + [np.inf]])
def test_a_wrench_of_no_numbers_moves_nothing(wrench: list[float]) -> None:
    space = SpaceArm(BKM.arm(), DriveModel.A, BKM.home_rad())
    before = space.state
    with pytest.raises(ValueError, match="wrench"):
        space.advance(COMMAND, wrench=wrench)
    assert np.array_equal(space.state, before)
    assert space.snapshot().time_s == 0.0
