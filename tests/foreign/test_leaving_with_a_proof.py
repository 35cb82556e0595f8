"""The bench leaves foreign slaves: each is off, and says so, or is named."""

import pytest
from habits import Habits
from object_dictionary import AbortError
from power_states import State
from test_busy_slaves import bank_on, cycles, six
from virtual_rack import VirtualRack

from drives.bank import DriveGoal, DriveState

ENABLED = six(DriveState.ENABLED)
POWERED = (State.ENABLED, State.QUICK_STOP, State.FAULT_REACTION)
PRE_OPERATIONAL, STOPPED = 128, 2


def enabled(**habits):
    rack = VirtualRack(habits=Habits(boot_s=0.1, **habits), places_m=six(0.0285))
    bank = bank_on(rack, first_motion="real", homing_speed_m_s=0.02)
    bank.configure()
    for drive in rack.drives:  # what they find is not the matter here
        drive._homed = True
    for axis in bank._axes._axes:
        axis.know_place()
    bank.request(DriveGoal.ENABLED)
    assert cycles(bank, rack, 300, lambda f: f.state == ENABLED).state == ENABLED, bank.waiting
    return rack, bank


def closed(rack, bank):
    began_s = rack.now
    end = bank.close()
    assert rack.now - began_s < 3.0, "bounded"
    return end


def test_drives_that_hear_the_bench_are_off_and_nobody_is_named():
    rack, bank = enabled()
    assert closed(rack, bank).powered == ()
    assert not [drive for drive in rack.drives if drive.state in POWERED]


@pytest.mark.parametrize("legs", [(4,), (1, 2, 3, 4, 5, 6)])
def test_drives_that_fell_to_pre_operational_under_power_are_switched_off_by_sdo(legs):
    rack, bank = enabled()
    for leg in legs:
        rack.slaves[leg - 1].receive(0, bytes((PRE_OPERATIONAL, leg)), rack.now)
    assert all(rack.drives[leg - 1].state is State.ENABLED for leg in legs)
    assert closed(rack, bank).powered == ()
    assert not [drive for drive in rack.drives if drive.state in POWERED]


def test_a_drive_that_ignores_every_word_is_named_with_its_statusword():
    rack, bank = enabled()

    def deaf(index, sub, value):
        if index == 0x6040:
            raise AbortError(0x0800_0022)

    rack.slaves[3].objects.guards.append(deaf)
    (text,) = closed(rack, bank).powered
    assert text.startswith("leg 4 (node 4): it is operation enabled")
    assert "6041h: 0x" in text


def test_a_drive_that_answers_nothing_is_named_and_the_others_are_off():
    rack, bank = enabled()
    rack.slaves[1].receive(0, bytes((STOPPED, 2)), rack.now)  # CiA 301: no SDO in STOPPED
    end = closed(rack, bank)
    assert [text[:5] for text in end.powered] == ["leg 2"]
    off = [drive.state not in POWERED for drive in rack.drives]
    assert off == [True, rack.drives[1].state not in POWERED, True, True, True, True]


def test_a_drive_that_falls_to_pre_operational_by_itself_is_off_at_the_end():
    rack, bank = enabled(falls_s=0.3)
    assert {drive.state for drive in rack.drives} == {State.ENABLED}
    feedback = cycles(bank, rack, 60)
    assert not any(feedback.fresh), "none sends PDO any more"
    assert {slave.state for slave in rack.slaves} == {0x7F}
    assert closed(rack, bank).powered == ()
    assert not [drive for drive in rack.drives if drive.state in POWERED]
