"""Arms for the tests: those that are shipped, one without any symmetry, and other engines' models.

The other engines get an arm from its description (``Arm.links``), never from the kernels' arrays.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from hil.config.file_search import configs_dir
from hil.machines.space_arm.settings import ArmSettings
from hil.machines.world.arm_document import arm_robot, triple
from sim.world.engine.mjcf import Stepping, model_text
from sim.world.engine.mjcf_robot import PlacedRobot
from sim.world.space_arm.arm import Arm, Body
from sim.world.space_arm.kernels import dynamics

Array = NDArray[np.float64]

SHIPPED = ("bkm", "shuttle_rms", "puma560")


def arm_path(name: str) -> Path:
    return configs_dir() / "arms" / f"{name}.toml"


def shipped(name: str) -> ArmSettings:
    return ArmSettings.load(arm_path(name))


def skew_arm() -> Arm:
    """No axis, offset or inertia along a coordinate axis, and gravity from aslant."""
    rng = np.random.default_rng(20)
    bkm = shipped("bkm").arm()
    links = []
    for link in bkm.links:
        axis = rng.normal(size=3)
        links.append(
            replace(
                link,
                axis=axis / np.linalg.norm(axis),
                offset_m=rng.normal(size=3),
                rotation=Rotation.random(random_state=rng).as_matrix(),
                com_m=rng.normal(size=3),
                inertia_kg_m2=random_inertia(rng, 5.0),
            )
        )
    return Arm(
        "skew",
        tuple(links),
        Rotation.random(random_state=rng).as_matrix(),
        rng.normal(size=3),
        np.array([1.0, -2.0, -9.0]),
        bkm.drives,
    )


def mixed_arm(joints: int, seed: int) -> Arm:
    """Any axes, offsets, masses and drives, joints of both kinds, and any gravity or none."""
    rng = np.random.default_rng((35, seed))
    bkm = shipped("bkm").arm()
    links, drives = [], []
    for i in range(joints):
        axis, mass = rng.normal(size=3), rng.uniform(1.0, 100.0)
        links.append(
            replace(
                bkm.links[i % len(bkm.links)],
                name=f"joint_{i}",
                prismatic=bool(rng.random() < 0.35),
                axis=axis / np.linalg.norm(axis),
                offset_m=rng.normal(size=3) * rng.uniform(0.1, 5.0),
                rotation=Rotation.random(random_state=rng).as_matrix(),
                mass_kg=mass,
                com_m=rng.normal(size=3),
                inertia_kg_m2=random_inertia(rng, mass),
            )
        )
        drag, friction = rng.uniform(0.0, 500.0), rng.uniform(0.0, 50.0)
        drives.append(
            replace(bkm.drives[i % len(bkm.drives)], drag_nm_s=drag, friction_nm=friction)
        )
    gravity = rng.normal(size=3) * (0.0 if seed % 4 == 0 else 9.81)
    tool = Rotation.random(random_state=rng).as_matrix()
    return Arm(f"mixed {seed}", tuple(links), tool, rng.normal(size=3), gravity, tuple(drives))


def random_inertia(rng: np.random.Generator, size: float) -> Array:
    """Of a real body: principal moments are sums of two second moments of mass."""
    second = rng.uniform(0.1, 1.0, size=3) * size
    turn = Rotation.random(random_state=rng).as_matrix()
    inertia = turn @ np.diag(second.sum() - second) @ turn.T
    return 0.5 * (inertia + inertia.T)


def skew_body(mass_kg: float, seed: int = 3) -> Body:
    rng = np.random.default_rng(seed)
    return Body(mass_kg, rng.normal(size=3), random_inertia(rng, mass_kg))


def laden_arms() -> dict[str, Arm]:
    """Every arm that the engines are compared on, by a readable name."""
    bkm = shipped("bkm")
    pulled = replace(bkm.arm(), gravity_m_s2=np.array([0.5, -1.0, -9.81]))
    light, heavy = bkm.payloads()["light"], bkm.payloads()["heavy"]
    return {
        "bkm": bkm.arm(),
        "bkm_1000_kg": bkm.arm().with_payload(light),
        "bkm_14500_kg": bkm.arm().with_payload(heavy),
        "bkm_14500_kg_on_earth": pulled.with_payload(heavy),
        "puma560": shipped("puma560").arm(),
        "skew": skew_arm(),
        "skew_1000_kg": skew_arm().with_payload(skew_body(1000.0)),
        **{f"mixed_{joints}": mixed_arm(joints, joints) for joints in range(3, 9)},
    }


def random_states(count: int, seed: int = 1, joints: int = 6) -> list[tuple[Array, Array]]:
    """Joint angles [rad] and rates [rad/s]."""
    rng = np.random.default_rng(seed)
    return [
        (rng.uniform(-np.pi, np.pi, joints), rng.uniform(-1.0, 1.0, joints)) for _ in range(count)
    ]


def mass_and_bias(arm: Arm, q: Array, v: Array) -> tuple[Array, Array]:
    n = arm.joints
    mass, bias = np.full((n, n), np.nan), np.full(n, np.nan)
    dynamics.mass_and_bias(arm.arrays(), q, v, dynamics.make_scratch(), mass, bias)
    return mass, bias


def gripper_pose(arm: Arm, q: Array) -> tuple[Array, Array]:
    rotation, position = np.full((3, 3), np.nan), np.full(3, np.nan)
    dynamics.gripper_pose(arm.arrays(), q, dynamics.make_scratch(), rotation, position)
    return rotation, position


def jacobian(arm: Arm, q: Array) -> Array:
    out = np.full((6, arm.joints), np.nan)
    dynamics.gripper_jacobian(arm.arrays(), q, dynamics.make_scratch(), out)
    return out


def twist(arm: Arm, q: Array, v: Array) -> Array:
    out = np.full(6, np.nan)
    dynamics.gripper_twist(arm.arrays(), q, v, dynamics.make_scratch(), out)
    return out


def relative_error(found: Array, expected: Array) -> float:
    """Largest difference in parts of the largest entry."""
    return float(np.abs(found - expected).max() / np.abs(expected).max())


def pinocchio_model(arm: Arm) -> tuple[Any, Any, int]:
    """The arm as pinocchio's model and data, with the number of its gripper frame."""
    pin = pytest.importorskip("pinocchio", reason="pinocchio is a test extra")
    model = pin.Model()
    model.gravity = pin.Motion(arm.gravity_m_s2.copy(), np.zeros(3))
    joint = 0
    for link in arm.links:
        place = pin.SE3(link.rotation.copy(), link.offset_m.copy())
        kind = (
            pin.JointModelPrismaticUnaligned if link.prismatic else pin.JointModelRevoluteUnaligned
        )
        joint = model.addJoint(joint, kind(link.axis.copy()), place, link.name)
        inertia = pin.Inertia(link.mass_kg, link.com_m.copy(), link.inertia_kg_m2.copy())
        model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
    tool = pin.SE3(arm.tool_rotation.copy(), arm.tool_offset_m.copy())
    frame = model.addFrame(pin.Frame("gripper", joint, tool, pin.FrameType.OP_FRAME))
    return model, model.createData(), frame


def mujoco_model(arm: Arm) -> tuple[Any, Any]:
    """The arm's rigid links as MuJoCo's model and data, through its document and text."""
    mujoco = pytest.importorskip("mujoco", reason="mujoco is a test extra")
    robot, _ = arm_robot(arm)
    bare = {"armature": 0.0, "friction": 0.0, "damping": 0.0, "limits": ()}
    joints = tuple(replace(one, **bare) if one.axis else one for one in robot.joints)
    placed = PlacedRobot(replace(robot, joints=joints, drives=()))
    text = model_text([placed], Stepping(gravity_m_s2=triple(arm.gravity_m_s2)))
    model = mujoco.MjModel.from_xml_string(text.text)
    return model, mujoco.MjData(model)
