"""One CANopen node of the rack: NMT, heartbeat, emergency, and its SDO server and PDOs.

CiA 301, clauses "NMT slave state machine", "Heartbeat protocol", "Emergency object"; error codes
from its table "Emergency error codes". An emergency carries the code, the error register and five
bytes of zeros; 1003h keeps the last eight. Lost heartbeats and RPDOs act on the drive through
object 6007h (CiA 402-2), a lost heartbeat also on the NMT state through 1029h.

Not modelled: node guarding, TIME, LSS, SYNC producer, emergency inhibit time.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from enum import Enum
from typing import Final

from sim.devices.can_supervision import ErrorHistory, HeartbeatConsumers
from sim.devices.drive402 import POWERED
from sim.devices.drive_node import EmulatedDrive
from sim.devices.object_store import ObjectStore
from sim.devices.pdo import ReceivePdo, TransmitPdo, pdos_of
from sim.devices.sdo_server import SdoServer

HEARTBEAT_LOST: Final = 0x8130
RPDO_TIMEOUT: Final = 0x8250
CONNECTION_ABORTED: Final = 0x8100
"""Communication, generic: the master stopped the node or reset its communication."""
COMMUNICATION_REGISTER: Final = 0x11
"""Error register 1001h: generic, and communication."""


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
    """One node.

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
        self.node_id = drive.settings.node_id
        self.state = NmtState.OFF
        self._send = send
        self._sdo_id = 0x600 + self.node_id
        self._boot_time_s = boot_time_s
        self._boot_due_s: float | None = None
        self._beat_due_s: float | None = None
        self.store = ObjectStore(drive, self.node_id)
        self._sdo = SdoServer(self.store)
        self.rpdos, self.tpdos = pdos_of(self.store, lambda: self.state is NmtState.PRE_OPERATIONAL)
        self._changed = changed
        self._sync_id = 0x080
        self._rpdo_of: dict[int, ReceivePdo] = {}
        self._sync_tpdos: list[TransmitPdo] = []
        self._event_tpdos: list[TransmitPdo] = []
        self._watched: list[ReceivePdo] = []
        self._consumers = HeartbeatConsumers(self.store)
        self._history = ErrorHistory(self.store)
        hooks = self.store.on_write
        hooks[0x1017, 0] = self._write_producer
        self._now_s = 0.0
        self._refresh()

    # -- power and NMT --------------------------------------------------------------------------

    def power_on(self, now_s: float) -> None:
        """Start as after switching on; the boot-up frame follows after the boot time.

        Args:
            now_s: Monotonic time [s].
        """
        self.drive.power_up()
        self._reset_communication(now_s)

    def power_off(self) -> None:
        """Take the supply away: silent, brake closed."""
        self.drive.power_up()
        self.state = NmtState.OFF
        self._boot_due_s = self._beat_due_s = None

    @property
    def heard(self) -> bool:
        """Whether the node takes part in the bus at all."""
        return self.state not in (NmtState.OFF, NmtState.INITIALISING)

    def command(self, command: NmtCommand, now_s: float) -> None:
        """Obey an NMT command.

        Args:
            command: The command.
            now_s: Monotonic time [s].
        """
        if not self.heard:
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
        for pdo in (*self.rpdos, *self.tpdos):
            pdo.configure()
        self._refresh()
        self.state = NmtState.INITIALISING
        self._boot_due_s = now_s + self._boot_time_s
        self._beat_due_s = None

    def _enter(self, state: NmtState) -> None:
        if state is self.state:
            return
        was_operational = self.state is NmtState.OPERATIONAL
        self.state = state
        if state is NmtState.OPERATIONAL:
            for pdo in self.tpdos:
                pdo.start()
        elif was_operational:
            for pdo in self.rpdos:
                pdo.stop()
        if state is NmtState.STOPPED:  # CiA 402-2: a stopped node has lost its connection
            self._leave_connection()
        else:
            self.drive.recover(CONNECTION_ABORTED)

    def _leave_connection(self) -> None:
        """Act as 6007h says when the master itself ends it; a drive at rest has nothing to do."""
        if self.drive.state in POWERED:
            self.drive.abort_connection(CONNECTION_ABORTED, COMMUNICATION_REGISTER)

    # -- frames ---------------------------------------------------------------------------------

    def listens_to(self) -> frozenset[int]:
        """Return the identifiers below 700h that mean something to this node."""
        return frozenset((0, self._sdo_id, self._sync_id, *self._rpdo_of))

    def _refresh(self) -> None:
        """Look up again what SDO writes may have changed, so that the cycle need not."""
        for pdo in (*self.rpdos, *self.tpdos):
            pdo.refresh()
        self._sync_id = self.store.values[0x1005, 0]
        self._rpdo_of = {pdo.cob_id: pdo for pdo in self.rpdos if pdo.cob_id is not None}
        existing = [pdo for pdo in self.tpdos if pdo.cob_id is not None]
        self._sync_tpdos = [pdo for pdo in existing if not pdo.event_driven]
        self._event_tpdos = [pdo for pdo in existing if pdo.event_driven]
        self._watched = [pdo for pdo in self.rpdos if pdo.deadline.time_s > 0.0]
        self._changed()

    def receive(self, can_id: int, data: bytes, now_s: float) -> None:
        """Take a frame from the bus.

        Args:
            can_id: Identifier.
            data: Bytes.
            now_s: Monotonic time at which the frame is complete [s].
        """
        self._now_s = now_s
        if can_id == 0:
            self._receive_nmt(data, now_s)
        elif not self.heard:
            return
        elif can_id == self._sdo_id:
            if self.state is not NmtState.STOPPED:
                answer = self._sdo.request(data)
                self._refresh()
                if answer is not None:
                    self._send(0x580 + self.node_id, answer)
        elif 0x700 < can_id < 0x780 and len(data) == 1:
            if self._consumers.hear(can_id - 0x700, now_s):
                self.drive.recover(HEARTBEAT_LOST)
        elif self.state is NmtState.OPERATIONAL:
            self._receive_process_data(can_id, data, now_s)
        self.poll(now_s)

    def _receive_nmt(self, data: bytes, now_s: float) -> None:
        if len(data) == 2 and data[1] in (0, self.node_id):
            try:
                self.command(NmtCommand(data[0]), now_s)
            except ValueError:
                return  # CiA 301 leaves other numbers without meaning

    def _receive_process_data(self, can_id: int, data: bytes, now_s: float) -> None:
        if can_id == self._sync_id:
            for pdo in self.rpdos:
                pdo.on_sync()
            for pdo in self._sync_tpdos:
                self._send_pdo(pdo.cob_id, pdo.on_sync(now_s))
            return
        pdo = self._rpdo_of.get(can_id)
        if pdo is not None:
            error = pdo.receive(data, now_s)
            if error:
                self.drive.report(error, COMMUNICATION_REGISTER)
            elif self.drive.errors:
                self._recover_rpdo()

    def _recover_rpdo(self) -> None:
        for code in (RPDO_TIMEOUT, 0x8210, 0x8220):
            self.drive.recover(code)

    def _send_pdo(self, cob_id: int | None, data: bytes | None) -> None:
        if cob_id is not None and data is not None:
            self._send(cob_id, data)

    # -- heartbeat --------------------------------------------------------------------------------

    def _write_producer(self, value: int) -> None:
        self._beat_due_s = self._now_s if value else None

    # -- time -------------------------------------------------------------------------------------

    def poll(self, now_s: float) -> None:
        """Do what is due: boot-up, heartbeat, watchdogs, emergencies, event-driven TPDOs.

        Args:
            now_s: Monotonic time [s].
        """
        self._now_s = now_s
        if self._boot_due_s is not None and now_s >= self._boot_due_s:
            self._boot_due_s = None
            self.state = NmtState.PRE_OPERATIONAL
            self._send(0x700 + self.node_id, b"\x00")
        if not self.heard:
            return
        if self._consumers.running or self._watched:
            self._watch(now_s)
        if self.drive.emergencies:
            for emergency in self.drive.take_emergencies():
                self._emergency(emergency.code, emergency.register)
        if self._beat_due_s is not None and now_s >= self._beat_due_s:
            self._send(0x700 + self.node_id, bytes((self.state.value,)))
            period_s = 1e-3 * self.store.values[0x1017, 0]
            late = now_s - self._beat_due_s > period_s
            self._beat_due_s = now_s + period_s if late else self._beat_due_s + period_s
        if self.state is NmtState.OPERATIONAL:
            for pdo in self._event_tpdos:
                self._send_pdo(pdo.cob_id, pdo.on_time(now_s))

    def _watch(self, now_s: float) -> None:
        for _ in range(self._consumers.lost(now_s)):
            self.drive.abort_connection(HEARTBEAT_LOST, COMMUNICATION_REGISTER)
            self._error_behaviour()
        if self.state is NmtState.OPERATIONAL:
            for pdo in self._watched:
                if pdo.deadline.expired(now_s):
                    self.drive.abort_connection(RPDO_TIMEOUT, COMMUNICATION_REGISTER)

    def _error_behaviour(self) -> None:
        """Leave OPERATIONAL as 1029h sub 1 says: 0 pre-operational, 1 stay, 2 stopped."""
        behaviour = self.store.values[0x1029, 1]
        if behaviour == 0 and self.state is NmtState.OPERATIONAL:
            self._enter(NmtState.PRE_OPERATIONAL)
        elif behaviour == 2:
            self._enter(NmtState.STOPPED)

    # -- emergencies ------------------------------------------------------------------------------

    def _emergency(self, code: int, register: int) -> None:
        if code:
            self._history.add(code)
        if self.state is not NmtState.STOPPED:
            self._send(0x80 + self.node_id, struct.pack("<HB5x", code, register))
