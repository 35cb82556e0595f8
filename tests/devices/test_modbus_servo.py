"""Servos of Nanotec as their Modbus manual has them, told to by raw registers on a virtual clock.

The judge is the manual's text as numbers of its own here, and arithmetic with the screw; nothing of
`drives` and no table of `sim` is read.
"""

import dataclasses
import struct

import pytest
from modbus_bench import RackThread
from pymodbus.client import ModbusTcpClient

from drives.links import parse_link
from sim.devices.drive.parameters import RackSettings, default_nodes
from sim.devices.drive.rods import RodSettings
from sim.devices.modbus.faults import ModbusFaults
from sim.devices.modbus.injection import parse_fault
from sim.devices.modbus.rack import ModbusRackSettings
from sim.devices.modbus.types import MODBUS_TYPES

UNITS = (1, 2, 3, 4, 5, 6)
ALIVE, PATIENCE, OUTPUTS, TOLD, RECEIVED = 2000, 2002, 3000, 5000, 6000
TENTHS_PER_M = 3600 / 0.01  # a screw of 10 mm a turn
STATUSWORD, MODE_DISPLAY, ERROR, TORQUE, INPUTS, POSITION, SPEED = 0, 1, 2, 3, 4, 6, 8
ENABLED, QUICK_STOP = 0x27, 0x07
ILLEGAL_ADDRESS, ILLEGAL_VALUE = 2, 3
STEP_S = 0.004


def sign_of(unit):
    """The drive of leg 6 counts inwards."""
    return -1 if unit == 6 else 1


def settings():
    kind = MODBUS_TYPES["nanotec_modbus_rtu"]
    rod = RodSettings(brake_release_s=0.02)
    nodes = tuple(
        dataclasses.replace(node, rod=rod, type=kind.drives, sign=sign_of(k + 1))
        for k, node in enumerate(default_nodes())
    )
    rack = RackSettings(nodes=nodes, start_spread_m=0.003)
    return ModbusRackSettings(rack=rack, units=kind.units, paced=False, cycle_s=STEP_S)


class Master:
    """Writes process images as a PLC would, in cycles of 4 ms."""

    def __init__(self):
        self.core = MODBUS_TYPES["nanotec_modbus_rtu"].device(settings(), seed=3)
        self.t_s, self.count = 10.0, 0
        self.core.advance(self.t_s)

    def wait(self, time_s):
        for _ in range(round(time_s / 0.001)):
            self.t_s += 0.001
            self.core.advance(self.t_s)

    def say(self, controlword, mode, targets=None, speed=0, *, alive=True):
        self.count += alive
        self.wait(STEP_S)
        for k, unit in enumerate(UNITS):
            target = self.number(unit, POSITION) if targets is None else targets[k]
            of_unit = sign_of(unit) * speed
            image = struct.pack(">iHBbii", self.count, controlword, 0, mode, target, of_unit)
            words = list(struct.unpack(">8H", image))
            assert self.core.write(unit, RECEIVED, words, self.t_s) is None

    def words(self, unit, at=0, count=10):
        found = self.core.read(unit, TOLD + at, count)
        assert not isinstance(found, int), found
        return found

    def number(self, unit, at):
        return struct.unpack(">i", struct.pack(">2H", *self.words(unit, at, 2)))[0]

    def states(self):
        return [self.words(unit)[STATUSWORD] & 0x6F for unit in UNITS]

    def patience(self, time_ms):
        for unit in UNITS:
            assert self.core.write(unit, PATIENCE, [0, time_ms], self.t_s) is None

    def home_and_enable(self):
        for controlword in (0x06, 0x06, 0x07, *[0x0F] * 20):
            self.say(controlword, 6)
        for _ in range(3000):
            self.say(0x1F, 6)
            if all(self.words(unit)[STATUSWORD] & 0x1400 == 0x1400 for unit in UNITS):
                break
        for _ in range(5):
            self.say(0x0F, 8)
        assert self.states() == [ENABLED] * 6


@pytest.fixture
def master():
    return Master()


@pytest.fixture
def enabled(master):
    master.patience(50)
    master.home_and_enable()
    return master


def test_what_the_drives_tell_lies_where_the_mapping_says_high_word_first(enabled):
    for unit, rod in zip(UNITS, enabled.core.rods, strict=True):
        words = enabled.words(unit)
        assert words[MODE_DISPLAY] == 8, "a dummy of eight bits, then the mode"
        assert words[ERROR] == 0
        way_m = rod.x_m - rod.settings.reference_m
        sign = sign_of(unit)
        assert enabled.number(unit, POSITION) == pytest.approx(sign * way_m * TENTHS_PER_M, abs=2)
        force = words[TORQUE] - (words[TORQUE] & 0x8000) * 2
        assert sign * force == pytest.approx(1000 * 650 / 4000, abs=2), "it holds the load"
        assert words[INPUTS] == 0, "the high half of 60FDh"
        assert words[INPUTS + 1] & 0x8, "the interlock is closed"


def test_the_rods_follow_targets_in_tenths_of_a_degree(enabled):
    before = [rod.x_m for rod in enabled.core.rods]
    starts = [enabled.number(unit, POSITION) for unit in UNITS]

    def at(way):
        return [start + sign_of(unit) * way for unit, start in zip(UNITS, starts, strict=True)]

    speed = round(10 / STEP_S)
    for k in range(100):
        enabled.say(0x0F, 8, at(10 * k), speed)
    told = [sign_of(unit) * enabled.number(unit, SPEED) for unit in UNITS]
    assert told == pytest.approx([speed] * 6, rel=0.05)
    for _ in range(100):
        enabled.say(0x0F, 8, at(990))
    moved = [rod.x_m - x_m for rod, x_m in zip(enabled.core.rods, before, strict=True)]
    assert moved == pytest.approx([990 / TENTHS_PER_M] * 6, abs=2e-5)


def test_a_drive_whose_master_is_silent_begins_a_quick_stop_after_its_patience(enabled):
    enabled.wait(0.048)
    assert enabled.states() == [ENABLED] * 6
    enabled.wait(0.004)
    assert enabled.states() == [QUICK_STOP] * 6
    assert [enabled.words(unit)[ERROR] for unit in UNITS] == [0] * 6, "it is no fault"


def test_only_a_value_that_changes_is_a_sign_of_life(enabled):
    for _ in range(11):
        enabled.say(0x0F, 8, alive=False)
    assert enabled.states() == [ENABLED] * 6
    for _ in range(3):
        enabled.wait(STEP_S)
    assert enabled.states() == [QUICK_STOP] * 6


def test_a_patience_of_0_is_for_ever(enabled):
    enabled.patience(0)
    enabled.wait(0.5)
    assert enabled.states() == [ENABLED] * 6


def test_one_drive_that_does_not_watch_goes_on(enabled):
    ModbusFaults(enabled.core).start(parse_fault("unwatched 3"), enabled.t_s)
    enabled.wait(0.06)
    assert enabled.states() == [ENABLED if unit == 3 else QUICK_STOP for unit in UNITS]


def test_what_was_written_is_read_back(master):
    image = [0, 7, 0x06, 8, 1, 2, 3, 4]
    assert master.core.write(2, RECEIVED, image, master.t_s) is None
    assert master.core.read(2, RECEIVED, 8) == image
    assert master.core.read(3, RECEIVED, 8) == [0] * 8
    assert master.core.read(2, ALIVE, 2) == [0, 7], "the image holds the NanoJ input itself"
    assert master.core.write(2, PATIENCE, [0, 200], master.t_s) is None
    assert master.core.read(2, PATIENCE, 2) == [0, 200]


@pytest.mark.parametrize(
    ("address", "values", "code"),
    [
        (RECEIVED + 4, [1], ILLEGAL_VALUE),  # half a target
        (RECEIVED + 5, [1, 2], ILLEGAL_VALUE),
        (RECEIVED, [0], ILLEGAL_VALUE),
        (RECEIVED + 7, [1, 2], ILLEGAL_ADDRESS),
        (PATIENCE, [50], ILLEGAL_VALUE),  # NanoJ values are whole
        (PATIENCE + 1, [0, 50], ILLEGAL_VALUE),
        (OUTPUTS, [0, 1], ILLEGAL_ADDRESS),  # told, not received
        (TOLD, [6], ILLEGAL_ADDRESS),
        (0, [6], ILLEGAL_ADDRESS),
        (ALIVE + 63, [0, 1], ILLEGAL_ADDRESS),
    ],
)
def test_what_cannot_be_written_is_refused_and_changes_nothing(master, address, values, code):
    before = [master.core.read(1, at, 8) for at in (ALIVE, RECEIVED, OUTPUTS)]
    assert master.core.write(1, address, values, master.t_s) == code
    assert [master.core.read(1, at, 8) for at in (ALIVE, RECEIVED, OUTPUTS)] == before


@pytest.mark.parametrize(
    ("address", "count", "code"),
    [
        (TOLD + 1, 2, ILLEGAL_ADDRESS),  # no multiple of 4 bytes
        (TOLD, 11, ILLEGAL_ADDRESS),
        (TOLD - 2, 4, ILLEGAL_ADDRESS),
        (1000, 2, ILLEGAL_ADDRESS),
        (TOLD, 126, ILLEGAL_VALUE),
    ],
)
def test_what_cannot_be_read_is_refused(master, address, count, code):
    assert master.core.read(1, address, count) == code


def test_power_takes_reference_and_watchdog_away_and_leaves_what_is_stored(enabled):
    enabled.core.power_up()
    assert enabled.core.read(1, ALIVE, 4) == [0, 0, 0, 0]
    assert enabled.core.read(1, RECEIVED, 8) == [0] * 8
    enabled.wait(0.5)
    enabled.home_and_enable()
    enabled.wait(0.5)
    assert enabled.states() == [ENABLED] * 6, "nobody has set a patience again"


def test_on_the_wire_it_serves_the_functions_of_the_manual_and_says_that_it_is_emulated():
    kind = MODBUS_TYPES["nanotec_modbus_rtu"]
    rack = RackThread("tcp", settings(), kind=kind.device)
    link = parse_link(rack.url)
    client = ModbusTcpClient(link.host, port=link.port, timeout=5.0, retries=0)
    try:
        assert client.connect()
        image = [0, 1, 0x06, 8, 0, 0, 0, 0]
        both = client.readwrite_registers(
            read_address=TOLD, read_count=10, write_address=RECEIVED, values=image, device_id=4
        )
        told = client.read_holding_registers(TOLD, count=10, device_id=4)
        assert both.registers == told.registers
        assert told.registers[STATUSWORD] & 0x6F == 0x21, "ready to switch on"
        again = client.read_input_registers(TOLD, count=10, device_id=4)
        assert again.registers == told.registers
        assert not client.write_register(RECEIVED + 2, 0x07, device_id=4).isError()
        half = client.write_register(RECEIVED + 4, 7, device_id=4)
        nothing = client.read_holding_registers(RECEIVED + 64, count=2, device_id=4)
        coils = client.read_coils(0, count=1, device_id=4)
        assert [each.exception_code for each in (half, nothing, coils)] == [3, 2, 1]
        found = client.read_device_information(device_id=4).information
        assert found[0] == b"HIL bench"
    finally:
        client.close()
        rack.close()
