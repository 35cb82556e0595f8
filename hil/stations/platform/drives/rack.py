"""Emulated drives as a separate process: the other end of the wire when hardware is absent."""

import os
import select
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from drives.bank import DriveError
from hil.config.errors import RefusedError
from hil.config.file_search import find_file
from hil.config.settings import ConfigError
from hil.ipc.child import DEVNULL, PIPE, start_child
from hil.machines.rig.bus_kind import RACK_OPTIONS, BusKind, Emulation, Serve, as_kind
from hil.machines.rig.buses import bus_speaking, usable_buses
from hil.machines.rig.machine import load_rig
from hil.terminal.console import err
from hil.timing.realtime import RealClock
from hil.timing.realtime_setup import RealtimePolicy, RealtimeSetup
from hil.timing.stop import StopSignals

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
        ConfigError: if the protocol, the type, the rig or the script is wrong, or an option is not
            for this protocol.
        RefusedError: if the port cannot be had.
    """
    bus, emulate = _emulated(protocol)
    taken = {"--type": kind, "--world": world, "--script": script, "--pty": pty,
             "--buses": buses > 1}  # fmt: skip
    unused = [option for option in RACK_OPTIONS if option not in bus.emulation_options]
    for option in unused:
        if taken[option]:
            raise ConfigError(option, [f"the emulated drives of {protocol} have no use for it"])
    order = Emulation(
        rig=load_rig(find_file(rig, folder="rigs", key="--rig")),
        protocol=protocol,
        ready=_say_ready,
        say=_say,
        console=sys.stdin,
        end_with_input=end_with_input,
        port=port,
        any_user=any_user,
        seed=seed,
        paced=paced,
        kind=kind,
        world=world,
        script=script,
        pty=pty,
        buses=buses,
        baud=baud,
        rate_hz=rate_hz,
    )
    _serve(emulate, order, end_with_input=end_with_input and "--script" in unused)


def _serve(
    emulate: Callable[[Emulation], Serve], order: Emulation, *, end_with_input: bool
) -> None:
    """Serve drives that have processors of their own: nothing here should make them late."""
    try:
        serve = emulate(order)
        with StopSignals() as stop_request, RealtimeSetup(RealtimePolicy(priority=RACK_PRIORITY)):
            ended = _InputEnd(sys.stdin) if end_with_input else None
            serve(
                RealClock().now_s,
                lambda: stop_request.asked is not None or bool(ended and ended.seen()),
            )
    except ConfigError:
        raise
    except ValueError as error:
        raise ConfigError(str(order.script or "rack"), [str(error)]) from None
    except ArithmeticError as error:
        raise RefusedError(f"the simulated body: {error}") from error
    except OSError as error:
        place = f" on port {order.port}" if order.port else ""
        raise RefusedError(f"the rack cannot start{place}: {error}") from None


def _emulated(protocol: str) -> tuple[BusKind, Callable[[Emulation], Serve]]:
    """The bus of a protocol, and who emulates its drives."""
    try:
        found = bus_speaking(protocol)
    except DriveError as error:
        raise ConfigError("--protocol", [str(error)]) from None
    if found is not None and (begin := as_kind(found).emulate) is not None:
        return as_kind(found), begin
    emulated = (one for one in map(as_kind, usable_buses()) if one.emulate is not None)
    known = ", ".join(one.protocol for one in emulated)
    raise ConfigError("--protocol", [f"{protocol!r}: one of {known} is needed"])


class _InputEnd:
    """Watches for the end of an input that nobody reads: whoever started the rack has gone."""

    def __init__(self, console: TextIO) -> None:
        self._descriptor = console.fileno()

    def seen(self) -> bool:
        """Whether it has ended; never waits."""
        ready, _, _ = select.select([self._descriptor], [], [], 0.0)
        return bool(ready) and not os.read(self._descriptor, 4096)


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
        protocol: of a bus whose drives somebody emulates.
        rig_file: the rig whose drives are emulated.
        paced: frames take their time.
        pty: a pseudo-terminal instead of TCP, for CANopen.
        buses: CAN buses, 1 or 2.
        world: the scene on its rods; each by itself if empty.

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
