"""The emulated device behind its registers, without a wire: watchdog, words and parameters."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drives.modbus.register_map import register_map_from
from sim.devices.drive.cia402 import State
from sim.devices.drive.parameters import RackSettings, default_nodes
from sim.devices.drive.rods import PlantError
from sim.devices.modbus import rack_table as table
from sim.devices.modbus.faults import ModbusFaults
from sim.devices.modbus.injection import (
    KINDS,
    ModbusFaultError,
    ModbusInjection,
    parse_fault,
    parse_script,
)
from sim.devices.modbus.rack import ModbusRackCore, ModbusRackSettings

SHIPPED = Path(__file__).parents[2] / "configs" / "drives" / "hil_rack.toml"
SETTABLE_NAMES = {
    "following_window": "following_error_window",
    "following_time_ms": "following_error_timeout_ms",
    "max_speed": "max_profile_velocity",
    "abort_option": "abort_connection_option",
}


class Master:
    """Writes cyclic requests by hand, at its own times."""

    def __init__(self, **settings):
        self.core = ModbusRackCore(ModbusRackSettings(**settings), seed=3)
        self.t_s, self.sequence = 10.0, 0
        self.unit = self.core.settings.units[0]
        self.core.advance(self.t_s)
        self.targets = [0] * 6

    def cycle(self, controlword, mode=8, *, dt_s=0.004, targets=None, repeat=False):
        self.t_s += dt_s
        self.core.advance(self.t_s)
        self.sequence += not repeat
        words = [self.sequence & 0xFFFF]
        for axis in range(6):
            if targets is not None:
                self.targets[axis] = targets[axis]
            words += [controlword, mode, *table.words_of(self.targets[axis], table.TARGET), 0, 0]
        assert self.core.write(self.unit, 0, words, self.t_s) is None
        return self.states()

    def states(self):
        found = self.core.read(self.unit, table.ECHO, 62)
        assert not isinstance(found, int)
        return [found[2 + 10 * axis : 12 + 10 * axis] for axis in range(6)]

    def position(self, axis=0):
        return table.value_of(self.states()[axis][4:6], table.POSITION)

    def home_and_enable(self):
        for controlword in (0x06, 0x06, 0x07, *[0x0F] * 60):
            self.cycle(controlword, 6)
        for _ in range(4000):
            states = self.cycle(0x1F, 6)
            if all(words[0] & 0x1400 == 0x1400 for words in states):
                break
        else:
            raise AssertionError([hex(words[0]) for words in states])
        for _ in range(5):
            self.cycle(0x0F, 8, targets=[self.position(axis) for axis in range(6)])
        assert [words[0] & 0x6F for words in self.states()] == [0x27] * 6

    def run_at(self, speed_m_s, cycles):
        for _ in range(cycles):
            step = round(speed_m_s * 1e6 * 0.004)
            self.cycle(0x0F, 8, targets=[target + step for target in self.targets])


@pytest.fixture
def moving():
    master = Master()
    assert master.core.write(1, table.WATCHDOG_MS, [40], master.t_s) is None
    master.home_and_enable()
    master.run_at(0.1, 50)
    return master


def test_the_shipped_map_and_the_device_agree_register_by_register():
    map_ = register_map_from(tomllib.loads(SHIPPED.read_text()), "hil_rack.toml")
    assert (map_.write.address + map_.write.counter, map_.write.first_axis, map_.write.stride) == (
        table.SEQUENCE, table.ORDERS, table.ORDER_STRIDE)  # fmt: skip
    assert (map_.read.address + map_.read.counter, map_.read.address + map_.read.boot_count) == (
        table.ECHO, table.BOOT_COUNT)  # fmt: skip
    assert (map_.read.address + map_.read.first_axis, map_.read.stride) == (
        table.STATES, table.STATE_STRIDE)  # fmt: skip
    assert map_.watchdog_address == table.WATCHDOG_MS
    assert (map_.parameter_address, map_.parameter_stride) == (
        table.PARAMETERS, table.PARAMETER_STRIDE)  # fmt: skip
    device = {
        "controlword": table.CONTROLWORD, "mode": table.MODE, "target_position": table.TARGET,
        "target_speed": table.SPEED, "statusword": table.STATUSWORD,
        "mode_display": table.MODE_DISPLAY, "error_code": table.ERROR_CODE,
        "inputs": table.INPUTS, "position": table.POSITION, "speed": table.VELOCITY,
        "force": table.FORCE, "counts_per_m": table.COUNTS_PER_M,
        "rated_force": table.RATED_FORCE_N, "supported_modes": table.SUPPORTED_MODES,
        "serial_number": table.SERIAL, "interpolation_period_us": table.INTERPOLATION_US,
    }  # fmt: skip
    for place in (*map_.write.fields, *map_.read.fields, *map_.parameters):
        own = SETTABLE_NAMES.get(place.name, place.name)
        word = device.get(place.name) or table.SETTABLE[own]
        signed = place.type.value.startswith("i")
        assert (place.offset, place.type.registers, signed) == word, place.name
    assert map_.word_order.value == "big"
    named = len(map_.parameters)
    assert named == len(table.SETTABLE) + len(table.READ_ONLY) + 1


def test_without_requests_the_drives_stop_by_themselves_within_50_ms(moving):
    last_s, rods = moving.t_s, moving.core.rods
    assert all(rod.v_m_s > 0.09 for rod in rods)
    moving.core.advance(last_s + 0.0399)
    assert moving.core.tripped_at_s is None
    moving.core.advance(last_s + 0.0401)
    assert moving.core.tripped_at_s == pytest.approx(last_s + 0.04, abs=1e-9)
    speeds = [abs(rod.v_m_s) for rod in rods]
    moving.core.advance(last_s + 0.05)
    assert all(abs(rod.v_m_s) < speed for rod, speed in zip(rods, speeds, strict=True))
    moving.core.advance(last_s + 0.05 + 0.1 / 8.0 + 0.05)  # ramp of 8 m/s2, and the servo
    assert all(abs(rod.v_m_s) < 2e-3 for rod in rods)
    moving.core.advance(last_s + 0.5)
    assert all(rod.v_m_s == 0.0 for rod in rods)
    assert [words[0] & 0x4F for words in moving.states()] == [0x08] * 6
    assert [words[2] for words in moving.states()] == [0x8130] * 6


def test_control_with_the_watchdog_off_the_drives_stay_enabled(moving):
    moving.core.write(1, table.WATCHDOG_MS, [0], moving.t_s)
    moving.core.advance(moving.t_s + 1.0)
    assert moving.core.tripped_at_s is None
    assert [words[0] & 0x6F for words in moving.states()] == [0x27] * 6


def test_the_watchdog_fires_at_its_own_time_however_seldom_time_is_told(moving):
    last_s = moving.t_s
    moving.core.advance(last_s + 3.0)
    assert moving.core.tripped_at_s == pytest.approx(last_s + 0.04, abs=1e-9)


def test_reading_and_repeating_feed_no_watchdog(moving):
    last_s = moving.t_s
    for _ in range(5):
        moving.cycle(0x0F, dt_s=0.008, repeat=True)
        moving.core.read(1, table.ECHO, 62)
        moving.core.write(1, table.PARAMETERS + 9, [21], moving.t_s)
    moving.core.advance(last_s + 0.041)
    assert moving.core.tripped_at_s == pytest.approx(last_s + 0.04, abs=1e-9)


@pytest.mark.parametrize(("option", "state"), [(0, 0x27), (1, 0x08), (2, 0x40), (3, 0x07)])
def test_what_a_lost_master_causes_is_what_6007h_says(option, state):
    master = Master()
    master.core.write(1, table.WATCHDOG_MS, [40], master.t_s)
    for axis in range(6):
        master.core.write(1, 1000 + 40 * axis + 24, [option, 6], master.t_s)
    master.home_and_enable()
    master.core.advance(master.t_s + 0.1)
    mask = 0x4F if state in (0x08, 0x40) else 0x6F
    assert [words[0] & mask for words in master.states()] == [state] * 6


def test_the_echo_is_the_sequence_of_the_last_request():
    master = Master()
    for _ in range(3):
        master.cycle(6)
    assert master.core.read(1, table.ECHO, 2) == [3, 1]
    master.core.power_up()
    assert master.core.read(1, table.ECHO, 2) == [0, 2]
    assert master.core.read(1, table.WATCHDOG_MS, 1) == [100]


def test_half_of_a_target_is_refused_and_nothing_of_that_request_is_done():
    master = Master()
    master.cycle(6)
    before = master.core.read(1, 0, 37)
    assert master.core.write(1, 3, [1], master.t_s) == 3
    assert master.core.write(1, 1, [0x0F, 8, 1], master.t_s) == 3
    assert master.core.read(1, 0, 37) == before
    assert master.core.drives[0].controlword == 6


@pytest.mark.parametrize("address", [37, 99, 162, 199, 201, 999, 1240, 1299])
def test_addresses_without_a_register_are_refused(address):
    master = Master()
    assert master.core.read(1, address, 1) == 2
    assert master.core.write(1, address, [0], master.t_s) == 2


def test_state_words_cannot_be_written_and_a_drives_own_data_neither():
    master = Master()
    assert master.core.write(1, table.STATES, [0x27], master.t_s) == 2
    for word in table.READ_ONLY:
        assert master.core.write(1, 1000 + word.at, [0] * word.width, master.t_s) == 2


@given(st.sampled_from(sorted(table.SETTABLE)), st.integers(0, 5), st.data())
def test_a_written_parameter_reads_back_and_moves_no_other(name, axis, data):
    master, word = Master(), table.SETTABLE[name]
    low = -(1 << 16 * word.width - 1) if word.signed else 0
    value = data.draw(st.integers(low, low + (1 << 16 * word.width) - 1))
    if name == "homing_method":
        value = data.draw(st.sampled_from([17, 21, 35]))
    before = [master.core.read(1, 1000 + 40 * each, 40) for each in range(6)]
    at = 1000 + 40 * axis + word.at
    assert master.core.write(1, at, table.words_of(value, word), master.t_s) is None
    assert table.value_of(master.core.read(1, at, word.width), word) == value
    before[axis][word.at : word.at + word.width] = table.words_of(value, word)
    assert [master.core.read(1, 1000 + 40 * each, 40) for each in range(6)] == before


def test_a_homing_method_that_the_drive_lacks_is_refused():
    assert Master().core.write(1, 1009, [99], 0.0) == 3


def test_six_units_have_one_axis_each():
    core = ModbusRackCore(ModbusRackSettings(units=(1, 2, 3, 4, 5, 6)), seed=1)
    core.advance(0.0)
    for unit in range(1, 7):
        assert core.write(unit, 0, [1, 6, 8, 0, 0, 0, 0], 0.0) is None
        assert core.read(unit, 1032, 2) == [0, 1000 + unit]
        assert core.read(unit, 107, 6) == 2
    assert {drive.state for drive in core.drives} == {State.READY_TO_SWITCH_ON}
    core.advance(0.0999)
    assert core.tripped_at_s is None
    core.advance(0.1001)
    assert {drive.state for drive in core.drives} == {State.FAULT}


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"units": (1, 2)}, "1 or 6 different"),
        ({"units": (0,)}, "1 to 247"),
        ({"baud": 10}, "300 to"),
        ({"stop_bits": 3}, "1 or 2"),
    ],
)
def test_a_rack_that_cannot_be_is_refused(changes, text):
    with pytest.raises(PlantError, match=text):
        ModbusRackSettings(**changes)


# -- faults -----------------------------------------------------------------------------------


def faulty(kind, axis=0, value=0.0, duration_s=None):
    master = Master()
    master.home_and_enable()
    faults = ModbusFaults(master.core)
    faults.start(ModbusInjection(kind, axis, value, duration_s), master.t_s)
    return master, faults


def test_drive_faults_do_what_they_say():
    master, _ = faulty("estop", 3)
    assert [words[3] & 8 for words in master.states()] == [8, 8, 0, 8, 8, 8]
    assert master.states()[2][0] & 0x4F == 0x40
    master, _ = faulty("emcy", 2, 0x7121)
    assert [words[2] for words in master.states()] == [0, 0x7121, 0, 0, 0, 0]
    master, _ = faulty("state_drop", 6)
    assert [words[0] & 0x6F == 0x27 for words in master.states()] == [True] * 5 + [False]
    master, _ = faulty("reboot")
    assert master.core.read(1, table.BOOT_COUNT, 1) == [2]
    assert {words[0] & 0x4F for words in master.states()} == {0x40}


def test_a_stuck_axis_repeats_its_words_while_the_rod_moves():
    master, faults = faulty("stuck", 1)
    before = master.states()[0]
    master.run_at(0.1, 10)
    assert master.states()[0] == before
    assert master.core.rods[0].v_m_s > 0.01
    faults.clear()
    assert master.states()[0] != before


def test_a_jump_moves_the_counts_and_not_the_rod():
    master = Master()
    faults, x_m, counts = ModbusFaults(master.core), master.core.rods[1].x_m, master.position(1)
    faults.start(ModbusInjection("jump", 2, 0.05), 0.0)
    assert master.position(1) == pytest.approx(counts + 50_000, abs=1)
    assert master.core.rods[1].x_m == x_m


def test_lag_and_scale_show_in_the_position():
    master, faults = faulty("lag", 1, 0.5)
    start = [master.position(0), master.position(1)]
    master.run_at(0.1, 50)
    assert master.position(0) - start[0] < 0.5 * (master.position(1) - start[1])
    faults.start(ModbusInjection("scale", 2, 2.0), master.t_s)
    counts, x_m = master.position(1), master.core.rods[1].x_m
    master.run_at(0.01, 20)
    moved = master.core.rods[1].x_m - x_m
    assert master.position(1) - counts == pytest.approx(2e6 * moved, rel=0.02)


def test_a_fault_ends_when_its_time_is_over():
    master, faults = faulty("estop", 1, duration_s=0.5)
    faults.advance(master.t_s + 0.49)
    assert master.states()[0][3] & 8 == 0
    faults.advance(master.t_s + 0.5)
    assert master.states()[0][3] & 8 == 8
    assert faults.active == ()


@pytest.mark.parametrize("rtu", [True, False])
def test_wire_faults_change_the_answer_and_nothing_else(rtu):
    faults, answer = ModbusFaults(Master().core), bytes(range(20))
    assert faults.on_wire(answer, rtu=rtu) == (0.0, answer)
    for kind in ("drop", "delay", "garble", "truncate", "glue", "wrong_unit"):
        faults.start(ModbusInjection(kind, value=2.0), 0.0)
        delay_s, data = faults.on_wire(answer, rtu=rtu)
        assert (delay_s, data) != (0.0, answer), kind
        assert (delay_s == 2.0) == (kind == "delay")
        faults.clear()
    assert faults.on_wire(answer, rtu=rtu) == (0.0, answer)


def test_a_script_begins_its_faults_in_time():
    script = parse_script(
        '[[fault]]\nat_s = 2.0\nline = "exception 6 for 1"\n[[fault]]\nat_s = 1\nline = "mute"\n'
    )
    faults = ModbusFaults(Master().core, script)
    faults.advance(50.0)
    faults.advance(50.99)
    assert not faults.mute
    faults.advance(51.0)
    assert faults.mute
    faults.advance(52.0)
    assert faults.exception == 6
    faults.advance(53.0)
    assert faults.exception == 0


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("mute", ModbusInjection("mute")),
        ("delay 0.08 for 1", ModbusInjection("delay", 0, 0.08, 1.0)),
        ("estop 3", ModbusInjection("estop", 3)),
        ("emcy 2 0x8611", ModbusInjection("emcy", 2, 0x8611)),
        ("jump 6 -0.05 for 2.5", ModbusInjection("jump", 6, -0.05, 2.5)),
    ],
)
def test_a_line_is_a_fault(line, expected):
    assert parse_fault(line) == expected


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("", "unknown; known: drop"),
        ("burn", "'burn' is unknown; known: drop, delay"),
        ("delay", "delay takes a value"),
        ("delay x", "'x' is no number"),
        ("delay nan", "not finite"),
        ("delay 61", "value 61, 0 to 60 is needed"),
        ("estop", "estop takes an axis"),
        ("estop 7", "axis 7, 1 to 6 is needed"),
        ("jump 1", "jump takes an axis and a value"),
        ("mute for 0", "for 0.0 s, more than 0"),
        ("mute 1", "mute takes nothing"),
    ],
)
def test_a_line_that_is_no_fault_is_told_what_would_be_right(line, text):
    with pytest.raises(ModbusFaultError, match=text):
        parse_fault(line)


@pytest.mark.parametrize("text", ["x", "a = 1", "[[fault]]\nat_s = -1\nline='mute'", "fault = 1"])
def test_a_script_that_is_none_is_refused(text):
    with pytest.raises(ModbusFaultError):
        parse_script(text)


@given(st.text(max_size=40))
def test_any_line_is_a_fault_or_an_error_of_ours(line):
    try:
        assert parse_fault(line).kind in KINDS
    except ModbusFaultError:
        return


def test_the_same_seed_gives_the_same_rack():
    def words(seed):
        core = ModbusRackCore(ModbusRackSettings(), seed=seed)
        return core.read(1, table.ECHO, 62)

    assert words(4) == words(4) != words(5)
    assert len(RackSettings().nodes) == len(default_nodes())
