"""From a plan to the bank that its gate shall drive: URL, scales and parameters of the drives."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from drives.bank import DriveError
from drives.canopen.settings import CanopenSettings
from drives.modbus.settings import ModbusSettings
from drives.plugin_bank import BankOrder
from drives.sim.faults import SimFault
from drives.types.drive_type import place_of
from hil.config.errors import about
from hil.config.installation import InstallationError
from hil.config.settings import ConfigError
from hil.machines.rig.drive_fit import (
    MODES,
    OUTSIDE_SOFT_M,
    drive_type_of,
    register_table_of,
    scales_of,
)
from hil.machines.rig.machine import cylinder_model, soft_range_m
from hil.machines.rig.offered_banks import link_of, offered_scheme, origin_of_scheme
from hil.machines.rig.settings import Rig
from hil.stations.platform.drives.reference import absolute_scales, known_place
from hil.stations.platform.gate.spec import BankKind, BankSpec, sim_settings
from hil.stations.platform.gated_bank import ESTOP_LEGS
from hil.stations.platform.scenario import Plan
from hil.stations.platform.world import world_of
from hil_common.legs import SixBools

WATCHDOG_CYCLES = 3.0
"""Least watchdog of the drives in cycles, on a line too slow for less."""


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


def bank_spec(plan: Plan, wish: BankRequest = NO_BANK_REQUEST) -> BankSpec:
    """Specification of a plan's bank.

    Raises:
        ConfigError: if the drives cannot be described as the rig and scenario say.
        NotReferencedError: if it has absolute encoders that nobody has measured.
    """
    try:
        return _BANKS[protocol_of(plan.drives_url)](plan, wish)
    except DriveError as error:
        raise ConfigError(plan.scenario_file, [str(error)]) from error


def protocol_of(url: str) -> str:
    """Protocol of the drives at a URL, or of a rack in place of them: empty for ``sim:``."""
    return link_of(url.split()[0]).protocol


def watchdog_s(plan: Plan) -> float:
    """Silence after which the drives of a plan stop by themselves [s]."""
    named_s = plan.rig.drives.watchdog_s
    if protocol_of(plan.drives_url) == "canopen":
        return named_s
    return max(named_s, WATCHDOG_CYCLES * plan.scenario.period_s)


def _simulated(plan: Plan, wish: BankRequest) -> BankSpec:
    scenario = plan.scenario
    model = cylinder_model(plan.rig, scenario.period_s)
    faults = tuple(
        SimFault(f.kind, f.leg, f.start_s, f.duration_s, f.value) for f in scenario.faults
    )
    settings = sim_settings(model, faults, scenario.seed, homing_legs=list(wish.homing_legs))
    if scenario.world:
        world = world_of(scenario.world, plan.rig, key="world", beside=Path(plan.scenario_file))
        around = world.to_json()
        settings["world"] = {"rig": plan.rig.model_dump(mode="json"), "around": around}
        settings["options"]["notes"] = list(world.notes)
    return BankSpec("sim", plan.drives_url, plan.rig.name, scenario.period_s, settings=settings)


def _parameters(rig: Rig) -> dict[str, Any]:
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


T = TypeVar("T")


def _six(value: T) -> tuple[T, T, T, T, T, T]:
    return value, value, value, value, value, value


def _estop_inputs(rig: Rig) -> SixBools:
    """Whether each drive has a channel of the emergency stop at its inputs."""
    a, b, c, d, e, f = (leg in ESTOP_LEGS for leg in range(1, 7))
    return (a, b, c, d, e, f) if rig.supervision.estop_fitted else _six(False)


def _canopen(plan: Plan, wish: BankRequest) -> BankSpec:
    type_ = drive_type_of(plan.rig, Path(plan.rig_file))
    settings = replace(
        canopen_settings(plan.rig, buses=len(plan.drives_url.split())),
        type=type_,
        boot_timeout_s=type_.boot_timeout_s,
        remote_bit=type_.remote_bit,
        follows_bit=type_.follows_bit,
        fault_exit=tuple((*place_of(w.object), w.kind, w.value) for w in type_.fault_exit),
    )
    return _spec("canopen", plan, {"drives": settings.to_json()}, wish)


def canopen_settings(rig: Rig, *, buses: int) -> CanopenSettings:
    """Settings of a rig's CANopen drives, but for their type.

    Args:
        buses: 1 for all drives on one bus, 2 for three legs on each.
    """
    drives, table = rig.drives, rig.drives.canopen
    a, b = 0, buses - 1
    return CanopenSettings(
        **_parameters(rig),
        node_ids=table.node_ids,
        bus_of_leg=table.bus_of_leg or (a, a, a, b, b, b),
        bitrate=table.bitrate,
        consumer_heartbeat_s=drives.watchdog_s,
        rpdo_timeout_s=drives.watchdog_s,
        velocity_every=table.velocity_every,
        speed_feed_forward=table.speed_feed_forward,
        bus_load_max=table.bus_load_max,
        scale_told=table.scale_told,
        way_per_turn_m=table.way_per_turn_m,
        vendor_ids=_six(table.vendor_id),
        product_codes=_six(table.product_code),
        estop_inputs=_estop_inputs(rig),
    )


def _modbus(plan: Plan, wish: BankRequest) -> BankSpec:
    register_map, path = register_table_of(plan.rig, Path(plan.rig_file))
    parameters = _parameters(plan.rig)
    gentlest = min(parameters.pop("quick_stop_deceleration_m_s2"))
    settings = ModbusSettings(
        **parameters, quick_stop_deceleration_m_s2=gentlest, watchdog_s=watchdog_s(plan)
    )
    extra = {"drives": settings.to_json(), "map": register_map, "map_file": str(path)}
    return _spec("modbus", plan, extra, wish)


def _offered(plan: Plan, wish: BankRequest) -> BankSpec:
    rig, url, period_s = plan.rig, plan.drives_url, plan.scenario.period_s
    if rig.drives.homing == "absolute":
        text = "where absolute encoders were left is compared by the bench's own banks only"
        raise ConfigError(plan.rig_file, [f'drives.homing = "absolute" with {url}: {text}'])
    parameters, scheme = _parameters(rig), offered_scheme(url)
    try:
        origin = origin_of_scheme(scheme)
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
        wish.homing_legs,
        wish.cut_m_s,
    )
    settings = {"scheme": scheme, "origin": origin, "order": order.to_json()}
    return BankSpec("offered", url, rig.name, period_s, settings=settings)


_BANKS: Mapping[str, Callable[[Plan, BankRequest], BankSpec]] = {
    "": _simulated,
    "canopen": _canopen,
    "modbus-tcp": _modbus,
    "modbus-rtu": _modbus,
    "offered": _offered,
}
"""Function that describes the bank of a protocol."""


def _spec(kind: BankKind, plan: Plan, settings: dict[str, Any], wish: BankRequest) -> BankSpec:
    settings["homing_legs"] = list(wish.homing_legs)
    settings["cut_m_s"] = wish.cut_m_s
    rig, period_s, scales = plan.rig, plan.scenario.period_s, scales_of(plan.rig)
    if rig.drives.homing == "absolute" and wish.measured:
        scales = absolute_scales(rig, scales)
        settings["place"] = known_place(rig).to_json()
    return BankSpec(kind, plan.drives_url, rig.name, period_s, scales, settings)
