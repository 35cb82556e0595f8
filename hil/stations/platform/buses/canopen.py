"""The CANopen bus of the bench: how a rig describes its drives, and the emulated ones."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, Final, TypeVar

from drives.canopen.settings import CanopenSettings
from drives.links import parse_link
from drives.types.drive_type import place_of
from hil.machines.rig.bus_kind import RACK_OPTIONS, BusKind, BusOrder, Emulation, Serve
from hil.machines.rig.drive_fit import drive_type_of, fitted_to_canopen
from hil.machines.rig.settings import Rig
from hil.stations.platform.cycle.gated_bank import ESTOP_LEGS
from hil.stations.platform.drives.setup import parameters_of
from hil_common.legs import SixBools

T = TypeVar("T")


def _describe(order: BusOrder) -> dict[str, Any]:
    type_ = drive_type_of(order.rig, order.rig_file)
    settings = replace(
        canopen_settings(order.rig, buses=len(order.url.split())),
        type=type_,
        boot_timeout_s=type_.boot_timeout_s,
        remote_bit=type_.remote_bit,
        follows_bit=type_.follows_bit,
        fault_exit=tuple((*place_of(w.object), w.kind, w.value) for w in type_.fault_exit),
    )
    return {"drives": settings.to_json()}


def canopen_settings(rig: Rig, *, buses: int) -> CanopenSettings:
    """What a rig says of its CANopen drives, but for their type.

    Args:
        buses: 1 for all drives on one bus, 2 for three legs on each.
    """
    drives, table = rig.drives, rig.drives.canopen
    a, b = 0, buses - 1
    return CanopenSettings(
        **parameters_of(rig),
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


def _six(value: T) -> tuple[T, T, T, T, T, T]:
    return value, value, value, value, value, value


def _estop_inputs(rig: Rig) -> SixBools:
    """Which drives carry a channel of the emergency stop at their inputs."""
    a, b, c, d, e, f = (leg in ESTOP_LEGS for leg in range(1, 7))
    return (a, b, c, d, e, f) if rig.supervision.estop_fitted else _six(False)


def _emulate(order: Emulation) -> Serve:
    # Imported here: a rack loads only what its own wire needs, and a run none of it.
    from hil.stations.platform.drives.rack_setup import rack_of, serve_with
    from sim.devices.can.program import run_can_rack
    from sim.devices.faults import parse_script

    settings, plant = rack_of(order)
    script = parse_script(order.script_text())
    return serve_with(
        partial(run_can_rack, settings, pty=order.pty, script=script, say=order.say), order, plant
    )


FORMS: Final = (
    "slcan:/dev/serial/by-id/NAME",
    "slcan:socket://HOST:PORT",
    "socketcan:can0",
    "socketcand://HOST:PORT/can0",
)
BUS: Final = BusKind(
    protocol="canopen",
    form=", ".join(FORMS),
    check=parse_link,
    links_max=2,
    fit=fitted_to_canopen,
    describe=_describe,
    watchdog_cycles=0.0,
    emulate=_emulate,
    emulation_options=RACK_OPTIONS,
)
"""CANopen drives behind an SLCAN adapter, an interface of the system, or one of another computer;
they take their watchdog as the rig has it, however long a cycle is."""
