"""What every drive bank must do, whatever moves its rods. One factory per kind of bank."""

import dataclasses
import math

import numpy as np
import pytest
from canopen_bench import canopen_one_bus, canopen_two_buses
from modbus_bench import modbus_rtu, modbus_tcp

from drives.bank import (
    BankFeedback,
    BankReport,
    DriveBank,
    DriveCommandError,
    DriveGoal,
    DriveSequenceError,
    DriveState,
    LegCommand,
)
from drives.cylinder_model import CylinderModel
from drives.simulated_bank import SimulatedBank

PERIOD_S = 0.002
STILL = (0.0,) * 6
PATIENCE_CYCLES = 5000


def simulated() -> DriveBank:
    closed = np.linspace(0.60, 0.65, 6)
    model = CylinderModel(
        natural_frequency_hz=20.0,
        damping=0.8,
        speed_max_m_s=np.full(6, 0.5),
        acceleration_max_m_s2=np.full(6, 6.0),
        force_max_n=np.full(6, 4000.0),
        moving_mass_kg=np.full(6, 55.0),
        static_load_n=np.full(6, 600.0),
        closed_length_m=closed,
        open_length_m=closed + 0.7,
        reference_length_m=closed + 0.03,
        homing_speed_m_s=0.02,
        enable_cycles=5,
    )
    return SimulatedBank(model, PERIOD_S)


@pytest.fixture(params=[simulated, canopen_one_bus, canopen_two_buses, modbus_tcp, modbus_rtu])
def bank(request):
    bank = request.param()
    yield bank
    bank.close()


@pytest.fixture
def configured(bank):
    bank.configure()
    return bank


def reach(bank, goal, condition) -> BankFeedback:
    bank.request(goal)
    for _ in range(PATIENCE_CYCLES):
        feedback = bank.exchange(None)
        if condition(feedback):
            return feedback
    raise AssertionError(f"{goal} not reached: {feedback}")


def home(bank) -> BankFeedback:
    return reach(bank, DriveGoal.HOMED, lambda f: all(f.homed))


def enable(bank) -> BankFeedback:
    return reach(bank, DriveGoal.ENABLED, lambda f: f.state == (DriveState.ENABLED,) * 6)


def moved(feedback, by_m) -> LegCommand:
    return LegCommand(tuple(x + by_m for x in feedback.length_m), STILL)


def test_a_bank_says_what_it_wrote_and_read_back(bank):
    report = bank.configure()
    assert isinstance(report, BankReport)
    assert len(report.axes) == 6
    assert len(set(report.axes)) == 6  # a line of its own for each leg
    assert report.url
    assert report.name


@pytest.mark.parametrize("call", [lambda b: b.exchange(None), lambda b: b.request(DriveGoal.HOMED)])
def test_nothing_works_before_configure(bank, call):
    with pytest.raises(DriveSequenceError, match="configure"):
        call(bank)


def test_configure_comes_once(configured):
    with pytest.raises(DriveSequenceError, match="once"):
        configured.configure()


@pytest.mark.parametrize("call", [lambda b: b.exchange(None), lambda b: b.request(DriveGoal.HOMED)])
def test_nothing_works_after_close_and_close_may_come_twice(configured, call):
    configured.close()
    configured.close()
    with pytest.raises(DriveSequenceError, match="closed"):
        call(configured)
    with pytest.raises(DriveSequenceError, match="once"):
        configured.configure()


def test_power_up_is_disabled_not_homed_and_at_rest(configured):
    feedback = configured.exchange(None)
    assert feedback.state == (DriveState.DISABLED,) * 6
    assert feedback.homed == (False,) * 6
    assert feedback.speed_m_s == STILL
    assert feedback.fault_code == (0,) * 6
    assert feedback.fresh == (True,) * 6
    assert feedback.accepted is None


def test_homing_ends_disabled_at_rest_and_keeps_its_place(configured):
    first = home(configured)
    again = configured.exchange(None)
    assert first.state == again.state == (DriveState.DISABLED,) * 6
    assert again.speed_m_s == STILL
    assert again.length_m == pytest.approx(first.length_m, abs=1e-5)


def test_legs_are_not_enabled_before_they_are_homed(configured):
    configured.request(DriveGoal.ENABLED)
    states = {configured.exchange(None).state for _ in range(200)}
    assert states == {(DriveState.DISABLED,) * 6}


def test_enabled_legs_without_a_command_stay_where_they_are(configured):
    before = home(configured)
    enable(configured)
    for _ in range(100):
        feedback = configured.exchange(None)
        assert feedback.accepted is None
    assert feedback.length_m == pytest.approx(before.length_m, abs=1e-5)


def test_a_command_moves_nothing_before_the_legs_are_enabled(configured):
    before = home(configured)
    for _ in range(100):
        feedback = configured.exchange(moved(before, 0.05))
    assert feedback.length_m == pytest.approx(before.length_m, abs=1e-5)


def test_enabled_legs_follow_and_say_what_was_sent(configured):
    home(configured)
    before = enable(configured)
    goal = moved(before, 0.01)
    for _ in range(1000):
        feedback = configured.exchange(goal)
        assert feedback.accepted is not None
        assert feedback.accepted.length_m == pytest.approx(goal.length_m, abs=1e-6)
        assert feedback.accepted.speed_m_s == pytest.approx(goal.speed_m_s, abs=1e-6)
    assert feedback.length_m == pytest.approx(goal.length_m, abs=1e-5)


def test_each_leg_follows_its_own_command(configured):
    home(configured)
    before = enable(configured)
    steps = (0.001, 0.002, 0.003, 0.004, 0.005, 0.006)
    goal = tuple(x + step for x, step in zip(before.length_m, steps, strict=True))
    for _ in range(1000):
        feedback = configured.exchange(LegCommand(goal, STILL))
    assert feedback.length_m == pytest.approx(goal, abs=1e-5)


@pytest.mark.parametrize("goal", [DriveGoal.DISABLED, DriveGoal.QUICK_STOPPED])
def test_stopping_in_mid_motion_ends_at_rest_and_commands_no_longer_move(configured, goal):
    home(configured)
    before = enable(configured)
    far = moved(before, 0.2)
    for _ in range(50):
        configured.exchange(far)
    configured.request(goal)
    for _ in range(500):
        feedback = configured.exchange(far)
    stopped = feedback.length_m
    for _ in range(100):
        feedback = configured.exchange(far)
    assert feedback.speed_m_s == STILL
    assert feedback.length_m == stopped
    wanted = {
        DriveGoal.DISABLED: DriveState.DISABLED,
        DriveGoal.QUICK_STOPPED: DriveState.QUICK_STOP,
    }
    assert feedback.state == (wanted[goal],) * 6


def test_a_quick_stop_is_left_through_disabled_only(configured):
    home(configured)
    enable(configured)
    configured.request(DriveGoal.QUICK_STOPPED)
    configured.exchange(None)
    configured.request(DriveGoal.ENABLED)
    for _ in range(100):
        assert configured.exchange(None).state == (DriveState.QUICK_STOP,) * 6
    configured.request(DriveGoal.DISABLED)
    configured.exchange(None)
    enable(configured)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("field", ["length_m", "speed_m_s"])
@pytest.mark.parametrize("leg", range(6))
def test_a_setpoint_that_is_no_number_is_refused_and_nothing_is_sent(configured, bad, field, leg):
    home(configured)
    before = enable(configured)
    good = moved(before, 0.0)
    values = list(getattr(good, field))
    values[leg] = bad
    with pytest.raises(DriveCommandError, match=rf"leg {leg + 1}: {field} is {bad} m"):
        configured.exchange(dataclasses.replace(good, **{field: tuple(values)}))
    assert configured.exchange(good).length_m == pytest.approx(before.length_m, abs=1e-5)


def test_a_command_for_five_legs_is_refused(configured):
    with pytest.raises(DriveCommandError, match="holds 5 values"):
        configured.exchange(LegCommand((0.7,) * 5, STILL))


def test_commands_and_feedback_cannot_be_changed(configured):
    feedback = configured.exchange(None)
    with pytest.raises(dataclasses.FrozenInstanceError):
        feedback.homed = (True,) * 6
    with pytest.raises(dataclasses.FrozenInstanceError):
        LegCommand(STILL, STILL).length_m = STILL
    values = (feedback.length_m, feedback.speed_m_s, feedback.force_n, feedback.state)
    assert all(type(each) is tuple and len(each) == 6 for each in values)
    assert {type(x) for x in feedback.length_m} == {float}
