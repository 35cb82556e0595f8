"""A recording as what a window is connected to."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from hil.desk import messages as m
from hil.panel.live.models.bench import BenchModel
from hil.panel.live.models.bench_link import Source
from hil.panel.live.models.feed import RunFacts
from hil.panel.live.session import Turn

if TYPE_CHECKING:
    from hil.panel.study.models.replay import FileFeed  # its kernels are slow to load


class ReplaySession:
    """A recording."""

    def __init__(self, feed: "FileFeed", now_s: Callable[[], float]) -> None:
        self.feed = feed
        self._now_s = now_s
        self.bench = BenchModel(feed.facts, Source.REPLAY)
        self.owns = False
        self.ended = False
        self.stop_text = ""

    @property
    def facts(self) -> RunFacts:
        """Facts that do not change."""
        return self.feed.facts

    def turn(self) -> Turn:
        """Take what the recording's time has passed; there is nobody to give a sign of life to."""
        batch = self.feed.poll()
        self.bench.take(batch, self._now_s())
        return Turn(batch)

    def send(self, message: m.ClientMessage) -> bool:
        """Say that nobody is there to be asked."""
        number = getattr(message, "id", 0)
        self.bench.take_message(m.Answer(id=number, ok=False, error=self.bench.gone))
        return False

    def next_id(self) -> int:
        """Zero: nothing is asked."""
        return 0

    def stop(self) -> None:
        """Stop the replay."""
        self.feed.play(0.0)

    def close(self) -> None:
        """Nothing is held that must be let go of."""
