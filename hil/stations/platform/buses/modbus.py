"""The Modbus bus of the bench: how a rig describes its drives, and the emulated ones."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, Final

from drives.links import parse_link
from drives.modbus.settings import ModbusSettings
from hil.config.settings import ConfigError
from hil.machines.rig.bus_kind import RACK_OPTIONS, BusKind, BusOrder, Emulation, Serve
from hil.machines.rig.drive_fit import fitted_to_modbus, register_table_of
from hil.stations.platform.drives.setup import parameters_of


def _describe(order: BusOrder) -> dict[str, Any]:
    register_map, path = register_table_of(order.rig, order.rig_file)
    parameters = parameters_of(order.rig)
    gentlest = min(parameters.pop("quick_stop_deceleration_m_s2"))
    settings = ModbusSettings(
        **parameters, quick_stop_deceleration_m_s2=gentlest, watchdog_s=order.watchdog_s
    )
    return {"drives": settings.to_json(), "map": register_map, "map_file": str(path)}


def _emulate(order: Emulation) -> Serve:
    # Imported here: a rack loads only what its own wire needs, and a run none of it.
    from hil.stations.platform.drives.rack_setup import rack_of, serve_with
    from sim.devices.modbus.device import ModbusRackSettings
    from sim.devices.modbus.injection import parse_script
    from sim.devices.modbus.program import run_modbus_rack
    from sim.devices.modbus.types import MODBUS_TYPES

    if order.pty:
        raise ConfigError("--pty", ["is for canopen; modbus-rtu has a pseudo-terminal anyway"])
    settings, plant = rack_of(order)
    kind = MODBUS_TYPES[settings.nodes[0].type.name]
    device = ModbusRackSettings(
        rack=settings,
        units=kind.units,
        baud=order.baud,
        paced=order.paced,
        cycle_s=1.0 / order.rate_hz,
    )
    run = partial(
        run_modbus_rack,
        device,
        transport="tcp" if order.protocol == TCP.protocol else "rtu",
        kind=kind.device,
        script=parse_script(order.script_text()),
        report=order.say,
    )
    return serve_with(run, order, plant)


TCP: Final = BusKind(
    protocol="modbus-tcp",
    form="modbus-tcp://HOST:PORT",
    check=parse_link,
    fit=fitted_to_modbus,
    describe=_describe,
    emulate=_emulate,
    emulation_options=RACK_OPTIONS,
)
"""Drives behind a gateway, over TCP."""
RTU: Final = replace(
    TCP,
    protocol="modbus-rtu",
    form="modbus-rtu:/dev/serial/by-id/NAME?baud=19200&parity=E, "
    "modbus-rtu:socket://HOST:PORT?baud=19200&parity=E",
)
"""Drives behind a gateway, on a serial line or a serial server."""
