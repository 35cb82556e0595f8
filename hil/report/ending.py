"""How a run ended, read from its recording alone."""

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import numpy as np

from hil.recording.events import EventKind, EventRecord, Level
from hil.recording.reader import Recording
from hil.recording.signals import RowFlag
from hil.report.phases import STOP_MODES, Phase
from hil.run.part_note import PartNote

REST_MODES = ("STANDBY", "IDLE", "OFF")
"""Modes in which a run that went well ends."""


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
    """How a run ended, and why.

    Args:
        ending: the word for it.
        reason: a sentence; says what a completed run did, too.
    """

    ending: Ending
    reason: str


def verdict_of(recording: Recording, phases: tuple[Phase, ...]) -> Verdict:
    """Judge a recording, the gravest thing first.

    Args:
        recording: the run.
        phases: its phases.
    """
    if not phases:
        return Verdict(Ending.EMPTY, "The recording holds no cycle.")
    flags = recording.column("flags")
    asked = bool(np.any(flags & RowFlag.STOP_ASKED))
    latched = np.flatnonzero(flags & RowFlag.FAULT_LATCHED)
    stopped = next((phase for phase in phases if phase.mode in STOP_MODES), None)
    if len(latched):
        place = int(latched[0])
        return Verdict(Ending.TRIPPED, _cause(recording, place) + _parked(phases, place))
    if fatal := next((e for e in recording.events if e.level is Level.FATAL), None):
        return Verdict(Ending.FAILED, f"At {fatal.t_s:.3f} s: {fatal.message}")
    if stopped is not None and not asked:
        why = _cause(recording, stopped.first)
        return Verdict(Ending.TRIPPED, why + _parked(phases, stopped.first))
    last = phases[-1]
    if recording.truncated:
        reason = f"The recording ends without its closing record, at {last.end_s:.3f} s in "
        return Verdict(Ending.CUT_OFF, f"{reason}{last.mode}; what is complete is shown.")
    if last.mode not in REST_MODES:
        return Verdict(Ending.UNFINISHED, f"The run ended in {last.mode}, not parked.")
    if asked:
        return Verdict(Ending.STOPPED, "A signal or the operator asked for the end.")
    engaged_s = sum(phase.duration_s for phase in phases if phase.mode == "ENGAGED")
    if engaged_s <= 0.0:
        return Verdict(Ending.UNFINISHED, f"The motion was never played; last mode {last.mode}.")
    return Verdict(Ending.COMPLETED, f"The motion was played for {engaged_s:.2f} s.")


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


def _parked(phases: tuple[Phase, ...], place: int) -> str:
    """That the platform parked after a stop, which is the one motion that may follow it."""
    parking = next((p for p in phases if p.mode == "PARKING" and p.end > place), None)
    return "" if parking is None else f"; then it parked, at {parking.start_s:.3f} s"


def _cause(recording: Recording, place: int) -> str:
    """What was violated when the run was stopped: in that cycle, or the nearest before it."""
    index = int(recording.column("index")[place])
    violations = [event for event in violations_of(recording) if not is_request(event)]
    before = [event for event in violations if event.index <= index]
    if not before:
        return "The recording does not say what was violated."
    same = [event for event in before if event.index == before[-1].index]
    more = f", and {len(same) - 1} more in the same cycle" if len(same) > 1 else ""
    return f"At {same[0].t_s:.3f} s: {same[0].message}{more}"
