"""States, homing, enabling, watchdogs and reproducibility of the simulated bank."""

import dataclasses
import math

import numpy as np
import pytest
from sim_cylinders import (
    CLOSED_M,
    ENABLE_CYCLES,
    MODEL,
    PERIOD_S,
    REFERENCE_M,
    at_reference,
    bank_of,
    command,
    configured,
    cycles,
    homed,
    model,
    ready,
    until,
)

from drives.bank import DriveGoal, DriveModelError, DriveState
from drives.sim.bank import (
    COMMAND_LOST,
    ENCODER_OFFSET_M,
    FOLLOWING_ERROR,
    POWER_UP_SPREAD_M,
    SimulatedBank,
)
from drives.sim.faults import SimFault

ENABLED = (DriveState.ENABLED,) * 6


def test_before_homing_every_leg_measures_wrongly_by_its_own_offset():
    bank = configured()
    feedback = bank.exchange(None)
    off = np.array(feedback.length_m) - bank.rod_length_m
    assert (np.abs(off) >= ENCODER_OFFSET_M[0]).all()
    assert (np.abs(off) <= ENCODER_OFFSET_M[1]).all()
    assert len(set(off.round(6))) == 6
    assert (np.abs(bank.rod_length_m - REFERENCE_M) <= POWER_UP_SPREAD_M).all()


def test_homing_moves_slowly_to_the_switch_and_corrects_the_encoder():
    bank = configured()
    start = bank.rod_length_m
    bank.request(DriveGoal.HOMED)
    speeds, legs_homed = [], []
    for _ in range(1000):
        feedback = bank.exchange(None)
        speeds.append(np.abs(feedback.speed_m_s))
        legs_homed.append(sum(feedback.homed))
        right = np.abs(np.array(feedback.length_m) - bank.rod_length_m) < 1e-12
        assert tuple(right) == feedback.homed  # a leg measures rightly as soon as it says so
    assert bank.rod_length_m == pytest.approx(REFERENCE_M, abs=0.0)
    far = np.abs(start - REFERENCE_M) > 0.002
    assert far.any()
    assert np.max(speeds, axis=0)[far] == pytest.approx(MODEL.homing_speed_m_s)
    assert np.max(speeds) <= MODEL.homing_speed_m_s
    assert legs_homed == sorted(legs_homed)
    assert len(set(legs_homed)) > 2  # each leg in its own time


def test_a_homed_leg_is_not_homed_again():
    bank = ready()
    cycles(bank, 200, at_reference(0.01))
    bank.request(DriveGoal.DISABLED)
    before = cycles(bank, 100)
    bank.request(DriveGoal.HOMED)
    feedback = cycles(bank, 100)
    assert feedback.state == (DriveState.DISABLED,) * 6
    assert feedback.homed == (True,) * 6
    assert feedback.length_m == before.length_m


def test_homing_that_is_interrupted_leaves_the_legs_unhomed_and_can_be_repeated():
    bank = configured()
    bank.request(DriveGoal.HOMED)
    cycles(bank, 20)
    bank.request(DriveGoal.DISABLED)
    feedback = cycles(bank, 200)
    assert not any(feedback.homed)
    assert feedback.speed_m_s == (0.0,) * 6
    assert all(homed(bank).exchange(None).homed)


def test_enabling_takes_its_cycles_and_then_holds():
    bank = homed(configured())
    bank.request(DriveGoal.ENABLED)
    states = [bank.exchange(None).state for _ in range(ENABLE_CYCLES + 1)]
    assert states[: ENABLE_CYCLES - 1] == [(DriveState.DISABLED,) * 6] * (ENABLE_CYCLES - 1)
    assert states[ENABLE_CYCLES - 1 :] == [ENABLED] * 2
    assert cycles(bank, 1000).length_m == pytest.approx(REFERENCE_M, abs=0.0)


def test_enabling_during_homing_waits_until_all_are_homed():
    bank = configured()
    bank.request(DriveGoal.HOMED)
    cycles(bank, 5)
    bank.request(DriveGoal.ENABLED)
    feedback = until(bank, lambda f: DriveState.ENABLED in f.state)
    assert feedback.state == ENABLED
    assert all(feedback.homed)


def test_a_goal_once_reached_enables_nothing_a_second_time():
    bank = ready()
    bank.request(DriveGoal.ENABLED)  # already there
    bank.exchange(at_reference())
    bank.request(DriveGoal.DISABLED)
    assert cycles(bank, 100).state == (DriveState.DISABLED,) * 6


def test_an_old_goal_does_not_enable_legs_that_dropped_out():
    start_s = 2.0
    faults = [SimFault("disabled", leg, start_s, 0.1) for leg in range(1, 7)]
    bank = ready(faults)
    bank.request(DriveGoal.ENABLED)  # already there
    until(bank, lambda f: DriveState.ENABLED not in f.state, at_reference())
    assert cycles(bank, 500).state == (DriveState.DISABLED,) * 6


def test_legs_are_enabled_at_standstill_only():
    bank = ready(cylinders=model(enable_cycles=0))
    cycles(bank, 60, at_reference(0.4))
    bank.request(DriveGoal.DISABLED)
    bank.request(DriveGoal.ENABLED)
    feedback = bank.exchange(None)
    assert min(feedback.speed_m_s) > 0.0
    while any(feedback.speed_m_s):
        assert feedback.state == (DriveState.DISABLED,) * 6
        feedback = bank.exchange(None)
    assert bank.exchange(None).state == ENABLED


def test_missing_commands_hold_the_last_setpoint_and_are_counted():
    bank = ready(watchdog_cycles=100)
    cycles(bank, 100, at_reference(0.01))
    before = bank.missed_commands
    feedback = cycles(bank, 90)
    assert feedback.length_m == pytest.approx(REFERENCE_M + 0.01, abs=1e-6)
    assert bank.missed_commands == before + 90


def test_a_missing_command_drops_the_speed_feed_forward():
    bank = ready(watchdog_cycles=1000)
    for cycle in range(1, 200):
        target = REFERENCE_M + 0.1 * PERIOD_S * cycle
        bank.exchange(command(target, (0.1,) * 6))
    assert cycles(bank, 500).length_m == pytest.approx(target, abs=1e-6)


@pytest.mark.parametrize("limit", [1, 5])
def test_the_watchdog_trips_one_cycle_after_its_limit(limit):
    bank = ready(watchdog_cycles=limit)
    moving = cycles(bank, 30, at_reference(0.4))
    assert cycles(bank, limit).state == ENABLED
    feedback = bank.exchange(None)
    assert feedback.state == (DriveState.FAULT,) * 6
    assert feedback.fault_code == (COMMAND_LOST,) * 6
    resting = cycles(bank, 500)
    assert resting.speed_m_s == (0.0,) * 6
    assert (np.array(resting.length_m) > np.array(moving.length_m)).all()
    assert resting.force_n == (0.0,) * 6


def test_the_watchdog_counts_in_a_row_and_only_once_commands_have_begun():
    bank = ready(watchdog_cycles=3)
    assert cycles(bank, 1000).state == ENABLED
    for _ in range(20):
        bank.exchange(at_reference())
        assert cycles(bank, 3).state == ENABLED


@pytest.mark.parametrize(("window", "trips"), [(0.004, True), (0.05, False), (None, False)])
def test_the_drives_own_following_window(window, trips):
    bank = ready(following_window_m=window)
    feedback = bank.exchange(at_reference(0.01))
    wanted = (DriveState.FAULT, FOLLOWING_ERROR) if trips else (DriveState.ENABLED, 0)
    assert set(zip(feedback.state, feedback.fault_code, strict=True)) == {wanted}


def test_a_fault_is_acknowledged_by_disabling_at_standstill_only():
    bank = ready(watchdog_cycles=1)
    cycles(bank, 40, at_reference(0.4))
    cycles(bank, 2)
    bank.request(DriveGoal.DISABLED)
    codes = []
    for _ in range(500):
        feedback = bank.exchange(None)
        codes.append(feedback.fault_code[0])
        if codes[-1] == 0:
            assert feedback.speed_m_s[0] == 0.0
    assert codes[0] == COMMAND_LOST
    assert codes[-1] == 0
    assert feedback.state == (DriveState.DISABLED,) * 6
    bank.request(DriveGoal.ENABLED)
    until(bank, lambda f: f.state == ENABLED)


def test_a_fault_that_nobody_acknowledged_keeps_all_six_from_being_enabled():
    bank = ready(watchdog_cycles=1)
    cycles(bank, 5, at_reference())
    cycles(bank, 2)
    bank.request(DriveGoal.ENABLED)
    assert cycles(bank, 200).state == (DriveState.FAULT,) * 6


def play(seed, period_s=PERIOD_S):
    bank = SimulatedBank(MODEL, period_s, seed=seed)
    bank.configure()
    bank.request(DriveGoal.HOMED)
    rows = [bank.exchange(None) for _ in range(400)]
    bank.request(DriveGoal.ENABLED)
    for cycle in range(400):
        way = 0.05 * math.sin(0.01 * cycle)
        rows.append(bank.exchange(at_reference(way) if cycle > 5 else None))
    return rows


def test_two_runs_are_identical_bit_for_bit_and_the_seed_matters():
    assert play(1) == play(1)
    assert play(1) != play(2)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"damping": 0.0}, "damping is 0.0, it must be positive"),
        ({"natural_frequency_hz": math.nan}, "natural_frequency_hz is nan"),
        ({"homing_speed_m_s": 0.55}, "leg 1: homing_speed_m_s 0.55 m/s is above .* 0.5 m/s"),
        ({"enable_cycles": -1}, "enable_cycles is -1"),
        ({"speed_max_m_s": np.array([1, 1, 1, 0, 1, 1.0])}, "leg 4: speed_max_m_s is 0"),
        ({"moving_mass_kg": np.array([1, 1, np.inf, 1, 1, 1])}, "leg 3: moving_mass_kg is inf"),
        ({"static_load_n": -4000.0}, "leg 1: static_load_n -4000 N leaves nothing of .* 4000 N"),
        ({"reference_length_m": np.full(6, 0.62)}, r"leg 4: .* 0.62 m is outside \[0.63, 1.39\]"),
        ({"open_length_m": CLOSED_M}, "leg 1: closed_length_m 0.6 m and open_length_m 0.6 m"),
    ],
)
def test_a_model_that_cannot_be_is_refused_with_the_leg(changes, text):
    with pytest.raises(DriveModelError, match=text):
        model(**changes)


def test_a_servo_far_too_fast_for_its_period_is_refused():
    with pytest.raises(DriveModelError, match=r"at most 159\.155 Hz"):
        SimulatedBank(model(natural_frequency_hz=200.0), 0.1)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"watchdog_cycles": 0}, "watchdog_cycles"),
        ({"following_window_m": 0.0}, "following_window"),
    ],
)
def test_watchdogs_that_could_never_be_met_are_refused(options, text):
    with pytest.raises(DriveModelError, match=text):
        bank_of(**options)


def test_the_models_arrays_are_copies_that_cannot_be_written():
    speeds = np.full(6, 0.5)
    cylinders = model(speed_max_m_s=speeds)
    speeds[0] = 9.0
    assert cylinders.speed_max_m_s[0] == 0.5
    for field in dataclasses.fields(cylinders):
        value = getattr(cylinders, field.name)
        if isinstance(value, np.ndarray):
            with pytest.raises(ValueError, match="read-only"):
                value[0] = 1.0


def test_a_look_at_the_rods_does_not_touch_them():
    bank = configured()
    bank.rod_length_m[:] = 0.0
    assert bank.exchange(None).length_m[0] > 0.5
