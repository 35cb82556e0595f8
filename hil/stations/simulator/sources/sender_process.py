"""A process that emulates a simulator and sends UDP.

It reads what to emulate from its standard input, a line of JSON, answers with the port on which it
takes requests, lets its vehicle begin at the next line, and ends with its input.
"""

from __future__ import annotations

import os
import selectors
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from hil.config.errors import ConfigError, about
from hil.config.named_files import GIVEN
from hil.config.settings import Settings
from hil.hosts.kind import HostKind
from hil.hosts.link import Address
from hil.hosts.maps import map_of
from hil.ipc.child import DEVNULL, PIPE, ChildProcess, start_child
from hil.stations.simulator.plan.source import Surroundings
from hil.stations.simulator.sources.emulated_host_source import (
    EmulatedSettings,
    WaitingFeed,
    check_faults,
    host_of,
)

STARTS_S: Final = 20.0
"""Longest time until a process that emulates a simulator has started [s]."""
ENDS_S: Final = 2.0
"""Longest time until it has ended after its input [s]."""


class SenderSettings(Settings):
    """Settings of the process's emulated simulator."""

    emulated: EmulatedSettings
    map: dict[str, Any]
    """Table of the host's map."""
    key: str
    """Key that its packets are signed with, as hexadecimal digits; empty without."""
    file: str
    """File of the scenario."""
    period_s: float
    """Cycle time of the loop [s]."""
    seed: int
    to: Address
    """Address that the packets are sent to."""


class SenderProcess:
    """A process that emulates a simulator and sends UDP.

    Args:
        child: of the process.
        asked: address for requests; None for a wire without.
        lasts_s: how long its vehicle does something, from its beginning [s].
    """

    def __init__(self, child: ChildProcess, asked: Address | None, lasts_s: float) -> None:
        self._child = child
        self.asked: Address | None = asked
        """Address for requests; None for a wire without."""
        self.lasts_s: float = lasts_s
        """Duration of its vehicle's motion, from its beginning [s]."""
        self._begun = False

    def begin(self) -> None:
        """Let the vehicle begin, if it has not yet; if it has gone, the watchdogs will say so."""
        if not self._begun:
            self._begun = True
            self._child.send(b"begin\n")


@contextmanager
def sending(
    settings: EmulatedSettings,
    kind: HostKind,
    map_: Settings,
    key: bytes,
    around: Surroundings,
    to: Address,
) -> Iterator[SenderProcess]:
    """Yield a process of its own that sends UDP to an address.

    Raises:
        ConfigError: if it cannot be made, or does not start.
    """
    file = around.scenario_file
    feed = settings.make_feed(file)
    check_faults(settings.faults, file)
    host_of(settings, kind, map_, key, feed, around)  # refuses here what would fail there
    table = map_.model_dump(mode="json", exclude={"key"})
    order = SenderSettings(
        emulated=settings, map=table, key=key.hex(), file=str(file), period_s=around.period_s,
        seed=around.seed, to=to,
    )  # fmt: skip
    program = ("-m", "hil.stations.simulator.sources.sender_process")
    child = start_child(program, stdin=PIPE, stdout=PIPE, stderr=DEVNULL)
    try:
        child.send(order.model_dump_json().encode() + b"\n")
        port = _port_of(child)
        if port is None:
            line = f"source.emulated: its process did not start within {STARTS_S:g} s"
            raise ConfigError(str(file), [about("source.emulated", line)])
        asked = None if kind.asks_port is None else ("127.0.0.1", port)
        yield SenderProcess(child, asked, feed.lasts_s)
    finally:
        child.send(b"", last=True)  # it ends by that
        child.end(ENDS_S)


def _port_of(child: ChildProcess) -> int | None:
    """Return the port in the process's answer; None if it does not answer in time, or has died."""
    assert child.stdout is not None  # noqa: S101  # it is a pipe
    with selectors.DefaultSelector() as selector:
        selector.register(child.stdout, selectors.EVENT_READ)
        line = child.stdout.readline() if selector.select(STARTS_S) else b""
    return int(line) if line else None


class _StandardInput:
    """Input from the other end: lines at the standard input, or their end."""

    def __init__(self) -> None:
        self._input = sys.stdin.fileno()
        os.set_blocking(self._input, False)

    def read(self) -> bytes | None:
        """Return the text since the last call; empty at the end, None if nothing came."""
        try:
            return os.read(self._input, 4096)
        except BlockingIOError:
            return None


def main() -> None:
    """Send until the standard input ends."""
    from hil.timing.realtime import RealClock
    from sim.hosts.host_program import run_host

    line = sys.stdin.buffer.raw.readline()  # pyright: ignore[reportAttributeAccessIssue]
    order = SenderSettings.model_validate_json(line)
    GIVEN.take(order.emulated.feed, "feed")  # the process that began this one has judged it
    clock, file = RealClock(), Path(order.file)
    around = Surroundings(file, order.period_s, False, order.seed, clock.now_s)
    kind, map_ = map_of(order.map, order.file)
    feed = WaitingFeed(order.emulated.make_feed(file))
    host = host_of(order.emulated, kind, map_, bytes.fromhex(order.key), feed, around)
    standard_input = _StandardInput()

    def over() -> bool:
        """Return whether the other end has gone; a word from it lets the vehicle begin."""
        read = standard_input.read()
        if read:
            feed.begun_s = host.simulation.feed_s
            for fault in order.emulated.faults:
                host.fault(fault)
        return read == b""

    run_host(
        host,
        order.to,
        now_s=clock.now_s,
        ready=lambda sender: print(sender.address[1], flush=True),
        stop=over,
        asked_on=("127.0.0.1", 0),
    )


if __name__ == "__main__":
    main()
