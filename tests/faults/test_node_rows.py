"""Rows 18 to 20: a drive that falls silent, that never boots, that restarts in mid-motion.

Each row's judgement is a function; the positive control patches the reaction out and the very same
judgement must object.
"""

import dataclasses

import pytest
from bench_on_rack import BenchOnRack, in_motion, set_in_motion
from fault_bench import FAST_LEG
from fault_judges import (
    corrective,
    latched,
    leg_state,
    nothing_comes_back,
    reacts_within,
    rods_at_rest,
    run_on,
    stopped_along_the_path,
)

from drives.bank import DriveSetupError
from drives.can.frames import Frame
from drives.canopen import startup as canopen_open
from drives.canopen.watch import Watch
from safety.modes import DriveRequest, Mode
from safety.verdict import Check

LEG = FAST_LEG
HEARTBEAT_S = 0.02
RPDO1 = 0x200
QUICK_STOP_BITS = (0x86, 0x02)
"""Mask and bits of the controlword for quick stop (CiA 402-2, table of commands)."""


# Row 18: the heartbeat of one drive stops; its process data go on, or stop too.


def play_row_18(whole_node=False):
    bench = in_motion()
    bench.bus.keep_sent = True
    bench.last_beat_s = bench.time.now
    heartbeat = 0x700 + bench.node_of(LEG)

    def without_heartbeat(frame):
        return None if frame.can_id == heartbeat else frame

    if whole_node:
        bench.strike("mute", LEG)
    else:
        bench.mark()
        bench.bus.alter = without_heartbeat
    return run_on(bench)


def judge_row_18(bench, bound_cycles):
    reacts_within(bench, bound_cycles)
    told = leg_state(bench, LEG, since=bench.cause + 18)
    assert told == {"UNKNOWN"}, f"a silent drive is unknown, not {told}"
    first = stopped_along_the_path(bench, but=(LEG,))
    rods_at_rest(bench, but=(LEG,))
    nothing_comes_back(bench)
    words = [
        int.from_bytes(frame.data[:2], "little")
        for at_s, frame in bench.bus.sent
        if frame.can_id == RPDO1 + bench.node_of(LEG) and at_s >= bench.history[first].at_s
    ]
    mask, bits = QUICK_STOP_BITS
    quick = [word & mask == bits for word in words]
    assert any(quick[:18]), "the silent drive is told to stop quickly: it may hear us still"


HEARTBEATS = round(3 * HEARTBEAT_S / 0.004)
"""Cycles in three heartbeats, counted from the last one that was heard, which is before the cause;
one more until a cycle looks at it, one more until that is on the wire."""


@pytest.mark.parametrize(("whole_node", "bound"), [(False, HEARTBEATS + 2), (True, 3)])
def test_row_18_drive_heartbeat_lost(whole_node, bound):
    bench = play_row_18(whole_node)
    judge_row_18(bench, bound)
    if not whole_node:
        assert corrective(bench) - bench.cause > HEARTBEATS - 6, "two lost heartbeats are no alarm"
        assert latched(bench, Check.DRIVE, LEG).value == 0x8130


@pytest.mark.parametrize("whole_node", [False, True])
def test_row_18_positive_control(monkeypatch, whole_node):
    monkeypatch.setattr(Watch, "_silent", lambda self, notes, now_s: False)
    with pytest.raises(AssertionError, match=r"no reaction|silent drive is unknown"):
        judge_row_18(play_row_18(whole_node), HEARTBEATS + 2)


# Row 19: a drive never boots.


BOOT_S = 15.0
"""The catalogue's bound, and the bank's own default; some tests give a shorter one."""


def play_row_19(limit_s, nodes=None):
    """A bench in front of five drives; returns it with what it was told, and when."""
    given = {} if limit_s == BOOT_S else {"boot_timeout_s": limit_s}
    bench = BenchOnRack(nodes=nodes, **given)
    bench.limit_s = limit_s
    bench.bus.keep_sent = True
    if nodes is None:
        bench.strike("absent", LEG)
    # The rack has been on for a minute: only our own start counts.
    bench.rack.advance(bench.time.now)
    bench.time.now += 60.0
    began_s = bench.time.now
    try:
        bench.open()
        bench.told = ""
    except DriveSetupError as error:
        bench.told = str(error)
    bench.took_s = bench.time.now - began_s
    return bench


def judge_row_19(bench, answered):
    assert f"leg {LEG} (node {LEG})" in bench.told, f"who is missing is named: {bench.told!r}"
    assert f"nodes that did: {answered}" in bench.told, "who answered instead is named"
    assert bench.took_s <= bench.limit_s + 0.5, f"refused after {bench.took_s} s"
    assert bench.took_s > bench.limit_s - 0.1, "a slow drive has its time"
    assert bench.gated.mode is Mode.OFF
    sent = {frame.can_id & 0x780 for _, frame in bench.bus.sent}
    assert sent <= {0x600}, "nothing but questions was sent: no NMT start, SYNC or setpoint"


def test_row_19_drive_never_boots():
    judge_row_19(play_row_19(BOOT_S), "2, 3, 4, 5, 6")


def test_row_19_a_wrong_node_switch_is_named():
    judge_row_19(play_row_19(1.0, {LEG: {"node_id": 9}}), "2, 3, 4, 5, 6, 9")


def test_row_19_a_drive_that_boots_late_is_waited_for():
    bench = BenchOnRack(rack={"boot_time_s": 3.0})
    bench.open()
    assert bench.time.now - 100.0 < 5.0


def be_patient(monkeypatch):
    waits = canopen_open.await_nodes

    def longer(segments, nodes, settings, watch, tell):
        later = dataclasses.replace(settings, boot_timeout_s=settings.boot_timeout_s + 1.0)
        waits(segments, nodes, later, watch, tell)

    monkeypatch.setattr(canopen_open, "await_nodes", longer)


def be_blind(monkeypatch):
    monkeypatch.setattr(canopen_open, "await_nodes", lambda *args: None)


@pytest.mark.parametrize(
    ("patch_out", "words"), [(be_patient, "refused after"), (be_blind, "who answered instead")]
)
def test_row_19_positive_control(monkeypatch, patch_out, words):
    patch_out(monkeypatch)
    with pytest.raises(AssertionError, match=words):
        judge_row_19(play_row_19(1.0), "2, 3, 4, 5, 6")


# Row 20: a drive restarts in mid-motion.


def play_row_20(really, make=in_motion):
    """Either the supply fails for a moment, or nothing but the boot-up frame is there."""
    bench = make()
    if really:
        bench.strike("reboot", LEG)
    else:
        bench.mark()
        bench.bus.forged.append(Frame(0x700 + bench.node_of(LEG), b"\x00"))
    run_on(bench)
    for reset in (False, True) * 6:
        bench.follow(1, reset=reset)
    return bench


def judge_row_20(bench, bound_cycles):
    reacts_within(bench, bound_cycles)
    stopped_along_the_path(bench, but=(LEG,))
    rods_at_rest(bench, but=(LEG,))
    nothing_comes_back(bench)
    assert bench.last.feedback.homed[LEG - 1] is False, "its reference is not believed any more"
    assert latched(bench, Check.DRIVE, LEG)
    assert bench.last.verdict.drives is DriveRequest.OFF, "a reset does not make it go on"


@pytest.mark.parametrize(("really", "bound"), [(True, 3), (False, 1)])
def test_row_20_drive_reboots_while_engaged(really, bound):
    bench = play_row_20(really)
    judge_row_20(bench, bound)
    codes = {c.feedback.fault_code[LEG - 1] for c in bench.history[bench.cause :]}
    assert 0x8180 in codes, "the restart is told as such"


@pytest.mark.parametrize(("really", "bound"), [(True, 3), (False, 1)])
def test_row_20_positive_control(monkeypatch, really, bound):
    take = Watch.take

    def deaf_to_boot_up(self, frame, bus, now_s):
        if not (self.operating and frame.can_id > 0x700 and frame.data == b"\x00"):
            take(self, frame, bus, now_s)

    monkeypatch.setattr(Watch, "take", deaf_to_boot_up)
    with pytest.raises(AssertionError, match=r"no reaction|not believed any more"):
        judge_row_20(play_row_20(really, set_in_motion), bound)
