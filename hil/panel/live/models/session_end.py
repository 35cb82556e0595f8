"""The end of a run for people: read from what control told, put into words."""

from collections.abc import Iterable
from typing import Final

from hil.desk import messages as m
from hil.desk.client import Message
from hil.desk.order import Button
from hil.desk.run_end import EndCause, RunEnd
from hil.panel.shell.texts import text
from hil.recording.frame import EventKind, EventRecord, Level

WHY_SHOWN: Final = 80
"""Characters of a cause in the one line that there is for it."""


def begins_end(event: EventRecord) -> bool:
    """Whether control has taken a SHUT_DOWN; presses are counted though they are refused."""
    said = event.data if event.name == "operator" else {}
    return said.get("button") == Button.SHUT_DOWN.value and said.get("taken") is True


def failure_of(event: EventRecord) -> str:
    """What broke in control itself, which then tells of no operation any more; else empty."""
    broken = event.kind is EventKind.NOTE and event.level is Level.FATAL
    return event.message if broken else ""


def last_word_in(messages: Iterable[Message]) -> bool:
    """Whether a desk has said that it is over with this client, or with the run."""
    return any(
        isinstance(said, m.Refused) or (isinstance(said, m.State) and not said.bench)
        for said in messages
    )


def end_words(end: RunEnd, over: str = "") -> str:
    """What ends the run, what is being done, and what the operator can do.

    Args:
        end: as control told it last.
        over: why nothing more comes of the run; then it is what has ended it. Empty before.
    """
    key = "press" if end.cause is EndCause.SHUT_DOWN and not end.why else end.cause.value
    why = end.why if len(end.why) <= WHY_SHOWN else f"{end.why[:WHY_SHOWN]}…"
    cause = text(f"state.end.{key}", why=why)
    if over:
        return text("state.end.over", over=over, cause=cause)
    step = text(f"state.end.{end.step.value}", left_s=f"{end.left_s:.0f}")
    waits = text("state.end.waits", waits=end.waits) if end.waits else ""
    return text("state.end", cause=cause, step=step) + waits
