"""One node of the network: NMT, error control, EMCY, SDO and PDO around a drive (CiA 301)."""

import struct
from collections import deque
from collections.abc import Callable

from drive402 import Drive402
from object_dictionary import INCOMPATIBLE, AbortError, ObjectDictionary, Row
from pdo_channels import PdoChannels
from sdo_server import SdoServer

STOPPED, OPERATIONAL, PRE_OPERATIONAL = 4, 5, 127
HEARTBEAT_OR_GUARD_ERROR, SYNC_ERROR = 0x8130, 0x8700
"""EMCY codes of CiA 301, table 26."""
SYNC_ID = 0x080


class CanopenSlave:
    """A node on the bus.

    Args:
        node: its id.
        objects: its dictionary.
        drive: behind it.
        send: gets a COB-ID and the data of each frame.
        pdos: RPDOs and TPDOs that it has.
        entries: objects in one mapping.
    """

    def __init__(
        self,
        node: int,
        objects: ObjectDictionary,
        drive: Drive402,
        send: Callable[[int, bytes], None],
        pdos: tuple[int, int] = (4, 4),
        entries: int = 8,
    ) -> None:
        self.node = node
        self.objects = objects
        self.drive = drive
        self.errors: list[int] = []
        """EMCY codes since the last look."""
        self._send = send
        self._habits = drive.habits
        self._sdo = SdoServer(objects, size_told=drive.habits.sdo_size_told, busy=drive.habits.busy)
        self._pdo = PdoChannels(
            objects, pdos, entries, send, delay_syncs=drive.habits.feedback_delay_syncs
        )
        self._pdo.only_before_operational = drive.habits.mapping_before_operational
        self._power_on = {
            key: row.value for key, row in objects.rows.items() if row.access in ("rw", "wo")
        }
        objects.guards.append(self._guard_consumers)
        objects.written.append(self._written)
        self.state: int | None = None
        self._boots_at_s: float | None = None
        self._answers: deque[tuple[float, bytes]] = deque()
        self._producer_s = 0.0
        self._heard_s: dict[int, float | None] = {}
        self._guarded_s: float | None = None
        self._guard_toggle = 0
        self._sync_s: float | None = None
        self._clock_s = 0.0
        self._fallen = False
        if self._habits.stamp:
            objects.rows[self._habits.stamp, 0] = Row(
                "I", access="ro", mapped=True, live=self._own_time
            )

    def _own_time(self) -> int:
        """Microseconds of a quartz of its own, which wraps around ten seconds after power-up."""
        return int((self._clock_s + 4284.967296) * (1e6 + 30 * self.node)) & 0xFFFF_FFFF

    # --- life of a node -------------------------------------------------------------------------

    def power_on(self, now_s: float) -> None:
        """Begin to boot."""
        self.state, self._boots_at_s = None, now_s + self._habits.boot_s
        self._pdo.stop()
        self._answers.clear()
        self._heard_s.clear()
        self._guarded_s = self._sync_s = None

    def _reset(self, now_s: float, *, application: bool) -> None:
        """NMT reset: power-on values again, and the boot-up message."""
        for key, value in self._power_on.items():
            if application or key[0] < 0x2000:
                self.objects.rows[key].value = value
        if application:
            self.drive.reset()
        self.power_on(now_s)

    def _boot(self, now_s: float) -> None:
        self.state, self._boots_at_s, self._guard_toggle = PRE_OPERATIONAL, None, 0
        self._producer_s = now_s
        self._send(0x700 + self.node, b"\0")

    def _enter(self, state: int) -> None:
        if state == self.state:
            return
        self.state = state
        if state == OPERATIONAL:
            self._sync_s = None
            self._guarded_s = self._clock_s if self._habits.guards_at_once else self._guarded_s
            self._pdo.start()
        else:
            self._pdo.stop()

    def _fall(self) -> None:
        """Leave OPERATIONAL once, under power, if that is this slave's way."""
        falls_s = self._habits.falls_s
        if falls_s and not self._fallen and self.drive.enabled_s > falls_s:
            self._fallen = True
            self._enter(PRE_OPERATIONAL)

    # --- frames ---------------------------------------------------------------------------------

    def receive(self, can_id: int, data: bytes, now_s: float, *, remote: bool = False) -> None:
        """A frame from the bus."""
        self._clock_s = now_s
        if self.state is None:
            return
        if remote:
            if can_id == 0x700 + self.node:
                self._guard(now_s)
        elif can_id == 0 and len(data) >= 2 and data[1] in (0, self.node):
            self._command(data[0], now_s)
        elif can_id == SYNC_ID:
            if self.state == OPERATIONAL:
                self._sync_s = now_s
                self._pdo.sync(now_s)
        elif can_id == 0x600 + self.node and self.state != STOPPED:
            answer = self._sdo.answer(data)
            if answer is not None:
                self._answers.append((now_s + self._habits.sdo_delay_s, answer))
        elif self._pdo.receive(can_id, data, now_s):
            pass
        elif 0x700 < can_id < 0x780:
            for sub in (1, 2, 3, 4):
                if self.objects.number(0x1016, sub) >> 16 & 0x7F == can_id - 0x700:
                    self._heard_s[sub] = now_s

    def _command(self, command: int, now_s: float) -> None:
        match command:
            case 1:
                self._enter(OPERATIONAL)
            case 2:
                self._enter(STOPPED)
            case 128:
                self._enter(PRE_OPERATIONAL)
            case 129 | 130:
                self._reset(now_s, application=command == 129)

    def _guard(self, now_s: float) -> None:
        """A guard request: answer the state, and be guarded from now on (CiA 301, 7.2.8.2.2)."""
        assert self.state is not None
        if self.objects.number(0x1017) or not self.objects.has(0x100C):
            return
        self._send(0x700 + self.node, bytes([self._guard_toggle | self.state]))
        self._guard_toggle ^= 0x80
        self._guarded_s = now_s

    # --- time -----------------------------------------------------------------------------------

    def advance(self, now_s: float) -> None:
        """Everything that happens by itself."""
        if self.state is None:
            if self._boots_at_s is not None and now_s >= self._boots_at_s:
                self._boot(now_s)
            return
        while self._answers and self._answers[0][0] <= now_s:
            self._send(0x580 + self.node, self._answers.popleft()[1])
        self._produce(now_s)
        self._fall()
        lost = self._pdo.advance(now_s) or self._unheard(now_s) or self._without_sync(now_s)
        if lost:
            self._connection_lost(lost)
        while self.drive.news:
            self._emergency(self.drive.news.pop(0))

    def _produce(self, now_s: float) -> None:
        period_s = self.objects.number(0x1017) * 1e-3
        if period_s and now_s - self._producer_s >= period_s:
            assert self.state is not None
            self._producer_s = max(self._producer_s + period_s, now_s - period_s)
            self._send(0x700 + self.node, bytes([self.state]))

    def _unheard(self, now_s: float) -> int:
        for sub, heard_s in self._heard_s.items():
            limit_s = (self.objects.number(0x1016, sub) & 0xFFFF) * 1e-3
            if heard_s is not None and limit_s and now_s - heard_s > limit_s:
                self._heard_s[sub] = None
                return HEARTBEAT_OR_GUARD_ERROR
        life_s = self.objects.number(0x100C) * self.objects.number(0x100D) * 1e-3
        if self._guarded_s is not None and life_s and now_s - self._guarded_s > life_s:
            self._guarded_s = None
            return HEARTBEAT_OR_GUARD_ERROR
        return 0

    def _without_sync(self, now_s: float) -> int:
        cycles = self._habits.sync_timeout_cycles
        period_s = self.objects.number(0x1006) * 1e-6
        if not period_s and self.objects.has(0x60C2, 1):
            exponent = self.objects.number(0x60C2, 2, -3)
            period_s = self.objects.number(0x60C2, 1) * 10.0**exponent
        if self.state != OPERATIONAL or not cycles or not period_s or self._sync_s is None:
            return 0
        if now_s - self._sync_s > cycles * period_s:
            self._sync_s = None
            return SYNC_ERROR
        return 0

    def _connection_lost(self, code: int) -> None:
        self.drive.connection_lost(code)
        reaction = self.objects.number(0x1029, 1, 0)
        if self.state == OPERATIONAL and reaction == 0:
            self._enter(PRE_OPERATIONAL)
        elif reaction == 2:
            self._enter(STOPPED)

    def _emergency(self, code: int) -> None:
        register = 0 if not code else 0x11 if 0x8100 <= code < 0x8300 else 0x21
        if code:
            self.errors.append(code)
            self._remember(code)
        if self.objects.has(0x1001):
            self.objects.rows[0x1001, 0].value = register
        if self.state != STOPPED:
            self._send(0x80 + self.node, struct.pack("<HB5x", code, register))

    def _remember(self, code: int) -> None:
        if not self.objects.has(0x1003):
            return
        count = self.objects.number(0x1003)
        for sub in range(min(count + 1, 8), 1, -1):
            self.objects.rows[0x1003, sub].value = self.objects.number(0x1003, sub - 1)
        self.objects.rows[0x1003, 1].value = code
        self.objects.rows[0x1003, 0].value = min(count + 1, 8)

    def _written(self, index: int, sub: int, value: int) -> None:
        """A consumer that is set anew begins with the next heartbeat; so does life guarding."""
        if index == 0x1016:
            self._heard_s.pop(sub, None)
        elif index in (0x100C, 0x100D):
            self._guarded_s = None

    def _guard_consumers(self, index: int, sub: int, value: int) -> None:
        """No two entries of 1016h watch one node (CiA 301, 7.5.2.14)."""
        if index != 0x1016 or not sub or not value & 0xFFFF:
            return
        for other in (1, 2, 3, 4):
            entry = self.objects.number(0x1016, other)
            if other != sub and entry & 0xFFFF and entry >> 16 == value >> 16:
                raise AbortError(INCOMPATIBLE)
