"""One arm, four engines: kernels, the thesis' trace form, pinocchio and MuJoCo."""

import numpy as np
import pytest
import trace_form as reference
from arms import (
    gripper_pose,
    jacobian,
    laden_arms,
    mass_and_bias,
    mujoco_model,
    pinocchio_model,
    random_states,
    relative_error,
    twist,
)

from sim.world.space_arm.kernels import dynamics

ARMS = laden_arms()
AGREE = 1e-12

every_arm = pytest.mark.parametrize("name", ARMS)


@every_arm
def test_kernels_agree_with_the_trace_form(name: str) -> None:
    arm = ARMS[name]
    for q, v in random_states(4, joints=arm.joints):
        mass, bias = mass_and_bias(arm, q, v)
        gravity = reference.gravity_torque(arm, q)
        assert relative_error(mass, reference.mass_matrix(arm, q)) < AGREE
        expected = reference.coriolis_torque(arm, q, v) + gravity
        assert relative_error(bias, expected) < AGREE
        pose = reference.gripper_pose(arm, q)
        rotation, position = gripper_pose(arm, q)
        assert relative_error(rotation, pose[:3, :3]) < AGREE
        assert relative_error(position, pose[:3, 3]) < AGREE


@pytest.mark.parametrize("name", [name for name in ARMS if ARMS[name].gravity_m_s2.any()])
def test_gravity_alone_agrees_with_the_trace_form(name: str) -> None:
    arm = ARMS[name]
    found = np.full(arm.joints, np.nan)
    for q, _ in random_states(4, joints=arm.joints):
        dynamics.gravity_torque(arm.arrays(), q, dynamics.make_scratch(), found)
        assert relative_error(found, reference.gravity_torque(arm, q)) < AGREE
        assert relative_error(found, mass_and_bias(arm, q, np.zeros(arm.joints))[1]) < AGREE


@every_arm
def test_kernels_agree_with_pinocchio(name: str) -> None:
    pin = pytest.importorskip("pinocchio", reason="pinocchio is a test extra")
    arm = ARMS[name]
    model, data, _ = pinocchio_model(arm)
    for q, v in random_states(100, joints=arm.joints):
        mass, bias = mass_and_bias(arm, q, v)
        upper = np.triu(pin.crba(model, data, q))
        assert relative_error(mass, upper + np.triu(upper, 1).T) < AGREE
        assert relative_error(bias, pin.nonLinearEffects(model, data, q, v)) < AGREE


@every_arm
def test_kinematics_agree_with_pinocchio(name: str) -> None:
    pin = pytest.importorskip("pinocchio", reason="pinocchio is a test extra")
    arm = ARMS[name]
    model, data, frame = pinocchio_model(arm)
    axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    for q, v in random_states(100, joints=arm.joints):
        pin.computeJointJacobians(model, data, q)
        pin.updateFramePlacements(model, data)
        rotation, position = gripper_pose(arm, q)
        assert relative_error(rotation, data.oMf[frame].rotation) < AGREE
        assert relative_error(position, data.oMf[frame].translation) < AGREE
        expected = pin.getFrameJacobian(model, data, frame, axes)
        assert relative_error(jacobian(arm, q), expected) < AGREE
        assert relative_error(twist(arm, q, v), expected @ v) < AGREE


@pytest.mark.parametrize("name", [name for name in ARMS if name != "puma560"])
def test_kernels_agree_with_mujoco(name: str) -> None:
    """Not the PUMA: no body has the inertia of its first and third link, and MuJoCo none."""
    mujoco = pytest.importorskip("mujoco", reason="mujoco is a test extra")
    arm = ARMS[name]
    model, data = mujoco_model(arm)
    expected = np.zeros((arm.joints, arm.joints))
    for q, v in random_states(100, joints=arm.joints):
        data.qpos[:], data.qvel[:] = q, v
        mujoco.mj_forward(model, data)
        mujoco.mj_fullM(model, data, expected)
        mass, bias = mass_and_bias(arm, q, v)
        assert relative_error(mass, expected) < AGREE
        assert relative_error(bias, data.qfrc_bias) < AGREE


def test_mass_matrix_alone_is_the_same_to_the_last_bit() -> None:
    arm, alone = ARMS["skew"], np.full((6, 6), np.nan)
    for q, v in random_states(20, joints=arm.joints):
        dynamics.mass_matrix(arm.arrays(), q, dynamics.make_scratch(), alone)
        assert np.array_equal(alone, mass_and_bias(arm, q, v)[0])
