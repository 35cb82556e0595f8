"""State and owner of the bench, what can be pressed now, and why not the rest.

The model hears the feed (modes, the operation as control has it) and the desk (who owns the
motion, what became of a request). It sends nothing: requests are messages that the window hands on.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count
from typing import Final

from hil.desk import messages as m
from hil.desk.client import Message
from hil.desk.operation import Operation
from hil.desk.order import Button
from hil.desk.run_end import EndCause, EndStep, RunEnd
from hil.panel.live.models.bench_alarm import BUTTONS, Alarm, Hands, alarm_of
from hil.panel.live.models.bench_frame import NewestFrame
from hil.panel.live.models.bench_link import Link, LinkWatch, Source
from hil.panel.live.models.bench_requests import BenchRequests
from hil.panel.live.models.feed import Batch, RunFacts
from hil.panel.live.models.lamps import Lamp, lamp_of
from hil.panel.live.models.session_end import end_words
from hil.run.lead import Seen

_DEAD_MEN: Final = {
    ("hold", "held"): "Hold-to-run held",
    ("hold", "released"): "Hold-to-run released",
    ("presence", "held"): "Panel present",
    ("presence", "released"): "Panel absent",
}


@dataclass(frozen=True, slots=True)
class ButtonState:
    """State of a button now."""

    button: Button
    """The button."""
    why_not: str
    """Reason why it does nothing now, as half a sentence; empty if it does something."""

    @property
    def allowed(self) -> bool:
        """Whether a press does something."""
        return not self.why_not


class BenchModel:
    """State of one run.

    Args:
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
        self._requests = BenchRequests(next_id or count(1).__next__)
        self._desk = m.State(owner="", you_own=False, clients=(), bench=True)
        self._link = LinkWatch(source, facts.period_s)
        self._newest = NewestFrame(facts)
        self._lead = None if facts.installed is None else facts.installed.lead

    # --- what it hears --------------------------------------------------------------------------

    def take(self, batch: Batch, now_s: float) -> None:
        """Take what the feed brought."""
        if batch.operation is not None:
            self._requests.update(self.operation, batch.operation)
            self.operation = batch.operation
        if self._newest.take(batch):
            self._link.take(now_s)

    def take_message(self, message: Message) -> None:
        """Take a message of the desk."""
        match message:
            case m.State():
                if self._desk.you_own and not message.you_own:
                    self.held = False
                self._desk = message
                if not message.bench:
                    self.over("the run is over")
            case m.Answer():
                self._requests.answered(message)
            case m.SessionRefused():
                self.over(message.why)

    def over(self, why: str) -> None:
        """The run is over, or its desk is gone for good; the first reason counts."""
        self._link.over(why)
        self._leave_desk()

    def lost(self, why: str) -> None:
        """Its desk is gone; whether there is another one is not known yet."""
        self._link.lost(why)
        self._leave_desk()

    def found(self) -> None:
        """Another desk of the run is there: nobody owns the motion, and nothing is held."""
        self._link.found()
        self._leave_desk()

    def _leave_desk(self) -> None:
        self.held = False
        self._desk = m.State(owner="", you_own=False, clients=(), bench=False)

    # --- how it stands --------------------------------------------------------------------------

    @property
    def mode(self) -> str | None:
        """Name of the mode, or of the link's state at the arm station; None if not known."""
        return self._newest.mode

    @property
    def t_s(self) -> float:
        """Time of the run of the newest frame [s]."""
        return self._newest.t_s

    @property
    def lamps(self) -> tuple[Lamp, ...]:
        """One lamp a mode, in the order of the modes."""
        names, lamps = self.facts.header.modes, self.facts.views.lamps
        return tuple(lamp_of(lamps, name, lit=name == self.mode) for name in names)

    def lamps_at(self, now_s: float) -> tuple[Lamp, ...]:
        """The same at a moment [s]: the mode of a bench that is silent or gone has no colour.

        It is the last that was known, and may long be another.
        """
        if self.link(now_s) is not Link.ENDED and not self._link.silent(now_s):
            return self.lamps
        return tuple(replace(lamp, role="dim") for lamp in self.lamps)

    def link(self, now_s: float) -> Link:
        """State of the link to the bench at a moment [s]."""
        return self._link.at(now_s)

    def link_text(self, now_s: float) -> str:
        """The same in words."""
        return self._link.text_at(now_s)

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
        """Owner of the motion, in words."""
        if self.source is Source.REPLAY:
            return "Nobody moves it: a recording"
        if self.you_own:
            return "You own the motion"
        if self._link.ended:
            return ""
        if self.owner:
            return f"{self.owner} owns the motion"
        return "Nobody owns the motion"

    @property
    def dead_man_text(self) -> str:
        """State of the dead-man for control, in words; nothing of a run that is over."""
        if self.source is Source.REPLAY or self._link.ended:
            return ""
        state = "held" if self.operation.held else "released"
        return _DEAD_MEN[self.operation.dead_man, state]

    @property
    def refused(self) -> str:
        """Reason why the last request did nothing; empty if it did."""
        return self._requests.refused

    @property
    def notice(self) -> str:
        """Sentence that people need now: why nothing was done, or why nothing moves."""
        if self.refused:
            return f"Nothing done. {self.refused}"
        at_rest = self.operation.playing and self.operation.override == 0.0
        return (
            "The tempo is 0 %: nothing moves before it is raised"
            if at_rest and not self.gone
            else ""
        )

    @property
    def end(self) -> RunEnd | None:
        """The end of the run, once it is under way, as far as control has reported; None before."""
        if self._newest.failed:
            return RunEnd(EndCause.FAULT, EndStep.STOPPING, self._newest.failed)
        return self.operation.end

    @property
    def end_text(self) -> str:
        """The same in words, with what is to be done until it is over; empty if there is none."""
        return "" if self.end is None else end_words(self.end, self._link.ended)

    @property
    def end_why(self) -> str:
        """Cause of the end, in full; empty if there is none, or its kind says it all."""
        return "" if self.end is None else self.end.why

    @property
    def alarm(self) -> Alarm:
        """Cause of the bench's stop and what brings it on; of one that cannot be asked, nothing."""
        if self.gone or self.end is not None:
            return Alarm()
        operation, hands = self.operation, Hands(self.you_own, self.owner, self._held)
        lead, views = self._lead, self.facts.views
        return alarm_of(
            lead,
            views,
            self.mode,
            operation.cause,
            hands,
            clear=operation.clear,
            stalled=operation.stalled,
        )

    @property
    def banners(self) -> tuple[str, ...]:
        """Simulated devices, one line each."""
        header = self.facts.header
        lines = header.simulated
        if self._newest.robot_simulated:
            lines.setdefault("robot", f"SIMULATED {header.metadata.get('robot', '')}")
        return tuple(f"{key.replace('_', ' ')}: {line}" for key, line in lines.items())

    # --- what can be pressed --------------------------------------------------------------------

    @property
    def buttons(self) -> tuple[ButtonState, ...]:
        """Every button, in the order of the enum; none at a station that has no such modes."""
        names = () if self._lead is None else self._lead.buttons
        return tuple(ButtonState(one, self._why_not(one)) for one in Button if one.value in names)

    @property
    def may_take(self) -> bool:
        """Whether the motion is free to be taken."""
        return not self.gone and not self.owner

    @property
    def gone(self) -> str:
        """Reason why nobody can be asked anything; empty if somebody can."""
        return self._link.gone

    @property
    def _held(self) -> bool:
        """Whether hold-to-run counts, here or, a moment later, for control."""
        return self.held or self.operation.held

    def _why_not(self, button: Button) -> str:
        if self.gone:
            return self.gone
        if not self.you_own:
            owner = self.owner
            if owner:
                return f"{owner} owns the motion; it must give it back first"
            return "nobody owns the motion; take it first"
        if self.mode is None:
            return "nothing is known of the bench yet"
        judge, operation = None if self._lead is None else self._lead.why_not, self.operation
        if judge is None:
            return "this run has no buttons here"
        seen = Seen(
            mode=self.mode,
            action=self._newest.action,
            held=self._held,
            target=self.target_given,
            playing=operation.playing,
            ending=self._newest.ending or self.end is not None,
            clear=operation.clear,
            stalled=operation.stalled,
        )
        return judge(button.value, seen)

    # --- requests -------------------------------------------------------------------------------

    def press(self, button: Button) -> m.Press | None:
        """A press, to be sent; None if the button does nothing now, and `refused` says why."""
        what = BUTTONS[button.value]
        why = "" if button is Button.HOLD and self.you_own else self._why_not(button)
        if why:
            self._requests.refuse(what, why)
            return None
        self._requests.forget()
        return m.Press(button=button.value, id=self._requests.ask(what))

    def stop(self) -> m.Stop:
        """The stop, to be sent; always possible, whoever owns the motion."""
        self.held = False
        return m.Stop(id=self._requests.ask("STOP"))

    def toggle_ownership(self) -> m.Take | m.Release:
        """The request to own the motion, or to give it back, to be sent."""
        self._requests.forget()
        if self.you_own:
            self.held = False
            return m.Release(id=self._requests.ask("Give the motion back"))
        return m.Take(id=self._requests.ask("Take the motion"))

    def hold(self, *, pressed: bool) -> None:
        """Press hold-to-run or let it go; only who owns the motion can press it."""
        self.held = pressed and self.you_own and not self.gone

    def alive(self, now_s: float) -> m.Alive:
        """The sign of life of this moment [s], to be sent at least ten times a second."""
        return m.Alive(held=self.held, stamp_s=now_s)
