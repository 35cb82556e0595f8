"""Leaving the bus: no watchdog of a drive runs out, however slowly it answers SDO."""

import pytest
from habit_nodes import HabitBus, frames_to
from scripted_bench import Scripted

PRE_OPERATIONAL = b"\x80"


pytestmark = pytest.mark.usefixtures("link")


def left(sdo_s, prepare=lambda scripted: None):
    """A bank that was in operation and has left; its bus."""
    scripted = Scripted(bus=HabitBus)
    scripted.enabled()
    for node in scripted.bus.nodes:
        node.sdo_s = sdo_s
    prepare(scripted)
    scripted.bank.close()
    scripted.bus.rest(1.0)
    return scripted.bus


@pytest.mark.parametrize("sdo_s", [0.0002, 0.02, 0.06, 0.2])
def test_no_drive_records_a_fault_when_the_bench_leaves(sdo_s):
    bus = left(sdo_s)
    assert [node.faults for node in bus.nodes] == [[]] * 6
    assert [node.state for node in bus.nodes] == ["ready"] * 6
    assert [node.nmt for node in bus.nodes] == [0x7F] * 6
    assert [node.objects[0x1016, 1] for node in bus.nodes] == [bytes(4)] * 6


def test_the_bench_is_heard_until_all_are_pre_operational_at_once():
    bus = left(0.02)
    order = [(frame.can_id, frame.data[:1]) for frame in bus.sent]
    nmt = [place for place, sent in enumerate(order) if sent == (0, PRE_OPERATIONAL)][-6:]
    assert nmt == list(range(nmt[0], nmt[0] + 6))
    disarmed = [place for place, (can_id, _) in enumerate(order) if can_id == 0x606][-1]
    between = order[disarmed : nmt[0]]
    assert len([each for each in between if each[0] == 0x080]) >= 4  # SYNC over the 20 ms


def test_a_drive_that_never_answers_is_left_to_its_watchdog_and_holds_up_nobody():
    def mute(scripted):
        scripted.node(4).sdo = lambda data: None

    bus = left(0.02, mute)
    assert [bool(node.faults) for node in bus.nodes] == [False] * 3 + [True] + [False] * 2
    assert bus.nodes[3].faults[0][0] == 0x8130


def test_a_drive_that_knows_no_heartbeat_of_the_bench_is_signed_off_as_well():
    def without(scripted):
        scripted.node(2).lacks = {(0x1016, 1)}

    bus = left(0.02, without)
    assert [node.nmt for node in bus.nodes] == [0x7F] * 6


def test_a_drive_that_keeps_its_force_is_told_nothing():
    def deaf(scripted):
        node = scripted.node(5)
        node.on_sync = lambda: (0x1227).to_bytes(2, "little") + b"\x08" + bytes(4)

    bus = left(0.02, deaf)
    assert bus.nodes[4].nmt == 5
    assert frames_to(bus, 0x605)[-1].data[1:3] != b"\x16\x10"
    assert bus.nodes[4].faults[0][0] in (0x8130, 0x8250)
