"""Effects of each fault on the drives, the nodes and the frames of a CAN rack.

Not modelled: partial bus-off (one node cannot reach the bus while the others can).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from enum import Enum
from typing import Final

from sim.devices.can.node import CanNode
from sim.devices.drive.cia402 import DriveEvent
from sim.devices.drive.parameters import NODES
from sim.devices.fault_board import FaultBoard
from sim.devices.faults import Injection

FLAG_ERROR_WARNING: Final = 0x04
FLAG_ERROR_PASSIVE: Final = 0x20
FLAG_BUS_ERROR: Final = 0x80
"""Bits of the answer to `F` (Lawicel CAN232 manual)."""

_SYNC_ID: Final = 0x080
_FOREIGN_HEARTBEAT: Final = 0x700 + 127
_WHOLE_BUS: Final = -1
_AGAIN_AND_AGAIN: Final = frozenset(("emcy", "state_drop"))
_OF_SENDERS: Final = frozenset(("mute", "stuck", "drop", "wrong_node"))
_OF_ADAPTERS: Final = frozenset(("delay", "garble", "truncate"))
"""Kinds that act on a drive in every tick, on a frame of a node, on one for the master."""


class Spoil(Enum):
    """Damage that an adapter does to the line of a frame."""

    NOTHING = "nothing"
    GARBLE = "garble"
    TRUNCATE = "truncate"


def is_tpdo(can_id: int) -> bool:
    """Say whether an identifier is that of a TPDO in the predefined connection set of CiA 301."""
    return can_id & 0x780 in (0x180, 0x280, 0x380, 0x480)


class RackFaults:
    """Faults of one rack.

    Args:
        nodes: The six nodes.
        rng: Source of the random faults.
        foreign: Called with identifier, data and time for each frame of a second master.
    """

    def __init__(
        self,
        nodes: tuple[CanNode, ...],
        rng: random.Random,
        foreign: Callable[[int, bytes, float], None],
    ) -> None:
        self._nodes = nodes
        self._rng = rng
        self._foreign = foreign
        self._foreign_due_s = 0.0
        self._stuck: dict[tuple[int, int], bytes] = {}
        self._board = FaultBoard(self._begin, self._end)

    # -- the board ------------------------------------------------------------------------------

    def start(self, injection: Injection, now_s: float) -> None:
        """Schedule a fault, now or `at_s` later (monotonic time [s])."""
        self._board.start(injection, now_s)

    def clear(self, now_s: float, kind: str | None = None, node: int | None = None) -> int:
        """End active faults and forget scheduled ones; return how many."""
        return self._board.clear(now_s, kind, node)

    def value(self, kind: str, drive: int = _WHOLE_BUS) -> float | None:
        """Return the value of an active fault, or None."""
        return self._board.value(kind, drive)

    @property
    def board(self) -> FaultBoard:
        """Board of active and scheduled faults."""
        return self._board

    # -- what the rack asks ---------------------------------------------------------------------

    @property
    def idle(self) -> bool:
        """Whether no fault is active: then no frame needs to be checked."""
        return self._board.idle

    @property
    def bus_is_off(self) -> bool:
        """Whether no frame passes the adapter."""
        return "bus_off" in self._board.kinds

    @property
    def unplugged(self) -> bool:
        """Whether the adapter is pulled out."""
        return self._board.value("unplug") is not None

    @property
    def stalled(self) -> bool:
        """Whether the adapter does not read what the master writes."""
        return self._board.value("stall") is not None

    @property
    def flags(self) -> int:
        """Status flags of the adapter."""
        if self.bus_is_off:
            return FLAG_BUS_ERROR | FLAG_ERROR_PASSIVE | FLAG_ERROR_WARNING
        if self._board.value("error_passive") is not None:
            return FLAG_ERROR_PASSIVE | FLAG_ERROR_WARNING
        return 0

    def advance(self, now_s: float) -> None:
        """Begin and end the faults that are due, and repeat what a lasting one does."""
        board = self._board
        board.advance(now_s)
        if board.idle:
            return
        for k in () if board.kinds.isdisjoint(_AGAIN_AND_AGAIN) else range(NODES):
            code = board.value("emcy", k)
            if code is not None:
                self._trip(k, int(code))
            if board.value("state_drop", k) is not None:
                self._nodes[k].drive.drop_to(DriveEvent.DISABLE_VOLTAGE)
        period_s = board.value("second_master")
        if period_s is not None and now_s >= self._foreign_due_s:
            self._foreign_due_s = max(now_s, self._foreign_due_s + period_s)
            self._foreign(_FOREIGN_HEARTBEAT, b"\x05", now_s)
            self._foreign(_SYNC_ID, b"", now_s)

    def outgoing(self, k: int, can_id: int, data: bytes) -> tuple[int, bytes] | None:
        """Return a node's frame as it reaches the bus, or None if it does not.

        Args:
            k: Index of the node.
        """
        board = self._board
        if board.kinds.isdisjoint(_OF_SENDERS):
            return can_id, data
        tpdo = is_tpdo(can_id)
        if board.value("mute", k) is not None and (tpdo or can_id & 0x780 == 0x700):
            return None
        if tpdo:
            if board.value("stuck", k) is not None:
                data = self._stuck.setdefault((k, can_id), data)
            chance = board.value("drop", k)
            if chance is not None and self._rng.random() < chance:
                return None
        other = board.value("wrong_node", k)
        if other is not None:
            can_id = can_id & 0x780 | int(other)
        return can_id, data

    def adapter(self, k: int) -> tuple[float, Spoil]:
        """Return the delay of a frame to the master [s], and the damage to its line.

        Args:
            k: Index of the node that sent it; another number for a foreign frame.
        """
        board = self._board
        if board.kinds.isdisjoint(_OF_ADAPTERS):
            return 0.0, Spoil.NOTHING
        delay_s = board.value("delay", k) or 0.0
        for spoil in (Spoil.GARBLE, Spoil.TRUNCATE):
            chance = board.value(spoil.value, k)
            if chance is not None and self._rng.random() < chance:
                return delay_s, spoil
        return delay_s, Spoil.NOTHING

    # -- beginning and end ------------------------------------------------------------------------

    def _trip(self, k: int, code: int) -> None:
        drive = self._nodes[k].drive
        if code not in drive.errors:
            drive.trip(code)

    def _begin(self, kind: str, k: int, value: float, now_s: float) -> None:
        if k == _WHOLE_BUS:
            self._foreign_due_s = now_s if kind == "second_master" else self._foreign_due_s
            return
        node, drive = self._nodes[k], self._nodes[k].drive
        if kind == "jump":
            drive.jump_encoder(value)
        elif kind == "scale":
            drive.encoder_scale = value
        elif kind == "lag":
            drive.lag_s = value
        elif kind == "emcy":
            self._trip(k, int(value))
        elif kind == "unwatched":
            drive.watched = False
        elif kind == "estop":
            drive.set_interlock(value >= 0.5)
        elif kind == "absent":
            node.power_off()
        elif kind == "reboot":
            node.power_on(now_s)
        elif kind == "state_drop":
            drive.drop_to(DriveEvent.DISABLE_VOLTAGE)

    def _end(self, kind: str, k: int, value: float, now_s: float) -> None:
        if k == _WHOLE_BUS:
            return
        node, drive = self._nodes[k], self._nodes[k].drive
        if kind == "jump":
            drive.jump_encoder(-value)
        elif kind == "scale":
            drive.encoder_scale = 1.0
        elif kind == "lag":
            drive.lag_s = 0.0
        elif kind == "unwatched":
            drive.watched = True
        elif kind == "estop":
            drive.set_interlock(True)
        elif kind == "absent":
            node.power_on(now_s)
        elif kind == "stuck":
            self._stuck = {key: data for key, data in self._stuck.items() if key[0] != k}
