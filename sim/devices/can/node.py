"""One CANopen node of the rack: NMT, heartbeat, emergency, and its SDO server and PDOs.

CiA 301, clauses "NMT slave state machine", "Heartbeat protocol", "Emergency object"; error codes
from its table "Emergency error codes". An emergency carries the code, the error register and five
bytes of zeros; 1003h keeps the last ones. Lost heartbeats and RPDOs act on the drive through
object 6007h (CiA 402-2), a lost heartbeat also on the NMT state through 1029h.

A guard request is a remote frame; it is answered unless the node sends heartbeats (1017h), since it
does one or the other.

Not modelled: TIME, LSS, SYNC producer, emergency inhibit time.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from enum import Enum
from functools import partial
from typing import Final

from sim.devices.can.bus_timing import REMOTE
from sim.devices.can.object_store import ObjectStore
from sim.devices.can.process_data import (
    COMMUNICATION_REGISTER,
    RPDO_TIMEOUT,
    Handler,
    ProcessData,
    own_time_us,
)
from sim.devices.can.sdo_server import SdoServer
from sim.devices.can.supervision import ErrorHistory, HeartbeatConsumers, LifeGuard
from sim.devices.drive.cia402 import POWERED
from sim.devices.drive.node import EmulatedDrive

HEARTBEAT_LOST: Final = 0x8130
CONNECTION_ABORTED: Final = 0x8100
"""Communication, generic: the master stopped the node or reset its communication."""


class NmtState(Enum):
    """NMT states; the value is the byte of the heartbeat."""

    OFF = -1
    INITIALISING = 0
    STOPPED = 4
    OPERATIONAL = 5
    PRE_OPERATIONAL = 127


class NmtCommand(Enum):
    """NMT commands, first byte of a frame with identifier 0."""

    START = 1
    STOP = 2
    ENTER_PRE_OPERATIONAL = 128
    RESET_NODE = 129
    RESET_COMMUNICATION = 130


_COMMANDED: Final = {
    NmtCommand.START: NmtState.OPERATIONAL,
    NmtCommand.STOP: NmtState.STOPPED,
    NmtCommand.ENTER_PRE_OPERATIONAL: NmtState.PRE_OPERATIONAL,
}


class CanNode:
    """CANopen node with its drive.

    Args:
        drive: The drive behind it.
        send: Called with identifier and data of each frame to send.
        boot_time_s: From power or reset to the boot-up frame [s].
        changed: Called when the node may listen to other identifiers than before.
    """

    def __init__(
        self,
        drive: EmulatedDrive,
        send: Callable[[int, bytes], None],
        boot_time_s: float,
        changed: Callable[[], None],
    ) -> None:
        self.drive = drive
        self.node_id: int = drive.settings.node_id
        self.state = NmtState.OFF
        self._send = send
        self._changed = changed
        self._boot_time_s = boot_time_s
        self._boot_due_s = self._beat_due_s = math.inf
        self._due_s = -math.inf
        """Time before which no timer runs out [s]."""
        self._now_s = 0.0
        self.store: ObjectStore = ObjectStore(drive, self.node_id)
        self._sdo = SdoServer(self.store)
        self._pdos = ProcessData(self.store, self._is_pre_operational, send, self._send_emergencies)
        self._consumers = HeartbeatConsumers(self.store)
        self._guard = LifeGuard(self.store)
        self._history = ErrorHistory(self.store)
        self.store.on_write[0x1017, 0] = self._write_producer

    # -- power and NMT --------------------------------------------------------------------------

    def power_on(self, now_s: float) -> None:
        """Start up; the boot-up frame follows after the boot time."""
        self.drive.power_up()
        self.store.load_parameters()
        self._reset_communication(now_s)

    def power_off(self) -> None:
        """Take the supply away: silent, brake closed."""
        self.drive.power_up()
        self.state = NmtState.OFF
        self._boot_due_s = self._beat_due_s = math.inf
        self._changed()

    @property
    def communicates(self) -> bool:
        """Whether the node takes part in the bus at all."""
        return self.state not in (NmtState.OFF, NmtState.INITIALISING)

    def command(self, command: NmtCommand, now_s: float) -> None:
        """Obey an NMT command."""
        if not self.communicates:
            return
        if command is NmtCommand.RESET_NODE:
            self.power_on(now_s)
        elif command is NmtCommand.RESET_COMMUNICATION:
            self._leave_connection()
            self._reset_communication(now_s)
        else:
            self._enter(_COMMANDED[command])

    def _reset_communication(self, now_s: float) -> None:
        self.store.reset()
        self._sdo.reset()
        self._consumers.clear()
        self._guard.clear()
        self._pdos.reset()
        self.state = NmtState.INITIALISING
        self._boot_due_s = self._due_s = now_s + self._boot_time_s
        self._beat_due_s = math.inf
        self._changed()

    def _enter(self, state: NmtState) -> None:
        if state is self.state:
            return
        if state is NmtState.OPERATIONAL:
            self._pdos.start()
        elif self.state is NmtState.OPERATIONAL:
            self._pdos.stop()
        self.state = state
        self._changed()
        if state is NmtState.STOPPED:  # CiA 402-2: a stopped node has lost its connection
            self._leave_connection()
        else:
            self.drive.recover(CONNECTION_ABORTED)

    def _is_pre_operational(self) -> bool:
        return self.state is NmtState.PRE_OPERATIONAL

    def _leave_connection(self) -> None:
        """Act as 6007h says when the master itself ends it; a drive at rest does nothing."""
        if self.drive.state in POWERED:
            self.drive.abort_connection(CONNECTION_ABORTED, COMMUNICATION_REGISTER)

    # -- frames ---------------------------------------------------------------------------------

    def handler(self, can_id: int) -> Handler | None:
        """Return the handler of a frame in the present state, or None if there is none.

        Args:
            can_id: Identifier; `changed` is called whenever another answer may be right.
        """
        if not self.communicates:
            return None
        if can_id == 0:
            return self._receive_nmt
        if can_id == 0x600 + self.node_id:
            return None if self.state is NmtState.STOPPED else self._receive_sdo
        if can_id == REMOTE | 0x700 + self.node_id:
            return self._receive_guard
        if 0x700 < can_id < 0x780:
            return partial(self._receive_heartbeat, can_id - 0x700)
        return self._pdos.handler(can_id) if self.state is NmtState.OPERATIONAL else None

    def _receive_sdo(self, data: bytes, now_s: float) -> None:
        self._now_s = now_s
        self.store.clock_us = own_time_us(self.node_id, now_s)
        answer = self._sdo.request(data)
        if data and data[0] >> 5 in (0, 1):  # a download; what is only read changes nothing
            self._pdos.refresh()
            self._changed()
        self._due_s = -math.inf
        if answer is not None:
            self._send(0x580 + self.node_id, answer)
        self.poll(now_s)

    def _receive_heartbeat(self, producer: int, data: bytes, now_s: float) -> None:
        if len(data) == 1 and self._consumers.take_heartbeat(producer, now_s):
            self.drive.recover(HEARTBEAT_LOST)
            self._send_emergencies()

    def _receive_guard(self, data: bytes, now_s: float) -> None:
        if self.store.values[0x1017, 0]:
            return
        self.drive.recover(HEARTBEAT_LOST)
        self._send_emergencies()
        self._send(0x700 + self.node_id, self._guard.answer(self.state.value, now_s))
        self._due_s = -math.inf

    def _receive_nmt(self, data: bytes, now_s: float) -> None:
        if len(data) == 2 and data[1] in (0, self.node_id):
            try:
                command = NmtCommand(data[0])
            except ValueError:
                return  # CiA 301 leaves other numbers without meaning
            self.command(command, now_s)
            self.poll(now_s)

    # -- heartbeat --------------------------------------------------------------------------------

    def _write_producer(self, value: int) -> None:
        self._beat_due_s = self._now_s if value else math.inf

    # -- time -------------------------------------------------------------------------------------

    @property
    def quiet_until_s(self) -> float:
        """Time before which `poll` does nothing if the drive is still and no frame comes [s]."""
        if self.drive.emergencies or self.state is NmtState.OPERATIONAL:
            return -math.inf
        return self._due_s

    def poll(self, now_s: float) -> None:
        """Run what is due: boot-up, heartbeat, watchdogs, emergencies, event-driven TPDOs."""
        if now_s >= self._due_s:
            self._run_timers(now_s)
        if self.drive.emergencies:
            self._send_emergencies()
        if self.state is NmtState.OPERATIONAL:
            self._pdos.on_time(now_s)

    def _run_timers(self, now_s: float) -> None:
        if now_s >= self._boot_due_s:
            self._boot_due_s = math.inf
            self.state: NmtState = NmtState.PRE_OPERATIONAL
            self._changed()
            self._send(0x700 + self.node_id, b"\x00")
        if self.communicates:
            self._watch(now_s)
        if self.communicates and now_s >= self._beat_due_s:
            self._send_emergencies()  # what the watchdogs found goes first
            self._send(0x700 + self.node_id, bytes((self.state.value,)))
            period_s = 1e-3 * self.store.values[0x1017, 0]
            late = now_s - self._beat_due_s > period_s
            self._beat_due_s = now_s + period_s if late else self._beat_due_s + period_s
        supervised_s = min(
            self._consumers.earliest_s(now_s),
            self._guard.earliest_s(now_s),
            self._pdos.earliest_s(now_s),
        )
        self._due_s = min(self._boot_due_s, self._beat_due_s, supervised_s)

    def _watch(self, now_s: float) -> None:
        for _ in range(self._consumers.lost(now_s) + self._guard.lost(now_s)):
            self.drive.abort_connection(HEARTBEAT_LOST, COMMUNICATION_REGISTER)
            self._error_behaviour()
        if self.state is NmtState.OPERATIONAL:
            for _ in range(self._pdos.silent(now_s)):
                self.drive.abort_connection(RPDO_TIMEOUT, COMMUNICATION_REGISTER)

    def _error_behaviour(self) -> None:
        """Leave OPERATIONAL as 1029h sub 1 says: 0 pre-operational, 1 stay, 2 stopped."""
        behaviour = self.store.values.get((0x1029, 1), 0)
        if behaviour == 0 and self.state is NmtState.OPERATIONAL:
            self._enter(NmtState.PRE_OPERATIONAL)
        elif behaviour == 2:
            self._enter(NmtState.STOPPED)

    # -- emergencies ------------------------------------------------------------------------------

    def _send_emergencies(self) -> None:
        if not self.communicates:
            return
        for emergency in self.drive.take_emergencies():
            if emergency.code:
                self._history.add(emergency.code)
            if self.state is not NmtState.STOPPED:
                data = struct.pack("<HB5x", emergency.code, emergency.register)
                self._send(0x80 + self.node_id, data)
