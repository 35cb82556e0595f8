"""The emergency stop's two channels, as the gate reads them (rows 45 and 46)."""

from itertools import product

import pytest
from safety_samples import Bench, make_limits

from safety.estop import EmergencyStopWatch
from safety.modes import DriveRequest, Mode, Request, Severity
from safety.verdict import Action, Check

CLOSED, OPEN = (True, True), (False, False)
ANY_OPEN = [(False, False), (True, False), (False, True)]


def bench(**changes):
    return Bench(make_limits(estop_fitted=True, **changes))


def checks(verdict):
    return [violation.check for violation in verdict.violations]


@pytest.mark.parametrize("channels", ANY_OPEN)
def test_row_45_an_open_channel_is_a_quick_stop_in_that_very_cycle(channels):
    moving = bench().moving()
    verdict = moving.cycle(moving.ask_speed((0.1, -0.08, 0.06, -0.04, 0.02, 0.0)), estop=channels)
    assert verdict.mode is Mode.QSTOP
    assert verdict.drives is DriveRequest.QUICK_STOP
    assert verdict.action is Action.BLOCKED
    assert verdict.allowed is None
    assert moving.gate.commanded is None, "the commanded state is dropped"
    assert verdict.faults[0].check is Check.ESTOP
    assert verdict.faults[0].severity is Severity.QUICK_STOP


@pytest.mark.parametrize("way", ["standby", "engaging", "engaged", "moving", "homing", "idle"])
def test_row_45_it_is_heard_in_every_mode_with_a_bus(way):
    b = getattr(bench(), way)()
    power = b.verdict.drives is not DriveRequest.OFF
    verdict = b.cycle(None, estop=OPEN)
    assert verdict.mode is (Mode.QSTOP if power else Mode.FAULT)
    b.run(10, estop=OPEN)
    assert b.verdict.mode is Mode.FAULT
    assert b.verdict.drives is DriveRequest.OFF, "off at standstill"


def test_row_45_power_stays_until_standstill():
    b = bench().moving()
    turning = b.read().speed_m_s
    for _ in range(30):
        verdict = b.cycle(None, estop=OPEN, fb=b.read(speed_m_s=turning))
        assert verdict.drives is DriveRequest.QUICK_STOP
    b.run(b.limits.standstill_cycles, estop=OPEN)
    assert b.verdict.drives is DriveRequest.OFF


def test_row_45_closing_it_again_moves_nothing():
    b = bench().moving()
    b.run(10, estop=OPEN)
    asked = [Request.ENGAGE, Request.RISEN, Request.PARK, Request.HOME]
    for request in asked * 10:
        verdict = b.cycle(b.setpoint(b.length_m), request)
        assert verdict.mode is Mode.FAULT
        assert verdict.allowed is None
        assert verdict.drives is DriveRequest.OFF


def test_row_45_the_reset_needs_the_cause_gone():
    b = bench().moving()
    b.run(10, estop=OPEN)
    for channels in ANY_OPEN:
        b.run(3, estop=channels, reset=False)
        assert b.run(3, estop=channels, reset=True).mode is Mode.FAULT
    b.run(3, estop=OPEN)
    b.run(3)
    assert b.cycle(None, reset=True).mode is Mode.IDLE
    assert b.verdict.drives is DriveRequest.OFF


@pytest.mark.parametrize("way", ["idle", "standby", "moving"])
def test_row_45_fitted_and_not_read_is_a_fault(way):
    b = getattr(bench(), way)()
    verdict = b.cycle(None, estop=None)
    assert verdict.faults[0].check is Check.ESTOP
    assert verdict.faults[0].severity is Severity.STOP
    b.run(100, estop=None)
    assert b.verdict.mode is Mode.FAULT


WAYS = ["idle", "homing", "standby", "engaging", "engaged", "moving", "holding", "stopping"]


def brought(way, **changes):
    """A bench in this state, with the emergency stop closed."""
    b = bench(**changes)
    if way in ("holding", "stopping"):
        b.moving().cycle(None, Request.HOLD)
        b.run(60 if way == "holding" else 1)
        assert b.verdict.mode is (Mode.HOLD if way == "holding" else Mode.CSTOP)
        return b
    return getattr(b, way)()


@pytest.mark.parametrize("channels", ANY_OPEN)
@pytest.mark.parametrize("way", WAYS)
def test_row_45_channels_that_were_not_read_before_hide_nothing(way, channels):
    """Class B of the same check is latched: the open one acts in the cycle that reads it."""
    b = brought(way)
    b.cycle(None, estop=None)
    b.cycle(None, estop=None)
    powered = b.verdict.drives is not DriveRequest.OFF
    verdict = b.cycle(None, estop=channels)
    assert verdict.allowed is None, "nothing more is sent"
    assert verdict.mode is (Mode.QSTOP if powered else Mode.FAULT)
    assert verdict.drives in (DriveRequest.QUICK_STOP, DriveRequest.OFF)
    estop = [fault.severity for fault in verdict.faults if fault.check is Check.ESTOP]
    assert estop == [Severity.STOP, Severity.QUICK_STOP], "the first cause beside the worst"


@pytest.mark.parametrize("way", WAYS)
def test_row_45_no_fault_that_came_before_hides_an_open_channel(way):
    """Whatever is latched: feedback, drive, cycle, channels that differed, channels not read."""
    for trouble in (
        {"late_s": 1.0},
        {"elapsed_s": 1.0},
        {"estop": None},
        {"fault_code": (0, 0, 0x8611, 0, 0, 0)},
        {"homed": (True, True, False, True, True, True)},
        {"fresh": (True,) * 5 + (False,)},
    ):
        b = brought(way)
        for _ in range(4):
            cycle = {k: v for k, v in trouble.items() if k in ("late_s", "elapsed_s", "estop")}
            read = {k: v for k, v in trouble.items() if k not in cycle}
            b.cycle(None, fb=b.read(**read), **cycle)
        verdict = b.cycle(None, estop=OPEN)
        assert verdict.allowed is None, trouble
        assert verdict.drives is not DriveRequest.ENABLE, trouble


def test_row_46_channels_that_differ_for_longer_than_the_limit_are_a_fault_of_their_own():
    b = bench(estop_discrepancy_cycles=20).standby()
    for cycle in range(1, 21):
        assert Check.ESTOP_DISCREPANCY not in checks(b.cycle(None, estop=(True, False))), cycle
    assert Check.ESTOP_DISCREPANCY in checks(b.cycle(None, estop=(True, False)))
    assert Check.ESTOP_DISCREPANCY in {fault.check for fault in b.verdict.faults}


def test_row_46_a_welded_contact_keeps_the_fault_until_both_have_opened():
    b = bench(estop_discrepancy_cycles=20).standby()
    b.run(30, estop=(True, False))
    for _ in range(3):  # released: both closed again, and the reset is tried
        b.run(5)
        assert b.run(5, reset=True).mode is Mode.FAULT
        assert Check.ESTOP_DISCREPANCY in checks(b.verdict)
    b.run(5, estop=OPEN)
    b.run(5)
    assert b.cycle(None, reset=True).mode is Mode.IDLE


def test_channels_that_open_one_after_the_other_are_no_discrepancy():
    b = bench(estop_discrepancy_cycles=20).standby()
    b.run(20, estop=(False, True))
    b.run(40, estop=OPEN)
    b.run(20, estop=(True, False))
    b.run(5)
    assert Check.ESTOP_DISCREPANCY not in {fault.check for fault in b.verdict.faults}
    assert b.cycle(None, reset=True).mode is Mode.IDLE


def test_not_fitted_it_is_not_looked_at():
    watch = EmergencyStopWatch(make_limits(estop_fitted=False))
    for channels in [None, *product((True, False), repeat=2)]:
        assert watch.step(channels) == []
    assert Bench().moving().run(1, estop=OPEN).mode is not Mode.QSTOP


def test_the_whole_emergency_stop_is_one_cause():
    """A discrepancy comes with an open channel; that alone is a class A, and no lockout."""
    b = bench().standby()
    b.run(40, estop=(True, False))
    assert {fault.cause for fault in b.verdict.faults} == {"emergency stop"}


def test_an_unread_input_and_a_faulty_leg_are_two_causes():
    b = bench().moving()
    b.cycle(None, estop=None)
    assert b.verdict.mode is Mode.CSTOP
    verdict = b.cycle(None, estop=None, fb=b.read(fault_code=(0, 0, 0x8611, 0, 0, 0)))
    assert verdict.mode is Mode.QSTOP


def test_the_texts_say_which_channel():
    watch = EmergencyStopWatch(make_limits(estop_fitted=True, estop_discrepancy_cycles=1))
    texts = [str(violation) for violation in watch.step((True, False)) + watch.step(None)]
    assert texts == [
        "emergency stop: channel 2 open",
        "emergency stop: fitted, but its two channels are not read",
    ]


def test_row_46_a_second_press_does_not_take_back_that_the_channels_differed():
    """A press that opens one channel first begins the count anew, and nothing else."""
    watch = EmergencyStopWatch(make_limits(estop_fitted=True, estop_discrepancy_cycles=3))
    for _ in range(4):
        found = watch.step((True, False))
    assert Check.ESTOP_DISCREPANCY in {v.check for v in found}
    for channels in [CLOSED, (True, False), CLOSED, (False, True), (False, True), CLOSED]:
        assert Check.ESTOP_DISCREPANCY in {v.check for v in watch.step(channels)}, channels
    assert Check.ESTOP_DISCREPANCY not in {v.check for v in watch.step(OPEN)}
