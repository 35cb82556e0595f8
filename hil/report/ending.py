"""How a run ended, read from its recording alone."""

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Final

from hil.recording.frame import EventKind, EventRecord, Level
from hil.recording.reader import Recording
from hil.report.phases import Phase
from hil.run.part_note import PartNote


class Ending(Enum):
    """How a run ended; the value is the word for a person."""

    COMPLETED = "COMPLETED"
    STOPPED = "STOPPED BY THE OPERATOR"
    STOPPED_WITH_OTHER = "STOPPED BECAUSE ANOTHER STATION FAILED"
    TRIPPED = "TRIPPED"
    FAILED = "FAILED"
    CUT_OFF = "CUT OFF"
    UNFINISHED = "UNFINISHED"
    EMPTY = "EMPTY"

    @property
    def good(self) -> bool:
        """Nothing is wrong with the run."""
        return self in (Ending.COMPLETED, Ending.STOPPED)


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a run ended, and why."""

    ending: Ending
    """The word for it."""
    reason: str
    """A sentence; says what a completed run did, too."""


EMPTY: Final = Verdict(Ending.EMPTY, "The recording holds no row.")


def verdict_of(recording: Recording, phases: tuple[Phase, ...]) -> Verdict:
    """Judge a recording of a station of which nothing else is known, the gravest thing first.

    Args:
        recording: the run.
        phases: its phases.
    """
    if not phases:
        return EMPTY
    if found := failed(recording):
        return found
    cause = next((one for one in violations_of(recording) if not is_request(one)), None)
    if cause is not None:
        return Verdict(Ending.TRIPPED, f"At {cause.t_s:.3f} s: {cause.message}")
    if phases[-1].alarm:
        return Verdict(Ending.TRIPPED, f"The run ended in {phases[-1].mode}.")
    return cut_off(recording, phases) or Verdict(
        Ending.COMPLETED, f"It ran for {phases[-1].end_s - phases[0].start_s:.2f} s."
    )


def failed(recording: Recording) -> Verdict | None:
    """What ended control itself, if anything did."""
    fatal = next((event for event in recording.events if event.level is Level.FATAL), None)
    return fatal and Verdict(Ending.FAILED, f"At {fatal.t_s:.3f} s: {fatal.message}")


def cut_off(recording: Recording, phases: tuple[Phase, ...]) -> Verdict | None:
    """That the file was not finished, if it was not."""
    if not recording.truncated:
        return None
    where = f"at {phases[-1].end_s:.3f} s in {phases[-1].mode}"
    words = f"The recording ends without its closing record, {where}; what is complete is shown."
    return Verdict(Ending.CUT_OFF, words)


def seen_from_outside(verdict: Verdict, recording: Path) -> Verdict:
    """The verdict of a recording with what is known from outside, if it was one part of several.

    Args:
        verdict: from the recording alone.
        recording: its file.
    """
    note = PartNote.beside(recording)
    if note is None:
        return verdict
    if note.killed:
        words = f"The process of this station, {note.part}, ended badly: {note.killed}."
        return Verdict(Ending.FAILED, f"{words} {verdict.reason}")
    if note.stopped_for:
        stopped = verdict.ending is Ending.STOPPED
        ending = Ending.STOPPED_WITH_OTHER if stopped else verdict.ending
        own = "" if stopped else f" {verdict.reason}"
        return Verdict(
            ending, f"This station, {note.part}, was asked to stop: {note.stopped_for}.{own}"
        )
    return verdict


def violations_of(recording: Recording) -> tuple[EventRecord, ...]:
    """What the gate objected to, in order."""
    return tuple(event for event in recording.events if event.kind is EventKind.VIOLATION)


def is_request(event: EventRecord) -> bool:
    """A request that was refused: it happens in a good run, too, and stops nothing."""
    return event.data.get("check") == "request"
