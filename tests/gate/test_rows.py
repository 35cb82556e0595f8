"""Rows 45 to 48 of the fault catalogue, through slot, server, gate and drives, in virtual time.

Each row has its own judgement, and a positive control: with the reaction patched out, the very same
judgement must object. Rows 47 and 48 are played with real processes as well (`test_processes.py`).
"""

import pytest
from gate_bench import CLOSED, PERIOD_S, SPEED, InlineGate, judge_stop, replaced

from drives.bank import DriveGoal
from hil.stations.platform.gate.server import GateServer
from safety.estop import EmergencyStopWatch
from safety.modes import DriveRequest, Mode, Request
from safety.stream import SetpointStream
from safety.verdict import Check

TEMPTATIONS = (Request.RISEN, Request.ENGAGE, Request.HOME, Request.PARK)
DISCREPANCY_CYCLES = round(0.5 / PERIOD_S)


def with_estop():
    gate = InlineGate(replaced(estop_fitted=True, estop_discrepancy_cycles=DISCREPANCY_CYCLES))
    gate.bank.inputs = CLOSED
    return gate


# Row 45: the emergency stop opens in mid-motion, and closes again.


def play_row_45(opened):
    """Open while a setpoint lies in the slot; go on asking; close; tempt it."""
    gate = with_estop().moving()
    gate.bank.inputs = opened
    gate.turn(gate.ask(SPEED))  # in this cycle the drives report the opened contact
    asked = gate.ask(SPEED)
    mark = len(gate.history)
    gate.turn(asked)
    sent = len(gate.bank.sent)
    for _ in range(100):
        gate.turn(asked, *TEMPTATIONS)
    gate.bank.inputs = CLOSED
    for _ in range(100):
        gate.turn(asked, *TEMPTATIONS, reset=True)  # held down from before: no edge
    return gate, mark, sent


def judge_row_45(gate, mark, sent):
    first = gate.history[mark].verdict
    assert first.drives is DriveRequest.QUICK_STOP, "quick stop in the very cycle"
    assert first.allowed is None, "the commanded state and the stream are dropped"
    assert all(command is None for command in gate.bank.sent[sent:]), "nothing is sent any more"
    assert all(s.verdict.drives is not DriveRequest.ENABLE for s in gate.history[mark:])
    last = gate.history[-1].verdict
    assert last.mode is Mode.FAULT
    assert last.drives is DriveRequest.OFF, "off at standstill"
    assert gate.bank.goal is DriveGoal.DISABLED
    assert {fault.check for fault in last.faults} == {Check.ESTOP}


@pytest.mark.parametrize("opened", [(0, 0, 0, 0, 0, 0), (8, 0, 8, 8, 8, 8), (7, 8, 8, 8, 8, 8)])
def test_row_45_an_opened_emergency_stop_flushes_everything_and_release_moves_nothing(opened):
    judge_row_45(*play_row_45(opened))


def test_row_45_positive_control(monkeypatch):
    monkeypatch.setattr(EmergencyStopWatch, "step", lambda self, channels: [])
    with pytest.raises(AssertionError, match="quick stop in the very cycle"):
        judge_row_45(*play_row_45((0, 0, 0, 0, 0, 0)))


def test_row_45_the_fault_is_left_by_a_reset_edge_only_and_the_start_is_from_the_beginning():
    gate, _, _ = play_row_45((0, 0, 0, 0, 0, 0))
    gate.turn(reset=False)
    assert gate.turn(reset=True).verdict.mode is Mode.IDLE
    assert gate.bank.sent[-1] is None


# Row 46: one channel is stuck good.


def play_row_46():
    """Only channel 1 opens, for a second; then it is released, and the reset is pressed."""
    gate = with_estop().moving()
    gate.bank.inputs = (0, 8, 0, 0, 0, 0)
    for _ in range(2 * DISCREPANCY_CYCLES):
        gate.turn()
    gate.bank.inputs = CLOSED
    for reset in (False, True) * 5:
        gate.turn(reset=reset)
    return gate


def judge_row_46(gate):
    found = [
        status.tick.index
        for status in gate.history
        if Check.ESTOP_DISCREPANCY in {v.check for v in status.verdict.violations}
    ]
    assert found, "channels that differ are noticed"
    opened = next(s for s in gate.history if s.feedback.inputs != CLOSED).tick.index
    assert (found[0] - opened) * PERIOD_S <= 0.5 + 2 * PERIOD_S, "within 500 ms"
    assert gate.history[-1].verdict.mode is Mode.FAULT, "a welded contact is not reset away"


def test_row_46_channels_that_differ_are_a_fault_that_stays():
    judge_row_46(play_row_46())


@pytest.mark.parametrize("missing", ["_compare", "latch"])
def test_row_46_positive_control(monkeypatch, missing):
    if missing == "_compare":
        monkeypatch.setattr(EmergencyStopWatch, "_compare", lambda self, channels: None)
        words = "channels that differ are noticed"
    else:
        compare = EmergencyStopWatch._compare

        def forgetful(self, channels):
            compare(self, channels)
            self._discrepant = self._differing > self._differing_max

        monkeypatch.setattr(EmergencyStopWatch, "_compare", forgetful)
        words = "a welded contact is not reset away"
    with pytest.raises(AssertionError, match=words):
        judge_row_46(play_row_46())


def test_row_46_it_ends_when_both_have_opened():
    gate = play_row_46()
    gate.bank.inputs = (0, 0, 0, 0, 0, 0)
    gate.turn()
    gate.turn()
    gate.bank.inputs = CLOSED
    gate.turn()
    gate.turn()
    assert gate.turn(reset=True).verdict.mode is Mode.IDLE


# Row 47: control is killed. Row 48: control is stopped, or loops for ever.


def play_row_47():
    gate = InlineGate(hold_alone_s=0.4).moving()
    gate.connected = False
    return gate.run_alone()


def play_row_48():
    return InlineGate(hold_alone_s=0.4).moving().run_alone()


def be_deaf(monkeypatch):
    """Neither the end of the connection nor the missing setpoints are reacted to for a while."""
    react, begin, calls = GateServer._be_alone, SetpointStream.__init__, []

    def slowly(self, why, index):
        calls.append(why)
        if len(calls) > 30:
            react(self, why, index)

    def forgiving(self, limits, *parts):
        begin(self, limits, *parts)
        self._missing_max = 30

    monkeypatch.setattr(GateServer, "_be_alone", slowly)
    monkeypatch.setattr(SetpointStream, "__init__", forgiving)


@pytest.mark.parametrize("play", [play_row_47, play_row_48])
def test_row_47_and_row_48_the_gate_stops_alone_within_three_cycles(play):
    gate = play()
    last = judge_stop(gate.lines())
    assert last == next(s.tick.index for s in reversed(gate.history) if s.received)
    assert gate.history[-1].verdict.mode is Mode.OFF


@pytest.mark.parametrize("play", [play_row_47, play_row_48])
def test_row_47_and_row_48_positive_control(monkeypatch, play):
    be_deaf(monkeypatch)
    with pytest.raises(AssertionError, match="first corrective setpoint after"):
        judge_stop(play().lines())


def test_row_48_a_backlog_is_not_executed():
    """Whatever a stalled control writes when it wakes up, meant for then, moves nothing now."""
    gate = InlineGate(hold_alone_s=5.0).moving()
    stalled = gate.ask(SPEED)
    for _ in range(200):
        gate.cycle()
    held = gate.history[-1].verdict.allowed
    for requests in ((), (Request.RISEN,), (Request.ENGAGE,), (Request.PARK,)):
        status = gate.turn(stalled, *requests, sequence=stalled.sequence)
        assert status.verdict.mode is Mode.HOLD
        assert status.verdict.allowed.length_m == held.length_m
