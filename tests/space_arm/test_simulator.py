"""The arm tick by tick, as the station sees it."""

import numpy as np
import pytest
from arms import shipped
from numpy.testing import assert_array_equal
from trace_form import momentum

from sim.world.space_arm.drive import DriveEffects, DriveModel
from sim.world.space_arm.integrators import Accuracy, Sdirk2, SpanStatus
from sim.world.space_arm.kernels.sdirk2 import SLIP
from sim.world.space_arm.simulator import SpaceArm, levers_m
from sim.world.space_arm.snapshot import Active

SETTINGS = shipped("bkm")
ARM = SETTINGS.arm()
PAYLOADS = SETTINGS.payloads()
COMMAND = np.array([0.01, -0.015, 0.02, 0.012, -0.02, 0.03])


def space_arm(model=DriveModel.E, **options):
    return SpaceArm(ARM, model, SETTINGS.home_rad(), **options)


def test_a_tick_leads_to_the_commanded_rates():
    arm = space_arm(DriveModel.A)
    snapshot = None
    for _ in range(6):
        snapshot = arm.advance(COMMAND)
    assert snapshot is not None
    assert snapshot.status is SpanStatus.DONE
    assert snapshot.time_s == pytest.approx(2.1)
    # A speed loop without an integral part lags by what the back-EMF takes of its gain.
    np.testing.assert_allclose(snapshot.motor_rate_rad_s, COMMAND * 8.0 / 8.25, rtol=0.02)
    np.testing.assert_allclose(snapshot.v_rad_s, snapshot.motor_rate_rad_s, atol=1e-12)
    np.testing.assert_allclose(snapshot.motor_position_rad, snapshot.q_rad, atol=1e-12)
    with pytest.raises(ValueError, match="read-only"):
        snapshot.q_rad[0] = 0.0


def test_looking_lets_no_time_pass():
    arm = space_arm()
    last = arm.advance(COMMAND)
    before = arm.state
    seen = arm.snapshot()
    assert_array_equal(arm.state, before)
    assert_array_equal(seen.position_BG_m, last.position_BG_m)
    assert seen.time_s == last.time_s


def test_gripper_velocities_are_those_of_its_poses():
    arm = space_arm(DriveModel.A)
    for _ in range(4):
        arm.advance(COMMAND)
    before = arm.advance(COMMAND, 1e-3)
    after = arm.advance(COMMAND, 1e-3)
    velocity = (after.position_BG_m - before.position_BG_m) / 1e-3
    np.testing.assert_allclose(velocity, after.velocity_BG_m_s, rtol=1e-3, atol=1e-7)
    turn = (after.rotation_BG @ before.rotation_BG.T - np.eye(3)) / 1e-3
    spin = np.array([turn[2, 1], turn[0, 2], turn[1, 0]])
    np.testing.assert_allclose(spin, after.angular_velocity_BG_rad_s, rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("model", list(DriveModel))
def test_the_same_commands_from_the_same_state_give_the_same(model):
    one = space_arm(model, payload=PAYLOADS["light"])
    other = space_arm(model, payload=PAYLOADS["light"])
    one.advance(COMMAND)
    other.state = one.state
    assert_array_equal(one.advance(-COMMAND).q_rad, other.advance(-COMMAND).q_rad)
    assert_array_equal(one.state, other.state)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1.0, -7.0])
def test_what_is_not_finite_or_absurd_is_refused_and_nothing_moves(value):
    arm = space_arm()
    before = arm.state
    command = COMMAND.copy()
    command[2] = value
    with pytest.raises(ValueError, match=r"elbow.*rad/s; at most"):
        arm.advance(command)
    with pytest.raises(ValueError, match=r"6.* are needed"):
        arm.advance([0.1])
    for duration_s in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="above 0"):
            arm.advance(COMMAND, duration_s)
    with pytest.raises(ValueError, match="finite"):
        arm.state = np.full((5, 6), np.nan)
    assert_array_equal(arm.state, before)


def test_a_start_beyond_a_joints_travel_is_refused():
    q_rad = np.array(SETTINGS.home_rad())
    q_rad[1] = 3.0
    with pytest.raises(ValueError, match=r"shoulder_pitch: 3 rad outside"):
        SpaceArm(ARM, DriveModel.A, q_rad)


def test_closed_brakes_hold_and_open_ones_let_go():
    arm = space_arm(DriveModel.E)
    arm.brakes = [True] * 6
    arm.advance(COMMAND)
    held = arm.advance(COMMAND)
    assert (held.motor_rate_rad_s == 0.0).all()
    assert all(Active.STUCK in active for active in held.active)
    assert (np.abs(held.q_rad - SETTINGS.home_rad()) < 1e-3).all()
    arm.brakes = [False] * 6
    assert (arm.advance(COMMAND).motor_rate_rad_s != 0.0).all()
    with pytest.raises(ValueError, match=r"6.* are needed"):
        arm.brakes = [True]


@pytest.mark.parametrize("effects", [DriveModel.B, DriveModel.C])
def test_a_closed_brake_holds_a_firm_joint_but_for_a_creep(effects):
    arm = space_arm(effects)
    arm.advance(COMMAND)
    arm.brakes = [False, True, False, True, False, False]
    for _ in range(3):
        snapshot = arm.advance(COMMAND)
    assert (np.abs(snapshot.motor_rate_rad_s[[1, 3]]) <= 1e-9).all()
    assert (np.abs(snapshot.motor_rate_rad_s[[0, 2]]) > 1e-3).all()


def test_what_holds_a_joint_back_is_told():
    eager = [0.3, -0.3, 0.3, 0.3, -0.3, 0.3]
    arm = space_arm(DriveModel.B, payload=PAYLOADS["heavy"])
    snapshot = arm.advance(eager)
    assert any(Active.VOLTAGE in active or Active.CURRENT in active for active in snapshot.active)
    currents = [drive.current_max_a for drive in ARM.drives]
    assert (np.abs(snapshot.current_a) <= np.array(currents) * (1 + 1e-12)).all()
    volts = [drive.voltage_max_v for drive in ARM.drives]
    assert (np.abs(snapshot.voltage_v) <= np.array(volts) * (1 + 1e-12)).all()
    floating = space_arm(DriveModel.D)
    assert all(Active.GAP in active for active in floating.advance(np.zeros(6)).active)


def test_a_clutch_slips_and_says_so():
    arm = space_arm(DriveEffects(elasticity=True, clutch=True), payload=PAYLOADS["heavy"])
    slipped = False
    for _ in range(4):
        snapshot = arm.advance([0.3, -0.3, 0.3, 0.3, -0.3, 0.3])
        slipped = slipped or any(Active.CLUTCH in active for active in snapshot.active)
        clutches = np.array([drive.clutch_nm for drive in ARM.drives])
        assert (np.abs(snapshot.torque_nm) <= clutches * (1 + 1e-9)).all()
    assert slipped
    assert arm.state[SLIP].any()


def test_release_keeps_rates_and_all_momentum():
    arm = space_arm(DriveModel.D, payload=PAYLOADS["heavy"])
    for _ in range(3):
        last = arm.advance(COMMAND)
    body = PAYLOADS["heavy"]
    whole = momentum(arm.arm, last.q_rad, last.v_rad_s)
    twist = arm.release()
    assert_array_equal(arm.state[1], last.v_rad_s)
    left = momentum(arm.arm, last.q_rad, last.v_rad_s)
    com = last.rotation_BG @ body.com_m
    velocity = twist[:3] + np.cross(twist[3:], com)
    linear = body.mass_kg * velocity
    spin = last.rotation_BG @ body.inertia_kg_m2 @ last.rotation_BG.T @ twist[3:]
    angular = np.cross(last.position_BG_m + com, linear) + spin
    gone = np.concatenate([linear, angular])
    np.testing.assert_allclose(whole, left + gone, rtol=1e-9)
    with pytest.raises(ValueError, match="no payload"):
        arm.release()


def test_a_grapple_is_a_plastic_blow():
    arm = space_arm(DriveModel.D)
    still = arm.state
    arm.grapple(PAYLOADS["light"], np.array([0.05, 0, 0, 0, 0, 0]))
    assert arm.payload is PAYLOADS["light"]
    assert np.abs(arm.state[1]).max() > 1e-5, "the arm is pushed"
    assert_array_equal(arm.state[2], still[2])
    with pytest.raises(ValueError, match="already"):
        arm.grapple(PAYLOADS["light"], np.zeros(6))
    arm.release()
    with pytest.raises(ValueError, match="finite"):
        arm.grapple(PAYLOADS["light"], np.full(6, np.nan))


def test_an_integrator_of_ones_own():
    fixed = Sdirk2(levers_m(ARM), Accuracy.fixed(1e-3))
    snapshot = space_arm(DriveModel.B, integrator=fixed).advance(COMMAND)
    assert snapshot.span.steps == 350
    assert snapshot.span.rejected == 0


def test_looks_tell_the_way_within_a_tick_and_change_it_by_no_more_than_accuracy():
    """The places of a tick in ten parts are those of ten short ticks, bit for bit."""
    arm, short, whole = (space_arm(DriveModel.B, payload=PAYLOADS["light"]) for _ in range(3))
    for _ in range(3):
        snapshot = arm.advance(COMMAND, samples=10)
        singly = [short.advance(COMMAND, 0.35 / 10) for _ in range(10)]
        once = whole.advance(COMMAND)
        assert_array_equal(snapshot.path_BG_m, [one.position_BG_m for one in singly])
        assert_array_equal(snapshot.path_BG_m[-1], snapshot.position_BG_m)
        assert snapshot.span.steps == sum(one.span.steps for one in singly)
        np.testing.assert_allclose(snapshot.position_BG_m, once.position_BG_m, atol=2e-6)
        assert once.path_BG_m.shape == (1, 3)
    assert arm.snapshot().path_BG_m.shape == (0, 3)
    with pytest.raises(ValueError, match="samples = 0: at least 1"):
        arm.advance(COMMAND, samples=0)


def test_a_part_that_reaches_the_cap_is_the_last_one():
    capped = Sdirk2(levers_m(ARM), Accuracy(tolerance_m=1e-12, steps_max=30))
    snapshot = space_arm(integrator=capped).advance(COMMAND, samples=10)
    assert snapshot.status is SpanStatus.COARSE
    assert snapshot.time_s == pytest.approx(0.35)
    assert np.isfinite(snapshot.path_BG_m).all()
    straight = np.diff(snapshot.path_BG_m[1:], axis=0)
    np.testing.assert_allclose(straight, straight[:1].repeat(len(straight), 0), atol=1e-12)
    assert_array_equal(snapshot.path_BG_m[-1], snapshot.position_BG_m)
