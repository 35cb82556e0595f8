"""Emulated drives as a process of its own: the other end of the wire when hardware is absent."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hil.console import RefusedError, err
from hil.machine import load_rig
from hil.rack_setup import PROTOCOLS, drive_type, rack_settings
from hil.realtime import RealClock
from hil.realtime_setup import RealtimePolicy, RealtimeSetup
from hil.settings import ConfigError
from hil.shipped import find_file
from hil.signals import StopSignals

if TYPE_CHECKING:
    from sim.devices.drive_parameters import RackSettings

RACK_PRIORITY = 85
"""SCHED_FIFO priority of emulated drives: below the gate, above control."""
END_WITHIN_S = 5.0


def serve_rack(
    rig: str,
    protocol: str,
    *,
    port: int,
    pty: bool,
    buses: int,
    script: Path | None,
    baud: int,
    seed: int,
    paced: bool,
    kind: str = "hil_emulated",
    end_with_input: bool = False,
) -> None:
    """Emulate the drives of a rig until Ctrl-C; the URL to use is the first line printed.

    Raises:
        ConfigError: if the protocol, the type, the rig or the script is wrong.
        RefusedError: if the port cannot be had.
    """
    if protocol not in PROTOCOLS:
        raise ConfigError("--protocol", [f"{protocol!r}: one of {', '.join(PROTOCOLS)} is needed"])
    if pty and protocol != "canopen":
        raise ConfigError("--pty", ["is for canopen; modbus-rtu has a pseudo-terminal anyway"])
    if kind != "hil_emulated" and protocol != "canopen":
        raise ConfigError("--type", ["is for canopen; drives on Modbus are as their map says"])
    rig_file = find_file(rig, folder="rigs", key="--rig")
    wanted = drive_type(kind)
    settings = rack_settings(load_rig(rig_file), paced=paced, buses=buses, kind=wanted)
    begin = _can_rack if protocol == "canopen" else _modbus_rack
    try:
        text = "" if script is None else script.read_text(encoding="utf-8")
        serve = begin(settings, protocol, text, baud=baud, paced=paced, pty=pty)
        # Drives have processors of their own: nothing on this machine should make them late.
        with StopSignals() as wish, RealtimeSetup(RealtimePolicy(priority=RACK_PRIORITY)):
            serve(
                now_s=RealClock().now_s,
                stop=lambda: wish.asked is not None,
                port=port,
                console=sys.stdin,
                ready=_say_ready,
                seed=seed,
                end_with_console=end_with_input,
            )
    except ValueError as error:
        raise ConfigError(str(script or "rack"), [str(error)]) from None
    except OSError as error:
        place = f" on port {port}" if port else ""
        raise RefusedError(f"the rack cannot start{place}: {error}") from None


# A rack loads only what its own wire needs: it starts sooner, and holds less memory.


def _can_rack(
    settings: "RackSettings", _protocol: str, script: str, *, baud: int, paced: bool, pty: bool
) -> Callable[..., None]:
    """What runs a CANopen rack; the baud rate and the pace are in its settings."""
    from sim.devices.faults import parse_script
    from sim.devices.rack import run_can_rack

    return partial(run_can_rack, settings, pty=pty, script=parse_script(script), say=_say)


def _modbus_rack(
    settings: "RackSettings", protocol: str, script: str, *, baud: int, paced: bool, pty: bool
) -> Callable[..., None]:
    """What runs a Modbus rack on TCP, or on a serial line."""
    from sim.devices.modbus_injection import parse_script
    from sim.devices.modbus_rack import run_modbus_rack
    from sim.devices.modbus_rack_core import ModbusRackSettings

    transport = "tcp" if protocol == "modbus-tcp" else "rtu"
    line = ModbusRackSettings(rack=settings, baud=baud, paced=paced)
    faults = parse_script(script)
    return partial(run_modbus_rack, line, transport=transport, script=faults, report=_say)


def _say(line: str) -> None:
    err.print(line, markup=False, soft_wrap=True)


def _say_ready(url: str) -> None:
    print(url, flush=True)
    err.print(
        f"six emulated drives; use them with --drives '{url}'. Faults: type help. Ctrl-C ends.",
        markup=False,
        soft_wrap=True,
    )


@contextmanager
def emulated_rack(
    protocol: str, rig_file: str, *, paced: bool = True, pty: bool = False, buses: int = 1
) -> Iterator[str]:
    """A rack in a process of its own for as long as the context lasts; yields its URL.

    Args:
        protocol: one of `PROTOCOLS`.
        rig_file: the rig whose drives are emulated.
        paced: frames take their time.
        pty: a pseudo-terminal instead of TCP, for CANopen.
        buses: CAN buses, 1 or 2.

    Raises:
        RefusedError: if it does not start.
    """
    command = [sys.executable, "-m", "hil.cli", "drives", "rack"]
    command += ["--protocol", protocol, "--rig", rig_file] + ([] if paced else ["--unpaced"])
    command += ["--end-with-input", "--buses", str(buses)] + (["--pty"] if pty else [])
    process = subprocess.Popen(  # noqa: S603  # our own program, no shell
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C parks the platform first; the rack goes last
    )
    try:
        line = b"" if process.stdout is None else process.stdout.readline()
        if not line:
            raise RefusedError(f"the emulated drives did not start (status {process.wait()})")
        yield line.decode().strip()
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(END_WITHIN_S)
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
