"""What state the bench is in, who moves it, what can be pressed now and why not the rest.

The model hears the feed (modes, the operation as control has it) and the desk (who owns the
motion, what became of a wish). It sends nothing: wishes are messages that the window hands on.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from itertools import count
from typing import Final

from hil.desk import messages as m
from hil.desk.client import Message
from hil.desk.operation import Operation
from hil.desk.order import Button
from hil.desk.run_end import EndCause, EndStep, RunEnd
from hil.operated.buttons import Standing, why_not
from hil.panel.models.feed import Batch, RunFacts, column
from hil.panel.models.lamps import Lamp, lamp_of
from hil.panel.models.session_end import begins_end, end_words, failure_of
from hil.panel.texts import text
from hil.recording.frame import CycleFlag
from hil.recording.header import code_name
from safety.modes import Mode
from safety.verdict import Action

STALE_S: Final = 0.5
"""A bench that has not told a frame for so long [s], or for three of its periods, is silent."""


class Source(Enum):
    """Where the shown run comes from."""

    LIVE = "live"
    REPLAY = "replay"


class Link(Enum):
    """How near the bench is."""

    WAITING = "waiting"
    """Connected; no frame has come yet."""
    LIVE = "live"
    STALE = "stale"
    """Frames have stopped coming."""
    LOST = "lost"
    """Its desk is gone; the next one is being looked for, and frames may still come."""
    ENDED = "ended"
    """The run is over, or its desk is gone for good."""
    REPLAY = "replay"
    """No bench: a recording is shown."""


@dataclass(frozen=True, slots=True)
class ButtonState:
    """A button as it stands now.

    Args:
        button: which.
        why_not: why it does nothing now, as half a sentence; empty if it does something.
    """

    button: Button
    why_not: str

    @property
    def allowed(self) -> bool:
        """Whether a press does something."""
        return not self.why_not


class BenchModel:
    """State of one run.

    Args:
        facts: of the run.
        source: a bench that runs, or a recording.
        next_id: numbers of the questions to the desk (`DeskClient.next_id`).
    """

    def __init__(
        self,
        facts: RunFacts,
        source: Source = Source.LIVE,
        next_id: Callable[[], int] | None = None,
    ) -> None:
        self.facts = facts
        self.source = source
        self.held = False
        """Whether hold-to-run is pressed at this panel."""
        self.target_given = True
        """Whether a pose is set, for the button that goes there; its controls know."""
        self.operation = Operation()
        """As control told it last."""
        self._next_id = next_id or count(1).__next__
        self._asked: dict[int, str] = {}
        self._desk = m.State(owner="", you_own=False, clients=(), bench=True)
        self._ended = self._lost = ""
        self._refused = self._failed = ""
        self._heard_s = -math.inf
        self._mode: str | None = None
        self._action = ""
        self._fault_latched = False
        self._ending = False
        self._t_s = 0.0
        layout = facts.layout
        mode, action = layout.codes
        self._places = tuple(column(layout, name).start for name in (mode, action, "flags", "t_s"))
        self._latched_bit = int(CycleFlag.FAULT_LATCHED)

    # --- what it hears --------------------------------------------------------------------------

    def take(self, batch: Batch, now_s: float) -> None:
        """Take what the feed brought.

        Args:
            batch: of this moment.
            now_s: monotonic time [s].
        """
        if batch.restart:
            self._mode, self._ending, self._failed = None, False, ""
        self._ending = self._ending or any(map(begins_end, batch.events))
        self._failed = self._failed or next(filter(None, map(failure_of, batch.events)), "")
        if batch.operation is not None:
            self._hear_operation(batch.operation)
        if len(batch.rows):
            mode, action, flags, t_s = batch.rows[-1, self._places].tolist()
            header = self.facts.header
            self._mode = code_name(header.modes, int(mode)) if mode == mode else None
            self._action = code_name(header.actions, int(action)) if action == action else ""
            self._fault_latched = flags == flags and bool(int(flags) & self._latched_bit)
            self._t_s, self._heard_s = t_s, now_s

    def hear(self, message: Message) -> None:
        """Take what the desk said."""
        match message:
            case m.State():
                if self._desk.you_own and not message.you_own:
                    self.held = False
                self._desk = message
                if not message.bench:
                    self.over(text("state.link.run_over"))
            case m.Answer():
                what = self._asked.pop(message.id, None)
                if what is not None and not message.ok:
                    self._refused = f"{what}: {message.error}"
            case m.Refused():
                self.over(message.why)

    def over(self, why: str) -> None:
        """The run is over, or its desk is gone for good; the first reason counts."""
        self._ended = self._ended or why
        self._leave_desk()

    def lost(self, why: str) -> None:
        """Its desk is gone; whether there is another one is not known yet."""
        self._lost = why
        self._leave_desk()

    def found(self) -> None:
        """Another desk of the run is there: nobody owns the motion, and nothing is held."""
        self._lost = ""
        self._leave_desk()

    def _leave_desk(self) -> None:
        self.held = False
        self._desk = m.State(owner="", you_own=False, clients=(), bench=False)

    def _hear_operation(self, operation: Operation) -> None:
        """Control's word on a press replaces that on the one before."""
        if operation.refused != self.operation.refused or operation.seen != self.operation.seen:
            self._refused = operation.refused
        self.operation = operation

    # --- how it stands --------------------------------------------------------------------------

    @property
    def mode(self) -> str | None:
        """Name of the mode, or of the link's state at the arm station; None if not known."""
        return self._mode

    @property
    def t_s(self) -> float:
        """Time of the run of the newest frame [s]."""
        return self._t_s

    @property
    def fault_latched(self) -> bool:
        """Whether the newest frame tells of a latched fault."""
        return self._fault_latched

    @property
    def lamps(self) -> tuple[Lamp, ...]:
        """One lamp a mode, in the order of the modes."""
        names = self.facts.header.modes
        return tuple(lamp_of(self.facts.station, name, lit=name == self._mode) for name in names)

    def lamps_at(self, now_s: float) -> tuple[Lamp, ...]:
        """The same at a moment [s]: the mode of a bench that is silent or gone has no colour.

        It is the last that was known, and may long be another.
        """
        if self.link(now_s) is not Link.ENDED and not self._silent(now_s):
            return self.lamps
        return tuple(replace(lamp, role="dim") for lamp in self.lamps)

    def link(self, now_s: float) -> Link:
        """How near the bench is at a moment [s]."""
        if self.source is Source.REPLAY:
            return Link.REPLAY
        if self._ended or self._lost:
            return Link.ENDED if self._ended else Link.LOST
        if self._heard_s == -math.inf:
            return Link.WAITING
        return Link.STALE if self._silent(now_s) else Link.LIVE

    def _silent(self, now_s: float) -> bool:
        """Whether frames have stopped coming from a bench that told some."""
        if self.source is Source.REPLAY or self._heard_s == -math.inf:
            return False
        return now_s - self._heard_s > max(STALE_S, 3.0 * self.facts.period_s)

    def link_text(self, now_s: float) -> str:
        """The same in words."""
        link = self.link(now_s)
        silent_s = max(0.0, now_s - self._heard_s) if link is Link.STALE else 0.0
        return text(f"state.link.{link.value}", silent_s=f"{silent_s:.1f}", why=self.gone)

    @property
    def you_own(self) -> bool:
        """Whether this panel owns the motion."""
        return self._desk.you_own

    @property
    def owner(self) -> str:
        """Name of the one who owns the motion; empty if nobody does."""
        return self._desk.owner

    @property
    def owner_text(self) -> str:
        """Who owns the motion, in words."""
        if self.source is Source.REPLAY:
            return text("state.owner.replay")
        if self.you_own:
            return text("state.owner.you")
        if self.owner:
            return text("state.owner.other", owner=self.owner)
        return text("state.owner.nobody")

    @property
    def dead_man_text(self) -> str:
        """What the dead-man is to control, in words."""
        if self.source is Source.REPLAY:
            return ""
        state = "held" if self.operation.held else "released"
        return text(f"state.dead_man.{self.operation.dead_man}.{state}")

    @property
    def refused(self) -> str:
        """Why the last wish did nothing; empty if it did."""
        return self._refused

    @property
    def end(self) -> RunEnd | None:
        """The end of the run, once it is under way, as far as control has told; None before."""
        if self._failed:
            return RunEnd(EndCause.FAULT, EndStep.STOPPING, self._failed)
        return self.operation.end

    @property
    def end_text(self) -> str:
        """The same in words, with what is to be done; empty if there is none, or it is over."""
        return "" if self._ended or self.end is None else end_words(self.end)

    @property
    def end_why(self) -> str:
        """What began the end, in full; empty if there is none, or its kind says it all."""
        return "" if self.end is None else self.end.why

    @property
    def banners(self) -> tuple[str, ...]:
        """What is simulated, one line a device."""
        facts = self.facts.header.metadata
        return tuple(
            text("state.banner", device=key.replace("_", " "), line=line)
            for key, line in facts.items()
            if line in self.facts.simulated
        )

    # --- what can be pressed --------------------------------------------------------------------

    @property
    def buttons(self) -> tuple[ButtonState, ...]:
        """Every button, in the order of the enum; none at a station that has no such modes."""
        if self.facts.station != "platform":
            return ()
        return tuple(ButtonState(button, self._why_not(button)) for button in Button)

    @property
    def may_take(self) -> bool:
        """Whether the motion is free to be taken."""
        return self._at_bench and not self.owner

    @property
    def _at_bench(self) -> bool:
        return not self.gone

    @property
    def gone(self) -> str:
        """Why nobody can be asked anything; empty if somebody can."""
        if self.source is Source.REPLAY:
            return text("state.why.replay")
        return self._ended or self._lost

    def _why_not(self, button: Button) -> str:
        if self.gone:
            return self.gone
        if not self.you_own:
            return text("state.why.not_owner")
        if self._mode is None:
            return text("state.why.no_frame")
        try:
            mode = Mode[self._mode]
        except KeyError:
            return text("state.why.no_mode", mode=self._mode)
        return why_not(button, mode, self._standing())

    def _standing(self) -> Standing:
        """What the panel knows; whether a fault's cause is gone only the gate does."""
        operation = self.operation
        return Standing(
            held=self.held or operation.held,
            ready=self._action == Action.HOLDING.name,
            clear=True,
            target=self.target_given,
            playing=operation.playing,
            ending=self._ending or self.end is not None,
        )

    # --- wishes ---------------------------------------------------------------------------------

    def press(self, button: Button) -> m.Press | None:
        """A press, to be sent; None if the button does nothing now, and `refused` says why."""
        why = "" if button is Button.HOLD and self.you_own else self._why_not(button)
        if why:
            self._refused = f"{text(f'state.button.{button.value}')}: {why}"
            return None
        self._refused = ""
        what = text(f"state.button.{button.value}")
        return m.Press(button=button.value, id=self._question(what))

    def stop(self) -> m.Stop:
        """The stop, to be sent; always possible, whoever owns the motion."""
        self.held = False
        return m.Stop(id=self._question(text("state.stop")))

    def take_or_release(self) -> m.Take | m.Release:
        """The wish to own the motion, or to give it back, to be sent."""
        self._refused = ""
        if self.you_own:
            self.held = False
            return m.Release(id=self._question(text("state.release")))
        return m.Take(id=self._question(text("state.take")))

    def hold(self, *, pressed: bool) -> None:
        """Press hold-to-run or let it go; only who owns the motion can press it."""
        self.held = pressed and self.you_own and self._at_bench

    def alive(self, now_s: float) -> m.Alive:
        """The sign of life of this moment [s], to be sent at least ten times a second."""
        return m.Alive(held=self.held, stamp_s=now_s)

    def _question(self, what: str) -> int:
        number = self._next_id()
        self._asked[number] = what
        return number
