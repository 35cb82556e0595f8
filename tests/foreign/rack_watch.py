"""What a host does to the rods, as the plant sees it, told line by line to whoever judges it."""

import gc
import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Protocol

from drive402 import Drive402
from power_states import State

AFTER_S = 1.0
"""A host that has gone is watched for so long: what its leaving does to the drives."""
PRIORITY = 85
STIRS_M_S, STILL_S = 2e-5, 0.05
"""A rod slower than this for so long stands still."""


class Slave(Protocol):
    """A drive on a wire."""

    drive: Drive402
    errors: list[int]


class Port(Protocol):
    """Where hosts come and go."""

    hosts: int

    @property
    def readable(self) -> Sequence[object]: ...


class Watch:
    """What happened to the rods while a host was there, and just after it.

    Args:
        slaves: whose rods.
    """

    def __init__(self, slaves: Sequence[Slave]) -> None:
        self._slaves = slaves
        self._hosts = 0
        self._left_s: float | None = None
        self._from_m: list[float] = []
        self._furthest_m: list[float] = []
        self._outmost_m: list[float] = []
        self._fastest_m_s: list[float] = []
        self._gone_errors: list[list[int]] = []
        self._moved_s = -1.0
        self._moving = False
        self.host_frames = 0

    @property
    def furthest_m(self) -> float:
        """How far any rod has got since this host came."""
        return max(self._furthest_m, default=0.0)

    def step(self, now_s: float) -> None:
        """After each step of the plant."""
        if any(abs(slave.drive.rod.speed_m_s) > STIRS_M_S for slave in self._slaves):
            self._moved_s = now_s
        moving = now_s - self._moved_s < STILL_S
        if moving != self._moving:
            self._moving = moving
            told(moving=moving)
        for leg, place_m in enumerate(self._from_m):
            rod = self._slaves[leg].drive.rod
            self._furthest_m[leg] = max(self._furthest_m[leg], abs(rod.place_m - place_m))
            self._outmost_m[leg] = max(self._outmost_m[leg], rod.place_m)
            self._fastest_m_s[leg] = max(self._fastest_m_s[leg], abs(rod.speed_m_s))

    def look(self, port: Port, now_s: float) -> None:
        """Whether a host has come or gone."""
        if port.hosts > self._hosts:
            self._finish()
            self._hosts = port.hosts
            told(came=self._hosts)
            self._begin()
        here = len(port.readable) > 1
        if self._from_m and self._left_s is None and not here:
            told(went=self._hosts)
            self._left_s = now_s
            self._gone_errors = [list(slave.errors) for slave in self._slaves]
        if self._left_s is not None and now_s - self._left_s > AFTER_S:
            self._finish()

    def _begin(self) -> None:
        self._left_s, self.host_frames = None, 0
        self._from_m = [slave.drive.rod.place_m for slave in self._slaves]
        self._furthest_m = [0.0] * len(self._slaves)
        self._outmost_m = list(self._from_m)
        self._fastest_m_s = [0.0] * len(self._slaves)
        for slave in self._slaves:
            slave.errors.clear()
            slave.drive.moves.clear()

    def _finish(self) -> None:
        if not self._from_m:
            return
        before = self._gone_errors or [[] for _ in self._slaves]
        told(
            host=self._hosts,
            frames=self.host_frames,
            furthest_m=[round(way, 6) for way in self._furthest_m],
            out_m=[
                round(outmost - slave.drive.rod.place_m, 6)
                for outmost, slave in zip(self._outmost_m, self._slaves, strict=True)
            ],
            fastest_m_s=[round(speed, 5) for speed in self._fastest_m_s],
            moves=[list(slave.drive.moves) for slave in self._slaves],
            errors=[[f"{code:04X}h" for code in slave.errors] for slave in self._slaves],
            errors_after=[
                [f"{code:04X}h" for code in slave.errors[len(there) :]]
                for slave, there in zip(self._slaves, before, strict=True)
            ],
            states=[slave.drive.state.name for slave in self._slaves],
            powered=[slave.drive.state is State.ENABLED for slave in self._slaves],
        )
        self._from_m, self._left_s = [], None


def told(**fields: Any) -> None:
    """One line for whoever started the rack."""
    sys.stdout.write(json.dumps(fields) + "\n")
    sys.stdout.flush()


def like_hardware() -> None:
    """A drive is never late: a priority below the bench's gate, above everything ordinary."""
    gc.freeze()
    with suppress(OSError, AttributeError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
