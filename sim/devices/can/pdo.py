"""Process data objects of one node: when they are sent, and the effect of a received one.

CiA 301, clause "Process data object (PDO)". Transmission types: 0 (with SYNC, after a change), 1 to
240 (every nth SYNC), 254 and 255 (on change, and by event timer, at most once per inhibit time).
For RPDOs: up to 240 acts at the next SYNC, 254 and 255 at once; the event timer supervises the
reception.

Not modelled: remote transmission requests (252, 253), a window for synchronous PDOs (1007h).
"""

from __future__ import annotations

import math
from collections.abc import Callable

from sim.devices.can.object_store import ObjectStore
from sim.devices.can.pdo_settings import LAST_SYNC_TYPE, Pdo
from sim.devices.drive.watchdogs import Deadline


class ReceivePdo(Pdo):
    """One RPDO: data wait for SYNC or act at once; `deadline` supervises the reception."""

    def __init__(self, store: ObjectStore, number: int, may_change: Callable[[], bool]) -> None:
        self.deadline: Deadline = Deadline()
        self.waiting: bytes | None = None
        """Received data that wait for SYNC."""
        self._writers: tuple[Callable[[int], None], ...] = ()
        super().__init__(store, number, True, may_change)
        store.on_write[self.comm, 5] = self._write_event

    def bind(self, keys: tuple[tuple[int, int], ...]) -> None:
        """Look up the functions that write the mapped objects."""
        self._writers = tuple(self._store.writer(*key) for key in keys)

    def configure(self) -> None:
        """Read the mapping and the event timer again."""
        super().configure()
        self.waiting = None
        self.deadline.set_time(self.event_s)

    def refresh(self) -> None:
        """Read the communication parameters again; drop waiting data that need no SYNC any more."""
        super().refresh()
        if self.event_driven:
            self.waiting = None

    def _write_event(self, value: int) -> None:
        self.deadline.set_time(1e-3 * value)

    def receive(self, data: bytes, now_s: float) -> int:
        """Take a frame.

        Args:
            data: Its bytes; more than mapped are cut off.

        Returns:
            0, or the emergency code of CiA 301 for a wrong length: 8210h too short and not used,
            8220h too long.
        """
        size = self.layout.size
        if len(data) < size:
            return 0x8210
        self.deadline.received(now_s)
        if self.event_driven:
            self._apply(data)
        else:
            self.waiting = data
        return 0x8220 if len(data) > size else 0

    def on_sync(self) -> None:
        """Let data that waited for SYNC act."""
        if self.waiting is not None:
            data, self.waiting = self.waiting, None
            self._apply(data)

    def stop(self) -> None:
        """Forget waiting data, because the node left OPERATIONAL."""
        self.waiting = None
        self.deadline.stop()

    def _apply(self, data: bytes) -> None:
        values = self.layout.unpack_from(data)
        for write, value in zip(self._writers, values):  # noqa: B905  (made equally long by bind)
            write(value)


class TransmitPdo(Pdo):
    """TPDO: when it is due, and its data."""

    def __init__(self, store: ObjectStore, number: int, may_change: Callable[[], bool]) -> None:
        self._readers: tuple[Callable[[], int], ...] = ()
        self._last: bytes | None = None
        self._values: list[int] | None = None
        self._sent_s = 0.0
        self._quiet_until_s = -math.inf
        self._syncs = 0
        super().__init__(store, number, False, may_change)

    def bind(self, keys: tuple[tuple[int, int], ...]) -> None:
        """Look up the functions that read the mapped objects."""
        self._readers = tuple(self._store.reader(*key) for key in keys)

    def start(self) -> None:
        """Start over, because the node became OPERATIONAL."""
        self._last = self._values = None
        self._quiet_until_s = -math.inf
        self._syncs = 0

    def on_sync(self, now_s: float) -> bytes | None:
        """Return the data to send with this SYNC, or None."""
        kind = self.transmission_type
        if kind > LAST_SYNC_TYPE or self.cob_id is None:
            return None
        self._syncs += 1
        if self._syncs < kind:
            return None
        self._syncs = 0
        data = self._pack()
        if kind == 0 and data == self._last:
            return None
        self._last, self._sent_s = data, now_s
        return data

    def on_time(self, now_s: float) -> bytes | None:
        """Return the data of an event-driven PDO that changed or whose timer ran out, or None."""
        if now_s < self._quiet_until_s or not self.event_driven or self.cob_id is None:
            return None
        values = [read() for read in self._readers]
        if values == self._values:
            event_s = self.event_s
            if event_s == 0.0 or now_s < self._sent_s + event_s - 1e-9:
                return None
        self._values, self._sent_s = values, now_s
        self._quiet_until_s = now_s + self.inhibit_s - 1e-9
        return self.layout.pack(*values)

    def _pack(self) -> bytes:
        return self.layout.pack(*[read() for read in self._readers])
