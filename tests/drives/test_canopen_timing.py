"""SYNC to TPDO is timed without a setpoint; one slow drive is told apart from a slow adapter."""

import pytest
from habit_nodes import HabitBus, HabitNode, frames_to
from memory_bus import VirtualTime

from drives.canopen.scan import FoundNode
from drives.canopen.timing import SyncTiming, measure_sync
from hil.stations.platform.commissioning.drive_scan import LinkView, _judge
from hil.timing.doctor import Grade


class TimedNode(HabitNode):
    """A node whose TPDO1 comes with each SYNC only if its 1800h:2 says so."""

    def __init__(self, node):
        super().__init__(node)
        self.objects |= {
            (0x6041, 0): b"\x50\x02",
            (0x1800, 1): (0x40000180 + node).to_bytes(4, "little"),
            (0x1800, 2): b"\xff",
            (0x1A00, 0): b"\x03",
        }
        self.pdo_s = 0.0004 + 0.0001 * node


def timed(change=lambda bus: None, count=40):
    time = VirtualTime(5.0)
    bus = HabitBus(time, TimedNode)
    put = bus._put

    def delayed(after_s, can_id, data):
        if can_id & 0x780 == 0x180:
            node = bus.nodes[(can_id & 0x7F) - 1]
            if node.objects[0x1800, 2] != b"\x01":
                return
            after_s = node.pdo_s
        put(after_s, can_id, data)

    bus._put = delayed
    before = [dict(node.objects) for node in bus.nodes]
    change(bus)
    return bus, before, measure_sync(bus, time.now_s, range(1, 7), count, 0.004)


def found(sync):
    first = FoundNode(1, 0x00020192, "Drive", 666, 7, 501, (6, 8), ())
    view = LinkView("slcan:x", (first,), (), None, (0.02,), sync)
    return [f for f in _judge(view) if f.item == "SYNC to TPDO"]


def test_each_drive_is_timed_and_left_as_it_was():
    bus, before, sync = timed()
    for node in bus.nodes:
        assert len(sync.trips_s[node.node]) == 40
        assert sync.trips_s[node.node][20] == pytest.approx(node.pdo_s, abs=1e-6)
    assert [dict(node.objects) for node in bus.nodes] == before
    assert [node.nmt for node in bus.nodes] == [0x7F] * 6
    assert not [f for f in bus.sent if f.can_id & 0x780 in (0x200, 0x300, 0x400, 0x500)]
    assert len(frames_to(bus, 0x080)) == 40
    (finding,) = found(sync)
    assert finding.verdict is Grade.OK
    assert finding.detail == "p50 1000, p99 1000 us to TPDO1 of the slowest of 6 drives, node 6"


def test_one_slow_drive_is_not_blamed_on_the_adapter():
    def slow(bus):
        bus.nodes[2].pdo_s = 0.003

    (finding,) = found(timed(slow)[2])
    assert finding.verdict is Grade.WARN
    assert "node 3 alone" in finding.remedy
    assert "adapter is quick enough" in finding.remedy


def test_six_slow_drives_may_be_the_adapter():
    def slow(bus):
        for node in bus.nodes:
            node.pdo_s = 0.003

    (finding,) = found(timed(slow)[2])
    assert "another adapter" in finding.remedy


def test_slow_sdo_alone_is_no_finding():
    def slow(bus):
        for node in bus.nodes:
            node.sdo_s = 0.02

    (finding,) = found(timed(slow)[2])
    assert finding.verdict is Grade.OK


def test_a_drive_without_tpdo_is_told():
    def mute(bus):
        bus.nodes[4].no_pdo = True

    first, _ = found(timed(mute)[2])
    assert first.verdict is Grade.BAD
    assert first.detail == "node 5: no TPDO1 after 40 of 40 SYNC"


@pytest.mark.parametrize("word", [b"\x37\x12", b"\x07\x02", b"\xff\xff"])
def test_a_drive_that_may_have_force_is_left_alone(word):
    def powered(bus):
        bus.nodes[0].objects[0x6041, 0] = word

    bus, _, sync = timed(powered)
    assert 1 not in sync.trips_s
    assert sync.untimed[0].startswith("node 1: it is ")
    nmt = [frame for frame in frames_to(bus, 0) if frame.data[1] == 1]
    assert nmt == []


@pytest.mark.parametrize("operated", ["nmt", "sync"])
def test_drives_that_somebody_operates_are_left_alone(operated):
    def somebody(bus):
        if operated == "nmt":
            bus.nodes[3].nmt = 0x05
        else:
            bus.put(0x080, "")

    bus, _, sync = timed(somebody)
    assert sync.untimed[0].endswith("the drives are left alone")
    assert bus.sent == []
    assert isinstance(sync, SyncTiming)
