"""Rows 21, 22, 24, 25 and 49 on drives behind a Modbus gateway, at T = 10 ms."""

import contextlib

import pytest
from bench_on_modbus import PERIOD_S, BenchOnModbus
from fault_bench import FAST_LEG, SLOW_LEG
from fault_judges import (
    corrective,
    latched,
    nothing_comes_back,
    reacts_within,
    rods_at_rest,
    run_on,
    stopped_along_the_path,
)

from drives.modbus.setup import DeviceSetup
from safety.feedback import FeedbackWatch
from safety.plausibility import PlausibilityWatch
from safety.verdict import Check

EMCY = 0x4210
WATCHDOG_S = 0.05
SETTLE_S = 0.03


@contextlib.contextmanager
def struck(kind, leg, value=0.0):
    """A bench in motion that has been struck, and has run on."""
    bench = BenchOnModbus()
    try:
        yield run_on(bench.moving().strike(kind, leg, value))
    finally:
        bench.close()


def judge(bench, bound_cycles, check, leg, *, own=True, let_go=True):
    """Did all six stop together in time, for the right reason, and for good?

    Args:
        bench: the bench.
        bound_cycles: of the row.
        check: which check has to object.
        leg: the leg it has to name.
        own: whether that leg's drive had to stop in its own way.
        let_go: whether the legs are seen to stand.
    """
    but = (leg,) if own else ()
    reacts_within(bench, bound_cycles)
    stopped_along_the_path(bench, but=but)
    rods_at_rest(bench, but=but)
    nothing_comes_back(bench, let_go=let_go)
    return latched(bench, check, leg)


def judge_row_21(bench):
    assert judge(bench, 2, Check.DRIVE, FAST_LEG).value == EMCY, "the drive's code is told"


def judge_row_22(bench):
    note = judge(bench, 2, Check.DRIVE, FAST_LEG).note
    assert "does not follow setpoints any more" in note


def judge_row_24(bench):
    judge(bench, round(0.1 / PERIOD_S) + 1, Check.STUCK, SLOW_LEG, own=False, let_go=False)


def judge_row_25(bench):
    fault = judge(bench, 1, Check.JUMP, FAST_LEG)
    assert abs(fault.value) == pytest.approx(0.05, abs=0.003)
    first = corrective(bench)
    before, now = (bench.history[first - k].sent.length_m[FAST_LEG - 1] for k in (1, 0))
    assert abs(now - before) < 0.002, "no step into what was measured"


def test_row_21_modbus_a_drive_trips():
    with struck("emcy", FAST_LEG, EMCY) as bench:
        judge_row_21(bench)


def test_row_22_modbus_a_drive_switches_itself_off():
    with struck("state_drop", FAST_LEG) as bench:
        judge_row_22(bench)


def test_row_24_modbus_feedback_frozen():
    with struck("stuck", SLOW_LEG) as bench:
        judge_row_24(bench)


def test_row_25_modbus_feedback_jumps():
    with struck("jump", FAST_LEG, 0.05) as bench:
        judge_row_25(bench)


@pytest.mark.parametrize(
    ("watch", "check", "judge_row", "fault"),
    [
        (FeedbackWatch, "_judge_status", judge_row_21, ("emcy", FAST_LEG, EMCY)),
        (FeedbackWatch, "_judge_status", judge_row_22, ("state_drop", FAST_LEG)),
        (PlausibilityWatch, "_judge_stuck", judge_row_24, ("stuck", SLOW_LEG)),
        (PlausibilityWatch, "_judge_jump", judge_row_25, ("jump", FAST_LEG, 0.05)),
    ],
)
def test_row_21_and_22_and_24_and_25_modbus_positive_control(
    monkeypatch, watch, check, judge_row, fault
):
    monkeypatch.setattr(watch, check, lambda *args: None)
    with struck(*fault) as bench, pytest.raises(AssertionError, match=r"first corrective|no react"):
        judge_row(bench)


# Row 49: nobody asks the gateway any more.


def play_row_49():
    bench = BenchOnModbus()
    try:
        bench.moving()
        bench.spoke_s = bench.last.at_s
        bench.speed_m_s = max(abs(v) for v in bench.last.true_m_s)
        return bench.disappear().watch_rods(0.4)
    finally:
        bench.close()


def judge_row_49(bench):
    for sample in bench.watched:
        if sample.at_s > bench.spoke_s + WATCHDOG_S + 0.001:
            assert "OPERATION_ENABLED" not in sample.states, "all six have noticed within 50 ms"
    ramp_s = bench.speed_m_s / min(leg.stop_deceleration_m_s2 for leg in bench.limits.legs)
    rest_s = bench.spoke_s + WATCHDOG_S + ramp_s + SETTLE_S
    late = [s for s in bench.watched if s.at_s > rest_s]
    assert max(abs(v) for s in late for v in s.true_m_s) < 1e-3, "at rest after the ramp"


def test_row_49_modbus_gate_gone():
    judge_row_49(play_row_49())


def test_row_49_modbus_positive_control(monkeypatch):
    set_watchdog = DeviceSetup._set_watchdog

    def switch_off(self, gateway, unit, wanted_ms):
        set_watchdog(self, gateway, unit, 0)

    monkeypatch.setattr(DeviceSetup, "_set_watchdog", switch_off)
    with pytest.raises(AssertionError, match="all six have noticed"):
        judge_row_49(play_row_49())
