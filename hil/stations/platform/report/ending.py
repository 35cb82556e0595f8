"""How a run of the platform ended, by its modes, its flags and what its gate objected to."""

import numpy as np

from hil.recording.frame import CycleFlag
from hil.recording.reader import Recording
from hil.report.ending import EMPTY, Ending, Verdict, cut_off, failed, is_request, violations_of
from hil.report.phases import STOP_MODES, Phase

REST_MODES = ("STANDBY", "IDLE", "OFF")
"""Modes in which a run that went well ends."""


def platform_verdict(recording: Recording, phases: tuple[Phase, ...]) -> Verdict:
    """Judge a recording, the gravest thing first.

    Args:
        recording: the run.
        phases: its phases.
    """
    if not phases:
        return EMPTY
    flags = recording.column("flags")
    asked = bool(np.any(flags & CycleFlag.STOP_ASKED))
    latched = np.flatnonzero(flags & CycleFlag.FAULT_LATCHED)
    stopped = next((phase for phase in phases if phase.mode in STOP_MODES), None)
    if len(latched):
        return _tripped(recording, phases, int(latched[0]))
    if found := failed(recording):
        return found
    if stopped is not None and not asked:
        return _tripped(recording, phases, stopped.first)
    if found := cut_off(recording, phases):
        return found
    last = phases[-1]
    if last.mode not in REST_MODES:
        return Verdict(Ending.UNFINISHED, f"The run ended in {last.mode}, not parked.")
    if asked:
        return Verdict(Ending.STOPPED, "A signal or the operator asked for the end.")
    engaged_s = sum(phase.duration_s for phase in phases if phase.mode == "ENGAGED")
    if engaged_s <= 0.0:
        return Verdict(Ending.UNFINISHED, f"The motion was never played; last mode {last.mode}.")
    return Verdict(Ending.COMPLETED, f"The motion was played for {engaged_s:.2f} s.")


def _tripped(recording: Recording, phases: tuple[Phase, ...], place: int) -> Verdict:
    """Why it was stopped, and that it parked then, which is the one motion that may follow."""
    parking = next((p for p in phases if p.mode == "PARKING" and p.end > place), None)
    then = "" if parking is None else f"; then it parked, at {parking.start_s:.3f} s"
    return Verdict(Ending.TRIPPED, _cause(recording, place) + then)


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
