"""Process of the gate, started by an order in one line of JSON.

It is started as `python -m hil.stations.platform.gate.process`.

It builds its own bank, says ready or refused, and from then on runs one cycle per deadline. It is
in a session of its own and ignores the terminal's signals, because it must outlive a control that
is killed, and ends by itself once the platform is at rest and without power.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict, astuple, replace
from pathlib import Path
from typing import Any, Final

from drives.bank import BankEnd, BankReport, DriveError, LinkTally
from drives.waits import Waits
from hil.config.installation import HOME, code_of_process
from hil.ipc.ring import Ring
from hil.stations.platform.cycle.gated_bank import GatedBank
from hil.stations.platform.gate.black_box import BlackBox
from hil.stations.platform.gate.command_slot import CommandSlot
from hil.stations.platform.gate.control_state import ControlWatch
from hil.stations.platform.gate.order import GateOrder
from hil.stations.platform.gate.place_record import PlaceRecord
from hil.stations.platform.gate.server import GateServer
from hil.stations.platform.gate.spec import build_bank
from hil.stations.platform.gate.status import END_KIND, LOST_KIND, TOUCH_KIND, waits_to_json
from hil.timing.clock import Clock, Tick
from hil.timing.realtime import RealClock
from hil.timing.realtime_setup import RealtimeItem, RealtimeSetup
from safety.gate import Gate

READY_DESCRIPTOR: Final = 1
WAITS_EVERY_S: Final = 0.5
"""Shortest time between two reports to control on what the drives' setup waits for [s]."""
SEEN_MAX: Final = 48
"""Characters reported of each drive not proved to be off, where there is no room for all."""


class ControlWire:
    """Connection to control: it wakes control up, and shows when control has ended.

    Args:
        fd: descriptor of a connected local socket.
    """

    def __init__(self, fd: int) -> None:
        self._socket = socket.socket(fileno=fd)
        self._socket.setblocking(False)

    def wake(self) -> bool:
        """Send one byte; returns whether control still exists. A full buffer means: it sleeps."""
        try:
            self._socket.send(b"\0")
        except BlockingIOError:
            return True
        except OSError:
            return False
        return True

    @property
    def open(self) -> bool:
        """Whether control still exists."""
        try:
            return self._socket.recv(1) != b""
        except BlockingIOError:
            return True
        except OSError:
            return False

    def close(self) -> None:
        """Close; control sees the end of the connection."""
        self._socket.close()


def serve(
    clock: Clock,
    period_s: float,
    gated: GatedBank,
    server: GateServer,
    slot: CommandSlot,
    wire: ControlWire,
) -> None:
    """Run cycles until the server has ended.

    Until control's first order the bus is kept alive and nothing else happens; cycles are numbered
    from that order on.

    Raises:
        DriveError: if the bus is gone.
    """
    first: int | None = None
    for tick in clock.ticks(period_s):
        if first is None:
            if not slot.pending:
                if not wire.open:
                    return
                gated.idle()
                continue
            first = tick.index
        index = tick.index - first
        server.cycle(Tick(index, index * period_s, tick.dt_s, tick.late_s), clock.overruns)
        if server.ended:
            return


def _say(**answer: Any) -> None:
    with suppress(OSError):  # control may be gone; the platform is what counts
        os.write(READY_DESCRIPTOR, json.dumps(answer).encode() + b"\n")


class WaitsWriter:
    """Reporter to control, before the first cycle, on what the setup of the drives waits for."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        self._now_s = now_s
        self._due_s = float("-inf")

    def write(self, waits: Waits) -> None:
        """Report it, but not too often; a repeated report shows that the process is alive."""
        now_s = self._now_s()
        if now_s >= self._due_s:
            self._due_s = now_s + WAITS_EVERY_S
            _say(waiting=waits_to_json(waits))


def _report(
    report: BankReport,
    limits_digest: str,
    setup: Iterable[RealtimeItem],
    code: dict[str, str],
) -> dict[str, Any]:
    return {
        "ready": True,
        "home": str(HOME),
        "code": code,
        "name": report.name,
        "url": report.url,
        "simulated": report.simulated,
        "axes": list(report.axes),
        "identities": list(report.identities),
        "notes": list(report.notes),
        "scale_proved": list(report.scale_proved),
        "counts": list(report.counts),
        "first_motion": report.first_motion,
        "limits_sha256": limits_digest,
        "setup": [astuple(item) for item in setup],
    }


def run_gate(order: GateOrder, clock: Clock) -> int:
    """Guard the drives of an order until nothing is left to do.

    Returns:
        Exit status: 0 ended in order, 1 the link was lost, 2 refused before anything moved.
    """
    slot, ring = CommandSlot.attach(order.slot_fd), Ring.attach(order.ring_fd)
    wire = ControlWire(order.socket_fd)
    control = ControlWatch(order.record_fd)
    try:
        # Code of others is loaded and called with an ordinary process' rights.
        foreign = build_bank(order.spec, clock.now_s) if order.spec.of_others else None
    except Exception as error:
        _say(refused=str(error), kind=type(error).__name__)
        wire.close()
        return 2
    # First: locking memory takes longer than drives wait for the next cycle once they are set up.
    with RealtimeSetup(order.policy) as granted:
        gated: GatedBank | None = None
        try:
            bank = foreign or build_bank(order.spec, clock.now_s, WaitsWriter(clock.now_s).write)
            gated = GatedBank(Gate(order.limits, led=order.led), bank, clock.now_s)
            code = code_of_process()  # all of it is loaded, and the drives do not wait yet
            report = gated.open()
        except Exception as error:
            _say(refused=str(error), kind=type(error).__name__)
            if gated is not None:
                _close(gated)
            wire.close()
            return 2
        setup = (*granted.items, control.item())
        _say(**_report(report, order.limits.digest(), setup, code))
        return _guard(order, clock, gated, slot, ring, wire, control)


def _guard(
    order: GateOrder,
    clock: Clock,
    gated: GatedBank,
    slot: CommandSlot,
    ring: Ring,
    wire: ControlWire,
    control: ControlWatch,
) -> int:
    """Run cycles until nothing is left to do, then leave the bus and write the kept records."""
    box = BlackBox(order.limits.period_s)
    server = GateServer(
        gated,
        slot,
        ring,
        order.limits,
        clock.now_s,
        wire.wake,
        hold_alone_s=order.hold_alone_s,
        poll_control=control.poll,
        black_box=box,
    )
    status, place = 0, PlaceRecord(order.place_file)
    place.begin()
    try:
        serve(clock, order.limits.period_s, gated, server, slot, wire)
    except Exception as error:
        # Nothing more can be sent: the drives' own watchdogs stop them.
        why = f"{type(error).__name__}: {error}"
        box.event(f"{why}; {server.losses}")
        box.keep()
        ours = isinstance(error, DriveError)  # its text says it all
        ring.push(LOST_KIND, (str(error) if ours else why).encode()[: ring.payload_bytes])
        status = 1
        if not ours:
            raise
    finally:
        end = _close(gated)
        place.end(*gated.last_measured)
        box.event(f"link: {_in_words(end.tally)}")
        box.event(f"UNDER POWER: {'; '.join(end.powered)}" if end.powered else "drives: all off")
        if end.powered:
            box.keep()
        _push_end(ring, end)
        ring.close_producer()
        wire.close()
        if order.black_box and box.kept:
            with suppress(OSError):
                box.write(Path(order.black_box))
    return status


def _close(gated: GatedBank) -> BankEnd:
    try:
        return gated.close()
    except DriveError as error:
        return BankEnd(powered=(f"legs 1 to 6: {error}",))


def _push_end(ring: Ring, end: BankEnd) -> None:
    """Put the end into the ring; what is too long for it is left out, and the drives last.

    First the notes of the tally go, then the tally, then the record of each drive beyond its first
    `SEEN_MAX` characters: which drives may have force is reported in any case.
    """
    for touch in end.touched:
        ring.push(TOUCH_KIND, json.dumps(touch).encode())
    counts = {name: value for name, value in end.tally.items() if name != "notes"}
    seen = tuple(text[:SEEN_MAX] for text in end.powered)
    end = replace(end, touched=())
    for short in (
        end,
        replace(end, tally=counts),
        replace(end, tally={}),
        replace(end, tally={}, powered=seen),
    ):
        if ring.push(END_KIND, json.dumps(asdict(short)).encode()):
            return


def _in_words(tally: LinkTally) -> str:
    """Tally of the link in words, for a reader of the black box."""
    return ", ".join(f"{name} {_listed(value)}" for name, value in tally.items()) or "none"


def _listed(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def main() -> int:
    """Run the gate's process; its order comes as one line of JSON on standard input.

    Returns:
        Exit status, see `run_gate`.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    try:
        order = GateOrder.from_line(sys.stdin.buffer.readline())
    except (ValueError, KeyError, TypeError, DriveError) as error:
        _say(refused=f"the order cannot be read: {error!r}", kind=type(error).__name__)
        return 2
    return run_gate(order, RealClock())


if __name__ == "__main__":
    sys.exit(main())
