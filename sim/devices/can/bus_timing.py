"""Time on a CAN bus: duration of a frame, and arbitration between senders.

A classic frame with an 11-bit identifier and n bytes has 47 + 8n bits with the interframe space;
stuffing adds at most floor((34 + 8n - 1) / 4) (ISO 11898-1, CRC and stuffing rules). Frames that
wait at the same time go by priority: the lowest identifier first; each sender's own order stays.

Not modelled: error frames and repetitions, the true number of stuff bits, 29-bit identifiers.
"""

from __future__ import annotations

import math
from collections import deque
from heapq import heappop, heappush
from typing import Final

REMOTE = 1 << 30
"""Added to the identifier of a remote transmission request, which has no data."""
MASTER = -1
"""Sender number of the master behind the adapter."""


def frame_bits(size: int) -> int:
    """Return the worst-case length of a frame on the bus [bit].

    Args:
        size: Number of data bytes, 0 to 8.
    """
    return 47 + 8 * size + (34 + 8 * size - 1) // 4


def priority(can_id: int) -> int:
    """Return the order of frames that want the bus at the same time: the lowest first.

    Args:
        can_id: Identifier; of two alike, a data frame goes before a remote one.
    """
    return (can_id & ~REMOTE) << 1 | (can_id >= REMOTE)


Transfer = tuple[int, bytes, int, float]
"""A frame that was on the bus: identifier, data, sender (node index, or `MASTER`), and when its
last bit was over (monotonic [s]). A tuple, because thousands of them pass every second."""

_FRAME_BITS: Final = tuple(frame_bits(size) for size in range(9))


class BusTiming:
    """Bus on which frames wait, are sent one at a time, and are over after their bit time.

    Args:
        bitrate: [bit/s].
        master_depth: Frames of the master that wait at most, as in an adapter's buffer.
    """

    def __init__(self, bitrate: int, master_depth: int = 256) -> None:
        self._frame_s = tuple(bits / bitrate for bits in _FRAME_BITS)
        self._depth = master_depth
        self._master: deque[tuple[int, bytes, float]] = deque()
        self._nodes: list[tuple[int, int, bytes, int, float]] = []
        self._number = 0
        self._current: Transfer | None = None
        self._free_s = 0.0
        self._waiting_s = 0.0

    def offer(self, can_id: int, data: bytes, sender: int, now_s: float) -> bool:
        """Queue a frame for the bus.

        Args:
            sender: Node index, or `MASTER`.

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
        self._waiting_s += self._frame_s[len(data)]
        return True

    def due_s(self) -> float:
        """Return when the frame on the bus is over [s]; infinite while nothing is sent."""
        if self._current is None:
            if not (self._master or self._nodes):
                self._waiting_s = 0.0  # no rounding is carried on
                return math.inf
            self._current = self._arbitrate()
        return self._current[3]

    def idle_s(self) -> float:
        """Return when all frames that wait now will be over [s]; infinite if there are none."""
        due_s = self.due_s()
        if self._master or self._nodes:
            return due_s + self._waiting_s
        return due_s

    def finish(self, now_s: float) -> Transfer | None:
        """Return the next frame that is over by now, oldest first, or None."""
        if self.due_s() > now_s:
            return None
        current, self._current = self._current, None
        return current

    def clear(self) -> None:
        """Lose all frames that wait or are being sent."""
        self._master.clear()
        self._nodes.clear()
        self._waiting_s = 0.0
        self._current = None

    def _arbitrate(self) -> Transfer:
        """Give an idle bus to the frame that comes first, and among equals to the lowest."""
        if not self._master:
            start_s = max(self._nodes[0][4], self._free_s)
            from_master = False
        elif not self._nodes:
            start_s = max(self._master[0][2], self._free_s)
            from_master = True
        else:
            master, node = self._master[0], self._nodes[0]
            start_s = max(min(master[2], node[4]), self._free_s)
            before = priority(master[0]) < priority(node[0])
            from_master = master[2] <= start_s and (before or node[4] > start_s)
        if from_master:
            can_id, data, _ = self._master.popleft()
            sender = MASTER
        else:
            can_id, _, data, sender, _ = heappop(self._nodes)
        duration_s = self._frame_s[len(data)]
        self._waiting_s -= duration_s
        self._free_s = start_s + duration_s
        return can_id, data, sender, self._free_s
