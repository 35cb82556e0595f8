"""The cut: a drive that stops by itself is timed, one whose watchdog is dead is named."""

from itertools import pairwise

import pytest
from canopen_bench import bench, six
from hypothesis import given
from hypothesis import strategies as st
from modbus_bench import BenchBank, RackThread

from drives.axes.cut_trial import NOT_SEEN, CutTrial
from drives.bank import DriveGoal, DriveState, LegCommand
from drives.modbus.bank import ModbusBank
from sim.devices.faults import Injection
from sim.devices.modbus.injection import ModbusInjection

ENABLED = six(DriveState.ENABLED)
WATCHDOG_US = 50_000
SPEED_M_S = 0.005


def ready(bank):
    bank.configure()
    for goal, reached in (
        (DriveGoal.HOMED, lambda f: all(f.homed)),
        (DriveGoal.ENABLED, lambda f: f.state == ENABLED),
    ):
        bank.request(goal)
        for _ in range(3000):
            feedback = bank.exchange(None)
            if reached(feedback):
                break
    assert feedback.state == ENABLED
    return feedback


def lead(bank, speed_m_s, period_s, feedback, rods, cycles=600):
    """Lead all legs at a speed until the cut is over; return the ways of the rods in it [m]."""
    begin_m, silent_m, cut_m = feedback.length_m, None, None
    for cycle in range(cycles):
        way_m = speed_m_s * cycle * period_s
        command = LegCommand(tuple(x + way_m for x in begin_m), six(speed_m_s))
        feedback = bank.exchange(command)
        if not any(feedback.fresh) and silent_m is None:
            silent_m = [rod.x_m for rod in rods]
        if silent_m is not None and any(feedback.fresh):
            cut_m = [rod.x_m for rod in rods]
            break
    for _ in range(50):
        feedback = bank.exchange(None)
    return [b - a for a, b in zip(silent_m, cut_m, strict=True)], feedback


@pytest.mark.parametrize("speed_m_s", [0.0, SPEED_M_S])
@pytest.mark.parametrize("dead", [None, 4])
def test_a_cut_of_canopen_drives(speed_m_s, dead):
    rig = bench(cut_m_s=speed_m_s)
    feedback = ready(rig.bank)
    if dead:
        rig.rack.faults.start(Injection("unwatched", node=dead), rig.time.now)
        rig.bank.exchange(LegCommand(feedback.length_m, six(0.0)))
    rig.buses[0].keep_sent = True
    ways_m, feedback = lead(rig.bank, speed_m_s, 0.004, feedback, rig.rack.rods)
    stop_us = rig.bank.close().cut_us
    for leg, time_us in enumerate(stop_us, start=1):
        if leg == dead:
            assert time_us == NOT_SEEN
            assert feedback.state[leg - 1] is not DriveState.FAULT
        else:
            assert 10_000 < time_us <= WATCHDOG_US + 8_000
            assert feedback.state[leg - 1] is DriveState.FAULT
    assert max(map(abs, ways_m)) < 1e-3
    silent = longest_silence(rig.buses[0].sent)
    assert silent >= (0.15 if dead else 0.03), "nothing but SDO requests went out meanwhile"


def longest_silence(sent):
    """Longest time without any frame of the bench but requests [s]."""
    times = [at_s for at_s, frame in sent if frame.can_id & 0x780 != 0x600]
    return max(b - a for a, b in pairwise(times))


@pytest.mark.real_time
@pytest.mark.parametrize("dead", [None, 2])
def test_a_cut_of_modbus_drives(dead):
    rack = RackThread("tcp")
    bank = BenchBank(rack, 0.01, cut_m_s=SPEED_M_S)
    try:
        feedback = ready(bank)
        if dead:
            rack.faults.start(ModbusInjection("unwatched", axis=dead), rack.now_s())
        ways_m, _ = lead(bank, SPEED_M_S, 0.01, feedback, rack.core.rods)
        stop_us = ModbusBank.close(bank).cut_us
        for leg, time_us in enumerate(stop_us, start=1):
            bound = time_us == NOT_SEEN if leg == dead else 0 < time_us <= WATCHDOG_US + 35_000
            assert bound, stop_us
        assert max(map(abs, ways_m)) < 1e-3
    finally:
        bank.close()


def test_a_bank_that_is_not_told_to_never_falls_silent():
    rig = bench()
    feedback = ready(rig.bank)
    rig.buses[0].keep_sent = True
    for _ in range(200):
        rig.bank.exchange(LegCommand(feedback.length_m, six(0.0)))
    assert longest_silence(rig.buses[0].sent) < 0.005
    assert rig.bank.close().cut_us == ()


@given(st.lists(st.lists(st.sampled_from([True, False, None]), min_size=6, max_size=6), min_size=1))
def test_a_drive_that_was_never_seen_stopped_has_no_time(cycles):
    trial = CutTrial(0.0, 0.05, 0.01)
    rest = LegCommand(six(0.7), six(0.0))
    while not trial.silent:
        trial.led(rest, following=True, sent_s=10.0)
    for number, enabled in enumerate(cycles, start=1):
        trial.see(enabled, 10.0 + 0.01 * number)
        if trial.over:
            break
    for leg, time_us in enumerate(trial.stop_us):
        seen = [row[leg] for row in cycles[:number]]
        assert (time_us == NOT_SEEN) == (False not in seen)
        if False in seen:
            assert time_us == round(1e4 * (seen.index(False) + 1))


@given(st.floats(0.0, 0.1), st.sampled_from([0.0, SPEED_M_S]))
def test_the_silence_begins_at_its_own_speed_only(speed_m_s, wanted_m_s):
    trial = CutTrial(wanted_m_s, 0.05, 0.01)
    for _ in range(100):
        trial.led(LegCommand(six(0.7), six(speed_m_s)), following=True, sent_s=10.0)
    expected = speed_m_s <= 1e-6 if wanted_m_s == 0.0 else 0.0045 <= speed_m_s <= 0.0056
    assert trial.silent == expected
