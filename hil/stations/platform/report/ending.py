"""How a run of the platform ended: it must have played its motion, and be at rest."""

from hil.recording.reader import Recording
from hil.report.ending import Ending, Verdict, verdict_of
from hil.report.phases import Phase

REST_MODES = ("STANDBY", "IDLE", "OFF")
"""Modes in which a run that went well ends."""


def platform_verdict(recording: Recording, phases: tuple[Phase, ...]) -> Verdict:
    """Judge a recording, the gravest thing first."""
    found = verdict_of(recording, phases)
    if not found.ending.good:
        return found
    last = phases[-1]
    if last.mode not in REST_MODES:
        return Verdict(Ending.UNFINISHED, f"The run ended in {last.mode}, not parked.")
    if found.ending is Ending.STOPPED:
        return found
    engaged_s = sum(phase.duration_s for phase in phases if phase.mode == "ENGAGED")
    if engaged_s <= 0.0:
        return Verdict(Ending.UNFINISHED, f"The motion was never played; last mode {last.mode}.")
    return Verdict(Ending.COMPLETED, f"The motion was played for {engaged_s:.2f} s.")
