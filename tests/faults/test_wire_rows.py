"""Rows 28, 32 and 49: frames that get lost, an adapter that gives up, a gate that is gone.

Each row's judgement is a function; the positive control patches the reaction out and the very same
judgement must object.
"""

import dataclasses
import threading

import pytest
from bench_on_rack import in_motion, set_in_motion
from fault_bench import FAST_LEG
from fault_judges import (
    corrective,
    latched,
    nothing_comes_back,
    reacts_within,
    rods_at_rest,
    run_on,
    stopped_along_the_path,
)

from drives.bank import LinkLostError
from drives.can.frames import Frame
from drives.canopen import exchange as canopen_exchange
from drives.canopen import setup as canopen_setup
from drives.canopen.watchdogs import Watchdogs
from safety.feedback import FeedbackWatch
from safety.modes import Mode
from safety.verdict import Action, Check

LEG = FAST_LEG
ALL = frozenset(range(1, 7))
TOLERATED = 2
"""Cycles that a leg may be silent in a row."""


# Row 28: process data of the drives get lost.


def play_row_28(leg, chance, lost_cycles=None, cycles=120, **limits):
    bench = in_motion(limits=limits) if limits else in_motion()
    bench.strike("drop", leg, chance, lost_cycles)
    return bench.follow(cycles)


def third_in_a_row(bench):
    """Cycle in which a leg was silent for the third time in a row; None if none was."""
    silent = dict.fromkeys(ALL, 0)
    for cycle in bench.history[bench.cause :]:
        for leg in ALL:
            silent[leg] = 0 if leg in cycle.heard else silent[leg] + 1
        if max(silent.values()) > TOLERATED:
            return cycle.index
    return None


def judge_row_28(bench):
    """Up to two are bridged without a trace; the cycle after the third one brings the stop."""
    assert any(c.heard != ALL for c in bench.history[bench.cause :]), "frames were lost"
    third = third_in_a_row(bench)
    if third is None:
        actions = {c.verdict.action for c in bench.history[bench.cause :]}
        assert actions == {Action.PASSED}, "two lost frames are tolerated"
        for true, asked in zip(bench.last.true_m, bench.last.asked_m, strict=True):
            assert abs(true - asked) < 0.001, "the rods went on along the path"
        return
    after = corrective(bench) - third
    assert after == 1, f"the stop came {after} cycles after the third lost frame"
    stopped_along_the_path(bench)
    checks = {fault.check for fault in bench.last.verdict.faults}
    assert checks == {Check.FEEDBACK}


@pytest.mark.parametrize("lost", [1, 2, 3])
def test_row_28_frames_missing_in_a_row(lost):
    bench = play_row_28(LEG, 1.0, lost)
    unheard = [c.index - bench.cause for c in bench.history if c.heard != ALL and c.asked_m]
    assert unheard[:lost] == list(range(lost)), "as many as were meant to be"
    assert len(unheard) == lost
    judge_row_28(bench)
    if lost > TOLERATED:
        reacts_within(bench, 3)
        run_on(bench, 20)
        rods_at_rest(bench)
        nothing_comes_back(bench)
        latched(bench, Check.FEEDBACK, LEG)


def test_row_28_one_frame_in_a_hundred_is_lost():
    bench = play_row_28(0, 0.01, cycles=300)
    assert third_in_a_row(bench) is None
    judge_row_28(bench)


def test_row_28_one_frame_in_ten_is_lost():
    """Sooner or later one leg is silent three times in a row."""
    bench = play_row_28(0, 0.10, cycles=1)
    while third_in_a_row(bench) is None:
        assert len(bench.history) < bench.cause + 2000, "that is one case in a thousand"
        bench.follow(20)
    judge_row_28(bench.follow(20))


def test_row_28_positive_control_nobody_counts(monkeypatch):
    monkeypatch.setattr(FeedbackWatch, "_miss", lambda *args: None)
    with pytest.raises(AssertionError, match="no reaction"):
        judge_row_28(play_row_28(LEG, 1.0, 3))


def test_row_28_positive_control_nothing_is_tolerated():
    with pytest.raises(AssertionError, match="two lost frames are tolerated"):
        judge_row_28(play_row_28(LEG, 1.0, 1, missing_feedback_max=0))


# Row 32: the adapter becomes error passive, or leaves the bus.

ADAPTER_S = 0.1


def play_row_32_passive(make=in_motion):
    bench = make()
    bench.strike("error_passive", cycles=60)  # and then it recovers
    return run_on(bench)


def judge_row_32_passive(bench):
    reacts_within(bench, round(ADAPTER_S / bench.period_s))
    rods_at_rest(bench, but=ALL)  # each drive stops on its own ramp
    nothing_comes_back(bench)
    assert latched(bench, Check.DRIVE, LEG).value == 0x8120


def test_row_32_error_passive():
    judge_row_32_passive(play_row_32_passive())


def play_row_32_bus_off(make=in_motion):
    """As the loop of a run does, nobody goes on after a lost link, and the bank is closed."""
    bench = make()
    bench.bus.keep_sent = True
    bench.strike("bus_off")
    bench.lost = ""
    began_s = bench.time.now
    try:
        run_on(bench)
    except LinkLostError as error:
        bench.lost = str(error)
    bench.lost_after_s = bench.time.now - began_s
    bench.gated.close()
    bench.said = len(bench.bus.sent)
    bench.watch_rods(0.3)
    bench.rack.faults.clear(bench.time.now)
    bench.watch_rods(0.3)
    return bench


def judge_row_32_bus_off(bench):
    assert "bus off" in bench.lost, "the lost link is told"
    assert bench.lost_after_s <= ADAPTER_S, f"told after {bench.lost_after_s} s"
    if len(bench.history) - bench.cause > 3:
        reacts_within(bench, 3)  # by the gate, as no answers come, if the adapter is asked later
    assert len(bench.bus.sent) == bench.said, "nothing is sent any more, the bus healthy or not"
    for sample in bench.watched[-250:]:
        assert max(abs(v) for v in sample.true_m_s) < 1e-3, "the rods stand"
    assert "OPERATION_ENABLED" not in bench.watched[-1].states, "the drives let go by themselves"


def test_row_32_bus_off():
    judge_row_32_bus_off(play_row_32_bus_off())


def test_row_32_bus_off_for_a_moment_is_no_reason_to_go_on():
    """Between two looks at the adapter: the missing answers alone stop the platform."""
    bench = in_motion()
    looks = bench.bus.looks
    while bench.bus.looks == looks:
        bench.follow(1)
    bench.strike("bus_off", cycles=3)
    run_on(bench)
    reacts_within(bench, 3)
    assert bench.history[corrective(bench)].verdict.mode is Mode.QSTOP, "more than one leg is lost"
    rods_at_rest(bench, but=ALL)  # each drive stops on its own ramp
    nothing_comes_back(bench)


@pytest.mark.parametrize(
    ("play", "judge", "words"),
    [
        (play_row_32_passive, judge_row_32_passive, "no reaction"),
        (play_row_32_bus_off, judge_row_32_bus_off, "the lost link is told"),
    ],
)
def test_row_32_positive_control(monkeypatch, play, judge, words):
    monkeypatch.setattr(canopen_exchange, "HEALTH_EVERY_S", float("inf"))
    with pytest.raises(AssertionError, match=words):
        judge(play(set_in_motion))


# Row 49: the gate is gone, from one cycle to the next; the drives are on their own.

WATCHDOG_S = 0.05
SETTLE_S = 0.03
"""Of a position loop of 25 Hz, after the end of its ramp."""
LOOK_S = 0.002
"""The frames of a cycle take one millisecond on the bus, and the drives are looked at every one."""


def play_row_49(repeat_s=None):
    """Nobody calls the bench any more; with `repeat_s`, something goes on sending for it."""
    others = set(threading.enumerate())
    bench = set_in_motion()
    bench.helpers = set(threading.enumerate()) - others
    bench.bus.keep_sent = True
    bench.follow(1)
    bench.speed_m_s = max(abs(v) for v in bench.last.true_m_s)
    bench.spoke_s = bench.bus.sent[-1][0]
    repeated = [*(frame for _, frame in bench.bus.sent), Frame(0x77F, b"\x05")]
    bench.said = len(bench.bus.sent)
    while bench.time.now < bench.spoke_s + 0.4:
        if repeat_s is not None:
            bench.bus.send_frames(repeated)
        bench.watch_rods(repeat_s or 0.1)
    return bench


def judge_row_49(bench):
    assert len(bench.bus.sent) == bench.said, "no frame of ours feeds a watchdog"
    assert not bench.helpers, f"nobody is there who could send one, but {bench.helpers}"
    on_their_own = [s for s in bench.watched if s.at_s > bench.spoke_s + WATCHDOG_S + LOOK_S]
    for sample in on_their_own:
        assert "OPERATION_ENABLED" not in sample.states, "all six have noticed within 50 ms"
    ramp_s = bench.speed_m_s / min(leg.stop_deceleration_m_s2 for leg in bench.limits.legs)
    rest_s = bench.spoke_s + WATCHDOG_S + ramp_s + SETTLE_S
    for sample in bench.watched:
        if sample.at_s > rest_s:
            speed = max(abs(v) for v in sample.true_m_s)
            assert speed < 1e-3, f"still {speed} m/s {sample.at_s - bench.spoke_s} s after"
    assert set(bench.watched[-1].states) == {"FAULT"}, "they stay where they are, without force"


def without_heartbeat(monkeypatch):
    def pretended(self):
        self._produce()
        self.used.append("a heartbeat that is not expected of the bench")
        return True

    monkeypatch.setattr(Watchdogs, "_heartbeat", pretended)


def without_event_timer(monkeypatch):
    layouts = canopen_setup.layouts

    def untimed(settings, period_s):
        pdos = layouts(settings, period_s)
        return tuple(dataclasses.replace(p, event_ms=0) if p.received else p for p in pdos)

    monkeypatch.setattr(canopen_setup, "layouts", untimed)


def with_both(monkeypatch):
    pass


@pytest.mark.parametrize("less", [with_both, without_heartbeat, without_event_timer])
def test_row_49_gate_gone(monkeypatch, less):
    """Either watchdog of a drive is enough."""
    less(monkeypatch)
    judge_row_49(play_row_49())


def test_row_49_positive_control(monkeypatch):
    without_heartbeat(monkeypatch)
    without_event_timer(monkeypatch)
    with pytest.raises(AssertionError, match="all six have noticed"):
        judge_row_49(play_row_49())


def test_row_49_positive_control_a_helper_feeds_the_watchdog():
    bench = play_row_49(repeat_s=0.004)
    with pytest.raises(AssertionError, match="no frame of ours"):
        judge_row_49(bench)
    assert set(bench.watched[-1].states) == {"OPERATION_ENABLED"}, "it would have kept them going"


def test_row_49_a_gate_that_comes_back_does_not_go_on():
    bench = play_row_49()
    bench.mark()
    run_on(bench)
    reacts_within(bench, 1)
    nothing_comes_back(bench)
    assert bench.last.verdict.mode is Mode.FAULT
