"""The Modbus bank against the emulated rack: set-up, refusals, deadlines, the worker."""

import dataclasses
import os
import threading

import pytest
from modbus_bench import (
    BenchBank,
    RackThread,
    VirtualClock,
    bank_settings,
    modbus_rtu,
    modbus_tcp,
    quick_rack,
    scales,
    shipped_map,
    shipped_table,
    six,
)

from drives.bank import (
    DriveGoal,
    DriveModelError,
    DriveSetupError,
    DriveState,
    LegCommand,
    LinkError,
)
from drives.links import ModbusRtuLink, ModbusTcpLink
from drives.modbus import worker as modbus_worker
from drives.modbus.bank import ModbusBank
from drives.modbus.register_map import register_map_from
from drives.modbus.settings import ModbusSettings
from drives.modbus.worker import GatewayWorker
from hil.timing.realtime import RealClock
from sim.devices.modbus.injection import ModbusInjection

pytestmark = pytest.mark.real_time


def reach(bank, goal, reached):
    bank.request(goal)
    for _ in range(2000):
        feedback = bank.exchange(None)
        if reached(feedback):
            return feedback
    raise AssertionError((feedback, bank.waiting))


def home(bank):
    return reach(bank, DriveGoal.HOMED, lambda f: all(f.homed))


def enable(bank):
    return reach(bank, DriveGoal.ENABLED, lambda f: f.state == six(DriveState.ENABLED))


@pytest.fixture
def opened():
    """Makes banks that are closed at the end."""
    made = []

    def make(settings=None, transport="tcp", **changes):
        rack = RackThread(transport, settings)
        bank = BenchBank(rack, 0.01, **changes)
        made.append(bank)
        return bank

    yield make
    for bank in made:
        bank.close()


def test_the_report_says_who_the_drives_are_and_that_they_are_simulated(opened):
    report = opened().configure()
    assert report.simulated
    assert report.identities[4] == "HIL bench HIL emulated rack 1.0 serial 1005"
    assert report.axes[4].startswith("leg 5: unit 1, HIL bench")
    assert "21 parameters checked" in report.axes[4]


def test_a_real_device_is_not_called_simulated(opened):
    table = shipped_table()
    del table["identification"]
    bank = opened(quick_rack(vendor_name="ACME"), map_=register_map_from(table, "own.toml"))
    assert not bank.configure().simulated


def test_another_device_than_the_map_names_is_refused(opened):
    with pytest.raises(DriveSetupError, match=r"product is 'Other', hil_rack.toml expects 'HIL e"):
        opened(quick_rack(product_code="Other")).configure()


def test_every_parameter_is_in_the_drives_afterwards(opened):
    bank = opened(watchdog_s=0.06)
    bank.configure()
    drive = bank.rack.core.drives[5].parameters
    assert (drive.software_limit_min, drive.software_limit_max) == (-28_000, 708_000)
    assert drive.following_error_window == 500_000
    assert drive.following_error_timeout_ms == 20
    assert (drive.homing_method, drive.home_offset) == (21, 0)
    assert (drive.homing_speed_switch, drive.homing_speed_zero) == (50_000, 20_000)
    assert (drive.quick_stop_deceleration, drive.max_acceleration) == (6_000_000, 6_000_000)
    assert (drive.quick_stop_option, drive.abort_connection_option) == (6, 1)
    assert (drive.fault_reaction_option, drive.halt_option) == (2, 1)
    assert drive.interpolation_period_s == pytest.approx(0.01)
    assert bank.rack.core.read(1, 200, 1) == [60]


def test_limits_of_a_leg_whose_counts_fall_are_swapped(opened):
    bank = opened(scales_=scales(signs=(-1, 1, 1, 1, 1, 1)))
    bank.configure()
    drive = bank.rack.core.drives[0].parameters
    assert (drive.software_limit_min, drive.software_limit_max) == (-708_000, 28_000)


def test_a_drive_that_counts_otherwise_than_the_rig_says_is_refused(opened):
    with pytest.raises(DriveSetupError, match=r"leg 1: the drive counts 1000000 per metre, the"):
        opened(scales_=scales(counts_per_m=1e3)).configure()


def test_another_rated_force_and_another_serial_number_are_refused(opened):
    with pytest.raises(DriveSetupError, match=r"leg 1: the drive's rated force is 4000 N, the rig"):
        opened(rated_force_n=six(5000.0)).configure()
    with pytest.raises(DriveSetupError, match=r"leg 3: serial number 1003, the rig expects 7"):
        opened(serial_numbers=(1001, None, 7, None, None, None)).configure()


def test_a_parameter_that_reads_back_otherwise_is_refused(opened):
    bank = opened()
    true_read = bank.rack.core.read

    def read(unit, address, count):
        found = true_read(unit, address, count)
        if address <= 1018 < address + count and not isinstance(found, int):
            found[1019 - address] ^= 1
        return found

    bank.rack.core.read = read
    text = r"leg 1, unit 1, quick_stop_deceleration \(register 1018\): written 6000000, read back"
    with pytest.raises(DriveSetupError, match=text):
        bank.configure()


def test_a_parameter_that_is_refused_is_named(opened):
    with pytest.raises(DriveSetupError, match=r"homing_method \(register 1009\): 99 was refused"):
        opened(homing_method=99).configure()


def test_a_watchdog_that_does_not_take_is_refused(opened):
    bank = opened()
    bank.rack.core._set_watchdog = lambda unit, time_ms: None
    with pytest.raises(DriveSetupError, match="watchdog register 200: written 0 ms, read back 100"):
        bank.configure()


def test_parameters_that_the_map_lacks_are_listed(opened):
    table = shipped_table()
    for name in ("halt_option", "counts_per_m"):
        del table["parameters"]["offsets"][name]
    line = opened(map_=register_map_from(table, "own.toml")).configure().axes[0]
    assert line.endswith("19 parameters checked; not in the map: halt_option, counts_per_m")


@pytest.mark.parametrize(
    ("link", "text"),
    [
        (ModbusTcpLink("127.0.0.1", 1), r"modbus-tcp://127.0.0.1:1: Connection refused"),
        (ModbusRtuLink("/dev/absent", 115200), r"modbus-rtu:/dev/absent.*: No such file"),
        (ModbusRtuLink("/dev/null", 115200), r"modbus-rtu:/dev/null.*no serial port"),
    ],
)
def test_absent_hardware_names_device_url_and_cause(link, text):
    bank = ModbusBank(
        link, shipped_map(), scales(), 0.05, settings=bank_settings(watchdog_s=0.2),
        now_s=RealClock().now_s, name="rig")  # fmt: skip
    with pytest.raises(LinkError, match=rf"rig: {text}"):
        bank.configure()
    bank.close()


def test_a_line_that_is_too_slow_is_refused_before_anything_is_sent():
    link = ModbusRtuLink("/dev/absent", 19200)
    with pytest.raises(DriveModelError, match=r"a rate of .* Hz or less would do, or 115200 Bd"):
        ModbusBank(
            link, shipped_map(), scales(), 0.05, settings=bank_settings(watchdog_s=0.2,
            answer_timeout_s=None), now_s=RealClock().now_s)  # fmt: skip


def test_a_watchdog_shorter_than_two_cycles_is_refused():
    with pytest.raises(DriveModelError, match=r"watchdog_s is 0.05 s, .*: 0.08 s or more"):
        ModbusBank(
            ModbusTcpLink("127.0.0.1", 1), shipped_map(), scales(), 0.04,
            settings=bank_settings(), now_s=RealClock().now_s)  # fmt: skip


def test_six_units_with_one_axis_each(opened):
    units = (11, 12, 13, 14, 15, 16)
    bank = opened(quick_rack(units=units), map_=shipped_map(units=list(units)))
    report = bank.configure()
    assert report.axes[5].startswith("leg 6: unit 16")
    home(bank)
    before = enable(bank)
    goal = tuple(x + 0.001 * leg for leg, x in enumerate(before.length_m))
    for _ in range(200):
        feedback = bank.exchange(LegCommand(goal, six(0.0)))
    assert feedback.length_m == pytest.approx(goal, abs=1e-5)


def test_a_wrong_order_of_halves_is_found_before_anything_is_written(opened):
    bank = opened(map_=shipped_map(word_order="little"))
    with pytest.raises(DriveSetupError, match="counts 1111490575 per metre"):
        bank.configure()
    assert bank.rack.core.drives[0].parameters.following_error_window == 20_000


def test_a_map_without_echo_inputs_and_speeds_still_moves_the_legs(opened):
    """The rack has more than this map uses; what is missing is told as missing."""
    table = shipped_table()
    table["read"].pop("echo")
    table["read"].pop("boot_count")
    for key in ("inputs", "speed", "force"):
        del table["read"]["axis"][key]
    map_ = register_map_from(table, "own.toml")
    assert not map_.proves_answers
    bank = opened(map_=map_)
    bank.configure()
    home(bank)
    feedback = enable(bank)
    assert (feedback.inputs, feedback.speed_m_s, feedback.force_n) == (None, six(0.0), six(0.0))


def test_without_a_count_of_restarts_a_long_silence_counts_as_one(opened):
    table = shipped_table()
    table["read"].pop("boot_count")
    bank = opened(map_=register_map_from(table, "own.toml"), answer_timeout_s=0.05)
    bank.configure()
    home(bank)
    bank.rack.faults.start(ModbusInjection("drop"), bank.rack.now_s())
    for _ in range(7):
        bank.exchange(None)
    bank.rack.faults.clear()
    for _ in range(3):
        feedback = bank.exchange(None)
    assert feedback.fresh == six(True)
    assert feedback.state == six(DriveState.UNKNOWN)
    assert feedback.fault_code == six(0x8180)
    assert feedback.homed == six(False)


@pytest.mark.parametrize("sign", [1, -1])
def test_signs_of_force_and_speed_are_those_of_the_leg(opened, sign):
    settings = quick_rack()
    nodes = tuple(dataclasses.replace(node, sign=sign) for node in settings.rack.nodes)
    rack = dataclasses.replace(settings, rack=dataclasses.replace(settings.rack, nodes=nodes))
    bank = opened(rack, scales_=scales(signs=six(sign)))
    bank.configure()
    home(bank)
    feedback = enable(bank)
    assert feedback.force_n == pytest.approx(six(650.0), abs=4.0)  # it pushes against the load
    target = list(feedback.length_m)
    for _ in range(60):
        target = [x + 0.001 for x in target]
        feedback = bank.exchange(LegCommand(tuple(target), six(0.1)))
    assert feedback.speed_m_s == pytest.approx(six(0.1), abs=0.01)
    assert feedback.length_m == pytest.approx(target, abs=0.01)
    assert all(rod.v_m_s == pytest.approx(0.1, abs=0.01) for rod in bank.rack.core.rods)


def test_accepted_is_what_was_on_the_wire_rounded_to_counts(opened):
    bank = opened()
    bank.configure()
    home(bank)
    length_m = tuple(x + 0.0000004 for x in enable(bank).length_m)
    accepted = bank.exchange(LegCommand(length_m, six(0.0000004))).accepted
    assert accepted.length_m == pytest.approx(length_m, abs=5e-7)
    assert accepted.length_m != length_m
    assert accepted.speed_m_s == six(0.0)
    words = bank.rack.core.read(1, 3, 2)
    assert accepted.length_m[0] == 0.63 + ((words[0] << 16 | words[1]) / 1e6)


def test_an_opened_interlock_shows_in_the_inputs_and_in_the_state(opened):
    bank = opened()
    bank.configure()
    home(bank)
    enable(bank)
    assert all(inputs & 8 for inputs in bank.exchange(None).inputs)
    bank.rack.faults.start(ModbusInjection("estop", 2), bank.rack.now_s())
    bank.exchange(None)
    feedback = bank.exchange(None)
    assert [bool(inputs & 8) for inputs in feedback.inputs] == [True, False, *[True] * 4]
    assert feedback.state[1] is DriveState.DISABLED


def test_a_fault_code_of_a_drive_is_told(opened):
    bank = opened()
    bank.configure()
    home(bank)
    enable(bank)
    bank.rack.faults.start(ModbusInjection("emcy", 4, 0x7121), bank.rack.now_s())
    feedback = bank.exchange(None)
    assert feedback.fault_code == (0, 0, 0, 0x7121, 0, 0)
    assert feedback.state[3] is DriveState.FAULT


def test_the_counts_of_the_link_tell_what_was_missing(opened):
    bank = opened(answer_timeout_s=0.05)
    bank.configure()
    bank.exchange(None)
    bank.rack.faults.start(ModbusInjection("drop"), bank.rack.now_s())
    bank.exchange(None)
    report = bank.link_report()
    assert (report.cycles, report.missing) == (2, [1] * 6)
    assert "no answer in time" in report.note or report.note == ""


def test_a_gateway_has_one_controller(opened):
    bank = opened()
    bank.configure()
    other = ModbusBank(
        bank._link, shipped_map(), scales(), 0.01, settings=bank_settings(),
        now_s=RealClock().now_s)  # fmt: skip
    with pytest.raises(LinkError, match="another controller has it"):
        other.configure()
    other.close()
    assert bank.exchange(None).fresh == six(True)


def test_close_disables_the_drives(opened):
    bank = opened()
    bank.configure()
    home(bank)
    enable(bank)
    assert all(rod.powered for rod in bank.rack.core.rods)
    ModbusBank.close(bank)
    assert not any(rod.powered for rod in bank.rack.core.rods)


def faults_a_second_after(bank):
    """What the drives have found wrong a second after the bench has left."""
    core = bank.rack.core
    core.advance(bank.rack.clock.t_s + 1.0)
    return [code for drive in core.drives for code in drive.errors]


def test_drives_without_force_find_nobody_missing_after_the_bench_has_left(opened):
    bank = opened()
    bank.configure()
    home(bank)
    reach(bank, DriveGoal.DISABLED, lambda f: f.state == six(DriveState.DISABLED))
    ModbusBank.close(bank)
    assert faults_a_second_after(bank) == []


def test_control_drives_whose_bench_is_gone_without_a_word_find_it_missing(opened):
    bank = opened()
    bank.configure()
    home(bank)
    bank._leave()
    assert faults_a_second_after(bank) == [0x8130] * 6


@pytest.mark.parametrize("make", [modbus_tcp, modbus_rtu])
def test_close_is_bounded_when_nobody_answers(make):
    bank, clock = make(), RealClock()
    bank.configure()
    bank.rack.faults.start(ModbusInjection("mute"), 0.0)
    bank._gateway.begin_cycles(0.1)
    began_s = clock.now_s()
    bank.close()
    assert clock.now_s() - began_s < 3.0


# -- the worker -------------------------------------------------------------------------------


class Nothing:
    def close(self):
        self.closed = True


def test_a_job_that_lasts_costs_its_deadline_and_its_late_end_is_thrown_away():
    gateway, clock, gate = Nothing(), RealClock(), threading.Event()
    worker = GatewayWorker(gateway, clock.now_s, "test")
    began_s = clock.now_s()
    assert worker.run(lambda _: gate.wait(10.0), 0.05) is None
    assert 0.045 < clock.now_s() - began_s < 0.5
    ran = []
    assert worker.run(lambda _: ran.append(1), 0.05) is None  # still busy: never begun
    gate.set()
    assert worker.run(lambda _: "fresh", 5.0).value == "fresh"
    assert ran == []
    worker.stop(5.0)
    assert gateway.closed


def test_an_error_of_a_job_comes_back_and_the_worker_lives_on():
    worker = GatewayWorker(Nothing(), RealClock().now_s, "test")
    done = worker.run(lambda _: 1 // 0, 5.0)
    assert isinstance(done.error, ZeroDivisionError)
    assert worker.run(lambda _: 7, 5.0).value == 7
    worker.stop(5.0)


def test_on_a_clock_that_stands_still_a_job_still_ends():
    worker = GatewayWorker(Nothing(), VirtualClock().now_s, "test")
    assert worker.run(lambda _: 7, 0.5).value == 7
    worker.stop(5.0)


BATCH = (getattr(os, "SCHED_BATCH", -1), 0)
"""Another policy than the ordinary one, which every process may take."""


@pytest.mark.skipif(BATCH[0] < 0, reason="policies of single threads need Linux")
def test_the_worker_is_scheduled_like_the_thread_that_waits_for_it(monkeypatch):
    def scheduling(_gateway):
        return os.sched_getscheduler(0), os.sched_getparam(0).sched_priority

    assert scheduling(None) != BATCH
    assert modbus_worker._own_scheduling() == scheduling(None)
    monkeypatch.setattr(modbus_worker, "_own_scheduling", lambda: BATCH)
    worker = GatewayWorker(Nothing(), RealClock().now_s, "test")
    assert worker.run(scheduling, 5.0).value == BATCH
    assert scheduling(None) != BATCH, "the waiting thread itself stays as it was"
    worker.stop(5.0)


def test_a_worker_that_may_not_be_urgent_works_all_the_same(monkeypatch):
    asked = []

    def refuse(*scheduling):
        asked.append(scheduling)
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "sched_setscheduler", refuse, raising=False)
    monkeypatch.setattr(os, "sched_param", lambda priority: priority, raising=False)
    monkeypatch.setattr(modbus_worker, "_own_scheduling", lambda: (1, 90))
    worker = GatewayWorker(Nothing(), RealClock().now_s, "test")
    assert worker.run(lambda _: 7, 5.0).value == 7
    assert asked == [(0, 1, 90)]
    worker.stop(5.0)


def test_where_no_policy_is_told_none_is_taken(monkeypatch):
    monkeypatch.delattr(os, "sched_getscheduler", raising=False)
    monkeypatch.setattr(os, "sched_setscheduler", None, raising=False)  # a call would break
    worker = GatewayWorker(Nothing(), RealClock().now_s, "test")
    assert worker.run(lambda _: 7, 5.0).value == 7
    worker.stop(5.0)


# -- settings ---------------------------------------------------------------------------------


def test_settings_travel_as_text():
    settings = bank_settings(serial_numbers=(1, None, 3, None, None, 6), answer_timeout_s=None)
    assert ModbusSettings.from_json(settings.to_json()) == settings


@pytest.mark.parametrize("text", ["x", "[]", "{}", '{"mode": 8}'])
def test_a_text_that_holds_no_settings_is_refused(text):
    with pytest.raises(DriveModelError, match="Modbus settings"):
        ModbusSettings.from_json(text)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"mode": 1}, "mode is 1, 7 or 8"),
        ({"watchdog_s": 0.6}, "0.5 s at most"),
        ({"watchdog_s": 0.0}, "watchdog_s is 0.0, a finite number above 0"),
        ({"following_window_m": float("nan")}, "following_window_m is nan"),
        ({"speed_max_m_s": six(-1.0)}, "speed_max_m_s is -1.0"),
        ({"length_min_m": (0.6,) * 5}, "length_min_m holds 5 values"),
        ({"length_max_m": six(0.5)}, "leg 1: length_min_m 0.602 m must be below length_max_m 0.5"),
        ({"answer_timeout_s": 0.0}, "answer_timeout_s is 0.0 s"),
    ],
)
def test_settings_that_make_no_sense_are_refused(changes, text):
    with pytest.raises(DriveModelError, match=text):
        bank_settings(**changes)


def test_the_answer_is_awaited_for_most_of_a_cycle_and_never_longer_than_50_ms():
    settings = bank_settings(answer_timeout_s=None)
    assert settings.answer_within_s(0.01) == pytest.approx(0.008)
    assert settings.answer_within_s(1.0) == 0.05
    assert bank_settings(answer_timeout_s=0.003).answer_within_s(1.0) == 0.003
