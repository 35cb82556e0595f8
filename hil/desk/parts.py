"""Values that pass between the desk's state and the service that sends and proves for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from hil.desk import messages as m
from hil.desk.order import Six


@dataclass(frozen=True, slots=True)
class DeskFacts:
    """Facts of the run that a client is given."""

    header_bytes: int
    """Size of the run's header in its memory file."""
    period_s: float
    """Cycle time [s]."""
    station: str
    """Station whose run it is."""
    bench: str
    """Name of the run."""
    proves: bool = False
    """Whether it has targets and motions to be set, which are proved first."""
    dead_man: Literal["hold", "presence"] = "hold"
    """Condition that keeps the motion alive."""

    def welcome(self) -> m.Welcome:
        """The facts as the message to a client."""
        return m.Welcome(
            header_bytes=self.header_bytes,
            period_s=self.period_s,
            station=self.station,
            bench=self.bench,
            dead_man=self.dead_man,
        )


@dataclass(frozen=True, slots=True)
class OutgoingPacket:
    """Something to be sent to a client; the descriptors of `Welcome` go along if so marked."""

    client: int
    data: bytes
    with_descriptors: bool = False


@dataclass(frozen=True, slots=True)
class PendingRequest:
    """Something to be proved before it becomes an order."""

    client: int
    """Number of the client that asks."""
    id: int
    """Number of its question."""
    pose: Six | None = None
    """The pose, for a target; None for a motion."""
    table: dict[str, Any] | None = None
    """The ``[motion]`` table, for a motion; None for a target."""
    era: tuple[int, int] = (0, 0)
    """Ownership and request that it belongs to; one that is over has no use for a proof."""


class Outbox:
    """Messages that are still to be sent, and clients for which it is the last one."""

    def __init__(self) -> None:
        self._packets: list[OutgoingPacket] = []
        self._leaving: list[int] = []

    def say(self, client: int, message: m.DeskMessage, *, with_descriptors: bool = False) -> None:
        """Say something to a client."""
        self._packets.append(OutgoingPacket(client, message.to_bytes(), with_descriptors))

    def answer(self, client: int, number: int, error: str = "") -> None:
        """Answer a client's question: done, or what is wrong."""
        self.say(client, m.Answer(id=number, ok=not error, error=error))

    def last_word(self, client: int, message: m.DeskMessage | None) -> None:
        """Say the last thing to a client, if anything, and have it closed."""
        if message is not None:
            self.say(client, message)
        self._leaving.append(client)

    def take_packets(self) -> list[OutgoingPacket]:
        """Return the packets to be sent since the last call, in order."""
        packets, self._packets = self._packets, []
        return packets

    def take_leaving(self) -> list[int]:
        """Clients to be closed once their packets are sent; the desk has forgotten them."""
        leaving, self._leaving = self._leaving, []
        return leaving
