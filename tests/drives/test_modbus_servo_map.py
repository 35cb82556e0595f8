"""The shipped map of a servo against a rack that was written from the maker's manual."""

import dataclasses
import tomllib

import pytest
from modbus_bench import SHIPPED, BenchBank, RackThread, scales, six

from drives.bank import DriveGoal, DriveState, LegCommand
from drives.register_map import register_map_from
from sim.devices.drive_parameters import RackSettings, default_nodes
from sim.devices.modbus_rack_core import ModbusRackSettings
from sim.devices.modbus_types import MODBUS_TYPES
from sim.devices.plant import RodSettings

NAME = "nanotec_modbus_rtu"
COUNTS_PER_M = 360_000.0
PERIOD_S = 0.02


def shipped():
    path = SHIPPED.with_name(f"{NAME}.toml")
    return register_map_from(tomllib.loads(path.read_text()), path.name)


@pytest.fixture
def bank():
    kind = MODBUS_TYPES[NAME]
    rod = RodSettings(brake_release_s=0.02)
    nodes = [dataclasses.replace(node, rod=rod, type=kind.drives) for node in default_nodes()]
    rack = RackSettings(nodes=tuple(nodes), start_spread_m=0.003)
    settings = ModbusRackSettings(rack=rack, units=kind.units, paced=False, cycle_s=PERIOD_S)
    made = BenchBank(
        RackThread("tcp", settings, kind=kind.device),
        PERIOD_S,
        shipped(),
        scales(counts_per_m=COUNTS_PER_M),
        homing_speed_m_s=0.02,
        homing_zero_speed_m_s=0.005,
        watchdog_s=0.05,
    )
    yield made
    made.close()


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


def test_its_drives_are_homed_and_led(bank):
    report = bank.configure()
    assert report.simulated
    assert report.scale_proved == six(False)
    feedback = enabled(bank)
    start_m = feedback.length_m
    for k in range(1, 51):
        way_m = 1e-4 * k
        command = LegCommand(tuple(x + way_m for x in start_m), six(1e-4 / PERIOD_S))
        feedback = bank.exchange(command)
    assert feedback.length_m == pytest.approx([x + way_m for x in start_m], abs=2e-3)
    assert feedback.speed_m_s == pytest.approx(six(5e-3), rel=0.1)
    assert feedback.fault_code == six(0)
    true_m = [rod.x_m - rod.settings.reference_m for rod in bank.rack.core.rods]
    told_m = [
        x - scale.reference_length_m for x, scale in zip(feedback.length_m, scales(), strict=True)
    ]
    assert told_m == pytest.approx(true_m, abs=2e-4)
