"""What a window is connected to: a bench that runs, or a recording. No window is needed for it.

One call of `turn`, thirty times a second: first the sign of life goes out, then what was said and
what was told comes in. Nothing here waits. The sign of life is sent from the very call that feeds
the pictures, so a window that is frozen is silent; and whoever owns the motion asks the display
first, because a display that is frozen cannot tell of a key that is let go.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hil.desk import messages as m
from hil.desk.client import DeskClient, Message
from hil.panel.models.bench import BenchModel, Link, Source
from hil.panel.models.feed import Batch, LiveFeed, RunFacts
from hil.panel.texts import text

if TYPE_CHECKING:
    from hil.panel.models.replay import FileFeed


@dataclass(frozen=True, slots=True)
class Turn:
    """What one turn brought.

    Args:
        batch: frames and events.
        messages: of the desk.
    """

    batch: Batch
    messages: tuple[Message, ...] = ()


class LiveSession:
    """A bench that runs.

    Args:
        client: connection to its desk.
        now_s: monotonic time [s], the clock that stamps signs of life.
        ask_display: a question that only a living display answers; it may take as long as that
            one is frozen, and the sign of life with it. None if there is no display.
    """

    def __init__(
        self,
        client: DeskClient,
        now_s: Callable[[], float],
        ask_display: Callable[[], object] | None = None,
    ) -> None:
        self._client = client
        self._ask_display = ask_display
        self._now_s = now_s
        self._feed = LiveFeed(client)
        self._stop_due: m.Stop | None = None
        self.bench = BenchModel(self._feed.facts, Source.LIVE, client.next_id)
        """State of the bench as it was told."""

    @property
    def facts(self) -> RunFacts:
        """What does not change while the run lasts."""
        return self._feed.facts

    @property
    def ended(self) -> bool:
        """Whether the run is over, or its desk gone; pictures stay."""
        return self.bench.link(self._now_s()) is Link.ENDED

    @property
    def owns(self) -> bool:
        """Whether this panel owns the motion."""
        return self.bench.you_own

    def turn(self) -> Turn:
        """Give a sign of life, then take what came."""
        if self._client.open:
            if self._ask_display is not None and self.bench.you_own:
                self._ask_display()
            self._client.send(self.bench.alive(self._now_s()))
            if self._stop_due is not None:
                self._send_stop(self._stop_due)
        messages = tuple(self._client.poll())
        for message in messages:
            self.bench.hear(message)
        if not self._client.open and not self.ended:
            self.bench.lost(text("window.lost"))
        batch = self._feed.poll()
        self.bench.take(batch, self._now_s())
        return Turn(batch, messages)

    def send(self, message: m.ClientMessage) -> bool:
        """Ask something of the desk.

        Returns:
            Whether it was taken; not so if the desk is gone or its buffer full.
        """
        if isinstance(message, m.Stop):
            return self._send_stop(message)
        return self._client.send(message)

    def next_id(self) -> int:
        """A number for the next question, by which its answer is known."""
        return self._client.next_id()

    def stop(self) -> None:
        """Ask for a stop, whoever owns the motion; in every turn until it was taken."""
        self._send_stop(self.bench.stop())

    def _send_stop(self, message: m.Stop) -> bool:
        taken = self._client.send(message)
        self._stop_due = None if taken or not self._client.open else message
        return taken

    def close(self) -> None:
        """Leave the bench; what this panel owned is free, and its motion stops."""
        self._client.close()


class ReplaySession:
    """A recording.

    Args:
        feed: of the recording.
        now_s: monotonic time [s].
    """

    def __init__(self, feed: "FileFeed", now_s: Callable[[], float]) -> None:
        self.feed = feed
        self._now_s = now_s
        self.bench = BenchModel(feed.facts, Source.REPLAY)
        self.owns = False
        self.ended = False

    @property
    def facts(self) -> RunFacts:
        """What does not change."""
        return self.feed.facts

    def turn(self) -> Turn:
        """Take what the recording's time has passed; there is nobody to give a sign of life to."""
        batch = self.feed.poll()
        self.bench.take(batch, self._now_s())
        return Turn(batch)

    def send(self, message: m.ClientMessage) -> bool:
        """Say that nobody is there to be asked."""
        return False

    def next_id(self) -> int:
        """Zero: nothing is asked."""
        return 0

    def stop(self) -> None:
        """Stand still."""
        self.feed.play(0.0)

    def close(self) -> None:
        """Let go of the file."""
        self.feed.close()


Session = LiveSession | ReplaySession
