"""Process data of a slave: mapping, transmission types, timers (CiA 301, 7.2.2 and 7.5.2.35-38)."""

import struct
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from object_dictionary import (
    CANNOT_BE_MAPPED,
    INVALID_VALUE,
    NOT_IN_THIS_STATE,
    PDO_TOO_LONG,
    AbortError,
    ObjectDictionary,
)

INVALID = 1 << 31
"""Bit of a COB-ID: the PDO does not exist."""
RPDO, RPDO_MAP, TPDO, TPDO_MAP = 0x1400, 0x1600, 0x1800, 0x1A00
DUMMIES = range(2, 8)
"""Indices of types that may stand in an RPDO's mapping and do nothing."""
RPDO_TIMEOUT = 0x8250
"""EMCY code (CiA 301, table 26)."""


@dataclass(slots=True)
class Channel:
    """What one PDO remembers."""

    pending: bytes | None = None
    seen_s: float | None = None
    syncs: int = 0
    sent_s: float = -1.0
    sent: bytes | None = None
    expired: bool = False


class PdoChannels:
    """All PDOs of a slave.

    Args:
        dictionary: the slave's objects.
        counts: how many RPDOs and TPDOs it has.
        entries: objects in one mapping at most.
        send: gets a COB-ID and data.
        delay_syncs: frames are sent so many SYNCs after they were sampled.
    """

    def __init__(
        self,
        dictionary: ObjectDictionary,
        counts: tuple[int, int],
        entries: int,
        send: Callable[[int, bytes], None],
        *,
        delay_syncs: int = 0,
    ) -> None:
        self._objects = dictionary
        self._entries = entries
        self._send = send
        self._rpdos = [Channel() for _ in range(counts[0])]
        self._tpdos = [Channel() for _ in range(counts[1])]
        self._delayed: list[list[tuple[int, bytes]]] = []
        self._delay_syncs = delay_syncs
        self.operational = False
        self.only_before_operational = False
        """Mapping and COB-IDs can be changed in PRE-OPERATIONAL only."""
        dictionary.guards.append(self._guard)

    # --- configuration --------------------------------------------------------------------------

    def _guard(self, index: int, sub: int, value: int) -> None:
        if 0x1400 <= index < 0x1600 or 0x1800 <= index < 0x1A00:
            self._refuse_when_operational()
            self._guard_parameter(index, sub, value)
        elif 0x1600 <= index < 0x1800 or 0x1A00 <= index < 0x1C00:
            self._refuse_when_operational()
            self._guard_mapping(index, sub, value)

    def _refuse_when_operational(self) -> None:
        if self.operational and self.only_before_operational:
            raise AbortError(NOT_IN_THIS_STATE)

    def _guard_parameter(self, index: int, sub: int, value: int) -> None:
        cob = self._objects.number(index, 1)
        if sub == 1 and not (cob | value) & INVALID and (cob ^ value) & 0x7FF:
            raise AbortError(INVALID_VALUE)  # a valid PDO keeps its identifier
        if sub == 1 and index < TPDO and value & 1 << 29:
            raise AbortError(INVALID_VALUE)  # 29-bit identifiers are not supported
        if sub == 2 and 240 < value < (254 if index < TPDO else 252):
            raise AbortError(INVALID_VALUE)
        if sub == 3 and not cob & INVALID:
            raise AbortError(INVALID_VALUE)  # the inhibit time of a valid PDO stays

    def _guard_mapping(self, index: int, sub: int, value: int) -> None:
        parameter = index - (RPDO_MAP - RPDO)
        if not self._objects.number(parameter, 1) & INVALID:
            raise AbortError(NOT_IN_THIS_STATE)
        if sub == 0:
            if value > self._entries:
                raise AbortError(PDO_TOO_LONG)
            entries = [self._objects.number(index, each + 1) for each in range(value)]
            for entry in entries:
                self._check_entry(index, entry)
            if sum(entry & 0xFF for entry in entries) > 64:
                raise AbortError(PDO_TOO_LONG)
        else:
            if self._objects.number(index, 0):
                raise AbortError(NOT_IN_THIS_STATE)
            if value:
                self._check_entry(index, value)

    def _check_entry(self, index: int, entry: int) -> None:
        at, sub, bits = entry >> 16, entry >> 8 & 0xFF, entry & 0xFF
        if index < TPDO and at in DUMMIES and not sub:
            return
        row = self._objects.rows.get((at, sub))
        if row is None or not row.mapped or bits != 8 * row.size:
            raise AbortError(CANNOT_BE_MAPPED)
        if row.access == ("ro" if index < TPDO else "wo"):
            raise AbortError(CANNOT_BE_MAPPED)

    # --- operation ------------------------------------------------------------------------------

    def start(self) -> None:
        """NMT operational: timers begin with the first PDO."""
        self.operational = True
        self._delayed.clear()
        for channel in (*self._rpdos, *self._tpdos):
            channel.pending, channel.seen_s, channel.sent_s = None, None, -1.0
            channel.syncs, channel.sent, channel.expired = 0, None, False

    def stop(self) -> None:
        self.operational = False

    def receive(self, can_id: int, data: bytes, now_s: float) -> bool:
        """Take a frame that may be one of the RPDOs; True if it was."""
        took = False
        for number, channel in enumerate(self._rpdos):
            cob = self._objects.number(RPDO + number, 1, INVALID)
            if not self.operational or cob & INVALID or cob & 0x7FF != can_id:
                continue
            took = True
            if len(data) < self._length(RPDO_MAP + number):
                continue  # EMCY 8210h in a drive that tells it
            channel.seen_s, channel.expired = now_s, False
            if self._objects.number(RPDO + number, 2) <= 240:
                channel.pending = data
            else:
                self._apply(number, data)
        return took

    def _length(self, index: int) -> int:
        count = self._objects.number(index, 0)
        return sum(self._objects.number(index, n + 1) & 0xFF for n in range(count)) // 8

    def _apply(self, number: int, data: bytes) -> None:
        at = 0
        index = RPDO_MAP + number
        for each in range(self._objects.number(index, 0)):
            entry = self._objects.number(index, each + 1)
            size = (entry & 0xFF) // 8
            if entry >> 16 not in DUMMIES:
                row = self._objects.rows[entry >> 16, entry >> 8 & 0xFF]
                (value,) = struct.unpack("<" + row.code, data[at : at + size])
                with suppress(AbortError):  # a PDO has no answer: what is out of range is lost
                    self._objects.write(entry >> 16, entry >> 8 & 0xFF, value)
            at += size

    def sync(self, now_s: float) -> None:
        """A SYNC: take what was received, send what is due."""
        if not self.operational:
            return
        for number, channel in enumerate(self._rpdos):
            if channel.pending is not None:
                data, channel.pending = channel.pending, None
                self._apply(number, data)
        frames = []
        for number, channel in enumerate(self._tpdos):
            cob = self._objects.number(TPDO + number, 1, INVALID)
            kind = self._objects.number(TPDO + number, 2)
            if cob & INVALID or kind > 240:
                continue
            channel.syncs += 1
            data = self._sample(number)
            due = data != channel.sent if kind == 0 else channel.syncs >= kind
            if due:
                channel.syncs, channel.sent = 0, data
                frames.append((cob & 0x7FF, data))
        self._delayed.append(frames)
        if len(self._delayed) > self._delay_syncs:
            for cob, data in self._delayed.pop(0):
                self._send(cob, data)

    def _sample(self, number: int) -> bytes:
        index = TPDO_MAP + number
        entries = (self._objects.number(index, n + 1) for n in range(self._objects.number(index)))
        return b"".join(
            self._objects.rows[entry >> 16, entry >> 8 & 0xFF].bytes() for entry in entries
        )

    def advance(self, now_s: float) -> int:
        """Event-driven TPDOs and event timers; an EMCY code if an RPDO stays away, else 0."""
        if not self.operational:
            return 0
        for number, channel in enumerate(self._tpdos):
            cob = self._objects.number(TPDO + number, 1, INVALID)
            if not cob & INVALID and self._objects.number(TPDO + number, 2) >= 254:
                self._send_event(number, channel, cob & 0x7FF, now_s)
        return self._overdue(now_s)

    def _send_event(self, number: int, channel: Channel, cob: int, now_s: float) -> None:
        since_s = now_s - channel.sent_s
        if since_s < self._objects.number(TPDO + number, 3) * 1e-4:
            return
        timer_s = self._objects.number(TPDO + number, 5) * 1e-3
        data = self._sample(number)
        if data != channel.sent or (timer_s and since_s >= timer_s):
            channel.sent, channel.sent_s = data, now_s
            self._send(cob, data)

    def _overdue(self, now_s: float) -> int:
        for number, channel in enumerate(self._rpdos):
            timer_s = self._objects.number(RPDO + number, 5) * 1e-3
            if not timer_s or channel.seen_s is None or channel.expired:
                continue
            if self._objects.number(RPDO + number, 1, INVALID) & INVALID:
                continue
            if now_s - channel.seen_s > timer_s:
                channel.expired = True
                return RPDO_TIMEOUT
        return 0
