"""Habits of real slaves at the set-up: late boot and NMT states, slow SDO, ways out of faults."""

import dataclasses
from itertools import pairwise

import pytest
from canopen_bench import SETTINGS
from habit_nodes import HabitBus, HabitNode, frames_to
from scripted_bench import ENABLED, Scripted

from drives.bank import DriveGoal, DriveModelError, DriveSetupError
from drives.canopen.settings import from_json
from drives.waits import in_words

pytestmark = pytest.mark.usefixtures("link")


def changed(**values):
    return dataclasses.replace(SETTINGS, **values)


def configured(settings=SETTINGS, prepare=lambda scripted: None, node=HabitNode):
    """A bank that is set up, what it told meanwhile with its time, and its report."""
    scripted = Scripted(settings, bus=lambda time: HabitBus(time, node))
    told = []
    scripted.raw._report = lambda waits: told.append((scripted.time.now, waits))
    prepare(scripted)
    return scripted, told, scripted.bank.configure()


@pytest.mark.parametrize(("boot_s", "boot_timeout_s"), [(3.0, 15.0), (8.0, 15.0), (55.0, 60.0)])
def test_drives_may_take_their_time_to_boot_and_the_silent_ones_are_told(boot_s, boot_timeout_s):
    def late(scripted):
        for leg in (2, 5):
            scripted.node(leg).boots_at_s = scripted.time.now + boot_s

    scripted, told, _ = configured(changed(boot_timeout_s=boot_timeout_s), late)
    waits = [(t_s, {w.leg for w in waits}) for t_s, waits in told if waits[0].leg]
    assert {2, 5} in [legs for _, legs in waits]
    gaps = [b - a for (a, _), (b, _) in pairwise(waits)]
    assert max(gaps) < 1.0
    text = in_words(told[0][1])
    assert "leg 2: node 2, device type (1000h), is silent" in text
    assert "nodes heard: 1, 3, 4, 6" in in_words(told[3][1])
    scripted.enabled_from_here()


def test_a_drive_that_boots_too_late_is_refused_with_the_time_it_had():
    def never(scripted):
        scripted.node(4).boots_at_s = 1e9

    with pytest.raises(DriveSetupError, match=r"leg 4 \(node 4\) did not answer within 3 s"):
        configured(changed(boot_timeout_s=3.0), never)


def test_nobody_waits_longer_than_a_person_does():
    with pytest.raises(DriveModelError, match="boot_timeout_s is 61"):
        changed(boot_timeout_s=61.0)


class SlowState(HabitNode):
    """Enters an NMT state some time after it was told to, and maps PDOs in pre-operational only."""

    change_s = 0.3
    now_s = staticmethod(lambda: 0.0)

    @property
    def nmt(self):
        known = self.__dict__.get("told", [(-1e9, 0x05)])
        return [state for at_s, state in known if at_s <= self.now_s()][-1]

    @nmt.setter
    def nmt(self, state):
        told = self.__dict__.setdefault("told", [(-1e9, 0x05)])
        if state != 0x7F or self.__dict__.get("born"):
            told.append((self.now_s() + self.change_s, state))
        self.__dict__["born"] = True  # it was operational when the bench came

    def sdo(self, data):
        index = int.from_bytes(data[1:3], "little")
        mapping = 0x1400 <= index < 0x1C00 and data[0] & 0xE0 == 0x20
        if mapping and self.nmt != 0x7F:
            return b"\x80" + data[1:4] + b"\x22\x00\x00\x08"
        return super().sdo(data)


@pytest.mark.parametrize("heartbeat", [True, False])
def test_pdos_are_mapped_once_a_drive_is_pre_operational(heartbeat):
    def beats(scripted):
        wake = scripted.bus._arrive
        for node in scripted.bus.nodes:
            node.no_heartbeat = not heartbeat

        def arrive(frame):
            wake(frame)
            if frame.can_id == 0 and frame.data[0] == 1:
                scripted.node(frame.data[1]).no_heartbeat = False

        scripted.bus._arrive = arrive

    scripted, _, _ = configured(prepare=beats, node=SlowState)
    assert all(node.objects[0x1A00, 0] == b"\x03" for node in scripted.bus.nodes)


def test_a_drive_that_never_becomes_pre_operational_is_refused_with_the_object():
    def stuck(scripted):
        for node in scripted.bus.nodes:
            node.change_s = 1e9

    with pytest.raises(DriveSetupError, match=r"leg 1 .*refused: Code 0x08000022"):
        configured(prepare=stuck, node=SlowState)


def test_hundreds_of_slow_transfers_are_told_with_leg_and_object():
    def slow(scripted):
        for node in scripted.bus.nodes:
            node.sdo_s = 0.02

    _, told, _ = configured(prepare=slow)
    seen = [waits[0].seen for _, waits in told]
    assert "at leg 6 (node 6), object 6065h:0" in seen
    times = [t_s for t_s, _ in told]
    assert times[-1] - times[0] > 2.0
    assert max(b - a for a, b in pairwise(times)) < 1.0


FAULT = b"\x18\x02"


def test_the_makers_way_out_of_a_fault_is_gone_in_drives_in_fault_only():
    def faulted(scripted):
        scripted.node(3).objects[0x6041, 0] = FAULT

    exits = ((0x2320, 1, "u16", 1), (0x2321, 0, "u8", 7))
    scripted, _, report = configured(changed(fault_exit=exits), faulted)
    assert scripted.node(3).objects[0x2320, 1] == b"\x01\x00"
    assert scripted.node(3).objects[0x2321, 0] == b"\x07"
    assert (0x2320, 1) not in scripted.node(4).objects
    assert report.notes == (
        "leg 3 (node 3): way out of a fault (2320h:1): 1 written",
        "leg 3 (node 3): way out of a fault (2321h:0): 7 written",
    )


def test_a_way_out_that_is_refused_is_told_and_none_is_gone_without_being_named():
    def faulted(scripted):
        scripted.node(3).objects[0x6041, 0] = FAULT
        scripted.node(3).lacks = {(0x2320, 1)}

    with pytest.raises(DriveSetupError, match=r"leg 3 .*way out of a fault \(2320h:1\) of 1"):
        configured(changed(fault_exit=((0x2320, 1, "u16", 1),)), faulted)
    scripted, _, report = configured(prepare=faulted)
    assert report.notes == ()
    assert not [f for f in frames_to(scripted.bus, 0x603) if f.data[1:3] == b"\x20\x23"]


def test_the_ways_out_travel_as_json():
    odd = changed(fault_exit=((0x2320, 1, "u16", 1),), remote_bit=False, follows_bit=False)
    assert from_json(odd.to_json()) == odd


def test_the_line_of_a_leg_says_that_bit_12_is_not_looked_at():
    _, _, report = configured(changed(follows_bit=False))
    assert all("bit 12 of 6041h is not looked at" in line for line in report.axes)
    assert "bit 12" not in configured()[2].axes[0]


def test_waits_are_in_the_feedback_until_all_follow():
    scripted = Scripted(bus=HabitBus)
    scripted.bank.configure()
    scripted.bank.request(DriveGoal.DISABLED)
    node = scripted.node(2)
    tpdo = node.on_sync
    node.on_sync = lambda: bytes((tpdo()[0], tpdo()[1] & ~0x02, *tpdo()[2:]))
    feedback = scripted.run(40)
    (wait,) = feedback.waits
    assert (wait.leg, wait.object_index, wait.seen, wait.wanted) == (2, 0x6041, "0", "1")
    node.on_sync = tpdo
    assert scripted.enabled_from_here().waits == ()
    assert scripted.run(1).state == ENABLED
