"""A quick stop that does not stop a leg ends in the loss of its power."""

import math

import pytest
from safety_samples import DT, NO, YES, ZERO, Bench, changed, feedback, make_limits

from safety.modes import Mode
from safety.quick_stop import LATENCY_S, RAMPS, QuickStopWatch
from safety.verdict import Check, DriveRequest

LIMITS = make_limits()
MARGIN = [leg.acceleration_max_m_s2 * LATENCY_S for leg in LIMITS.legs]
PATIENCE = LIMITS.standstill_cycles + math.ceil(
    (RAMPS * max(leg.speed_max_m_s / leg.stop_deceleration_m_s2 for leg in LIMITS.legs) + LATENCY_S)
    / DT
)


def begun(speed_m_s=ZERO, **changes):
    watch = QuickStopWatch(LIMITS)
    watch.begin(feedback(speed_m_s=speed_m_s, **changes), failed=False)
    return watch


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("leg", range(1, 7))
def test_a_leg_may_gain_as_much_as_a_late_ramp_lets_it_and_no_more(leg, sign):
    start = changed(ZERO, leg, sign * 0.1)
    most = 0.1 + MARGIN[leg - 1]
    assert begun(start).step(feedback(speed_m_s=changed(ZERO, leg, sign * most))) == []
    watch = begun(start)
    (found,) = watch.step(feedback(speed_m_s=changed(ZERO, leg, sign * (most + 1e-9))))
    assert (found.check, found.leg, found.limit) == (Check.QUICK_STOP, leg, pytest.approx(most))
    assert watch.failed
    assert "it does not slow down" in str(found)


@pytest.mark.parametrize("start", [math.nan, math.inf, 50.0])
def test_what_was_read_at_the_beginning_permits_no_more_than_the_limits(start):
    most = LIMITS.legs[2].speed_max_m_s + MARGIN[2]
    watch = begun(changed(ZERO, 3, start))
    assert watch.step(feedback(speed_m_s=changed(ZERO, 3, most))) == []
    assert watch.step(feedback(speed_m_s=changed(ZERO, 3, most + 1e-9)))


def test_a_speed_that_is_no_number_fails_and_a_silent_leg_cannot_be_judged():
    assert begun().step(feedback(speed_m_s=changed(ZERO, 3, math.nan)))
    silent = feedback(speed_m_s=changed(ZERO, 3, 9.0), fresh=changed(YES, 3, False))
    assert begun().step(silent) == []


@pytest.mark.parametrize("heard", [feedback(), None])
def test_a_quick_stop_has_an_end(heard):
    watch = begun()
    for _ in range(PATIENCE):
        assert watch.step(heard) == []
        assert not watch.failed
    (found,) = watch.step(heard)
    assert found.leg is None
    assert watch.failed
    assert watch.step(heard) == []  # told once
    assert watch.failed
    watch.begin(heard, failed=False)
    assert not watch.failed


def quick_stopped():
    bench = Bench().moving()
    bench.cycle(fb=bench.read(enabled=(False, False, True, True, True, True)))
    assert bench.verdict.mode is Mode.QSTOP
    assert bench.verdict.drives is DriveRequest.QUICK_STOP
    return bench


def test_the_gate_takes_the_power_from_legs_that_run_away():
    bench = quick_stopped()
    for k in range(200):
        speeds = changed(ZERO, 5, 0.004 * k)
        bench.cycle(fb=bench.read(speed_m_s=speeds, enabled=NO))
        if bench.verdict.mode is not Mode.QSTOP:
            break
    assert 0.004 * k <= 0.02 + MARGIN[4] + 0.004
    assert bench.verdict.mode is Mode.FAULT
    assert bench.verdict.drives is DriveRequest.OFF
    assert any(fault.check is Check.QUICK_STOP for fault in bench.verdict.faults)


def test_the_gate_takes_the_power_when_nobody_can_be_heard():
    bench = quick_stopped()
    cycles = 0
    while bench.verdict.mode is Mode.QSTOP:
        bench.cycle(fb=None)
        cycles += 1
        assert cycles <= PATIENCE + 1
    assert cycles > PATIENCE - 5
    assert bench.verdict.mode is Mode.FAULT
    assert bench.verdict.drives is DriveRequest.OFF


def test_legs_that_slow_down_keep_their_power_until_they_stand():
    bench = quick_stopped()
    for k in range(40):
        speeds = (0.1 * (1 - k / 40),) * 6
        bench.cycle(fb=bench.read(speed_m_s=speeds, enabled=NO))
        assert bench.verdict.drives is DriveRequest.QUICK_STOP
    for _ in range(LIMITS.standstill_cycles):
        bench.cycle(fb=bench.read(enabled=NO))
    assert bench.verdict.mode is Mode.FAULT
    assert bench.verdict.drives is DriveRequest.OFF
    assert not any(fault.check is Check.QUICK_STOP for fault in bench.verdict.faults)


@pytest.mark.pure_build
def test_a_locked_gate_cuts_the_power_of_legs_that_run_away():
    bench = Bench().moving()
    bench.gate._command.last = lambda: 1 / 0
    bench.cycle(bench.setpoint(bench.length_m))
    assert bench.verdict.mode is Mode.LOCKOUT
    assert bench.verdict.drives is DriveRequest.QUICK_STOP
    for _ in range(3):
        bench.cycle(fb=bench.read(speed_m_s=changed(ZERO, 2, 2.0), enabled=NO))
    assert bench.verdict.drives is DriveRequest.OFF


def test_a_fault_while_the_drives_are_being_enabled_lets_none_go_on():
    """Nothing is led yet, so there is no path to stop along: no enable bit from now on."""
    bench = Bench().homing()
    while bench.verdict.mode is not Mode.STANDBY:
        bench.cycle()
    assert bench.verdict.allowed is None
    bench.cycle(fb=bench.read(fault_code=(0, 0, 0x8611, 0, 0, 0), enabled=NO))
    assert bench.verdict.mode is Mode.QSTOP
    for _ in range(50):
        assert bench.verdict.drives in (DriveRequest.QUICK_STOP, DriveRequest.OFF)
        bench.cycle(fb=bench.read(enabled=NO))
    assert bench.verdict.mode is Mode.FAULT


def test_a_second_quick_stop_has_its_whole_patience():
    watch = begun()
    for _ in range(PATIENCE):
        assert watch.step(None) == []
    watch.begin(None, failed=False)
    for _ in range(PATIENCE):
        assert watch.step(None) == []
        assert not watch.failed
    assert watch.step(None)
