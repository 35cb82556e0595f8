"""Age of the values of six drives, from the time stamps that the drives send with them.

A drive samples its values at SYNC, and its time stamp (CiA 301, 1013h, or manufacturer-specific)
shows to which SYNC a frame belongs, however late it arrives. The first stamp that arrives is that
of the first SYNC that was sent: drives send nothing before. From then on the two clocks are
compared by their slopes only. The drive's clock runs a little faster or slower, so each stamp is
matched with its SYNC, and the offset of the clocks follows the residual by a small share. A
late frame belongs to an earlier SYNC: it does not change the offset, so a slowly growing delay is
never mistaken for the normal one.

Stamps wrap around: only differences are used, modulo the range of the object. A stamp that
stops, jumps or is random gives an age that is too large, or negative. A counter of SYNCs is
a clock whose seconds are cycles. Reads no clock.
"""

from collections import deque

from drives.types.drive_type import Stamp
from hil_common.legs import LEG_COUNT, SixFloats

SYNCS_KEPT = 64
"""Number of SYNCs among which that of a stamp is searched for."""
SHARE = 1.0 / 32.0
"""Share of a stamp's residual by which the offset of the clocks is corrected."""
SETTLE_STAMPS = 32
"""Number of stamps averaged for the first offset, because the first frames may be delayed."""
_NAN = float("nan")


class _DriveClock:
    """Model of the clock of one drive, from its stamps.

    Args:
        tick_s: One unit of the stamp [s].
        wrap_s: Time after which it wraps around [s].
        near_s: Residual of a stamp above which it does not correct the offset [s].
    """

    __slots__ = ("_count", "_near_s", "_number", "_offset_s", "_raw", "_tick_s", "_wrap_s", "taken")

    def __init__(self, tick_s: float, wrap_s: float, near_s: float) -> None:
        self._tick_s, self._wrap_s, self._near_s = tick_s, wrap_s, near_s
        self._offset_s, self._count = 0.0, 0
        self._raw, self._number = 0, 0
        self.taken = _NAN
        """Time at which the values of its newest stamp were sampled [s]; NaN before the first."""

    def take(self, raw: int, syncs: deque[float], first_s: float, newest: int) -> None:
        """Take in a stamp.

        Args:
            raw: The stamp.
            syncs: Times of the last SYNCs, the newest last [s].
            first_s: Time of the very first SYNC [s].
            newest: Number of the newest SYNC, counted from 0.
        """
        stamp_s = raw * self._tick_s
        if not self._count:
            self._offset_s, self._raw = stamp_s - first_s, raw
        newest_s = syncs[-1]
        taken_s = newest_s - self._wrapped(self._offset_s + newest_s - stamp_s)
        self.taken = taken_s
        number, rest_s = self._match(raw, taken_s, syncs, newest)
        settling = self._count < SETTLE_STAMPS
        if settling or -self._near_s <= rest_s <= self._near_s:
            self._count += 1
            share = 1.0 / self._count if settling else SHARE
            self._offset_s = (self._offset_s + share * rest_s) % self._wrap_s
        self._raw, self._number = raw, number

    def _wrapped(self, span_s: float) -> float:
        half_s = 0.5 * self._wrap_s
        return (span_s + half_s) % self._wrap_s - half_s

    def _match(
        self, raw: int, taken_s: float, syncs: deque[float], newest: int
    ) -> tuple[int, float]:
        """Return the number of the SYNC of a stamp, and the time from that SYNC to the stamp [s].

        A newer stamp belongs to a later SYNC than the last one, the same stamp to the same SYNC.
        """
        oldest, last = newest - len(syncs) + 1, self._number
        step_s = self._wrapped((raw - self._raw) * self._tick_s)
        if step_s > 0.0 or not self._count:
            low, high = min(last + 1, newest) if self._count else oldest, newest
        else:
            low, high = (last, last) if step_s == 0.0 else (oldest, last - 1)
        numbers = range(max(low, oldest), max(high, oldest) + 1)
        number = min(numbers, key=lambda each: abs(syncs[each - oldest] - taken_s))
        return number, taken_s - syncs[number - oldest]


class StampClocks:
    """The clocks of six drives, and the SYNCs at which they sample their values.

    Args:
        stamp: Description of the drives' time stamp.
    """

    def __init__(self, stamp: Stamp, period_s: float) -> None:
        tick_s = stamp.tick_s or period_s
        wrap_s = 2 ** (8 * stamp.data_bytes) * tick_s
        self._counts, self._period_s = not stamp.tick_s, period_s
        self._clocks = tuple(_DriveClock(tick_s, wrap_s, period_s) for _ in range(LEG_COUNT))
        self._syncs: deque[float] = deque(maxlen=SYNCS_KEPT)
        self._first_s = 0.0
        self._newest = -1

    def sync(self, sent_s: float) -> None:
        """Note that SYNC is sent at this time [s]."""
        self._newest += 1
        at_s = self._newest * self._period_s if self._counts else sent_s
        if not self._newest:
            self._first_s = at_s
        self._syncs.append(at_s)

    def take(self, leg: int, raw: int) -> None:
        """Take in a stamp.

        Args:
            leg: Index of the leg.
            raw: The unsigned stamp.
        """
        if self._syncs:
            self._clocks[leg].take(raw, self._syncs, self._first_s, self._newest)

    def ages_s(self) -> SixFloats:
        """Return the age of each drive's values relative to the newest SYNC [s]."""
        newest_s = self._syncs[-1] if self._syncs else 0.0
        a, b, c, d, e, f = (newest_s - clock.taken for clock in self._clocks)
        return (a, b, c, d, e, f)
