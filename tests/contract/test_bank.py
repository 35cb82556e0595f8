"""What every drive bank must do, whatever moves its rods: from its making to its end."""

import dataclasses
import json

import pytest
from bank_kits import NO_FAULT, STILL, Moved

from drives.bank import (
    BankReport,
    DriveCommandError,
    DriveGoal,
    DriveSequenceError,
    DriveState,
    LegCommand,
)
from drives.simulated_bank import SimulatedBank

CALLS = [lambda b: b.exchange(None), lambda b: b.request(DriveGoal.HOMED)]


def test_a_bank_says_what_it_wrote_and_read_back(bank):
    report = bank.configure()
    assert isinstance(report, BankReport)
    assert len(report.axes) == 6
    assert len(set(report.axes)) == 6  # a line of its own for each leg
    assert report.url
    assert report.name


def test_calls_out_of_order_are_refused(bank):
    for call in CALLS:
        with pytest.raises(DriveSequenceError, match="configure"):
            call(bank)
    bank.configure()
    with pytest.raises(DriveSequenceError, match="once"):
        bank.configure()
    bank.close()
    bank.close()  # does nothing
    for call in CALLS:
        with pytest.raises(DriveSequenceError, match="closed"):
            call(bank)
    with pytest.raises(DriveSequenceError, match="once"):
        bank.configure()


def test_a_bank_counts_what_happens_on_its_link(kit, configured):
    """Where nothing can get lost there is nothing to count; every count can be written down."""
    for _ in range(5):
        configured.exchange(None)
    tally = configured.link_tally()
    assert json.loads(json.dumps(tally)).keys() == tally.keys()
    if tally:
        assert tally["cycles"] >= 5
        assert len(tally["missing"]) == 6
    assert bool(tally) is not isinstance(configured, SimulatedBank)


def test_power_up_is_disabled_not_homed_and_at_rest(kit, configured):
    feedback = configured.exchange(None)
    assert feedback.state == (DriveState.DISABLED,) * 6
    assert feedback.homed == (False,) * 6
    assert feedback.speed_m_s == pytest.approx(STILL, abs=kit.at_rest_m_s)
    assert feedback.fault_code == NO_FAULT
    assert feedback.fresh == (True,) * 6
    assert feedback.accepted is None


def test_legs_are_not_enabled_before_they_are_homed(kit, configured):
    configured.request(DriveGoal.ENABLED)
    states = {feedback.state for feedback in Moved(kit, configured).stay(0.5)}
    assert states == {(DriveState.DISABLED,) * 6}


def test_a_command_for_five_legs_is_refused(configured):
    with pytest.raises(DriveCommandError, match="holds 5 values"):
        configured.exchange(LegCommand((0.7,) * 5, STILL))


def test_commands_and_feedback_cannot_be_changed(configured):
    feedback = configured.exchange(None)
    with pytest.raises(AttributeError):
        feedback.homed = (True,) * 6
    with pytest.raises(dataclasses.FrozenInstanceError):
        LegCommand(STILL, STILL).length_m = STILL
    values = (feedback.length_m, feedback.speed_m_s, feedback.force_n, feedback.state)
    assert all(type(each) is tuple and len(each) == 6 for each in values)
    assert {type(x) for x in feedback.length_m} == {float}
