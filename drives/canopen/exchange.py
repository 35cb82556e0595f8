"""The buses of a bank in the cycle: one write each, then wait for the answers, never longer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from drives.axes.values import AxesWords
from drives.bank import LinkLostError, LinkTally
from drives.can.frames import BusHealth, BusState
from drives.can.slcan_bus import SlcanBus
from drives.canopen.cycle import PdoInbox
from drives.canopen.lanes import lane_of
from drives.canopen.service import Segment
from drives.canopen.settings import CanopenSettings

HEALTH_EVERY_S = 0.02
"""Time between two questions to the adapters for their health [s]."""

STATE_UNTOLD_S = 3.0
"""Silence after which an adapter that reported its state before is not believed to be well [s]."""


@dataclass(frozen=True, slots=True)
class BusReport:
    """Counts of a bank's bus, since it was configured."""

    cycles: int
    """Exchanges."""
    missing: tuple[int, ...]
    """Cycles without a fresh TPDO1 of each leg, 6."""
    late: int
    """TPDO1 that came after their own cycle."""
    round_trip_s: float
    """Time from the first frame out to the last answer in, of the last cycle [s]."""
    unknown_ids: int
    """Frames that nobody here understands."""
    malformed: int
    """PDOs of a wrong length."""
    swallowed: int
    """Mistakes of service subscribers."""
    health: tuple[BusHealth, ...]
    """Health of each adapter by its own report."""
    notes: tuple[str, ...]
    """Traces of another master, if any, and the last event of each node."""

    def tally(self) -> LinkTally:
        """Return the counts by name; those of several adapters are added up."""
        notes = [note for note in (*self.notes, *(each.note for each in self.health)) if note]
        return {
            "cycles": self.cycles,
            "missing": self.missing,
            "late": self.late,
            "malformed": self.malformed,
            "unknown_ids": self.unknown_ids,
            "swallowed": self.swallowed,
            "bad_lines": sum(each.bad_lines for each in self.health),
            "rejected": sum(each.rejected for each in self.health),
            "overruns": sum(each.overruns for each in self.health),
            "other_frames": sum(each.other_frames for each in self.health),
            "notes": tuple(notes),
        }


NO_WAIT_S = 1e-6
"""A rest shorter than this is over: half of it may be less than a clock can resolve [s]."""


class CycleBus:
    """Reads and writes the buses of a bank; the only reader of them while it is in operation.

    Args:
        inbox: Takes the frames that come.
        url: Where the buses are, for the texts of errors.
        asked: Is called when nodes that send no heartbeats have been asked for their sign of life.
    """

    def __init__(
        self,
        segments: Sequence[Segment],
        inbox: PdoInbox,
        settings: CanopenSettings,
        period_s: float,
        url: str,
        asked: Callable[[], None],
    ) -> None:
        self._segments = tuple(segments)
        self._asked = asked
        self._lanes = tuple(
            lane_of(segment, bus, settings, inbox) for bus, segment in enumerate(segments)
        )
        self._inbox = inbox
        self._url = url
        self._now_s = self._segments[0].now_s
        self._wait_s = settings.answer_share * period_s
        # A heartbeat that falls between two cycles goes with the nearer one.
        self._beat_s = settings.master_heartbeat_every_s - period_s / 2
        self._beat_due_s = self._health_due_s = float("-inf")
        self._passive = [False] * len(self._segments)
        self.any_passive: bool = False
        self._guards = False
        self.cycles: int = 0
        self.round_trip_s: float = 0.0
        self.sent_s: float = float("-inf")
        """When the last frames were sent [s]."""

    def guard(self, guarded: Sequence[bool], settings: CanopenSettings) -> None:
        """Ask nodes that send no heartbeats for their sign of life from now on.

        Args:
            guarded: Whether the node of each leg has to be asked, 6.
        """
        self._guards = any(guarded)
        for bus, lane in enumerate(self._lanes):
            rows = zip(guarded, settings.node_ids, settings.bus_of_leg, strict=True)
            lane.guard([node for asked, node, its_bus in rows if asked and its_bus == bus])

    def drain(self) -> None:
        """Take in what came after the last cycle, such as answers that were late.

        Raises:
            LinkLostError: If an adapter is gone.
        """
        self._inbox.begin(self._now_s())
        for lane in self._lanes:
            lane.take(0.0)
        self._inbox.begin_answers()

    def exchange(self, words: AxesWords, speeds: Sequence[int] | None) -> float:
        """Send what goes to the drives in a cycle, and wait for the answers.

        Args:
            speeds: Speeds of the command [counts/s], 6; None without any.

        Returns:
            When the last answer was there, or the wait was over [s].

        Raises:
            LinkLostError: If an adapter is gone, or off the bus.
        """
        now_s, inbox = self._now_s, self._inbox
        sent_s = now_s()
        self.sent_s = sent_s
        inbox.sync(sent_s)
        beat = sent_s >= self._beat_due_s
        for lane in self._lanes:
            lane.send(words, speeds, beat=beat)
        if beat and self._guards:
            self._asked()
        until_s = sent_s + self._wait_s
        for bus, lane in enumerate(self._lanes):
            # Even if it was this process that was stopped, what has come by now is looked at.
            left_s = max(0.0, until_s - now_s())
            lane.take(left_s)
            while not inbox.complete(bus) and (left_s := until_s - now_s()) > 0.0:
                lane.take(left_s)
        end_s = now_s()
        self.round_trip_s = end_s - sent_s
        self.cycles += 1
        inbox.end(end_s)
        if beat:
            self._beat_due_s = sent_s + self._beat_s
        if end_s >= self._health_due_s:
            self._health_due_s = end_s + HEALTH_EVERY_S
            self._check_adapters()
        return end_s

    def listen(self) -> float:
        """Send nothing, and read for as long as the answers of a cycle are awaited.

        Returns:
            When that was over [s].

        Raises:
            LinkLostError: If an adapter is gone.
        """
        self.rest(self._now_s() + self._wait_s)
        self.cycles += 1
        end_s = self._now_s()
        self._inbox.end(end_s)
        return end_s

    def rest(self, until_s: float) -> None:
        """Read until then [s]; between the cycles of a bank that nobody else paces.

        Raises:
            LinkLostError: If an adapter is gone.
        """
        while (left_s := until_s - self._now_s()) > NO_WAIT_S:
            for lane in self._lanes:
                lane.take(left_s / len(self._lanes))

    def passive(self, bus: int) -> bool:
        """Return whether a bus' adapter is error passive, or has stopped reporting its state."""
        return self._passive[bus]

    def shutdown(self) -> None:
        """Leave the buses."""
        for segment in self._segments:
            segment.bus.shutdown()

    def report(self, unknown_ids: int, notes: tuple[str, ...]) -> BusReport:
        """Return the counts so far.

        Args:
            unknown_ids: Frames that nobody here understands.
            notes: What was seen of another master, if anything, and the last event of each node.
        """
        inbox = self._inbox
        return BusReport(
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
            self._passive[bus] = health.state is BusState.PASSIVE or _untold(segment)
        self.any_passive = any(self._passive)


def _untold(segment: Segment) -> bool:
    bus = segment.bus
    return isinstance(bus, SlcanBus) and bus.unanswered_s >= STATE_UNTOLD_S
