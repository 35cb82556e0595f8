"""The proof by SDO that drives have no force, before the bench leaves the bus.

A drive that has lost the bench may have left the state operational (1029h). It then sends and
accepts no PDO, so a controlword in a setpoint does not reach it. It is switched off by SDO,
beginning with the gentlest command, and its statusword is read until it confirms this.

No new kind of command is added: the setpoints have requested all six drives to switch off for half
a second before, and a drive that holds alone would strain the platform. A quick stop or a fault
reaction continues under SHUTDOWN (CiA 402: no transition); voltage is disabled only when a stop
from the largest speed has long been over.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from canopen.sdo.exceptions import SdoAbortedError, SdoCommunicationError

from drives.axes.cia402 import WITH_FORCE, state_of
from drives.canopen.quick_sdo import QuickSdo
from drives.canopen.service import ServiceNode

CONTROLWORD, STATUSWORD = 0x6040, 0x6041
SHUTDOWN: Final = (0x06).to_bytes(2, "little")
"""Controlword of transition 8: slow down as 605Bh says, then switch off."""
DISABLE_VOLTAGE: Final = (0x00).to_bytes(2, "little")
"""Controlword of transition 9: switch off at once; the brake closes."""
GENTLE_SHARE: Final = 0.6
"""Share of the time in which a drive may slow down before its voltage is disabled."""


@dataclass(slots=True)
class _Asked:
    """Known facts of one drive."""

    sdo: QuickSdo
    written: bool = False
    """Whether a controlword has been sent since the statusword was read last."""
    seen: str = "it does not answer"


class PowerProof:
    """Switches off drives that are not proved to be without force, outside the cycle.

    Args:
        nodes: Node of each leg that is queried, by its number from 0.
        span_s: Longest time that it may take [s].
    """

    def __init__(
        self, nodes: Mapping[int, ServiceNode], now_s: Callable[[], float], span_s: float
    ) -> None:
        self._asked = {leg: _Asked(QuickSdo(node)) for leg, node in nodes.items()}
        self._nodes, self._now_s = dict(nodes), now_s
        self._begun_s, self._span_s = now_s(), span_s
        self.unpowered: set[int] = set()
        """Legs whose drives have reported that they have no force."""

    def settled(self) -> bool:
        """Proceed with each drive; return whether all are proved, or the time is over.

        Raises:
            LinkLostError: If an adapter is gone.
        """
        for leg, asked in self._asked.items():
            if leg not in self.unpowered:
                self._go_on(leg, asked)
        return len(self.unpowered) == len(self._asked) or self._spent_s >= self._span_s

    @property
    def powered(self) -> tuple[str, ...]:
        """Drives that are not proved to be without force, with their last known state, in words."""
        return tuple(
            f"leg {leg + 1} (node {self._nodes[leg].number}): {asked.seen}"
            for leg, asked in self._asked.items()
            if leg not in self.unpowered
        )

    @property
    def _spent_s(self) -> float:
        return self._now_s() - self._begun_s

    def _go_on(self, leg: int, asked: _Asked) -> None:
        try:
            data = asked.sdo.answer()
        except (SdoAbortedError, SdoCommunicationError) as error:
            asked.seen = f"statusword (6041h): {error}"
            data = None
        if data:
            self._check(leg, asked, int.from_bytes(data[:2], "little"))
        if asked.sdo.busy or leg in self.unpowered:
            return
        if asked.written or not data:
            asked.written = False
            asked.sdo.upload(STATUSWORD, 0)
        else:
            gentle = self._spent_s < GENTLE_SHARE * self._span_s
            asked.written = asked.sdo.download(
                CONTROLWORD, 0, SHUTDOWN if gentle else DISABLE_VOLTAGE
            )

    def _check(self, leg: int, asked: _Asked, word: int) -> None:
        state = state_of(word)
        if state is not None and state not in WITH_FORCE:
            self.unpowered.add(leg)
        text = "says nothing of its state" if state is None else f"is {state.value}"
        asked.seen = f"it {text} (statusword 6041h: 0x{word:04X})"
