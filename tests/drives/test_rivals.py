"""A second controller: refused before its first frame that could move, and seen while it tries."""

import re

import pytest
from memory_bus import VirtualTime
from modbus_bench import BenchBank, RackThread, shipped_table
from scripted_bench import Scripted
from scripted_nodes import ScriptedBus

from drives.bank import DriveGoal, DriveSetupError, DriveState
from drives.canopen.scan import scan
from drives.links import parse_link
from drives.modbus.gateway import tcp_gateway
from drives.modbus.register_map import register_map_from

FOREIGN = (0x8150,) * 6
OF_A_MASTER = [
    (0x080, "", "SYNC"),
    (0x77F, "05", "heartbeat"),
    (0x000, "0100", "NMT"),
    (0x203, "06000800000000", "setpoints of node 3"),
    (0x302, "00000000", "setpoints of node 2"),
    (0x406, "0600", "setpoints of node 6"),
    (0x501, "0600", "setpoints of node 1"),
    (0x604, "4041600000000000", "SDO request to node 4"),
]


def could_move(frames):
    """Frames that could change anything in a drive: all but requests to read."""
    return [
        frame
        for frame in frames
        if not (0x601 <= frame.can_id <= 0x67F and frame.data[:1] in (b"\x40", b"\x60", b"\x70"))
    ]


# -- CANopen -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("can_id", "data", "text"), OF_A_MASTER)
def test_nothing_at_all_is_sent_where_another_master_is_heard(can_id, data, text):
    scripted = Scripted()
    scripted.bus.put(can_id, data)
    with pytest.raises(DriveSetupError, match=rf"{text}.*another master.*one master"):
        scripted.bank.configure()
    assert scripted.bus.sent == []


@pytest.mark.parametrize(("can_id", "data", "text"), OF_A_MASTER)
def test_another_master_in_operation_is_a_fault_of_all_legs_and_told(can_id, data, text):
    scripted = Scripted()
    scripted.enabled()
    scripted.run(3, None)
    scripted.bus.put(can_id, data)
    assert scripted.run(1, None).fault_code == FOREIGN
    assert scripted.run(100, None).fault_code == FOREIGN
    notes = scripted.raw.link_tally()["notes"]
    assert any(text in note and "another master" in note for note in notes)


@pytest.mark.parametrize(
    ("can_id", "data"),
    [(0x100, "00"), (0x7E4, "00"), (0x191, "0000"), (0x612, "4000100000000000"), (0x711, "05")],
)
def test_traffic_of_others_that_commands_none_of_our_drives_is_let_be(can_id, data):
    scripted = Scripted()
    scripted.bus.put(can_id, data)
    scripted.enabled()
    scripted.bus.put(can_id, data)
    assert scripted.run(10, None).fault_code == (0,) * 6


def status(scripted, leg, word, position=0):
    node = scripted.node(leg)
    node.objects[0x6041, 0] = word.to_bytes(2, "little")
    node.objects[0x6064, 0] = position.to_bytes(4, "little", signed=True)
    return node


@pytest.mark.parametrize(
    ("word", "named"),
    [(0x0637, "operation enabled"), (0x0617, "quick stop active"), (0x062F, "fault reaction")],
)
@pytest.mark.parametrize("leg", [1, 6])
def test_a_drive_that_is_found_under_force_is_refused_and_only_read(word, named, leg):
    scripted = Scripted()
    for other in range(1, 7):
        status(scripted, other, word if other == leg else 0x0640)
    right = rf"leg {leg} \(node {leg}\) is {named}.*0x{word:04X}.*no controller was heard"
    with pytest.raises(DriveSetupError, match=right):
        scripted.bank.configure()
    assert scripted.bus.sent
    assert could_move(scripted.bus.sent) == []


@pytest.mark.parametrize("speed_m_s", [-0.1, 0.0015, 0.0])
def test_a_drive_that_is_found_in_motion_is_refused_and_only_read(speed_m_s):
    scripted = Scripted()
    for other in range(1, 7):
        status(scripted, other, 0x0640)
    node, began_s = scripted.node(4), scripted.time.now
    answer = node.sdo

    def moving(data):
        counts = round(1e6 * speed_m_s * (scripted.time.now - began_s))
        node.objects[0x6064, 0] = counts.to_bytes(4, "little", signed=True)
        return answer(data)

    node.sdo = moving
    if not speed_m_s:
        scripted.bank.configure()
        return
    right = r"leg 4 \(node 4\) moved by [\d.]+ mm in 0.1 s.*no controller was heard"
    with pytest.raises(DriveSetupError, match=right):
        scripted.bank.configure()
    assert could_move(scripted.bus.sent) == []


def test_a_scan_asks_nobody_while_somebody_runs_cycles():
    time = VirtualTime()
    bus = ScriptedBus(time)
    bus.put(0x080, "")
    with pytest.raises(DriveSetupError, match="SYNC of another master"):
        scan(bus, time.now_s)
    assert bus.sent == []
    assert [found.node for found in scan(bus, time.now_s)] == [1, 2, 3, 4, 5, 6]


# -- Modbus ------------------------------------------------------------------------------------


@pytest.fixture
def rack():
    opened = RackThread("tcp")
    yield opened
    opened.close()


class Bank(BenchBank):
    """One of several at a rack, on a machine of its own: no lock is common, nor is its end."""

    def __init__(self, rack, monkeypatch, **changes):
        monkeypatch.setattr("drives.modbus.bank.lock_modbus", lambda link: None)
        super().__init__(rack, 0.01, **changes)

    def close(self):
        super(BenchBank, self).close()


def enabled(bank):
    bank.configure()
    for goal, done in (
        (DriveGoal.HOMED, lambda f: all(f.homed)),
        (DriveGoal.ENABLED, lambda f: f.state == (DriveState.ENABLED,) * 6),
    ):
        bank.request(goal)
        for _ in range(3000):
            if done(feedback := bank.exchange(None)):
                break
        assert done(feedback), bank.waiting
    return feedback


def writes(core):
    """Note what is written to a rack from here on."""
    seen, write = [], core.write
    core.write = lambda *order: seen.append(order[:3]) or write(*order)
    return seen


def test_modbus_drives_found_under_force_are_refused_and_nothing_is_written(rack, monkeypatch):
    for drive in rack.core.drives:
        for word in (6, 7, 15):
            drive.write_controlword(word)
    rack.core.advance(rack.now_s() + 0.05)
    seen, bank = writes(rack.core), Bank(rack, monkeypatch)
    with pytest.raises(DriveSetupError, match=r"leg 1 is operation.*another"):
        bank.configure()
    assert seen == []
    assert all(rod.powered for rod in rack.core.rods)


def test_modbus_drives_found_in_motion_are_refused(rack, monkeypatch):
    bank, answers, at = Bank(rack, monkeypatch), rack.core.read, [0]

    def moving(unit, address, count):
        registers = answers(unit, address, count)
        if address == 100:
            at[0] += 60
            registers = list(registers)
            registers[2 + 10 * 3 + 5] = registers[2 + 10 * 3 + 5] + at[0] & 0xFFFF
        return registers

    rack.core.read = moving
    seen = writes(rack.core)
    with pytest.raises(DriveSetupError, match=r"leg 4 moved by 0.06 mm in 0.06 s"):
        bank.configure()
    assert seen == []


def test_a_second_modbus_bank_is_refused_and_the_first_goes_on(rack, monkeypatch):
    first, second = Bank(rack, monkeypatch), Bank(rack, monkeypatch)
    enabled(first)
    seen = writes(rack.core)
    with pytest.raises(DriveSetupError, match="leg 1 is operation enabled"):
        second.configure()
    assert seen == []
    for _ in range(30):
        feedback = first.exchange(None)
    assert feedback.state == (DriveState.ENABLED,) * 6
    assert feedback.fault_code == (0,) * 6
    first.close()


def test_a_second_modbus_bank_is_refused_while_the_first_only_waits(rack, monkeypatch):
    """Its drives are without force; that its registers change shows the first."""
    first, second = Bank(rack, monkeypatch), Bank(rack, monkeypatch)
    first.configure()
    first.exchange(None)
    held = rack.core.read

    def busy(unit, address, count):
        if address == 0:
            first_counts[0] += 1
            rack.core.write(1, 0, [first_counts[0]], rack.now_s())
        return held(unit, address, count)

    first_counts = [100]
    rack.core.read = busy
    with pytest.raises(DriveSetupError, match="somebody writes the cyclic registers of unit 1"):
        second.configure()
    first.close()


@pytest.mark.parametrize(
    ("address", "values"),
    [(1, [0]), (3, [0, 77]), (0, [9])],
    ids=["controlword", "target", "sequence"],
)
def test_a_second_writer_in_operation_is_a_fault_of_all_legs(address, values, rack, monkeypatch):
    bank = Bank(rack, monkeypatch)
    enabled(bank)
    link = parse_link(rack.url)
    other = tcp_gateway(link.host, link.port, rack.url, 1.0)
    for cycle in range(60):
        feedback = bank.exchange(None)
        if any(feedback.fault_code):
            break
        if cycle >= 20:
            other.write(1, address, values)
    other.close()
    assert feedback.fault_code == FOREIGN
    assert cycle <= 32, "a tenth of a second after it began"
    assert re.search(rf"register \d+ holds {values[-1]}, this", bank.link_tally()["notes"][0])
    assert bank.exchange(None).fault_code == FOREIGN, "for good"
    bank.close()


def test_a_gateway_whose_registers_can_only_be_written_is_let_be(rack, monkeypatch):
    bank, held = Bank(rack, monkeypatch), rack.core.read
    rack.core.read = lambda unit, address, count: 2 if address == 0 else held(unit, address, count)
    enabled(bank)
    for _ in range(40):
        feedback = bank.exchange(None)
    assert feedback.fault_code == (0,) * 6
    bank.close()


def test_a_device_that_keeps_something_else_in_its_registers_is_let_be(rack, monkeypatch):
    """Some read back zeros: that is no other writer, for it was never otherwise."""
    map_ = register_map_from(shipped_table(), "own.toml")
    bank, held = Bank(rack, monkeypatch, map_=map_), rack.core.read
    rack.core.read = lambda unit, address, count: (
        [0] * count if address == 0 else held(unit, address, count)
    )
    enabled(bank)
    for _ in range(40):
        feedback = bank.exchange(None)
    assert feedback.fault_code == (0,) * 6
    bank.close()
