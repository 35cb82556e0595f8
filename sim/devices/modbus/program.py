"""Six emulated drives behind a Modbus gateway, on TCP or on a serial line: the rack that runs.

    run_modbus_rack(ModbusRackSettings(), transport="tcp", port=0, now_s=clock, ready=print,
                    stop=lambda: False)

The rack serves loopback only. Its console takes the lines of `sim.devices.modbus.faults`, and
`help`, `list`, `status` and `clear`.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable, Sequence
from typing import Final, Literal, TextIO

from hil_common.plant import Plant
from sim.devices.admission import Admission
from sim.devices.modbus.device import ModbusDevice, ModbusRackSettings
from sim.devices.modbus.faults import ModbusFaults
from sim.devices.modbus.injection import (
    KINDS,
    ModbusFaultError,
    ModbusInjection,
    parse_fault,
)
from sim.devices.modbus.rack import ModbusRackCore
from sim.devices.modbus.server import LOOPBACK, RackServer

TICK_S: Final = 0.002
"""Interval at which the rods are moved on without requests, and `stop` is asked [s]."""
REST_S: Final = 0.02
"""Interval while nothing can move [s]: the first request moves everything on to its time."""
CONSOLE_BYTES_MAX: Final = 4096
Transport = Literal["tcp", "rtu"]


def run_modbus_rack(
    settings: ModbusRackSettings,
    *,
    transport: Transport,
    port: int = 0,
    any_user: bool = False,
    now_s: Callable[[], float],
    console: TextIO | None = None,
    script: Sequence[tuple[float, ModbusInjection]] = (),
    ready: Callable[[str], None],
    stop: Callable[[], bool],
    seed: int = 0,
    report: Callable[[str], None] | None = None,
    kind: type[ModbusDevice] = ModbusRackCore,
    core: ModbusDevice | None = None,
    faults: ModbusFaults | None = None,
    end_with_console: bool = False,
    plant: Plant | None = None,
) -> None:
    """Run a rack until `stop` ends it.

    Args:
        transport: "tcp", or "rtu" on a pty that the rack opens, or on a port if one is given, as a
            serial server offers its line.
        port: TCP port; 0 for any free one, or for the pty.
        any_user: Whether other users of this machine may connect to the port.
        console: Where lines with faults come from; None for nowhere. One that cannot be waited
            for, as a file, is no console.
        script: Faults and when they begin [s].
        ready: Gets the URL of the rack once it can be used.
        stop: Is asked again and again whether the rack shall end.
        seed: Seed of the rods' positions and the encoders' counts.
        report: Gets the console's answers; None to drop them.
        kind: What has the registers.
        core: The device, if the caller wants to inspect it; made from the settings otherwise.
        faults: Its faults, if the caller wants to begin some; made from the script otherwise.
        end_with_console: Whether the rack ends when the console's input does, so that it does not
            outlive the program at the other end of that pipe.
        plant: The body that couples the rods; None for rods by themselves.

    Raises:
        OSError: If the port cannot be opened.
        ValueError: If the transport is unknown.
    """
    if transport not in ("tcp", "rtu"):
        raise ValueError(f'transport is {transport!r}, "tcp" or "rtu" is needed')
    device = kind(settings, seed=seed, plant=plant) if core is None else core
    rack = _Rack(device, faults or ModbusFaults(device, script), now_s, report)

    def over() -> bool:
        return stop() or (end_with_console and rack.console_ended)

    admission = Admission(any_user=any_user, say=report)
    asyncio.run(rack.serve(transport, port, admission, console, ready, over))


class _Rack:
    """Running rack: server, console and time."""

    def __init__(
        self,
        core: ModbusDevice,
        faults: ModbusFaults,
        now_s: Callable[[], float],
        report: Callable[[str], None] | None,
    ) -> None:
        self._core, self._faults, self._now_s = core, faults, now_s
        self._report = report or (lambda _text: None)
        self._typed = b""
        self.console_ended = False

    async def serve(
        self,
        transport: Transport,
        port: int,
        admission: Admission,
        console: TextIO | None,
        ready: Callable[[str], None],
        stop: Callable[[], bool],
    ) -> None:
        """Serve until `stop` ends it."""
        rtu = transport == "rtu"
        on_pty = rtu and not port
        server = RackServer(
            self._core, self._faults, self._now_s, port=port, rtu=rtu, admission=admission
        )
        if not on_pty:
            try:
                await server.serve_forever(background=True)
            except RuntimeError as error:
                raise OSError(f"port {port} of {LOOPBACK} cannot be opened: {error}") from error
        loop = asyncio.get_running_loop()
        descriptor = self._attach(loop, console)
        try:
            ready(self._url(server, rtu=rtu, on_pty=on_pty))
            while not stop():
                await asyncio.sleep(await self._tick(server))
        finally:
            if descriptor is not None:
                loop.remove_reader(descriptor)
            await server.leave()

    def _attach(self, loop: asyncio.AbstractEventLoop, console: TextIO | None) -> int | None:
        """Add the console to the loop; return its descriptor, None if it cannot be waited for."""
        if console is None:
            return None
        descriptor = console.fileno()
        try:
            loop.add_reader(descriptor, self._listen, loop, descriptor)
        except PermissionError:  # epoll's word for a file or /dev/null
            return None
        return descriptor

    def _url(self, server: RackServer, *, rtu: bool, on_pty: bool) -> str:
        if not rtu:
            return f"modbus-tcp://{LOOPBACK}:{server.bound_port}"
        line = self._core.settings
        place = server.open_pty() if on_pty else f"socket://{LOOPBACK}:{server.bound_port}"
        return f"modbus-rtu:{place}?baud={line.baud}&parity=N&stop_bits={line.stop_bits}"

    async def _tick(self, server: RackServer) -> float:
        """Run what is due, and return the time until the next check [s]."""
        now_s = self._now_s()
        self._faults.advance(now_s)
        self._core.advance(now_s)
        if self._faults.unplug_wanted:
            self._faults.unplug_wanted = False
            await server.unplug()
        busy_s = min(self._core.resting_until_s(), self._faults.due_s())
        return max(TICK_S, min(REST_S, busy_s - now_s))

    def _listen(self, loop: asyncio.AbstractEventLoop, descriptor: int) -> None:
        """Take in what was typed; the end of input only ends the console."""
        data = b""
        with contextlib.suppress(OSError):
            data = os.read(descriptor, CONSOLE_BYTES_MAX)
        if not data:
            loop.remove_reader(descriptor)
            self.console_ended = True
            return
        *lines, self._typed = (self._typed + data).split(b"\n")
        self._typed = self._typed[-CONSOLE_BYTES_MAX:]
        for line in lines:
            text = line.decode("utf-8", "replace").strip()
            if text:
                self._report(self.command(text))

    def command(self, text: str) -> str:
        """Carry out a line of the console and return the answer."""
        if text == "help":
            usage = [f"{name} ({kind.takes.value}): {kind.text}" for name, kind in KINDS.items()]
            return "\n".join(["kind [axis] [value] [for seconds]; clear, list, status", *usage])
        if text == "clear":
            self._faults.clear()
            return "no faults"
        if text == "list":
            return "\n".join(str(each) for each in self._faults.active) or "no faults"
        if text == "status":
            return "\n".join(
                f"axis {axis}: {drive.state.name}, {drive.motor.x_m:.4f} m, "
                f"{drive.motor.v_m_s:+.4f} m/s, error {drive.error_code:#06x}"
                for axis, drive in enumerate(self._core.drives, start=1)
            )
        try:
            self._faults.start(parse_fault(text), self._now_s())
        except ModbusFaultError as error:
            return f"refused: {error}"
        return f"on: {text}"
