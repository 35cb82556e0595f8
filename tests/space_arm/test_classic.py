"""RK4 and the scheme of 1993: each against mechanics, against the other, and against SDIRK2."""

from functools import cache

import numpy as np
import pytest
from arms import gripper_pose, mass_and_bias, shipped
from hypothesis import given
from hypothesis import strategies as st

from sim.world.space_arm import drive as d
from sim.world.space_arm.arm import Arm
from sim.world.space_arm.drive import DriveEffects, DriveModel, drive_table
from sim.world.space_arm.integrators import Accuracy, Sdirk2, SpanStatus
from sim.world.space_arm.integrators_1993 import Euler1993, Rk4, largest_stable_step
from sim.world.space_arm.kernels.drive_law import motor_torque
from sim.world.space_arm.kernels.regimes import line_of, regime_of
from sim.world.space_arm.kernels.sdirk2 import SLIP, STATE_ROWS, L, Q, V, W

# one worker: RK4 and the scheme of 1993 are compiled once
pytestmark = pytest.mark.xdist_group("classic integrators")

TICK_S = 0.35
LEVER_M = np.array([15.0, 15.0, 9.0, 2.0, 1.5, 0.7])
FAST = np.array([0.02, -0.015, 0.03, -0.02, 0.04, 0.03])
REVERSAL = (FAST, FAST, -FAST, 0.5 * FAST, np.zeros(6))
"""Rates that are asked for, tick by tick [rad/s]."""
PAYLOADS = {0: None, 1000: "light", 14500: "heavy"}


@cache
def arm_with(payload_kg: int) -> Arm:
    bkm = shipped("bkm")
    name = PAYLOADS[payload_kg]
    return bkm.arm() if name is None else bkm.arm().with_payload(bkm.payloads()[name])


def table(effects: DriveEffects | DriveModel, **rows: object) -> np.ndarray:
    """Drives of the BKM, with other values in some rows."""
    chosen = effects.effects if isinstance(effects, DriveModel) else effects
    drive = np.array(drive_table(arm_with(0).drives, chosen))
    for name, value in rows.items():
        drive[getattr(d, name)] = value
    drive.setflags(write=False)
    return drive


def at_home() -> np.ndarray:
    state = np.zeros((STATE_ROWS, 6))
    state[Q] = shipped("bkm").home_rad()
    return state


def travel(integrator, arm, drive, commands=REVERSAL, state=None):
    """States at the ends of all ticks."""
    state = at_home() if state is None else state.copy()
    dry = drive[d.FRICTION].copy()
    states = []
    for command in commands:
        span = integrator.pass_time(arm.arrays(), drive, state, command, dry, TICK_S)
        assert span.status is not SpanStatus.FAILED
        states.append(state.copy())
    return states


def apart_m(arm, first, second) -> float:
    """Largest distance of the grippers."""
    return max(
        float(np.linalg.norm(gripper_pose(arm, a[Q])[1] - gripper_pose(arm, b[Q])[1]))
        for a, b in zip(first, second, strict=True)
    )


def momenta(arm, drive, state):
    """Generalised momentum of links and motors, joint by joint."""
    mass, _ = mass_and_bias(arm, state[Q], state[V])
    return mass @ state[V] + drive[d.INERTIA] * state[W]


# RK4 -----------------------------------------------------------------------------------------


def test_rk4_is_of_fourth_order():
    arm, drive = arm_with(14500), table(DriveModel.A)
    truth = travel(Rk4(TICK_S / 1120), arm, drive)
    off = [apart_m(arm, travel(Rk4(TICK_S / n), arm, drive), truth) for n in (35, 70, 140)]
    assert off[0] > 1e-10  # there is something to fall
    assert 11.0 < off[0] / off[1] < 24.0
    assert 11.0 < off[1] / off[2] < 24.0


AGREEMENT_M = {"a": 1e-8, "b": 1e-6, "c": 1e-4, "d": 2e-6, "e": 1e-4, "f": 2e-6}


@pytest.mark.parametrize("payload_kg", PAYLOADS)
@pytest.mark.parametrize("model", DriveModel)
def test_rk4_agrees_with_sdirk2(model, payload_kg):
    arm, drive = arm_with(payload_kg), table(model)
    explicit = travel(Rk4(1e-4), arm, drive)
    implicit = travel(Sdirk2(LEVER_M, Accuracy.fixed(4e-5)), arm, drive)
    assert apart_m(arm, explicit, implicit) < AGREEMENT_M[model.value]


@pytest.mark.parametrize(
    "effects",
    [
        DriveEffects(clutch=True),
        DriveEffects(clutch=True, backlash=True),
        DriveEffects(clutch=True, elasticity=True),
        DriveEffects(clutch=True, friction=True),
    ],
)
def test_a_slipping_clutch_agrees_with_sdirk2(effects):
    arm, drive = arm_with(1000), table(effects, CLUTCH=[60.0, 60.0, 45.0, 25.0, 25.0, 25.0])
    explicit = travel(Rk4(5e-5), arm, drive, REVERSAL[:3])
    implicit = travel(Sdirk2(LEVER_M, Accuracy.fixed(5e-5)), arm, drive, REVERSAL[:3])
    assert np.abs(explicit[0][SLIP]).min() > 1e-3
    np.testing.assert_allclose(explicit[0][SLIP], implicit[0][SLIP], atol=2e-6)
    np.testing.assert_allclose(explicit[-1][SLIP], implicit[-1][SLIP], atol=1e-3)
    assert apart_m(arm, explicit, implicit) < 1e-3


def test_an_arm_without_drives_keeps_energy_and_what_nothing_turns():
    """The first axis is fixed in space, so nothing changes the momentum about it."""
    arm = arm_with(1000)
    drive = table(DriveEffects(limits=True), TORQUE_MAX=0.0, DRAG=0.0)
    start = at_home()
    start[V] = start[W] = [0.1, -0.2, 0.3, 0.2, -0.1, 0.3]
    end = travel(Rk4(1e-3), arm, drive, [np.zeros(6)] * 4, start)[-1]

    def energy(state):
        return 0.5 * momenta(arm, drive, state) @ state[V]

    assert np.abs(end[V] - start[V]).max() > 0.01
    assert energy(end) == pytest.approx(energy(start), rel=1e-9)
    first = momenta(arm, drive, start)[0]
    assert momenta(arm, drive, end)[0] == pytest.approx(first, rel=1e-9)
    without = travel(Rk4(1e-3, coriolis=False), arm, drive, [np.zeros(6)] * 4, start)[-1]
    assert abs(momenta(arm, drive, without)[0] - first) > 1e-3 * abs(first)


@pytest.mark.parametrize("elastic", [False, True])
def test_friction_brakes_to_rest_and_then_holds_exactly(elastic):
    """One joint runs out against friction, the others are braked: m v0^2 / 2 = friction * way."""
    arm = arm_with(1000)
    effects = DriveEffects(limits=True, friction=True, elasticity=elastic)
    drive = table(effects, TORQUE_MAX=0.0, DRAG=0.0, FRICTION=[6000.0] + [1e12] * 5)
    start = at_home()
    start[V, 0] = start[W, 0] = 0.02
    end = travel(Rk4(1e-4), arm, drive, [np.zeros(6)] * 4, start)[-1]
    assert np.all(end[W] == 0.0)
    if elastic:
        return  # the links swing on their gears
    assert np.all(end[V] == 0.0)
    energy = 0.5 * momenta(arm, drive, start)[0] * 0.02
    assert end[Q, 0] - start[Q, 0] == pytest.approx(energy / 6000.0, rel=1e-4)
    np.testing.assert_array_equal(end[Q, 1:], start[Q, 1:])


def test_a_link_that_stops_within_a_step_leaves_the_others_their_momentum():
    arm, effects = arm_with(1000), DriveEffects(limits=True, friction=True)
    drive = table(effects, TORQUE_MAX=0.0, DRAG=0.0, FRICTION=[6000.0] + [0.0] * 5)
    state = at_home()
    state[V, 0] = state[W, 0] = 1e-3
    before = momenta(arm, drive, state)
    dry = drive[d.FRICTION].copy()
    span = Rk4(0.05).pass_time(arm.arrays(), drive, state, np.zeros(6), dry, 0.05)
    assert span.steps == 1
    assert state[V, 0] == state[W, 0] == 0.0
    after = momenta(arm, drive, state)[1:]
    np.testing.assert_allclose(after, before[1:], atol=1e-3 * np.abs(before).max())
    assert np.abs(state[V, 1:]).max() > 1e-5


def test_a_motor_that_is_asked_for_too_little_never_moves():
    arm, drive = arm_with(0), table(DriveModel.E)
    small = drive[d.FRICTION] / drive[d.TORQUE_PER_VOLT] / drive[d.LOOP_GAIN]
    end = travel(Rk4(1e-4), arm, drive, [0.99 * small])[-1]
    np.testing.assert_array_equal(end, at_home())
    end = travel(Rk4(1e-4), arm, drive, [1.2 * small])[-1]
    assert np.all(end[W] > 0.0)


def test_a_blow_keeps_momentum_and_makes_motor_and_link_equal():
    arm, drive = arm_with(1000), table(DriveModel.C, TORQUE_MAX=0.0, DRAG=0.0)
    start = at_home()
    start[W, 1] = 0.02
    start[L, 4] = drive[d.HALF_GAP, 4]
    state = start.copy()
    span = Rk4(1e-5).pass_time(
        arm.arrays(), drive, state, np.zeros(6), np.zeros(6), drive[d.HALF_GAP, 1] / 0.02 + 2e-5
    )
    assert span.hits == 1
    assert state[W, 1] == state[V, 1] != 0.0
    np.testing.assert_allclose(
        momenta(arm, drive, state),
        momenta(arm, drive, start),
        atol=1e-6 * momenta(arm, drive, start).max(),
    )


def test_a_gap_of_nothing_is_a_firm_hold():
    arm = arm_with(1000)
    closed = travel(Rk4(1e-4), arm, table(DriveModel.C, HALF_GAP=0.0))
    firm = travel(Rk4(1e-4), arm, table(DriveModel.B))
    assert apart_m(arm, closed, firm) < 1e-12


def test_rk4_beyond_its_stability_fails_with_the_last_good_state():
    arm, drive = arm_with(0), table(DriveModel.A)
    state = at_home()
    span = Rk4(0.05).pass_time(arm.arrays(), drive, state, FAST, np.zeros(6), 200.0)
    assert span.status is SpanStatus.FAILED
    assert np.isfinite(state).all()
    assert not np.array_equal(state, at_home())
    assert 0 < span.steps < 4000


def test_the_largest_stable_step_is_that_of_the_fastest_loop():
    """RK4 is stable up to 2.785 / the fastest rate of the linear loops (model a at rest)."""
    arm, drive = arm_with(0), table(DriveModel.A)
    home = at_home()[Q]
    mass, _ = mass_and_bias(arm, home, np.zeros(6))
    fall = drive[d.TORQUE_PER_VOLT] * (drive[d.LOOP_GAIN] + drive[d.BACK_EMF]) + drive[d.DRAG]
    whole = mass + np.diag(drive[d.INERTIA])
    fastest = np.abs(np.linalg.eigvals(np.linalg.solve(whole, np.diag(fall)))).max()
    found = largest_stable_step(arm.arrays(), drive, home, np.array(REVERSAL))
    assert found == pytest.approx(2.785 / fastest, rel=0.06)


# The scheme of 1993 --------------------------------------------------------------------------


@pytest.mark.parametrize("payload_kg", [0, 1000])
@pytest.mark.parametrize("step_s", [0.035, 0.05])
def test_the_scheme_of_1993_reproduces_model_a(step_s, payload_kg):
    arm, drive = arm_with(payload_kg), table(DriveModel.A)
    truth = travel(Rk4(5e-4), arm, drive)
    assert apart_m(arm, travel(Euler1993(step_s), arm, drive), truth) < 1.8e-3


@pytest.mark.parametrize("model", [DriveModel.A, DriveModel.B])
@pytest.mark.parametrize("payload_kg", PAYLOADS)
def test_the_scheme_of_1993_is_of_first_order(model, payload_kg):
    arm, drive = arm_with(payload_kg), table(model)
    truth = travel(Rk4(2e-4), arm, drive)
    off = []
    for step_s in (0.002, 0.001):
        scheme = Euler1993(step_s, step_s, coriolis=True)
        off.append(apart_m(arm, travel(scheme, arm, drive), truth))
    assert 1.7 < off[0] / off[1] < 2.8


@pytest.mark.parametrize("payload_kg", [1000, 14500])
@pytest.mark.parametrize(("model", "within_m"), [("c", 5e-3), ("d", 3e-4), ("e", 3e-4)])
def test_the_scheme_of_1993_finds_contacts_and_sticking(model, within_m, payload_kg):
    arm, drive = arm_with(payload_kg), table(DriveModel(model))
    truth = travel(Sdirk2(LEVER_M, Accuracy.fixed(1e-4)), arm, drive)
    fine = travel(Euler1993(1e-4, 1e-4, coriolis=True), arm, drive)
    assert apart_m(arm, fine, truth) < within_m
    rest = travel(Euler1993(0.01), arm, table(DriveModel(model), FRICTION=1e12))[-1]
    if model == "e":
        assert np.all(rest[W] == 0.0)


def test_mass_matrix_and_coriolis_are_refreshed_as_told():
    arm, drive = arm_with(14500), table(DriveModel.A)
    once = travel(Euler1993(0.035, coriolis=True), arm, drive)
    often = travel(Euler1993(0.035, 0.035, coriolis=True), arm, drive)
    without = travel(Euler1993(0.035, 0.035), arm, drive)
    assert apart_m(arm, once, often) > 1e-6
    assert apart_m(arm, often, without) > 3.0 * apart_m(arm, once, often)


def test_the_scheme_of_1993_refuses_a_clutch():
    drive = table(DriveEffects(clutch=True))
    with pytest.raises(ValueError, match=r"clutch of 587\.5 N m: .* take another integrator"):
        travel(Euler1993(0.035), arm_with(0), drive)


def test_the_scheme_of_1993_refuses_inductance():
    with pytest.raises(ValueError, match=r"model f.*second order only"):
        travel(Euler1993(0.035), arm_with(0), table(DriveModel.F))


RATE = st.floats(-0.2, 0.2)


@given(
    command=RATE,
    rate=RATE,
    volts=st.floats(0.5, 50.0) | st.just(np.inf),
    torque=st.floats(1.0, 3000.0) | st.just(np.inf),
)
def test_the_regime_of_a_rate_has_the_motors_torque(command, rate, volts, torque):
    drive = table(DriveModel.A, VOLTAGE_MAX=volts, TORQUE_MAX=torque)
    expected, fall = motor_torque(drive, 2, rate, command)
    alpha, beta = line_of(drive, 2, command, regime_of(drive, 2, command, rate))
    assert alpha - beta * rate == pytest.approx(expected, rel=1e-9, abs=1e-6)
    assert beta == pytest.approx(fall) or expected == pytest.approx(
        motor_torque(drive, 2, rate + 1e-12, command)[0], abs=1e-3
    )


# Both ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [lambda: Rk4(1e-3), lambda: Euler1993(0.035)])
def test_the_same_state_and_commands_give_the_same_bits(make):
    arm, drive = arm_with(1000), table(DriveModel.E)
    used = make()
    first = travel(used, arm, drive)
    np.testing.assert_array_equal(first, travel(used, arm, drive))
    np.testing.assert_array_equal(first, travel(make(), arm, drive))
    middle = travel(make(), arm, drive, REVERSAL[2:], first[1])
    np.testing.assert_array_equal(middle, first[2:])


@pytest.mark.parametrize("step_s", [0.0, -1.0, np.inf, np.nan])
@pytest.mark.parametrize("make", [Rk4, Euler1993])
def test_a_step_has_to_be_a_time(make, step_s):
    with pytest.raises(ValueError, match=r"step_s = .* above 0 s"):
        make(step_s)
