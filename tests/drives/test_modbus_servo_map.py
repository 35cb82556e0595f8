"""The shipped map of a servo against a rack that was written from the maker's manual."""

import contextlib
import dataclasses
import tomllib

import pytest
from modbus_bench import SHIPPED, BenchBank, RackThread, scales, six

from drives.axes.cut_trial import NOT_SEEN
from drives.bank import DriveGoal, DriveSetupError, DriveState
from drives.modbus.bank import ModbusBank
from drives.modbus.register_map import register_map_from
from hil_common.legs import LegTarget
from sim.devices.drive.parameters import RackSettings, default_nodes
from sim.devices.drive.rods import RodSettings
from sim.devices.modbus.device import ModbusRackSettings
from sim.devices.modbus.injection import parse_fault
from sim.devices.modbus.types import MODBUS_TYPES

NAME = "nanotec_modbus_rtu"
SCALES = scales(counts_per_m=360_000.0)
PERIOD_S = 0.02


def shipped(changes=()):
    """The shipped map, with some of its values replaced by others, by the way to each."""
    table = tomllib.loads(SHIPPED.with_name(f"{NAME}.toml").read_text())
    for way, value in changes:
        *above, key = way.split(".")
        place = table
        for each in above:
            place = place[each]
        place[key] = value
    return register_map_from(table, f"{NAME}.toml")


@contextlib.contextmanager
def made(changes=(), **options):
    kind = MODBUS_TYPES[NAME]
    rod = RodSettings(brake_release_s=0.02)
    nodes = [dataclasses.replace(node, rod=rod, type=kind.drives) for node in default_nodes()]
    rack = RackSettings(nodes=tuple(nodes), start_spread_m=0.003)
    settings = ModbusRackSettings(rack=rack, units=kind.units, paced=False, cycle_s=PERIOD_S)
    bank = BenchBank(
        RackThread("tcp", settings, kind=kind.device),
        PERIOD_S,
        shipped(changes),
        SCALES,
        homing_speed_m_s=0.02,
        homing_zero_speed_m_s=0.005,
        watchdog_s=0.05,
        setup_timeout_s=2.0,
        **options,
    )
    try:
        yield bank
    finally:
        bank.close()


def reach(bank, goal, reached):
    bank.request(goal)
    for _ in range(1500):
        feedback = bank.exchange(None)
        if reached(feedback):
            return feedback
    raise AssertionError((feedback, bank.waiting))


def enabled(bank):
    reach(bank, DriveGoal.HOMED, lambda f: all(f.homed))
    return reach(bank, DriveGoal.ENABLED, lambda f: f.state == six(DriveState.ENABLED))


def test_its_drives_are_homed_and_led_and_tell_where_they_are():
    with made() as bank:
        report = bank.configure()
        assert report.simulated
        assert report.scale_proved == six(False)
        feedback = enabled(bank)
        start_m = feedback.length_m
        for k in range(1, 51):
            goal_m = tuple(x + 1e-4 * k for x in start_m)
            feedback = bank.exchange(LegTarget(goal_m, six(1e-4 / PERIOD_S)))
        assert feedback.length_m == pytest.approx(goal_m, abs=5e-4)
        assert feedback.speed_m_s == pytest.approx(six(5e-3), rel=0.1)
        assert feedback.fault_code == six(0)
        ways_m = [x - s.reference_length_m for x, s in zip(feedback.length_m, SCALES, strict=True)]
        true_m = [rod.x_m - rod.settings.reference_m for rod in bank.rack.core.rods]
        assert ways_m == pytest.approx(true_m, abs=2e-4)


@pytest.mark.parametrize(("whose", "told"), [("always", True), ("real", False)])
def test_a_first_motion_that_the_map_has_no_register_for_is_told_to_be_missing(whose, told):
    with made(first_motion=whose) as bank:
        notes = bank.configure().notes
    assert bool(notes) is told
    assert all("no slow first motion" in note for note in notes)


@pytest.mark.parametrize("unwatched", [(), (3,)])
def test_silence_shows_whether_each_drive_stops_by_itself(unwatched):
    with made(cut_m_s=0.0) as bank:
        bank.configure()
        start_m = enabled(bank).length_m
        for leg in unwatched:
            bank.rack.faults.start(parse_fault(f"unwatched {leg}"), bank.rack.now_s())
        for _ in range(60):
            bank.exchange(LegTarget(start_m, six(0.0)))
        stopped = ModbusBank.close(bank).cut_us
    for leg, stop_us in enumerate(stopped, start=1):
        if leg in unwatched:
            assert stop_us == NOT_SEEN
        else:
            assert 50_000 <= stop_us <= 100_000


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ([("watchdog_address", 3002)], "exception 2, illegal data address"),  # another edition
        ([("watchdog_address", 2003)], "exception 3, illegal data value"),
        ([("watchdog_wide", False)], "exception 3, illegal data value"),
        ([("write.address", 6001)], "exception 2, illegal data address"),
        ([("read.address", 5001)], "exception 2, illegal data address"),
        ([("read.first_axis", 1)], "exception 2, illegal data address"),
        ([("word_order", "little")], "times as fast as its speed of homing"),
        ([("write.axis.controlword", 1), ("write.axis.mode", 0)], "6041h"),
        ([("read.axis.statusword", 1), ("read.axis.mode_display", 0)], "6041h"),
        ([("read.axis.mode_display", 2), ("read.axis.error_code", 1)], "6061h"),
        ([("read.axis.error_code", 3), ("read.axis.force", 2)], "6041h"),
    ],
)
def test_a_wrong_value_of_the_map_homes_no_drive(changes, words):
    with made(changes) as bank:
        try:
            bank.configure()
        except DriveSetupError as error:
            assert words in str(error)  # noqa: PT017
            return
        bank.request(DriveGoal.HOMED)
        for _ in range(150):
            feedback = bank.exchange(None)
            if any(feedback.fault_code):
                break
        assert feedback.homed == six(False)
        assert words in bank.waiting
