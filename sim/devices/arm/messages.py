"""Whole lines between the emulated controller and its host: some are lost, doubled or late.

Not modelled: lines that change places otherwise than by being late.
"""

from __future__ import annotations

import math

import numpy as np

from sim.devices.arm.faults import ArmFaultBoard
from sim.devices.arm.wire import PacedLine


class MessageLine(PacedLine):
    """Line with the faults of whole requests and answers.

    Args:
        baud: Bits per second.
        faults: Faults that are on.
        rng: Where noise and chance come from.
        echo: Whether an echo goes back even without that fault.
    """

    def __init__(
        self, baud: int, faults: ArmFaultBoard, rng: np.random.Generator, *, echo: bool = False
    ) -> None:
        super().__init__(baud, faults, rng, echo=echo)
        self._late: list[tuple[float, bytes]] = []

    def send(self, request: bytes, now_s: float) -> None:
        """Send a request, unless it gets lost (monotonic time [s])."""
        if self._chance("drop_request"):
            return
        if self._chance("repeat_request"):
            request += request
        stall_s = self._faults.value("stall")
        if stall_s is None:
            self.write(request, now_s)
        else:
            self._late.append((now_s + stall_s, request))
            self._late.sort(key=lambda item: item[0])

    def send_late(self, now_s: float) -> None:
        """Write the request that is due at this time [s]."""
        self.write(self._late.pop(0)[1], now_s)

    def late_s(self) -> float:
        """Return when the next late request is due [s]; inf if none waits."""
        return self._late[0][0] if self._late else math.inf

    def hear(self) -> tuple[bytes, ...]:
        """Take in the next byte; return the line that it ended, once per reception."""
        line = self.arrive()
        if not line or self._chance("drop_answer"):
            return ()
        return (line, line) if self._chance("repeat_answer") else (line,)

    def discard(self) -> None:
        """Forget all bytes under way: the cable was pulled out."""
        super().discard()
        self._late.clear()

    def _chance(self, kind: str) -> bool:
        probability = self._faults.value(kind)
        return probability is not None and bool(self._rng.random() < probability)
