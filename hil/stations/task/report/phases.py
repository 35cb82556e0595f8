"""Phases of a recorded task: their names and times, from the events of the run."""

from __future__ import annotations

from dataclasses import dataclass

from hil.report.recorded_run import RecordedRun
from hil.report.style import LEG_COLOURS

PALE = "44"
"""Opacity of a phase's band, as two digits behind a colour."""


@dataclass(frozen=True, slots=True)
class TaskPhase:
    """Stretch of a run in one phase."""

    name: str
    """Name of the phase."""
    begin_s: float
    """Time of its beginning [s]."""
    end_s: float
    """Time at which the next one began, or the run ended [s]."""
    colour: str
    """Colour in which it is drawn."""


def phases_of_run(run: RecordedRun) -> tuple[TaskPhase, ...]:
    """Phases in the order in which they were entered; none if the diagram says none."""
    begun = [
        (one.t_s, str(one.data["phase"]))
        for one in run.recording.events
        if one.name == "judge" and "phase" in one.data
    ]
    if not begun or not len(run.times):
        return ()
    ends = [*(t_s for t_s, _ in begun[1:]), float(run.times[-1])]
    names = list(dict.fromkeys(name for _, name in begun))
    return tuple(
        TaskPhase(name, t_s, end_s, LEG_COLOURS[names.index(name) % len(LEG_COLOURS)])
        for (t_s, name), end_s in zip(begun, ends, strict=True)
    )
