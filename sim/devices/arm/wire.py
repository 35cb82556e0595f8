"""The serial line of the emulated controller: bytes that take their time, and are spoiled.

A byte lasts ten bits (8N1) in either direction. What the host writes at once arrives byte by
byte; what the controller says leaves byte by byte. An echo goes back as each byte arrives.

Not modelled: framing errors and breaks, a skew of the two clocks, hardware handshake.
"""

from __future__ import annotations

import math
from collections import deque
from typing import Final

import numpy as np

from sim.devices.arm.faults import ArmFaultBoard
from sim.devices.arm.protocol import LINE_MAX

BITS_PER_BYTE: Final = 10
_INPUT_MAX: Final = 1024
"""Bytes under way to the controller, as many as a UART driver buffers; more are lost."""
_OUTPUT_MAX: Final = 4096


class PacedLine:
    """Both directions of the line.

    Args:
        baud: Bits per second.
        faults: Faults that are on.
        rng: Where noise comes from.
        echo: Whether an echo goes back even without that fault.
    """

    def __init__(
        self,
        baud: int,
        faults: ArmFaultBoard,
        rng: np.random.Generator,
        *,
        echo: bool = False,
    ) -> None:
        self._echo = echo
        self._byte_s = BITS_PER_BYTE / baud
        self._faults, self._rng = faults, rng
        self._in: deque[tuple[float, int]] = deque()
        self._out: deque[tuple[float, int]] = deque()
        self._in_free_s = self._out_free_s = -math.inf
        self._line = bytearray()
        self.lost_bytes: int = 0
        """Bytes of the host that found no room."""
        self.left_s: float = -math.inf
        """When the last byte that was taken had left [s]."""

    def write(self, data: bytes, now_s: float) -> None:
        """Let the controller say something (monotonic time [s])."""
        if self._faults.value("silence") is not None:
            return
        for byte in self._corrupt(data):
            self._out_free_s = max(self._out_free_s, now_s) + self._byte_s
            if len(self._out) < _OUTPUT_MAX:
                self._out.append((self._out_free_s, byte))

    def receive(self, data: bytes, now_s: float) -> None:
        """Take what the host wrote (monotonic time [s])."""
        for byte in self._corrupt(data):
            if len(self._in) >= _INPUT_MAX:
                self.lost_bytes += 1
                continue
            self._in_free_s = max(self._in_free_s, now_s) + self._byte_s
            self._in.append((self._in_free_s, byte))

    def take(self, now_s: float) -> bytes:
        """Return the bytes that have left by now (monotonic time [s])."""
        found = bytearray()
        while self._out and self._out[0][0] <= now_s:
            self.left_s, byte = self._out.popleft()
            found.append(byte)
        return bytes(found)

    def arrive(self) -> bytes | None:
        """Take in the next byte; return a line without its CR if that ended one."""
        time_s, byte = self._in.popleft()
        if self._echo or self._faults.value("echo") is not None:
            self.write(bytes((byte,)), time_s)
        if byte != 0x0D:
            if len(self._line) <= LINE_MAX:  # one more than a line can have: it is none
                self._line.append(byte)
            return None
        line = bytes(self._line)
        self._line.clear()
        return line

    def arrival_s(self) -> float:
        """Return when the next byte has arrived [s]; inf if none is under way."""
        return self._in[0][0] if self._in else math.inf

    def departure_s(self) -> float:
        """Return when the next byte has left [s]; inf if none waits."""
        return self._out[0][0] if self._out else math.inf

    def discard(self) -> None:
        """Forget all that is under way: the cable was pulled out."""
        self._in.clear()
        self._out.clear()
        self._line.clear()
        self._in_free_s = self._out_free_s = -math.inf

    def _corrupt(self, data: bytes) -> bytes:
        noise, flips = self._faults.value("noise"), self._faults.value("parity")
        if noise is None and flips is None:
            return data
        found = bytearray()
        for byte in data:
            spoiled = byte
            if flips is not None and self._rng.random() < flips:
                spoiled ^= 1 << int(self._rng.integers(8))
            found.append(spoiled)
            if noise is not None and self._rng.random() < noise:
                found.append(int(self._rng.integers(256)))
        return bytes(found)
