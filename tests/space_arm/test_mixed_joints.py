"""Arms of three to eight joints of both kinds, in motion: judged by SciPy, closed forms, energy."""

from dataclasses import replace

import numpy as np
import pytest
from arms import mixed_arm, shipped
from scipy.integrate import solve_ivp
from trace_form import coriolis_torque, gravity_torque, link_pose, mass_matrix

from sim.world.space_arm.arm import Arm
from sim.world.space_arm.drive import DriveEffects, DriveModel, JointDrive, drive_table
from sim.world.space_arm.integrators import Accuracy, Sdirk2, Sdirk4
from sim.world.space_arm.integrators_1993 import Rk4
from sim.world.space_arm.kernels import dynamics
from sim.world.space_arm.kernels.linear import _factorise_any, _solve_any, factorise, solve
from sim.world.space_arm.kernels.sdirk2 import STATE_ROWS
from sim.world.space_arm.kernels.stage import make_stage, solve_stage
from sim.world.space_arm.simulator import SpaceArm, levers_m

COUNTS = range(3, 9)


def moderate(joints: int, **changes: float) -> Arm:
    """Mixed joints in wide travels, with drives that are not too stiff for a plain solver."""
    arm = mixed_arm(joints, joints)
    links = [
        replace(link, position_min_rad=-5.0, position_max_rad=5.0, rate_max_rad_s=1.0)
        for link in arm.links
    ]
    drives = [replace(drive, speed_gain_v_s=0.4, drag_nm_s=50.0, **changes) for drive in arm.drives]
    return replace(arm, links=tuple(links), drives=tuple(drives))


def rigid_path(arm: Arm, q: np.ndarray, command: np.ndarray, span_s: float) -> np.ndarray:
    """Angles and rates with linear drives after a while, by Radau and the trace form."""
    n = arm.joints
    ratio, inertia, per_ampere, emf, ohm, gain, drag = (
        np.array([getattr(drive, name) for drive in arm.drives])
        for name in ("gear_ratio", "motor_inertia_kg_m2", "torque_constant_nm_a", "back_emf_v_s",
                     "resistance_ohm", "speed_gain_v_s", "drag_nm_s")
    )  # fmt: skip

    def slope(_: float, y: np.ndarray) -> np.ndarray:
        q, v = y[:n], y[n:]
        volts = gain * ratio * (command - v) - emf * ratio * v
        torque = ratio * per_ampere * volts / ohm - drag * v
        bias = coriolis_torque(arm, q, v) + gravity_torque(arm, q)
        mass = mass_matrix(arm, q) + np.diag(ratio**2 * inertia)
        return np.concatenate([v, np.linalg.solve(mass, torque - bias)])

    begin = np.concatenate([q, np.zeros(n)])
    found = solve_ivp(slope, (0.0, span_s), begin, method="Radau", rtol=1e-8, atol=1e-10)
    return found.y[:, -1]


@pytest.mark.parametrize("joints", [3, 4, 7])
@pytest.mark.parametrize("method", [Sdirk2, Sdirk4])
def test_a_linear_drive_moves_the_arm_as_its_equations_say(joints: int, method: type) -> None:
    arm = moderate(joints)
    q, command = np.full(joints, 0.2), np.linspace(-0.04, 0.05, joints)
    fine = Accuracy(tolerance_m=1e-9, step_min_s=1e-7)
    space = SpaceArm(arm, DriveModel.A, q, integrator=method(levers_m(arm), fine))
    space.advance(command, 0.35)
    expected = rigid_path(arm, q, command, 0.35)
    off = 3e-6 if method is Sdirk2 else 2e-7
    assert space.state[0] == pytest.approx(expected[:joints], abs=off)
    assert space.state[1] == pytest.approx(expected[joints:], abs=10.0 * off)


@pytest.mark.parametrize("joints", COUNTS)
@pytest.mark.parametrize("model", list(DriveModel))
def test_every_drive_agrees_with_rk4(joints: int, model: DriveModel) -> None:
    arm = moderate(joints, stiffness_nm_rad=2e4, half_gap_rad=1e-3, mesh_damping_s=5e-3)
    q, command = np.full(joints, 0.2), np.linspace(-0.02, 0.03, joints)
    careful = Sdirk2(levers_m(arm), Accuracy(tolerance_m=1e-8, step_min_s=1e-6))
    found, expected = (
        SpaceArm(arm, model, q, integrator=integrator) for integrator in (careful, Rk4(2e-5))
    )
    for space in (found, expected):
        space.advance(command, 0.1)
    assert found.state[0] == pytest.approx(expected.state[0], abs=1e-5)


def test_a_slide_alone_runs_as_a_mass_on_a_spindle() -> None:
    """A limited motor pushes the whole arm along its first, prismatic joint: s = a t^2 / 2."""
    bkm = shipped("bkm").arm()
    first = replace(bkm.links[0], prismatic=True, rate_max_rad_s=50.0)
    push_n, current_a = 400.0, 2.0
    drive = replace(
        bkm.drives[0], gear_ratio=push_n / current_a / bkm.drives[0].torque_constant_nm_a,
        current_max_a=current_a, drag_nm_s=0.0, motor_inertia_kg_m2=1e-4, voltage_max_v=1e6,
    )  # fmt: skip
    arm = replace(bkm, links=(first, *bkm.links[1:]), drives=(drive, *bkm.drives[1:]))
    stiff = tuple(replace(one, brake_nm=1e9) for one in arm.drives)
    space = SpaceArm(replace(arm, drives=stiff), DriveModel.B, np.zeros(6))
    space.brakes = (False, True, True, True, True, True)
    for _ in range(3):
        found = space.advance([40.0, 0, 0, 0, 0, 0])
    carried = arm.mass_kg + drive.gear_ratio**2 * drive.motor_inertia_kg_m2
    t = 3 * 0.35
    assert found.q_rad[0] == pytest.approx(0.5 * push_n / carried * t * t, rel=1e-5)
    assert found.v_rad_s[0] == pytest.approx(push_n / carried * t, rel=1e-5)
    assert found.position_BG_m == pytest.approx(
        link_pose(arm, found.q_rad, 5)[:3, :3] @ arm.tool_offset_m
        + link_pose(arm, found.q_rad, 5)[:3, 3]
    )


FREE = DriveEffects()


@pytest.mark.parametrize("joints", [3, 5, 8])
def test_energy_is_kept_over_ten_seconds(joints: int) -> None:
    """Motors without current, drag and friction: links and rotors keep what they have."""
    bare = {"torque_constant_nm_a": 1e-18, "drag_nm_s": 0.0, "motor_inertia_kg_m2": 1e-4}
    arm = mixed_arm(joints, 4)  # without gravity: a slide falls without end
    drives = tuple(replace(one, gear_ratio=100.0, **bare) for one in arm.drives)
    arm = replace(arm, drives=drives, gravity_m_s2=np.zeros(3))
    space = SpaceArm(arm, FREE, np.zeros(joints), integrator=Rk4(2e-3))
    state = space.state
    state[1] = state[2] = np.linspace(-0.05, 0.06, joints)
    space.state = state
    rotors = np.diag([drive.gear_ratio**2 * drive.motor_inertia_kg_m2 for drive in arm.drives])

    def energy_j() -> float:
        q, v = space.state[:2]
        return float(0.5 * v @ (mass_matrix(arm, q) + rotors) @ v)

    before = energy_j()
    for _ in range(20):
        space.advance(np.zeros(joints), 0.5)
    assert np.abs(space.state[0]).max() > 0.01
    assert energy_j() == pytest.approx(before, rel=1e-9)


def test_a_contiguous_table_of_another_width_is_refused() -> None:
    """The compiler takes a contiguous table for one of six columns."""
    drives: list[JointDrive] = list(shipped("bkm").arm().drives[:3])
    table = np.ascontiguousarray(drive_table(drives, FREE))
    s = np.ascontiguousarray(make_stage(3))
    with pytest.raises(ValueError, match="table_of makes tables"):
        solve_stage(table, 1e-3, s)
    assert SpaceArm(mixed_arm(3, 3), FREE, np.zeros(3)).state.shape[0] == STATE_ROWS


def test_loops_do_what_is_written_out_to_the_last_bit() -> None:
    """Six revolute joints by the code of any others: strided tables, and kinds looked at."""
    bkm = shipped("bkm")
    arm, q = bkm.arm().with_payload(bkm.payloads()["light"]), bkm.home_rad() + 0.1
    written, v = arm.arrays(), np.linspace(-0.05, 0.06, 6)
    found = []
    for arrays in (written, written._replace(mixed=True)):
        mass, bias, torque = np.zeros((6, 6)), np.zeros(6), np.zeros(6)
        pose, place, jacobian = np.zeros((3, 3)), np.zeros(3), np.zeros((6, 6))
        dynamics.mass_and_bias(arrays, q, v, dynamics.make_scratch(), mass, bias)
        dynamics.inverse_torque(arrays, q, v, 2.0 * v, dynamics.make_scratch(), torque)
        dynamics.gripper_pose(arrays, q, dynamics.make_scratch(), pose, place)
        dynamics.gripper_jacobian(arrays, q, dynamics.make_scratch(), jacobian)
        found.append([mass, bias, torque, pose, place, jacobian])
    for one, other in zip(*found, strict=True):
        assert np.array_equal(one, other)
    table = np.zeros((20, 6))
    rng = np.random.default_rng(6)
    some = rng.normal(size=(6, 6))
    table[:6], table[6], table[13] = some @ some.T, rng.uniform(size=6), rng.normal(size=6)
    for loop, direct in ((_factorise_any, factorise), (_solve_any, solve)):
        rows, copy = (7, 13) if loop is _solve_any else (0, 6, 7), table.copy()
        loop(table, *rows)
        direct(copy, *rows)
        assert np.array_equal(table, copy)
