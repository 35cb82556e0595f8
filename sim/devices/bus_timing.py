"""Time on a CAN bus: how long a frame takes, and who may send when several want to.

A classic frame with an 11-bit identifier and n bytes has 47 + 8n bits with the interframe space;
stuffing adds at most floor((34 + 8n - 1) / 4) (ISO 11898-1, CRC and stuffing rules). Frames that
wait at the same time go by priority: the lowest identifier first; each sender's own order stays.

Not modelled: error frames and repetitions, the true number of stuff bits, 29-bit identifiers.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from heapq import heappop, heappush

MASTER = -1
"""Sender number of the master behind the adapter."""


def frame_bits(size: int) -> int:
    """Return the worst-case length of a frame on the bus [bit].

    Args:
        size: Number of data bytes, 0 to 8.
    """
    return 47 + 8 * size + (34 + 8 * size - 1) // 4


@dataclass(frozen=True, slots=True)
class Transfer:
    """A frame that was on the bus.

    Attributes:
        can_id: Identifier.
        data: Bytes.
        sender: Node index, or `MASTER`.
        done_s: Monotonic time at which its last bit was over [s].
    """

    can_id: int
    data: bytes
    sender: int
    done_s: float


class BusTiming:
    """One bus: frames wait, are sent one at a time, and are over after their bit time.

    Args:
        bitrate: [bit/s]; None for frames that take no time.
        master_depth: Frames of the master that wait at most, as in an adapter's buffer.
    """

    def __init__(self, bitrate: int | None, master_depth: int = 256) -> None:
        self._bit_s = 0.0 if bitrate is None else 1.0 / bitrate
        self._depth = master_depth
        self._master: deque[tuple[int, bytes, float]] = deque()
        self._nodes: list[tuple[int, int, bytes, int, float]] = []
        self._number = 0
        self._current: Transfer | None = None
        self._free_s = 0.0
        self.busy_s = 0.0
        """Time during which the bus was occupied so far [s]."""

    def offer(self, can_id: int, data: bytes, sender: int, now_s: float) -> bool:
        """Let a frame wait for the bus.

        Args:
            can_id: Identifier.
            data: Bytes.
            sender: Node index, or `MASTER`.
            now_s: Monotonic time [s].

        Returns:
            False if the master's buffer is full and the frame is lost.
        """
        if sender == MASTER:
            if len(self._master) >= self._depth:
                return False
            self._master.append((can_id, data, now_s))
        else:
            self._number += 1
            heappush(self._nodes, (can_id, self._number, data, sender, now_s))
        return True

    def due_s(self) -> float | None:
        """Return when the frame on the bus is over, or None while nothing is sent."""
        if self._current is None:
            self._arbitrate()
        return None if self._current is None else self._current.done_s

    def finish(self, now_s: float) -> Transfer | None:
        """Return the next frame that is over by now, oldest first, or None.

        Args:
            now_s: Monotonic time [s].
        """
        if self._current is None:
            self._arbitrate()
        current = self._current
        if current is None or current.done_s > now_s:
            return None
        self._current = None
        return current

    def clear(self) -> None:
        """Lose all frames that wait or are being sent."""
        self._master.clear()
        self._nodes.clear()
        self._current = None

    def _arbitrate(self) -> None:
        """Give an idle bus to the frame that comes first, and among equals to the lowest."""
        if not self._master and not self._nodes:
            return
        master = self._master[0] if self._master else None
        node = self._nodes[0] if self._nodes else None
        since = min(item[-1] for item in (master, node) if item is not None)
        start_s = max(since, self._free_s)
        if node is None or (
            master is not None
            and master[2] <= start_s
            and (master[0] < node[0] or node[4] > start_s)
        ):
            assert master is not None  # noqa: S101  (one of the two is there)
            can_id, data, sender = master[0], master[1], MASTER
            self._master.popleft()
        else:
            can_id, _, data, sender, _ = heappop(self._nodes)
        duration_s = frame_bits(len(data)) * self._bit_s
        self._free_s = start_s + duration_s
        self.busy_s += duration_s
        self._current = Transfer(can_id, data, sender, self._free_s)
