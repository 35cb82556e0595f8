"""Each fault that can be switched on, with its positive control: the same run without it."""

import math

import pytest
from sim_cylinders import (
    MODEL,
    PERIOD_S,
    REFERENCE_M,
    command,
    configured,
    cycles,
    ready,
    until,
)

from drives.bank import DriveGoal, DriveModelError, DriveState
from drives.sim.bank import FOLLOWING_ERROR
from drives.sim.faults import KINDS, FaultSchedule, SimFault

LEG = 3
INDEX = LEG - 1
OTHERS = [index for index in range(6) if index != INDEX]
START_S = 1.4
LASTING_S = 0.2
BEGIN = round(START_S / PERIOD_S)
END = BEGIN + round(LASTING_S / PERIOD_S)


def fault(kind, value=0.0, duration_s=LASTING_S):
    return SimFault(kind, LEG, START_S, duration_s, value)


def play(*faults, count=END + 300, **options):
    """Run homed, enabled legs along a slow sine; return the feedback and target of each cycle."""
    bank = ready(faults, watchdog_cycles=20, **options)
    done = bank._cycle
    assert done < BEGIN - 50
    rows, targets = [None] * done, [None] * done
    for cycle in range(done, count):
        t = (cycle - done) * PERIOD_S
        target = REFERENCE_M + 0.03 * (1.0 - math.cos(4.0 * t))
        rows.append(bank.exchange(command(target, (0.12 * math.sin(4.0 * t),) * 6)))
        targets.append(target)
    return rows, targets, bank


def error(rows, targets, begin, end):
    return max(abs(rows[k].length_m[INDEX] - targets[k][INDEX]) for k in range(begin, end))


def test_without_faults_the_legs_follow():
    rows, targets, _ = play()
    assert error(rows, targets, BEGIN, END + 300) < 1e-4
    assert all(rows[k].fresh == (True,) * 6 for k in range(BEGIN, END))
    assert rows[-1].state == (DriveState.ENABLED,) * 6


@pytest.mark.parametrize("kind", KINDS)
def test_no_fault_touches_another_leg_or_the_time_before_it(kind):
    value = {"lag": 5.0, "feedback_jump": 0.05, "drive_fault": 0x7305}.get(kind, 0.0)
    with_it, _, _ = play(fault(kind, value))
    without, _, _ = play()
    changed = False
    for k in range(BEGIN - 50, END):
        for index in OTHERS:
            assert with_it[k].length_m[index] == without[k].length_m[index]
            assert with_it[k].state[index] is without[k].state[index]
            assert with_it[k].fresh[index]
        same = repr(with_it[k]) == repr(without[k])
        assert same or k >= BEGIN
        changed = changed or not same
    assert changed  # the control: it does something to its own leg
    assert repr(with_it[BEGIN]) != repr(without[BEGIN])  # and from its first cycle


def test_lag_grows_the_following_error_and_goes_away():
    rows, targets, _ = play(fault("lag", 5.0))
    assert error(rows, targets, BEGIN, END) > 0.003
    assert error(rows, targets, END + 200, END + 300) < 1e-4


def test_lag_beyond_the_drives_window_trips_that_drive():
    rows, _, _ = play(fault("lag", 8.0), following_window_m=0.003)
    assert rows[-1].state[INDEX] is DriveState.FAULT
    assert rows[-1].fault_code[INDEX] == FOLLOWING_ERROR
    assert all(rows[-1].state[index] is DriveState.ENABLED for index in OTHERS)


def test_stuck_feedback_repeats_values_while_the_rod_moves_on():
    rows, targets, _ = play(fault("stuck_feedback"))
    stuck = {(r.length_m[INDEX], r.speed_m_s[INDEX]) for r in rows[BEGIN:END]}
    assert stuck == {(rows[BEGIN - 1].length_m[INDEX], rows[BEGIN - 1].speed_m_s[INDEX])}
    assert all(r.fresh[INDEX] and r.state[INDEX] is DriveState.ENABLED for r in rows[BEGIN:END])
    assert error(rows, targets, BEGIN, END) > 0.005
    assert error(rows, targets, END, END + 300) < 1e-4


def test_feedback_jumps_by_the_value_and_back():
    rows, targets, _ = play(fault("feedback_jump", -0.05))
    for k in range(BEGIN, END):
        assert rows[k].length_m[INDEX] - targets[k][INDEX] == pytest.approx(-0.05, abs=1e-4)
    assert error(rows, targets, END, END + 300) < 1e-4


def test_feedback_that_is_not_a_number():
    rows, targets, _ = play(fault("feedback_nan"))
    assert all(math.isnan(r.length_m[INDEX]) for r in rows[BEGIN:END])
    assert error(rows, targets, END, END + 300) < 1e-4


def test_a_lost_frame_leaves_the_last_one_and_is_not_fresh():
    trip = SimFault("drive_fault", LEG, START_S + 0.05, 0.05, 0x7305)
    rows, _, _ = play(fault("lost_feedback"), trip)
    last = rows[BEGIN - 1]
    for r in rows[BEGIN:END]:
        assert r.fresh == tuple(index != INDEX for index in range(6))
        assert r.length_m[INDEX] == last.length_m[INDEX]
        assert r.state[INDEX] is DriveState.ENABLED  # the trip is in the frames that are lost
        assert r.fault_code[INDEX] == 0
    assert rows[END].state[INDEX] is DriveState.FAULT
    assert rows[END].fault_code[INDEX] == 0x7305


def test_a_frame_lost_from_the_first_cycle_leaves_the_values_of_power_up():
    bank = configured([SimFault("lost_feedback", LEG, 0.0)])
    feedback = bank.exchange(None)
    assert feedback.fresh[INDEX] is False
    assert feedback.state[INDEX] is DriveState.DISABLED
    healthy = configured().exchange(None)
    assert feedback.length_m[INDEX] == healthy.length_m[INDEX]


def test_a_drive_fault_stops_its_leg_and_stays_until_acknowledged():
    rows, _, bank = play(fault("drive_fault", 0x2310))
    assert {r.fault_code[INDEX] for r in rows[BEGIN:]} == {0x2310}
    assert rows[-1].speed_m_s[INDEX] == 0.0
    assert rows[-1].state[INDEX] is DriveState.FAULT
    assert rows[-1].state[0] is DriveState.ENABLED
    bank.request(DriveGoal.DISABLED)
    assert until(bank, lambda f: f.fault_code[INDEX] == 0).state[INDEX] is DriveState.DISABLED


def test_a_drive_fault_whose_cause_lasts_cannot_be_acknowledged():
    _, _, bank = play(fault("drive_fault", 0x2310, duration_s=None))
    bank.request(DriveGoal.DISABLED)
    assert cycles(bank, 500).fault_code[INDEX] == 0x2310
    bank.request(DriveGoal.ENABLED)
    states = cycles(bank, 100).state
    assert DriveState.ENABLED not in states  # all six or none


def test_a_drive_that_drops_out_brakes_without_a_fault_and_holds_the_others_back():
    rows, _, bank = play(fault("disabled"), count=BEGIN + 50)
    assert {r.state[INDEX] for r in rows[BEGIN:]} == {DriveState.DISABLED}
    assert {r.fault_code[INDEX] for r in rows[BEGIN:]} == {0}
    assert rows[-1].speed_m_s[INDEX] == 0.0
    bank.request(DriveGoal.DISABLED)
    bank.exchange(None)
    bank.request(DriveGoal.ENABLED)
    while bank._cycle < END:
        assert DriveState.ENABLED not in bank.exchange(None).state
    until(bank, lambda f: f.state == (DriveState.ENABLED,) * 6, at_most=20)


def test_a_blocked_rod_stands_while_its_drive_pushes():
    rows, targets, _ = play(fault("blocked"))
    assert len({r.length_m[INDEX] for r in rows[BEGIN:END]}) == 1
    assert {r.speed_m_s[INDEX] for r in rows[BEGIN:END]} == {0.0}
    pushing = rows[END - 1].force_n[INDEX] - MODEL.static_load_n[INDEX]
    ahead = targets[END - 1][INDEX] - rows[END - 1].length_m[INDEX]
    assert pushing * ahead > 0.0
    assert abs(pushing) > 100.0
    assert error(rows, targets, END + 250, END + 300) < 1e-3


def test_a_rod_blocked_in_homing_is_not_homed_and_goes_on_smoothly_when_free():
    bank = configured([SimFault("blocked", LEG, 0.02, 1.0)])
    bank.request(DriveGoal.HOMED)
    while bank._cycle < round(1.0 / PERIOD_S):
        feedback = bank.exchange(None)
    assert feedback.homed == tuple(index != INDEX for index in range(6))
    before = feedback.speed_m_s[INDEX]
    for _ in range(1000):
        feedback = bank.exchange(None)
        jump = abs(feedback.speed_m_s[INDEX] - before) / PERIOD_S
        assert jump <= MODEL.acceleration_max_m_s2[INDEX]
        before = feedback.speed_m_s[INDEX]
    assert all(feedback.homed)
    assert bank.rod_length_m == pytest.approx(REFERENCE_M, abs=0.0)


def test_two_faults_of_the_feedback_add_up_and_a_stuck_one_does_not_drift():
    jump = SimFault("feedback_jump", LEG, START_S, LASTING_S, 0.02)
    rows, _, _ = play(fault("stuck_feedback"), jump)
    stuck = {r.length_m[INDEX] for r in rows[BEGIN:END]}
    assert stuck == {rows[BEGIN - 1].length_m[INDEX] + 0.02}


def test_a_short_fault_lasts_one_cycle_at_least():
    schedule = FaultSchedule([SimFault("feedback_nan", 1, 0.004, 1e-6)], PERIOD_S)
    assert [bool(schedule.active(cycle)) for cycle in range(5)] == [
        False,
        False,
        True,
        False,
        False,
    ]
    assert [cycle in schedule.changes for cycle in range(5)] == [False, False, True, True, False]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("melted", 1, 0.0), "kind is 'melted', it must be one of lag, "),
        (("blocked", 0, 0.0), "leg is 0, it must be 1 to 6"),
        (("blocked", 7, 0.0), "leg is 7"),
        (("blocked", 1, -1.0), "start_s is -1.0 s"),
        (("blocked", 1, math.nan), "start_s is nan s"),
        (("blocked", 1, 0.0, 0.0), "duration_s is 0.0 s"),
        (("lag", 1, 0.0, 1.0, 1.0), "a factor above 1"),
        (("feedback_jump", 2, 0.0, 1.0, 0.0), "fault feedback_jump of leg 2: value is 0.0 m"),
        (("drive_fault", 1, 0.0, 1.0, 0), "an error code 1 to 65535"),
        (("drive_fault", 1, 0.0, 1.0, 65536), "an error code 1 to 65535"),
    ],
)
def test_a_fault_that_cannot_be_carried_out_is_refused(arguments, text):
    with pytest.raises(DriveModelError, match=text):
        SimFault(*arguments)
