"""The implicit integrators: order, error control, determinism, what they keep and refuse."""

from dataclasses import replace

import numpy as np
import pytest
from arms import shipped
from numpy.testing import assert_array_equal

from sim.world.space_arm.drive import (
    DRAG,
    FRICTION,
    HALF_GAP,
    INERTIA,
    TORQUE_MAX,
    DriveEffects,
    DriveModel,
    drive_table,
)
from sim.world.space_arm.integrators import Accuracy, Sdirk2, Sdirk4, SpanStatus
from sim.world.space_arm.integrators_1993 import Rk4
from sim.world.space_arm.kernels.dynamics import make_scratch, mass_and_bias
from sim.world.space_arm.kernels.sdirk2 import STATE_ROWS, L, Q, V, W
from sim.world.space_arm.simulator import levers_m

# one worker: RK4 is compiled once
pytestmark = pytest.mark.xdist_group("classic integrators")

SETTINGS = shipped("bkm")
ARM = SETTINGS.arm()
HEAVY = SETTINGS.payloads()["heavy"]
COMMAND = np.array([0.01, -0.015, 0.02, 0.012, -0.02, 0.03])


def passed(integrator, model="a", seconds=0.35, payload=None, command=COMMAND, state=None):
    effects = model if isinstance(model, DriveEffects) else DriveModel(model).effects
    table = drive_table(ARM.drives, effects)
    arm = (ARM if payload is None else ARM.with_payload(payload)).arrays()
    if state is None:
        state = np.zeros((STATE_ROWS, 6))
        state[Q] = SETTINGS.home_rad()
    span = integrator.pass_time(arm, table, state, command, table[FRICTION].copy(), seconds)
    return state, span


def sdirk2(accuracy=None):
    return Sdirk2(levers_m(ARM), accuracy)


@pytest.mark.parametrize(("payload", "model"), [(None, "a"), (HEAVY, "a"), (HEAVY, "b")])
def test_second_order(payload, model):
    """Where laws are smooth: at the very beginning the torques of the speed loops jump."""
    started, _ = passed(sdirk2(Accuracy.fixed(1e-4)), model, 0.35, payload)
    truth, _ = passed(Rk4(5e-5), model, 0.35, payload, -0.3 * COMMAND, started.copy())
    errors = []
    for step_s in (0.35 / 88, 0.35 / 176, 0.35 / 352):
        state, _ = passed(
            sdirk2(Accuracy.fixed(step_s)), model, 0.35, payload, -0.3 * COMMAND, started.copy()
        )
        errors.append(np.abs(state[Q] - truth[Q]).max())
    assert errors[2] < 1e-6
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert orders.min() > 1.7, (errors, orders)


def test_fourth_order():
    """Of `Sdirk4`: by its error control, a 10,000th of the tolerance takes 10 times the steps."""
    started, _ = passed(sdirk2(Accuracy.fixed(1e-4)), "a", 0.35, HEAVY)

    def finer(tolerance_m):
        accuracy = replace(Accuracy.fine(), tolerance_m=tolerance_m)
        return passed(
            Sdirk4(levers_m(ARM), accuracy), "a", 0.35, HEAVY, -0.3 * COMMAND, started.copy()
        )

    truth, _ = passed(Rk4(2.5e-5), "a", 0.35, HEAVY, -0.3 * COMMAND, started.copy())
    states, spans = zip(*map(finer, (1e-7, 1e-11)), strict=True)
    errors = [np.abs(state[Q] - truth[Q]).max() for state in states]
    assert errors[1] < 1e-10  # what D and bias at the middle of each step leave
    assert errors[1] < errors[0]
    assert spans[1].steps < 15 * spans[0].steps
    assert {span.status for span in spans} == {SpanStatus.DONE}


@pytest.mark.parametrize("model", ["d", "e"])
def test_both_orders_find_the_same_motion_where_gears_play_and_stick(model):
    fine = Sdirk4(levers_m(ARM))
    state, span = passed(fine, model, 0.7, HEAVY)
    again, _ = passed(fine, model, 0.7, HEAVY)
    assert_array_equal(state, again)
    for step_s in (8e-5, 2e-5):  # short steps leave no errors that add up
        other, _ = passed(sdirk2(Accuracy.fixed(step_s)), model, 0.7, HEAVY)
        assert np.abs(other[Q] - state[Q]).max() < (2e-9 if model == "d" else 1e-7), step_s
    assert span.status is SpanStatus.DONE


def test_the_fourth_order_refuses_rigid_gaps_and_tells_what_is_no_number():
    fine = Sdirk4(levers_m(ARM), Accuracy(tolerance_m=1e-9))
    with pytest.raises(ValueError, match="rigid gaps"):
        passed(fine, "c")
    before = np.zeros((STATE_ROWS, 6))
    before[Q] = SETTINGS.home_rad()
    state, span = passed(fine, "d", command=np.full(6, np.nan), state=before.copy())
    assert span.status is SpanStatus.FAILED
    assert_array_equal(state, before)
    _, span = passed(Sdirk4(levers_m(ARM), Accuracy(tolerance_m=1e-12, steps_max=20)), "e")
    assert span.status is SpanStatus.COARSE


@pytest.mark.parametrize("model", list("abcdef"))
def test_a_smaller_tolerance_is_a_smaller_error_and_more_steps(model):
    truth, _ = passed(sdirk2(Accuracy.fixed(2e-5)), model, 0.7, HEAVY)
    errors, steps = [], []
    for tolerance_m in (1e-4, 1e-6, 1e-8):
        accuracy = Accuracy(tolerance_m=tolerance_m, refresh_s=0.0)
        state, span = passed(sdirk2(accuracy), model, 0.7, HEAVY)
        assert span.status is SpanStatus.DONE
        errors.append(np.abs(state[Q] - truth[Q]).max())
        steps.append(span.steps)
    assert errors[2] < max(0.2 * errors[0], 5e-8)
    assert errors[2] < 3e-7
    assert steps[0] < steps[1] < steps[2]


@pytest.mark.parametrize("model", list("abcdef"))
def test_the_same_again_bit_for_bit_and_nothing_is_remembered(model):
    used = sdirk2()
    first, span = passed(used, model)
    passed(used, "b", 1.0, HEAVY)
    again, span_again = passed(used, model)
    assert_array_equal(first, again)
    assert span == span_again
    fresh, _ = passed(sdirk2(), model)
    assert_array_equal(first, fresh)


def test_an_elastic_arm_left_alone_keeps_its_momentum_and_gains_no_energy():
    """Nothing acts from outside but the base; a joint's link and motor share their momentum."""
    table = drive_table(ARM.drives, DriveEffects(limits=True, elasticity=True)).copy()
    table[TORQUE_MAX], table[DRAG] = 0.0, 0.0
    table.setflags(write=False)  # as the kernels are compiled for
    arm, scratch = ARM.arrays(), make_scratch()
    state = np.zeros((STATE_ROWS, 6))
    state[Q] = SETTINGS.home_rad()
    state[V], state[W] = COMMAND, 0.5 * COMMAND
    mass, bias = np.zeros((6, 6)), np.zeros(6)

    def first_joint_momentum():
        # The first joint's axis does not move: its generalized momentum has no other source.
        mass_and_bias(arm, state[Q], state[V], scratch, mass, bias)
        return mass[0] @ state[V] + table[INERTIA, 0] * state[W, 0]

    def energy():
        mass_and_bias(arm, state[Q], state[V], scratch, mass, bias)
        spring = 0.5 * np.array([drive.stiffness_nm_rad for drive in ARM.drives]) @ state[L] ** 2
        motors = 0.5 * table[INERTIA] @ state[W] ** 2
        return 0.5 * state[V] @ mass @ state[V] + motors + spring

    momentum, before = first_joint_momentum(), energy()
    for _ in range(5):
        Sdirk2(levers_m(ARM), Accuracy.fixed(2e-4)).pass_time(
            arm, table, state, np.zeros(6), np.zeros(6), 0.35
        )
        assert first_joint_momentum() == pytest.approx(momentum, rel=1e-6)
        after = energy()
        assert after <= before * (1 + 1e-9)
        before = after


def test_a_capped_span_ends_coarse_and_on_time():
    state, span = passed(sdirk2(Accuracy(steps_max=20)), "e")
    assert span.status is SpanStatus.COARSE
    assert span.steps + span.rejected < 20 + 0.35 / 0.02 + 3
    assert np.isfinite(state).all()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("model", list("abcdef"))
def test_numbers_that_are_none_are_told_and_leave_the_state(model, value):
    command = COMMAND.copy()
    command[3] = value
    before = np.zeros((STATE_ROWS, 6))
    before[Q] = SETTINGS.home_rad()
    state, span = passed(sdirk2(), model, command=command, state=before.copy())
    if np.isnan(value) or model == "a":
        assert span.status is SpanStatus.FAILED
        assert_array_equal(state, before)
    else:
        assert np.isfinite(state).all(), "limits make a finite torque of any wish"


@pytest.mark.parametrize("payload", [None, *SETTINGS.payloads().values()])
def test_gaps_are_never_left_and_blows_are_counted(payload):
    state, span = passed(sdirk2(), "c", payload=payload)
    total = span.hits
    for k in range(12):
        sign = (-1) ** k * np.roll([1, 1, -1, 1, -1, -1], k)
        state, span = passed(sdirk2(), "c", 0.7, payload, sign * COMMAND, state)
        assert span.status is SpanStatus.DONE
        total += span.hits
        assert (np.abs(state[V]) < 0.1).all(), "blows in quick succession throw nothing about"
        gap = np.array([drive.half_gap_rad for drive in ARM.drives])
        assert (np.abs(state[L]) <= gap).all()
    assert total >= 6, "each joint has crossed its gap at least once"


def test_a_joint_without_a_gap_among_joints_with_one_stays_held():
    table = drive_table(ARM.drives, DriveModel.C.effects).copy()
    table[HALF_GAP, 2] = 0.0
    table.setflags(write=False)
    state = np.zeros((STATE_ROWS, 6))
    state[Q] = SETTINGS.home_rad()
    for sign in (1, -1, 1):
        sdirk2().pass_time(ARM.arrays(), table, state, sign * COMMAND, np.zeros(6), 0.7)
        assert state[L, 2] == 0.0
        assert state[V, 2] == pytest.approx(state[W, 2], abs=1e-12)


def test_coriolis_can_be_left_out_and_then_costs_accuracy_with_a_payload():
    whole, _ = passed(sdirk2(), "a", 3.5, HEAVY)
    without, _ = passed(sdirk2(Accuracy(coriolis=False)), "a", 3.5, HEAVY)
    off = np.abs(whole[Q] - without[Q]).max()
    assert 1e-6 < off < 1e-2


@pytest.mark.parametrize(
    "wrong",
    [
        {"tolerance_m": 0.0}, {"tolerance_m": float("nan")}, {"step_min_s": 0.0},
        {"step_min_s": 1.0}, {"step_max_s": float("inf")}, {"refresh_s": -1.0}, {"steps_max": 0},
    ],
)  # fmt: skip
def test_an_accuracy_that_cannot_be_is_refused(wrong):
    with pytest.raises(ValueError, match=r"needed|least|more"):
        replace(Accuracy(), **wrong)
