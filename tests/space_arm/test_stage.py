"""One implicit stage: always solved, in few iterations, and to the same rates from anywhere."""

import numpy as np
import pytest
from arms import shipped
from hypothesis import given
from hypothesis import strategies as st

from hil.machines.space_arm.settings import ArmSettings
from sim.world.space_arm.drive import (
    BRAKE,
    CLUTCH,
    DRAG,
    FRICTION,
    HALF_GAP,
    HOLD,
    INERTIA,
    RIGID_GAP,
    DriveEffects,
    DriveModel,
    drive_table,
)
from sim.world.space_arm.kernels import stage as rows
from sim.world.space_arm.kernels.dynamics import make_scratch, mass_and_bias
from sim.world.space_arm.kernels.impact import strike
from sim.world.space_arm.kernels.linear import factorise, solve
from sim.world.space_arm.kernels.stage import make_stage, solve_stage

SETTINGS: ArmSettings = shipped("bkm")
ARM = SETTINGS.arm()
LOADS = [None, *SETTINGS.payloads().values()]
TABLES = [drive_table(ARM.drives, model.effects) for model in DriveModel]
TABLES.append(drive_table(ARM.drives, DriveEffects(limits=True, friction=True, clutch=True)))
TABLES.append(drive_table(ARM.drives, DriveEffects(True, True, True, True, True)))
seeds = st.integers(0, 2**32 - 1)


def random_stage(seed, table, payload):
    rng = np.random.default_rng(seed)
    arm = (ARM if payload is None else ARM.with_payload(payload)).arrays()
    s = make_stage(6)
    q = rng.uniform(-2.0, 2.0, 6)
    s[rows.LINK_R] = rng.normal(size=6) * 10.0 ** rng.uniform(-6, -0.5)
    s[rows.MOTOR_R] = s[rows.LINK_R] + rng.normal(size=6) * 10.0 ** rng.uniform(-6, -1)
    mass_and_bias(arm, q, s[rows.LINK_R], make_scratch(), s[:6], s[rows.BIAS])
    s[rows.COMMAND] = rng.normal(size=6) * 0.05
    s[rows.DRY] = table[FRICTION] + (rng.uniform(size=6) < 0.2) * table[BRAKE]
    s[rows.WINDUP_R] = rng.normal(size=6) * 4e-4
    if table[HOLD, 0] == RIGID_GAP:
        s[rows.SIDE] = rng.integers(-1, 2, 6)
        inside = rng.uniform(-1, 1, 6) * table[HALF_GAP]
        s[rows.WINDUP_R] = np.where(s[rows.SIDE] == 0, inside, s[rows.SIDE] * table[HALF_GAP])
    s[rows.LINK] = rng.normal(size=6) * 0.1
    s[rows.MOTOR] = rng.normal(size=6) * 0.1
    return s, 10.0 ** rng.uniform(-6, -1.5), rng


@given(seeds, st.integers(0, len(TABLES) - 1), st.integers(0, 2))
def test_every_stage_is_solved_within_25_iterations(seed, model, load):
    table = TABLES[model]
    s, hs, _ = random_stage(seed, table, LOADS[load])
    assert 0 <= solve_stage(table, hs, s) <= 25
    mass, link = s[:6], s[rows.LINK]
    momentum = mass @ (link - s[rows.LINK_R])
    push = hs * (s[rows.BIAS] + table[DRAG] * link - s[rows.TORQUE])
    scale = np.abs(mass) @ np.abs(link - s[rows.LINK_R]) + np.abs(push) + 1e-6
    rounding = rows.ROUNDING * rows.RATE_TOLERANCE * mass.diagonal().min()
    assert (np.abs(momentum + push) <= np.maximum(1e-8 * scale, rounding)).all()


@given(seeds, st.integers(0, len(TABLES) - 1), st.integers(0, 2))
def test_the_solution_does_not_depend_on_the_guess(seed, model, load):
    table = TABLES[model]
    s, hs, rng = random_stage(seed, table, LOADS[load])
    other = s.copy()
    other[rows.LINK] = rng.normal(size=6)
    other[rows.MOTOR] = rng.normal(size=6)
    assert solve_stage(table, hs, s) >= 0
    assert solve_stage(table, hs, other) >= 0
    np.testing.assert_allclose(other[rows.LINK], s[rows.LINK], atol=2e-9)


def test_what_is_not_finite_or_not_definite_is_told_not_raised():
    table = TABLES[3]
    for row, value in ((rows.COMMAND, np.nan), (rows.LINK_R, np.inf), (rows.BIAS, np.nan)):
        s, hs, _ = random_stage(1, table, None)
        s[row, 2] = value
        assert solve_stage(table, hs, s) == -1
    s, hs, _ = random_stage(1, table, None)
    s[rows.MASS + 1, 1] = -1e9
    assert solve_stage(table, hs, s) == -1


@given(seeds)
def test_six_equations(seed):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(6, 6))
    s = make_stage(6)
    s[:6] = root @ root.T + 0.1 * np.eye(6)
    s[rows.SLOPE] = rng.uniform(0, 5, 6)
    s[rows.STEP] = right = rng.normal(size=6)
    whole = s[:6] + np.diag(s[rows.SLOPE])
    assert factorise(s, rows.MASS, rows.SLOPE, rows.FACTOR)
    solve(s, rows.FACTOR, rows.STEP)
    np.testing.assert_allclose(whole @ s[rows.STEP], right, atol=1e-9)


@given(seeds, st.integers(0, 2))
def test_a_blow_keeps_momentum_and_gains_no_energy(seed, load):
    table = TABLES[2]
    s, _, rng = random_stage(seed, table, LOADS[load])
    s[rows.SIDE] = rng.integers(-1, 2, 6)
    assert strike(table, s)
    before, motors = s[rows.LINK_R].copy(), s[rows.MOTOR_R].copy()
    link, motor = s[rows.LINK], s[rows.MOTOR]
    passed = s[:6] @ (link - before)
    given_up = table[INERTIA] * (motor - motors)
    np.testing.assert_allclose(passed, -given_up, atol=1e-8 * (1 + np.abs(given_up).max()))
    assert (s[rows.SIDE] * (motor - link) <= 1e-11).all(), "nobody goes through a face"
    assert (passed * s[rows.SIDE] >= -1e-7 * (1 + np.abs(passed).max())).all(), "no face pulls"
    assert passed[s[rows.SIDE] == 0] == pytest.approx(0.0, abs=1e-7 * (1 + np.abs(passed).max()))

    def energy(v, w):
        return v @ s[:6] @ v + w @ (table[INERTIA] * w)

    assert energy(link, motor) <= energy(before, motors) * (1 + 1e-9)


def test_a_clutch_passes_on_no_blow():
    table = drive_table(ARM.drives, DriveEffects(backlash=True, clutch=True))
    assert np.isfinite(table[CLUTCH]).all()
    s, _, _ = random_stage(5, table, None)
    s[rows.SIDE] = 1.0
    strike(table, s)
    np.testing.assert_array_equal(s[rows.LINK], s[rows.LINK_R])
    np.testing.assert_array_equal(s[rows.MOTOR], s[rows.MOTOR_R])
