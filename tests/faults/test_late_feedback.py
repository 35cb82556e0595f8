"""Feedback that comes in its cycle and tells of the past, on the wire of both kinds of rack.

Every frame late by two cycles stops the platform, from the beginning on or in mid-motion; a frame
that is late once in a while does not.
"""

from collections import deque
from contextlib import closing

import pytest
from bench_on_modbus import BenchOnModbus
from bench_on_rack import TPDO1, BenchOnRack, in_motion
from fault_bench import RIG
from fault_judges import nothing_comes_back, rods_at_rest, run_on, stopped_along_the_path

from drives.modbus.gateway import ModbusGateway
from hil.stations.platform.cycle.world import platform_plant, world_of
from safety.lag import LagWatch
from safety.verdict import Action, Check

LATE_CYCLES = 2
WITHIN_S = 0.15
"""From the first late frame, in full motion, to the first corrective set-point."""


class LateFrames:
    """Gives each frame of actual values as its forerunner of two cycles ago, when it is told to."""

    def __init__(self, when, cycles=LATE_CYCLES):
        self.when = when
        self.cycles = cycles
        self.kept = {}

    def __call__(self, frame):
        if frame.can_id & 0x780 != TPDO1:
            return frame
        kept = self.kept.setdefault(frame.can_id, deque(maxlen=self.cycles + 1))
        kept.append(frame)
        return kept[0] if self.when(frame) else frame


def late_registers(monkeypatch, when, cycles=LATE_CYCLES):
    """A gateway that answers at once, with the right echo, from its memory of some cycles ago."""
    honest, kept = ModbusGateway.read_write, deque(maxlen=cycles + 1)

    def from_memory(self, unit, *rest):
        registers = honest(self, unit, *rest)
        kept.append(registers)
        return [registers[0], *kept[0][1:]] if when() else registers

    monkeypatch.setattr(ModbusGateway, "read_write", from_memory)


def lagging(bench):
    """The latched faults of legs that lag."""
    found = [fault for fault in bench.last.verdict.faults if fault.check is Check.LAG]
    assert found, f"no leg lags: {bench.last.verdict.faults}"
    assert all(fault.value > fault.limit for fault in found)
    return found


def judge(bench):
    lagging(bench)
    stopped_along_the_path(bench)
    rods_at_rest(bench)
    nothing_comes_back(bench)


def lags_told_s(bench):
    return bench.gate._lag.lag_s


def test_canopen_frames_late_from_the_beginning_on_stop_the_first_movement():
    bench = BenchOnRack()
    bench.bus.alter = LateFrames(lambda frame: True)
    bench.ready().mark()
    judge(run_on(bench, 400))


def stopped_by_late_frames(bench):
    """The bench, whose frames become late as it moves, stopped in time."""
    late = LateFrames(lambda frame: False)
    bench.bus.alter = late
    bench.follow(5)
    late.when = lambda frame: True
    bench.mark()
    run_on(bench, 300)
    stops = next(c.index for c in bench.history if c.verdict.action is Action.STOPPING)
    assert (stops - bench.cause) * bench.period_s <= WITHIN_S
    return bench


def test_canopen_frames_that_become_late_stop_the_motion():
    bench = in_motion()
    assert max(lags_told_s(bench)) < bench.period_s * 1.5, "an emulated drive is one cycle behind"
    judge(stopped_by_late_frames(bench))


def test_canopen_frames_that_become_late_stop_the_motion_of_a_loaded_rack():
    """A cabin of 300 kg hangs on its rods."""
    bench = BenchOnRack(plant=cabin())
    bench.moving().follow(200)
    assert not bench.last.verdict.faults
    lagging(stopped_by_late_frames(bench))


def test_canopen_frames_late_by_one_cycle_are_told_to_within_half_a_cycle():
    bench = in_motion()
    before_s = lags_told_s(bench)
    bench.bus.alter = LateFrames(lambda frame: True, cycles=1)
    bench.follow(120)
    assert not bench.last.verdict.faults
    for new_s, old_s in zip(lags_told_s(bench), before_s, strict=True):
        assert abs(new_s - old_s - bench.period_s) <= 0.5 * bench.period_s


def test_one_drive_alone_that_is_late_is_named():
    bench = BenchOnRack()
    node = bench.node_of(3)
    bench.bus.alter = LateFrames(lambda frame: frame.can_id & 0x7F == node)
    bench.ready().mark()
    run_on(bench, 400)
    assert [fault.leg for fault in lagging(bench)] == [3]


def test_single_late_canopen_frames_are_survived():
    bench = BenchOnRack()
    count = iter(range(10**9))
    bench.bus.alter = LateFrames(lambda frame: next(count) % 53 == 0)
    bench.moving().follow(600)
    assert not bench.last.verdict.faults


def test_modbus_values_late_from_the_beginning_on_stop_the_first_movement(monkeypatch):
    late_registers(monkeypatch, lambda: True)
    with closing(BenchOnModbus()) as bench:
        bench.ready().mark()
        judge(run_on(bench, 250))


def test_modbus_values_that_become_late_stop_the_motion(monkeypatch):
    late = []
    late_registers(monkeypatch, lambda: bool(late))
    with closing(BenchOnModbus()) as bench:
        bench.moving()
        late.append(True)
        bench.mark()
        judge(run_on(bench, 120))


def cabin():
    return platform_plant(RIG, world_of("paper_cabin", RIG, key="world"))


def test_modbus_values_that_become_late_stop_the_motion_of_a_loaded_rack(monkeypatch):
    """A cabin of 300 kg hangs on its rods."""
    late = []
    late_registers(monkeypatch, lambda: bool(late))
    with closing(BenchOnModbus(plant=cabin())) as bench:
        bench.moving().follow(100)
        assert not bench.last.verdict.faults
        late.append(True)
        bench.mark()
        run_on(bench, 120)
        lagging(bench)
        stops = next(c.index for c in bench.history if c.verdict.action is Action.STOPPING)
        assert (stops - bench.cause) * bench.period_s <= 0.4


@pytest.mark.parametrize("loaded", [False, True])
def test_modbus_values_late_by_one_cycle_are_told_to_within_half_a_cycle(monkeypatch, loaded):
    late = []
    late_registers(monkeypatch, lambda: bool(late), cycles=1)
    with closing(BenchOnModbus(plant=cabin() if loaded else None)) as bench:
        bench.moving().follow(100)
        before_s = lags_told_s(bench)
        late.append(True)
        bench.follow(120)
        assert not bench.last.verdict.faults
        for new_s, old_s in zip(lags_told_s(bench), before_s, strict=True):
            assert abs(new_s - old_s - bench.period_s) <= 0.5 * bench.period_s


@pytest.mark.parametrize("patched", ["step"])
def test_positive_control_without_the_watch(monkeypatch, patched):
    monkeypatch.setattr(LagWatch, patched, lambda *args: None)
    bench = BenchOnRack()
    bench.bus.alter = LateFrames(lambda frame: True)
    bench.ready().follow(400)
    assert not bench.last.verdict.faults
    with pytest.raises(AssertionError):
        judge(bench)
