"""From a plan to the bank that its gate shall drive: URL, scales and parameters of the drives."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drives.bank import DriveError
from drives.plugin_bank import BankOrder
from drives.sim.faults import SimFault
from hil.config.errors import about
from hil.config.installation import InstallationError
from hil.config.settings import ConfigError
from hil.machines.rig.bus_kind import BusKind, BusOrder, bus_kind
from hil.machines.rig.bus_tables import table_of
from hil.machines.rig.drive_fit import MODES, OUTSIDE_SOFT_M, scales_of
from hil.machines.rig.drive_reference import absolute_scales, known_place
from hil.machines.rig.machine import cylinder_model, soft_range_m
from hil.machines.rig.offered_banks import origin_of_scheme
from hil.machines.rig.settings import Rig
from hil.stations.platform.cycle.world import world_of
from hil.stations.platform.gate.spec import BankSpec, sim_settings
from hil.stations.platform.plan.scenario import Plan


@dataclass(frozen=True, slots=True)
class BankRequest:
    """Requests to a bank besides following the motion."""

    homing_legs: tuple[int, ...] = ()
    """Legs (1 to 6) that homing moves; all if empty."""
    cut_m_s: float | None = None
    """Speed at which it falls silent once [m/s], 0 at rest; None for no silence."""
    measured: bool = True
    """Whether absolute encoders were measured and are compared; False to measure them."""


NO_BANK_REQUEST = BankRequest()


def bank_spec(plan: Plan, request: BankRequest = NO_BANK_REQUEST) -> BankSpec:
    """Specification of a plan's bank.

    Raises:
        ConfigError: if the drives cannot be described as the rig and scenario say.
        NotReferencedError: if it has absolute encoders that nobody has measured.
    """
    try:
        bus = bus_kind(plan.drives_url)
        if not bus.protocol:
            return _simulated(plan, request)
        return _of_others(plan, bus, request) if bus.describe is None else _ours(plan, bus, request)
    except DriveError as error:
        raise ConfigError(plan.scenario_file, [str(error)]) from error


def is_wired(url: str) -> bool:
    """Whether there are drives at a URL, or a rack that stands in for them."""
    return bool(bus_kind(url).protocol)


def watchdog_s(plan: Plan) -> float:
    """Silence after which the drives of a plan stop by themselves [s]."""
    cycles = bus_kind(plan.drives_url).watchdog_cycles
    return max(plan.rig.drives.watchdog_s, cycles * plan.scenario.period_s)


def _simulated(plan: Plan, request: BankRequest) -> BankSpec:
    scenario = plan.scenario
    model = cylinder_model(plan.rig, scenario.period_s)
    faults = tuple(
        SimFault(f.kind, f.leg, f.start_s, f.duration_s, f.value) for f in scenario.faults
    )
    settings = sim_settings(model, faults, scenario.seed, homing_legs=list(request.homing_legs))
    if scenario.world:
        world = world_of(scenario.world, plan.rig, key="world", beside=Path(plan.scenario_file))
        around = world.to_json()
        settings["world"] = {"rig": plan.rig.model_dump(mode="json"), "around": around}
        settings["options"]["notes"] = list(world.notes)
    return BankSpec(plan.drives_url, plan.rig.name, scenario.period_s, settings=settings)


def parameters_of(rig: Rig) -> dict[str, Any]:
    """Parameters that every drive on a wire gets, whatever the protocol."""
    drives, cylinders = rig.drives, rig.cylinders
    ranges = [_drive_range_m(rig, leg) for leg in range(6)]
    quick_stop = drives.quick_stop_deceleration_m_s2 or rig.limits.stop_deceleration_m_s2
    return {
        "length_min_m": tuple(low for low, _ in ranges),
        "length_max_m": tuple(high for _, high in ranges),
        "speed_max_m_s": cylinders.speed_max_m_s,
        "acceleration_max_m_s2": cylinders.acceleration_max_m_s2,
        "quick_stop_deceleration_m_s2": quick_stop,
        "rated_force_n": drives.rated_force_n or cylinders.force_max_n,
        "following_window_m": drives.following_window_m,
        "following_time_s": drives.following_time_s,
        "homing_method": drives.homing_method,
        "homing_speed_m_s": cylinders.homing_speed_m_s,
        "homing_zero_speed_m_s": cylinders.homing_speed_m_s / 4.0,
        "homing_acceleration_m_s2": drives.homing_acceleration_m_s2,
        "mode": MODES[drives.mode],
        "absolute": drives.homing == "absolute",
        "first_motion": drives.first_motion,
        "serial_numbers": drives.serial_numbers or (None,) * 6,
    }


def _drive_range_m(rig: Rig, leg: int) -> tuple[float, float]:
    """Software limits of a drive: a little outside the gate's, inside the stroke."""
    low, high = soft_range_m(rig, leg)
    closed = rig.cylinders.closed_length_m[leg]
    low = max(low - OUTSIDE_SOFT_M, closed)
    return low, min(high + OUTSIDE_SOFT_M, closed + rig.cylinders.stroke_m[leg])


def _of_others(plan: Plan, bus: BusKind, request: BankRequest) -> BankSpec:
    rig, url, period_s = plan.rig, plan.drives_url, plan.scenario.period_s
    if rig.drives.homing == "absolute":
        text = "where absolute encoders were left is compared by the bench's own banks only"
        raise ConfigError(plan.rig_file, [f'drives.homing = "absolute" with {url}: {text}'])
    parameters, table = parameters_of(rig), table_of(bus, rig.drives, plan.rig_file)
    try:
        origin = origin_of_scheme(url.partition(":")[0])
    except InstallationError as error:
        line = f"devices.drives = {url!r}: {error}"
        raise ConfigError(plan.scenario_file, [about("devices.drives", line)]) from error
    order = BankOrder(
        url,
        rig.name,
        period_s,
        rig.drives.counts_per_m,
        rig.drives.sign,
        rig.cylinders.reference_length_m,
        parameters["length_min_m"],
        parameters["length_max_m"],
        rig.cylinders.speed_max_m_s,
        rig.cylinders.acceleration_max_m_s2,
        parameters["quick_stop_deceleration_m_s2"],
        rig.cylinders.homing_speed_m_s,
        watchdog_s(plan),
        request.homing_legs,
        request.cut_m_s,
        {} if table is None else table.model_dump(mode="json"),
    )
    settings = {"origin": origin, "order": order.to_json()}
    return BankSpec(url, rig.name, period_s, settings=settings)


def _ours(plan: Plan, bus: BusKind, request: BankRequest) -> BankSpec:
    rig, url, period_s = plan.rig, plan.drives_url, plan.scenario.period_s
    order = BusOrder(rig=rig, rig_file=Path(plan.rig_file), url=url, watchdog_s=watchdog_s(plan))
    settings = {} if bus.describe is None else bus.describe(order)
    settings |= {"homing_legs": list(request.homing_legs), "cut_m_s": request.cut_m_s}
    scales = scales_of(rig)
    if rig.drives.homing == "absolute" and request.measured:
        scales = absolute_scales(rig, scales)
        settings["place"] = known_place(rig).to_json()
    return BankSpec(url, rig.name, period_s, scales, settings)
