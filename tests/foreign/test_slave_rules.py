"""The foreign slaves against the standards they were written from: bytes, states, timers."""

import struct

import pytest
from canopen_slave import OPERATIONAL, PRE_OPERATIONAL, CanopenSlave
from drive402 import Drive402
from electro_cylinder import ElectroCylinder
from foreign_rack import ForeignRack
from habits import Habits
from maker_rows import epos4, hold, without
from modbus_rack import ModbusRack
from modbus_server import ModbusError, ModbusFunctions
from object_dictionary import AbortError, ObjectDictionary, Row
from power_states import State
from sdo_server import SdoServer
from servo_registers import ServoRegisters
from slave_rows import communication_rows, pdo_rows, profile_rows
from units import Mechanics
from variants import BY_NAME

NODE = 5
STEP_S = 0.001


class Bench:
    """One slave and a master of a few lines, on a clock of their own."""

    def __init__(self, *changes, habits=None, place_m=0.028, sign=1):
        rows = communication_rows(NODE) | profile_rows() | pdo_rows(NODE)
        for change in changes:
            change(rows)
        self.objects = ObjectDictionary(rows)
        rod = ElectroCylinder(place_m)
        habits = habits or Habits(boot_s=0.0)
        self.drive = Drive402(self.objects, rod, Mechanics(), habits, sign=sign, zero_m=place_m)
        self.sent: list[tuple[int, bytes]] = []
        self.slave = CanopenSlave(NODE, self.objects, self.drive, self._take)
        self.now_s = 0.0
        self.slave.power_on(0.0)
        self.slave.advance(0.0)

    def _take(self, can_id, data):
        self.sent.append((can_id, bytes(data)))

    def frames(self, can_id):
        found = [data for each, data in self.sent if each == can_id]
        self.sent.clear()
        return found

    def put(self, can_id, data=b"", **kind):
        self.slave.receive(can_id, data, self.now_s, **kind)

    def wait(self, seconds, sync_s=0.0):
        for step in range(round(seconds / STEP_S)):
            self.now_s += STEP_S
            if sync_s and step % round(sync_s / STEP_S) == 0:
                self.put(0x80)
            self.slave.advance(self.now_s)
            self.drive.step(STEP_S)

    def sdo(self, hexadecimal):
        self.put(0x600 + NODE, bytes.fromhex(hexadecimal))
        self.slave.advance(self.now_s)
        (answer,) = self.frames(0x580 + NODE)
        return answer.hex(" ")

    def enable(self, mode):
        self.objects.write(0x6060, 0, mode)
        for controlword in (0x06, 0x07, 0x0F):
            self.objects.write(0x6040, 0, controlword)
            self.wait(0.1)


TRANSCRIPTS = {
    "expedited upload of 4 bytes": ["40 00 10 00 00 00 00 00", "43 00 10 00 92 01 02 00"],
    "expedited upload of 1 byte": ["40 01 10 00 00 00 00 00", "4f 01 10 00 00 00 00 00"],
    "expedited download": ["2b 17 10 00 14 00 00 00", "60 17 10 00 00 00 00 00"],
    "no such object": ["40 00 50 00 00 00 00 00", "80 00 50 00 00 00 02 06"],
    "no such sub-index": ["40 16 10 09 00 00 00 00", "80 16 10 09 11 00 09 06"],
    "write of a constant": ["23 00 10 00 01 00 00 00", "80 00 10 00 02 00 01 06"],
    "too long": ["23 17 10 00 14 00 00 00", "80 17 10 00 12 00 07 06"],
    "too short": ["2f 17 10 00 14 00 00 00", "80 17 10 00 13 00 07 06"],
    "too high": ["2b 07 60 00 04 00 00 00", "80 07 60 00 31 00 09 06"],
    "too low": ["2b 07 60 00 ff ff 00 00", "80 07 60 00 32 00 09 06"],
    "block upload": ["a4 00 10 00 7f 00 00 00", "80 00 10 00 01 00 04 05"],
    "block download": ["c2 17 10 00 02 00 00 00", "80 17 10 00 01 00 04 05"],
    "a segment of nothing": ["60 00 00 00 00 00 00 00", "80 00 00 00 01 00 04 05"],
}


@pytest.mark.parametrize("case", TRANSCRIPTS)
def test_sdo_answers_byte_by_byte(case):
    request, answer = TRANSCRIPTS[case]
    assert Bench().sdo(request) == answer


def test_segments_alternate_and_end():
    rows = communication_rows(NODE)
    rows[0x1009, 0].value = "0123456789"
    server = SdoServer(ObjectDictionary(rows))
    begun = server.answer(bytes.fromhex("40 09 10 00 00 00 00 00"))
    assert begun == b"\x41\x09\x10\x00" + struct.pack("<I", 10)
    assert server.answer(b"\x60" + bytes(7)) == b"\x000123456"
    assert server.answer(b"\x70" + bytes(7)) == b"\x19789\0\0\0\0"
    server.answer(bytes.fromhex("40 09 10 00 00 00 00 00"))
    refused = server.answer(b"\x70" + bytes(7))  # the first one has no toggle bit
    assert refused == bytes.fromhex("80 09 10 00 00 00 03 05")


def test_a_mapping_is_changed_only_while_its_pdo_is_off_and_empty():
    write = Bench().objects.write
    with pytest.raises(AbortError, match="08000022h"):
        write(0x1600, 0, 0)
    write(0x1400, 1, 0x8000_0200 + NODE)
    with pytest.raises(AbortError, match="08000022h"):
        write(0x1600, 1, 0x6060_0008)
    write(0x1600, 0, 0)
    with pytest.raises(AbortError, match="06040041h"):
        write(0x1600, 1, 0x6041_0010)  # read only: not in an RPDO
    with pytest.raises(AbortError, match="06040041h"):
        write(0x1600, 1, 0x6040_0020)  # of another length
    for sub, entry in enumerate((0x6040_0010, 0x607A_0020, 0x60FF_0020), start=1):
        write(0x1600, sub, entry)
    with pytest.raises(AbortError, match="06040042h"):
        write(0x1600, 0, 3)  # ten bytes
    write(0x1600, 0, 2)
    write(0x1400, 1, 0x200 + NODE)
    with pytest.raises(AbortError, match="06090030h"):
        write(0x1400, 1, 0x300 + NODE)


def test_mapping_can_be_kept_to_pre_operational():
    bench = Bench(habits=Habits(boot_s=0.0, mapping_before_operational=True))
    bench.objects.write(0x1400, 1, 0x8000_0200 + NODE)
    bench.put(0, bytes([1, NODE]))
    with pytest.raises(AbortError, match="08000022h"):
        bench.objects.write(0x1400, 1, 0x200 + NODE)


def test_a_node_boots_is_started_and_beats():
    bench = Bench()
    assert bench.frames(0x700 + NODE) == [b"\0"]
    assert bench.slave.state == PRE_OPERATIONAL
    bench.objects.write(0x1017, 0, 20)
    bench.put(0, bytes([1, 0]))
    bench.wait(0.2)
    beats = bench.frames(0x700 + NODE)
    assert len(beats) == 10
    assert set(beats) == {bytes([OPERATIONAL])}


def test_guard_requests_are_answered_alternately_and_their_end_is_a_fault():
    bench = Bench()
    bench.objects.write(0x100C, 0, 20)
    bench.objects.write(0x100D, 0, 3)
    bench.wait(1.0)
    assert bench.frames(0x80 + NODE) == [], "guarding begins with the first request"
    for expected in (0x7F, 0xFF, 0x7F):
        bench.put(0x700 + NODE, remote=True)
        assert bench.frames(0x700 + NODE) == [bytes([expected])]
    bench.wait(0.055)
    assert bench.frames(0x80 + NODE) == []
    bench.wait(0.01)
    assert bench.frames(0x80 + NODE) == [struct.pack("<HB5x", 0x8130, 0x11)]
    bench.objects.write(0x1017, 0, 20)
    bench.put(0x700 + NODE, remote=True)
    assert bench.frames(0x700 + NODE) == [], "heartbeat and guarding exclude each other"


@pytest.mark.parametrize("watchdog", ["heartbeat", "event timer", "SYNC"])
def test_each_watchdog_stops_a_moving_rod(watchdog):
    bench = Bench(habits=Habits(boot_s=0.0, sync_timeout_cycles=4))
    bench.put(0, bytes([1, NODE]))
    bench.objects.write(0x60C2, 1, 10)
    bench.enable(3)
    bench.drive._demand.run(0.02, 1.0)
    if watchdog == "heartbeat":
        bench.objects.write(0x1016, 1, 127 << 16 | 50)
        bench.put(0x77F, b"\5")
    if watchdog == "event timer":
        bench.objects.write(0x1400, 5, 50)
        bench.put(0x200 + NODE, b"\x0f\0")
    if watchdog == "SYNC":
        bench.put(0x80)
    bench.wait(0.03)
    assert bench.drive.rod.speed_m_s > 0.01
    bench.wait(0.1)
    assert bench.drive.state is State.FAULT
    assert abs(bench.drive.rod.speed_m_s) < 1e-4


def test_a_fault_wants_as_many_edges_as_the_drive_says():
    bench = Bench(habits=Habits(boot_s=0.0, reset_edges=2))
    bench.drive.fault(0x3210)
    for edge, state in enumerate((State.FAULT, State.SWITCH_ON_DISABLED)):
        bench.objects.write(0x6040, 0, 0x80)
        bench.objects.write(0x6040, 0, 0x80)
        assert bench.drive.state is state, edge
        bench.objects.write(0x6040, 0, 0x00)


def test_the_states_are_those_of_the_profile():
    bench = Bench()
    words = []
    for controlword in (0x06, 0x07, 0x0F):
        bench.objects.write(0x6040, 0, controlword)
        bench.wait(0.1)
        words.append(bench.drive.statusword() & 0x6F)
    assert words == [0x21, 0x23, 0x27]
    bench.objects.write(0x605A, 0, 6)
    bench.objects.write(0x6040, 0, 0x02)
    bench.wait(0.1)
    assert bench.drive.statusword() & 0x6F == 0x07
    bench.objects.write(0x6040, 0, 0x0F)
    assert bench.drive.statusword() & 0x6F == 0x27
    bench.objects.write(0x6040, 0, 0x00)
    assert bench.drive.statusword() & 0x6F == 0x40


@pytest.mark.parametrize("method", [21, 27])
@pytest.mark.parametrize("place_m", [0.0268, 0.0302])
def test_homing_ends_at_the_edge_of_the_switch(method, place_m):
    bench = Bench(place_m=place_m)
    bench.objects.write(0x6098, 0, method)
    bench.enable(6)
    bench.objects.write(0x6040, 0, 0x1F)
    bench.wait(3.0)
    assert bench.drive.statusword() & 0x3400 == 0x1400
    at_edge = bench.drive.rod.home_m - bench.drive.rod.place_m
    assert bench.objects.number(0x6064) == pytest.approx(-at_edge * 1e6, abs=25)
    assert abs(at_edge) < 0.0005


def test_a_rod_that_cannot_follow_is_a_following_error():
    bench = Bench()
    bench.objects.write(0x6065, 0, 5000)
    bench.objects.write(0x6066, 0, 20)
    bench.enable(8)
    bench.objects.write(0x607A, 0, bench.objects.number(0x6064))
    bench.wait(0.1)
    bench.drive.rod.speed_max_m_s = 0.001
    bench.objects.write(0x607A, 0, 20_000)
    bench.wait(0.2)
    assert bench.frames(0x80 + NODE) == [struct.pack("<HB5x", 0x8611, 0x21)]


def test_units_of_speed_are_those_of_the_unit_word():
    bench = Bench(epos4, habits=Habits(boot_s=0.0, homing_methods=(21,)))
    bench.objects.write(0x6098, 0, 21)
    hold(bench.objects.rows, _6099_1=240, _6099_2=60, _609A=2400)
    bench.enable(6)
    bench.objects.write(0x6040, 0, 0x1F)
    bench.wait(0.3)  # 60 rpm of a screw of 5 mm
    assert bench.drive.rod.speed_m_s == pytest.approx(0.005, rel=0.02)


def test_feedback_can_be_late_by_syncs():
    seen = {}
    for late in (0, 2):
        bench = Bench(habits=Habits(boot_s=0.0, feedback_delay_syncs=late))
        bench.objects.write(0x1800, 1, 0x8000_0180 + NODE)
        bench.objects.write(0x1A00, 0, 0)
        bench.objects.write(0x1A00, 1, 0x6064_0020)
        bench.objects.write(0x1A00, 0, 1)
        bench.objects.write(0x1800, 2, 1)
        bench.objects.write(0x1800, 1, 0x180 + NODE)
        bench.put(0, bytes([1, NODE]))
        for step in range(5):
            bench.drive.rod.place_m = 0.028 + 1e-6 * step
            bench.put(0x80)
        seen[late] = [struct.unpack("<i", data)[0] for data in bench.frames(0x180 + NODE)]
    assert seen == {0: [0, 1, 2, 3, 4], 2: [0, 1, 2]}


def test_an_object_that_a_table_lacks_is_not_there():
    bench = Bench(lambda rows: without(rows, 0x605A, (0x1400, 5)))
    assert bench.sdo("40 5a 60 00 00 00 00 00") == "80 5a 60 00 00 00 02 06"
    assert bench.sdo("40 00 14 05 00 00 00 00") == "80 00 14 05 11 00 09 06"


class Registers:
    """One servo unit, without a network."""

    def __init__(self):
        rows = profile_rows() | {}
        rows |= {(0x2000, 0): Row("I", 1_000_000, "ro"), (0x2001, 0): Row("H", 0)}
        rows |= {(0x1018, 4): Row("I", 0x1234_5678, "ro")}
        self.objects = ObjectDictionary(rows)
        self.unit = ServoRegisters(self.objects)
        self.refused = 0
        self.functions = ModbusFunctions(
            lambda unit, *ask: self.unit.read(*ask),
            lambda unit, *put: self.unit.write(*put),
            lambda unit, function: self.refused,
        )

    def ask(self, hexadecimal):
        return self.functions.answer(1, bytes.fromhex(hexadecimal)).hex(" ")


MODBUS = {
    "read, low word first": ("03 04 02 00 02", "03 04 56 78 12 34"),
    "write of one": ("06 01 00 00 06", "06 01 00 00 06"),
    "write of several": ("10 01 02 00 02 04 ff ff ff ff", "10 01 02 00 02"),
    "function 23": ("17 02 00 00 01 01 00 00 01 02 00 06", "97 01"),
    "function 43": ("2b 0e 01 00", "ab 01"),
    "no such register": ("03 00 00 00 01", "83 02"),
    "17 registers": ("03 02 00 00 11", "83 03"),
    "none": ("03 02 00 00 00", "83 03"),
    "half a value": ("06 01 02 00 00", "86 03"),
    "read only": ("06 02 00 00 00", "86 02"),
    "a byte count that lies": ("10 01 02 00 02 02 ff ff ff ff", "90 03"),
}


@pytest.mark.parametrize("case", MODBUS)
def test_registers_answer_byte_by_byte(case):
    ask, answer = MODBUS[case]
    registers = Registers()
    assert registers.ask(ask) == answer
    if case == "write of several":
        assert registers.objects.number(0x607A) == -1
    registers.refused = 6
    assert registers.ask(ask) == f"{int(ask[:2], 16) | 0x80:02x} 06"


def test_a_unit_that_is_not_there_is_the_gateways_exception():
    rack = ModbusRack(0, 0.0)
    with pytest.raises(ModbusError, match="11"):
        rack._of(9)


def test_an_encoder_that_starts_near_its_largest_count_goes_round():
    rack = ForeignRack(BY_NAME["absolute, count of leg 2 goes round within the stroke"])
    try:
        first, second = (slave.drive for slave in rack.slaves[:2])
        assert (first.objects.number(0x6064), second.objects.number(0x6064)) == (
            1000,
            2**31 - 100_000,
        )
        second.rod.place_m += 0.2
        assert second.objects.number(0x6064) == 2**31 - 100_000 + 200_000 - 2**32
    finally:
        for each in rack.adapter.readable:
            each.close()
