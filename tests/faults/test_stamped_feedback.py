"""Feedback whose age the drives tell by a time stamp (1013h), on the wire of the emulated rack.

Every frame late by two cycles stops what goes on in the first cycle in which it is known, at rest
and in homing too, where no path tells a lag.
"""

import dataclasses
import re
from collections import deque

import pytest
from bench_on_rack import TPDO1, BenchOnRack, in_motion
from fault_judges import nothing_comes_back, rods_at_rest, run_on, stopped_along_the_path

from drives.canopen.pdo import usable_stamp
from drives.types.drive_type import DriveType, Stamp
from safety.age import AgeWatch
from safety.lag import LagWatch
from safety.modes import Mode, Request
from safety.verdict import Check

STAMPED = DriveType(name="stamped", stamp=Stamp("1013h:0", "u32", 1e-6))
LATE_CYCLES = 2
LIMIT_CYCLES = 2
"""At an age of 1.5 cycles, which no frame has before the second late one."""
TPDO4 = 0x480


class Queue:
    """Keeps the frames of actual values of all nodes, or of one, for two cycles."""

    def __init__(self, node=None):
        self.node, self.kept, self.late = node, {}, False

    def __call__(self, frame):
        ours = frame.can_id & 0x780 in (TPDO1, TPDO4)
        if not ours or (self.node is not None and frame.can_id & 0x7F != self.node):
            return frame
        kept = self.kept.setdefault(frame.can_id, deque())
        kept.append(frame)
        if not self.late:
            return kept.popleft()
        return kept.popleft() if len(kept) > LATE_CYCLES else None


def stamped(**more):
    return BenchOnRack(type=STAMPED, **more)


def stamped_in_motion():
    return in_motion(type=STAMPED)


@pytest.fixture(autouse=True, scope="module")
def original_with_stamps():
    """Made before a test patches anything."""
    stamped_in_motion()


def aged(bench):
    """The latched faults of legs whose stamp is too old."""
    faults = [fault for fault in bench.last.verdict.faults if "time stamp" in fault.note]
    assert all(fault.check is Check.LAG for fault in faults)
    return faults


def blind(monkeypatch):
    """Without the lag of the path: only the stamps tell."""
    monkeypatch.setattr(LagWatch, "step", lambda *args: None)


def test_a_motion_is_followed_with_ages_of_no_cycle_while_stamps_wrap_around():
    bench = stamped_in_motion()
    bench.follow(int((5.5 - (bench.time.now - 100.0)) / bench.period_s) + 1)
    assert bench.time.now > 4294.967296 - 4190.0, "the clocks of the rack have begun anew"
    ages = [cycle.feedback.age_s for cycle in bench.history[10:]]
    assert max(abs(age) for six in ages for age in six) < 0.0005
    assert not bench.last.verdict.faults
    assert all(bench.last.feedback.fresh)


def moving_with_late_frames():
    """A bench in motion all of whose frames are late from now on."""
    bench, queue = stamped_in_motion(), Queue()
    bench.bus.alter = queue
    bench.follow(5)
    queue.late = True
    return bench.mark()


def test_frames_that_become_late_stop_the_motion_in_the_cycle_after_the_limit(monkeypatch):
    blind(monkeypatch)
    bench = moving_with_late_frames()
    run_on(bench, 300)
    assert {fault.leg for fault in aged(bench)} == {1, 2, 3, 4, 5, 6}
    first = next(c.index for c in bench.history[bench.cause :] if c.verdict.mode is Mode.CSTOP)
    assert first - bench.cause <= LIMIT_CYCLES + 1
    stopped_along_the_path(bench)
    rods_at_rest(bench)
    nothing_comes_back(bench)


def test_one_drive_that_is_late_from_the_beginning_on_is_named_before_anything_moves(monkeypatch):
    blind(monkeypatch)
    bench = stamped()
    queue = Queue(bench.node_of(3))
    queue.late = True
    bench.bus.alter = queue
    before = [rod.x_m for rod in bench.rods]
    bench.open()
    bench.cycle(None, Request.CONFIGURED)
    bench.cycle(None, Request.HOME)
    for _ in range(20):
        bench.cycle()
    assert [fault.leg for fault in aged(bench)] == [3]
    assert [rod.x_m for rod in bench.rods] == before
    fault = aged(bench)[0]
    assert 1.5 * bench.period_s < fault.value <= 2.2 * bench.period_s
    assert re.match(r"leg 3: feedback lags by 0.0\d+ s outside \[-0.006, 0.006\] s", str(fault))


def test_a_stamp_that_stands_still_stops_the_motion(monkeypatch):
    blind(monkeypatch)
    bench = stamped_in_motion()
    node, held = bench.node_of(5), []

    def stand_still(frame):
        if frame.can_id != TPDO4 + node:
            return frame
        held.append(frame.data[4:])
        return frame._replace(data=frame.data[:4] + held[0])

    bench.bus.alter = stand_still
    run_on(bench.mark(), 300)
    assert [fault.leg for fault in aged(bench)] == [5]
    rods_at_rest(bench)


def test_a_position_without_its_stamp_is_missing():
    bench = stamped_in_motion()
    node = bench.node_of(2)
    bench.bus.alter = lambda frame: None if frame.can_id == TPDO4 + node else frame
    run_on(bench.mark(), 300)
    assert (Check.FEEDBACK, 2) in {(f.check, f.leg) for f in bench.last.verdict.faults}


def test_a_bus_that_cannot_carry_the_stamps_leaves_the_age_to_the_lag():
    bench = stamped()
    settings = bench.bank._settings
    assert usable_stamp(settings, 0.004) == STAMPED.stamp
    assert usable_stamp(settings, 0.002) is None
    assert usable_stamp(dataclasses.replace(settings, bus_load_max=0.6), 0.004) is None
    assert "age of its feedback by its time stamp 1013h:0" in bench.bank.configure().axes[5]
    slow = stamped(bus_load_max=0.5).bank.configure()
    assert "age of its feedback by the lag of its path: the bus cannot carry" in slow.axes[0]


def test_positive_control_nobody_looks_at_the_stamps(monkeypatch):
    blind(monkeypatch)
    monkeypatch.setattr(AgeWatch, "step", lambda *args: None)
    bench = moving_with_late_frames()
    run_on(bench, 100)
    assert not aged(bench)
