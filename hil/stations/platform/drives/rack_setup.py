"""Emulated drives that fit a rig: the same strokes, switches, counts and node numbers."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from drives.types.eds_file import DATA_SHEETS
from hil.config.settings import ConfigError
from hil.machines.rig.bus_kind import Emulation, Serve
from hil.machines.rig.machine import pushing_load_n
from hil.machines.rig.settings import Rig
from hil.stations.platform.cycle.touches import touch_line
from hil.stations.platform.cycle.world import ServoSettings, platform_plant, world_of
from hil.stations.platform.drives.file_type import SUFFIX, file_type, left_out
from sim.devices.drive.drive_type import DriveType
from sim.devices.drive.maker_types import EMULATED, TYPES
from sim.devices.drive.parameters import NodeSettings, RackSettings
from sim.devices.drive.rods import RodSettings
from sim.devices.drive.servo import ServoGains
from sim.devices.modbus.types import MODBUS_TYPES

if TYPE_CHECKING:
    from sim.world.plants.platform_plant import PlatformPlant

ENCODER_ZERO_M = (0.011, -0.2, 0.35, 0.02, 0.6, 0.1)
"""Extension at which the absolute encoder of each leg reads 0 [m], an arbitrary value."""
FIRST_SERIAL = 1001
"""Serial number of the drive of leg 1; the others follow."""


def rack_of(order: Emulation) -> "tuple[RackSettings, PlatformPlant | None]":
    """Return the drives that are asked for, and the body that they move; None without a scene.

    Raises:
        ConfigError: If the type or the scene is wrong.
    """
    kind = type_of(order.kind, order.protocol)
    for note in left_out(order.kind) if order.kind.endswith(SUFFIX) else ():
        order.say(note)
    settings = rack_settings(order.rig, paced=order.paced, buses=order.buses, kind=kind)
    if not order.world:
        return settings, None
    around = world_of(order.world, order.rig, key="--world")
    plant = platform_plant(order.rig, around, order.seed)
    for note in around.notes:
        order.say(note)
    return with_servo(settings, around.servo), plant


def serve_with(run: Callable[..., None], order: Emulation, plant: "PlatformPlant | None") -> Serve:
    """Return what serves a rack of ours, and says at its end what pressed on what."""

    def serve(now_s: Callable[[], float], stop: Callable[[], bool]) -> None:
        run(
            now_s=now_s,
            stop=stop,
            port=order.port,
            any_user=order.any_user,
            console=order.console,
            ready=order.ready,
            seed=order.seed,
            end_with_console=order.end_with_input,
            plant=plant,
        )
        for touch in () if plant is None else plant.touches():
            order.say(touch_line(touch))

    return serve


def type_of(name: str, protocol: str) -> DriveType:
    """Type of drive that is emulated.

    Args:
        name: as ``--type`` names it, or the path of a drive file; the bench's own drives if empty.
        protocol: one of the bench's own.

    Raises:
        ConfigError: if there is no such type on this wire, or the file cannot be played.
    """
    if name.endswith(SUFFIX):
        if protocol != "canopen":
            text = f"{name}: a drive file is played on canopen; --protocol canopen is needed"
            raise ConfigError("--type", [text])
        return file_type(name)
    on_modbus = {each: kind.drives for each, kind in MODBUS_TYPES.items()}
    types = TYPES if protocol == "canopen" else on_modbus
    if name and name not in types:
        text = f"{name!r}: on {protocol} one of {', '.join(types)} is needed"
        text += ", or a drive file such as my_drive.toml" if protocol == "canopen" else ""
        if name.lower().endswith(DATA_SHEETS):
            text += f"; make one by: hil drives import {name} -o my_drive.toml"
        for other, there in (("canopen", TYPES), ("modbus-rtu or modbus-tcp", on_modbus)):
            if name in there:
                text += f", or --protocol {other}"
        raise ConfigError("--type", [text])
    return types[name] if name else next(iter(types.values()))


def rack_settings(
    rig: Rig, *, paced: bool = True, buses: int = 1, kind: DriveType = EMULATED
) -> RackSettings:
    """Six emulated drives as the rig describes them.

    Args:
        paced: whether frames take their time on the bus, as they do on copper.
        buses: number of CAN buses, 1 or 2; with two, legs 1 to 3 are on the first by default.
    """
    nodes = tuple(_node(rig, leg, kind) for leg in range(6))
    canopen = rig.drives.canopen
    bus_of_leg = canopen.bus_of_leg if buses == 2 and canopen.bus_of_leg else None
    halves = (0, 0, 0, buses - 1, buses - 1, buses - 1)
    bitrate = canopen.bitrate if paced else None
    return RackSettings(nodes=nodes, bitrate=bitrate, buses=bus_of_leg or halves)


def with_servo(settings: RackSettings, servo: ServoSettings) -> RackSettings:
    """Copy of the drives with these gains behind a plant."""
    return replace(settings, gains=ServoGains(**servo.model_dump()))


def _node(rig: Rig, leg: int, kind: DriveType) -> NodeSettings:
    canopen = rig.drives.canopen
    serials = rig.drives.serial_numbers
    return NodeSettings(
        node_id=canopen.node_ids[leg],
        serial=FIRST_SERIAL + leg if serials is None else serials[leg],
        counts_per_m=rig.drives.counts_per_m[leg],
        sign=rig.drives.sign[leg],
        motor=leg,
        encoder=leg,
        absolute_zero_m=ENCODER_ZERO_M[leg] if rig.drives.homing == "absolute" else None,
        rod=_rod(rig, leg),
        type=kind,
    )


def _rod(rig: Rig, leg: int) -> RodSettings:
    cylinders = rig.cylinders
    reference_m = cylinders.reference_length_m[leg] - cylinders.closed_length_m[leg]
    return RodSettings(
        stroke_m=cylinders.stroke_m[leg],
        reference_m=reference_m,
        speed_max_m_s=cylinders.speed_max_m_s[leg],
        acceleration_max_m_s2=cylinders.acceleration_max_m_s2[leg],
        force_max_n=cylinders.force_max_n[leg],
        moving_mass_kg=cylinders.moving_mass_kg[leg],
        static_load_n=pushing_load_n(rig)[leg],
        natural_frequency_hz=cylinders.natural_frequency_hz,
        damping=cylinders.damping,
        brake_release_s=cylinders.enable_time_s,
        start_m=reference_m,
    )
