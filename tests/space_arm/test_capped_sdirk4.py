"""The fine simulation within a bound on the work of a tick, against its parts put together here."""

import numpy as np
import pytest
from arms import shipped
from numpy.testing import assert_array_equal

from sim.world.space_arm.capped_sdirk4 import (
    OPERATIONS_OF_A_TRY,
    OPERATIONS_PER_S,
    TICK_WORK_S,
    TRIES_MAX,
    CappedSdirk4,
)
from sim.world.space_arm.drive import FRICTION, DriveModel, drive_table
from sim.world.space_arm.integrators import Accuracy, Sdirk2, Sdirk4, SpanStatus
from sim.world.space_arm.kernels import sdirk2, sdirk4
from sim.world.space_arm.operation_count import OperationCounter, counting_arguments
from sim.world.space_arm.simulator import SpaceArm, levers_m

BKM = shipped("bkm")
ARM = BKM.arm()
LIGHT = BKM.payloads()["light"]
RATES = 0.25 * np.array([link.rate_max_rad_s for link in ARM.links])
COMMANDS = (RATES, RATES, np.zeros(len(RATES)), np.zeros(len(RATES)))
"""Start, motion, stop and swing: the last two are the most work."""


def arm_of(integrator, model=DriveModel.E):
    return SpaceArm(ARM, model, BKM.home_rad(), payload=LIGHT, integrator=integrator)


def capped(tries=TRIES_MAX):
    return CappedSdirk4(levers_m(ARM), tries)


def work(snapshot):
    return snapshot.span.steps + snapshot.span.rejected


@pytest.mark.parametrize("model", [DriveModel.A, DriveModel.B, DriveModel.D, DriveModel.E])
def test_within_the_bound_it_is_the_fine_simulation_bit_for_bit(model):
    mine, fine = arm_of(capped(), model), arm_of(Sdirk4(levers_m(ARM)), model)
    for command in COMMANDS:
        snapshot = mine.advance(command, samples=10)
        assert_array_equal(snapshot.path_BG_m, fine.advance(command, samples=10).path_BG_m)
        assert_array_equal(mine.state, fine.state)
        assert snapshot.span.usual == 0
        assert 0 < work(snapshot) <= TRIES_MAX


@pytest.mark.parametrize("bound", [150, 300, 500, 700])
def test_beyond_it_the_rest_of_the_tick_is_the_usual_simulation(bound):
    """Parts of a tick one by one: fine while their sum is below the bound, then usual."""
    parts, left_to_usual = 10, 0
    mine, twin = arm_of(capped(bound)), arm_of(None)
    arrays, drive = twin.arm.arrays(), drive_table(ARM.drives, DriveModel.E.effects)
    usual, fine = Sdirk2(levers_m(ARM)), Sdirk4(levers_m(ARM))
    state, dry = twin.state, drive[FRICTION].copy()
    for command in COMMANDS:
        snapshot = mine.advance(command, samples=parts)
        spent, by_usual = 0, 0
        for _ in range(parts):
            there, span_s = state.copy(), 0.35 / parts
            if spent < bound:
                span = fine.pass_time(arrays, drive, there, command, dry, span_s)
                spent += span.steps + span.rejected
            if spent < bound:
                state = there
                continue
            by_usual += 1
            usual.pass_time(arrays, drive, state, command, dry, span_s)
        assert_array_equal(mine.state, state)
        assert snapshot.span.usual == by_usual
        assert snapshot.status is SpanStatus.DONE
        left_to_usual += by_usual
    assert 2 < left_to_usual < parts * len(COMMANDS), "both simulations had their part"


def test_a_tick_never_takes_much_more_than_its_bound():
    bound, arm, plain = 200, arm_of(capped(200)), arm_of(None)
    for command in COMMANDS:
        most = bound + work(plain.advance(command, samples=10)) + 0.35 / Accuracy().step_max_s + 60
        assert bound < work(arm.advance(command, samples=10)) < most


def test_a_tick_depends_on_its_state_and_command_alone_and_not_on_the_ticks_before():
    busy, fresh = arm_of(capped(300)), arm_of(capped(300))
    for command in COMMANDS[:3]:
        busy.advance(command, samples=10)
    fresh.state = busy.state
    after = [arm.advance(COMMANDS[3], samples=10) for arm in (busy, fresh)]
    assert_array_equal(after[0].path_BG_m, after[1].path_BG_m)
    assert after[0].span == after[1].span


def test_what_the_fine_simulation_cannot_solve_the_usual_one_may(monkeypatch):
    monkeypatch.setattr(sdirk4, "advance", lambda *_: sdirk4.FAILED)
    mine, usual = arm_of(capped()), arm_of(None)
    snapshot = mine.advance(RATES, samples=10)
    usual.advance(RATES, samples=10)
    assert_array_equal(mine.state, usual.state)
    assert snapshot.status is SpanStatus.DONE
    assert snapshot.span.usual == 10


def test_the_bound_is_the_time_of_counted_operations():
    took_s = TRIES_MAX * OPERATIONS_OF_A_TRY / OPERATIONS_PER_S
    assert took_s == pytest.approx(TICK_WORK_S)


@pytest.mark.parametrize(
    ("name", "span_s"), [("bkm", 0.005), ("shuttle_rms", 0.005), ("puma560", 2e-4)]
)
def test_a_try_is_no_more_operations_than_the_bound_counts_with(name, span_s):
    """Counted while every joint, on its way, is told to stop."""
    settings, model = shipped(name), DriveModel.E
    arm = settings.arm()
    space = SpaceArm(arm, model, settings.home_rad())
    space.advance([0.25 * link.rate_max_rad_s for link in arm.links])
    drive, counts = drive_table(arm.drives, model.effects), np.zeros(sdirk2.COUNTERS, np.int64)
    control, joints = Accuracy.fine().control(levers_m(arm)), len(arm.links)
    counter = OperationCounter()
    given = counting_arguments(
        counter,
        (space.arm.arrays()._replace(lanes=joints), drive, control, space.state, np.zeros(joints),
         drive[FRICTION].copy(), span_s, sdirk4.make_span_work(joints), counts),
    )  # fmt: skip
    assert counter.kernel(sdirk4.advance)(*given) == sdirk4.DONE
    tries = counts[sdirk2.STEPS] + counts[sdirk2.REJECTED]
    assert tries > 100
    assert OPERATIONS_OF_A_TRY / 2 < counter.operations.total / tries < OPERATIONS_OF_A_TRY
