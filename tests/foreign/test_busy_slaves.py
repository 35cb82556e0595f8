"""Slaves as an earlier session left them, and slaves that refuse a transfer now and not later."""

import dataclasses

import pytest
from habits import Habits
from maker_rows import hold, without
from object_dictionary import AbortError
from virtual_rack import VirtualRack

from drives.axes.scaling import LegScale
from drives.bank import DriveGoal, DriveSetupError, DriveState
from drives.canopen.bank import CanopenBank
from drives.canopen.settings import CanopenSettings

PERIOD_S = 0.01
CLOSED_M = 0.64


def six(value):
    return (value,) * 6


SETTINGS = CanopenSettings(
    length_min_m=six(CLOSED_M + 0.005),
    length_max_m=six(CLOSED_M + 0.735),
    speed_max_m_s=six(0.5),
    acceleration_max_m_s2=six(6.0),
    quick_stop_deceleration_m_s2=six(5.0),
    rated_force_n=six(4000.0),
    homing_speed_m_s=0.05,
    first_motion="always",
)
SCALES = (LegScale(1e6, 1, CLOSED_M + 0.03),) * 6


def bank_on(rack, **changes):
    settings = dataclasses.replace(SETTINGS, **changes)
    return CanopenBank([rack], settings, SCALES, PERIOD_S, now_s=rack.now_s)


def cycles(bank, rack, count, until=lambda feedback: False):
    for _ in range(count):
        due_s = rack.now + PERIOD_S
        feedback = bank.exchange(None)
        rack.move_to(due_s)
        if until(feedback):
            break
    return feedback


@pytest.mark.parametrize("code", [0x0800_0000, 0x0800_0021, 0x0800_0022])
def test_drives_whose_every_object_is_busy_at_first_hold_what_was_wanted(code):
    rack = VirtualRack(habits=Habits(busy=(code, 1)))
    report = bank_on(rack).configure()
    assert all("busy" in line and "asked again" in line for line in report.axes)
    for drive in rack.drives:
        assert drive.objects.number(0x605C) == 1, "and no stand-in"
        assert drive.objects.number(0x605A) == 6


def test_they_are_homed_enabled_and_left_as_others_are():
    """Also the speeds of the first motion beside the cycle, and signing off."""
    rack = VirtualRack(habits=Habits(busy=(0x0800_0000, 1)), places_m=six(0.0285))
    bank = bank_on(rack)
    bank.configure()
    bank.request(DriveGoal.HOMED)
    assert cycles(bank, rack, 3000, lambda f: all(f.homed)).homed == six(True), bank.waiting
    bank.request(DriveGoal.ENABLED)
    enabled = six(DriveState.ENABLED)
    assert cycles(bank, rack, 200, lambda f: f.state == enabled).state == enabled
    bank.close()
    rack.move_to(rack.now + 1.0)
    assert [slave.errors for slave in rack.slaves] == [[]] * 6, "nobody was missed"


def test_it_is_bounded_and_says_what_is_refused():
    rack = VirtualRack(habits=Habits(busy=(0x0800_0000, 1000)))
    began_s = rack.now
    with pytest.raises(DriveSetupError, match=r"leg 1 \(node 1\).*0x08000000"):
        bank_on(rack).configure()
    assert rack.now - began_s < 20.0


def test_a_stand_in_is_named_with_the_reason():
    """605Ch = 1 is refused for good: the drive keeps 0, and the line of the leg says why it may."""

    def guard(index, sub, value):
        if (index, value) == (0x605C, 1):
            raise AbortError(0x0609_0030)

    rack = VirtualRack()
    for slave in rack.slaves:
        slave.objects.guards.append(guard)
    report = bank_on(rack).configure()
    assert [drive.objects.number(0x605C) for drive in rack.drives] == [0] * 6
    for line in report.axes:
        assert "disable operation option (605Ch:0) 0 for 1 (the bench stops a rod by" in line


def left_over(rows):
    """Guard times of an earlier session: twice 25 ms."""
    hold(rows, _100C=25, _100D=2)


@pytest.mark.parametrize("heartbeat", [True, False])
def test_guard_times_of_an_earlier_session_trip_nobody(heartbeat):
    """With a heartbeat they are switched off; without one they are served."""
    changes = (left_over,) if heartbeat else (left_over, lambda rows: without(rows, 0x1016))
    rack = VirtualRack(changes, Habits(guards_at_once=True, boot_s=0.1), places_m=six(0.0285))
    bank = bank_on(rack, first_motion="real")
    bank.configure()
    cycles(bank, rack, 100)
    assert [slave.errors for slave in rack.slaves] == [[]] * 6
    for drive in rack.drives:
        held = [drive.objects.number(index) for index in (0x100C, 0x100D)]
        assert held == ([0, 0] if heartbeat else [25, 2])
