"""What is known of a drive or an adapter has an age: too old, it is told as not known."""

import pytest
from canopen_bench import bench, six
from memory_bus import MemoryBus

from drives.bank import DriveGoal, DriveState, LegCommand
from drives.canopen_cycle import INPUTS_BELIEVED_S

ENABLED = (DriveState.ENABLED,) * 6
PERIOD_S = 0.004
TPDO2, TPDO3 = 0x280, 0x380


class Filtered(MemoryBus):
    """A bus on which frames of some identifiers get lost."""

    silenced: frozenset[int] = frozenset()

    def receive_frames(self, timeout_s):
        return [f for f in super().receive_frames(timeout_s) if f.can_id not in self.silenced]


def enabled(monkeypatch):
    """Return six emulated drives that are enabled, their bus, and the last feedback."""
    monkeypatch.setattr("canopen_bench.MemoryBus", Filtered)
    rig = bench()
    rig.bank.configure()
    rig.bank.request(DriveGoal.HOMED)
    for _ in range(1500):
        feedback = rig.bank.exchange(None)
        if all(feedback.homed):
            rig.bank.request(DriveGoal.ENABLED)
        if feedback.state == ENABLED:
            return rig, rig.buses[0], feedback
    raise AssertionError(f"not enabled: {feedback}; {rig.bank.waiting}")


def cycles(rig, count, length_m):
    for _ in range(count):
        feedback = rig.bank.exchange(LegCommand(length_m, six(0.0)))
    return feedback


@pytest.mark.parametrize("leg", [0, 5])
def test_inputs_of_a_drive_that_tells_them_no_longer_are_unknown(monkeypatch, leg):
    rig, bus, feedback = enabled(monkeypatch)
    length_m = feedback.length_m
    assert cycles(rig, 300, length_m).inputs is not None
    bus.silenced = frozenset({TPDO3 + leg + 1})
    start_s = rig.time.now
    while (feedback := cycles(rig, 1, length_m)).inputs is not None:
        assert rig.time.now - start_s < INPUTS_BELIEVED_S
    assert rig.time.now - start_s > INPUTS_BELIEVED_S - 0.1 - 2 * PERIOD_S  # two may be missing
    assert feedback.fresh == (True,) * 6
    assert feedback.state == ENABLED
    assert feedback.fault_code == (0,) * 6
    assert cycles(rig, 100, length_m).inputs is None  # the other five tell theirs
    bus.silenced = frozenset()
    assert cycles(rig, 30, length_m).inputs is not None
