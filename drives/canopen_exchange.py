"""The buses of a bank in the cycle: one write each, then wait for the answers, never longer."""

from collections.abc import Sequence
from dataclasses import dataclass

from drives.bank import LinkLostError
from drives.canopen_cycle import PdoInbox
from drives.canopen_service import Segment
from drives.frames import BusHealth, BusState, Frame

HEALTH_EVERY_S = 0.02
"""How often the adapters are asked how they are [s]."""


@dataclass(frozen=True, slots=True)
class LinkReport:
    """Counts of a bank's bus, since it was configured.

    Attributes:
        cycles: Exchanges.
        missing: Cycles without a fresh TPDO1 of each leg, 6.
        late: TPDO1 that came after their own cycle.
        round_trip_s: From the first frame out to the last answer in, of the last cycle [s].
        unknown_ids: Frames that nobody here understands.
        malformed: PDOs of a wrong length.
        swallowed: Mistakes of service subscribers.
        health: What each adapter tells.
        notes: The last event of each node, in words, 6.
    """

    cycles: int
    missing: tuple[int, ...]
    late: int
    round_trip_s: float
    unknown_ids: int
    malformed: int
    swallowed: int
    health: tuple[BusHealth, ...]
    notes: tuple[str, ...]


class CycleBus:
    """Reads and writes the buses of a bank; the only reader of them while it is in operation.

    Args:
        segments: The buses.
        inbox: Takes the frames that come.
        url: Where the buses are, for the texts of errors.
    """

    def __init__(self, segments: Sequence[Segment], inbox: PdoInbox, url: str) -> None:
        self._segments = tuple(segments)
        self._inbox = inbox
        self._url = url
        self._now_s = self._segments[0].now_s
        self._health_due_s = float("-inf")
        self._passive = [False] * len(self._segments)
        self.cycles = 0
        self.round_trip_s = 0.0

    def drain(self) -> None:
        """Take in what came after the last cycle, such as answers that were late.

        Raises:
            LinkLostError: If an adapter is gone.
        """
        self._inbox.begin()
        for bus, segment in enumerate(self._segments):
            self.take(bus, segment, 0.0)
        self._inbox.begin_answers()

    def exchange(self, batches: Sequence[Sequence[Frame]], until_s: float) -> float:
        """Send the frames of a cycle and wait for the answers.

        Args:
            batches: Frames for each bus.
            until_s: When to wait no longer [s].

        Returns:
            When the last answer was there, or the wait was over [s].

        Raises:
            LinkLostError: If an adapter is gone, or off the bus.
        """
        sent_s = self._now_s()
        for segment, frames in zip(self._segments, batches, strict=True):
            segment.send(frames)
        for bus, segment in enumerate(self._segments):
            while not self._inbox.complete(bus):
                left_s = until_s - self._now_s()
                if left_s <= 0.0:
                    break
                self.take(bus, segment, left_s)
        now_s = self._now_s()
        self.round_trip_s = now_s - sent_s
        self.cycles += 1
        self._inbox.end()
        if now_s >= self._health_due_s:
            self._health_due_s = now_s + HEALTH_EVERY_S
            self._check_adapters()
        return now_s

    def rest(self, until_s: float) -> None:
        """Go on reading until then [s]; between the cycles of a bank that nobody else paces.

        Raises:
            LinkLostError: If an adapter is gone.
        """
        while (left_s := until_s - self._now_s()) > 0.0:
            self.take(0, self._segments[0], left_s)

    def take(self, bus: int, segment: Segment, timeout_s: float) -> None:
        """Read a bus once, and give each frame to whom it concerns.

        Args:
            bus: Number of the bus.
            segment: The bus.
            timeout_s: Longest wait for something [s].

        Raises:
            LinkLostError: If the adapter is gone.
        """
        frames = segment.bus.receive_frames(timeout_s)
        if frames:
            now_s = self._now_s()
            for frame in frames:
                if not self._inbox.take(frame, bus, now_s):
                    segment.hand_on(frame)

    def passive(self, bus: int) -> bool:
        """Say whether the adapter of a bus has told that it is error passive."""
        return self._passive[bus]

    def shutdown(self) -> None:
        """Leave the buses."""
        for segment in self._segments:
            segment.bus.shutdown()

    def report(self, unknown_ids: int, notes: tuple[str, ...]) -> LinkReport:
        """Return the counts so far.

        Args:
            unknown_ids: Frames that nobody here understands.
            notes: The last event of each node, in words, 6.
        """
        inbox = self._inbox
        return LinkReport(
            cycles=self.cycles,
            missing=tuple(inbox.missing),
            late=inbox.late,
            round_trip_s=self.round_trip_s,
            unknown_ids=unknown_ids,
            malformed=inbox.malformed,
            swallowed=sum(segment.swallowed for segment in self._segments),
            health=tuple(segment.bus.health() for segment in self._segments),
            notes=notes,
        )

    def _check_adapters(self) -> None:
        for bus, segment in enumerate(self._segments):
            health = segment.bus.health()
            if health.state is BusState.BUS_OFF:
                text = f"{self._url}: the adapter of bus {bus} is bus off"
                raise LinkLostError(f"{text}; {health.note or 'no note'}")
            self._passive[bus] = health.state is BusState.PASSIVE
