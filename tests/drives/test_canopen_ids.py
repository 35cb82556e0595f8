"""Ids that two nodes have, and nodes that are nobody's leg: told by name, before any motion."""

import random

import pytest
from habit_nodes import HabitBus, HabitNode, frames_to
from memory_bus import VirtualTime
from scripted_bench import ENABLED, Scripted

from drives.bank import DriveGoal, DriveSetupError, DriveState
from drives.canopen.scan import scan

pytestmark = pytest.mark.usefixtures("link")


def with_other(node_id, **attributes):
    scripted = Scripted(bus=HabitBus)
    other = HabitNode(node_id)
    for name, value in attributes.items():
        setattr(other, name, value)
    other.objects[0x6041, 0] = b"\x50\x02"
    other.objects[0x1018, 4] = b"\xff\0\0\0"
    scripted.bus.others.append(other)
    return scripted, other


def no_setpoint_enables(bus):
    words = [f.data[0] & 0x0F for n in range(1, 7) for f in frames_to(bus, 0x200 + n)]
    return 0x0F not in words


def test_two_nodes_with_the_id_of_a_leg_are_refused_by_name_at_the_set_up():
    scripted, _ = with_other(3)
    with pytest.raises(DriveSetupError, match=r"leg 3 \(node 3\).*perhaps two nodes with id 3"):
        scripted.bank.configure()
    assert no_setpoint_enables(scripted.bus)


def test_two_nodes_that_spoil_each_others_answers_are_told_as_such():
    """Frames of one identifier with other data at the same time are error frames to all."""
    scripted = Scripted(bus=HabitBus)
    node, sdo = scripted.node(5), scripted.node(5).sdo

    def spoilt(data):
        identity = data[1:3] == b"\x18\x10" and data[3] == 4  # the serial number differs
        return None if identity else sdo(data)

    node.sdo = spoilt
    with pytest.raises(DriveSetupError, match=r"leg 5 \(node 5\).*perhaps two nodes with id 5"):
        scripted.bank.configure()


def test_a_node_that_is_heard_and_never_answers_is_perhaps_two():
    scripted = Scripted(bus=HabitBus)
    scripted.node(2).sdo = lambda data: None
    with pytest.raises(DriveSetupError, match=r"leg 2 .*perhaps two nodes with id 2: it is heard"):
        scripted.bank.configure()


def test_a_second_node_that_says_nothing_at_the_set_up_is_found_before_any_force():
    scripted, _ = with_other(4, sdo=lambda data: None, no_heartbeat=True)
    scripted.bank.configure()
    scripted.bank.request(DriveGoal.HOMED)
    feedback = scripted.run(60)
    assert feedback.fault_code[3] == 0xFF02
    assert feedback.judged == (False, False, False, True, False, False)
    assert feedback.state[3] is DriveState.UNKNOWN
    assert no_setpoint_enables(scripted.bus)
    assert "two nodes with id 4" in scripted.raw.link_report().notes[3]


def test_a_second_node_that_comes_in_the_run_stops_the_leg_within_twenty_cycles():
    scripted, other = with_other(6, boots_at_s=1e9)
    scripted.enabled()
    other.boots_at_s = scripted.time.now
    other.nmt = 0x05
    for _ in range(20):
        feedback = scripted.run(1)
    assert feedback.fault_code[5] == 0xFF02
    assert feedback.state[5] is not DriveState.ENABLED


def test_a_second_heartbeat_alone_is_found_too():
    scripted, other = with_other(1, boots_at_s=1e9, no_pdo=True)
    scripted.enabled()
    other.boots_at_s, other.nmt = scripted.time.now, 0x05
    feedback = scripted.until(lambda f: f.fault_code[0], limit=1100)
    assert feedback.fault_code[0] == 0xFF02


@pytest.mark.parametrize("share", [0.01, 0.1])
def test_frames_that_an_adapter_doubles_now_and_then_are_no_second_node(share):
    scripted = Scripted(bus=HabitBus)
    put, chance = scripted.bus._put, random.Random(7)

    def doubling(after_s, can_id, data):
        put(after_s, can_id, data)
        if can_id & 0x780 == 0x180 and chance.random() < share:
            put(after_s, can_id, data)

    scripted.bus._put = doubling
    scripted.enabled()
    assert scripted.run(500).state == ENABLED


def test_a_seventh_drive_is_told_and_left_alone():
    scripted, other = with_other(9)
    report = scripted.bank.configure()
    assert report.notes == (
        "node 9 on bus 0 belongs to no leg: a drive, switch on disabled (6041h 0x0250)",
    )
    assert {frame.data[0] for frame in frames_to(scripted.bus, 0x609)} == {0x40}  # only asked
    assert other.objects.get((0x1016, 1)) is None
    assert len(report.axes) == 6


def test_a_node_of_no_leg_that_is_no_drive_is_told():
    scripted, other = with_other(20)
    other.lacks = {(0x6041, 0)}
    assert scripted.bank.configure().notes == ("node 20 on bus 0 belongs to no leg: no drive",)


@pytest.mark.parametrize("word", [b"\x37\x12", b"\x07\x02", b"\x1f\x02"])
def test_a_seventh_drive_with_force_is_refused(word):
    scripted, other = with_other(9)
    other.objects[0x6041, 0] = word
    with pytest.raises(DriveSetupError, match=r"node 9 on bus 0 .*commands this bus too"):
        scripted.bank.configure()
    assert not [f for f in scripted.bus.sent if f.can_id & 0x780 in (0x000, 0x200)]


def test_six_drives_alone_have_nothing_to_be_told():
    assert Scripted(bus=HabitBus).bank.configure().notes == ()


def test_a_scan_shows_ids_that_answer_twice():
    time = VirtualTime()
    bus = HabitBus(time)
    bus.others = [HabitNode(3), HabitNode(9)]
    found = {each.node: each.doubled for each in scan(bus, time.now_s)}
    assert found == {1: False, 2: False, 3: True, 4: False, 5: False, 6: False, 9: False}
