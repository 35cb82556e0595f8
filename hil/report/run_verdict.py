"""How a run ended, read from its recording alone."""

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Final

import numpy as np

from hil.recording.end import RecordedEnd
from hil.recording.events import EventKind, EventRecord, Level
from hil.recording.reader import Recording
from hil.recording.signals import RowFlag
from hil.report.phases import STOP_MODES, Phase
from hil.run.part_process import PartNote
from hil.run.stall import stall_of


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
    reason: str


EMPTY: Final = Verdict(Ending.EMPTY, "The recording holds no row.")


def verdict_of(recording: Recording, phases: tuple[Phase, ...]) -> Verdict:
    """Judge a recording by what all stations record, the gravest thing first."""
    if not recording.cycles:
        return EMPTY
    asked, latched = _flagged(recording)
    stopped = next((phase for phase in phases if phase.mode in STOP_MODES), None)
    if latched is not None:
        return _tripped(recording, phases, latched)
    if found := failed(recording):
        return found
    if stopped is not None and not asked:
        return _tripped(recording, phases, stopped.first)
    if found := cut_off(recording, phases):
        return found
    if asked:
        return Verdict(Ending.STOPPED, "A signal or the operator asked for the end.")
    if phases and phases[-1].alarm:
        return Verdict(Ending.TRIPPED, f"The run ended in {phases[-1].mode}.")
    first, last = (recording.part(place, place + 1) for place in (0, recording.cycles - 1))
    length_s = float(last.t_s[0] - first.t_s[0])
    return Verdict(Ending.COMPLETED, f"It ran for {length_s:.2f} s.")


def _flagged(recording: Recording) -> tuple[bool, int | None]:
    """Whether the end was asked for, and the first row with a fault."""
    asked, latched = False, None
    for piece in recording.pieces() if "flags" in recording.columns else ():
        flags = piece.rows.column("flags")
        asked = asked or bool(np.any(flags & RowFlag.STOP_ASKED))
        if latched is None and (faults := np.flatnonzero(flags & RowFlag.FAULT_LATCHED)).size:
            latched = piece.start + int(faults[0])
    return asked, latched


def failed(recording: Recording) -> Verdict | None:
    """What ended control itself, if anything did."""
    fatal = next((event for event in recording.events if event.level is Level.FATAL), None)
    return fatal and Verdict(Ending.FAILED, f"At {fatal.t_s:.3f} s: {fatal.message}")


def cut_off(recording: Recording, phases: tuple[Phase, ...]) -> Verdict | None:
    """That the file was not finished, if it was not."""
    if not recording.truncated:
        return None
    last = recording.part(recording.cycles - 1, recording.cycles)
    where = f"at {last.t_s[0]:.3f} s" + (f" in {phases[-1].mode}" if phases else "")
    words = f"The recording ends without its closing record, {where}; what is complete is shown."
    return Verdict(Ending.CUT_OFF, words)


def in_agreement(verdict: Verdict, recording: Recording) -> Verdict:
    """The verdict by rows and events, and what the recording's end says of the run and of itself.

    A run whose end says that it was not well, or that rows are missing, is never a good one here.
    """
    recorded_end = RecordedEnd.of(recording.metadata)
    ending, reason = verdict.ending, verdict.reason
    weak = ending.good or ending in (Ending.UNFINISHED, Ending.EMPTY)
    if recorded_end.loss:
        ending, weak = (Ending.CUT_OFF if weak else ending), False
        reason = f"{sentence(recorded_end.loss)} {reason}"
    if recorded_end.end is not None and not recorded_end.end.ok:
        why = recorded_end.end.reason or (recorded_end.end.outcome if weak else "")
        ending = Ending.FAILED if weak else ending
        reason = reason if why.lower() in reason.lower() else f"{sentence(why)} {reason}"
    return Verdict(ending, reason)


def sentence(words: str) -> str:
    """Words with a full stop, and a capital unless they begin with the name of a file."""
    first = words.partition(" ")[0].rstrip(":,;")
    begin = words[:1].upper() if first.isalpha() else words[:1]
    return f"{begin}{words[1:].rstrip('.')}."


def seen_from_outside(verdict: Verdict, recording: Recording) -> Verdict:
    """The verdict of a recording, with what its end tells, and what is known from outside.

    The latter is there if it was one part of several.
    """
    return _with_note(in_agreement(verdict, recording), recording.path)


def _with_note(verdict: Verdict, recording: Path) -> Verdict:
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


def _tripped(recording: Recording, phases: tuple[Phase, ...], place: int) -> Verdict:
    """Why it was stopped, and that it parked then, which is the one motion that may follow."""
    parking = next((p for p in phases if p.mode == "PARKING" and p.end > place), None)
    then = "" if parking is None else f"; then it parked, at {parking.start_s:.3f} s"
    return Verdict(Ending.TRIPPED, _cause(recording, place) + then)


def _cause(recording: Recording, place: int) -> str:
    """What was violated when the run was stopped: in that cycle, or the nearest before it."""
    index = int(recording.part(place, place + 1).column("index")[0])
    stall = stall_of(recording)
    if stall is not None:
        return f"{str(stall).capitalize()}; {stall.remedy()}"
    violations = [event for event in violations_of(recording) if not is_request(event)]
    before = [event for event in violations if event.index <= index]
    if not before:
        return "The recording does not say what was violated."
    same = [event for event in before if event.index == before[-1].index]
    more = f", and {len(same) - 1} more in the same cycle" if len(same) > 1 else ""
    return f"At {same[0].t_s:.3f} s: {same[0].message}{more}"
