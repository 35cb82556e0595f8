"""Emulated drives as a separate process: the other end of the wire when hardware is absent."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hil.config.errors import RefusedError
from hil.config.file_search import find_file
from hil.config.settings import ConfigError
from hil.ipc.child import DEVNULL, PIPE, start_child
from hil.machines.rig.machine import load_rig
from hil.stations.platform.drives.file_type import SUFFIX, left_out
from hil.stations.platform.drives.rack_setup import (
    PROTOCOLS,
    rack_settings,
    type_of,
    with_servo,
)
from hil.stations.platform.touches import touch_line
from hil.stations.platform.world import platform_plant, world_of
from hil.terminal.console import err
from hil.timing.realtime import RealClock
from hil.timing.realtime_setup import RealtimePolicy, RealtimeSetup
from hil.timing.stop import StopSignals

if TYPE_CHECKING:
    from hil.machines.rig.settings import Rig
    from sim.devices.drive.parameters import RackSettings
    from sim.world.plants.platform_plant import PlatformPlant

STORED_RATE_HZ = 1.0 / 0.06
"""Stored bus rate of emulated servos without a register for it, unless given [Hz]."""
RACK_PRIORITY = 85
"""SCHED_FIFO priority of emulated drives: below the gate, above control."""
END_WITHIN_S = 5.0


def serve_rack(
    rig: str,
    protocol: str,
    *,
    port: int,
    any_user: bool,
    pty: bool,
    buses: int,
    script: Path | None,
    baud: int,
    seed: int,
    paced: bool,
    kind: str = "",
    world: str = "",
    rate_hz: float = STORED_RATE_HZ,
    end_with_input: bool = False,
) -> None:
    """Emulate the drives of a rig until Ctrl-C; the first line printed is the URL to use.

    Raises:
        ConfigError: if the protocol, the type, the rig or the script is wrong.
        RefusedError: if the port is not available.
    """
    if protocol not in PROTOCOLS:
        raise ConfigError("--protocol", [f"{protocol!r}: one of {', '.join(PROTOCOLS)} is needed"])
    if pty and protocol != "canopen":
        raise ConfigError("--pty", ["is for canopen; modbus-rtu has a pseudo-terminal anyway"])
    wanted = type_of(kind, protocol)
    for note in left_out(kind) if kind.endswith(SUFFIX) else ():
        _say(note)
    loaded = load_rig(find_file(rig, folder="rigs", key="--rig"))
    settings = rack_settings(loaded, paced=paced, buses=buses, kind=wanted)
    settings, plant = _in_world(settings, loaded, world, seed)
    begin = _can_rack if protocol == "canopen" else _modbus_rack
    try:
        text = "" if script is None else script.read_text(encoding="utf-8-sig")
        line = LineOptions(protocol, baud, paced, pty, rate_hz)
        serve = begin(settings, line, text)
        # Drives have processors of their own: nothing on this machine should make them late.
        with StopSignals() as wish, RealtimeSetup(RealtimePolicy(priority=RACK_PRIORITY)):
            serve(
                now_s=RealClock().now_s,
                stop=lambda: wish.asked is not None,
                port=port,
                any_user=any_user,
                console=sys.stdin,
                ready=_say_ready,
                seed=seed,
                end_with_console=end_with_input,
                plant=plant,
            )
        for touch in () if plant is None else plant.touches():
            _say(touch_line(touch))
    except ValueError as error:
        raise ConfigError(str(script or "rack"), [str(error)]) from None
    except ArithmeticError as error:
        raise RefusedError(f"the simulated body: {error}") from error
    except OSError as error:
        place = f" on port {port}" if port else ""
        raise RefusedError(f"the rack cannot start{place}: {error}") from None


def _in_world(
    settings: "RackSettings", rig: "Rig", world: str, seed: int
) -> "tuple[RackSettings, PlatformPlant | None]":
    """Settings of drives that move a body, and the body; both unchanged without a scene."""
    if not world:
        return settings, None
    around = world_of(world, rig, key="--world")
    plant = platform_plant(rig, around, seed)
    for note in around.notes:
        _say(note)
    return with_servo(settings, around.servo), plant


class LineOptions(NamedTuple):
    """Line of the rack: wire, baud rate [Bd], pace, pseudo-terminal, stored rate [Hz]."""

    protocol: str
    baud: int
    paced: bool
    pty: bool
    rate_hz: float


# A rack loads only what its own wire needs: it starts sooner, and holds less memory.


def _can_rack(settings: "RackSettings", line: LineOptions, script: str) -> Callable[..., None]:
    """Function that runs a CANopen rack; baud rate and pace are in its settings."""
    from sim.devices.can.program import run_can_rack
    from sim.devices.faults import parse_script

    return partial(run_can_rack, settings, pty=line.pty, script=parse_script(script), say=_say)


def _modbus_rack(settings: "RackSettings", line: LineOptions, script: str) -> Callable[..., None]:
    """Function that runs a Modbus rack on TCP, or on a serial line."""
    from sim.devices.modbus.device import ModbusRackSettings
    from sim.devices.modbus.injection import parse_script
    from sim.devices.modbus.program import run_modbus_rack
    from sim.devices.modbus.types import MODBUS_TYPES

    kind = MODBUS_TYPES[settings.nodes[0].type.name]
    device = ModbusRackSettings(
        rack=settings,
        units=kind.units,
        baud=line.baud,
        paced=line.paced,
        cycle_s=1.0 / line.rate_hz,
    )
    return partial(
        run_modbus_rack,
        device,
        transport="tcp" if line.protocol == "modbus-tcp" else "rtu",
        kind=kind.device,
        script=parse_script(script),
        report=_say,
    )


def _say(line: str) -> None:
    err.print(line, soft_wrap=True)


def _say_ready(url: str) -> None:
    print(url, flush=True)
    err.print(
        f"six emulated drives; use them with --drives '{url}'. Faults: type help. Ctrl-C ends.",
        soft_wrap=True,
    )


@contextmanager
def emulated_rack(
    protocol: str,
    rig_file: str,
    *,
    paced: bool = True,
    pty: bool = False,
    buses: int = 1,
    world: str = "",
) -> Iterator[str]:
    """Rack in a separate process for as long as the context lasts; yields its URL.

    Args:
        protocol: one of `PROTOCOLS`.
        rig_file: file of the rig whose drives are emulated.
        paced: whether frames take their time.
        pty: whether a pseudo-terminal replaces TCP, for CANopen.
        buses: number of CAN buses, 1 or 2.
        world: scene on its rods; if empty, each rod is by itself.

    Raises:
        RefusedError: if it does not start.
    """
    command = ["-m", "hil.cli", "drives", "rack"]
    command += ["--protocol", protocol, "--rig", rig_file] + ([] if paced else ["--unpaced"])
    command += ["--end-with-input", "--buses", str(buses)] + (["--pty"] if pty else [])
    command += ["--world", world] if world else []
    # In a session of its own: Ctrl-C parks the platform first, and the rack goes last.
    process = start_child(command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL)
    try:
        line = b"" if process.stdout is None else process.stdout.readline()
        if not line:
            raise RefusedError(f"the emulated drives did not start (status {process.wait()})")
        yield line.decode().strip()
    finally:
        process.terminate()
        process.end(END_WITHIN_S)
