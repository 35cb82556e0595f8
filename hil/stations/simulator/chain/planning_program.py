"""The process that makes plans during a run, see `hil.stations.simulator.chain.planner_process`.

It works at a lower priority than the bench and ends with it. A copy of it waits and continues with
the newest request if it is killed, and has a copy of its own then: that costs the loop nothing.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from contextlib import suppress
from typing import Final, NoReturn

from hil.ipc.standby import Standby, TakeOverError
from hil.stations.simulator.chain.plan_wire import (
    PACKET_MAX_BYTES,
    READY,
    RENEWALS_MOST,
    answer_to_bytes,
    renewal_to_bytes,
    request_from_bytes,
    setup_from_bytes,
)
from platform6dof.cueing.planner import Outcome, PlanAnswer, Planner, PlanRequest

NICENESS: Final = 5


def newest_request(wire: socket.socket) -> PlanRequest | None:
    """Wait for a request, and take the newest of those that wait; None once the run is gone."""
    packet = wire.recv(PACKET_MAX_BYTES)
    while packet:
        try:
            packet = wire.recv(PACKET_MAX_BYTES, socket.MSG_DONTWAIT) or b""
        except BlockingIOError:
            return request_from_bytes(packet)
    return None


def _serve(wire: socket.socket, planner: Planner, standby: Standby | None) -> None:
    """Make plans until the run is gone."""
    while (request := newest_request(wire)) is not None:
        if standby is not None:
            standby.keep()
        try:
            answer = planner.plan(request)
        except ValueError:  # whatever it met, it is no plan; the old one continues
            answer = PlanAnswer(request.serial, Outcome.UNSOLVED, None)
        wire.send(answer_to_bytes(answer))


def _serve_renewed(wire: socket.socket, planner: Planner) -> None:
    """Make plans, in one process after the other if they are killed."""
    for number in range(RENEWALS_MOST + 1):
        standby = Standby() if number < RENEWALS_MOST else None
        try:
            if standby is not None:
                standby.keep()
            wire.send(renewal_to_bytes(number, os.getpid()) if number else READY)
            _serve(wire, planner, standby)
        except TakeOverError:
            continue
        except ConnectionError:  # the run is gone
            pass
        if standby is not None:
            standby.end()
        return


def main() -> NoReturn:
    """Be the planner's process until the run is gone."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    with suppress(OSError):
        os.nice(NICENESS)
    wire = socket.socket(fileno=int(sys.argv[1]))
    with suppress(ConnectionError):
        try:
            planner = setup_from_bytes(wire.recv(PACKET_MAX_BYTES)).planner()
            planner.warm()
        except ValueError as error:
            wire.send(str(error).encode())
            sys.exit(1)
        _serve_renewed(wire, planner)
    sys.exit(0)


if __name__ == "__main__":
    main()
