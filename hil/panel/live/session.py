"""The session of a window: a bench that runs, or a recording. No window is needed for it.

One call of `turn`, thirty times a second: first the sign of life goes out, then what was said and
what was told comes in. Nothing here waits. The sign of life is sent from the very call that feeds
the pictures, so a window that is frozen is silent; and whoever owns the motion asks the display
first, because a display that is frozen cannot tell of a key that is let go.

When a desk dies, its run's next one is looked for. What control tells goes on meanwhile, because
that is memory which is shared with control itself; and with the new desk this panel begins as any
other: it owns nothing and holds nothing until people take the motion again. A stop alone is asked
for once more: the next desk gets it at once if the one before may have died with it. A desk that
was cut off from its bench has no next one: then people are told how else the bench can be stopped,
and shown what it goes on telling, until it is gone.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Protocol

from hil.desk import messages as m
from hil.desk.client import DeskClient, Message
from hil.panel.live.models.bench import BenchModel
from hil.panel.live.models.bench_link import Link, Source
from hil.panel.live.models.bench_stop import Stops
from hil.panel.live.models.feed import Batch, LiveFeed, RunFacts
from hil.panel.live.models.in_force import InForce
from hil.panel.live.models.session_end import last_word_in
from hil.panel.live.models.session_search import DeskSearch
from hil.recording.events import EventKind, EventRecord, Level

_STOP_AGAIN: Final = "the desk died before it answered; the next one is asked at once"
_UNANSWERED: Final = "the desk died before it answered; what became of it is not known"
_STOP_NOBODY: Final = (
    "{why}: nobody is left to answer it; use the emergency stop if anything still moves"
)
_NOBODY: Final = "{why}: nobody is left to answer it"


@dataclass(frozen=True, slots=True)
class Turn:
    """News of one turn."""

    batch: Batch
    """Frames and events."""
    messages: tuple[Message, ...] = ()
    """Messages of the desk."""
    news: str = ""
    """News of the connection, for people; empty if there is none."""


class Session(Protocol):
    """A bench that runs, or a recording."""

    bench: BenchModel

    @property
    def facts(self) -> RunFacts:
        """Facts that do not change."""
        ...

    @property
    def owns(self) -> bool:
        """Whether this panel owns the motion."""
        ...

    @property
    def ended(self) -> bool:
        """Whether the run is over, or the bench gone; pictures stay."""
        ...

    @property
    def stop_text(self) -> str:
        """Warning of a stop that nobody answers; empty if all is as it should be."""
        ...

    def turn(self) -> Turn:
        """Give a sign of life, then take what came."""
        ...

    def send(self, message: m.ClientMessage) -> bool:
        """Ask something of the desk; return whether it was taken."""
        ...

    def next_id(self) -> int:
        """A number for the next question."""
        ...

    def stop(self) -> None:
        """Stop all motion, no matter who owns it."""

    def close(self) -> None:
        """Leave it."""


class LiveSession:
    """A bench that runs.

    Args:
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
        self._stops = Stops()
        self._search: DeskSearch | None = None
        self._cut_off = self._given_up = False
        self._unanswered: dict[int, None] = {}  # numbers, in the order in which they were asked
        self._own_answers: list[m.Answer] = []
        self.bench = BenchModel(self._feed.facts, Source.LIVE, self.next_id)
        """State of the bench as it was told."""
        self.in_force = InForce()
        """Tempo, pose and motion of the bench as they were told."""

    @property
    def facts(self) -> RunFacts:
        """Facts that do not change while the run lasts."""
        return self._feed.facts

    @property
    def ended(self) -> bool:
        """Whether the run is over, or the bench gone; pictures stay."""
        return self.bench.link(self._now_s()) is Link.ENDED

    @property
    def path(self) -> Path:
        """Path of the desk's socket; the run's next desk has the same."""
        return self._client.path

    def shows(self, path: Path) -> bool:
        """Whether it is the bench with this socket, and still runs."""
        return self.path == path and not self.ended

    @property
    def owns(self) -> bool:
        """Whether this panel owns the motion."""
        return self.bench.you_own

    @property
    def stop_text(self) -> str:
        """Warning of a stop that nobody answers; empty if all is as it should be."""
        if self._cut_off and not self.ended:
            return (
                "No panel can stop this bench any more, and it may still move: Ctrl-C at "
                "its terminal / emergency stop."
            )
        return self._stops.text_at(self._now_s(), desk=self._client.open)

    def turn(self) -> Turn:
        """Give a sign of life, then take what came."""
        news = "" if self._search is None else self._find_desk(self._search)
        if self._client.open:
            self._stops.hand_out(self._client.send)  # before all that may fill the desk's buffer
            if self._ask_display is not None and self.bench.you_own:
                self._ask_display()
            self._client.send(self.bench.alive(self._now_s()))
        messages = tuple(self._client.poll())
        if not self._client.open and not (self._search or self.ended or last_word_in(messages)):
            cut_off = any(isinstance(said, m.CutOff) for said in messages)
            news = self._lose_for_good() if cut_off else self._lose()
        if self.ended and not self._client.open:
            self._settle()
        messages, self._own_answers = (*messages, *self._own_answers), []
        for message in messages:
            self.bench.take_message(message)
            self._given_up = self._given_up and self.owns
            self.in_force.take_message(message)
            if isinstance(message, m.Answer):
                self._unanswered.pop(message.id, None)
                self._stops.answered(message.id)
        batch = self._feed.poll()
        if news:
            batch = replace(batch, events=(*batch.events, _noted(news, batch, self.bench.t_s)))
        self.bench.take(batch, self._now_s())
        self.in_force.take(batch.operation)
        return Turn(batch, messages, news)

    # --- a desk that dies, and the next one -----------------------------------------------------

    def _lose(self) -> str:
        """Note that the desk is gone without a word; return the sentence for people."""
        self._search = DeskSearch(self._client, self._now_s)
        self.bench.lost("looking for the run's next desk")
        for number in self._unanswered:  # nobody is to wait for that for ever
            why = _STOP_AGAIN if number in self._stops else _UNANSWERED
            self._answer(number, why)
        self._unanswered.clear()
        if self._stops.waiting:
            self._repeat_stop()
        return (
            "The desk is gone without a word. Nothing can be asked of the bench, and its "
            "hold-to-run is released. This panel looks for the next desk of the run."
        )

    def _lose_for_good(self) -> str:
        """Note that the desk was cut off from a bench that may still run; return the sentence."""
        self._search = DeskSearch(self._client, self._now_s)  # it learns of the bench's end
        self._cut_off = True
        self.bench.lost("cut off from the bench, which may still move")
        self._settle()
        return (
            "The desk has lost the bench, and no other desk comes. Its hold-to-run is released, "
            "but it may still move, and no panel can stop it: Ctrl-C at its terminal / "
            "emergency stop."
        )

    def _repeat_stop(self) -> None:
        """Ask the next desk for a stop as soon as it is there."""
        message = self.bench.stop()
        self._unanswered[message.id] = None
        self._stops.again(message)

    def _settle(self) -> None:
        """Nobody is there who could answer, nor will be."""
        for number in self._unanswered:
            template = _STOP_NOBODY if number in self._stops else _NOBODY
            self._answer(number, template.format(why=self.bench.gone))
        self._unanswered.clear()
        self._stops.settle()

    def _answer(self, number: int, why: str) -> None:
        """Answer here, where a desk cannot."""
        self._own_answers.append(m.Answer(id=number, ok=False, error=why))

    def _find_desk(self, search: DeskSearch) -> str:
        """Continue with the next desk once it is there; return the sentence for people."""
        found = search.poll()
        if found is not None:
            self._search, self._cut_off = None, False
            found.succeed(self._client)
            self._client = found
            self.bench.found()
            return "Connected to the run's next desk. Nobody owns the motion: take it anew (F9)."
        if search.over and not self.ended:
            self.bench.over("its desk is gone without a word, and so is the bench")
        return ""

    def send(self, message: m.ClientMessage) -> bool:
        """Ask something of the desk.

        Returns:
            Whether it was taken; not so if the desk is gone or its buffer full.
        """
        if isinstance(message, m.Stop):
            return self._ask_stop(message)
        return self._sent(message)

    def _sent(self, message: m.ClientMessage) -> bool:
        taken = self._client.send(message)
        number = getattr(message, "id", 0)
        if number and taken:
            self._unanswered[number] = None
        elif number:
            self._answer(number, self.bench.gone or "the desk did not take it; press again")
        return taken

    def next_id(self) -> int:
        """A number for the next question, by which its answer is known."""
        return self._client.next_id()

    def stop(self) -> None:
        """Ask for a stop, no matter who owns the motion; in every turn until it was taken."""
        self._ask_stop(self.bench.stop())

    def give_up(self) -> None:
        """Stop, and give the motion back; once each time that it was taken."""
        if self.owns and not self._given_up:
            self.stop()
            self._given_up = self.send(self.bench.toggle_ownership())

    def _ask_stop(self, message: m.Stop) -> bool:
        if not message.id:  # a desk answers no question without a number
            message = m.Stop(id=self.next_id())
        if self._client.open:
            self._unanswered[message.id] = None
            self._stops.ask(message, self._now_s())
            return self._stops.hand_out(self._client.send)
        if self.ended or self._cut_off:
            self._answer(
                message.id,
                (
                    f"{self.bench.gone}: nobody is left to answer it; use the emergency "
                    "stop if anything still moves"
                ),
            )
        else:
            self._answer(message.id, "there is no desk to hear it; the next one is asked at once")
            if not self._stops.waiting:
                self._stops.ask(message, self._now_s())
                self._repeat_stop()
        return False

    def close(self) -> None:
        """Leave the bench; what this panel owned is free, and its motion stops."""
        if self._search is not None:
            self._search.close()
        self._client.close()


def _noted(news: str, batch: Batch, t_s: float) -> EventRecord:
    """News of the connection as an event of the run, for the timeline; it is in no recording."""
    t_s = batch.events[-1].t_s if batch.events else t_s
    return EventRecord(t_s, 0, EventKind.NOTE, Level.WARNING, "panel", news)
