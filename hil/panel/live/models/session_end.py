"""The end of a run for people: read from control's report, put into words."""

from collections.abc import Iterable
from typing import Final

from hil.desk import messages as m
from hil.desk.client import Message
from hil.desk.order import Button
from hil.desk.run_end import EndCause, RunEnd
from hil.recording.events import EventKind, EventRecord, Level

WHY_SHOWN: Final = 80
"""Characters of a cause in the one line that there is for it."""

_CAUSES: Final = {
    "press": "End run was pressed",
    "shut_down": "End run was pressed by {why}",
    "terminal": "Ctrl-C at the terminal, or a signal",
    "desk": "operator's desk: {why}",
}
"""Causes of an end in words, where the reason alone does not say it."""
_STEPS: Final = {
    "under_way": "under way",
    "stopping": "stopping",
    "parking": "parking",
    "awaiting_park": "hold to run and press Park, else the power goes off in {left_s} s",
    "power_off": "power off",
}
"""Steps of an end in words."""


def begins_end(event: EventRecord) -> bool:
    """Whether control has taken a SHUT_DOWN; presses are counted though they are refused."""
    said = event.data if event.name == "operator" else {}
    return said.get("button") == Button.SHUT_DOWN.value and said.get("taken") is True


def failure_of(event: EventRecord) -> str:
    """Return what broke in control itself, which then reports no operation any more; else empty."""
    broken = event.kind is EventKind.NOTE and event.level is Level.FATAL
    return event.message if broken else ""


def last_word_in(messages: Iterable[Message]) -> bool:
    """Whether a desk has finished with this client, or with the run."""
    return any(
        isinstance(said, m.SessionRefused) or (isinstance(said, m.State) and not said.bench)
        for said in messages
    )


def end_words(end: RunEnd, over: str = "") -> str:
    """Return what ends the run, what is being done, and what the operator can do.

    Args:
        end: as control told it last.
        over: why nothing more comes of the run; then it is what has ended it. Empty before.
    """
    key = "press" if end.cause is EndCause.SHUT_DOWN and not end.why else end.cause.value
    why = end.why if len(end.why) <= WHY_SHOWN else f"{end.why[:WHY_SHOWN]}…"
    cause = _CAUSES.get(key, "{why}").format(why=why)
    if over:
        return f"ENDED: {over}: {cause}"
    step = _STEPS[end.step.value].format(left_s=f"{end.left_s:.0f}")
    waits = f"; waits: {end.waits}" if end.waits else ""
    return f"THE RUN IS ENDING: {cause}; {step}" + waits
