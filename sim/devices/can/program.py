"""The rack as a program: drives, wire, clock and fault console in one loop.

The loop sleeps in `select` until bytes arrive or something of the rack is due, and hands the time
of its clock to everything else. Bytes are answered before anything else is done. Frames keep their
exact times even if the loop is a little late.

Not modelled: more than two buses; drives that keep running after the process has ended.
"""

from __future__ import annotations

import math
import selectors
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Final, TextIO

from hil_common.plant import Plant
from sim.devices.admission import Admission
from sim.devices.can.rack import CanRack
from sim.devices.can.slcan_adapter import SlcanAdapter
from sim.devices.can.slcan_server import SlcanWire
from sim.devices.console_input import ConsoleInput
from sim.devices.drive.parameters import RackSettings
from sim.devices.fault_console import FaultConsole
from sim.devices.faults import Injection

_IDLE_S: Final = 0.05
"""Longest sleep [s]: how soon `stop` is seen."""
_TOGETHER_S: Final = 4e-3
"""For so long ticks that nobody waits for are put off, to be made together [s]: to wake up costs
more than a tick, and each keeps its own time."""


def run_can_rack(
    settings: RackSettings,
    *,
    now_s: Callable[[], float],
    ready: Callable[[str], None],
    stop: Callable[[], bool],
    port: int = 0,
    pty: bool = False,
    any_user: bool = False,
    console: TextIO | None = None,
    script: tuple[Injection, ...] = (),
    seed: int = 0,
    say: Callable[[str], None] | None = None,
    end_with_console: bool = False,
    plant: Plant | None = None,
) -> None:
    """Run a rack behind SLCAN adapters until told to stop.

    Args:
        ready: Called with the URL once a master can connect, and again with the new one when a
            pseudo-terminal was plugged in again; two buses are two URLs with a space between them.
        stop: Asked at least every 50 ms whether to end.
        port: TCP port on 127.0.0.1, the next one for a second bus; 0 for any free one.
        pty: Whether to use pseudo-terminals instead of TCP.
        any_user: Whether other users of this machine may connect to the port.
        console: Where lines of the fault console come from; it needs a file descriptor.
        script: Faults to have; their times count from now.
        seed: Seed of the rack.
        say: Called with the answers of the console; standard output if left out.
        end_with_console: Whether the rack ends when the console's input does, so that it does not
            outlive the program at the other end of that pipe.
        plant: The body that couples the rods; None for rods by themselves.

    Raises:
        OSError: If the port is taken or there are no pseudo-terminals.
    """
    rack = CanRack(settings, seed=seed, plant=plant)
    admission = Admission(any_user=any_user, say=say or _print)
    selector = selectors.SelectSelector()  # epoll would round sleeps up to whole ms
    with selector, _open_wires(rack, settings.bus_count, selector, port, pty, admission) as wires:
        started_s = now_s()
        for injection in script:
            rack.faults.start(injection, started_s)
        loop = _Loop(rack, wires, selector, ready)
        commands = FaultConsole(rack.faults.board, lambda: status_text(rack))

        def execute(line: str, time_s: float) -> str:
            if rack.next_due_s() is not None:
                rack.advance(time_s)  # it may have rested since long before this fault
            return commands.execute(line, time_s)

        typed = ConsoleInput(console, selector, execute, say or _print)
        ready(loop.url)
        while not (stop() or (end_with_console and typed.ended)):
            loop.turn(now_s)


@contextmanager
def _open_wires(
    rack: CanRack,
    buses: int,
    selector: selectors.BaseSelector,
    port: int,
    pty: bool,
    admission: Admission,
) -> Iterator[list[SlcanWire]]:
    """A wire for each bus, which is closed afterwards; the arguments are those of the rack."""
    with ExitStack() as opened:
        wires: list[SlcanWire] = []
        for bus in range(buses):
            number = port + bus if port else 0
            adapter = SlcanAdapter(rack, bus)
            wire = SlcanWire(adapter, selector, port=number, pty=pty, admission=admission)
            opened.callback(wire.close)
            wires.append(wire)
        yield wires


def _print(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


class _Loop:
    """What one turn of `run_can_rack` works on."""

    def __init__(
        self,
        rack: CanRack,
        wires: list[SlcanWire],
        selector: selectors.BaseSelector,
        ready: Callable[[str], None],
    ) -> None:
        self._rack, self._wires, self._selector, self._ready = rack, wires, selector, ready
        self._unplugged = self._stalled = False
        self._turned_s = -math.inf

    @property
    def url(self) -> str:
        return " ".join(wire.url for wire in self._wires)

    def turn(self, now_s: Callable[[], float]) -> None:
        """Sleep until something is due, then serve everybody once."""
        due_s = self._rack.next_due_s()
        if due_s is not None:
            due_s = min(max(due_s, self._turned_s + _TOGETHER_S), self._rack.awaited_s(due_s))
        sleep_s = 0.0 if due_s is None else due_s - now_s()
        events = self._selector.select(max(0.0, min(_IDLE_S, sleep_s)))
        time_s = self._turned_s = now_s()
        for key, _ in events:
            key.data(time_s)
        for wire in self._wires:
            wire.send(time_s)
        self._follow_faults()

    def _follow_faults(self) -> None:
        faults = self._rack.faults
        if faults.unplugged != self._unplugged:
            self._unplugged = faults.unplugged
            if self._unplugged:
                for wire in self._wires:
                    wire.unplug()
            else:
                moved = [wire.plug() for wire in self._wires]
                if any(moved):
                    self._ready(self.url)
        if faults.stalled or self._stalled:
            self._stalled = faults.stalled
            for wire in self._wires:
                wire.hold_input(self._stalled)


def status_text(rack: CanRack) -> str:
    """Return one line for each drive: NMT state, drive state, mode, extension, error."""
    lines = []
    for number, node in enumerate(rack.nodes, start=1):
        drive = node.drive
        lines.append(
            f"drive {number} (node {node.node_id}): {node.state.name}, {drive.state.name}, "
            f"mode {drive.mode_display}, x = {drive.motor.x_m:.4f} m, "
            f"{'homed' if drive.homed else 'not homed'}, error {drive.error_code:04X}h"
        )
    return "\n".join(lines)
