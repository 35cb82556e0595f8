"""Clutch, brake, power and release while the arm moves, against closed forms of one joint.

All joints but the first are held by brakes that never give way behind gears that never bend, so the
arm is one body about the vertical axis: its moment of inertia is worked out here from the links.
"""

import math
from dataclasses import replace

import numpy as np
import pytest
from arms import shipped
from numpy.testing import assert_array_equal
from scipy.spatial.transform import Rotation

from sim.world.space_arm.actions import ActionKind, DriveAction, TimedAction
from sim.world.space_arm.drive import DriveEffects, DriveModel
from sim.world.space_arm.integrators import Accuracy, Sdirk2
from sim.world.space_arm.kernels.sdirk2 import SLIP
from sim.world.space_arm.simulator import SpaceArm, levers_m
from sim.world.space_arm.snapshot import Active

SETTINGS = shipped("bkm")
HOME = SETTINGS.home_rad()
HEAVY = SETTINGS.payloads()["heavy"]
ROTOR = 1842.0**2 * 4e-4
"""Inertia of the first rotor on the joint's side, from the arm's file [kg m2]."""
STIFFNESS, BRAKE, FRICTION, DRAG = 1e6, 1962.5, 60.0, 600.0
PART = 1e-3
"""Largest part by which a figure may miss its closed form."""
EXACT = Accuracy(tolerance_m=1e-9, step_min_s=1e-6, steps_max=10**6)


def yaw_arm(effects, *, drag=0.0, damping=0.0, payload=None):
    """The shipped arm with ideal joints but the first."""
    arm = SETTINGS.arm()
    first = replace(arm.drives[0], drag_nm_s=drag, mesh_damping_s=damping)
    held = [
        replace(one, brake_nm=1e9, stiffness_nm_rad=1e12, drag_nm_s=0.0, half_gap_rad=0.0)
        for one in arm.drives[1:]
    ]
    arm = replace(arm, drives=(first, *held))
    moved = SpaceArm(arm, effects, HOME, payload=payload, integrator=Sdirk2(levers_m(arm), EXACT))
    moved.brakes = [False] + [True] * 5
    return moved


def inertia_about_base(payload=None):
    """Moment of inertia about the first joint's axis, z through the origin [kg m2]."""
    arm, turn, place, total = SETTINGS.arm(), np.eye(3), np.zeros(3), 0.0
    bodies = []
    for link, angle in zip(arm.links, HOME, strict=True):
        place = place + turn @ link.offset_m
        turn = turn @ link.rotation @ Rotation.from_rotvec(angle * link.axis).as_matrix()
        bodies.append((link.mass_kg, place + turn @ link.com_m, turn, link.inertia_kg_m2))
    if payload is not None:
        at, gripper = place + turn @ arm.tool_offset_m, turn @ arm.tool_rotation
        bodies.append(
            (payload.mass_kg, at + gripper @ payload.com_m, gripper, payload.inertia_kg_m2)
        )
    for mass, com, axes, inertia in bodies:
        total += mass * (com[0] ** 2 + com[1] ** 2) + (axes @ inertia @ axes.T)[2, 2]
    return total


def start(arm, link, motor):
    state = arm.state
    state[1, 0], state[2, 0] = link, motor
    arm.state = state


def act(arm, kind, **values):
    arm.act(DriveAction(ActionKind[kind], 1, **values))


def rates(arm):
    return arm.state[1, 0], arm.state[2, 0]


def test_a_slipping_clutch_pulls_with_its_limit_until_both_sides_are_equally_fast():
    arm, limit, link, motor = yaw_arm(DriveEffects()), 300.0, 0.004, 0.03
    start(arm, link, motor)
    act(arm, "POWER_OFF")
    act(arm, "CLUTCH_SLIP", limit_nm=limit)
    up, down = limit / inertia_about_base(), limit / ROTOR
    until_s = (motor - link) / (up + down)
    assert 0.08 < until_s < 0.4
    early = arm.advance(np.zeros(6), 0.5 * until_s)
    v, w = rates(arm)
    assert v - link == pytest.approx(up * 0.5 * until_s, rel=PART)
    assert motor - w == pytest.approx(down * 0.5 * until_s, rel=PART)
    assert early.torque_nm[0] == pytest.approx(limit, rel=1e-9)
    assert Active.CLUTCH in early.active[0]
    arm.advance(np.zeros(6), 0.7 * until_s)
    late = arm.advance(np.zeros(6), 0.1)
    v, w = rates(arm)
    assert v == pytest.approx(w, abs=1e-9)
    assert v == pytest.approx(link + up * until_s, rel=PART)
    assert Active.CLUTCH not in late.active[0]
    assert arm.state[SLIP, 0] == pytest.approx(0.5 * (motor - link) * until_s, rel=PART)


@pytest.mark.parametrize("effects", [DriveEffects(elasticity=True), DriveModel.D.effects])
def test_behind_an_elastic_gear_a_slipping_clutch_decelerates_evenly(effects):
    arm, limit = yaw_arm(effects, damping=0.005), 250.0
    start(arm, 0.0, 0.035)
    act(arm, "POWER_OFF")
    act(arm, "CLUTCH_SLIP", limit_nm=limit)
    arm.advance(np.zeros(6), 0.06)
    first, before = rates(arm), arm.state[SLIP, 0]
    arm.advance(np.zeros(6), 0.05)
    second = rates(arm)
    assert arm.state[SLIP, 0] > before
    assert (second[0] - first[0]) / 0.05 == pytest.approx(limit / inertia_about_base(), rel=PART)
    assert (first[1] - second[1]) / 0.05 == pytest.approx(limit / ROTOR, rel=PART)


def test_an_open_clutch_passes_nothing_on_and_one_that_closes_in_motion_slips():
    arm = yaw_arm(DriveEffects(elasticity=True), damping=0.005)
    start(arm, 0.01, 0.01)
    act(arm, "POWER_OFF")
    act(arm, "CLUTCH_OPEN")
    act(arm, "BRAKE_CLOSED")
    arm.advance(np.zeros(6), 0.1)
    v, w = rates(arm)
    assert (v, w) == (pytest.approx(0.01, rel=1e-9), 0.0)
    act(arm, "CLUTCH_SLIP", limit_nm=400.0)
    arm.advance(np.zeros(6), 0.05)
    first = rates(arm)[0]
    arm.advance(np.zeros(6), 0.1)
    second = rates(arm)[0]
    assert (first - second) / 0.1 == pytest.approx(400.0 / inertia_about_base(), rel=PART)


@pytest.mark.parametrize("effects", [DriveEffects(), DriveModel.C.effects])
def test_a_clutch_that_locks_in_motion_keeps_momentum(effects):
    arm = yaw_arm(replace(effects, limits=False))
    start(arm, 0.0, 0.03)
    act(arm, "POWER_OFF")
    act(arm, "CLUTCH_OPEN")
    arm.advance(np.zeros(6), 0.1)
    act(arm, "CLUTCH_CLOSED")
    arm.advance(np.zeros(6), 0.2)
    v, w = rates(arm)
    assert inertia_about_base() * v + ROTOR * w == pytest.approx(ROTOR * 0.03, rel=PART)
    if not effects.backlash:
        assert v == pytest.approx(w, abs=1e-9)


def test_a_brake_that_closes_at_speed_takes_the_energy_of_rotor_and_link():
    arm, rate = yaw_arm(DriveEffects()), 0.03
    start(arm, rate, rate)
    act(arm, "POWER_OFF")
    act(arm, "BRAKE_CLOSED")
    whole = ROTOR + inertia_about_base()
    stop_s = rate * whole / BRAKE
    arm.advance(np.zeros(6), 0.5 * stop_s)
    assert rates(arm)[0] == pytest.approx(0.5 * rate, rel=PART)
    start(arm, rate, rate)
    energy = braked_energy(arm, 1.2 * stop_s)
    assert energy == pytest.approx(0.5 * whole * rate**2, rel=PART)
    assert abs(rates(arm)[0]) <= 1e-9


def test_through_an_elastic_gear_the_brake_takes_the_links_energy_too():
    arm, rate = yaw_arm(DriveEffects(elasticity=True), payload=HEAVY), 0.01
    start(arm, rate, rate)
    act(arm, "POWER_OFF")
    act(arm, "BRAKE_CLOSED")
    inertia = inertia_about_base(HEAVY)
    energy = braked_energy(arm, 20.0)
    _, v, w, windup, *_ = arm.state[:, 0]
    assert w == 0.0
    left = 0.5 * inertia * v**2 + 0.5 * STIFFNESS * windup**2
    before = 0.5 * (ROTOR + inertia) * rate**2
    assert left < 0.5 * BRAKE**2 / STIFFNESS * 1.001
    assert energy > 0.9 * before
    assert energy + left == pytest.approx(before, rel=PART)


def braked_energy(arm, span_s, count=4000):
    """Integral of the brake's torque times its rate, by trapezoids [J]."""
    speeds = [abs(rates(arm)[1])]
    for _ in range(count):
        arm.advance(np.zeros(6), span_s / count)
        speeds.append(abs(rates(arm)[1]))
    return BRAKE * float(np.trapezoid(speeds, dx=span_s / count))


def test_a_joint_without_power_coasts():
    arm, rate = yaw_arm(DriveEffects(limits=True, friction=True), drag=DRAG), 0.03
    start(arm, rate, rate)
    act(arm, "POWER_OFF")
    command = np.array([-0.03, 0.0, 0.0, 0.0, 0.0, 0.0])
    seen = arm.advance(command, 5.0)
    whole, still = ROTOR + inertia_about_base(), FRICTION / DRAG
    expected = (rate + still) * math.exp(-DRAG * 5.0 / whole) - still
    assert 0.0 < expected < 0.9 * rate
    assert rates(arm)[0] == pytest.approx(expected, rel=PART)
    assert seen.current_a[0] == 0.0
    assert seen.voltage_v[0] == pytest.approx(1842.0 * 0.25 * rates(arm)[1], rel=1e-9)
    act(arm, "POWER_ON")
    for _ in range(10):
        arm.advance(command, 1.0)
    assert rates(arm)[0] == pytest.approx(-0.03, rel=0.05)


def test_a_payload_let_go_under_load_takes_its_momentum_along():
    arm, rate = yaw_arm(DriveEffects(elasticity=True), payload=HEAVY), 0.01
    start(arm, rate, rate)
    act(arm, "POWER_OFF")
    act(arm, "BRAKE_CLOSED")
    arm.advance(np.zeros(6), 0.1)
    before = arm.state
    assert abs(STIFFNESS * before[3, 0]) > 500.0, "the gear is wound up"
    arm.act(DriveAction(ActionKind.RELEASE))
    assert_array_equal(arm.state, before)
    arm.advance(np.zeros(6), 1e-3)
    torque = STIFFNESS * before[3, 0]
    acceleration = (arm.state[1, 0] - before[1, 0]) / 1e-3
    assert acceleration == pytest.approx(torque / inertia_about_base(), rel=0.01)


def test_an_action_within_a_tick_is_one_between_two_ticks():
    whole, parts = (SpaceArm(SETTINGS.arm(), DriveModel.E, HOME, payload=HEAVY) for _ in range(2))
    command = [0.005, 0.004, -0.005, 0.0, 0.003, 0.0]
    slip = DriveAction(ActionKind.CLUTCH_SLIP, 2, 40.0)
    let_go = DriveAction(ActionKind.RELEASE)
    brake = DriveAction(ActionKind.BRAKE_CLOSED, 1)
    timed = [TimedAction(0.25, let_go), TimedAction(0.125, slip), TimedAction(0.25, brake)]
    one = whole.advance(command, 0.375, actions=timed)
    parts.advance(command, 0.125)
    parts.act(slip)
    parts.advance(command, 0.125)
    parts.act(let_go)
    parts.act(brake)
    other = parts.advance(command, 0.125)
    assert_array_equal(whole.state, parts.state)
    assert_array_equal(one.position_BG_m, other.position_BG_m)
    assert whole.brakes == parts.brakes == (True, *[False] * 5)
    assert whole.payload is None
    sampled = SpaceArm(SETTINGS.arm(), DriveModel.E, HOME, payload=HEAVY)
    seen = sampled.advance(command, 0.375, samples=10, actions=timed)
    assert seen.path_BG_m.shape == (10, 3)
    np.testing.assert_allclose(sampled.state, whole.state, atol=1e-5)


def test_what_an_arm_has_not_is_refused():
    arm = yaw_arm(DriveEffects())
    with pytest.raises(ValueError, match=r"^joint 7: the arm has 1 to 6$"):
        arm.act(DriveAction(ActionKind.POWER_OFF, 7))
    with pytest.raises(ValueError, match=r"slips at 2000 N m; its own slips at 1962\.5 N m"):
        act(arm, "CLUTCH_SLIP", limit_nm=2000.0)
    with pytest.raises(ValueError, match="no payload"):
        arm.act(DriveAction(ActionKind.RELEASE))
    with pytest.raises(ValueError, match=r"joint 1: power off at 0\.4 s: not in \[0, 0\.35\) s"):
        arm.advance(np.zeros(6), actions=[TimedAction(0.4, DriveAction(ActionKind.POWER_OFF, 1))])
    bare = SETTINGS.arm()
    drives = (replace(bare.drives[0], clutch_nm=math.inf), *bare.drives[1:])
    bare = SpaceArm(replace(bare, drives=drives), DriveModel.E, HOME)
    with pytest.raises(ValueError, match=r"^joint 1 has no clutch$"):
        act(bare, "CLUTCH_SLIP")
