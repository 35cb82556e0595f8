"""The gate's server in virtual time: whose setpoint counts when, and what it does alone."""

import dataclasses

import pytest
from gate_bench import LIMITS, PERIOD_S, SPEED, ZERO, InlineGate, judge_stop, read_box
from hypothesis import given
from hypothesis import strategies as st
from properties import at_least

from drives.bank import DriveGoal, DriveState, LinkLostError
from hil.stations.platform.gate.server import Alone
from safety.modes import DriveRequest, Mode, Request
from safety.verdict import Action, Check


def checks(status):
    return [violation.check for violation in status.verdict.violations]


def test_a_setpoint_for_this_cycle_is_followed_with_its_age():
    gate = InlineGate().moving()
    status = gate.turn(gate.ask(SPEED), age_s=0.003)
    assert status.received
    assert status.verdict.action is Action.PASSED


@pytest.mark.parametrize("offset", [-2, -1, 1, 2, 2**31])
def test_a_setpoint_for_another_cycle_is_missing_and_bridged(offset):
    gate = InlineGate().moving()
    setpoint = dataclasses.replace(gate.ask(SPEED), sequence=(gate.index + offset) % 2**32)
    status = gate.turn(setpoint, sequence=setpoint.sequence)
    assert not status.received
    assert status.verdict.action is Action.BRIDGED
    assert gate.server.unheard == 1


def test_a_setpoint_that_lay_too_long_is_stale():
    gate = InlineGate().moving()
    status = gate.turn(gate.ask(SPEED), age_s=LIMITS.setpoint_age_max_s * 1.01)
    assert Check.STALE in checks(status)
    assert status.verdict.action is Action.BRIDGED


def test_a_stamp_from_the_future_is_stale_too():
    gate = InlineGate().moving()
    assert Check.STALE in checks(gate.turn(gate.ask(SPEED), age_s=-0.001))


def test_an_order_is_obeyed_once():
    gate = InlineGate().moving()
    gate.turn(gate.ask(SPEED))
    assert [gate.cycle().verdict.action for _ in range(3)] == [
        Action.BRIDGED,
        Action.BRIDGED,
        Action.STOPPING,
    ]


@at_least(40)
@given(st.data())
def test_any_lateness_of_control_stops_along_the_path_or_goes_on(data):
    """Control writes in time, late, twice, damaged or not at all, cycle by cycle."""
    gate = InlineGate().moving()
    kinds = st.sampled_from(["good"] * 4 + ["late", "none", "twice", "damaged"])
    for kind in data.draw(st.lists(kinds, min_size=1, max_size=30)):
        if gate.history[-1].verdict.allowed is None:
            break
        setpoint = gate.ask(SPEED)
        if kind == "late":
            gate.order(setpoint, sequence=(gate.index - 1) % 2**32)
        elif kind != "none":
            gate.order(setpoint)
            if kind == "twice":
                gate.order(setpoint)
            elif kind == "damaged":
                gate.slot.buffer[40] ^= 0x10
        before = gate.history[-1].verdict
        status = gate.cycle()
        good = kind in ("good", "twice")
        assert status.received is good
        following = before.mode is Mode.ENGAGED and status.verdict.mode is Mode.ENGAGED
        if following:
            assert status.verdict.action is (Action.PASSED if good else Action.BRIDGED)
    actions = [s.verdict.action for s in gate.history]
    for first in range(len(actions) - 2):
        assert actions[first : first + 3] != [Action.BRIDGED] * 3, "two gaps are bridged at most"


def test_control_that_is_gone_is_a_stop_in_the_next_cycle():
    gate = InlineGate(hold_alone_s=0.5).moving()
    gate.connected = False
    gate.turn(gate.ask(SPEED))
    assert gate.server.alone is Alone.GONE
    assert gate.cycle().verdict.mode is Mode.CSTOP
    gate.run_alone()
    judge_stop(gate.lines())
    held = [s for s in gate.history if s.verdict.mode is Mode.HOLD]
    assert len(held) == pytest.approx(0.5 / PERIOD_S, abs=3)
    assert gate.history[-1].verdict.mode is Mode.OFF
    assert gate.bank.goal is DriveGoal.DISABLED


def test_silence_stops_and_a_control_that_comes_back_finds_a_platform_that_holds():
    gate = InlineGate(hold_alone_s=2.0, silence_s=0.2).moving()
    for _ in range(100):
        gate.cycle()
    assert gate.server.alone is Alone.SILENT
    assert gate.history[-1].verdict.mode is Mode.HOLD
    for _ in range(20):
        status = gate.turn(gate.ask(ZERO), Request.RISEN, Request.ENGAGE)
        assert status.verdict.mode is Mode.HOLD
        assert status.verdict.action is Action.HOLDING
    assert gate.server.alone is None
    assert not gate.server.ended
    assert gate.until(Mode.PARKING, Request.PARK)


def test_old_requests_are_dropped_unless_they_stop():
    gate = InlineGate().engage()
    status = gate.turn(None, Request.RISEN, sequence=gate.index - 4)
    assert status.verdict.mode is Mode.ENGAGING
    status = gate.turn(None, Request.RISEN, sequence=gate.index - 3)
    assert status.verdict.mode is Mode.ENGAGED
    status = gate.turn(None, Request.HOLD, sequence=gate.index - 1000)
    assert status.verdict.mode is Mode.CSTOP


def test_an_old_reset_is_no_reset():
    gate = InlineGate().moving()
    gate.turn(dataclasses.replace(gate.ask(SPEED), length_m=(2.0,) * 6))
    gate.until(Mode.FAULT)
    for _ in range(60):
        gate.turn()
    for reset in (False, True, False, True):
        assert gate.turn(reset=reset, sequence=gate.index - 4).verdict.mode is Mode.FAULT
    gate.turn()
    assert gate.turn(reset=True).verdict.mode is Mode.IDLE


def test_silence_while_the_legs_home_stops_the_drives():
    gate = InlineGate(silence_s=0.1)
    gate.until(Mode.IDLE, Request.CONFIGURED)
    gate.bank.request = lambda goal: setattr(gate.bank, "goal", goal)  # never homed
    gate.until(Mode.HOMING, Request.HOME)
    modes = [gate.cycle().verdict.mode for _ in range(30)]
    assert modes[20] is Mode.HOMING
    assert Mode.QSTOP in modes
    assert gate.run_alone().history[-1].verdict.drives is DriveRequest.OFF


@pytest.mark.parametrize("way", ["off", "engage", "moving"])
def test_leaving_stops_takes_the_power_off_and_ends_at_once(way):
    gate = InlineGate(hold_alone_s=2.0)
    if way != "off":
        getattr(gate, way)()
    gate.order(leave=True)
    started = gate.index
    gate.run_alone()
    assert gate.index - started < 200
    assert gate.history[-1].verdict.drives is DriveRequest.OFF
    if way == "moving":
        judge_stop(gate.lines())


def test_alone_in_a_fault_it_ends_when_the_power_is_off():
    gate = InlineGate().moving()
    gate.turn(dataclasses.replace(gate.ask(SPEED), length_m=(2.0,) * 6))
    gate.connected = False
    gate.run_alone()
    assert gate.history[-1].verdict.mode is Mode.FAULT
    assert gate.history[-1].verdict.drives is DriveRequest.OFF


def test_drives_that_never_stand_still_are_left_after_a_while():
    gate = InlineGate(hold_alone_s=0.1).moving()
    exchange = gate.bank.exchange
    moving = (0.1,) * 6
    gate.bank.exchange = lambda c: exchange(c)._replace(speed_m_s=moving)
    gate.connected = False
    gate.run_alone(6000)
    assert gate.index * PERIOD_S < 17.0
    cycles = round((0.1 + 15.0) / PERIOD_S) + 1
    assert f"no standstill within {cycles} cycles" in gate.box._events[-1][1]


def test_a_lost_link_is_not_swallowed():
    gate = InlineGate().moving()
    gate.bank.error = LinkLostError("unplugged")
    with pytest.raises(LinkLostError, match="unplugged"):
        gate.turn(gate.ask(SPEED))


def test_one_exchange_per_cycle_and_none_without():
    """The watchdogs of the drives are fed by completed cycles and by nothing else."""
    gate = InlineGate().moving()
    sent = len(gate.bank.sent)
    for _ in range(10):
        gate.order(gate.ask(SPEED))
    assert len(gate.bank.sent) == sent, "an order alone sends nothing"
    for n in range(1, 6):
        gate.cycle()
        assert len(gate.bank.sent) == sent + n


def test_the_black_box_keeps_the_time_around_the_loss(tmp_path):
    gate = InlineGate(hold_alone_s=0.1).moving(cycles=200)
    gate.connected = False
    gate.run_alone()
    gate.box.write(tmp_path / "box.jsonl")
    events, cycles = read_box(tmp_path / "box.jsonl")
    assert "control is gone" in [event["event"].split(",")[0] for event in events]
    assert cycles[-1]["cycle"] == gate.index - 1
    assert judge_stop(cycles) > 0
    with pytest.raises(FileExistsError):
        gate.box.write(tmp_path / "box.jsonl")


def test_a_quiet_run_is_no_matter_for_the_black_box():
    gate = InlineGate().moving()
    assert not gate.box.kept


def test_the_end_tells_what_was_lost_between_control_and_gate(tmp_path):
    gate = InlineGate().moving()
    late = dataclasses.replace(gate.ask(SPEED), sequence=gate.index - 1)
    gate.turn(late, sequence=late.sequence)
    gate.order(gate.ask(SPEED))
    gate.slot.buffer[40] ^= 0xFF  # one byte of the order, after its checksum was made
    gate.cycle()
    gate.connected = False
    gate.run_alone()
    gate.box.write(tmp_path / "box.jsonl")
    events, _ = read_box(tmp_path / "box.jsonl")
    assert events[-1]["event"].endswith("; 1 setpoints for another cycle, orders 0 torn, 1 corrupt")


def test_a_control_that_comes_back_while_the_power_goes_leads_no_more():
    gate = InlineGate(hold_alone_s=0.1).moving()
    exchange = gate.bank.exchange
    stirring = (0.1,) * 6  # so that the power cannot go at once
    gate.bank.exchange = lambda c: exchange(c)._replace(speed_m_s=stirring)
    for _ in range(150):
        gate.cycle()
    assert gate.history[-1].verdict.mode is Mode.HOLD
    for _ in range(5):
        gate.turn(None, Request.PARK)
        assert gate.server.alone is Alone.SILENT
    gate.bank.exchange = exchange
    gate.run_alone()
    assert gate.history[-1].verdict.mode is Mode.OFF


@pytest.mark.parametrize("leg", range(1, 7))
def test_each_drive_that_is_not_enabled_any_more_is_seen(leg):
    gate = InlineGate().moving()
    exchange = gate.bank.exchange

    def without(command):
        feedback = exchange(command)
        states = list(feedback.state)
        states[leg - 1] = DriveState.DISABLED
        return feedback._replace(state=tuple(states))

    gate.bank.exchange = without
    gate.turn(gate.ask(SPEED))
    faults = gate.turn(gate.ask(SPEED)).verdict.faults
    assert [(fault.check, fault.leg) for fault in faults] == [(Check.DRIVE, leg)]


def test_silence_counts_from_the_last_order():
    """A control that misses a cycle now and then is not silent, however long it does so."""
    gate = InlineGate(silence_s=0.1).engage()
    for n in range(400):
        if n % 3:
            gate.cycle()
        else:
            gate.turn()
        assert gate.server.alone is None


def test_alone_it_takes_no_reset():
    """A control that leaves, or is gone, has nobody any more who presses."""
    for leave in (False, True):
        gate = InlineGate(hold_alone_s=0.5).moving()
        gate.turn(dataclasses.replace(gate.ask(SPEED), length_m=(2.0,) * 6))
        gate.until(Mode.FAULT)
        for _ in range(60):
            gate.turn(reset=False)
        gate.connected = leave
        if not leave:
            gate.turn(reset=False)
        assert gate.turn(reset=True, leave=leave).verdict.mode is Mode.FAULT
