"""Rules of CiA 301 for process data objects: configuration, transmission types, lengths."""

from __future__ import annotations

import struct

import pytest
from virtual_master import NODES, VirtualMaster

INVALID = 0x8000_0000
RANGE, STATE, ACCESS = 0x0609_0030, 0x0800_0022, 0x0601_0000
CANNOT_MAP, TOO_LONG, NO_OBJECT = 0x0604_0041, 0x0604_0042, 0x0602_0000


def remap(m: VirtualMaster, node: int, comm: int, words: list[int], kind: int, cob_id: int) -> int:
    """The order that CiA 301 prescribes; returns the first abort code."""
    mapping = comm + 0x200
    steps = [
        (comm, 1, "I", INVALID | cob_id),
        (comm, 2, "B", kind),
        (mapping, 0, "B", 0),
        *((mapping, k, "I", word) for k, word in enumerate(words, start=1)),
        (mapping, 0, "B", len(words)),
        (comm, 1, "I", cob_id),
    ]
    for step in steps:
        abort = m.write(node, *step)
        if abort:
            return abort
    return 0


def tpdos(m: VirtualMaster, can_id: int, dt_s: float) -> list[bytes]:
    return [data for i, data in m.wait(dt_s) if i == can_id]


def test_a_mapping_made_by_the_rules_is_used():
    m = VirtualMaster()
    assert remap(m, 1, 0x1801, [0x606C0020, 0x60770010], 3, 0x281) == 0
    m.nmt(1)
    drive = m.rack.nodes[0].drive
    counts = []
    for _ in range(9):
        m.send(0x080)
        counts += tpdos(m, 0x281, 0.002)
    assert len(counts) == 3  # every third SYNC
    assert counts[0] == struct.pack("<ih", 0, drive.torque_permille)


def test_a_changed_rpdo_writes_what_it_maps_and_skips_dummies():
    m = VirtualMaster()
    words = [0x00050008, 0x60600008, 0x00040020]
    assert remap(m, 1, 0x1401, words, 255, 0x301) == 0
    m.nmt(1)
    m.ask(0x301, b"\xff\x08\xff\xff\xff\xff")
    assert m.rack.nodes[0].drive.mode_display == 8


@pytest.mark.parametrize("comm", [0x1400, 0x1800])
def test_an_existing_pdo_keeps_its_identifier_and_mapping(comm: int):
    m = VirtualMaster()
    base = 0x201 if comm == 0x1400 else 0x181
    assert m.write(1, comm, 1, "I", base) == 0  # the same again
    assert m.write(1, comm, 1, "I", base + 0x10) == RANGE
    assert m.write(1, comm + 0x200, 0, "B", 0) == ACCESS
    assert m.write(1, comm, 3, "H", 77) == RANGE
    assert m.write(1, comm, 1, "I", INVALID | base + 0x10) == 0
    assert m.write(1, comm + 0x200, 1, "I", 0x60410010) == ACCESS  # sub 0 is not 0
    assert m.write(1, comm, 3, "H", 77) == 0


@pytest.mark.parametrize("comm", [0x1400, 0x1800])
def test_only_in_pre_operational(comm: int):
    m = VirtualMaster()
    m.nmt(1)
    assert m.write(1, comm, 1, "I", INVALID | 0x201) == STATE
    assert m.write(1, comm + 0x200, 0, "B", 0) == STATE
    assert m.write(1, comm + 0x200, 1, "I", 0) == STATE
    m.nmt(128)
    assert m.write(1, comm, 1, "I", INVALID | 0x201) == 0


@pytest.mark.parametrize(
    "cob_id", [0x000, 0x07F, 0x101, 0x180, 0x581, 0x601, 0x6E5, 0x701, 0x7FF, 0x2000_0201, 0x800]
)
def test_restricted_identifiers_are_refused(cob_id: int):
    m = VirtualMaster()
    assert m.write(1, 0x1400, 1, "I", INVALID | cob_id) == RANGE


@pytest.mark.parametrize("kind", [241, 251, 252, 253])
def test_reserved_transmission_types_are_refused(kind: int):
    assert VirtualMaster().write(1, 0x1800, 2, "B", kind) == RANGE


@pytest.mark.parametrize("kind", [0, 1, 240, 254, 255])
def test_other_transmission_types_are_taken(kind: int):
    m = VirtualMaster()
    assert m.write(1, 0x1800, 2, "B", kind) == 0
    assert m.read(1, 0x1800, 2, "B") == kind


@pytest.mark.parametrize(
    ("comm", "words", "abort"),
    [
        (0x1800, [0x60410010] * 4, 0),  # 64 bits
        (0x1800, [0x60410010] * 5, TOO_LONG),
        (0x1800, [0x60FD0020, 0x60640020, 0x60610008], TOO_LONG),
        (0x1800, [0x60410008], CANNOT_MAP),  # the length is 16 bits
        (0x1800, [0x60650020], CANNOT_MAP),  # not mappable
        (0x1800, [0x00050008], CANNOT_MAP),  # dummies are for RPDOs
        (0x1800, [0x12340010], NO_OBJECT),
        (0x1400, [0x60410010], CANNOT_MAP),  # read-only
        (0x1400, [0x60400010, 0x607A0020], 0),
        (0x1400, [0x00010001], NO_OBJECT),
    ],
)
def test_what_can_be_mapped(comm: int, words: list[int], abort: int):
    m = VirtualMaster()
    assert remap(m, 1, comm, words, 1, 0x201 if comm == 0x1400 else 0x181) == abort


def test_more_than_eight_objects_are_refused():
    m = VirtualMaster()
    m.write(1, 0x1800, 1, "I", INVALID | 0x181)
    assert m.write(1, 0x1A00, 0, "B", 9) == TOO_LONG


def test_acyclic_synchronous_sends_with_sync_after_a_change():
    m = VirtualMaster()
    assert remap(m, 1, 0x1800, [0x60610008], 0, 0x181) == 0
    m.nmt(1)
    sent = []
    for mode in (0, 0, 8, 8, 6):
        m.rack.nodes[0].drive.write_mode(mode)
        m.send(0x080)
        sent += tpdos(m, 0x181, 0.002)
    assert sent == [b"\x00", b"\x08", b"\x06"]
    m.rack.nodes[0].drive.write_mode(8)
    assert tpdos(m, 0x181, 0.5) == []  # never without SYNC


def test_event_driven_sends_on_change_on_timer_and_not_inhibited():
    m = VirtualMaster()
    m.write(1, 0x1800, 1, "I", INVALID | 0x181)
    m.write(1, 0x1800, 3, "H", 500)  # 50 ms
    m.write(1, 0x1800, 5, "H", 200)
    assert remap(m, 1, 0x1800, [0x60610008], 255, 0x181) == 0
    m.nmt(1)
    m.wait(0.05)
    m.rack.nodes[0].drive.write_mode(8)
    assert tpdos(m, 0x181, 0.003) == [b"\x08"]  # at once
    m.rack.nodes[0].drive.write_mode(6)
    assert tpdos(m, 0x181, 0.045) == []  # inhibited
    assert tpdos(m, 0x181, 0.01) == [b"\x06"]
    assert tpdos(m, 0x181, 0.15) == []  # nothing changes
    assert tpdos(m, 0x181, 0.06) == [b"\x06"]  # event timer
    m.send(0x080)
    assert tpdos(m, 0x181, 0.01) == []  # SYNC means nothing here


def test_a_short_rpdo_is_not_used_and_a_long_one_is_cut():
    m = VirtualMaster()
    m.nmt(1)
    drive = m.rack.nodes[0].drive
    m.seen.clear()
    m.ask(0x201, b"\x06\x00\x08\x00\x00\x00")
    assert (drive.controlword, drive.mode_display) == (0, 0)
    assert (0x081, b"\x10\x82\x11\0\0\0\0\0") in m.seen
    m.seen.clear()
    m.ask(0x201, b"\x06\x00\x08\x00\x00\x00\x00\xee")
    assert (drive.controlword, drive.mode_display) == (6, 8)
    assert (0x081, b"\x20\x82\x11\0\0\0\0\0") in m.seen


def test_an_rpdo_of_type_255_acts_at_once():
    m = VirtualMaster()
    m.nmt(1)
    m.ask(0x202, b"\x06\x00\x08\x00\x00\x00\x00")
    assert m.rack.nodes[1].drive.controlword == 6


def test_nodes_do_not_act_on_each_other_s_frames():
    m = VirtualMaster()
    m.nmt(1)
    m.ask(0x203, b"\x06\x00\x08\x00\x00\x00\x00")
    assert [node.drive.controlword for node in m.rack.nodes] == [0, 0, 6, 0, 0, 0]


def test_reset_communication_brings_the_defaults_back():
    m = VirtualMaster()
    for node in NODES:
        assert remap(m, node, 0x1800, [0x60610008], 1, 0x180 + node) == 0
    m.nmt(130)
    m.wait(0.06)
    assert m.read(1, 0x1A00, 0, "B") == 3
    assert m.read(1, 0x1800, 1, "I") == 0x181
    m.seen.clear()
    m.nmt(1)  # event-driven again: sent once on entering OPERATIONAL
    assert [len(data) for i, data in m.seen if i == 0x181] == [7]


def test_sync_on_another_identifier():
    m = VirtualMaster()
    m.configure()
    m.nmt(128, 1)
    assert m.write(1, 0x1005, 0, "I", 0x90) == 0
    assert m.write(1, 0x1005, 0, "I", 0x4000_0080) == RANGE  # no producer
    m.nmt(1, 1)
    m.send(0x080)
    assert 0x181 not in [i for i, _ in m.wait(0.003)]
    m.send(0x090)
    assert 0x181 in [i for i, _ in m.wait(0.003)]


def test_what_waits_for_sync_is_forgotten_when_the_type_no_longer_waits():
    m = VirtualMaster()
    m.configure()
    drive = m.rack.nodes[0].drive
    m.ask(0x201, b"\x06\x00\x08\x00\x00\x00\x00")
    assert m.write(1, 0x1400, 2, "B", 255) == 0
    assert m.write(1, 0x1400, 2, "B", 1) == 0
    m.ask(0x080)
    assert drive.controlword == 0
    m.ask(0x201, b"\x06\x00\x08\x00\x00\x00\x00")
    m.ask(0x080)
    assert drive.controlword == 6
