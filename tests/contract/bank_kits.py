"""One way to make each kind of bank; `drives.contract.kit` has the gentle ways to move it."""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from canopen_bench import SETTINGS, bench
from modbus_bench import modbus_rtu, modbus_tcp
from tapped_racks import PERIOD_S, RIG, tapped

from drives.bank import DriveBank
from drives.contract.kit import BankKit, PacedBank
from drives.sim.bank import SimulatedBank
from drives.sim.cylinder_model import CylinderModel
from hil.machines.rig.machine import cylinder_model
from hil.stations.platform.cycle.world import platform_plant, world_of
from hil.stations.platform.drives.setup import bank_spec
from hil.stations.platform.gate.spec import build_bank
from hil.stations.platform.plan.scenario import plan_from_table
from hil.timing.realtime import RealClock

WINDOW_M = 0.02
"""Following error at which the drives trip themselves: commands that are led keep far inside."""


def _simulated() -> DriveBank:
    closed = np.linspace(0.60, 0.65, 6)
    model = CylinderModel(
        natural_frequency_hz=20.0,
        damping=0.8,
        speed_max_m_s=np.full(6, 0.5),
        acceleration_max_m_s2=np.full(6, 6.0),
        force_max_n=np.full(6, 4000.0),
        moving_mass_kg=np.full(6, 55.0),
        static_load_n=np.full(6, 600.0),
        closed_length_m=closed,
        open_length_m=closed + 0.7,
        reference_length_m=closed + 0.03,
        homing_speed_m_s=0.02,
        enable_cycles=5,
    )
    return SimulatedBank(model, 0.002)


def _coupled() -> DriveBank:
    """Six servos that know nothing of the 360 kg on them, in the physics engine."""
    plant = platform_plant(RIG, world_of("paper_cabin", RIG, key="world"))
    return SimulatedBank(cylinder_model(RIG, 0.004), 0.004, plant=plant)


def _tapped(wire: str) -> BankKit:
    """The same body on the rods of emulated drives."""
    world = world_of("paper_cabin", RIG, key="world")
    return BankKit(
        f"{wire}_on_a_plant", lambda: tapped(wire, world).bank, PERIOD_S[wire],
        accuracy_m=5e-4, at_rest_m_s=1e-3,
    )  # fmt: skip


def _canopen(bus_of_leg: tuple[int, ...]) -> Callable[[], DriveBank]:
    settings = replace(SETTINGS, following_window_m=WINDOW_M, bus_of_leg=bus_of_leg)
    return lambda: bench(settings).bank


EMULATED = (
    BankKit("simulated", _simulated, 0.002),
    BankKit("simulated_on_a_plant", _coupled, 0.004, accuracy_m=5e-4, at_rest_m_s=1e-3),
    _tapped("canopen"),
    _tapped("modbus"),
    BankKit("canopen_one_bus", _canopen((0, 0, 0, 0, 0, 0)), 0.004),
    BankKit("canopen_two_buses", _canopen((0, 0, 0, 1, 1, 1)), 0.004),
    BankKit("modbus_tcp", lambda: modbus_tcp(following_window_m=WINDOW_M), 0.01),
    BankKit("modbus_rtu", lambda: modbus_rtu(following_window_m=WINDOW_M), 0.01),
)


@lru_cache  # one kit for all tests, so that they share its homing
def hardware(url: str, rig: str, rate_hz: float) -> BankKit:
    """The bank of a rig at a URL, in real time."""
    table = {
        "name": "contract",
        "rig": rig,
        "clock": "real",
        "rate_hz": rate_hz,
        "devices": {"drives": url},
        "motion": {"kind": "legs", "to": [{"offsets_m": 0.0}]},
    }
    spec = bank_spec(plan_from_table(table, Path("--rig")))
    clock = RealClock()

    def build() -> DriveBank:
        ticks = clock.ticks(1.0 / rate_hz)
        return PacedBank(build_bank(spec, clock.now_s), lambda: next(ticks))

    return BankKit("hardware", build, 1.0 / rate_hz, accuracy_m=5e-4, at_rest_m_s=1e-3)
